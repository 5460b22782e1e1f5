"""Long jobs in the background: asked for on a page, stopped and started again.

The worker does them in `assess.jobs.background`; what a kind of job does stands in `assess.worker`.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from assess.base.errors import Conflict, Invalid
from assess.campaigns.models import Campaign
from assess.jobs.background import run_work
from assess.jobs.domain.kinds import job_kinds
from assess.jobs.domain.stopping import stop_works
from assess.jobs.models import Work


def enqueue_work(*, actor: User, campaign: Campaign, kind: str, arguments: dict[str, Any]) -> Work:
    """Ask for a job. ``arguments`` are JSON values: see the job's function. Runs as soon as a worker is free.

    Refused: an unknown kind; a second job of a kind while one is waiting or running. Kinds that stand in line wait
    instead, and only the same job, with the same arguments, is refused.
    """
    if kind not in job_kinds():
        raise Invalid(f"There is no job “{kind}”. Use one of: {', '.join(job_kinds())}.")
    with transaction.atomic():
        _require_alone(campaign.pk, kind, arguments)
        work = Work.objects.create(campaign=campaign, kind=kind, arguments=arguments, started_by=actor)
        send_work(work)
    return work


def stop_work(*, actor: User, work: Work) -> Work:
    """Ask a job to stop after its present step; one that waits or has lost its worker is stopped at once."""
    stop_works(actor=actor, works=Work.objects.filter(pk=work.pk))
    work.refresh_from_db()
    return work


def restart_work(*, actor: User, work: Work) -> Work:
    """Start a stopped or failed job again, or one whose worker was lost; it goes on where it was.

    Refused: any other, and all that `enqueue_work` refuses.
    """
    with transaction.atomic():
        _require_alone(work.campaign_id, work.kind, work.arguments, besides=work)
        locked = Work.objects.select_for_update(no_key=True).get(pk=work.pk)
        if locked.state not in (Work.State.STOPPED, Work.State.FAILED) and not locked.is_lost():
            raise Conflict(f"The job is {locked.get_state_display()}, so it can't be started again.")
        locked.state, locked.asked_to_stop = Work.State.WAITING, False
        locked.started_by, locked.message, locked.issues = actor, "", []
        locked.save()
        send_work(locked)
    return locked


def _require_alone(campaign_id: int, kind: str, arguments: dict[str, Any], *, besides: Work | None = None) -> None:
    """Refuse a second job of a kind while one is under way; whoever else asks waits for this transaction to end."""
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign_id)
    under_way = Work.objects.filter(campaign=campaign_id, kind=kind, state__in=Work.UNDER_WAY)
    if job_kinds()[kind].in_line:
        under_way = under_way.filter(arguments=arguments)
    if besides is not None:
        under_way = under_way.exclude(pk=besides.pk)
    if (other := under_way.first()) is None:
        return
    if other.is_lost():
        raise Conflict("A job of this kind has lost its worker; the next one goes on with it. Wait, or stop it.")
    raise Conflict("The same kind of job is under way already. Wait until it is done, or stop it.")


def send_work(work: Work) -> None:
    """Have the worker do a job that waits, as soon as this transaction ends. A second time does nothing more."""
    transaction.on_commit(lambda: run_work.enqueue(work.pk))
