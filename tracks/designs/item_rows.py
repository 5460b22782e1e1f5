r"""Tables of items that no run returned, as files of a design: CSV with a header, or JSON lines.

    claim,source,system                               [runs] form = "items", text = "claim", shown = ["source"]
    "Tea has caffeine.","A label",alpha
    {"claim": "Tea has caffeine.", "source": "A label", "system": "alpha"}

A row's key is made from its text, what is shown beside it, and its docno, so that equal rows of several systems are
judged once. A column assigns rows to topics; without one, each batch of rows is a topic. Only `systems_of` reads the
columns that name systems; no topic or item holds these names.

Codes besides those of `scoring.formats.separated` and `scoring.reading.json_reading`: fields (not an object, or a
member is missing), empty-text, type, systems, weight, nul-byte, no-topic,
topic-numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO
from unicodedata import normalize

from assess.protocol import BundledRun, CheckContext, ItemRecord, RunForm, SegmentRecord, TopicRecord
from scoring.folding import answer_key
from scoring.formats.nugget_banks import own_weight
from scoring.formats.separated import read_table
from scoring.formats.spec import real
from scoring.reading.json_values import json_values
from scoring.reading.opening import CannotOpen, copied, excerpt_of, open_input
from scoring.reading.unpacking import damage_errors, damage_issue
from scoring.records import DocumentRecord, Issue, Severity
from tracks.designs.judged_items import ITEM, OWN
from tracks.designs.run_tables import ItemRuns

TASK = "items"
SYSTEM = "system"
"""The member of a run's rows that names the run."""
EVERYTHING = "items"
"""The tag of the one run of all rows, if no column names systems."""

