"""Long jobs in the background: asked for on a page, done by the worker, stopped and started again.

A kind of job is a function registered below. `manage.py db_worker` runs them one after another.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from assess.domain.documents.docnos import load_docnos
from assess.domain.documents.loading import Source, load_documents
from assess.domain.errors import Conflict, Invalid, Refused
from assess.domain.files import open_file, stored_path
from assess.domain.jobs.progress import Progress
from assess.domain.pools.building import build_pool
from assess.domain.pools.quality import pool_stand
from assess.domain.pools.ranking_checks import ranking_checks
from assess.domain.pools.rankings import Stopped
from assess.domain.pools.reading import read_rankings
from assess.domain.pools.selection import read_selection
from assess.domain.rehearsals.kept import KIND as REHEARSAL
from assess.domain.rehearsals.kept import play_job
from assess.domain.rehearsals.outcomes import Stopped as RehearsalStopped
from assess.domain.releases.releasing import is_small, make_release, require_frozen
from assess.domain.reports import Report
from assess.domain.runs.checks import check_received
from assess.models import Campaign, Release, Run, Work
from assess.queries.runs.checks import CHECK, SILENCE
from assess.queries.tracks import track_of
from assess.wording import counted
from scoring.reading import open_input

TELL_EVERY = timedelta(seconds=1)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """How a job ended: a sentence for the person, and what was found wrong."""

    message: str
    report: Report
    stopped: bool = False


Job = Callable[[Work, "Watch"], Outcome]


class Watch:
    """Tells a job's row how far it is, about once a second, and whether somebody asked to stop it."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.told_at = timezone.now() - TELL_EVERY
        self.stop = False

    def tell(self, progress: Progress) -> None:
        """Write down how far the job is, if it has not been for a second."""
        now = timezone.now()
        if now - self.told_at < TELL_EVERY:
            return
        self.told_at = now
        Work.objects.filter(pk=self.work.pk).update(
            done=progress.done, total=progress.total, unit=progress.unit, message=progress.note, updated_at=now
        )
        self.stop = Work.objects.filter(pk=self.work.pk, asked_to_stop=True).exists()

    def should_stop(self) -> bool:
        """Whether the job should end after the present step."""
        return self.stop


def enqueue_work(*, actor: User, campaign: Campaign, kind: str, arguments: dict[str, Any]) -> Work:
    """Ask for a job. ``arguments`` are JSON values: see the job's function below. Runs as soon as a worker is free.

    Refused: an unknown kind; a second job of a kind while one is waiting or running. Kinds `IN_LINE` wait in line
    instead, and only the same job, with the same arguments, is refused.
    """
    if kind not in JOBS:
        raise Invalid(f"There is no job “{kind}”. Use one of: {', '.join(JOBS)}.")
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        under_way = campaign.works.filter(kind=kind, state__in=[Work.State.WAITING, Work.State.RUNNING])
        if kind in IN_LINE:
            under_way = under_way.filter(arguments=arguments)
        if under_way.exists():
            raise Conflict("The same kind of job is under way already. Wait until it is done, or stop it.")
        work = Work.objects.create(campaign=campaign, kind=kind, arguments=arguments, started_by=actor)
        _send(work)
    return work


def stop_work(*, actor: User, work: Work) -> Work:
    """Ask a job to stop after its present step; one that waits is stopped at once. Ended ones stay as they are."""
    waiting = Work.objects.filter(pk=work.pk, state=Work.State.WAITING)
    if not waiting.update(state=Work.State.STOPPED, message=f"Stopped by {actor}.", updated_at=timezone.now()):
        Work.objects.filter(pk=work.pk, state=Work.State.RUNNING).update(asked_to_stop=True)
    work.refresh_from_db()
    return work


