"""Read the values of a design's form fields from its text, and turn field values into members."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from assess.base.track_settings import noop
from assess.protocol.designs import DesignField
from tracks.designs.editing import entry_at
from tracks.designs.form_tables import DECIMAL, FLAGS, FORMS, INSTEAD, LISTS, NUMBER, NUMBERS, ONLY, RANKED, Values
from tracks.designs.judged_items import KINDS
from tracks.designs.places import Path
from tracks.designs.question_rules import grades_of
from tracks.designs.shape import Question

FIRST, NONE = noop("the one named first"), noop("no stage")
"""What stands first among names of the design: the one that is named first, or no stage at all."""


def fields_of(path: Path, table: Values, values: Values) -> list[DesignField]:
    """Return the fields of a table's form with their values. Fields that have no effect in this table are left out."""
    found = [
        _filled(each, _typed_back(each.name, table), values)
        for each in FORMS[form_at(path)]
        if _fits(path, each, table, values)
    ]
    return [*found, *_conditions(path, table, values)]


def row_fields(path: Path, entry: Any, values: Values) -> list[DesignField]:
    """Return the fields for an entry of the list at a path. A measure may be given by its name alone."""
    table = entry if isinstance(entry, dict) else {"measure": entry}
    return [_filled(each, _typed_back(each.name, table), values) for each in FORMS[form_at(path)]]


def form_at(path: Path) -> str:
    """Return the name of the form for a table or a list's entry."""
    return next((str(step) for step in reversed(path) if not isinstance(step, int)), "")


def _fits(path: Path, field: DesignField, table: Values, values: Values) -> bool:
    """Return whether a field has an effect in this table. If the field already has a value that can be typed into it,
    the answer is always yes.
    """
    form, name = form_at(path), field.name
    if said := _typed_back(name, table):
        found = table.get(name)
        typed_list = [str(each) for each in found] if isinstance(found, list) and name in LISTS else found
        return not isinstance(found, list) or typed_value(name, said) == typed_list
    if name in RANKED.get(form, ()) and form_of_runs(values) != "ranked":
        return False
    if name == "ends":
        return isinstance(table.get("grades"), str)
    if form == "questions" and name in INSTEAD:
        present, wanted = INSTEAD[name]
        if bool(table.get(present)) is not wanted:
            return False
    member, usual, only = ONLY.get(form, ("", "", {}))
    return name not in only or table.get(member, usual) in only[name]


def _filled(field: DesignField, value: str, values: Values) -> DesignField:
    choices = field.choices
    named = field.name in ("question", "official", "after", "from")
    if field.name == "question":
        choices = [("", FIRST), *((key, key) for key in _graded(values))]
    if field.name == "official":
        choices = [("", FIRST), *((each, each) for each in _measures(values))]
    if field.name in ("after", "from"):
        keys = [str(each.get("key")) for each in tables_in(values, "stages")]
        choices = [("", NONE), *((key, key) for key in keys)]
    if field.name == "item":
        known = KINDS.get(form_of_runs(values), KINDS["ranked"])
        choices = [(each, each) for each in known]
    if field.kind == "choice":
        value = value or choices[0][0]
        if value not in dict(choices):
            choices = [*choices, (value, value)]
    return replace(field, value=value, choices=choices, named=named)


def _typed_back(name: str, table: Values) -> str:
    """Return a member's value as the text that a person would type into its field."""
    people, unsure = table.get("people"), table.get("unsure")
    if name in ("people", "share"):
        said = people if isinstance(people, dict) else {"each": people}
        found = said.get("each" if name == "people" else "share")
    elif name.startswith("unsure_"):
        found = unsure.get(name.removeprefix("unsure_")) if isinstance(unsure, dict) else None
    elif name == "scale":
        found = table.get("grades") if isinstance(table.get("grades"), str) else None
    elif "." in name:
        outer, inner = name.split(".")
        found = table[outer].get(inner) if isinstance(table.get(outer), dict) else None
    else:
        found = table.get(name)
    if name == "gains" and isinstance(found, dict):
        return "\n".join(f"{grade} = {gain}" for grade, gain in found.items())
    if name == "scales" and isinstance(found, list):
        return "\n".join(", ".join(map(str, each)) if isinstance(each, list) else str(each) for each in found)
    if isinstance(found, list):
        return ", ".join(map(str, found))
    if isinstance(found, bool):
        return str(found).lower()
    return "" if found is None else str(found)


