"""The pilot's judgment files as deeds: holistic scores, nugget lists, and where nuggets were found.

Files speak of runs and of the strings in them by number; deeds speak of items. So the strings of the runs that stand
beside the files (Q.<n>, or run files) are read, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assess.protocol import CheckContext
from scoring.deeds import Deed, Judged, ListFrozen, Matched, NuggetWritten, Reviewed
from scoring.formats.definition_judgments import (
    HolisticScores,
    Pair,
    read_definition_nuggets,
    read_holistic,
    read_pieces,
)
from scoring.records import Issue, Nugget, NuggetPiece, ResponseItem
from tracks.aquaint_definition.files import read_file, response_key, strings_beside
from tracks.aquaint_definition.holistic import CONTENT, CONTRACTOR, ORGANIZATION

ROLES = {"author": "", "other": "second", "contractor": ""}
HOLISTIC_FILES = ("holistic", "holistic.txt")
LIST_FILES = ("author.*", "other.*", "sys.author.*", "sys.other.*")

_NAME = re.compile(r"(?:.*[-_])?(sys\.)?(author|other)\.([^.]+)(?:\.gz|\.zst|\.txt)?")

Placed = tuple[int | str, Deed]
Strings = dict[tuple[str, str], list[ResponseItem]]
"""The strings of each response, by question and run."""
Seen = dict[tuple[str, str], HolisticScores]
"""The scores of each response, by question and key."""


def read_holistic_files(paths: Sequence[Path], context: CheckContext) -> Iterator[Placed | Issue]:
    """Each score as a judgment of the whole response.

    Named and left out: scores of a response that is not there, and other scores of one that another run returned, too.
    """
    del context
    strings: Strings | None = None
    seen: Seen = {}
    for path in paths:
        for record in read_file(path, read_holistic):
            if isinstance(record, Issue):
                yield record
                continue
            if strings is None:
                strings = {}
                yield from _strings(path.parent, strings)
            if strings:
                yield from _holistic_deeds(path, record, strings, seen)


def _holistic_deeds(path: Path, scores: HolisticScores, strings: Strings, seen: Seen) -> Iterator[Placed | Issue]:
    response = strings.get((scores.topic, scores.run))
    if response is None:
        message = f"Run {scores.run} returned nothing for question {scores.topic}; its scores are left out."
        yield Issue(where=path.name, code="no-response", message=message, severity="warning")
        return
    pairs: tuple[tuple[str, Pair], ...] = (
        ("contractor", scores.contractor),
        ("author", scores.author),
        ("other", scores.other),
    )
    texts = [item.text for item in response]
    first = seen.setdefault((scores.topic, response_key(texts)), scores)
    if first is not scores:
        if replace(first, run=scores.run) != scores:
            message = f"Runs {first.run} and {scores.run} returned the same for {scores.topic}; the first scores count."
            yield Issue(where=path.name, code="scored-twice", message=message, severity="warning")
        return
    for by, pair in pairs:
        for criterion, value in zip((CONTENT, ORGANIZATION), pair, strict=True):
            if value is not None:
                yield (
                    f"{path.name}, {scores.topic} {scores.run}",
                    Judged(
                        by=by,
                        topic=scores.topic,
                        docno="",
                        answer="\n".join(texts),
                        criterion=(CONTRACTOR if by == "contractor" else "") + criterion,
                        value=value,
                        role=ROLES[by],
                        key=response_key(texts),
                    ),
                )


def read_list_files(paths: Sequence[Path], context: CheckContext) -> Iterator[Placed | Issue]:
    """Nugget lists, frozen, and the nuggets found in the responses; all strings of a question are reviewed.

    An item number or docid that does not fit the run's strings is an error; a piece that is not in its string is
    named, and the mark stands without it.
    """
    del context
    lists: dict[str, dict[str, set[int]]] = {"author": {}, "other": {}}
    marks: dict[str, list[Path]] = {}
    for path in sorted(paths, key=lambda path: path.name):
        found = _NAME.fullmatch(path.name)
        if found is None:
            message = "The name must be author.<n>, other.<n>, sys.author.<n> or sys.other.<n>. Rename the file."
            yield Issue(where=path.name, code="file-name", message=message)
        elif found[1]:
            marks.setdefault(found[2], []).append(path)
        else:
            yield from _list_deeds(path, found[2], "" if found[3] == "all" else found[3], lists[found[2]])
    for owner, files in marks.items():
        yield from _mark_deeds(files, owner, lists[owner])


def _list_deeds(path: Path, owner: str, topic: str, lists: dict[str, set[int]]) -> Iterator[Placed | Issue]:
    by, role = owner, ROLES[owner]
    written: list[Nugget] = []
    for record in read_file(path, lambda stream: read_definition_nuggets(stream, topic)):
        if isinstance(record, Issue):
            yield record
        elif record.number in lists.setdefault(record.topic, set()):
            message = f"Nugget {record.number} of question {record.topic} stands in another file already."
            yield Issue(where=path.name, code="duplicate", message=f"{message} Keep one of the files.")
        else:
            lists[record.topic].add(record.number)
            written.append(record)
    for nugget in written:
        yield (
            f"{path.name}, nugget {nugget.number}",
            NuggetWritten(
                by=by,
                topic=nugget.topic,
                number=nugget.number,
                importance=nugget.importance,
                text=nugget.text,
                role=role,
            ),
        )
    for number in dict.fromkeys(nugget.topic for nugget in written):
        yield path.name, ListFrozen(by=by, topic=number, role=role)


def _mark_deeds(paths: Sequence[Path], owner: str, lists: dict[str, set[int]]) -> Iterator[Placed | Issue]:
    strings: Strings = {}
    yield from _strings(paths[0].parent, strings)
    for path in paths:
        for record in read_file(path, read_pieces):
            if isinstance(record, Issue):
                yield record
            elif strings:
                yield from _match(path, owner, record, strings, lists)
    for (topic, _), items in sorted(strings.items()):
        if topic in lists:
            for item in items:
                place = f"{paths[0].name}, {topic}"
                yield (
                    place,
                    Reviewed(by=owner, topic=topic, docno=item.docno, answer=item.text, role=ROLES[owner]),
                )


def _match(
    path: Path, owner: str, piece: NuggetPiece, strings: Strings, lists: dict[str, set[int]]
) -> Iterator[Placed | Issue]:
    place = f"{path.name}, {piece.topic} {piece.run} {piece.item}"
    items = strings.get((piece.topic, piece.run), [])
    if not 1 <= piece.item <= len(items):
        message = f"Run {piece.run} has {len(items)} strings for question {piece.topic}, not {piece.item}."
        yield Issue(where=place, code="no-item", message=f"{message} Correct the item's number.")
        return
    item = items[piece.item - 1]
    if piece.number not in lists.get(piece.topic, ()):
        message = f"There is no nugget {piece.number} on the {owner}'s list of question {piece.topic}. Add it there."
        yield Issue(where=place, code="unknown-nugget", message=message)
        return
    if piece.docno != item.docno:
        message = f"The string is from {item.docno or 'no document'}, not from {piece.docno or 'none'}. Correct one."
        yield Issue(where=place, code="docid-differs", message=message)
        return
    quote = _verbatim(piece.text, item.text)
    if not quote:
        message = "The piece is not in the string; the nugget is marked without it."
        yield Issue(where=place, code="piece-differs", message=message, severity="warning")
    yield (
        place,
        Matched(
            by=owner,
            topic=piece.topic,
            docno=item.docno,
            answer=item.text,
            number=piece.number,
            part=piece.part,
            quote=quote,
            role=ROLES[owner],
        ),
    )


def _verbatim(piece: str, text: str) -> str:
    """The piece as it stands in the text, white space apart; "" where it does not."""
    found = re.search(r"\s+".join(map(re.escape, piece.split())), text)
    return found.group() if found else ""


def _strings(folder: Path, found: Strings) -> Iterator[Issue]:
    """Fill in the strings of the runs beside a file; an issue where there are none, or a file of them is broken."""
    for record in strings_beside(folder):
        if not isinstance(record, Issue):
            found.setdefault((record.topic, record.run), []).append(record)
        elif record.severity == "error":
            yield record
    if not found:
        message = "There are no runs beside this file, so nobody can tell what it speaks of. Add Q.<n>, or runs/."
        yield Issue(where="", code="no-runs", message=message)
