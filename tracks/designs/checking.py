"""Find the faults of a design, each with its line, its member (stages and questions by name), and what to do."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from math import isfinite
from pathlib import Path as File
from typing import Any

from pydantic import BaseModel, ValidationError

from assess.protocol.designs import DesignFault as Fault
from tracks.designs import shape
from tracks.designs.bases import read_whole, text_beside
from tracks.designs.broken import BrokenRule
from tracks.designs.described_work import described_works, design_model, tables_of_runs
from tracks.designs.model_paths import member_names, members_at, model_at, plain_path, tag_of, value_at
from tracks.designs.places import BadToml, Path, Places, read_toml
from tracks.designs.readable_part import Replaced, readable_lines
from tracks.designs.rules import broken_rules
from tracks.designs.shape import Design


def check_design(
    text: str, *, folder: File | None = None, works: Collection[str] | None = None
) -> tuple[Design | None, list[Fault]]:
    """Return the design in a file's text, and its faults sorted by line. If one of the faults is an error, None is
    returned instead of the design.

    ``works`` are the kinds of work for which the site has benches, or None if the caller is not a site. Whatever the
    text, no exception is raised: if a check fails because of a bug, this is logged and returned as a fault.
    """
    try:
        return _checked(text, folder, works)
    except Exception as error:
        logging.getLogger(__name__).exception("The check of a design broke")
        message = f"This file can't be checked, which is a bug in Assay ({type(error).__name__}): please report it."
        return None, [Fault(line=1, member="", message=message)]


def _checked(text: str, folder: File | None, works: Collection[str] | None) -> tuple[Design | None, list[Fault]]:
    unread, readable, doubtful = readable_lines(text)
    try:
        values, places = read_whole(readable, folder, bad_files=unread) if readable else ({}, Places())
        given = read_toml(readable)[0]
    except BadToml as error:
        unread, values, given = [*unread, error], {}, read_toml(readable)[0]
    faults = [Fault(line=each.line, member=member_named(given, each.path), message=str(each)) for each in unread]
    is_based = "base" in given and bool(doubtful)  # lines that were left out would say what of the base is replaced
    if is_based or (unread and not values):
        return None, sorted(faults, key=lambda fault: fault.line)
    try:
        design = design_model().model_validate(values)
    except ValidationError as error:
        faults += _shape_faults(error, values, places, left_out=doubtful)
        design = None
    if faults:
        replaced = Replaced(values, {*doubtful, *(each.path for each in unread if each.path)})
        design = replaced.design
    if design is not None:
        broken = [*broken_rules(design), *_without_bench(design, works)]
        kept = [each for each in broken if not faults or not replaced.may_follow(each)]
        faults += [_rule_fault(each, values, places) for each in kept]
        if design.guidelines is not None and not any(each.member.startswith("guidelines") for each in faults):
            faults += _faults_of_guidelines(design.guidelines, folder, places.line(("guidelines", "file")))
    return (None if any(each.severity == "error" for each in faults) else design), sorted(
        faults, key=lambda fault: fault.line
    )


def _without_bench(design: Design, works: Collection[str] | None) -> Iterator[BrokenRule]:
    for place, stage in enumerate(design.stages):
        if works is not None and stage.work not in works and stage.work in described_works():
            message = (
                f'This site has no bench for work = "{stage.work}": whoever runs it names the kind of work of that '
                "package in the setting ASSAY_KINDS."
            )
            yield BrokenRule(path=("stages", place, "work"), message=message)


def _faults_of_guidelines(said: shape.Guidelines, folder: File | None, line: int) -> Iterator[Fault]:
    member, named = "guidelines.file", said.file
    if named is None:
        return
    if folder is None:
        message = (
            f"{named} lies beside the design, which came alone: a new campaign begins with what is asked and its help, "
            "and one that runs keeps its guidelines."
        )
        yield Fault(line=line, member=member, message=message, severity="warning")
        return
    try:
        text_beside(named, folder, line)
    except BadToml as error:
        yield Fault(line=line, member=member, message=str(error))


def _rule_fault(broken: BrokenRule, values: Mapping[str, Any], places: Places) -> Fault:
    line, member = places.line(broken.path), member_named(values, broken.path)
    return Fault(line=line, member=member, message=broken.message, severity=broken.severity)


def member_named(values: Mapping[str, Any], path: Path) -> str:
    """Return a path in words: stages and questions by their keys, other entries of lists by their place, from 1."""
    words = []
    for length, step in enumerate(path, 1):
        if isinstance(step, int):
            words.append(_name_of(value_at(values, path[:length])) or str(step + 1))
        else:
            words.append(step)
    return ".".join(words)


def _name_of(entry: Any) -> str:
    """Return the key or name of a list's entry, or "" if it can't be read."""
    named = entry.get("key", entry.get("name")) if isinstance(entry, dict) else None
    return named[:50] if isinstance(named, str) and named.strip() and named.isprintable() else ""


# ---------------------------------------------------------------- faults of shape

_WHOLE, _NUMBER, _TEXT, _LIST, _TABLE, _FLAG = (
    "a whole number",
    "a number",
    "a text",
    "a list",
    "a table",
    "true or false",
)
KINDS = {
    "int_type": _WHOLE, "int_from_float": _WHOLE, "float_type": _NUMBER, "string_type": _TEXT, "list_type": _LIST,
    "bool_type": _FLAG, "dict_type": _TABLE, "model_type": _TABLE, "model_attributes_type": _TABLE,
}  # fmt: skip
OF_TABLES = {"stages", "questions", "changes", "exports"}
OF_TOP = {"design", "key", "title", "base", "task"}
MOST_FAULTS = 1_000
"""The most faults of shape that are reported for one design: nobody reads more, and each costs a search in the text."""

TABLES_OF_STAGE: Mapping[str, type[BaseModel]] = {
    "control": shape.Control,
    "practice": shape.Practice,
    "repeats": shape.Repeats,
    "hand_out": shape.HandOut,
    "agreement": shape.Agreement,
}
BOUNDS = {"greater_than_equal", "less_than_equal", "finite_number"}


def _shape_faults(
    error: ValidationError, values: Mapping[str, Any], places: Places, *, left_out: Collection[Path]
) -> Iterator[Fault]:
    """Yield a fault for each member that can't be read, but for those that are missing since they were left out."""
    found: dict[Path, list[Any]] = {}
    told = error.errors(include_url=False)
    for each in told[:MOST_FAULTS]:
        if each["type"] == "missing" and plain_path(each["loc"], "missing", values) in left_out:
            continue
        found.setdefault(plain_path(each["loc"], each["type"], values), []).append(each)
    deeper = set(found)
    for path, errors in found.items():
        kinds = [each["type"] for each in errors]
        if all(kind in {*KINDS, "literal_error"} for kind in kinds) and any(
            path == each[: len(path)] for each in deeper - {path}
        ):
            continue  # another type of the same member was meant, and its fault is reported
        message = _shape_message(path, errors, values, places)
        if errors[0]["type"] == "union_tag_invalid":  # the table's own member says which form is meant
            path = (*path, errors[0]["ctx"]["discriminator"].strip("'"))
        yield Fault(line=places.line(path), member=member_named(values, path), message=message)
    if len(told) > MOST_FAULTS:
        message = (
            f"There are {len(told):,} faults, of which {MOST_FAULTS:,} are listed. Correct these, then check again."
        )
        yield Fault(line=1, member="", message=message)


