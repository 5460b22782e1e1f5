"""Writing a campaign's exports: the files that the track lists, made by its collectors as of a ledger point."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
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
from assess.jobs.progress import WRITING, JobProgress, ReportProgress, no_report, report_step
from assess.judging.snapshots import Snapshot
from assess.kinds.base import Collector, kinds
from assess.protocol import Export
from scoring.folding import answer_key, answer_keys
from scoring.release.recorded_acts import RecordedAct, TopicMarks

# All recorded opinions, as the acts of judgments.jsonl: the current opinions of all assessors, by role.

ROLES = {Assignment.Role.PRIMARY.value: "", Assignment.Role.SECOND.value: "second"}


def everything(snapshot: Snapshot) -> Iterator[RecordedAct]:
    """Return the acts of a campaign up to a ledger point, official or not, kind by kind, without withdrawn ones.

    If the snapshot names topics, only their acts are returned.
    """
    for said in everything_at_once(snapshot):
        yield from said.acts() if isinstance(said, TopicMarks) else (said,)


def everything_at_once(snapshot: Snapshot) -> Iterator[RecordedAct | TopicMarks]:
    """Return the acts of `everything`, but all marks of a topic as one `TopicMarks` where a kind of work has very many.
    Exports are written from this.
    """
    names, topics = pseudonyms(snapshot.campaign), snapshot.topics
    said = chain.from_iterable(kind.acts(snapshot, names) for kind in kinds().values() if kind.acts is not None)
    return said if topics is None else (each for each in said if each.topic in topics)


def role_of(role: str) -> str:
    """Return a role as acts name it: "" for the primary assessor."""
    return ROLES.get(role, role)


def named_item(item: Item) -> dict[str, str]:
    """Return how acts name an item: by docno and string, and by its key unless that follows from these."""
    return named(item.key, item.text, item.docno)


def named(key: str, text: str, docno: str) -> dict[str, str]:
    """Return how acts name an item with this key, text and docno."""
    return {"docno": docno, "answer": text, "key": own_key_of(key, text, docno)}


def own_key_of(key: str, text: str, docno: str) -> str:
    """Return an item's key, or "" if it follows from its text and docno."""
    return "" if key == answer_key(text, docno) else key


def own_keys_of(keys: Iterable[str], texts: Sequence[str], docnos: Sequence[str]) -> list[str]:
    """Return the `own_key_of` of each key, text and docno, in half of the time."""
    return ["" if key == made else key for key, made in zip(keys, answer_keys(texts, docnos), strict=True)]


# The collectors of exports by the keys that tracks name: those for any track, and those of kinds of work.

OF_ANY_TRACK: dict[str, Collector] = {"topics": topics, "returned": returned, "everything": everything_at_once}


def collectors() -> dict[str, Collector]:
    """Return all collectors by key. Two collectors with one key are a bug and raise `LookupError`."""
    found = dict(OF_ANY_TRACK)
    for kind in kinds().values():
        if twice := found.keys() & kind.collectors.keys():
            raise LookupError(f"the kind of work {kind.key} brings collectors that are there: {sorted(twice)}")
        found |= kind.collectors
    return found


# Writing the files that the track lists, as of a ledger point.

MANIFEST = "manifest.json"
LINES_AT_ONCE = 100
"""The number of lines that are encoded and written together; some lines are long."""


def find_export(campaign: Campaign, name: str) -> Export | None:
    """Return the export of the campaign's track with this name, or None.

    The file of a single topic is returned as an export of only its lines.
    """
    exports = track_of(campaign).exports
    found = next((export for export in exports if export.name == name), None)
    return found or next((one for export in exports if (one := _single(campaign, export, name)) is not None), None)


def _single(campaign: Campaign, export: Export, name: str) -> Export | None:
    """Return the export limited to a single topic if this is the name of such a file, else None."""
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
    """Return the records of one export, from the collector that the track names, with the track's options."""
    return collectors()[export.collect](snapshot, **export.options)


def in_turn(exports: Iterable[Export]) -> list[Export]:
    """Return the exports in the order in which they are written: first all recorded opinions, since their collectors
    keep for the others in the same snapshot which of them count.
    """
    return sorted(exports, key=lambda export: export.collect != "everything")


def export_lines(snapshot: Snapshot, export: Export) -> Iterator[str]:
    """Yield the lines of one export with their line ends. The same ledger point always gives the same lines."""
    return (line + "\n" for line in bare_lines(snapshot, export))


def bare_lines(snapshot: Snapshot, export: Export) -> Iterator[str]:
    """Yield the lines of one export, or of the snapshot's part of it, without their line ends."""
    records = narrowed(snapshot, collect_records(snapshot, export), is_of_all=export.collect == "everything")
    yield from export.lines(records, settings_of(snapshot.campaign))


def single_files(export: Export, lines: Iterable[str]) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield (name, lines) of the single-topic files of an export. ``lines`` are the lines of the export itself, without
    line ends.

    Each file's lines must be consumed before the next file is asked for.
    """
    if export.split is not None:
        for number, found in groupby(export.split(lines), key=itemgetter(0)):
            yield export.single.format(number), (line for _, line in found)


def write_exports(snapshot: Snapshot, folder: Path, progress: ReportProgress = no_report) -> dict[str, str]:
    """Write every export and the manifest into an empty folder; return name -> sha256.

    ``progress`` is called every thousand lines, and may stop it by raising.
    """
    exports = track_of(snapshot.campaign).exports
    written: dict[str, dict[str, str]] = {export.name: {} for export in exports}
    for done, export in enumerate(in_turn(exports)):
        step = JobProgress(done=done, total=len(exports), unit="files", note=WRITING, values={"name": export.name})
        lines = report_step(bare_lines(snapshot, export), progress, step)
        digests = written[export.name]
        digests[export.name] = _write(folder / export.name, lines)
        with (folder / export.name).open(encoding="utf-8", newline="\n") as all_lines:
            for name, lines in single_files(export, (line.removesuffix("\n") for line in all_lines)):
                digests[name] = _write(folder / name, lines)
    digests = {name: digest for each in written.values() for name, digest in each.items()}
    (folder / MANIFEST).write_bytes(manifest_of(snapshot, digests))
    return digests


def _write(path: Path, lines: Iterable[str]) -> str:
    """Write a file of lines, given without their line ends; return its sha256."""
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for block in in_blocks(lines):
            digest.update(block)
            file.write(block)
    return digest.hexdigest()


def in_blocks(lines: Iterable[str]) -> Iterator[bytes]:
    """Yield lines, given without their line ends, as bytes in blocks of `LINES_AT_ONCE`."""
    remaining = iter(lines)
    while some := list(islice(remaining, LINES_AT_ONCE)):
        some.append("")
        yield "\n".join(some).encode()


def manifest_of(snapshot: Snapshot, digests: dict[str, str]) -> bytes:
    """Return the manifest: campaign, track, settings, ledger point, part, and the digest of each file, but no time."""
    campaign = snapshot.campaign
    values = {
        "campaign": campaign.slug,
        "track": campaign.track,
        "settings": campaign.settings,
        "as_of": snapshot.as_of,
        "files": digests,
    } | part_values(snapshot)
    return (json.dumps(values, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode()
