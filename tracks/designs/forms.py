"""A design as forms: one for each of its tables, with a field for each member, and edits written back into the text.

Only members whose fields were changed are written, so a default never gets into a file by itself, and what no form
shows is never touched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from assess.base.track_settings import noop
from assess.protocol.designs import DesignPart, DesignRow
from tracks.designs import form_fields as ff
from tracks.designs.editing import entry_at, moved_up, parsed, with_entry, with_member, without_entry
from tracks.designs.form_tables import MEMBERS
from tracks.designs.places import Path, Places
from tracks.designs.reading import BadDesign

Values = dict[str, Any]
OFFICIAL: Path = ("scores", "official")
CHECKS = "checks"
"""The last part of the key of a stage's second form, on how its work is handed out and checked."""


def parts_of(text: str) -> list[DesignPart]:
    """Return the forms for the tables of a design's text, in the order in which people read them. Return [] if the text
    is not TOML.
    """
    try:
        values, places = parsed(text)
    except BadDesign:
        return []
    return [replace(part, made_from=_digest(part), lines=_lines(text, places, part)) for part in _parts(values, places)]


def edited(text: str, *, verb: str, key: str, values: Mapping[str, str], made_from: str) -> str:
    """Return the text after writing a form ("write"), moving an entry up ("up"), or removing it ("remove").

    The verb "list" replaces a scale by a list of its grades. Raises BadDesign if the text has no such form or entry, or
    if the form was ``made_from`` another text. If the official measure is renamed or removed, `official` is changed as
    well.
    """
    return _official_followed(text, _written(text, verb=verb, key=key, values=values, made_from=made_from))


def _written(text: str, *, verb: str, key: str, values: Mapping[str, str], made_from: str) -> str:
    path = path_of(key)
    if verb != "write":
        return _changed_entry(text, verb, path)
    part = next((each for each in parts_of(text) if each.key == key), None)
    if part is None:
        raise BadDesign("The text has no such form any more.")
    if part.made_from != made_from:
        raise BadDesign(
            f"The text of “{part.heading}” was changed after the form was made: look at the form again, and write it."
        )
    said = {each.name: values.get(each.name, each.value).replace("\r\n", "\n").strip() for each in part.fields}
    changed = {each.name: said[each.name] for each in part.fields if said[each.name] != each.value.strip()}
    table = path[:-1] if path[-1:] == (CHECKS,) else path
    for member, value in ff.members_of(table, changed, said, parsed(text)[0]):
        text = with_member(text, (*table, member), value, MEMBERS.get(ff.form_at(path), ()))
    for row in part.rows:
        text = _with_row(text, row, values)
    return text


def _official_followed(before: str, after: str) -> str:
    """Return the text with another official measure, if the form removed the official one from `measures`.

    The new official measure is the one that is now at the same place in the list. If there is none, it is the first.
    """
    official = entry_at(parsed(before)[0], OFFICIAL)
    known, now = _measure_names(before), _measure_names(after)
    same = official is not None and entry_at(parsed(after)[0], OFFICIAL) == official
    if not same or official not in known or official in now or not now:
        return after
    return with_member(after, OFFICIAL, now[known.index(official)] if len(now) == len(known) else now[0])


def _measure_names(text: str) -> list[str]:
    found = entry_at(parsed(text)[0], ("scores", "measures"))
    entries = found if isinstance(found, list) else []
    return [
        str(each.get("label") or each.get("measure") or "") if isinstance(each, dict) else str(each) for each in entries
    ]


def _with_row(text: str, row: DesignRow, values: Mapping[str, str]) -> str:
    said = {each.name: values.get(f"{row.key}:{each.name}", each.value).strip() for each in row.fields}
    changed = {each.name: said[each.name] for each in row.fields if said[each.name] != each.value.strip()}
    path = path_of(row.key)
    if not changed:
        return text
    written = {name: ff.typed_value(name, said[name]) for name in (said if row.is_new else changed)}
    if row.is_new:
        entry = ff.new_entry(
            path, {name: value for name, value in written.items() if value is not None}, parsed(text)[0]
        )
        return with_entry(text, path[:-1], entry)
    present = entry_at(parsed(text)[0], path)
    if not isinstance(present, dict):  # a measure that is its name alone
        whole = {name: value for name, value in {"measure": present, **written}.items() if value is not None}
        return with_member(text, path, whole["measure"] if list(whole) == ["measure"] else whole)
    for member, value in written.items():
        text = with_member(text, (*path, member), value)
    return text


def _changed_entry(text: str, verb: str, path: Path) -> str:
    values, _ = parsed(text)
    found = entry_at(values, path)
    if verb == "list" and path[-1:] == ("grades",) and isinstance(found, str):
        if not (grades := ff.listed(values, path)):
            raise BadDesign("The scale can't be read: write two numbers with a hyphen between them, such as 1-5.")
        return with_member(text, path, grades)
    if found is None or not path or not isinstance(path[-1], int):
        raise BadDesign("The text has no such entry any more.")
    if verb == "remove":
        return without_entry(text, path)
    if verb == "up":
        return moved_up(text, path)
    raise BadDesign("A form is written, and what it names moved up or taken out.")


def path_of(key: str) -> Path:
    """Return the path for a key such as "stages.0.questions.1", in which whole numbers are places in lists."""
    return tuple(int(step) if step.isdecimal() and len(step) < 6 else step for step in key.split(".") if step)


