"""Read runs of BioGen in both formats as answers.

    2024   {"team_id": T, "run_name": R, "contact_email": E, "results": [
              {"topic_id": "116", "answer": "Statins help [12, 34].", "references": ["12", "34"]}]}
    2025   {"metadata": {"team_id": T, "run_id": R, "topic_id": "181"}, "responses": [
              {"text": "Statins help.", "citations": ["12", "34"]}]}                     one object a line

In the format of 2025, which is read as all such answers are (`scoring.formats.rag_answers`), each response is a
sentence; the objects are one on each line, in a list, or one after another. The content of a file shows its format.
Places are JSON paths in a file of 2024 and line numbers in one of 2025.

Codes, besides those of `scoring.reading.json_reading`: shape, missing-field, field-type, empty-field, unknown-field
(warning), too-long, control-character, pmid-form.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from scoring.file_kinds import JSON, reads
from scoring.formats.answer_kinds import AnswerKinds
from scoring.formats.answer_rules import AnswerRules, RuleCheck
from scoring.formats.json_members import LIST, Kind, Member, Shape, Taken, list_of
from scoring.formats.member_reports import Codes, Path, Report
from scoring.formats.rag_answers import read_object
from scoring.reading.json_reading import load_json, parse_json
from scoring.reading.json_values import json_values
from scoring.reading.opening import excerpt_of
from scoring.records import Issue, Severity

FILE_LIMIT = 64 * 1024 * 1024
LINE_LIMIT = 4 * 1024 * 1024
ANSWER_LIMIT = 20_000
NAME_LIMIT = 100
PMID = re.compile(r"[1-9][0-9]{0,8}")

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]")
Place = int | str


@dataclass(frozen=True, kw_only=True, slots=True)
class Head:
    """The names of the team and the run in the file. The format of 2024 gives them once, that of 2025 on every line."""

    where: Place
    year: int
    team: str
    run: str
    contact: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """One answer as submitted. In the format of 2024 it is one ``text``; in the format of 2025 its sentences are in
    ``parts``.

    ``references`` is None if the format has no references.
    """

    where: Place
    year: int
    topic: str
    text: str = ""
    parts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    references: tuple[str, ...] | None = None

    @property
    def line(self) -> int | None:
        """Return the line of the answer in the format of 2025; None in that of 2024, whose answers have no lines."""
        return self.where if isinstance(self.where, int) else None


@reads("answers", forms=JSON)
def read_submission(file: BinaryIO, rules: AnswerRules | None = None) -> Iterator[Head | Answer | Issue]:
    """Yield heads and answers in file order, and an issue for everything that can't be used as it is. An answer that
    has an error is left out. The file is held in memory, up to 64 MB. ``rules`` are further rules for the format of
    2025.
    """
    raw = file.read(FILE_LIMIT + 1)
    if len(raw) > FILE_LIMIT or _is_document(raw):
        value = load_json(io.BytesIO(raw), limit=FILE_LIMIT)
        yield from [value] if isinstance(value, Issue) else _document(value)
        return
    asked = RuleCheck(rules) if rules is not None else None
    for each in json_values(io.BytesIO(raw), limit=FILE_LIMIT):
        if isinstance(each, Issue):
            yield each
        else:
            yield from _line(*each, asked)


def _is_document(raw: bytes) -> bool:
    """Return whether a file is read in the format of 2024. It is, unless it begins with a list or one of its first
    lines is a whole answer of 2025.
    """
    start = raw[: 4 * LINE_LIMIT].removeprefix(b"\xef\xbb\xbf")
    if not start.lstrip().startswith(b"{"):
        return not start.lstrip().startswith(b"[")
    values = (parse_json(line.decode("utf-8", "replace")) for line in start.split(b"\n", 12)[:12])
    return not any(isinstance(each, dict) and {"metadata", "responses"} & each.keys() for each in values)


# ---------------------------------------------------------------- the form of 2024


def _document(value: Any) -> Iterator[Head | Answer | Issue]:
    report = Report()
    taken = _ROOT.take(value, report)
    yield from report.issues
    if taken is None:
        return
    yield Head(
        where="$",
        year=2024,
        team=taken["team_id"] or "",
        run=taken["run_name"] or "",
        contact=taken["contact_email"] or "",
    )
    results = taken["results"]
    if results is not None and not results:
        yield _issue("$.results", "empty-field", "There are no results. Give one object for each topic.")
    for place, each in enumerate(results or ()):
        inner = Report(root=f"$.results[{place}]")
        answer: Answer | None = _RESULT.take(each, inner)
        yield from inner.issues
        if answer is not None:
            yield answer


def _result(taken: Taken, report: Report, inside: Path) -> Answer | None:
    del inside
    if report.is_wrong:
        return None
    references = tuple(taken["references"])
    return Answer(where=report.root, year=2024, topic=taken["topic_id"], text=taken["answer"], references=references)


# ---------------------------------------------------------------- the form of 2025


def _line(where: int, value: Any, rules: RuleCheck | None) -> Iterator[Head | Answer | Issue]:
    if not isinstance(value, dict) or not isinstance(value.get("metadata"), dict):
        message = 'Each line must be an object with "metadata" (an object) and "responses" (a list).'
        yield _issue(where, "shape", message)
        return
    read = read_object(where, value, kinds=_KINDS)
    yield from read.issues
    if rules is not None:
        yield from (_issue(where, "rules", f"{rules.rules.label}: {each}") for each in rules.broken(value))
    if (answer := read.answer) is None:
        return
    if (size := sum(len(each.text) for each in answer.sentences)) > ANSWER_LIMIT:
        message = f"“responses” has {size:,} characters; it may have {ANSWER_LIMIT:,}. Shorten it."
        yield _issue(where, "too-long", message)
        return
    yield Head(where=where, year=2025, team=answer.team, run=answer.run)
    parts = []
    for number, sentence in enumerate(answer.sentences, 1):
        parts.append((sentence.text, tuple(each for each in sentence.citations if PMID.fullmatch(each))))
        if odd := [each for each in sentence.citations if not PMID.fullmatch(each)]:
            shown = ", ".join(f"“{excerpt_of(each, length=30)}”" for each in odd[:5])
            message = f"Topic {excerpt_of(answer.topic, length=40)}, sentence {number}: no PMID, and left out: {shown}."
            yield _issue(where, "pmid-form", f"{message} Write the number alone.", "warning")
    given = answer.references if answer.has_references else None
    yield Answer(where=where, year=2025, topic=answer.topic, parts=tuple(parts), references=given)


# ---------------------------------------------------------------- members


def _plain_text(value: str) -> str:
    if _CONTROL.search(value):
        raise ValueError
    return value


def _name(value: str | int) -> str:
    name = str(value).strip()
    if not name.isprintable() or len(name.splitlines()) > 1:
        raise ValueError
    return name


def _pmid(value: str | int) -> str:
    if not PMID.fullmatch(written := str(value).strip()):
        raise ValueError
    return written


_CODES = Codes(missing="missing-field", type="field-type", value="control-character", empty="empty-field")
_NAME = Kind(
    wanted="a text of one line, without control characters", types=(str, int), make=_name, limit=NAME_LIMIT,
    is_filled=True,
)  # fmt: skip
_TEXT = Kind(wanted="a text without control characters", types=(str,), make=_plain_text, limit=1000, is_filled=True)
_ANSWER = replace(_TEXT, limit=ANSWER_LIMIT)
_PMIDS = list_of(Kind(wanted="a PMID, the number alone", types=(str, int), make=_pmid, code="pmid-form"))
_ROOT = Shape(
    members=(
        Member("team_id", _NAME),
        Member("run_name", _NAME),
        Member("contact_email", _TEXT),
        Member("results", LIST),
    ),
    codes=replace(_CODES, shape="shape"),
    others="not used",
)
_RESULT = Shape(
    members=(Member("topic_id", _NAME), Member("answer", _ANSWER), Member("references", _PMIDS)),
    codes=_CODES,
    others="not used",
    make=_result,
)
_KINDS = AnswerKinds(
    codes=_CODES,
    run=_NAME,
    team=_NAME,
    topic=_NAME,
    text=replace(_ANSWER, is_filled=False),
    cited=replace(_NAME, limit=0),
    needs_team=True,
    numbers_are_ids=True,
)


def _issue(where: Place, code: str, message: str, severity: Severity = "error") -> Issue:
    return Issue(where=where, code=code, message=message, severity=severity)
