"""What people did in a topic, read from judgments.jsonl a hundred lines at a time.

Marks and finished items, of which there are hundreds of thousands, stay plain texts until somebody asks for them as
acts; everything else becomes acts at once.
"""

from __future__ import annotations

import io
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from scoring.folding import answer_keys
from scoring.formats.act_places import ActPlace, act_place, place_order, places_of_rows
from scoring.formats.judgments_jsonl import act_line, parse_judgment
from scoring.formats.written_acts import (
    MATCH,
    REVIEW,
    ActRow,
    act_as_written,
    act_of_row,
    rows_as_written,
    verb_of,
)
from scoring.reading.opening import TEXT_LIMIT, text_lines
from scoring.records import Issue
from scoring.release.kept_acts import NumberedAct
from scoring.release.recorded_acts import Matched, RecordedAct, Reviewed
from scoring.release.releases import JUDGMENTS, Release
from tracks.recollect.rows import Unlike

LINES_AT_ONCE = 100

ItemName = tuple[str, str, str]
"""How an act names its item: answer string, docno and key ("" where it follows from these)."""


@dataclass
class Heard:
    """What people did in one topic, in the order of the lines in judgments.jsonl.

    ``marks`` are the rows of lines with the verb ``match``, and ``finished`` those of lines with ``review``, as
    `rows_as_written` returns them. ``acts`` holds all other lines, and also marks that are not written exactly as a
    release writes them.
    """

    topic: str
    acts: list[NumberedAct] = field(default_factory=list)
    marks: list[ActRow] = field(default_factory=list)
    finished: list[ActRow] = field(default_factory=list)
    _lines: dict[str, array[int]] = field(default_factory=lambda: {MATCH: array("q"), REVIEW: array("q")})

    @property
    def first(self) -> int:
        """The number of the topic's first line."""
        return min([*(number for number, _ in self.acts[:1]), *(said[0] for said in self._lines.values() if said)])

    def of(self, *kinds: type) -> list[NumberedAct]:
        """Return the acts of these kinds in the order of their lines. Return all acts if no kinds are given."""
        found = [each for each in self.acts if not kinds or type(each[1]) in kinds]
        for kind, verb, rows in ((Matched, MATCH, self.marks), (Reviewed, REVIEW, self.finished)):
            if not kinds or kind in kinds:
                found += [(number, act_of_row(verb, row)) for number, row in zip(self._lines[verb], rows, strict=True)]
        return sorted(found, key=itemgetter(0))

    def take(self, verb: str, first: int, said: Sequence[Any]) -> None:
        """Add the content of the next lines; the first of them has the number ``first``. It is given as rows if the
        verb is that of marks or finished items, otherwise as acts.
        """
        numbers = range(first, first + len(said))
        if verb in self._lines:
            self._lines[verb].extend(numbers)
            (self.marks if verb == MATCH else self.finished).extend(said)
        else:
            self.acts.extend(zip(numbers, said, strict=True))

    @cached_property
    def names(self) -> dict[ItemName, str]:
        """The key of each item, by the name by which the rows refer to it."""
        names = list({*map(itemgetter(0, 2, 3), self.marks), *map(itemgetter(0, 2, 3), self.finished)})
        made = answer_keys([answer for answer, _, _ in names], [docno for _, docno, _ in names])
        return {name: name[2] or key for name, key in zip(names, made, strict=True)}

    def only_speaker(self) -> tuple[str, str] | None:
        """Return the person and role of all marks and finished items, leaving out those of second assessors and
        machines.

        Return None unless there is exactly one such person in one role, and no mark or finished item is stored as an
        act.
        """
        found = {(by, role) for firsts in self._firsts.values() for by, role, *_ in firsts}
        found = {(by, role) for by, role in found if role not in ("second", "machine")}
        is_plain = not any(isinstance(act, (Matched, Reviewed)) for _, act in self.acts)
        return found.pop() if is_plain and len(found) == 1 else None

    def samples(self) -> list[NumberedAct]:
        """Return a sample of the rows as acts: each person's first mark of each nugget with each value, and each
        person's first finished item.
        """
        return [
            (self._lines[verb][place], act_of_row(verb, rows[place]))
            for verb, rows in ((MATCH, self.marks), (REVIEW, self.finished))
            for place in self._firsts[verb].values()
        ]

    @cached_property
    def _firsts(self) -> dict[str, dict[tuple[str, ...], int]]:
        """The place of the first row of each person, role, and of marks each nugget and value, by verb."""
        found: dict[str, dict[tuple[str, ...], int]] = {}
        for verb, rows, about in ((MATCH, self.marks, (1, 7, 4, 9)), (REVIEW, self.finished, (1, 4))):
            last_to_first = range(len(rows) - 1, -1, -1)
            found[verb] = dict(zip(map(itemgetter(*about), reversed(rows)), last_to_first, strict=True))
        return found


