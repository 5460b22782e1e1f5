"""Read where the pilot's assessors found nuggets (sys.author.<n>, sys.other.<n>) as marks of strings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scoring.folding import answer_key
from scoring.formats.definition_judgments import read_pieces
from scoring.own_items import own_key
from scoring.records import Issue, Nugget, NuggetPiece, ResponseItem
from scoring.release.recorded_acts import Matched, RecordedAct, Reviewed
from tracks.aquaint_definition.files import read_file, strings_beside
from tracks.aquaint_definition.fitting_marks import why_no_mark

ROLES = {"author": "", "other": "second", "contractor": ""}

Placed = tuple[int | str, RecordedAct]
Lists = dict[str, dict[str, dict[int, Nugget]]]
"""The nuggets of each assessor's lists, by question and number."""
Strings = dict[tuple[str, str], list[ResponseItem]]
"""The strings of each response, by question and run."""
Place = tuple[str, str, int]
"""The place of a string: question, run, number from 1."""
Content = list[tuple[int, int, str]]
"""The marks in a string: nugget, part, piece."""


def read_strings(folder: Path, found: Strings) -> Iterator[Issue]:
    """Add the strings of the runs that are in the folder to ``found``. Yield the errors of their files, and an error if
    there are no strings.
    """
    for record in strings_beside(folder):
        if not isinstance(record, Issue):
            found.setdefault((record.topic, record.run), []).append(record)
        elif record.severity == "error":
            yield record
    if not found:
        message = "There are no runs beside this file, so nobody can tell what it speaks of. Add Q.<n>, or runs/."
        yield Issue(where="", code="no-runs", message=message)


def mark_acts(files: Mapping[str, Sequence[Path]], lists: Lists, *, each: bool) -> Iterator[Placed | Issue]:
    """Yield the acts that mark nuggets, from each assessor's files. Also yield the acts that finish all strings of the
    questions with a list. A line that does not fit is an issue.

    With ``each``, every string is an item of its own. Without it, equal strings share an item, unless the files could
    then not be written again as they were.
    """
    strings: Strings = {}
    yield from read_strings(next(iter(files.values()))[0].parent, strings)
    marked = {owner: _Marked(owner, strings, lists[owner]) for owner in files}
    for owner, paths in files.items():
        for path in paths:
            for record in read_file(path, read_pieces):
                if isinstance(record, Issue):
                    yield record
                elif strings:
                    yield from marked[owner].add(path, record)
    items = _Items(strings)
    if not each:
        items.tell_apart(marked.values())
    for owner, said in marked.items():
        yield from _matches(said, items, each=each)
        yield from _reviews(files[owner][0].name, said, items, each=each)


def _matches(said: _Marked, items: _Items, *, each: bool) -> Iterator[Placed]:
    for place, pieces in said.marks.items():
        item, key = items.of[place], items.key(place, each=each)
        for piece in pieces:
            yield (
                said.lines[piece],
                Matched(
                    by=said.owner,
                    topic=piece.topic,
                    docno=item.docno,
                    answer=item.text,
                    number=piece.number,
                    part=piece.part,
                    quote=piece.text,
                    role=ROLES[said.owner],
                    key=key,
                ),
            )


def _reviews(name: str, said: _Marked, items: _Items, *, each: bool) -> Iterator[Placed]:
    """Yield the acts that finish all strings. They also finish the items that equal strings share."""
    for place, item in sorted(items.of.items()):
        if place[0] in said.lists:
            key = items.key(place, each=each)
            for which in [key] if each or not key else [key, ""]:
                yield (
                    f"{name}, {place[0]}",
                    Reviewed(
                        by=said.owner,
                        topic=place[0],
                        docno=item.docno,
                        answer=item.text,
                        role=ROLES[said.owner],
                        key=which,
                    ),
                )


