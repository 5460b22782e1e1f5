"""The exports of a large campaign: made by the worker, once for a ledger point, and cached as a zip for everybody.

The zip is `DATA_DIR/exports/<campaign>/<ledger point>-<what exports depend on besides the ledgers>.zip`. Exports of a
part of the campaign are in `DATA_DIR/export-parts/`.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, BinaryIO
from zipfile import BadZipFile, ZipFile

from django.contrib.auth.models import User
from django.utils.translation import gettext, gettext_lazy

from assess.base.files import write_zip
from assess.campaigns.models import Campaign
from assess.campaigns.queries import LATELY, has_more_rows, newest_point, point_named, row_at, rows_since, was_newest
from assess.exports.parts import is_part, part_arguments
from assess.exports.writing import MANIFEST, export_lines, write_exports
from assess.jobs.domain import ask_for_job
from assess.jobs.kept_files import keep_file, kept_folder, open_kept
from assess.jobs.kinds import EXPORTS
from assess.jobs.models import Job
from assess.jobs.progress import ReportProgress, no_report
from assess.jobs.waiting import StillMaking
from assess.judging.figures import figure_basis
from assess.judging.snapshots import Snapshot
from assess.protocol import Export
from assess.runs.models import Segment
from scoring.reading.json_reading import read_json
from scoring.reading.scratch import scratch_folder

logger = logging.getLogger(__name__)

MOST = 4
"""The number of zips that are cached for a campaign."""
SMALL = 10_000
"""The number of ledger rows, and of run segments, up to which a request makes exports, in less than a second."""
PIECE = 1 << 16


class StillExporting(StillMaking):
    """The worker is making the requested files, or could not make them: ``job`` says which."""

    code = "still-exporting"
    title = gettext_lazy("Exports")
    doing = gettext_lazy("Making the exports")
    failed = gettext_lazy("The exports could not be made")

    def __init__(self, job: Job, point: int) -> None:
        again = gettext(
            "The exports of ledger point %(point)s are being made in the background. Ask again in some seconds, with "
            "as_of=%(point)s."
        )
        super().__init__(job, again % {"point": point})


def is_small(campaign: Campaign) -> bool:
    """Return whether exports can be made within a request."""
    if has_more_rows(campaign, than=SMALL):
        return False
    return Segment.objects.filter(response__run__campaign=campaign)[: SMALL + 1].count() <= SMALL


def exports_at_hand(*, actor: User, snapshot: Snapshot) -> BinaryIO:
    """Open the cached zip of all exports and their manifest. If it is not made yet, have the worker make it, and raise
    `StillExporting`.
    """
    point = snapshot.reached()
    try:
        return _opened(_kept_path(snapshot))
    except FileNotFoundError:
        arguments = {"as_of": point, **part_arguments(snapshot)}
        job = ask_for_job(actor=actor, campaign=snapshot.campaign, kind=EXPORTS, arguments=arguments)
        raise StillExporting(job, point) from None


def _opened(path: Path) -> BinaryIO:
    """Open a cached zip. A damaged one is deleted and raises `FileNotFoundError`, like one that is not cached."""
    package = open_kept(path)
    try:
        ZipFile(package).close()
    except BadZipFile as error:
        package.close()
        path.unlink(missing_ok=True)
        logger.warning("%s can't be read, so it is made again: %s", path, error)
        raise FileNotFoundError(path) from error
    package.seek(0)
    return package


def take_kept_exports(snapshot: Snapshot, folder: Path) -> dict[str, str] | None:
    """Write the cached exports of a ledger point and their manifest into a folder; return name -> sha256 of each
    export.

    Return None if they are not cached, or are damaged.
    """
    point = snapshot.as_of or snapshot.reached()
    if not any(_folder_of(snapshot).glob(f"{point}-*.zip")):
        return None
    try:
        with _opened(_kept_path(replace(snapshot, as_of=point))) as package:
            digests = digests_in(package)
            with ZipFile(package) as opened:
                opened.extractall(folder)
    except (FileNotFoundError, BadZipFile, zlib.error):
        return None
    return digests


def keep_exports(snapshot: Snapshot, progress: ReportProgress = no_report) -> None:
    """Make all exports as of a ledger point, with their manifest, and cache them; ``progress`` may stop it by raising.

    If anything outside the ledgers changes meanwhile, nothing is cached, and the next request makes them again.
    """
    snapshot = replace(snapshot, as_of=snapshot.reached())
    path = _kept_path(snapshot)
    if path.is_file():
        return
    with scratch_folder(prefix="assay-exports-") as folder:
        write_exports(snapshot, folder, progress)
        if _kept_path(replace(snapshot, campaign=Campaign.objects.get(pk=snapshot.campaign.pk))) != path:
            return  # something changed meanwhile; the next request makes them anew
        keep_file(path, lambda file: write_zip(folder, file), most=MOST)


def exports_point(snapshot: Snapshot, text: str, *, made_will_do: bool = False) -> int:
    """Return the ledger point that an address names. Raises what `reached_point` raises.

    Without a name it is the newest point, except that a large campaign may get one of three older points. The first is
    the point of exports that are being made now, if that was the newest point within the time `LATELY`: exports of the
    exact newest point would never be ready while people judge. The second is the point of cached exports, if nothing
    but records of exporting was added after it. The third is for programs that ask repeatedly without a point
    (``made_will_do``), and is preferred for them: the point of any cached exports, if that was the newest within the
    time `LATELY`. Only the campaign and the part of ``snapshot`` count.
    """
    campaign = snapshot.campaign
    if text.strip():
        return point_named(campaign, text)
    newest = newest_point(campaign)
    points = [int(path.stem.partition("-")[0]) for path in _folder_of(snapshot).glob("*.zip")]
    for point in sorted({point for point in points if point <= newest}, reverse=True) if made_will_do else ():
        if was_newest(campaign, point, within=LATELY) and _kept_path(replace(snapshot, as_of=point)).is_file():
            return point
    for job in campaign.jobs.filter(kind=EXPORTS, state__in=Job.UNDER_WAY).order_by("-id"):
        point = int(job.arguments["as_of"])
        is_same = job.arguments == {"as_of": point, **part_arguments(snapshot)}
        if is_same and not job.is_lost() and was_newest(campaign, point, within=LATELY):
            return point
    last = max((point for point in points if point <= newest), default=newest)
    taken = campaign.activities.filter(id__gt=last, action__startswith="export.")
    return last if last == newest or rows_since(campaign, last) == taken.count() else newest


def digests_in(package: IO[bytes]) -> dict[str, str]:
    """Return the sha256 of each file that the manifest of a zip names. Afterwards the zip can be read from its
    start.
    """
    with ZipFile(package) as opened:
        files: dict[str, str] = read_json(opened.read(MANIFEST))["files"]
    package.seek(0)
    return files


def file_pieces(*, actor: User, snapshot: Snapshot, export: Export) -> Iterator[bytes]:
    """Return one file, piece by piece. Raises `StillExporting` if the worker has to make it first."""
    if is_small(snapshot.campaign):
        return (line.encode() for line in export_lines(snapshot, export))
    return _pieces_of(exports_at_hand(actor=actor, snapshot=snapshot), export.name)


def _pieces_of(package: BinaryIO, name: str) -> Iterator[bytes]:
    """Yield one file of a zip, or nothing if the zip has no such file, and close the zip."""
    with package, ZipFile(package) as opened:
        if name in opened.namelist():
            with opened.open(name) as file:
                while piece := file.read(PIECE):
                    yield piece


def _kept_path(snapshot: Snapshot) -> Path:
    """Return the path of the cached exports of a ledger point; its name identifies all that they depend on.

    Seven queries.
    """
    basis = figure_basis(snapshot)
    key = basis.key("exports", row_at(basis.campaign, basis.point), sorted(snapshot.topics or ()))
    return _folder_of(snapshot) / f"{basis.point}-{key}.zip"


def _folder_of(snapshot: Snapshot) -> Path:
    return kept_folder("export-parts" if is_part(snapshot) else "exports", snapshot.campaign.pk)
