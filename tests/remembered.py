"""Worlds of tests that are made once a process and from then on only stored: `@remembered` under `@pytest.fixture`.

A campaign that is made by what the site does (runs are checked, pools built, things judged) costs a tenth of a second
each time, nearly all of it for questions whose answers are the same each time. So what its making wrote is noted when
the first test makes it: rows, files, and what became of the rows that it was given. For the next test the same is
written, which takes a hundredth of that, and the fixture's value is made anew. Where a row would get another number
than before, since the test has other rows by then, the world is made as if it had never been; on PostgreSQL always,
whose numbers go on from test to test.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings as site
from django.db import IntegrityError, connection, transaction
from django.db.models import Model
from pytest_django import Settings

from assess.base import process

READS = ("SELECT", "PRAGMA", "SAVEPOINT", "RELEASE")
TAKEN_BACK = "ROLLBACK"

Made = TypeVar("Made")
Given = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class World:
    """What making a world wrote, and what came of it."""

    statements: list[tuple[str, Any, bool, int]]
    files: dict[str, tuple[int, bytes | None]]
    data: str | None
    value: bytes


class OtherNumbers(Exception):
    """A row would have another number."""


def remembered(make: Callable[..., Made]) -> Callable[..., Made]:
    """What makes the same world, and does so once for each rows that it is given."""
    known: dict[tuple[Any, ...], World | None] = {}

    @wraps(make)
    def made(**given: Any) -> Made:
        key = tuple(_key(each) for each in given.values())
        if connection.vendor != "sqlite" or not connection.in_atomic_block:
            return make(**given)
        if key not in known:
            found, known[key] = _noted(make, given)
            return found
        world = known[key]
        if world is None or not _is_stored(world):
            return make(**given)
        _forget()
        return _value(world, given)  # type: ignore[no-any-return]

    return made


def _forget() -> None:
    """Forget what the process keeps by all that it depends on, which is the same again; but not the description of the
    API, which depends on the code alone and takes half a second to make.
    """
    from assay_site.api_description import _made

    for memory in process._memories:
        if memory is not _made:
            memory.clear()


def _key(given: Any) -> Any:
    """What a fixture's value is told apart by, of those that can be given again."""
    if isinstance(given, Model):
        return given._meta.label, given.pk
    if isinstance(given, list):
        return tuple(map(_key, given))
    if given is None or isinstance(given, Settings | Path):
        return type(given)
    raise TypeError(f"What is done to {given!r} is not remembered.")


def _noted(make: Callable[..., Made], given: Given) -> tuple[Made, World | None]:
    """The world as it is made, and how to store it again: not at all where something was taken back meanwhile."""
    statements: list[tuple[str, Any, bool, int]] = []
    taken_back = False

    def note(execute: Callable[..., Any], sql: str, values: Any, many: bool, context: Any) -> Any:
        nonlocal taken_back
        values = [*values] if many else values
        answer = execute(sql, values, many, context)
        taken_back |= sql.startswith(TAKEN_BACK)
        if not sql.startswith(READS):
            statements.append((sql, values, many, _came_to(sql, context["cursor"])))
        return answer

    before, files = _state(given), _files(given)
    with connection.execute_wrapper(note):
        value = make(**given)
    if taken_back:
        return value, None
    changed = {
        place: {name: given_now[name] for name in state if before[place].get(name) != state[name]}
        for (place, state), given_now in zip(_state(given).items(), map(vars, _rows(given)), strict=True)
    }
    base = given.get("tmp_path")
    is_within = base is not None and Path(site.DATA_DIR).is_relative_to(base)
    return value, World(
        statements=statements,
        files={name: kept for name, kept in _files(given).items() if files.get(name) != kept},
        data=str(Path(site.DATA_DIR).relative_to(base)) if is_within else None,
        value=_pickled((value, changed), given),
    )


def _came_to(sql: str, cursor: Any) -> int:
    """The number of the last row that is new, or how many rows are changed."""
    if not sql.startswith("INSERT"):
        return int(cursor.rowcount)
    return int(connection.connection.execute("SELECT last_insert_rowid()").fetchone()[0])


def _is_stored(world: World) -> bool:
    """Write what was written, if its rows get the same numbers."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            for sql, values, many, came_to in world.statements:
                (cursor.executemany if many else cursor.execute)(sql, values)
                if _came_to(sql, cursor) != came_to:
                    raise OtherNumbers
    except (OtherNumbers, IntegrityError):
        return False
    return True


def _value(world: World, given: Given) -> Any:
    """The fixture's value, with the files, and with what was given as it became."""
    for name, (mode, content) in world.files.items():
        path = given["tmp_path"] / name
        if content is None:
            path.mkdir(exist_ok=True)
        else:
            path.write_bytes(content)
        path.chmod(mode)
    if world.data is not None and "settings" in given:
        given["settings"].DATA_DIR = given["tmp_path"] / world.data
    value, changed = _Unpickler(io.BytesIO(world.value), given).load()
    for place, row in enumerate(_rows(given)):
        vars(row).update(changed[place])
    return value


def _files(given: Given) -> dict[str, tuple[int, bytes | None]]:
    """What is in the test's folder, each with its mode: folders before what they hold."""
    base: Path | None = given.get("tmp_path")
    return {
        str(path.relative_to(base)): (path.stat().st_mode & 0o777, path.read_bytes() if path.is_file() else None)
        for path in (sorted(base.rglob("*")) if base is not None else ())
    }


def _rows(given: Given) -> Iterator[Model]:
    """The rows that were given."""
    for each in given.values():
        yield from (row for row in (each if isinstance(each, list) else [each]) if isinstance(row, Model))


def _state(given: Given) -> dict[int, dict[str, bytes]]:
    """What each row that was given holds, to be compared."""
    return {
        place: {name: _pickled(held, given) for name, held in vars(row).items()}
        for place, row in enumerate(_rows(given))
    }


def _pickled(value: Any, given: Given) -> bytes:
    """The value in bytes, without what was given."""
    places = {id(row): place for place, row in enumerate(_rows(given))}
    folder = given.get("tmp_path")

    class Pickler(pickle.Pickler):
        def persistent_id(self, part: Any) -> Any:
            if isinstance(part, Path):
                return str(part.relative_to(folder)) if folder and part.is_relative_to(folder) else None
            return places.get(id(part))

    stream = io.BytesIO()
    Pickler(stream).dump(value)
    return stream.getvalue()


class _Unpickler(pickle.Unpickler):
    """Makes a value again, of what is given this time."""

    def __init__(self, stream: io.BytesIO, given: Given) -> None:
        super().__init__(stream)
        self._rows, self._folder = [*_rows(given)], given.get("tmp_path")

    def persistent_load(self, place: Any) -> Any:
        return self._folder / place if isinstance(place, str) else self._rows[place]
