"""Stopping judging before all is judged, and going on with it."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from assess.assignments.domain.held_work import require_judging
from assess.assignments.models import Assignment
from assess.assignments.queries.stops import STOP
from assess.base.errors import Conflict, Invalid
from assess.campaigns.activity import checked_reason, hold_work, record_activity
from assess.campaigns.grown_work import recheck_done_work, rechecked_together
from assess.campaigns.models import Campaign
from assess.campaigns.queries import lease_end, ledger_point, track_of
from assess.ledger.models import take_points
from assess.organising.queries.stopping import stoppable, stoppable_since


def stop_judging(
    *, actor: User, campaign: Campaign, reason: str, stages: Sequence[str] = (), topics: Sequence[str] = ()
) -> int:
    """End all unfinished work of these stages and topics, or of all, as it is. Return the number of assignments ended.

    Existing judgments stay and count; the rest is exported as unjudged, and the campaign can be frozen. The reason is
    recorded. `resume_judging` undoes it. Refused: a reason that is missing or too long, a campaign that is not being
    judged, an unknown stage or topic, and a selection without unfinished work.
    """
    missing = gettext("Say why judging stops: the reason is recorded and goes into the release.")
    reason = checked_reason(reason, missing)
    _require_known(campaign, stages, topics)
    for _ in range(COUNTS):
        ended = _stop(actor, campaign, reason, stages, topics)
        if ended is not None:
            return ended
    with transaction.atomic():
        take_points(hold_work(campaign)[0].pk)
        return _stop(actor, campaign, reason, stages, topics) or 0


COUNTS = 2
"""How often everything is counted before the locks, if something that concerns all topics changes each time."""


def _stop(actor: User, campaign: Campaign, reason: str, stages: Sequence[str], topics: Sequence[str]) -> int | None:
    """Do what `stop_judging` does, or return None if something that concerns all topics changed meanwhile. Raises
    `Conflict` if no work is open there or the campaign is not being judged.
    """
    point = ledger_point(campaign)
    # It reads every judgment, so before anybody waits for the locks.
    counted = stoppable(Campaign.objects.get(pk=campaign.pk), stages=stages, topics=topics)
    with transaction.atomic():
        locked = hold_work(campaign)[0]
        require_judging(locked)
        take_points(locked.pk)  # writes under way are waited for, and come before the stop
        pieces = stoppable_since(locked, point, counted, stages=stages, topics=topics)
        if pieces is None:
            transaction.set_rollback(True)
            return None
        if not pieces:
            raise Conflict(gettext("No work is open there, so there is nothing to stop."))
        works = [piece.assignment.pk for piece in pieces]
        left = [piece.tally.left for piece in pieces]
        campaign.assignments.filter(pk__in=works).update(state=Assignment.State.STOPPED, lease_until=None)
        data = {"reason": reason, "works": works, "left": left, "stages": list(stages), "topics": list(topics)}
        record_activity(actor=actor, action=STOP, campaign=campaign, about=campaign, data=data)
    return len(works)


def resume_judging(*, actor: User, campaign: Campaign, stages: Sequence[str] = (), topics: Sequence[str] = ()) -> int:
    """Reopen the stopped work of these stages and topics, or of all. Return the number of assignments reopened.

    Refused: a campaign that is not being judged, an unknown stage or topic, and a selection without stopped work.
    """
    _require_known(campaign, stages, topics)
    with rechecked_together(campaign=campaign, actor=actor), transaction.atomic():
        locked = hold_work(campaign)[0]
        require_judging(locked)
        works = campaign.assignments.filter(state=Assignment.State.STOPPED)
        works = works.filter(stage__in=stages) if stages else works
        works = works.filter(topic__number__in=topics) if topics else works
        found = list(works.order_by("pk").values_list("pk", flat=True))
        if not found:
            raise Conflict(gettext("No work is stopped there, so there is nothing to open again."))
        again = campaign.assignments.filter(pk__in=found)
        until = lease_end(campaign)
        again.filter(started_at__isnull=False).update(state=Assignment.State.STARTED, lease_until=until)
        again.filter(state=Assignment.State.STOPPED).update(state=Assignment.State.OPEN, lease_until=until)
        recheck_done_work(campaign=campaign, actor=actor, only=Q(pk__in=found))
        record_activity(actor=actor, action="judging.resume", campaign=campaign, about=campaign, data={"works": found})
    return len(found)


def _require_known(campaign: Campaign, stages: Sequence[str], topics: Sequence[str]) -> None:
    known = [stage.key for task in track_of(campaign).tasks for stage in task.stages]
    if unknown := [key for key in stages if key not in known]:
        raise Invalid(
            gettext("There is no stage “%(unknown)s”. The stages are: %(known)s.")
            % {"unknown": unknown[0][:50], "known": ", ".join(known)},
            field="stages",
        )
    numbers = set(campaign.topics.filter(number__in=list(topics)).values_list("number", flat=True))
    if unknown := [number for number in topics if number not in numbers]:
        raise Invalid(
            gettext("There is no topic “%(unknown)s” in this campaign.") % {"unknown": unknown[0][:50]}, field="topics"
        )