def restart_work(*, actor: User, work: Work) -> Work:
    """Start a stopped or failed job again, or one whose worker was lost; it goes on where it was."""
    with transaction.atomic():
        locked = Work.objects.select_for_update(no_key=True).get(pk=work.pk)
        is_lost = locked.state == Work.State.RUNNING and locked.updated_at < timezone.now() - SILENCE
        if locked.state not in (Work.State.STOPPED, Work.State.FAILED) and not is_lost:
            raise Conflict(f"The job is {locked.get_state_display()}, so it can't be started again.")
        locked.state, locked.asked_to_stop = Work.State.WAITING, False
        locked.started_by, locked.message, locked.issues = actor, "", []
        locked.save()
        _send(locked)
    return locked


def do_work(work_id: int) -> None:
    """Do a job that waits; called by the worker. One that was stopped or is being done elsewhere is left alone."""
    claimed = Work.objects.filter(pk=work_id, state=Work.State.WAITING)
    if not claimed.update(state=Work.State.RUNNING, updated_at=timezone.now()):
        return
    work = Work.objects.select_related("campaign", "started_by").get(pk=work_id)
    try:
        outcome = JOBS[work.kind](work, Watch(work))
    except Refused as refusal:
        _end(work, state=Work.State.FAILED, message=refusal.message)
    except Exception as error:
        _end(
            work,
            state=Work.State.FAILED,
            message=f"The job broke off: {error}. Whoever runs the site finds more in its log.",
        )
        logger.exception("job %s of campaign %s broke off", work.kind, work.campaign.slug)
        raise
    else:
        state = Work.State.STOPPED if outcome.stopped else Work.State.DONE
        _end(work, state=state, message=outcome.message, report=outcome.report)


def _end(work: Work, *, state: str, message: str, report: Report | None = None) -> None:
    Work.objects.filter(pk=work.pk).update(
        state=state,
        message=message,
        issues=report.as_rows() if report is not None else [],
        updated_at=timezone.now(),
    )


def _send(work: Work) -> None:
    from assess.domain.background import run_work

    transaction.on_commit(lambda: run_work.enqueue(work.pk))


def _load_documents(work: Work, watch: Watch) -> Outcome:
    """``files``: [{"sha256", "name"}] of files that were uploaded; ``wanted``: "named" or "all".

    Paths on this machine are for the command alone, since a page must not read any file of the server.
    """
    sources = [Source(stored_path(each["sha256"]), each["name"]) for each in work.arguments.get("files", [])]
    loaded = load_documents(
        actor=work.started_by,
        campaign=work.campaign,
        sources=sources,
        wanted=work.arguments.get("wanted", "named"),
        progress=watch.tell,
        should_stop=watch.should_stop,
    )
    Work.objects.filter(pk=work.pk).update(done=loaded.stored + loaded.unchanged)
    return Outcome(message=loaded.sentence(), report=loaded.report, stopped=loaded.stopped)


def _load_docnos(work: Work, watch: Watch) -> Outcome:
    """``sha256`` and ``name`` of a file that was uploaded."""
    with open_input(stored_path(work.arguments["sha256"])) as stream:
        loaded = load_docnos(
            actor=work.started_by,
            campaign=work.campaign,
            stream=stream,
            name=work.arguments["name"],
            progress=watch.tell,
            should_stop=watch.should_stop,
        )
    Work.objects.filter(pk=work.pk).update(done=loaded.read, unit="docnos")
    return Outcome(message=loaded.sentence(), report=loaded.report, stopped=loaded.stopped)


def _check_run(work: Work, watch: Watch) -> Outcome:
    """``run``: the id of a run that is being checked."""
    run = Run.objects.select_related("campaign").get(pk=work.arguments["run"])
    checked = check_received(actor=work.started_by, run=run, progress=watch.tell, should_stop=watch.should_stop)
    return Outcome(message=checked.message, report=Report(), stopped=checked.stopped)


IN_LINE = frozenset({CHECK})
"""Kinds of jobs of which several may wait at once."""