def _shape_message(path: Path, errors: Sequence[Any], values: Mapping[str, Any], places: Places) -> str:
    first, name = errors[0], _called(path)
    kind, given = first["type"], _as_written(value_at(values, path))
    table = _table_words(values, path[:-1])
    known = members_at(values, path[:-1])
    if kind == "extra_forbidden":
        return _unknown(path, known, table, places)
    if kind == "missing":
        return f"{table[:1].upper()}{table[1:]} needs {name}."
    if kind in ("literal_error", "union_tag_invalid", "enum"):
        words = first["ctx"].get("expected", first["ctx"].get("expected_tags", ""))
        if kind == "union_tag_invalid":
            name, given = first["ctx"]["discriminator"].strip("'"), _as_written(first["ctx"]["tag"])
        allowed = [word for word in re.findall(r"'([^']*)'", words) if word != NOT_YET] or [words]
        near = get_close_matches(given.strip('"'), allowed, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        return f"{name} is one of {_listed(allowed)}, not {given}.{hint}"
    if kind == "union_tag_not_found":
        own = _table_words(values, path)
        tables = tables_of_runs() if path == ("runs",) else [each.table for each in described_works().values()]
        words = [f'"{word}"' for table in tables for word in tag_of(table) if word != "pairs"]
        name = first["ctx"]["discriminator"].strip("'")
        return f"{own[:1].upper()}{own[1:]} needs {name}: {_listed(words)}."
    if given == "a table" and name in OF_TABLES and "list_type" in [each["type"] for each in errors]:
        heading = ".".join(str(step) for step in path if not isinstance(step, int))
        return f"{name} is a list of tables: write [[{heading}]], with two brackets."
    if isinstance(value_at(values, path), list) and (long := [each for each in errors if each["type"] == "too_long"]):
        most = long[0]["ctx"]["max_length"]
        return f"{name} has more than {most} entries: take some out."
    if name == "grades" and not isinstance(value_at(values, path), list):
        return f'grades is a list of grades, or a scale of numbers such as "1-5", not {given}.'
    if any(each["type"] in BOUNDS for each in errors):
        first = next(each for each in errors if each["type"] in BOUNDS)
        return f"{name} is {_bounds_told(first)}, not {given}."
    if any(each["type"] in KINDS for each in errors):
        wanted = list(dict.fromkeys(KINDS[each["type"]] for each in errors if each["type"] in KINDS))
        if _NUMBER in wanted and _WHOLE in wanted:
            wanted.remove(_WHOLE)
        wanted += [f"“{word}”" for each in errors if each["type"] == "literal_error" for word in _words(each)]
        return f"{name} is {_listed(wanted)}, not {given}{_instead(path, wanted, values)}."
    is_key = first.get("ctx", {}).get("pattern", "").startswith("^[A-Za-z0-9]")
    of_keys = "has letters, digits, “.”, “_” and “-” alone, and begins with a letter or digit"
    if kind == "string_too_short":
        return f"{name} is empty: write something."
    is_blank = not str(value_at(values, path)).strip()
    of_texts = "is blank" if is_blank else "has a sign that nobody sees, or a line break where there is one line"
    said = {
        "string_pattern_mismatch": of_keys if is_key else of_texts,
        "string_too_long": f"has more than {first.get('ctx', {}).get('max_length')} characters"
        + (": it is one key of the keyboard" if name == "press" else ""),
        "too_short": f"needs {first.get('ctx', {}).get('min_length')} or more",
    }  # fmt: skip
    return f"{name} {said.get(kind, str(first['msg']).lower())}, not {given}."


def _instead(path: Path, wanted: Sequence[str], values: Mapping[str, Any]) -> str:
    """Return a hint, to be added to a message, that says what to write instead of a value of the wrong type. Return ""
    if there is none.
    """
    given, model = value_at(values, path), model_at(values, path)
    if isinstance(given, str):
        is_number = re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", given) and {*wanted} & {_WHOLE, _NUMBER}
        if is_number or (given in ("true", "false") and _FLAG in wanted):
            return ": take the quotes away"
    elif not isinstance(given, dict | list) and [*wanted] == [_TEXT]:
        return f': write "{_as_written(given)}"'
    if isinstance(given, str) and [*wanted] == [_LIST]:
        return f": write [{_as_written(given)}]"
    if [*wanted] == [_TABLE] and model is not None:
        needed = [each.alias or name for name, each in model.model_fields.items() if each.is_required()]
        return f": write {{ {', '.join(f'{name} = …' for name in needed)} }}" if needed else ""
    return ""


def _called(path: Path) -> str:
    """Return the name of the member at a path. For an entry of a list, return words such as "entry 2 of stages"."""
    if len(path) > 1 and isinstance(path[-1], int):
        return f"entry {path[-1] + 1} of {path[-2]}"
    return str(path[-1]) if path else ""


def _bounds_told(error: Any) -> str:
    """Return words for the bound that a number violates, such as "at most 5"."""
    value = error["input"]
    if isinstance(value, float) and not isfinite(value):
        return "a number that can be counted with"
    bound = error["ctx"]["ge" if error["type"] == "greater_than_equal" else "le"]
    return f"{'at least' if error['type'] == 'greater_than_equal' else 'at most'} {bound:,.10g}"


def _unknown(path: Path, known: Sequence[str], table: str, places: Places) -> str:
    """Return a message about an unknown member. It says in which table the member belongs or, if it is unknown
    everywhere, which members ``table`` has and which of them is most similar.
    """
    name = str(path[-1])
    if (
        path[:1] == ("stages",)
        and "questions" in path[:-1]
        and any(name in member_names(said.table) for said in described_works().values())
    ):
        heading = places.line(path[: path.index("questions") + 2])
        return f"“{name}” belongs to a stage, and here it lands in a question: move it above line {heading}."
    if path[:1] == ("stages",) and len(path) == 3:
        inside = ["a question: write it under [[stages.questions]]"] if name in member_names(shape.Question) else []
        tables = [f"[stages.{each}]" for each, model in TABLES_OF_STAGE.items() if name in member_names(model)]
        if inside or tables:
            return f"“{name}” belongs to {'; or to '.join([*inside, *tables])}."
    if len(path) == 2 and path[0] != "stages" and name in OF_TOP:
        return f"“{name}” belongs to the design itself: move it to its top, above every [table]."
    if path[:1] == ("stages",) and name in member_names(Design):
        return f"“{name}” belongs to the design: move it above the first [[stages]]."
    if len(path) == 1 and name in TABLES_OF_STAGE:
        return f"“{name}” belongs to a stage: write [stages.{name}] after the [[stages]] that it is of."
    if len(path) == 1 and any(name in member_names(said.table) for said in described_works().values()):
        return f"“{name}” belongs to a stage: write it under [[stages]]."
    near = get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"“{name}” is no member of {table}.{hint} There are: {', '.join(known)}."


def _table_words(values: Mapping[str, Any], path: Path) -> str:
    """Return a table in words: "the design", "[pool]", "the stage passages", "grade yes of the question misleading"."""
    if not path:
        return "the design"
    *outer, last = path
    if isinstance(last, int):
        named = _name_of(value_at(values, path))
        what = {"stages": "stage", "questions": "question", "grades": "grade", "changes": "change"}.get(str(outer[-1]))
        what = what or f"entry of {outer[-1]}"
        return f"the {what} {named}" if named else f"{what} {last + 1}"
    return f"[{'.'.join(str(step) for step in path if not isinstance(step, int))}]"


NOT_YET = "markdown"
"""A value that the schema has and no design may have yet."""


def _words(error: Any) -> list[str]:
    return re.findall(r"'([^']*)'", error["ctx"]["expected"])


def _listed(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def _as_written(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value[:40], ensure_ascii=False)
    if isinstance(value, bool):
        return str(value).lower()
    return "a table" if isinstance(value, dict) else "a list" if isinstance(value, list) else str(value)[:40]
