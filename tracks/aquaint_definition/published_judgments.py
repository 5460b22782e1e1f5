"""Read the pilot's judgment files as acts: holistic scores, nugget lists, and where nuggets were found.

Files name runs and the numbers of their strings; acts name items. So the strings of the runs beside the files (Q.<n>,
or run files) are read, too. A judgment of one response is kept for that response, even if another run returned the
same. In a campaign that judges equal items once, an item gets a key of its own if the files judge it differently from
its equals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from assess.protocol import CheckContext
from scoring.formats.definition_judgments import (
    HolisticScores,
    Pair,
    read_comments,
    read_definition_nuggets,
    read_holistic,
)
from scoring.own_items import own_key
from scoring.reading.opening import CannotOpen, open_input
from scoring.records import Issue, Nugget
from scoring.release.recorded_acts import Judged, ListFrozen, NuggetWritten
from tracks.aquaint_definition.files import read_file, response_key
from tracks.aquaint_definition.found_nuggets import ROLES, Lists, Placed, Strings, mark_acts, read_strings
from tracks.aquaint_definition.gold import CONTENT, CONTRACTOR, ORGANIZATION

HOLISTIC_FILES = ("holistic", "holistic.txt")
LIST_FILES = ("author.*", "other.*", "sys.author.*", "sys.other.*")

_NAME = re.compile(r"(?:.*[-_])?(sys\.)?(author|other)\.([^.]+)(?:\.gz|\.zst|\.txt)?")


def read_holistic_files(paths: Sequence[Path], context: CheckContext) -> Iterator[Placed | Issue]:
    """Yield each score as a judgment of the whole response, which may be empty. Issues of the files come first. If
    there are no runs beside the files, no judgment is yielded.
    """
    read: list[tuple[Path, HolisticScores]] = []
    strings: Strings = {}
    for path in paths:
        for record in read_file(path, read_holistic):
            if isinstance(record, Issue):
                yield record
                continue
            if not read:
                yield from read_strings(path.parent, strings)
            read.append((path, record))
    if not strings:
        return
    texts = {place: [item.text for item in items] for place, items in strings.items()}
    alike: dict[tuple[str, str], list[HolisticScores]] = {}
    for _, scores in read:
        key = response_key(texts.get((scores.topic, scores.run), ()))
        alike.setdefault((scores.topic, key), []).append(scores)
    for path, scores in read:
        given = texts.get((scores.topic, scores.run), [])
        key = response_key(given)
        others = alike[scores.topic, key]
        differ = any(replace(each, run=scores.run) != scores for each in others)
        if differ or not given or context.settings.judge_each:
            key = own_key(key, scores.run)
        elif others[0] is not scores:
            continue  # yielded for the first of them, and so valid for all
        yield from _holistic_acts(path, scores, given, key)


def comments_of(paths: Sequence[Path]) -> dict[str, object]:
    """Return the setting for the comments that come before the scores, with its value. They are taken from the first
    file. Return {} if it can't be opened or its comments are not text.
    """
    for path in paths[:1]:
        with suppress(CannotOpen), open_input(path) as stream:
            if (comments := read_comments(stream)) is not None:
                return {"holistic_comments": comments}
    return {}


def _holistic_acts(path: Path, scores: HolisticScores, given: Sequence[str], key: str) -> Iterator[Placed]:
    pairs: tuple[tuple[str, Pair], ...] = (
        ("contractor", scores.contractor),
        ("author", scores.author),
        ("other", scores.other),
    )
    for by, pair in pairs:
        for criterion, value in zip((CONTENT, ORGANIZATION), pair, strict=True):
            if value is not None:
                yield (
                    f"{path.name}, {scores.topic} {scores.run}",
                    Judged(
                        by=by,
                        topic=scores.topic,
                        docno="",
                        answer="\n".join(given),
                        criterion=(CONTRACTOR if by == "contractor" else "") + criterion,
                        value=value,
                        role=ROLES[by],
                        key=key,
                    ),
                )


def read_list_files(paths: Sequence[Path], context: CheckContext) -> Iterator[Placed | Issue]:
    """Yield the acts that freeze nugget lists, mark the nuggets found in responses, and finish all strings of a
    question.

    An item number or docid that does not fit the run's strings is an error. A piece that is not in its string is
    reported, and kept as it is.
    """
    lists: Lists = {"author": {}, "other": {}}
    marks: dict[str, list[Path]] = {}
    for path in sorted(paths, key=lambda path: path.name):
        found = _NAME.fullmatch(path.name)
        if found is None:
            message = "The name must be author.<n>, other.<n>, sys.author.<n> or sys.other.<n>. Rename the file."
            yield Issue(where=path.name, code="file-name", message=message)
        elif found[1]:
            marks.setdefault(found[2], []).append(path)
        else:
            yield from _list_acts(path, found[2], "" if found[3] == "all" else found[3], lists[found[2]])
    if marks:
        yield from mark_acts(marks, lists, each=context.settings.judge_each)


def _list_acts(path: Path, owner: str, topic: str, lists: dict[str, dict[int, Nugget]]) -> Iterator[Placed | Issue]:
    by, role = owner, ROLES[owner]
    written: list[Nugget] = []
    for record in read_file(path, lambda stream: read_definition_nuggets(stream, topic)):
        if isinstance(record, Issue):
            yield record
            continue
        known = lists.setdefault(record.topic, {})
        if record.number not in known:
            known[record.number] = record
            written.append(record)
        elif known[record.number] != record:
            message = f"Nugget {record.number} of question {record.topic} stands in another file already."
            yield Issue(where=path.name, code="duplicate", message=f"{message} Keep one of the files.")
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