def read_acts(release: Release) -> Iterator[Heard]:
    """Yield the acts of judgments.jsonl, topic by topic.

    Refuses (`Unlike`) a line that is not an act, and any deviation from the way a release is written: another order, a
    repeated line, other spaces, other line ends.
    """
    heard: Heard | None = None
    for topic, verb, first, said in _checked(release):
        if heard is None or heard.topic != topic:
            if heard is not None:
                yield heard
                del heard  # so that one topic is in memory at a time
            heard = Heard(topic)
        heard.take(verb, first, said)
    if heard is not None:
        yield heard


_Lines = tuple[str, str, int, Sequence[Any]]
"""The topic, verb, number of the first line, and content of consecutive lines of one topic: rows of this verb or, if
the verb is "", acts.
"""


def _checked(release: Release) -> Iterator[_Lines]:
    """Yield the lines of judgments.jsonl in order, in groups of one topic and verb. Refuses (`Unlike`) as
    `read_acts`.
    """
    path = release.path(JUDGMENTS)
    if not path.is_file():
        return
    order, number = _Order(), 0
    with path.open("rb") as file:
        pieces = iter(partial(file.readline, TEXT_LIMIT + 2), b"")
        while lines := list(islice(pieces, LINES_AT_ONCE)):
            said = _rows(verb_of(lines[0]), lines, number, order)  # mostly, all have the same verb
            if said:
                yield from said
                number += len(lines)
                continue
            for verb, same in groupby(lines, key=verb_of):
                some = list(same)
                yield from _rows(verb, some, number, order) or _acts(some, number, order)
                number += len(some)
    if order.size != path.stat().st_size:
        raise Unlike(JUDGMENTS, "it holds bytes that are no lines of it: another line end, or a byte order mark")


def _rows(verb: str, lines: list[bytes], before: int, order: _Order) -> list[_Lines]:
    """Return the lines as rows, grouped by topic. Return [] unless all lines are written exactly as a release writes
    them. Rows that are neither marks nor finished items are made into acts.
    """
    rows = rows_as_written(verb, lines)
    if not rows:
        return []
    places = places_of_rows(verb, rows)
    order.take(before, places, lines)
    said: list[Any] = rows if verb in (MATCH, REVIEW) else [act_of_row(verb, row) for row in rows]
    verb = verb if said is rows else ""
    first, last = places[0][0], places[-1][0]
    if first == last:  # lines are in their order, so all of them are of this topic
        return [(first, verb, before + 1, said)]
    found: list[_Lines] = []
    begin = 0
    for topic, same in groupby(places, key=itemgetter(0)):
        end = begin + len(list(same))
        found.append((topic, verb, before + 1 + begin, said[begin:end]))
        begin = end
    return found


def _acts(lines: list[bytes], before: int, order: _Order) -> Iterator[_Lines]:
    """Read lines one by one and yield each as an act. A line that does not have exactly the form of a release is parsed
    as JSON. Raises `Unlike` for a line that can't be read or stands out of order.
    """
    for line in text_lines(io.BytesIO(b"".join(lines)), limit=TEXT_LIMIT, after=before):
        if isinstance(line, Issue):
            raise Unlike(JUDGMENTS, f"line {line.where}: {line.message}")
        number, text = line
        act = act_as_written(text) or _read_closely(number, text)
        order.take(number - 1, [act_place(act)], [f"{text}\n".encode()])
        yield act.topic, "", number, [act]


def _read_closely(number: int, text: str) -> RecordedAct:
    act = parse_judgment(number, text)
    if isinstance(act, Issue):
        raise Unlike(JUDGMENTS, f"line {act.where}: {act.message}")
    if act_line(act) != text:
        raise Unlike(JUDGMENTS, f"line {number} is not written as a release writes it")
    return act


class _Order:
    """Refuses lines that are not in the order of a release, and counts the bytes of all lines."""

    def __init__(self) -> None:
        self.size = 0
        self._place: ActPlace | None = None
        self._line = b""

    def take(self, before: int, places: Sequence[ActPlace], lines: Sequence[bytes]) -> None:
        """Raise `Unlike` unless these lines follow the earlier ones in order. ``places`` are the places of their acts,
        and ``before`` is the number of earlier lines.
        """
        last_place, last = self._place, self._line
        for place, line in zip(places, lines, strict=True):
            before += 1
            if place != last_place:
                if last_place is not None and place_order(last_place) > place_order(place):
                    raise _out_of_place(before)
                last_place = place
            elif line <= last:
                raise _out_of_place(before)
            last = line
        self._place, self._line = last_place, last
        self.size += sum(map(len, lines))


def _out_of_place(number: int) -> Unlike:
    return Unlike(JUDGMENTS, f"line {number} does not stand in its place: lines are sorted, each once")
