"""Writing a campaign's exports: what the track lists, from the ledgers as they stood at a point."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from django.utils.module_loading import import_string

from assess.models import Campaign, LedgerPoint
from assess.protocol import Export
from assess.queries.tracks import track_of

MANIFEST = "manifest.json"


def ledger_point() -> int:
    """The number of the newest row of all ledgers: what "as of" is when nothing else is said."""
    return LedgerPoint.objects.values_list("value", flat=True).get()


def newest_point(campaign: Campaign) -> int:
    """What "as of" is for one campaign when nothing else is said: of a closed one, where it was frozen. One query.

    The ledgers' numbers are those of all campaigns together, so those of others go on when nothing of it changes.
    """
    return frozen_point(campaign) if campaign.is_closed else ledger_point()


def frozen_point(campaign: Campaign) -> int:
    """The ledger point at which the campaign was frozen last: nothing of it was written after that."""
    freezes = campaign.activities.filter(action="campaign.state", data__to=Campaign.State.FROZEN).order_by("-id")
    point = freezes.values_list("pk", flat=True).first()
    return point if point is not None else ledger_point()


def find_export(campaign: Campaign, name: str) -> Export | None:
    """The export of the campaign's track with this name, or None."""
    return next((export for export in track_of(campaign).exports if export.name == name), None)


def collect_records(campaign: Campaign, export: Export, *, as_of: int | None = None) -> Iterable[Any]:
    """The records of one export, from the function that the track names for it, with the track's options."""
    collect: Callable[..., Iterable[Any]] = import_string(export.collect)
    return collect(campaign, as_of, **export.options)


def export_lines(campaign: Campaign, export: Export, *, as_of: int | None = None) -> Iterator[str]:
    """The lines of one export, each with its line end; the same for the same ledger point, always."""
    return (line + "\n" for line in export.write(collect_records(campaign, export, as_of=as_of)))


def write_exports(campaign: Campaign, folder: Path, *, as_of: int) -> dict[str, str]:
    """Write every export and the manifest into an empty folder; returns name -> sha256."""
    digests: dict[str, str] = {}
    for export in track_of(campaign).exports:
        digest = hashlib.sha256()
        with (folder / export.name).open("wb") as file:
            for line in export_lines(campaign, export, as_of=as_of):
                content = line.encode()
                digest.update(content)
                file.write(content)
        digests[export.name] = digest.hexdigest()
    (folder / MANIFEST).write_bytes(manifest_of(campaign, digests, as_of=as_of))
    return digests


def manifest_of(campaign: Campaign, digests: dict[str, str], *, as_of: int) -> bytes:
    """The manifest: which campaign, track, settings and ledger point, and the digest of each file. No clock."""
    values = {
        "campaign": campaign.slug,
        "track": campaign.track,
        "settings": campaign.settings,
        "as_of": as_of,
        "files": digests,
    }
    return (json.dumps(values, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode()