def form_of_runs(values: Values) -> str:
    """Return the form of runs that the design gives, or the default form."""
    runs = values.get("runs")
    return str(runs.get("form", "ranked")) if isinstance(runs, dict) else "ranked"


def tables_in(values: Values, name: str) -> list[dict[str, Any]]:
    """Return the tables in a list, or an empty list if the member is not a list."""
    found = values.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _graded(values: Values) -> list[str]:
    questions = [each for stage in tables_in(values, "stages") for each in tables_in(stage, "questions")]
    return [str(q.get("key")) for q in questions if q.get("answer", "grade") == "grade"]


def _measures(values: Values) -> list[str]:
    """Return the names of the measures."""
    scores = values.get("scores")
    lines = scores.get("measures") if isinstance(scores, dict) else None
    entries = lines if isinstance(lines, list) else []
    tables = [each if isinstance(each, dict) else {"measure": each} for each in entries]
    return [str(each.get("label") or each.get("measure")) for each in tables]


# ---------------------------------------------------------------- conditions


def _conditions(path: Path, table: Values, values: Values) -> Iterator[DesignField]:
    """Yield a field for each earlier question of the same stage. In it people choose the answers to that question after
    which this one is asked.
    """
    if form_at(path) != "questions" or isinstance(table.get("asked_if"), list):
        return
    said = table.get("asked_if") or {}
    for question in _before(path, values):
        key, names = str(question.get("key")), _names(question)
        wanted = said.get(key, []) if isinstance(said, dict) else []
        wanted = [names.get(str(each), str(each)) for each in (wanted if isinstance(wanted, list) else [wanted])]
        choices = list(dict.fromkeys(names.values()))
        yield DesignField(
            name=f"if_{key}",
            label=noop("Asked only if one of these is the answer to"),
            about=str(question.get("ask", key))[:60],
            kind="several",
            value="\n".join(each for each in choices if each in wanted),
            choices=[(each, each) for each in choices],
            help=noop("None: it is asked whatever was answered.") if len(choices) > 1 else "",
        )


def _before(path: Path, values: Values) -> list[Values]:
    stage = values["stages"][path[1]]
    return [each for each in stage["questions"][: path[-1]] if isinstance(each, dict) and _names(each)]


def _names(question: Values) -> dict[str, str]:
    """Return text -> name, for the grades of a question. A grade is found by its value as a text, and also by
    its name.
    """
    if question.get("answer", "grade") != "grade":
        return {}
    grades = question.get("grades")
    ends = question.get("ends")
    if isinstance(grades, str):
        listed = [(each.value, each.name) for each in _scale(grades, ends)]
    else:
        entries = grades if isinstance(grades, list) else []
        listed = [(each.get("value"), str(each.get("name"))) for each in entries if isinstance(each, dict)]
    return {str(value): name for value, name in listed} | {name: name for _, name in listed}


def _scale(grades: str, ends: Any) -> list[Any]:
    if not re.fullmatch(r"-?[0-9]{1,4}-[0-9]{1,4}", grades):
        return []
    both = ends if isinstance(ends, list) and len(ends) == 2 and all(isinstance(each, str) for each in ends) else None
    return grades_of(Question.model_construct(grades=grades, ends=both))


