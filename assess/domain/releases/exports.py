"""Exporting a campaign into a folder: all files or none."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from django.contrib.auth.models import User
from django.db import transaction

from assess.domain.activity import record_activity
from assess.domain.errors import Conflict, Invalid
from assess.models import Campaign
from assess.packing import write_zip
from assess.queries.exports.writing import MANIFEST, ledger_point, newest_point, write_exports
from scoring.json_reading import read_json
from scoring.scratch import scratch_folder

_DIGITS = 15


@dataclass(frozen=True, slots=True)
class ExportedFiles:
    """What an export wrote: the folder, the ledger point, and the sha256 of each file by name."""

    folder: Path
    as_of: int
    files: dict[str, str]


def export_campaign(*, actor: User | None, campaign: Campaign, folder: Path, as_of: int | None = None) -> ExportedFiles:
    """Write the track's exports and a manifest into ``folder``, as of a ledger point (default: now).

    The files are written beside the folder and put in its place when all are complete, so a stop leaves the
    old files or the new ones. An earlier export of the same campaign is replaced. Refused: a folder that
    holds anything else, a ledger point that was not reached yet. Only names that the track makes are written.
    Others may write meanwhile: of the ledgers what came after the point is not read, and of the rest, such as topics
    and runs, each file says what stood there when it was written.
    """
    point = reached_point(campaign, as_of)
    _require_ours(folder, campaign)
    try:
        files = _write(campaign, folder, as_of=point)
    except OSError as error:
        raise Invalid(f"The files can't be written to {folder}: {error.strerror or error}.") from error
    with transaction.atomic():
        record_activity(actor=actor, action="export.write", campaign=campaign, data={"as_of": point, "files": files})
    return ExportedFiles(folder, point, files)


def reached_point(campaign: Campaign, as_of: int | None) -> int:
    """The ledger point asked for, by default the campaign's newest; one that was not reached yet is refused."""
    if as_of is None:
        return newest_point(campaign)
    now = ledger_point()
    if not 0 <= as_of <= now:
        raise Invalid(f"There is no ledger point {as_of}; the newest is {now}. Give one from 0 to {now}.")
    return as_of


def point_named(campaign: Campaign, text: str) -> int:
    """The ledger point that an address names; "" is the campaign's newest. Refused as `reached_point` refuses."""
    text = text.strip()
    if not text:
        return reached_point(campaign, None)
    if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS):
        raise Invalid(f"“{text[:40]}” is no ledger point. Give a whole number, or none for the newest.")
    return reached_point(campaign, int(text))


def export_zip(*, actor: User, campaign: Campaign, as_of: int) -> IO[bytes]:
    """All exports and the manifest in one zip, opened for reading; the caller closes it, and then it is gone.

    The same ledger point gives the same bytes.
    """
    package = tempfile.TemporaryFile()  # noqa: SIM115 (the caller closes it)
    with scratch_folder(prefix="assay-exports-") as place:
        exported = export_campaign(actor=actor, campaign=campaign, folder=place / "exports", as_of=as_of)
        write_zip(exported.folder, package)
    package.seek(0)
    return package


def _write(campaign: Campaign, folder: Path, *, as_of: int) -> dict[str, str]:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with scratch_folder(prefix=f".{folder.name}-assay-", place=folder.parent) as beside:
        complete, old = beside / "complete", beside / "old"
        complete.mkdir()
        files = write_exports(campaign, complete, as_of=as_of)
        if folder.exists():
            folder.replace(old)
        complete.replace(folder)
    return files


def _require_ours(folder: Path, campaign: Campaign) -> None:
    """Refuse a folder that holds anything but an earlier export of this campaign."""
    if not folder.exists():
        return
    if not folder.is_dir() or folder.is_symlink():
        raise Conflict(f"{folder} is no folder. Name one that does not exist yet.")
    present = {path.name for path in folder.iterdir()}
    if not present:
        return
    try:
        manifest = read_json((folder / MANIFEST).read_bytes())
        known = {MANIFEST, *manifest["files"]} if manifest["campaign"] == campaign.slug else set()
    except (OSError, ValueError, KeyError, TypeError):
        known = set()
    if not present <= known:
        raise Conflict(
            f"{folder} holds files that are no earlier export of this campaign. Name an empty folder, or a new one."
        )