NUMBER_LIMIT, ROW_LIMIT, TAG_LIMIT = 50, 1 << 20, 50


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A row of a file: the line at which it ends, its values by column, and the systems that it names."""

    line: int
    values: Mapping[str, str]
    systems: frozenset[str]

    def docno(self, runs: ItemRuns) -> str:
        """Return the docno of the document that belongs to the row. It is in the row's column for docnos, or is made
        from the row's source text.
        """
        if runs.source:
            text = self.values[runs.source]
            return f"source-{answer_key(text, '')[:16]}" if text.strip() else ""
        return self.values.get(runs.document, "").strip()

    def item(self, runs: ItemRuns) -> dict[str, Any]:
        """Return the row as it is stored, with its key. Columns that name systems are left out."""
        text, docno = self.values[text_of(runs)], self.docno(runs)
        shown = [[name, self.values[name]] for name in runs.shown if name != text_of(runs)]
        own = {member: self.values[getattr(runs, member)].strip() for member in OWN if getattr(runs, member)}
        known = "\0".join((text, *(value for _, value in shown), *own.values()))
        return {"key": answer_key(known, docno), "text": text, "shown": shown, "docno": docno, **own}


def text_of(runs: ItemRuns) -> str:
    """Return the name of the column that is judged."""
    return runs.text if isinstance(runs.text, str) else runs.text[0]


def columns_of(runs: ItemRuns) -> list[str]:
    """Return the columns that are read from a file of items, except those that name systems."""
    named = [text_of(runs), *runs.shown, runs.topic, runs.document, runs.source, *(getattr(runs, each) for each in OWN)]
    return list(dict.fromkeys(name for name in named if name))


def read_rows(runs: ItemRuns, file: BinaryIO, further: Sequence[str] = ()) -> Iterator[Row | Issue]:
    """Yield the rows in file order, and an issue in place of each row that can't be used. The file must be seekable.
    The columns in ``further`` are required as well.
    """
    wanted = [*columns_of(runs), *further]
    start = file.read(64)
    file.seek(0)
    is_json = start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")
    for row in _json_rows(file, wanted, runs.systems) if is_json else _table_rows(file, wanted, runs.systems):
        if isinstance(row, Row) and (odd := next((name for name in wanted if "\0" in row.values[name]), "")):
            message = f"“{odd}” holds a NUL. Take it out; the file may be damaged."
            yield Issue(where=row.line, code="nul-byte", message=message)
        elif isinstance(row, Row) and not row.values[text_of(runs)].strip():
            message = f"“{text_of(runs)}” is empty here, so there is nothing to judge. Fill it in, or take the row out."
            yield Issue(where=row.line, code="empty-text", message=message)
        else:
            yield row


def _table_rows(file: BinaryIO, wanted: Sequence[str], systems: Sequence[str]) -> Iterator[Row | Issue]:
    names: list[str] = []
    for row in read_table(file, form="", header="yes", wanted=wanted):
        if isinstance(row, Issue):
            yield row
        elif not names:
            names = row[1]
        elif any(cell.strip() for cell in row[1]):  # a spreadsheet may end with rows of separators alone
            values = dict(zip(names, row[1], strict=True))
            yield Row(line=row[0], values=values, systems=_systems_in(values, systems))


def _json_rows(file: BinaryIO, wanted: Sequence[str], systems: Sequence[str]) -> Iterator[Row | Issue]:
    for each in json_values(file, limit=ROW_LIMIT):
        if isinstance(each, Issue):
            yield each
            continue
        line, value = each
        if not isinstance(value, dict) or (missing := [name for name in wanted if name not in value]):
            lacks = f"has no “{'”, “'.join(missing)}”" if isinstance(value, dict) else "is no object"
            message = f"The line {lacks}. Each line is an object with {', '.join(wanted)}."
            yield Issue(where=line, code="fields", message=message, excerpt=excerpt_of(str(value)))
        elif odd := [name for name in wanted if not _is_plain(value[name])]:
            yield Issue(where=line, code="type", message=f"“{odd[0]}” must be a text or a number.")
        else:
            values = {name: _text(value[name]) for name in wanted}
            yield Row(line=line, values=values, systems=_systems_in(value, (*systems, *({SYSTEM} - {*wanted}))))


def _systems_in(values: Mapping[str, object], columns: Sequence[str]) -> frozenset[str]:
    return frozenset(name for column in columns if (name := _one_form(str(values.get(column) or ""))))


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float | None) and not isinstance(value, bool)


def _text(value: str | int | float | None) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


# ---------------------------------------------------------------- topics


def read_topics(runs: ItemRuns, file: BinaryIO) -> Iterator[TopicRecord | Issue]:
    """Yield the topics of a file of items, each with its distinct rows. The file is held in memory.

    If all names in the topic column contain a digit and no blank, they serve as the topics' numbers. Otherwise topics
    are numbered from 1; if some names could have been numbers, an issue says so. Names that differ only in Unicode
    composition are one. Without a topic column, every ``batch`` distinct rows are a topic.
    """
    topics: dict[str, dict[str, dict[str, Any]]] = {}
    lines: dict[str, int] = {}
    rows: set[str] = set()
    weights: dict[tuple[str, str], Fraction] = {}
    for row in read_rows(runs, file):
        if isinstance(row, Issue):
            yield row
            continue
        item = row.item(runs)
        name = _one_form(row.values[runs.topic]) if runs.topic else str(len(rows) // runs.batch + 1)
        if not runs.topic and item["key"] in rows:
            continue
        if not name:
            message = f"“{runs.topic}” is empty here: say to which topic the row belongs, or take the row out."
            yield Issue(where=row.line, code="no-topic", message=message)
            continue
        if runs.weight and (problem := _weight_problem(item, name, weights)):
            yield Issue(where=row.line, code="weight", message=problem)
            continue
        rows.add(item["key"])
        lines.setdefault(name, row.line)
        topics.setdefault(name, {}).setdefault(item["key"], item)
    numbers = [name for name in topics if re.fullmatch(rf"(?=\S*[0-9])\S{{1,{NUMBER_LIMIT}}}", name)]
    are_numbers = len(numbers) == len(topics)
    if numbers and not are_numbers:
        words = excerpt_of(next(each for each in topics if each not in numbers), length=40)
        whole = [each for each in numbers if each.isdecimal()]  # 2 may name the topic called so, or the second one
        name = [*whole, *numbers][0]
        message = f"“{name}” can't be this topic's number, as “{words}” is none: all topics are numbered from 1. Write "
        message += "numbers for all of them, or names with letters."
        severity: Severity = "error" if whole else "warning"
        yield Issue(where=lines[name], code="topic-numbers", message=message, severity=severity)
    done = 0
    for place, (name, items) in enumerate(topics.items(), 1):
        text = f"{len(items)} to judge" if are_numbers else name
        yield TopicRecord(
            number=name if are_numbers else str(place),
            task=TASK,
            text=text if runs.topic else f"{done + 1} to {done + len(items)}",
            ordinal=place,
            fields={"items": list(items.values())},
            line=lines[name],
        )
        done += len(items)


def _one_form(name: str) -> str:
    """Return a name without blanks around it, its letters composed (NFC)."""
    return normalize("NFC", name.strip())


def group_of(item: Mapping[str, Any]) -> str:
    """Return the question that a row is about. A row that names no question has a question of its own."""
    return str(item.get("group") or item["key"])


def weight_of(item: Mapping[str, Any]) -> Fraction | None:
    """Return the weight of a row's question: a number, or a level such as “A: Have to Know” (A 4, B 2, C 1).

    Return None if the column holds neither of these, and 1 if there is no such column.

    >>> [str(weight_of({"weight": each})) for each in ("A: Have to Know", "2.5", "vital", "-1")], str(weight_of({}))
    (['4', '5/2', 'None', '-1'], '1')
    """
    if "weight" not in item:
        return Fraction(1)
    number = real(item["weight"])
    return own_weight({"importance": item["weight"]}) if number is None else Fraction(str(number))


def _weight_problem(item: Mapping[str, Any], topic: str, weights: dict[tuple[str, str], Fraction]) -> str:
    """Return what is wrong with the weight of a row's question, or "". ``weights`` holds the weights in earlier rows by
    question, and the weight of this row is added to it.
    """
    weight = weight_of(item)
    if weight is None:
        shown = excerpt_of(item["weight"], length=40)
        return f"The weight is “{shown}”. Write a number, or a level: “A: Have to Know”, B or C."
    if weights.setdefault((topic, group_of(item)), weight) != weight:
        return f"{excerpt_of(group_of(item), length=40)} has another weight in a row before. Give it one weight."
    return ""


def given_items(topic: TopicRecord, settings: Any) -> Iterator[ItemRecord]:
    """Yield the items that came with the topic in its file and are to be judged."""
    del settings
    for each in topic.fields.get("items", ()):
        yield ItemRecord(
            topic=topic.number,
            kind=ITEM,
            key=each["key"],
            text=each["text"],
            docno=each["docno"],
            fields=_beside(each),
        )


def _beside(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members shown beside an item: the name and content of each column that is not empty in its row."""
    parts = [{"text": f"{name}: {value}"} for name, value in item["shown"] if value.strip()]
    return {"parts": [{"text": item["text"]}, *parts]} if parts else {}


