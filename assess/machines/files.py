"""Read the files of a machine judge: recorded judgments, qrels, nugget banks, and files that the track reads."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import BinaryIO

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from assess.base.errors import Invalid
from assess.base.file_issues import Collector, in_file
from assess.base.sentences import Sentence
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.judging.queries.stage_items import graded_stages
from assess.kinds.base import PlacedAct
from assess.protocol import Criterion, JudgmentFile
from assess.runs.domain.checking import check_context
from scoring.file_kinds import Kind, of_another_kind, recognise_path
from scoring.formats.json_ranked import read_any_numbered_qrels
from scoring.formats.judgments_jsonl import read_numbered_judgments
from scoring.formats.nugget_banks import is_nugget_bank, unwrapped
from scoring.formats.rag_nuggets import read_numbered_nuggets
from scoring.reading.json_values import json_values
from scoring.reading.opening import CannotOpen, open_input
from scoring.reading.scratch import scratch_folder
from scoring.reading.unpacking import plain_name
from scoring.records import Issue, OwnedNugget
from scoring.release.recorded_acts import Judged, ListFrozen, NuggetWritten, RecordedAct

JUDGMENTS, QRELS, BANK = "judgments", "qrels-plain", "nugget-bank"
PLAIN = {
    JUDGMENTS: gettext_lazy("Recorded judgments of one judge (judgments.jsonl)"),
    QRELS: gettext_lazy("Qrels: topic, iteration, document or item key, grade; also of BEIR and umbrela, and as JSON"),
    BANK: gettext_lazy("Nugget lists: banks (version 3), and nuggetizer's JSON lines"),
}
QRELS_KINDS = ("qrels", "candidates")
"""The kinds of files with judgments of documents. Candidates are those that umbrela has judged."""
BY = "machine"


def kinds_of(campaign: Campaign) -> dict[str, str | Promise]:
    """Return the kinds of files that can be read for a machine judge, with their labels."""
    own = {each.key: each.label for each in track_of(campaign).judgment_files}
    return {**PLAIN, **own}


def read_files(
    campaign: Campaign, paths: Sequence[Path], *, kind: str = "", criterion: str = ""
) -> Iterator[PlacedAct | Issue]:
    """Yield the acts of these files, each with its place, and an issue for each line that can't be read. ``kind`` ""
    recognises each file by content and name.

    Plain qrels need a ``criterion`` if the track grades by more than one. Refused: an unknown kind or criterion, and a
    file whose kind can't be recognised. Recorded judgments of several judges in one file are an error.
    """
    if kind and kind not in kinds_of(campaign):
        raise Invalid(
            gettext("“%(kind)s” is not a kind of file that is read here. Known: %(kinds_of)s.")
            % {"kind": kind[:40], "kinds_of": ", ".join(kinds_of(campaign))}
        )
    by_kind: dict[str, list[Path]] = {}
    for path in paths:
        by_kind.setdefault(kind or _kind(campaign, path), []).append(path)
    several = len(paths) > 1
    for each, found in by_kind.items():
        if each in PLAIN:
            for path in found:
                yield from _placed(path, _plain(campaign, each, path, criterion), several)
        else:
            reader = next(file for file in track_of(campaign).judgment_files if file.key == each)
            yield from reader.read(found, check_context(campaign))


def _placed(path: Path, read: Iterator[PlacedAct | Issue], several: bool) -> Iterator[PlacedAct | Issue]:
    for each in read:
        if not several:
            yield each
        elif isinstance(each, Issue):
            yield in_file(path.name, each)
        else:
            yield f"{path.name}:{each[0]}", each[1]


def _plain(campaign: Campaign, kind: str, path: Path, criterion: str) -> Iterator[PlacedAct | Issue]:
    try:
        with open_input(path) as file:
            if kind == JUDGMENTS:
                yield from _of_one_judge(read_numbered_judgments(file))
            elif kind == BANK:
                yield from _lists(read_numbered_nuggets(file))
            else:
                asked = _criterion(campaign, criterion)
                for each in read_any_numbered_qrels(file):
                    if isinstance(each, Issue):
                        yield each
                    elif asked.allows(each[1].grade) or each[1].grade != -1:  # -1 in qrels is unjudged
                        yield each[0], _graded(each[1].topic, each[1].docno, asked.key, each[1].grade)
    except CannotOpen as error:
        yield Issue(where="", code="cannot-open", message=str(error))


def _of_one_judge(read: Iterator[tuple[int, RecordedAct] | Issue]) -> Iterator[PlacedAct | Issue]:
    """Yield the acts, and an error for each act of a judge other than the first."""
    first = ""
    for each in read:
        if not isinstance(each, Issue):
            first = first or each[1].by
            if each[1].by != first:
                message = (
                    f"This is {each[1].by[:40]}'s, and the lines before are {first[:40]}'s. Leave one judge's only."
                )
                yield Issue(where=each[0], code="another-judge", message=message)
                return
        yield each


def _graded(topic: str, docno: str, criterion: str, grade: int) -> Judged:
    return Judged(by=BY, topic=topic, docno=docno, answer="", key=docno, criterion=criterion, value=grade)


def _lists(read: Iterator[tuple[int, OwnedNugget] | Issue]) -> Iterator[PlacedAct | Issue]:
    """Yield the nuggets of lists as written, with each topic's list frozen after its last nugget."""
    last: dict[str, int] = {}
    for each in read:
        if isinstance(each, Issue):
            yield each
            continue
        number, nugget = each
        last[nugget.topic] = number
        yield (
            number,
            NuggetWritten(
                by=BY,
                topic=nugget.topic,
                number=nugget.number,
                importance=nugget.importance,
                text=nugget.text,
                group=nugget.group,
                fields=nugget.fields,
            ),
        )
    for topic, number in last.items():
        yield number, ListFrozen(by=BY, topic=topic)


