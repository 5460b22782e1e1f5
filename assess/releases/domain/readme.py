"""The README of a release, which explains each file to somebody who has nothing but the release."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assess.base.wording import counted
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.protocol import Export
from scoring.release.releases import (
    ACCEPTANCES,
    AGREEMENTS,
    DESIGN,
    DESIGNS,
    DRAFTS,
    JUDGMENT_TABLE,
    LEFT_ITEMS,
    TOPIC_CHANGES,
    TRANSLATIONS,
)

TEMPLATE = Path(__file__).with_name("readme.md").read_text(encoding="utf-8")


BEGINNINGS = {
    JUDGMENT_TABLE: "exports/judgments.jsonl as a table (Parquet), a row a line; what a match says is in `mark`",
    LEFT_ITEMS: "what was judged and then left the pools, such as what a withdrawn run returned, as in items.jsonl",
    DESIGN: "the evaluation itself: what was asked, on which scales, and how it is scored",
    f"{DESIGNS}/1.toml": "the first version of it; the folder has every version, and the highest number is design.toml",
    TOPIC_CHANGES: "which topics were amended (with both wordings), dropped, restored or removed, and why",
    DRAFTS: "how topics came about, act by act: drafts and what was found for them; the author's word is not changed",
    TRANSLATIONS: "which documents were shown with a translation: language, what made it, sha256 of its text",
    AGREEMENTS: "the versions of the user agreement, each with the day on which it was published",
    ACCEPTANCES: "which team accepted which version on which day, itself or on paper by an organiser's word",
}


def readme_text(
    campaign: Campaign, manifest: dict[str, Any], files: Container[str], dropped: Iterable[tuple[str, str]] = ()
) -> str:
    """Return the README of a release with this manifest and these files. ``dropped`` are (topic, reason) pairs."""
    track = track_of(campaign)
    exports = "\n".join(row for export in track.exports for row in _rows(export))
    absent = [run["name"] for run in manifest["runs"] if run["file"] is None]
    left_out = f"\nThe files of {', '.join(absent)} are left out, so their scores can't be computed again.\n"
    missing = ", ".join(f"{code}: {count}" for code, count in sorted(manifest["missing"].items()))
    return TEMPLATE.format(
        title=campaign.title,
        label=track.label,
        source=track.source,
        as_of=manifest["as_of"],
        version=manifest["code_version"],
        exports=exports,
        beginnings="".join(f"| {name} | {words} |\n" for name, words in BEGINNINGS.items() if name in files),
        left_out="".join(
            [
                _superseding(manifest),
                left_out if absent else "",
                *_dropped_lines(dropped),
                *_stopped_lines(manifest),
            ]
        ),
        missing=f"\nFrozen although something was missing: {missing}.\n" if missing else "",
    )


def _stopped_lines(manifest: dict[str, Any]) -> Iterator[str]:
    for stop in manifest.get("stopped", ()):
        reason = " ".join(stop["reason"].split())
        ended, left = counted(len(stop["works"]), "assignment"), counted(sum(stop["left"]), "item")
        yield f"\nJudging was stopped in {ended}, with {left} not judged: {reason}\n"


def _superseding(manifest: Mapping[str, Any]) -> str:
    said = manifest.get("supersedes")
    if said is None:
        return ""
    words = f"It supersedes the release whose manifest.json has the sha256 {said['manifest_sha256']}"
    return f"\n{words}, because: {' '.join(said['reason'].split())}\n"


def _dropped_lines(dropped: Iterable[tuple[str, str]]) -> Iterator[str]:
    for number, reason in dropped:
        yield f"\nTopic {number} was dropped, and is in no export, pool or score: {' '.join(reason.split())}\n"


def _rows(export: Export) -> Iterator[str]:
    yield f"| exports/{export.name} | {export.label.replace('|', ' or ')} |"
    if export.singles:
        yield f"| exports/{export.singles} | The same, a file a topic |"
