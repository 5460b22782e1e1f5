"""All recorded opinions for programs: all lines of judgments.jsonl, or the changes since a ledger point."""

from __future__ import annotations

import heapq
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice
from operator import itemgetter
from typing import IO, Any

from django.contrib.auth.models import User
from django.utils.translation import gettext

from assess.assignments.queries.topics import topics_of_added_rows
from assess.base.errors import Invalid, NotFound
from assess.campaigns.models import Campaign
from assess.campaigns.queries import point_named, track_of
from assess.exports.kept import exports_point, file_pieces
from assess.exports.writing import everything, in_blocks
from assess.judging.snapshots import Snapshot
from assess.protocol import Export
from assess.web.turns import own_turn
from scoring.formats.act_places import act_place, place_order
from scoring.formats.judgments_jsonl import LINES_AT_ONCE, act_line
from scoring.reading.json_reading import read_json
from scoring.reading.sorting import sorted_externally, without_repeats

TAKE_BACK = "take_back"
"""The value of "do" in a line that takes another line back."""


def judgments_point(campaign: Campaign, as_of: str, since: str) -> tuple[int, int]:
    """Return the ledger points that an address names: lines are asked for up to the first point and after the second
    (0: all lines).

    Without ``as_of``, changes are given up to the newest point. For all lines, the point is then chosen by
    `exports_point`, which prefers exports that are made already. Raises `Invalid` for a text that is not a ledger point
    reached so far, and for a ``since`` beyond ``as_of``.
    """
    if not since.strip():
        return exports_point(Snapshot(campaign), as_of, made_will_do=True), 0
    upto, after = point_named(campaign, as_of), point_named(campaign, since, field="since")
    if after > upto:
        raise Invalid(
            gettext("since=%(after)s is beyond as_of=%(upto)s. Give a point up to that one.")
            % {"after": after, "upto": upto},
            field="since",
        )
    return upto, after


def judgments_file(*, actor: User, snapshot: Snapshot, since: int) -> IO[bytes]:
    """Return a file of the lines, opened for reading; it is deleted when the caller closes it.

    It has all lines if ``since`` is 0, else those of `changed_lines`. Large files are made one at a time in a process,
    so this call may wait for its turn (`own_turn`). Raises `StillExporting` if the worker has to make all lines of a
    large campaign first.
    """
    with own_turn():
        if since:
            pieces = in_blocks(changed_lines(snapshot, since))
        else:
            pieces = file_pieces(actor=actor, snapshot=snapshot, export=_export_of(snapshot.campaign))
        made = tempfile.TemporaryFile()  # noqa: SIM115 (the caller closes it)
        made.writelines(pieces)
    made.seek(0)
    return made


class ActsInFile(Sequence[dict[str, Any]]):
    """The lines of a judgments file as JSON objects; memory holds only the page that is asked for."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._lines = sum(1 for _ in file)

    def __len__(self) -> int:
        return self._lines

    def __getitem__(self, place: Any) -> Any:
        """Return the objects of a slice, in their order."""
        self._file.seek(0)
        return [read_json(line) for line in islice(self._file, place.start, place.stop)]


def changed_lines(snapshot: Snapshot, since: int) -> Iterator[str]:
    """Yield the changes that turn the lines of ledger point ``since`` into those of the snapshot, topic by topic.

    A new line is yielded as it is; a removed line is yielded inside a line that takes it back. Only topics with rows
    between the two points are read, and those twice. What is not in a ledger (who has which assignment, which topics
    count) is read in its current state for both points. It uses as much memory as writing the file. Raises `Invalid` if
    the snapshot's point is not reached yet.
    """
    topics = topics_of_added_rows(snapshot.campaign, after=since, upto=snapshot.reached())
    if not topics:
        return
    before, now = _in_order(replace(snapshot, as_of=since, topics=topics)), _in_order(replace(snapshot, topics=topics))
    merged = heapq.merge(((line, False) for line in before), ((line, True) for line in now))
    for (*_, line), found in groupby(merged, key=itemgetter(0)):
        sides = {is_now for _, is_now in found}
        if sides == {True}:
            yield line
        elif sides == {False}:
            yield json.dumps({"act": read_json(line), "do": TAKE_BACK}, ensure_ascii=False, sort_keys=True)


def _in_order(snapshot: Snapshot) -> Iterator[tuple[Any, int, int, str]]:
    """Yield the lines of a snapshot in the order of judgments.jsonl, each preceded by its sort key."""
    placed = ((*place_order(act_place(act)), act_line(act)) for act in everything(snapshot))
    return without_repeats(sorted_externally(placed, at_once=LINES_AT_ONCE))


def _export_of(campaign: Campaign) -> Export:
    """Return the export with all recorded opinions. Raises `NotFound` if the campaign's track has none."""
    found = next((each for each in track_of(campaign).exports if each.collect == "everything"), None)
    if found is None:
        raise NotFound(gettext("This evaluation has no file of everything that people said."))
    return found
