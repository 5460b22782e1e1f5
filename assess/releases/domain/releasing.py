"""Releases: made from a frozen campaign, checked before they are stored, published once, and public where wanted.

The archive is stored under its sha256, like an uploaded file. The key to whose run is whose is never in it; it is
computed when an organiser asks for it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as noop

from assess.base.errors import Conflict, Invalid
from assess.base.files import store_file, write_zip
from assess.base.process import code_version
from assess.base.sentences import Sentence
from assess.campaigns.activity import hold_work, record_activity
from assess.campaigns.models import Campaign
from assess.campaigns.queries import frozen_point, published_release, registered_tracks, track_of
from assess.jobs.domain import enqueue_job
from assess.jobs.progress import JobProgress, ReportProgress, no_report
from assess.judging.models import Judgment
from assess.judging.snapshots import Snapshot
from assess.organising.domain import change_state
from assess.releases.domain.release_files import write_release
from assess.releases.models import Release
from assess.runs.models import Segment
from assess.runs.queries import RunNames, named_in_releases, run_names
from assess.scores.domain import score_campaign
from scoring.commands.verify import CLEAN, DRAFTER, FOLLOWER, LEFT_OUT, scorer_named, verify_release
from scoring.reading.scratch import scratch_folder
from scoring.release.releases import MANIFEST, SIZE_LIMIT, open_release, require_packed

SMALL = 20_000
"""The most segments, judgments and kilobytes of run files for which a page makes a release without the worker."""

SOUND = (*CLEAN, LEFT_OUT)
MADE_OF = (Campaign.State.FROZEN, Campaign.State.RELEASED)


def make_release(
    *, actor: User, campaign: Campaign, with_runs: bool = False, progress: ReportProgress = no_report
) -> Release:
    """Make a release as `released_files` does, and return it."""
    with released_files(actor=actor, campaign=campaign, with_runs=with_runs, progress=progress) as (release, _):
        return release


@contextmanager
def released_files(
    *, actor: User, campaign: Campaign, with_runs: bool = False, progress: ReportProgress = no_report
) -> Iterator[tuple[Release, Path]]:
    """Make a release of a frozen campaign, as of the point at which it was frozen, and store its archive.

    Yield the release with the folder of its files. The caller may move the folder away; if it does not, the folder is
    removed after the block. If the same code makes the release again from the same point, it has the same bytes, and
    the first release is yielded. Refused: a campaign that is not frozen, what `write_release` refuses, and an archive
    that fails its own check. ``progress`` is called at every step, and may stop it by raising; then there is no
    release.
    """
    campaign.refresh_from_db()
    require_frozen(campaign)
    point = frozen_point(campaign)
    with scratch_folder(prefix="assay-releasing-") as place:
        folder, package = place / "release", place / "release.zip"
        folder.mkdir()
        try:
            manifest = write_release(
                Snapshot(campaign, point),
                folder,
                with_runs=with_runs,
                code_version=code_version(),
                missing=_missing(campaign),
                progress=progress,
            )
            with package.open("wb") as file:
                write_zip(
                    folder, file, lambda name, done: progress(_step("bytes", done, noop("packing %(name)s"), name=name))
                )
            _require_sound(folder, manifest, progress)
        except Exception:  # whatever it is: half of what was read may be from after the campaign was opened again
            _require_frozen_at(Campaign.objects.get(pk=campaign.pk), point)
            raise
        require_packed(package, folder)
        with package.open("rb") as kept:
            archive = store_file(kept, SIZE_LIMIT)
        package.unlink()
        yield _recorded(actor, campaign, manifest, archive.sha256, with_runs=with_runs), folder


def _recorded(actor: User, campaign: Campaign, manifest: dict[str, Any], archive: str, *, with_runs: bool) -> Release:
    """Return the release of this archive, recorded now unless it was made before. Raises `Conflict` if the campaign was
    opened again meanwhile.
    """
    point = manifest["as_of"]
    with transaction.atomic():
        _require_frozen_at(Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk), point)
        earlier = campaign.releases.filter(archive=archive).first()
        if earlier is not None:
            return earlier
        release = Release.objects.create(
            campaign=campaign,
            as_of=point,
            manifest=manifest,
            archive=archive,
            code_version=manifest["code_version"],
            created_by=actor,
        )
        data = {"as_of": point, "archive": archive, "files": len(manifest["files"]), "with_runs": with_runs}
        record_activity(actor=actor, action="release.make", campaign=campaign, about=release, data=data)
    return release


def _require_frozen_at(campaign: Campaign, point: int) -> None:
    if campaign.state not in MADE_OF or frozen_point(campaign) != point:
        raise Conflict(
            gettext("The campaign was opened again at this moment, so no release was made. Freeze it again.")
        )


def require_frozen(campaign: Campaign) -> None:
    """Refuse to make a release of a campaign that is neither frozen nor released."""
    if campaign.state not in MADE_OF:
        raise Conflict(
            Sentence(
                "The campaign is %(state)s. Freeze it first; releases are made of that.",
                state=Campaign.State(campaign.state).label,
            )
        )


def require_publishable(release: Release, *, public: bool = False) -> None:
    """Refuse what `publish_release` refuses, before anything is done with the release.

    With ``public`` instead, refuse what `set_public` refuses: a release that is not published.
    """
    if release.published:
        return
    if public:
        raise Conflict(gettext("The release is not published. Publish it first; then it can have a public page."))
    campaign = release.campaign
    earlier = published_release(campaign)
    if earlier is not None and (release.supersedes or {}).get("archive") != earlier.archive:
        raise Conflict(
            gettext(
                "Another release of this campaign is published already. To correct it, open judging again with the "
                "reason, freeze the campaign, and publish a release that is made then."
            )
        )
    if campaign.state != Campaign.State.FROZEN or frozen_point(campaign) != release.as_of:
        raise Conflict(
            gettext("The campaign was changed since this release was made. Freeze it and make a new release.")
        )


def publish_release(*, actor: User, release: Release) -> Release:
    """Publish a release: the campaign's members may download it, and the campaign is released.

    Publishing it again changes nothing. A corrected release takes the place of the release that it supersedes, which
    stays available. Refused: any other second release, and one of a campaign that was opened again since.
    """
    with transaction.atomic():
        campaign, _ = hold_work(release.campaign)
        release.refresh_from_db()
        if release.published:
            return release
        release.campaign = campaign
        require_publishable(release)
        release.published = True
        release.save(update_fields=["published"])
        data = {"as_of": release.as_of, "archive": release.archive}
        record_activity(actor=actor, action="release.publish", campaign=campaign, about=release, data=data)
        change_state(actor=actor, campaign=campaign, state=Campaign.State.RELEASED)
    return release


def set_public(*, actor: User, release: Release, public: bool) -> Release:
    """Give a published release a page that anybody can open without an account, or take that page away.

    The campaign may be in any state, since nothing that is judged or released changes. Setting what is set already
    changes nothing. Refused: a release that is not published.
    """
    with transaction.atomic():
        locked = Release.objects.select_for_update(no_key=True).select_related(None).get(pk=release.pk)
        if public:
            require_publishable(locked, public=True)
        if locked.public != public:
            locked.public = public
            locked.save(update_fields=["public"])
            data = {"as_of": locked.as_of, "archive": locked.archive, "public": public}
            record_activity(actor=actor, action="release.public", campaign=release.campaign, about=locked, data=data)
    release.public = public
    return release


def release_key(campaign: Campaign) -> RunNames:
    """Return the key: the real run or team behind each name in a release. For organisers only.

    In a track whose runs may exist only in its judgments, without a file, the runs are scored to learn their names.
    """
    is_scored = track_of(campaign).scoring.runs is not None
    point = frozen_point(campaign)
    return run_names(campaign, score_campaign(Snapshot(campaign, point)).runs if is_scored else (), as_of=point)


def released_names(campaign: Campaign) -> dict[str, str]:
    """Return the name that each run has in the published release, by tag; empty if no release is published.

    It is for organisers, and for teams about their own runs. Runs that have been withdrawn since are included. The
    result is also empty if the release names other runs, so that nothing wrong is shown. If some runs exist in
    judgments alone, all runs are scored.
    """
    release = published_release(campaign)
    if release is None:
        return {}
    scored = {run["name"] for run in release.manifest.get("runs", ())}
    is_alone = not scored.issuperset(release.manifest.get("scored", ()))
    further = score_campaign(Snapshot(campaign, release.as_of)).runs if is_alone else ()
    names = run_names(campaign, further, as_of=release.as_of)
    rows = {run.tag: run for _, run in reversed(named_in_releases(campaign, as_of=release.as_of))}.values()
    about = [(run, (run.submission, run.priority, run.automatic)) for run in rows]
    now = sorted([names.runs[run.tag], names.teams.get(run.team, ""), *said] for run, said in about)
    members = ("name", "team", "submission", "priority", "automatic")
    then = sorted([run[member] for member in members] for run in release.manifest.get("runs", ()))
    return dict(names.runs) if now == then else {}


def is_small(campaign: Campaign) -> bool:
    """Return whether a page can make the release while somebody waits. Three queries."""
    segments = Segment.objects.filter(response__run__campaign=campaign)[:SMALL].count()
    judgments = Judgment.objects.filter(assignment__campaign=campaign)[:SMALL].count()
    size = sum(campaign.runs.values_list("size", flat=True))
    return segments < SMALL and judgments < SMALL and size < SMALL * 1024


def require_free(folder: Path) -> None:
    """Refuse a path that is not a folder, and a folder that is not empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Conflict(
            Sentence(
                "%(folder)s is there already and not empty. Name an empty folder, or a new one.", folder=str(folder)
            )
        )