def sources_in(runs: ItemRuns, path: Path) -> Iterator[DocumentRecord | Issue] | None:
    """Return the documents that the rows of a file contain, each document once. Return None if the first row of the
    file is not a row of items. Raises CannotOpen if the file can't be opened.
    """
    with open_input(path) as file, copied(file) as copy:
        first = next(iter(read_rows(runs, copy)), None)
    return _sources(runs, path) if isinstance(first, Row) else None


def _sources(runs: ItemRuns, path: Path) -> Iterator[DocumentRecord | Issue]:
    seen: set[str] = {""}
    for row in _rows_of_path(runs, path, ()):
        if isinstance(row, Row) and (docno := row.docno(runs)) not in seen:
            seen.add(docno)
            raw = row.values[runs.source].encode()
            yield DocumentRecord(docno=docno, media_type="text/plain", charset="utf-8", raw=raw, line=row.line)


# ---------------------------------------------------------------- systems


def systems_of(runs: ItemRuns, paths: Sequence[Path]) -> Iterator[BundledRun | Issue]:
    """Yield one run for each system that a file of items names, and an issue for each row that can't be used. If no
    column names systems, yield one run with all rows.

    A run's tag is the system's name with anything except letters, digits, ".", "_" and "-" replaced by "-". If two
    systems of a file would have the same tag, yield an issue and no more runs. Each file has its own runs.
    """
    for path in paths:
        names: dict[str, str] = {}
        rows: dict[str, list[Row]] = {}
        for row in _rows_of_path(runs, path, runs.systems):
            if isinstance(row, Issue):
                yield row
                continue
            for name in [_one_form(row.values[column]) for column in runs.systems] or [EVERYTHING]:
                tag = _tag(name)
                if name and not tag:
                    message = f"No run can be called “{name[:60]}”: write it with letters a to z or digits."
                    yield Issue(where=f"{path.name}:{row.line}", code="systems", message=message)
                if tag:
                    names.setdefault(tag, name)
                    rows.setdefault(tag, []).append(row)
                if tag and names[tag] != name:
                    message = f"Two systems would both be called {tag}: {names[tag][:60]} and {name[:60]}. Rename one."
                    yield Issue(where=f"{path.name}:{row.line}", code="systems", message=message)
                    return
        for tag in sorted(rows):
            form = RunForm(tag=tag, team=names[tag][:50])
            yield BundledRun(form=form, file_name=f"{tag}.jsonl", content=_run_file(runs, rows[tag], tag))


