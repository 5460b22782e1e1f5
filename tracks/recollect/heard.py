"""What people did in a topic, read from judgments.jsonl a hundred lines at a time.

Marks and finished items, of which there are hundreds of thousands, stay plain texts until somebody asks for them as
acts; everything else becomes acts at once.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from scoring.folding import answer_key
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

NumberedRow = tuple[int, ActRow]
"""The number of a line and what it says, as `rows_as_written` gives it."""

ItemName = tuple[str, str, str]
"""How an act names its item: answer string, docno and key ("" where it follows from these)."""


@dataclass(slots=True)
class Heard:
    """What people did in one topic, in the order of the lines in judgments.jsonl.

    ``marks`` are the rows of lines with the verb ``match``, ``finished`` those with ``review``. All other lines are in
    ``acts``, and so are marks that are not written exactly as a release writes them.
    """

    topic: str
    acts: list[NumberedAct] = field(default_factory=list)
    marks: list[NumberedRow] = field(default_factory=list)
    finished: list[NumberedRow] = field(default_factory=list)
    _keys: dict[ItemName, str] = field(default_factory=dict)

    @property
    def first(self) -> int:
        """The number of the topic's first line."""
        return min(said[0][0] for said in (self.acts, self.marks, self.finished) if said)

    def of(self, *kinds: type) -> list[NumberedAct]:
        """Return all acts in the order of their lines, or those of the given kinds alone."""
        found = [each for each in self.acts if not kinds or type(each[1]) in kinds]
        for kind, verb, rows in ((Matched, MATCH, self.marks), (Reviewed, REVIEW, self.finished)):
            if not kinds or kind in kinds:
                found += [(number, act_of_row(verb, row)) for number, row in rows]
        return sorted(found, key=itemgetter(0))

    def take(self, verb: str, said: list[Any]) -> None:
        """Add the content of the next lines. They are rows if the verb is that of marks or finished items, otherwise
        acts.
        """
        {MATCH: self.marks, REVIEW: self.finished}.get(verb, self.acts).extend(said)

    def key_of(self, name: ItemName) -> str:
        """Return the key of an item that acts name. It is computed once for each item, since many acts name the same
        one.
        """
        if name not in self._keys:
            answer, docno, key = name
            self._keys[name] = key or answer_key(answer, docno)
        return self._keys[name]

    def names(self) -> set[ItemName]:
        """Return how the rows name their items."""
        return {(row[0], row[2], row[3]) for rows in (self.marks, self.finished) for _, row in rows}

    def only_speaker(self) -> tuple[str, str] | None:
        """Return the person and role of all marks and finished items, leaving out those of second assessors and
        machines.

        Return None if there are several such people or roles, or none. Return None, too, if marks or finished items are
        stored as acts.
        """
        found = {(row[1], row[7]) for _, row in self.marks} | {(row[1], row[4]) for _, row in self.finished}
        found = {(by, role) for by, role in found if role not in ("second", "machine")}
        is_plain = not any(isinstance(act, (Matched, Reviewed)) for _, act in self.acts)
        return found.pop() if is_plain and len(found) == 1 else None

    def samples(self) -> list[NumberedAct]:
        """Return a sample of the rows as acts: each person's first mark of each nugget with each value, and each
        person's first finished item.
        """
        marks = {(row[1], row[7], row[4], row[9]): each for each in reversed(self.marks) if (row := each[1])}
        finished = {(row[1], row[4]): each for each in reversed(self.finished) if (row := each[1])}
        found: list[NumberedAct] = [(number, act_of_row(MATCH, row)) for number, row in marks.values()]
        return found + [(number, act_of_row(REVIEW, row)) for number, row in finished.values()]


def read_acts(release: Release) -> Iterator[Heard]:
    """Yield the acts of judgments.jsonl, topic by topic.

    Refuses (`Unlike`) a line that is not an act, and anything that a release would write otherwise: another order, a
    line twice, other spaces, other line ends.
    """
    heard: Heard | None = None
    for topic, verb, said in _checked(release):
        if heard is None or heard.topic != topic:
            if heard is not None:
                yield heard
            heard = Heard(topic)
        heard.take(verb, said)
    if heard is not None:
        yield heard


def _checked(release: Release) -> Iterator[tuple[str, str, list[Any]]]:
    """Yield (topic, verb, lines) for consecutive lines of one topic. The lines are numbered rows of this verb or, if
    the verb is "", numbered acts.
    """
    path = release.path(JUDGMENTS)
    if not path.is_file():
        return
    order, number = _Order(), 0
    with path.open("rb") as file:
        pieces = iter(partial(file.readline, TEXT_LIMIT + 2), b"")
        while lines := list(islice(pieces, LINES_AT_ONCE)):
            for verb, same in groupby(lines, key=verb_of):
                some = list(same)
                yield from _rows(verb, some, number, order) or _acts(some, number, order)
                number += len(some)
    if order.size != path.stat().st_size:
        raise Unlike(JUDGMENTS, "it holds bytes that are no lines of it: another line end, or a byte order mark")


def _rows(verb: str, lines: list[bytes], before: int, order: _Order) -> list[tuple[str, str, list[Any]]]:
    """Return the lines as rows, grouped by topic, if all are written exactly as a release writes them; otherwise [].
    Rows that are neither marks nor finished items are made into acts.
    """
    rows = rows_as_written(verb, lines)
    if not rows:
        return []
    places = places_of_rows(verb, rows)
    order.take(before, places, lines)
    said: Iterable[Any] = enumerate(rows, start=before + 1)
    if verb not in (MATCH, REVIEW):
        said = [(number, act_of_row(verb, row)) for number, row in said]
        verb = ""
    first, last = places[0][0], places[-1][0]
    if first == last:  # lines are in their order, so all of them are of this topic
        return [(first, verb, list(said))]
    of_topics = groupby(zip(places, said, strict=True), key=lambda each: each[0][0])
    return [(topic, verb, [each for _, each in same]) for topic, same in of_topics]


def _acts(lines: list[bytes], before: int, order: _Order) -> Iterator[tuple[str, str, list[Any]]]:
    """Read lines one by one and yield each as an act. A line that does not have exactly the form of a release is parsed
    as JSON.
    """
    for line in text_lines(io.BytesIO(b"".join(lines)), limit=TEXT_LIMIT, after=before):
        if isinstance(line, Issue):
            raise Unlike(JUDGMENTS, f"line {line.where}: {line.message}")
        number, text = line
        act = act_as_written(text) or _read_closely(number, text)
        order.take(number - 1, [act_place(act)], [f"{text}\n".encode()])
        yield act.topic, "", [(number, act)]


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
        """Check that these lines, whose acts have these places, follow the earlier ones in order. ``before`` is the
        number of lines before them.
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
