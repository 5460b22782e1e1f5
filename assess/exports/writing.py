"""Writing a campaign's exports: what the track lists, by its collectors, from the ledgers as they stood at a point."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from assess.assignments.models import Assignment
from assess.assignments.queries.pseudonyms import pseudonyms
from assess.campaigns.models import Campaign
from assess.campaigns.queries import settings_of, track_of
from assess.exports.parts import narrowed, part_values
from assess.exports.queries import returned, topics
from assess.items.models import Item
from assess.jobs.progress import JobProgress, ReportProgress, no_report, report_step
from assess.judging.snapshots import Snapshot
from assess.kinds.base import Collector, kinds
from assess.protocol import Export
from scoring.folding import answer_key
from scoring.release.recorded_acts import RecordedAct, TopicMarks

# Everything that people said, as the acts of judgments.jsonl: current words of all assessors, by role.

ROLES = {Assignment.Role.PRIMARY.value: "", Assignment.Role.SECOND.value: "second"}


def everything(snapshot: Snapshot) -> Iterator[RecordedAct]:
    """The acts of a campaign up to a ledger point, official or not, kind by kind. What was taken back is left out.

    Of a snapshot of some topics, those of these topics alone.
    """
    for said in everything_at_once(snapshot):
        yield from said.acts() if isinstance(said, TopicMarks) else (said,)


def everything_at_once(snapshot: Snapshot) -> Iterator[RecordedAct | TopicMarks]:
    """The same with all marks of a topic at once, where a kind of work has many: what exports are written of."""
    names, topics = pseudonyms(snapshot.campaign), snapshot.topics
    said = chain.from_iterable(kind.acts(snapshot, names) for kind in kinds().values() if kind.acts is not None)
    return said if topics is None else (each for each in said if each.topic in topics)


def role_of(role: str) -> str:
    """A role of work as acts name it: "" for who has it first."""
    return ROLES.get(role, role)


def named_item(item: Item) -> dict[str, str]:
    """How acts name an item: by docno and string, and by its key where that does not follow from these."""
    return named(item.key, item.text, item.docno)


def named(key: str, text: str, docno: str) -> dict[str, str]:
    """How acts name an item with this key, text and docno."""
    return {"docno": docno, "answer": text, "key": own_key_of(key, text, docno)}


def own_key_of(key: str, text: str, docno: str) -> str:
    """An item's key, or "" where it follows from its text and docno."""
    return "" if key == answer_key(text, docno) else key


# Where the records of exports come from, by the keys that tracks name: for any track, and from kinds of work.

OF_ANY_TRACK: dict[str, Collector] = {"topics": topics, "returned": returned, "everything": everything_at_once}


def collectors() -> dict[str, Collector]:
    """All collectors by key. Two with one key are a bug and crash loudly."""
    found = dict(OF_ANY_TRACK)
    for kind in kinds().values():
        if twice := found.keys() & kind.collectors.keys():
            raise LookupError(f"the kind of work {kind.key} brings collectors that are there: {sorted(twice)}")
        found |= kind.collectors
    return found


# Writing a campaign's exports: what the track lists, from the ledgers as they stood at a point.

MANIFEST = "manifest.json"
LINES_AT_ONCE = 100
"""Lines that are encoded and written together: some are long."""


def find_export(campaign: Campaign, name: str) -> Export | None:
    """The export of the campaign's track with this name, or None. A file of a single topic is one with its lines."""
    exports = track_of(campaign).exports
    found = next((export for export in exports if export.name == name), None)
    return found or next((one for export in exports if (one := _single(campaign, export, name)) is not None), None)


def _single(campaign: Campaign, export: Export, name: str) -> Export | None:
    """The file of a single topic that an export is written as, too, where it is called so; else None."""
    before, _, after = export.single.partition("{}")
    number = name.removeprefix(before).removesuffix(after)
    if export.split is None or name != export.single.format(number):
        return None
    if not campaign.topics.filter(number=number).exists():
        return None
    write, split = export.write, export.split

    def lines(records: Iterable[Any], **values: Any) -> Iterator[str]:
        return (line for topic, line in split(write(records, **values)) if topic == number)

    return replace(export, name=name, write=lines, single="", split=None)


def collect_records(snapshot: Snapshot, export: Export) -> Iterable[Any]:
    """The records of one export, from the collector that the track names for it, with the track's options."""
    return collectors()[export.collect](snapshot, **export.options)


def export_lines(snapshot: Snapshot, export: Export) -> Iterator[str]:
    """The lines of one export, each with its line end; the same for the same ledger point, always."""
    return (line + "\n" for line in bare_lines(snapshot, export))


def bare_lines(snapshot: Snapshot, export: Export) -> Iterator[str]:
    """The lines of one export without their ends; of a snapshot of a part, that part's."""
    records = narrowed(snapshot, collect_records(snapshot, export), is_of_all=export.collect == "everything")
    yield from export.lines(records, settings_of(snapshot.campaign))


def single_files(export: Export, lines: Iterable[str]) -> Iterator[tuple[str, Iterator[str]]]:
    """(name, lines) of the files of single topics that an export is written as, too; ``lines`` are its own, bare.

    Each file's lines have to be taken before the next file is asked for.
    """
    if export.split is not None:
        for number, found in groupby(export.split(lines), key=itemgetter(0)):
            yield export.single.format(number), (line for _, line in found)


def write_exports(snapshot: Snapshot, folder: Path, progress: ReportProgress = no_report) -> dict[str, str]:
    """Write every export and the manifest into an empty folder; returns name -> sha256.

    ``progress`` hears of every thousand lines, and may stop it by raising.
    """
    digests: dict[str, str] = {}
    exports = track_of(snapshot.campaign).exports
    for done, export in enumerate(exports):
        step = JobProgress(done=done, total=len(exports), unit="files", note=f"writing {export.name}")
        lines = report_step(bare_lines(snapshot, export), progress, step)
        digests[export.name] = _write(folder / export.name, lines)
        with (folder / export.name).open(encoding="utf-8", newline="\n") as written:
            for name, lines in single_files(export, (line.removesuffix("\n") for line in written)):
                digests[name] = _write(folder / name, lines)
    (folder / MANIFEST).write_bytes(manifest_of(snapshot, digests))
    return digests


def _write(path: Path, lines: Iterable[str]) -> str:
    """Write a file of lines, given without their ends; returns its sha256."""
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for block in in_blocks(lines):
            digest.update(block)
            file.write(block)
    return digest.hexdigest()


def in_blocks(lines: Iterable[str]) -> Iterator[bytes]:
    """Yield lines, given without their ends, as bytes, so many at once as have no need to be few."""
    remaining = iter(lines)
    while some := list(islice(remaining, LINES_AT_ONCE)):
        some.append("")
        yield "\n".join(some).encode()


def manifest_of(snapshot: Snapshot, digests: dict[str, str]) -> bytes:
    """The manifest: which campaign, track, settings, ledger point and part, and the digest of each file. No clock."""
    campaign = snapshot.campaign
    values = {
        "campaign": campaign.slug,
        "track": campaign.track,
        "settings": campaign.settings,
        "as_of": snapshot.as_of,
        "files": digests,
    } | part_values(snapshot)
    return (json.dumps(values, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode()