def listed(values: Values, path: Path) -> list[dict[str, Any]]:
    """Return the grades of the scale of numbers at a path, each with its value, its name and, if it has one, its
    key.
    """
    table: Any = values
    for step in path[:-1]:
        table = table[step]
    found = _scale(table["grades"], table.get("ends"))
    return [{"value": each.value, **({"press": each.press} if each.press else {}), "name": each.name} for each in found]


# ---------------------------------------------------------------- what is written


def members_of(
    path: Path, changed: Mapping[str, str], said: Mapping[str, str], values: dict[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Yield (member, new value) for each member of a table that a form changes; None removes the member.

    ``changed`` holds the fields that the person changed, ``said`` all fields, and ``values`` is the whole design.
    """
    for name, value in changed.items():
        if name in ("people", "share", "scale") or name.startswith(("unsure_", "if_")) or "." in name:
            continue
        yield name, typed_value(name, value)
    for outer in dict.fromkeys(name.partition(".")[0] for name in changed if "." in name):
        present = entry_at(values, (*path, outer))
        written = {
            name.partition(".")[2]: typed_value(name, value)
            for name, value in changed.items()
            if name.startswith(f"{outer}.")
        }
        inside = {**(present if isinstance(present, dict) else {}), **written}
        yield outer, {name: value for name, value in inside.items() if value is not None} or None
    if {"people", "share"} & set(changed):
        people, share = (typed_value("value", said.get(name, "")) for name in ("people", "share"))
        plain = share in (None, 1) or people == "any"
        yield "people", people if plain else {"each": 1 if people is None else people, "share": share}
    if changed.get("scale"):
        yield "grades", changed["scale"]
    if any(name.startswith("unsure_") for name in changed):
        press, called = said.get("unsure_press", ""), said.get("unsure_name", "")
        yield "unsure", {"press": press, **({"name": called} if called else {})} if press else None
    if any(name.startswith("if_") for name in changed):
        chosen = {
            name.removeprefix("if_"): value.split("\n")
            for name, value in said.items()
            if name.startswith("if_") and value
        }
        yield "asked_if", chosen or None


def typed_value(name: str, value: str) -> Any:
    """Return what a person typed into a field as a value of its member, or None for nothing. A number that can't be
    read stays the text that was typed, so that the check of the design reports it.

    >>> typed_value("depth", "20"), typed_value("gain", "0.5"), typed_value("shown", "title, date")
    (20, 0.5, ['title', 'date'])
    >>> typed_value("help", "")
    """
    if name == "scales":
        return [typed_value("ends", line) or [] for line in value.split("\n") if line.strip()] or None
    if name in LISTS:
        return [each.strip() for each in value.split(",") if each.strip()] or None
    if not value:
        return None
    if name in FLAGS:
        return value == "true"
    if name == "gains":
        lines = [each.rpartition("=") for each in value.split("\n") if each.strip()]
        typed_gains = [(grade.strip() or gain.strip(), gain.strip() if grade else "") for grade, _, gain in lines]
        return {grade: typed_value("gain", gain) if gain else "" for grade, gain in typed_gains}
    if name in NUMBERS and NUMBER.fullmatch(value):
        return int(value)
    if name in NUMBERS and DECIMAL.fullmatch(value):
        return float(value)
    return value


def new_entry(path: Path, written: dict[str, Any], values: Values) -> Any:
    """Return a new grade or measure for a list. If the grade is given without a value, its value is one more than the
    highest.
    """
    table: Any = values
    for step in path[:-1]:
        table = table.get(step, {}) if isinstance(table, dict) else table[step]
    defaults = {each.name: each.choices[0][0] for each in FORMS[form_at(path)] if each.choices}
    entry = {name: value for name, value in written.items() if value != defaults.get(name, object())}
    if form_at(path) == "measures":
        return entry["measure"] if list(entry) == ["measure"] else entry
    others = [each.get("value") for each in table or [] if isinstance(each, dict)]
    numbers = [each for each in others if isinstance(each, int)]
    return {"value": max(numbers, default=-1) + 1, **entry}
