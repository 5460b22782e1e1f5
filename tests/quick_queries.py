"""Django builds the same statements from test to test, which takes nearly half of what the tests compute. What comes
of the same parts of a query is kept here: the columns of a model, what they are read with, which fields are meant by
a name, and by what expressions are compared. Nothing else of Django is another than on a site.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from inspect import Parameter
from typing import Any

import pytest
from django.db.models.expressions import BaseExpression, Col, ColPairs, Expression
from django.db.models.options import Options
from django.db.models.sql.compiler import SQLCompiler
from django.db.models.sql.query import Query
from django.utils.functional import cached_property

Names = tuple[list[Any], Any, tuple[Any, ...], list[str]]


def copied(expression: BaseExpression) -> BaseExpression:
    """What `copy.copy` makes, without asking how."""
    made = object.__new__(type(expression))
    made.__dict__.update(expression.__getstate__())
    return made


def compiled() -> Callable[[SQLCompiler, Any], Any]:
    """Each class is asked once whether it is written otherwise in a database."""
    known: dict[tuple[type, str], bool] = {}

    def compile_node(compiler: SQLCompiler, node: Any) -> Any:
        if type(node) is Col and node.alias:
            quote = compiler.quote_name_unless_alias
            return f"{quote(node.alias)}.{quote(node.target.column)}", []
        key = type(node), compiler.connection.vendor
        if key not in known:
            known[key] = hasattr(node, f"as_{key[1]}")
        write = getattr(node, f"as_{key[1]}") if known[key] else node.as_sql
        return write(compiler, compiler.connection)

    return compile_node


def identity(expression: Expression) -> tuple[Any, ...]:
    """By what expressions are compared: what their constructor was called with, in the order of its signature."""
    given, named = expression._constructor_args
    parameters = _parameters(type(expression))
    found: list[Any] = [type(expression)]
    places = iter(given)
    for name, parameter in parameters.items():
        value: Any
        if parameter.kind is Parameter.VAR_POSITIONAL:
            value = (*places,)
        elif parameter.kind is Parameter.VAR_KEYWORD:
            value = {key: each for key, each in named.items() if key not in parameters}
        else:
            value = next(places, named.get(name, parameter.default))
        found.append((name, expression._identity(value)))
    return tuple(found)


@cache
def _parameters(of: type[Expression]) -> dict[str, Parameter]:
    _self, *others = of._constructor_signature.parameters.items()
    return dict(others)


def columns(find: Callable[..., list[Col]]) -> Callable[..., list[Col]]:
    """All columns of a model of one table."""
    known: dict[tuple[Options[Any], str], list[Col]] = {}

    def default_columns(
        compiler: SQLCompiler, mask: Any, start_alias: str | None = None, opts: Any = None, from_parent: Any = None
    ) -> list[Col]:
        meant = opts or compiler.query.get_meta()
        if mask or meant is None or meant.parents or meant.proxy:
            return find(compiler, mask, start_alias, opts, from_parent)
        key = meant, start_alias or compiler.query.get_initial_alias()
        if key not in known:
            known[key] = find(compiler, mask, start_alias, opts, from_parent)
        return [*known[key]]

    return default_columns


def converters(connection: Any, expression: Any) -> list[Any]:
    """What a value of this expression is read with."""
    return [*connection.ops.get_db_converters(expression), *expression.get_db_converters(connection)]


def read_with(compiler: SQLCompiler, expressions: Any) -> dict[int, Any]:
    """What values of columns are read with, which is the same of a field."""
    ops = compiler.connection.ops
    known = ops.__dict__.setdefault("converters_of_fields", {})
    found: dict[int, Any] = {}
    place = 0
    for expression in expressions:
        if isinstance(expression, ColPairs):
            for number, each in read_with(compiler, expression.get_source_expressions()).items():
                found[place + number] = each
            place += len(expression)
            continue
        if type(expression) is Col:
            key = id(expression.target), id(expression.output_field)
            if key not in known:
                known[key] = expression, converters(compiler.connection, expression)
            wanted = known[key][1]
        else:
            wanted = converters(compiler.connection, expression) if expression else []
        if wanted:
            found[place] = wanted, expression
        place += 1
    return found


def paths(find: Callable[..., Names]) -> Callable[..., Names]:
    """Which fields are meant by names that begin at a model and are not those of an annotation."""
    known: dict[tuple[Any, ...], Names] = {}

    def names_to_path(
        query: Query, names: list[str], opts: Any, allow_many: bool = True, fail_on_missing: bool = False
    ) -> Names:
        if query._filtered_relations or (query.annotations and not query.annotations.keys().isdisjoint(names)):
            return find(query, names, opts, allow_many, fail_on_missing)
        key = opts, allow_many, fail_on_missing, *names
        if key not in known:
            known[key] = find(query, names, opts, allow_many, fail_on_missing)
        path, field, targets, rest = known[key]
        return [*path], field, targets, [*rest]

    return names_to_path


@contextmanager
def built_quickly() -> Iterator[None]:
    """Queries are built so within."""
    kept: Any = cached_property(identity)
    kept.__set_name__(Expression, "identity")
    with pytest.MonkeyPatch.context() as patch:
        # Columns that are equal have the same name.
        patch.setattr(Col, "__hash__", lambda column: hash((column.alias, column.target.column)))
        patch.setattr(Expression, "identity", kept)
        patch.setattr(BaseExpression, "copy", copied)
        patch.setattr(SQLCompiler, "compile", compiled())
        patch.setattr(SQLCompiler, "get_default_columns", columns(SQLCompiler.get_default_columns))
        patch.setattr(SQLCompiler, "get_converters", read_with)
        patch.setattr(Query, "names_to_path", paths(Query.names_to_path))
        yield


@pytest.fixture(scope="session", autouse=True)
def queries_built_quickly() -> Iterator[None]:
    """All tests build their queries so."""
    with built_quickly():
        yield