# ---------------------------------------------------------------- the forms of a text


def _parts(values: Values, places: Places) -> Iterator[DesignPart]:
    yield DesignPart(key="", what=noop("The evaluation"), fields=ff.fields_of((), values, values))
    for name, what in (
        ("topics", noop("Topics")),
        ("documents", noop("Documents")),
        ("runs", noop("Runs")),
        ("pool", noop("Pool")),
    ):
        table = values.get(name, {})
        if isinstance(table, dict) and (name != "pool" or name in values or ff.form_of_runs(values) == "ranked"):
            yield DesignPart(key=name, what=what, fields=ff.fields_of((name,), table, values))
    for place, stage in enumerate(ff.tables_in(values, "stages")):
        path: Path = ("stages", place)
        name = str(stage.get("label") or stage.get("key") or place + 1)
        yield DesignPart(key=_key(path), what=noop("Stage"), name=name, fields=ff.fields_of(path, stage, values))
        yield DesignPart(
            key=_key((*path, CHECKS)),
            what=noop("Handed out and checked"),
            name=name,
            fields=ff.fields_of((*path, CHECKS), stage, values),
        )
        if path not in places.headings:
            continue
        questions = ff.tables_in(stage, "questions")
        for number, question in enumerate(questions):
            yield from _question((*path, "questions", number), question, values, places, len(questions))
    scores = values.get("scores", {})
    if isinstance(scores, dict):
        yield DesignPart(
            key="scores", what=noop("Scores"), fields=ff.fields_of(("scores",), scores, values),
            rows=_rows(("scores", "measures"), scores.get("measures"), values), row_word=noop("measure"),
        )  # fmt: skip
    if isinstance(said := values.get("guidelines", {}), dict):
        yield DesignPart(key="guidelines", what=noop("Guidelines"), fields=ff.fields_of(("guidelines",), said, values))


def _question(path: Path, question: Values, values: Values, places: Places, count: int) -> Iterator[DesignPart]:
    if path not in places.headings:
        return
    grades = question.get("grades")
    listed = (
        not isinstance(grades, str)
        and not question.get("scales")
        and question.get("answer", "grade") in ("grade", "several", "rank")
    )
    several = isinstance(question.get("asked_if"), list)
    named = [(noop("Name its grades one by one"), f"list {_key((*path, 'grades'))}")] if isinstance(grades, str) else []
    yield DesignPart(
        key=_key(path),
        what=noop("Question"),
        name=str(question.get("ask") or question.get("key") or "")[:80],
        fields=ff.fields_of(path, question, values),
        rows=_rows((*path, "grades"), grades, values) if listed else (),
        row_word=noop("grade"),
        buttons=[*_buttons(path, count, OF_QUESTION), *named],
        note=noop("It is asked under several conditions, which are changed in the text.") if several else "",
    )


def _rows(path: Path, entries: Any, values: Values) -> list[DesignRow]:
    found = entries if isinstance(entries, list) else []
    rows = [
        DesignRow(
            key=_key((*path, place)),
            heading=_row_name(entry),
            fields=ff.row_fields(path, entry, values),
            buttons=_buttons((*path, place), len(found)),
        )
        for place, entry in enumerate(found)
        if isinstance(entry, dict | str)
    ]
    key = _key((*path, len(found)))
    return [*rows, DesignRow(key=key, heading="", fields=ff.row_fields(path, {}, values), is_new=True)]


OF_ENTRY = (noop("Move up"), noop("Move down"), noop("Remove"))
OF_QUESTION = (noop("Move the question up"), noop("Move the question down"), noop("Remove the question"))
"""What the buttons of an entry say, and those of a question."""


def _buttons(path: Path, count: int, labels: tuple[str, str, str] = OF_ENTRY) -> list[tuple[str, str]]:
    """Return the buttons for an entry of a list with ``count`` entries. The button that moves an entry down really
    moves the next entry up.
    """
    *outer, place = path
    up, down, remove = labels
    return [
        *([(up, f"up {_key(path)}")] if place else []),
        *([(down, f"up {_key((*outer, int(place) + 1))}")] if int(place) + 1 < count else []),
        (remove, f"remove {_key(path)}"),
    ]


def _row_name(entry: Any) -> str:
    if isinstance(entry, str):
        return entry
    return str(entry.get("label") or entry.get("name") or entry.get("measure") or entry.get("value", ""))


def _key(path: Path) -> str:
    return ".".join(map(str, path))


def _digest(part: DesignPart) -> str:
    said = [[each.name, each.value] for each in part.fields]
    said += [[row.key, each.name, each.value] for row in part.rows for each in row.fields]
    return sha256(repr(said).encode()).hexdigest()[:16]


def _lines(text: str, places: Places, part: DesignPart) -> tuple[int, int]:
    """Return the first and the last line of a part's table, or (0, 0) if the table is missing."""
    path = path_of(part.key)
    if path and path not in places.headings:
        return 0, 0
    begin = places.headings[path] if path else 1
    end = min((line for line in places.headings.values() if line > begin), default=text.count("\n") + 2)
    if path in places.headings and path[:1] == ("stages",) and "questions" in path:
        inside = [line for other, line in places.headings.items() if other[: len(path)] == path]
        after = [line for line in places.headings.values() if line > max(inside)]
        end = min(after, default=text.count("\n") + 2)
    return begin, end - 1