def place_files(files: Path, folder: Path) -> None:
    """Move the files in a folder of our own into one that is empty or does not exist yet, completely or not at all.

    They are put beside it and moved into its place at once, unless another disk is mounted there. Raises what
    `require_free` raises, and `Invalid` if they can't be written there.
    """
    require_free(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        if folder.is_mount():
            shutil.copytree(files, folder, dirs_exist_ok=True)
            return
        target = folder.resolve()
        with scratch_folder(prefix=f".{target.name}-assay-", place=target.parent) as beside:
            shutil.move(files, beside / "complete")
            (beside / "complete").replace(target)
    except OSError as error:
        raise Invalid(
            Sentence(
                "The files can't be written to %(folder)s: %(error)s.",
                folder=str(folder),
                error=error.strerror or str(error),
            )
        ) from error


def _require_sound(folder: Path, manifest: Mapping[str, Any], progress: ReportProgress) -> None:
    """Refuse a release that `verify` would refuse.

    Sums show that every file is what was written. Exports are made again from what people did, by code that reads no
    table. Scores are not computed again: they were computed a moment ago from these files, with the code of `verify`.
    """
    tracks = tuple(registered_tracks().values())
    progress(_step("files", 0, noop("checking the files")))
    with open_release(folder) as opened:
        others = [partial(scorer_named(name), tracks=tracks) for name in (DRAFTER, FOLLOWER)]
        verdict = verify_release(opened, None, *others)
        if json.dumps(opened.manifest, sort_keys=True) != json.dumps(manifest, sort_keys=True):
            verdict.rows[MANIFEST] = ("changed", "it is not the one that was written")
    wrong = [f"{name}: {words or status}" for name, (status, words) in verdict.rows.items() if status not in SOUND]
    if wrong:
        raise Conflict(
            Sentence("The release does not check out, so it was not kept. %(faults)s", faults=" ".join(wrong[:5]))
        )


def _step(unit: str, done: int, note: str, **values: str) -> JobProgress:
    return JobProgress(done=done, unit=unit, note=note, values=values)


def _missing(campaign: Campaign) -> dict[str, int]:
    """Return what was missing when the campaign was frozen. For a campaign loaded from a release, return what that
    release says was missing.
    """
    frozen = campaign.activities.filter(action__in=("campaign.freeze", "release.import")).order_by("-id").first()
    missing = frozen.data.get("missing", {}) if frozen is not None else {}
    return {str(code): int(count) for code, count in missing.items()}


# Asking for a release.


def start_release(*, actor: User, campaign: Campaign, with_runs: bool = False) -> Release | None:
    """Make a release at once if the campaign is small. Otherwise request it in the background, and return None.

    What `make_release` refuses is refused, and so is a second release while one is being made.
    """
    if is_small(campaign):
        return make_release(actor=actor, campaign=campaign, with_runs=with_runs)
    require_frozen(campaign)
    enqueue_job(actor=actor, campaign=campaign, kind="release", arguments={"with_runs": with_runs})
    return None
