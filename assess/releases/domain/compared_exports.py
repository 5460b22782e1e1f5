"""Check that the campaign made from a release gives the same exports as the release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest

from django.utils.translation import gettext_noop as noop

from assess.base.errors import Invalid
from assess.base.sentences import Sentence
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.exports.writing import export_lines, single_files
from assess.jobs.progress import ReportProgress, report_progress
from assess.judging.snapshots import Snapshot
from assess.protocol import Export
from scoring.formats.judgments_jsonl import acts_of, write_judgments
from scoring.reading.opening import excerpt_of
from scoring.release.releases import EXPORTS, BadRelease, Release
from scoring.uncollected import uncollected


@uncollected()
def require_same_exports(campaign: Campaign, release: Release, progress: ReportProgress) -> None:
    """Refuse a release whose exports differ from those of the campaign made from its judgments.

    The first line that differs is named. Exports of runs are not compared if the file of a run is left out. It takes as
    long as writing all exports, and keeps one line at a time in memory.
    """
    is_whole = all(run["file"] is not None for run in release.manifest["runs"])
    snapshot = Snapshot(campaign)
    for export in track_of(campaign).exports:
        if export.is_of_runs and not is_whole:
            continue
        name = f"{EXPORTS}/{export.name}"
        lines = report_progress(
            export_lines(snapshot, export), progress, unit="lines", note=noop("comparing %(name)s"), name=name
        )
        found = _difference(_lines_of(release, name), lines)
        if found is not None and export.collect == "everything":  # acts may stand in any order
            ordered = write_judgments(acts_of(release.path(name)))
            found = _difference((f"{line}\n" for line in ordered), export_lines(snapshot, export))
        _require_none(found, name)
        for single, own in _singles(release, export):
            place = f"{EXPORTS}/{single}"
            _require_none(_difference(_lines_of(release, place), own), place)


def _singles(release: Release, export: Export) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the files of single topics that follow from an export that was compared."""
    with release.path(f"{EXPORTS}/{export.name}").open(encoding="utf-8", newline="\n") as written:
        for name, lines in single_files(export, (line.removesuffix("\n") for line in written)):
            yield name, (f"{line}\n" for line in lines)


def _lines_of(release: Release, name: str) -> Iterator[str]:
    path = release.path(name)
    if not path.is_file():
        raise BadRelease(f"it has no {name}, which follows from what people did")
    with path.open(encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        yield from file


def _difference(said: Iterable[str], again: Iterable[str]) -> tuple[int, str, str] | None:
    """Return the first line that differs: its number, its text, and the expected text; or None."""
    pairs = enumerate(zip_longest(said, again, fillvalue=""), start=1)
    return next(((number, one, other) for number, (one, other) in pairs if one != other), None)


def _require_none(difference: tuple[int, str, str] | None, name: str) -> None:
    if difference is not None:
        number, said, again = difference
        raise Invalid(
            Sentence(
                "Nothing was loaded: %(name)s, line %(line)s: it says “%(said)s”, and “%(again)s” follows from what "
                "people did.",
                name=name,
                line=number,
                said=excerpt_of(said),
                again=excerpt_of(again),
            )
        )
