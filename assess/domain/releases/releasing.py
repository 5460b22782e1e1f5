"""Releases: made of a frozen campaign, checked before they are kept, published once.

The archive is kept like an uploaded file, under its sha256. The key that says whose run is whose is never in it; it is
computed when an organiser asks for it.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import zipfile
from functools import lru_cache, partial
from pathlib import Path
from typing import IO, BinaryIO

from django.contrib.auth.models import User
from django.db import transaction

from assess.domain.activity import record_activity
from assess.domain.campaigns.campaigns import change_state
from assess.domain.campaigns.closed import hold_work
from assess.domain.errors import Conflict, Invalid, NotFound
from assess.domain.files import StoredFile, open_file, store_file, stored_path
from assess.domain.releases.files import write_release
from assess.domain.scores.computing import score_campaign
from assess.models import Campaign, Judgment, Release, Segment
from assess.queries.code_version import code_version
from assess.queries.exports.writing import frozen_point
from assess.queries.runs.names import RunNames, run_names
from assess.queries.tracks import registered_tracks
from scoring.commands.verify import CLEAN, LEFT_OUT, SCORER, scorer_named, verify_release
from scoring.releases import MANIFEST, SIZE_LIMIT, open_release

_CLOCK = (1980, 1, 1, 0, 0, 0)  # the same in every zip, so that the same files give the same bytes
_HUGE = 1 << 31
SMALL = 20_000
"""Segments, judgments and kilobytes of run files up to which a page makes a release at once, without the worker."""

SOUND = (*CLEAN, LEFT_OUT)
MADE_OF = (Campaign.State.FROZEN, Campaign.State.RELEASED)


def make_release(*, actor: User, campaign: Campaign, with_runs: bool = False) -> Release:
    """Make a release of a frozen campaign as of the point at which it was frozen, and keep its archive.

    Made again of the same point by the same code it is the same, byte for byte, and the first one is returned.
    Refused: a campaign that is not frozen; what `write_release` refuses; an archive that does not check out.
    """
    campaign.refresh_from_db()
    require_frozen(campaign)
    point = frozen_point(campaign)
    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryFile() as package:
        folder = Path(place) / "release"
        folder.mkdir()
        manifest = write_release(
            campaign,
            folder,
            as_of=point,
            with_runs=with_runs,
            code_version=code_version(),
            missing=_missing(campaign),
        )
        write_zip(folder, package)
        package.seek(0)
        archive = store_file(package, SIZE_LIMIT)
    _require_sound(archive)
    with transaction.atomic():
        locked = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if locked.state not in MADE_OF or frozen_point(locked) != point:
            raise Conflict("The campaign was opened again at this moment, so no release was made. Freeze it again.")
        earlier = campaign.releases.filter(archive=archive.sha256).first()
        if earlier is not None:
            return earlier
        release = Release.objects.create(
            campaign=campaign,
            as_of=point,
            manifest=manifest,
            archive=archive.sha256,
            code_version=manifest["code_version"],
            created_by=actor,
        )
        data = {"as_of": point, "archive": archive.sha256, "files": len(manifest["files"]), "with_runs": with_runs}
        record_activity(actor=actor, action="release.make", campaign=campaign, about=release, data=data)
    return release


def require_frozen(campaign: Campaign) -> None:
    """Refuse to make a release of a campaign that is not frozen."""
    if campaign.state not in MADE_OF:
        raise Conflict(f"The campaign is {campaign.get_state_display()}. Freeze it first; releases are made of that.")


def publish_release(*, actor: User, release: Release) -> Release:
    """Make a release the campaign's own: its members may take it, and the campaign is released for good.

    Publishing it again changes nothing. Refused: a second one, and one of a campaign opened again since.
    """
    with transaction.atomic():
        campaign, _ = hold_work(release.campaign)
        release.refresh_from_db()
        if release.published:
            return release
        if campaign.releases.filter(published=True).exists():
            raise Conflict("Another release of this campaign is published already.")
        if campaign.state != Campaign.State.FROZEN or frozen_point(campaign) != release.as_of:
            raise Conflict("The campaign was changed since this release was made. Freeze it and make a new release.")
        release.published = True
        release.save(update_fields=["published"])
        data = {"as_of": release.as_of, "archive": release.archive}
        record_activity(actor=actor, action="release.publish", campaign=campaign, about=release, data=data)
        change_state(actor=actor, campaign=campaign, state=Campaign.State.RELEASED)
    return release


def release_key(campaign: Campaign) -> RunNames:
    """Which run and which team is which. For organisers alone."""
    return run_names(campaign, score_campaign(campaign, frozen_point(campaign)).runs)


def is_small(campaign: Campaign) -> bool:
    """Whether a page can make the release while somebody waits. Three queries."""
    segments = Segment.objects.filter(response__run__campaign=campaign)[:SMALL].count()
    judgments = Judgment.objects.filter(assignment__campaign=campaign)[:SMALL].count()
    size = sum(campaign.runs.values_list("size", flat=True))
    return segments < SMALL and judgments < SMALL and size < SMALL * 1024


def write_zip(folder: Path, target: IO[bytes]) -> None:
    """All files of a folder as a zip, by name, with a fixed time: the same files give the same bytes."""
    with zipfile.ZipFile(target, "w", compression=zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
            if path.is_dir():
                continue
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), date_time=_CLOCK)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            huge = path.stat().st_size >= _HUGE
            with archive.open(entry, "w", force_zip64=huge) as inside, path.open("rb") as source:
                shutil.copyfileobj(source, inside, 1 << 20)


def release_archive(release: Release) -> BinaryIO:
    """The kept archive, opened; the caller closes it."""
    return open_file(release.archive)


@lru_cache(maxsize=256)
def manifest_sha256(archive: str) -> str:
    """The sha256 of the manifest in a kept archive, by which anybody tells that a release is the published one.

    "" where the archive is none that can be read. An archive never changes, so its answer is kept.
    """
    try:
        with open_file(archive) as file, zipfile.ZipFile(file) as opened:
            return hashlib.sha256(opened.read(MANIFEST)).hexdigest()
    except (NotFound, OSError, KeyError, zipfile.BadZipFile):
        return ""


def unpack_release(release: Release, folder: Path) -> None:
    """The release's files in a folder that is empty or does not exist yet."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Conflict(f"{folder} is there already and not empty. Name an empty folder, or a new one.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        with open_release(stored_path(release.archive)) as opened:
            shutil.copytree(opened.folder, folder, dirs_exist_ok=True)
    except OSError as error:
        raise Invalid(f"The files can't be written to {folder}: {error.strerror or error}.") from error


def _require_sound(archive: StoredFile) -> None:
    """Compute everything again from what was kept, as anybody will: a release that does not check out is none."""
    scorer = partial(scorer_named(SCORER), tracks=tuple(registered_tracks().values()))
    with open_release(stored_path(archive.sha256)) as opened:
        verdict = verify_release(opened, scorer)
    wrong = [f"{name}: {words or status}" for name, (status, words) in verdict.rows.items() if status not in SOUND]
    if wrong:
        stored_path(archive.sha256).unlink(missing_ok=True)
        raise Conflict("The release does not check out, so it was not kept. " + " ".join(wrong[:5]))


def _missing(campaign: Campaign) -> dict[str, int]:
    """What the last freezing passed over, of what came from a release that of the release."""
    frozen = campaign.activities.filter(action__in=("campaign.freeze", "release.import")).order_by("-id").first()
    missing = frozen.data.get("missing", {}) if frozen is not None else {}
    return {str(code): int(count) for code, count in missing.items()}
