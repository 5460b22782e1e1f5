"""Writes and quickly reads the most frequent lines of judgments.jsonl, of which there are hundreds of thousands:
grades, marks, votes.

A line is read here only if it has exactly the form that these functions write, contains no escaped text, and has no
rare member. Any other line is read by `scoring.formats.judgments_jsonl`, which returns the same act, or an issue.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from json.encoder import encode_basestring
from operator import itemgetter
from sys import intern

from scoring.formats.pool_tables import nugget_name
from scoring.records import Importance
from scoring.release.recorded_acts import Judged, Matched, Reviewed, SaidMark, TopicMarks, Voted

WRITTEN = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
_text = encode_basestring  # the encoder's function for texts, called directly, since each line has five texts

_TEXT = r'"([^"\\\x00-\x1f\ud800-\udfff]*)"'
_FILLED = _TEXT.replace("*", "+")
_ROLE = r'(?:"role": "(second|adjudicator|machine)", )?'
_ITEM = f'"docno": {_TEXT}, (?:"key": {_FILLED}, )?'
_PATTERNS = {
    "judge": re.compile(
        rf'\{{"answer": {_TEXT}, "by": {_TEXT}, "criterion": {_TEXT}, "do": "judge", {_ITEM}(?:"note": {_FILLED}, )?'
        rf'{_ROLE}"topic": {_TEXT}, "value": (0|-?[1-9][0-9]{{0,8}})\}}'
    ),
    "match": re.compile(
        rf'\{{"answer": {_TEXT}, "by": {_TEXT}, "do": "match", {_ITEM}"nugget": "(0|[1-9][0-9]{{0,8}})'
        rf'(?:\.([1-9][0-9]{{0,5}}))?", (?:"quote": {_FILLED}, )?{_ROLE}"topic": {_TEXT}'
        r'(?:, "value": "(partial|none)")?\}'
    ),
    "review": re.compile(rf'\{{"answer": {_TEXT}, "by": {_TEXT}, "do": "review", {_ITEM}{_ROLE}"topic": {_TEXT}\}}'),
    "vote": re.compile(
        rf'\{{"by": {_TEXT}, "do": "vote", "importance": "(vital|okay)", "number": (0|-?[1-9][0-9]{{0,8}}), '
        rf'{_ROLE}"topic": {_TEXT}\}}'
    ),
}
_VERB = re.compile('"do": "([a-z]+)"')


def mark_line(act: Matched | Reviewed) -> str:
    """Return the line of a match or a review."""
    items = {0: (act.answer, act.docno, act.key)}
    marks: list[SaidMark] = []
    if isinstance(act, Matched):
        value = "none" if act.is_absent else "partial" if act.is_partial else "full"
        marks.append((act.by, act.role, 0, act.number, act.part, value, act.quote, act.draft))
    finished = [] if marks else [(act.by, act.role, 0)]
    ((_, _, (line,)),) = mark_lines(TopicMarks(topic=act.topic, items=items, marks=marks, finished=finished))
    return line


_VALUES = {"full": "", "partial": ', "value": "partial"', "none": ', "value": "none"'}


def mark_lines(said: TopicMarks) -> Iterator[tuple[type, int, list[str]]]:
    """Yield (kind of act, number of the nugget, lines) for the marks of each nugget and for the finished items, in no
    particular order.
    """
    items = {
        number: (
            f'{{"answer": {_text(answer)}, "by": ',
            f'"docno": {_text(docno)}',
            f'"key": {_text(key)}, ' * bool(key),
        )
        for number, (answer, docno, key) in said.items.items()
    }
    speakers = {*map(itemgetter(0, 1), said.marks), *map(itemgetter(0, 1), said.finished)}
    people = {by: _text(by) for by, _ in speakers}
    topic = f'"topic": {_text(said.topic)}'
    tails = {role: (f'"role": {_text(role)}, ' if role else "") + topic for _, role in speakers}
    of_nuggets: dict[int, list[str]] = {}
    for by, role, item, number, part, value, quote, draft in said.marks:
        head, docno, key = items[item]
        drafted = f', "draft": "{draft}"' if draft else ""
        quoted = f'"quote": {_text(quote)}, ' if quote else ""
        of_nuggets.setdefault(number, []).append(
            f'{head}{people[by]}, "do": "match", {docno}{drafted}, {key}"nugget": "{nugget_name(number, part)}", '
            f"{quoted}{tails[role]}{_VALUES[value]}}}"
        )
    for number, lines in of_nuggets.items():
        yield Matched, number, lines
    if said.finished:
        yield (
            Reviewed,
            0,
            [
                f'{items[item][0]}{people[by]}, "do": "review", {items[item][1]}, {items[item][2]}{tails[role]}}}'
                for by, role, item in said.finished
            ],
        )


def grade_line(act: Judged) -> str | None:
    """Return the line of a grade, or None if it has snippets or another rare member."""
    if act.value is None or act.evidence or act.draft or act.given or act.order or act.version or act.how:
        return None
    said = f'"answer": {_text(act.answer)}, "by": {_text(act.by)}, "criterion": {_text(act.criterion)}, "do": "judge"'
    item = f'"docno": {_text(act.docno)}' + (f', "key": {_text(act.key)}' if act.key else "")
    note = f'"note": {_text(act.note)}, ' if act.note else ""
    role = f'"role": {_text(act.role)}, ' if act.role else ""
    return f'{{{said}, {item}, {note}{role}"topic": {_text(act.topic)}, "value": {act.value}}}'


def vote_line(act: Voted) -> str:
    """Return the line of a vote."""
    role = f'"role": {_text(act.role)}, ' if act.role else ""
    said = f'"do": "vote", "importance": {_text(act.importance)}, "number": {act.number}'
    return f'{{"by": {_text(act.by)}, {said}, {role}"topic": {_text(act.topic)}}}'


MATCH, REVIEW = "match", "review"
ActRow = tuple[str, ...]
"""The values of a line as texts, in the order of its members and without the verb. A missing member is ""."""

_OF_LINES = {verb: re.compile(f"^{pattern.pattern}\n", re.MULTILINE) for verb, pattern in _PATTERNS.items()}
_VERB_OF_LINE = re.compile(_VERB.pattern.encode())


def verb_of(line: bytes) -> str:
    """Return the verb of a line (the value of ``do``) if the line is written in the usual way, otherwise "". The line
    is not parsed.
    """
    found = _VERB_OF_LINE.search(line)
    return found[1].decode() if found is not None else ""


def rows_as_written(verb: str, lines: Sequence[bytes]) -> list[ActRow] | None:
    """Return the rows of these lines, which include their line ends. Return None unless every line has this verb and
    exactly the form in which a release writes it.

    This takes a third of the time of reading the lines one by one.
    """
    pattern = _OF_LINES.get(verb)
    if pattern is None:
        return None
    try:
        found: list[ActRow] = pattern.findall(b"".join(lines).decode())
    except UnicodeDecodeError:
        return None
    return found if len(found) == len(lines) else None  # each match is one whole line


def act_as_written(line: str) -> Judged | Matched | Reviewed | Voted | None:
    """Return the grade, match, review or vote in a line that has exactly the form of a release; None for any other
    line.
    """
    verb = _VERB.search(line)
    pattern = _PATTERNS.get(verb[1]) if verb is not None else None
    found = pattern.fullmatch(line) if pattern is not None else None
    return act_of_row(verb[1], found.groups("")) if verb is not None and found is not None else None


def act_of_row(verb: str, row: ActRow) -> Judged | Matched | Reviewed | Voted:
    """Return the act in a row that `rows_as_written` returned for a line with this verb."""
    if verb == REVIEW:
        answer, by, docno, key, role, topic = row
        return Reviewed(
            by=intern(by), topic=intern(topic), docno=intern(docno), answer=intern(answer), role=role, key=key
        )
    if verb == "judge":
        answer, by, criterion, docno, key, note, role, topic, value = row
        return Judged(
            by=intern(by),
            topic=intern(topic),
            docno=docno,
            answer=answer,
            criterion=intern(criterion),
            value=int(value),
            note=note,
            role=role,
            key=docno if key == docno else key,
        )
    if verb == "vote":
        by, importance, number, role, topic = row
        of_nugget: Importance = "vital" if importance == "vital" else "okay"
        return Voted(by=intern(by), topic=intern(topic), number=int(number), importance=of_nugget, role=role)
    answer, by, docno, key, number, part, quote, role, topic, value = row
    return Matched(
        by=intern(by),
        topic=intern(topic),
        docno=intern(docno),
        answer=intern(answer),
        number=int(number),
        part=int(part) if part else 0,
        quote=quote,
        is_partial=value == "partial",
        role=role,
        key=key,
        is_absent=value == "none",
    )