@dataclass(slots=True)
class _Marked:
    """One assessor's marks: the pieces that were marked in each string, and the place of each piece in the files."""

    owner: str
    strings: Strings
    lists: dict[str, dict[int, Nugget]]
    marks: dict[Place, list[NuggetPiece]] = field(default_factory=dict)
    lines: dict[NuggetPiece, str] = field(default_factory=dict)
    counted: set[tuple[str, str, int, int]] = field(default_factory=set)

    def add(self, path: Path, piece: NuggetPiece) -> Iterator[Issue]:
        """Store a mark that fits, and yield a warning if its piece is not in the string. For a mark that does not fit,
        yield an error; for a nugget that is marked in the response already, a warning. A line that repeats another is
        passed over.
        """
        place = f"{path.name}, {piece.topic} {piece.run} {piece.item}"
        items, numbers = self.strings.get((piece.topic, piece.run), []), self.lists.get(piece.topic, {})
        code, why = why_no_mark(piece, items=items, numbers=numbers, owner=self.owner)
        if code:
            yield Issue(where=place, code=code, message=why)
            return
        item = items[piece.item - 1]
        if piece in self.lines:
            return  # files of single questions repeat the joined one beside them
        self.lines[piece] = place
        name = (piece.topic, piece.run, piece.number, piece.part)
        if name in self.counted:
            message = "This nugget is marked in the response already, where it counts once; the line is left out."
            yield Issue(where=place, code="marked-twice", message=message, severity="warning")
            return
        self.counted.add(name)
        self.marks.setdefault((piece.topic, piece.run, piece.item), []).append(piece)
        if " ".join(piece.text.split()) not in " ".join(item.text.split()):
            message = "The piece is not in the string; it is kept as it is."
            yield Issue(where=place, code="piece-differs", message=message, severity="warning")

    def content(self, place: Place) -> Content:
        """Return what the assessor marked in this string."""
        return sorted((piece.number, piece.part, piece.text) for piece in self.marks.get(place, ()))


class _Items:
    """The strings of all runs. If equal strings are judged once, ``alone`` holds those that are items of their own all
    the same.
    """

    def __init__(self, strings: Strings) -> None:
        self.of: dict[Place, ResponseItem] = {}
        self.shared: dict[Place, str] = {}
        self.nth: dict[Place, int] = {}
        self.alone: set[tuple[str, str]] = set()
        for (topic, run), items in strings.items():
            counts: Counter[str] = Counter()
            for number, item in enumerate(items, start=1):
                place, key = (topic, run, number), answer_key(item.text, item.docno)
                counts[key] += 1
                self.of[place], self.shared[place], self.nth[place] = item, key, counts[key]

    def key(self, place: Place, *, each: bool) -> str:
        """Return the item's own key if it has one. Return "" if the key follows from the item's text."""
        shared = self.shared[place]
        if each or (place[0], shared) in self.alone:
            return own_key(shared, place[1], self.nth[place])
        return ""

    def tell_apart(self, marked: Iterable[_Marked]) -> None:
        """Find the strings that somebody marked differently in different responses, and make them items of their own.

        A nugget may be unmarked in a string only because it was marked earlier in the response ("it was marked only
        once"). That alone does not make the string an item of its own.
        """
        places: dict[str, list[Place]] = {}
        for place in sorted(self.of):
            places.setdefault(place[0], []).append(place)
        for said in marked:
            for topic, strings in places.items():
                if self._given_back(said, strings) == [said.content(place) for place in strings]:
                    continue
                first: dict[str, Content] = {}
                for place in strings:
                    content = said.content(place)
                    if first.setdefault(self.shared[place], content) != content:
                        self.alone.add((topic, self.shared[place]))

    def _given_back(self, said: _Marked, strings: Sequence[Place]) -> list[Content]:
        """Return the marks that would be exported if equal strings were one item. A nugget is then marked at the first
        string of a run that contains it.
        """
        together: dict[str, set[tuple[int, int, str]]] = {}
        for place in strings:
            together.setdefault(self.shared[place], set()).update(said.content(place))
        counted: set[tuple[str, int, int]] = set()
        given = []
        for place in strings:
            new = []
            for number, part, text in sorted(together[self.shared[place]]):
                if (place[1], number, part) not in counted:
                    counted.add((place[1], number, part))
                    new.append((number, part, text))
            given.append(new)
        return given
