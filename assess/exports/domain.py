"""Exporting a campaign into a folder: all files or none."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from django.contrib.auth.models import User
from django.db import transaction

from assess.base.errors import Conflict, Invalid
from assess.base.files import write_zip
from assess.campaigns.activity import record_activity
from assess.exports.kept import digests_in, exports_at_hand, is_small, take_kept_exports
from assess.exports.parts import is_part, part_arguments
from assess.exports.writing import MANIFEST, manifest_of, write_exports
from assess.judging.snapshots import Snapshot
from assess.web.turns import own_turn
from scoring.reading.json_reading import read_json
from scoring.reading.scratch import scratch_folder


@dataclass(frozen=True, slots=True)
class ExportedFiles:
    """The result of an export: the folder, the ledger point, and the sha256 of each file by name."""

    folder: Path
    as_of: int
    files: dict[str, str]


def export_campaign(*, actor: User | None, snapshot: Snapshot, folder: Path) -> ExportedFiles:
    """Write the track's exports and a manifest into ``folder``, as of a ledger point (default: now).

    If the worker has made and cached them for this point, they are copied. The files are written to a temporary folder
    that replaces ``folder`` when all are complete, so a stop leaves the old files or the new ones. An earlier export of
    the same part of the same campaign is replaced. Raises `Conflict` for a folder that holds anything else, and
    `Invalid` for a ledger point not reached yet and a folder that can't be written to. Only names that the track makes
    are written. Others may write meanwhile: ledger rows after the point are not read, and everything else, such as
    topics and runs, is read as it is at the time of writing.
    """
    point = snapshot.reached()
    _require_ours(folder, snapshot)
    try:
        files = _write(replace(snapshot, as_of=point), folder)
    except OSError as error:
        raise Invalid(f"The files can't be written to {folder}: {error.strerror or error}.") from error
    _record(actor, replace(snapshot, as_of=point), files)
    return ExportedFiles(folder, point, files)


def export_zip(*, actor: User, snapshot: Snapshot) -> IO[bytes]:
    """Return all exports and the manifest in one zip, opened for reading; the caller closes it.

    The same ledger point gives the same bytes. For a large campaign, the worker makes and caches them; until then,
    `StillExporting` is raised. For a small campaign they are made at once; the call may wait for its turn (`own_turn`),
    since large files are made one at a time in a process.
    """
    if is_small(snapshot.campaign):
        with own_turn():
            return _made_at_once(actor=actor, snapshot=snapshot)
    package = exports_at_hand(actor=actor, snapshot=snapshot)
    _record(actor, replace(snapshot, as_of=snapshot.reached()), digests_in(package))
    return package


def zip_name(snapshot: Snapshot) -> str:
    """Return the file name of a zip of exports: campaign and ledger point (the newest, if the snapshot has none), with
    a suffix for a part.
    """
    point = snapshot.reached() if snapshot.as_of is None else snapshot.as_of
    return f"{snapshot.campaign.slug}-{point}{'-part' if is_part(snapshot) else ''}.zip"


def _record(actor: User | None, snapshot: Snapshot, files: dict[str, str]) -> None:
    data = {"as_of": snapshot.as_of, "files": files} | part_arguments(snapshot)
    with transaction.atomic():
        record_activity(actor=actor, action="export.write", campaign=snapshot.campaign, data=data)


def _made_at_once(*, actor: User, snapshot: Snapshot) -> IO[bytes]:
    package = tempfile.TemporaryFile()  # noqa: SIM115 (the caller closes it)
    with scratch_folder(prefix="assay-exports-") as place:
        exported = export_campaign(actor=actor, snapshot=snapshot, folder=place / "exports")
        write_zip(exported.folder, package)
    package.seek(0)
    return package


def _write(snapshot: Snapshot, folder: Path) -> dict[str, str]:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with scratch_folder(prefix=f".{folder.name}-assay-", place=folder.parent) as beside:
        complete, old = beside / "complete", beside / "old"
        complete.mkdir()
        files = take_kept_exports(snapshot, complete) or write_exports(snapshot, complete)
        if folder.exists():
            folder.replace(old)
        complete.replace(folder)
    return files


def _require_ours(folder: Path, snapshot: Snapshot) -> None:
    """Raise `Conflict` for a folder that holds anything but an earlier export of the same part of this campaign."""
    campaign, manifest = snapshot.campaign, {}
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
    ours = read_json(manifest_of(snapshot, {}))
    if any(manifest.get(name) != ours.get(name) for name in ("topics", "roles", "assessor")):
        raise Conflict(
            f"{folder} holds the export of another part of this campaign, or of the whole. Name an empty folder, or a "
            "new one."
        )