def _read_rankings(work: Work, watch: Watch) -> Outcome:
    """``task`` is the key of a task whose runs rank."""
    task = track_of(work.campaign).task(work.arguments["task"])
    if task is None:
        raise Invalid("The track does not have this task any more.")
    try:
        read = read_rankings(work.campaign, task, progress=watch.tell, should_stop=watch.should_stop)
    except Stopped:
        return Outcome(message="Nothing was kept; start it again to read the runs.", report=Report(), stopped=True)
    Work.objects.filter(pk=work.pk).update(done=read, total=read, unit="runs")
    return Outcome(message=f"{counted(read, 'run')} read; the pool of {task.label} can be planned.", report=Report())


def _build_pool(work: Work, watch: Watch) -> Outcome:
    """``task``, ``priorities`` and ``drop_judged`` as `build_pool` takes them; of ``selection`` its JSON's sha256."""

    def step(progress: Progress) -> None:
        watch.tell(progress)
        if watch.should_stop():
            raise Stopped

    told = work.arguments
    with open_file(told["selection"]) as file:
        selection = read_selection(file.read().decode())
    try:
        pool = build_pool(
            actor=work.started_by,
            campaign=work.campaign,
            task=told["task"],
            priorities=told["priorities"],
            drop_judged=told["drop_judged"],
            selection=selection,
            progress=step,
        )
    except Stopped:
        return Outcome(message="No pool was made; start it again to make it.", report=Report(), stopped=True)
    items = pool.pool_items.count()
    Work.objects.filter(pk=work.pk).update(done=items, total=items, unit="items")
    return Outcome(message=f"The pool has {counted(items, 'item')}.", report=Report())


def start_release(*, actor: User, campaign: Campaign, with_runs: bool = False) -> Release | None:
    """Make a release at once where the campaign is small; else ask for it in the background, and return None.

    Refused: as `make_release` refuses, and while one is being made.
    """
    if is_small(campaign):
        return make_release(actor=actor, campaign=campaign, with_runs=with_runs)
    require_frozen(campaign)
    enqueue_work(actor=actor, campaign=campaign, kind="release", arguments={"with_runs": with_runs})
    return None


def _make_release(work: Work, watch: Watch) -> Outcome:
    """``with_runs``: whether run files that can't be renamed come in as they are."""
    del watch
    release = make_release(
        actor=work.started_by, campaign=work.campaign, with_runs=bool(work.arguments.get("with_runs"))
    )
    message = f"The release of ledger point {release.as_of} is made, and every score checks out."
    return Outcome(message=message, report=Report())


def _check_rankings(work: Work, watch: Watch) -> Outcome:
    """``task`` is the key of a task whose runs rank."""
    task = track_of(work.campaign).task(work.arguments["task"])
    stand = pool_stand(work.campaign, task) if task is not None else None
    if stand is None:
        raise Invalid("There is no pool of ranked runs any more.")
    watch.tell(Progress(done=0, total=len(stand.teams), unit="runs", note="scoring runs"))
    checks = ranking_checks(stand, now=timezone.now())
    Work.objects.filter(pk=work.pk).update(done=len(stand.teams), unit="runs")
    return Outcome(message=f"The runs are scored as of ledger point {checks.as_of:,}.", report=Report())


def _rehearse(work: Work, watch: Watch) -> Outcome:
    """What `assess.domain.rehearsals.wishes.Wish` says."""
    try:
        play_job(work, progress=watch.tell, should_stop=watch.should_stop)
    except RehearsalStopped:
        return Outcome(message="Stopped; nothing is kept of what was played.", report=Report(), stopped=True)
    return Outcome(message="Played to its end.", report=Report())


JOBS: dict[str, Job] = {
    "pool-checks": _check_rankings,
    "documents": _load_documents,
    "docnos": _load_docnos,
    "rankings": _read_rankings,
    "pool": _build_pool,
    CHECK: _check_run,
    "release": _make_release,
    REHEARSAL: _rehearse,
}
