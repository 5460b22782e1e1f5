"""The events that webhooks report, read from the activities of a campaign."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext_noop

from assess.adjudication.queries.disagreements import criteria_of, disagreements, is_settled
from assess.assignments.models import Assignment
from assess.campaigns.models import Activity, Campaign
from assess.campaigns.queries import known_track, stage_of
from assess.runs.models import Run
from assess.webhooks.models import Webhook

RUN_CHECKED, TOPIC_FINISHED, DISAGREEMENT, RELEASE = "run-checked", "topic-finished", "disagreement", "release"
EVENTS: Mapping[str, str] = {
    RUN_CHECKED: gettext_noop("a run was accepted or rejected"),
    TOPIC_FINISHED: gettext_noop("all work of a stage on a topic is done"),
    DISAGREEMENT: gettext_noop("a topic is finished, and something in it waits to be adjudicated"),
    RELEASE: gettext_noop("a release was made or published"),
}
"""The events that a webhook can report, in words."""
PING = "ping"
"""The event that is sent when an organiser tries a webhook."""
ACTIONS = ("run.accept", "run.reject", "assignment.done", "release.make", "release.publish")
OVER = (Assignment.State.DONE, Assignment.State.RETURNED)

Event = tuple[str, dict[str, Any]]
"""The key of an event, and its data."""


def counted_webhooks(campaign: Campaign) -> QuerySet[Webhook]:
    """Return the campaign's webhooks with their makers, and how many calls of each were ``accepted``, are ``waiting``
    or were ``given_up``.
    """
    waiting, accepted = Q(calls__next_try__isnull=False), Q(calls__status__range=(200, 299))
    over = Q(calls__isnull=False) & ~waiting
    return campaign.webhooks.select_related("created_by").annotate(
        accepted=Count("calls", filter=over & accepted),
        waiting=Count("calls", filter=waiting),
        given_up=Count("calls", filter=over & (~accepted | Q(calls__status=None))),
    )


def events_of(activity: Activity) -> Iterator[Event]:
    """Yield the events of an activity with one of `ACTIONS`, in the campaign's current state; none if what it is about
    is gone. A few queries.
    """
    campaign, action = activity.campaign, activity.action
    if campaign is None:
        return
    if action.startswith("run."):
        run = Run.objects.filter(campaign=campaign, pk=activity.object_id).first()
        if run is not None:
            state = Run.State.ACCEPTED if action == "run.accept" else Run.State.REJECTED
            yield RUN_CHECKED, {"run": {"id": run.pk, "tag": run.tag, "team": run.team, "state": state.value}}
    elif action.startswith("release."):
        act = "published" if action == "release.publish" else "made"
        about = {"id": int(activity.object_id), "as_of": activity.data["as_of"], "archive": activity.data["archive"]}
        yield RELEASE, {"release": {**about, "act": act}}
    else:
        yield from _finished(campaign, activity)


def _finished(campaign: Campaign, activity: Activity) -> Iterator[Event]:
    """Yield the events of finished work: none unless that work was the last of its stage on the topic."""
    work = campaign.assignments.select_related("topic").filter(pk=activity.object_id).first()
    track = known_track(campaign)
    if work is None or track is None or track.stage(work.stage) is None:  # the work or its track is gone
        return
    beside = campaign.assignments.filter(topic=work.topic_id, stage=work.stage).order_by()
    later = campaign.activities.filter(action=activity.action, id__gt=activity.pk)
    if beside.exclude(state__in=OVER).exists() or later.filter(object_id__in=_ids(beside)).exists():
        return
    place = {"topic": work.topic.number, "stage": work.stage}
    yield TOPIC_FINISHED, place
    stage = stage_of(campaign, work.stage)[1]
    if not is_settled(stage):
        return
    found = [
        row
        for criterion in criteria_of(campaign, stage)
        for row in disagreements(campaign, stage, criterion, topics=[work.topic_id])
    ]
    if open_ones := sum(row.decided is None for row in found):
        yield DISAGREEMENT, {**place, "open": open_ones}


def _ids(works: Any) -> list[str]:
    """Return the ids of assignments in the form that activities use."""
    return [str(pk) for pk in works.values_list("pk", flat=True)]
