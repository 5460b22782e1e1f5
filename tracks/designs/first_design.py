"""Draft a design from an organiser's files: topics, runs, or a table of things to judge."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scoring.file_kinds import FileKind, recognise_path
from scoring.formats.trec_topics import TopicText, read_trec_topics
from scoring.reading.json_reading import BadJson, read_json
from scoring.reading.opening import open_input
from scoring.reading.unpacking import plain_name
from tracks import find_track
from tracks.designs.checking import check_design
from tracks.designs.writing import design_lines

IDS = frozenset({"id", "number", "no", "nr", "docno", "docid", "item", "key", "index", "uid", "qid"})
SYSTEMS = frozenset(
    {"system", "systems", "model", "models", "run", "run_id", "runid", "team", "team_id", "source_model"}
)
TOPICS = frozenset({"topic", "topic_id", "topicid", "qid", "query_id", "queryid", "subject", "question_id"})
DOCUMENTS = frozenset({"docno", "docid", "doc_id", "document", "document_id", "source"})
TEXTS = ("claim", "text", "sentence", "passage", "answer", "response", "statement", "content", "question")
LOOKED_AT = 200
"""The most rows of a table, or topics of a file, that are looked at."""


class CannotDraft(ValueError):
    """Raised when no design can be drafted from these files. The message says why."""


@dataclass(slots=True)
class _Seen:
    """What the files contain: the topics found in them, the form of the runs, the members of [runs] for a table, the
    depth of the runs, and notes for the design's author.
    """

    notes: list[str] = field(default_factory=list)
    topics: dict[str, None] = field(default_factory=dict)
    form: str = ""
    table: dict[str, Any] = field(default_factory=dict)
    depth: int = 0


def first_design(paths: Sequence[Path]) -> str:
    """Return the text of a design drafted from these files, which passes the check of designs.

    Comments at its beginning say what each file was taken for. Raises CannotDraft if the files do not tell what is
    judged or hold runs of two forms, or if no such design can be made yet.
    """
    seen = _Seen()
    for path in paths:
        _look(path, seen)
    if not seen.form and not seen.topics:
        told = "; ".join(seen.notes) or "no file was given"
        raise CannotDraft(
            f"Nothing here tells what is judged: {told}. Give topics, ranked runs, answers, or a table (CSV, JSON "
            "lines) of things to judge."
        )
    form = seen.form or "ranked"
    text = _written(seen, form, _key(paths))
    design, faults = check_design(text)
    if design is None:
        told = "; ".join(f"line {each.line}: {each.message}" for each in faults if each.severity == "error")
        raise CannotDraft(f"A design of these files can't be made yet: {told}")
    return text


def _key(paths: Sequence[Path]) -> str:
    named = re.sub(r"[^a-z0-9]+", "-", plain_name(paths[0].name).rsplit(".", 1)[0].lower()).strip("-")
    generic = named in ("topics", "queries", "run", "runs", "claims", "items", "data", "input", "")
    folder = re.sub(r"[^a-z0-9]+", "-", paths[0].resolve().parent.name.lower()).strip("-")
    key = ((folder if generic and folder else named) or "my-evaluation")[:40].strip("-")
    return f"my-{key}" if find_track(key) is not None else key


def _written(seen: _Seen, form: str, key: str) -> str:
    values: dict[str, Any] = {"design": 1, "key": key, "title": key.replace("-", " ").strip().capitalize()}
    if seen.topics:
        values["topics"] = {"shown": list(seen.topics)}
    values["runs"] = {"form": form, **seen.table}
    if form == "ranked":
        values["pool"] = {"depth": min(seen.depth, 20) or 20}
    noun = {"ranked": "document", "answers": "response", "items": "line"}[form]
    said = {"line": "item", "response": "answer"}.get(noun, noun)
    questions = [
        {
            "key": "good",
            "ask": f"Is the {said} relevant to the topic?" if form == "ranked" else f"Is the {said} right?",
            "help": "Say here in a sentence or two what counts, and what does not.",
            "grades": [
                {"value": 2, "press": "2", "name": "yes"},
                {"value": 1, "press": "1", "name": "in part"},
                {"value": 0, "press": "0", "name": "no"},
            ],
        }
    ]
    stage: dict[str, Any] = {"key": "judging", "work": "grade", "label": f"Judge {said}s"}
    stage |= {"item": noun} if noun != "document" else {}
    values["stages"] = [{**stage, "questions": questions}]
    if form == "ranked":
        values["scores"] = {"question": "good", "measures": ["nDCG@10", "AP", "P@10", "Judged@10"]}
    comments = ["A first design. Change what is asked, then: python -m tracks design check FILE", *seen.notes]
    return "\n".join(design_lines(values, comments)) + "\n"


# ---------------------------------------------------------------- one file


def _look(path: Path, seen: _Seen) -> None:
    found = recognise_path(path)
    is_table = found.form in ("json lines", "json array") or bool(found.shape.header) or _ends_as_table(path)
    if "run" in found.kinds[:1]:
        _take_form(seen, "ranked")
        seen.depth = max(seen.depth, _depth(found))
    elif "answers" in found.kinds[:1]:
        _take_form(seen, "answers")
    elif "topics" in found.kinds[:1]:
        seen.topics |= dict.fromkeys(_topic_fields(path))
    elif is_table and (columns := _columns(path, found)):
        _take_form(seen, "items")
        seen.table = _table(columns)
    else:
        seen.notes.append(f"{path.name}: {found.sentence}: not used.")
        return
    seen.notes.append(f"{path.name}: {found.sentence}.")


def _ends_as_table(path: Path) -> bool:
    return plain_name(path.name).lower().endswith((".csv", ".tsv"))


def _take_form(seen: _Seen, form: str) -> None:
    if seen.form not in ("", form):
        raise CannotDraft(f"The files are runs of two forms, {seen.form} and {form}: give those of one evaluation.")
    seen.form = form


def _depth(found: FileKind) -> int:
    topics = [row[0] for row in found.shape.rows if row]
    return max((topics.count(each) for each in set(topics)), default=0)


def _topic_fields(path: Path) -> Iterator[str]:
    with open_input(path) as file:
        for number, topic in enumerate(read_trec_topics(file)):
            if isinstance(topic, TopicText):
                yield "title"
                yield from (name for name in ("description", "narrative") if getattr(topic, name))
                yield from (name for name, value in topic.further if isinstance(value, str) and value.strip())
            if number >= LOOKED_AT:
                return


def _columns(path: Path, found: FileKind) -> dict[str, list[str]]:
    """Return column -> its first texts, for the columns of a table."""
    with open_input(path) as file:
        text = file.read(1 << 18).decode("utf-8-sig", "replace")
    rows = _json_rows(text, found) if found.form.startswith("json") else _csv_rows(text, found)
    columns: dict[str, list[str]] = {}
    for row in rows:
        for name, value in row.items():
            if isinstance(value, str | int | float) and isinstance(name, str):
                columns.setdefault(name, []).append(str(value))
    return columns


def _csv_rows(text: str, found: FileKind) -> Sequence[Mapping[str, Any]]:
    whole = text if len(text) < 1 << 18 else text[: text.rfind("\n")]
    first = whole.partition("\n")[0]
    likely = max(",\t;", key=first.count)  # in a short table, white space may make as many columns
    separator = likely if likely in first else found.shape.separator or ","
    return list(csv.DictReader(io.StringIO(whole, newline=""), delimiter=separator))[:LOOKED_AT]


def _json_rows(text: str, found: FileKind) -> Sequence[Mapping[str, Any]]:
    if found.form == "json array":
        return [each for each in found.shape.values if isinstance(each, dict)]
    rows = []
    for line in text.split("\n")[:LOOKED_AT]:
        try:
            row = read_json(line)
        except BadJson:
            continue
        rows += [row] if isinstance(row, dict) else []
    return rows


def _table(columns: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the members of [runs] for a table. The column that is judged is the one with a telling name or, if there
    is none, the one with the longest texts.
    """
    systems = [name for name in columns if name.lower() in SYSTEMS]
    others = {name: texts for name, texts in columns.items() if name not in systems and name.lower() not in IDS}
    lengths = {name: sum(map(len, texts)) / len(texts) for name, texts in others.items()}
    named = [name for want in TEXTS for name in lengths if name.lower() == want]
    text = named[0] if named else max(lengths, key=lengths.__getitem__, default=next(iter(columns)))
    said: dict[str, Any] = {"text": text}
    said |= {"systems": systems} if systems else {}
    beside: dict[str, str] = {}
    for member, names in (("topic", TOPICS), ("document", DOCUMENTS)):
        beside |= next(({member: name} for name in columns if name.lower() in names), {})
    return said | beside | {"shown": [text, *(name for name in others if name not in (text, *beside.values()))]}