def _rows_of_path(runs: ItemRuns, path: Path, further: Sequence[str]) -> Iterator[Row | Issue]:
    try:
        with open_input(path) as stream, copied(stream) as file:
            yield from read_rows(runs, file, further)
    except CannotOpen as error:
        yield Issue(where=path.name, code="cannot-open", message=f"{error}")
    except damage_errors() as error:
        yield damage_issue(error)


def _tag(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-")[:TAG_LIMIT]


def _run_file(runs: ItemRuns, rows: Iterable[Row], tag: str) -> bytes:
    kept = columns_of(runs)
    objects = ({SYSTEM: tag} | {name: row.values[name] for name in kept} for row in rows)
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects).encode()


def check_system(runs: ItemRuns, file: BinaryIO, context: CheckContext) -> Iterator[Issue]:
    """Yield an issue for an empty file, and for each row that can't be read or matches no item of the campaign. The
    first row that names a second system is an issue, too, since the scores would be of two systems together.
    """
    known = _topics_of_items(context)
    is_empty = True
    systems: frozenset[str] = frozenset()
    for row in read_rows(runs, file):
        is_empty = False
        if isinstance(row, Issue):
            yield row
            continue
        if len(systems) < 2 and len(systems := systems | row.systems) > 1:
            shown = ", ".join(excerpt_of(each, length=40) for each in sorted(systems))
            message = f"These are rows of several systems ({shown}). A run has those of one: give each a file."
            yield Issue(where=row.line, code="systems", message=message)
        if known and row.item(runs)["key"] not in known:
            message = "This row is not among the items of the campaign. Load the file of items first."
            yield Issue(where=row.line, code="unknown-item", message=message)
    if is_empty:
        yield Issue(where="", code="empty-file", message="The file is empty. Check that the right file was chosen.")


def read_system(runs: ItemRuns, file: BinaryIO, context: CheckContext) -> Iterator[SegmentRecord]:
    """Yield the items that a system returned, in the order of its file, numbered within each topic. Skip other rows."""
    known = _topics_of_items(context)
    places: dict[str, int] = {}
    for row in read_rows(runs, file):
        if isinstance(row, Row):
            item = row.item(runs)
            for topic in known.get(item["key"], ()):
                if runs.topic and len(known[item["key"]]) > 1 and not _names(row, runs, topic, context):
                    continue
                places[topic] = places.get(topic, 0) + 1
                yield SegmentRecord(
                    topic=topic,
                    ordinal=places[topic],
                    text=item["text"],
                    docno=item["docno"],
                    item_kind=ITEM,
                    item_key=item["key"],
                    line=row.line,
                    item_fields=_beside(item),
                )


def _topics_of_items(context: CheckContext) -> dict[str, list[str]]:
    """Return item's key -> the topics that have this item."""
    found: dict[str, list[str]] = {}
    for topic in context.topics:
        for each in topic.fields.get("items", ()):
            found.setdefault(each["key"], []).append(topic.number)
    return found


def _names(row: Row, runs: ItemRuns, topic: str, context: CheckContext) -> bool:
    """Return whether a row names this topic, by its number or its text. This is needed if several topics have the same
    item.
    """
    said = _one_form(row.values[runs.topic])
    return any(each.number == topic and said in (each.number, each.text) for each in context.topics)


def tag_of_rows(file: BinaryIO) -> str | None:
    """Return the system that the first row of a run names, or None if it names none or can't be read."""
    for each in json_values(file, limit=ROW_LIMIT):
        value = each[1] if not isinstance(each, Issue) else None
        return value.get(SYSTEM) if isinstance(value, dict) and isinstance(value.get(SYSTEM), str) else None
    return None