def _criterion(campaign: Campaign, wanted: str) -> Criterion:
    """Return the criterion by which plain qrels grade: the wanted one or, if none is named, the only one. Refuse an
    unknown name, and no name if there are several.
    """
    asked = {each.key: each for _, stage in graded_stages(campaign) for each in stage.criteria}
    if wanted in asked:
        return asked[wanted]
    if len(asked) == 1 and not wanted:
        return next(iter(asked.values()))
    known = ", ".join(asked) or "none"
    raise Invalid(
        Sentence("Plain qrels say nothing of the criterion that they grade by. Name one of: %(known)s.", known=known)
    )


def _kind(campaign: Campaign, path: Path) -> str:
    """Return the kind of a file, by its content or else its name.

    Raise `BadFile` for an empty file or one of another kind, and `Invalid` for one that can't be opened or recognised.
    """
    try:
        found = recognise_path(path)
    except CannotOpen as error:
        raise Invalid(Sentence("%(path)s can't be read: %(error)s", path=path.name, error=str(error))) from error
    own = track_of(campaign).judgment_files
    what: tuple[Kind, ...] = ("qrels",) if found.formats == ("qrels-three",) else found.kinds[:1]
    if what == ("judgments",):
        return JUDGMENTS
    if what == ("nuggets",) and is_nugget_bank(_first_value(path)):
        return BANK
    if named := next((each for each in own if _fits(path, each)), None):
        return named.key
    if told := next((each for each in own if not {*what}.isdisjoint(each.kinds)), None):
        return told.key
    if what in ((), ("nuggets",)) and _is_list(_first_value(path)):
        return BANK
    if what and what[0] in QRELS_KINDS and found.formats != ("qrels-three",):
        return QRELS
    problems = Collector()
    if found.form == "empty":
        problems(Issue(where="", code="empty-file", message="The file is empty. Check that the right file was chosen."))
    elif isinstance(first := _first(path), Issue) and (found.form == "broken json" or first.code == "nul-byte"):
        problems(first)
    elif (
        issue := of_another_kind(replace(found, kinds=what), ("judgments", "qrels", "nuggets"), formats=("qrels",))
    ) is not None:
        problems(issue)
    problems.refuse_errors(name=path.name)
    known = "; ".join(f"{key} ({label})" for key, label in kinds_of(campaign).items())
    raise Invalid(
        Sentence(
            "Nobody can tell what kind of file %(path)s is. Say which it is: %(known)s.", path=path.name, known=known
        )
    )


def _is_list(value: object) -> bool:
    """Return whether a JSON value is a topic's nugget list as `read_numbered_nuggets` reads it."""
    return any(isinstance(each, dict) and isinstance(each.get("nuggets"), list) for each in unwrapped(value))


def _first(path: Path) -> tuple[int, object] | Issue | None:
    """Return the first JSON value of a file with its line, however it is formatted, or why there is none."""
    with open_input(path) as file:
        return next(json_values(file), None)


def _first_value(path: Path) -> object:
    """Return the first JSON value of a file; None if there is none."""
    return first[1] if isinstance(first := _first(path), tuple) else None


def _fits(path: Path, file: JudgmentFile) -> bool:
    name = plain_name(path.name)
    return any(fnmatch(name, pattern) or fnmatch(path.name, pattern) for pattern in file.file_names)


@contextmanager
def named_copies(files: Iterable[tuple[str, BinaryIO]]) -> Iterator[list[Path]]:
    """Copy uploaded files into a temporary folder, under harmless versions of their names, and yield the paths."""
    with scratch_folder(prefix="assay-machine-judge-") as place:
        paths = []
        for number, (name, content) in enumerate(files, start=1):
            plain = re.sub(r"[^A-Za-z0-9._-]+", "_", name.replace("\\", "/").rpartition("/")[2]).lstrip(".")[-100:]
            folder = place / str(number)
            folder.mkdir()
            paths.append(folder / (plain or "file"))
            with paths[-1].open("wb") as copy:
                shutil.copyfileobj(content, copy)
        yield paths
