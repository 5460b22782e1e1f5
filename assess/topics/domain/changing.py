"""Drop a topic with a reason, restore it, or remove one on which nothing depends.

A dropped topic keeps all its records, in the ledgers and in its work. `Topic.objects` leaves it out, and so do pools,
work, exports, scores and comparisons of judges. Each act is in the activity ledger with its reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import timedelta
from typing import Any

from django.apps import apps
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count
from django.utils import timezone
from django.utils.translation import gettext, ngettext, ngettext_lazy

from assess.base.errors import Conflict, Invalid
from assess.base.numbers import grouped
from assess.campaigns.activity import checked_reason, lock_open, record_activity
from assess.campaigns.domain import require_changeable
from assess.campaigns.grown_work import recheck_done_work, rechecked_together
from assess.campaigns.models import Activity, Campaign
from assess.campaigns.queries import settings_of, track_of
from assess.topics.models import Topic
from assess.topics.queries import all_topics

WORDING_LIMIT = 100_000
AMEND, DROP, RESTORE, REMOVE = "topics.amend", "topics.drop", "topics.restore", "topics.remove"


def drop_topic(*, actor: User, campaign: Campaign, number: str, reason: str) -> list[Topic]:
    """Drop a topic and all topics below it, so that nothing counts them any more. Return the topics dropped now.

    A series is dropped with its last topic. Dropping a dropped topic changes nothing. Refuses a missing or too long
    reason, an unknown number, and a closed campaign.
    """
    missing = gettext("Say why the topic is dropped: the reason is recorded, for assessors and the release.")
    reason = checked_reason(reason, missing, field="reason")
    require_changeable(campaign)
    with transaction.atomic():
        lock_open(campaign)
        topics = {topic.pk: topic for topic in all_topics(campaign)}
        named = topic_numbered(topics.values(), number)
        going = {named.pk, *_below(topics, named)} if not named.dropped else set()
        going = {pk for pk in going if not topics[pk].dropped}
        above = named.parent_id
        while going and above is not None and not _others_below(topics, above, going):
            going.add(above)
            above = topics[above].parent_id
        found = [topic for pk, topic in topics.items() if pk in going]
        if found:
            _mark(found, dropped=True)
            data = {"number": named.number, "topics": [topic.number for topic in found], "reason": reason}
            record_activity(actor=actor, action=DROP, campaign=campaign, about=named, data=data)
    return found


def restore_topic(*, actor: User, campaign: Campaign, number: str, reason: str = "") -> list[Topic]:
    """Restore a dropped topic with those that were dropped together with it. Return the topics restored now.

    The series above it are restored, too; topics that were dropped separately stay dropped. Leases start again. Its
    judgments count as before; a pool that was built meanwhile lacks its items until it is built again. Restoring a
    topic that counts changes nothing. Refuses an unknown number, a too long reason, and a closed campaign.
    """
    reason = checked_reason(reason, field="reason")
    require_changeable(campaign)
    with rechecked_together(campaign=campaign, actor=actor), transaction.atomic():
        lock_open(campaign)
        topics = {topic.pk: topic for topic in all_topics(campaign)}
        named = topic_numbered(topics.values(), number)
        if not named.dropped:
            return []
        acts = dropping_acts(campaign)
        along = {pk for pk in _below(topics, named) if acts.get(topics[pk].number) == acts.get(named.number)}
        back = {named.pk, *along, *_above(topics, named)}
        found = [topic for pk, topic in topics.items() if pk in back and topic.dropped]
        _mark(found, dropped=False)
        recheck_done_work(campaign=campaign, actor=actor, topics=[topic.pk for topic in found])
        _restart_leases(campaign, found)
        data = {"number": named.number, "topics": [topic.number for topic in found], "reason": reason}
        record_activity(actor=actor, action=RESTORE, campaign=campaign, about=named, data=data)
    return found


STANDING = (
    ("responses", ngettext_lazy("%(count)s response of a run", "%(count)s responses of runs", "count")),
    ("items__judgments", ngettext_lazy("%(count)s judgment", "%(count)s judgments", "count")),
    ("nugget_lists", ngettext_lazy("%(count)s nugget list", "%(count)s nugget lists", "count")),
    ("answer_classes", ngettext_lazy("%(count)s answer class", "%(count)s answer classes", "count")),
    ("items__control_items", ngettext_lazy("%(count)s control item", "%(count)s control items", "count")),
    (
        "assignments__help_requests",
        ngettext_lazy("%(count)s question to the organiser", "%(count)s questions to the organiser", "count"),
    ),
    ("draft", ngettext_lazy("%(count)s draft that it was made of", "%(count)s drafts that it was made of", "count")),
)
"""Records that prevent the removal of a topic: the lookup from the topic, and the noun in singular and plural."""


def remove_topic(*, actor: User, campaign: Campaign, number: str, reason: str = "") -> list[str]:
    """Remove a topic and those below it, with their pool items, document lists and unstarted work. Return their
    numbers.

    Refused, with the counts, if runs answered it or anything was recorded about it; such a topic can be dropped. Also
    refused if it is among the topics chosen to be judged, or if assessors would get other numbers without its work. An
    unknown number, a too long reason and a closed campaign are refused, too.
    """
    reason = checked_reason(reason, field="reason")
    require_changeable(campaign)
    with transaction.atomic():
        lock_open(campaign)
        topics = {topic.pk: topic for topic in all_topics(campaign)}
        named = topic_numbered(topics.values(), number)
        going = {named.pk, *_below(topics, named)}
        if chosen := _chosen_among(campaign, {topics[pk].number for pk in going}):
            raise Conflict(
                gettext("Topic %(chosen)s is among the topics chosen to be judged. Take it out of them first.")
                % {"chosen": chosen}
            )
        if standing := list_dependents(going):
            raise Conflict(
                gettext("Topic %(named)s can't be removed: it has %(standing)s. Drop it instead.")
                % {"named": named.number, "standing": standing}
            )
        found = [topics[pk].number for pk in topics if pk in going]
        names = _in_order_of_work(campaign)
        _of("assess.PoolItem").filter(item__topic__in=going).delete()  # pools and work are in higher layers than topics
        _of("assess.Assignment").filter(topic__in=going).delete()
        if campaign.state != Campaign.State.SETUP and names[: len(now := _in_order_of_work(campaign))] != now:
            raise Conflict(
                gettext(
                    "Topic %(named)s can't be removed: assessors are numbered by the work that they were given, and "
                    "without its work some would get other numbers. Drop it instead."
                )
                % {"named": named.number}
            )
        Topic.with_dropped.filter(pk__in=going).delete()
        data = {"number": named.number, "topics": found, "text": named.text, "reason": reason}
        record_activity(actor=actor, action=REMOVE, campaign=campaign, data=data)
    return found


def _chosen_among(campaign: Campaign, numbers: Collection[str]) -> str:
    """Return the first of these numbers that the campaign's settings name as topics to judge, or ""."""
    settings = settings_of(campaign)
    ways = {task.topics_setting for task in track_of(campaign).tasks if task.topics_setting}
    return next((number for way in sorted(ways) for number in getattr(settings, way) if number in numbers), "")


def _restart_leases(campaign: Campaign, topics: Iterable[Topic]) -> None:
    """Start the leases again for work that was impossible while the topic was dropped; otherwise that work would go
    back at once.
    """
    if campaign.lease_hours is not None:
        until = timezone.now() + timedelta(hours=campaign.lease_hours)
        live = _of("assess.Assignment").filter(topic__in=[topic.pk for topic in topics], state__in=("open", "started"))
        live.filter(lease_until__isnull=False).update(lease_until=until)


def _in_order_of_work(campaign: Campaign) -> list[int]:
    """Return the ids of the people who were given work, in the order in which pseudonyms number them."""
    given = _of("assess.Assignment").filter(campaign=campaign).order_by("id").values_list("assessor_id", flat=True)
    return list(dict.fromkeys(given))


def _of(model: str) -> Any:
    return apps.get_model(model)._default_manager


def list_dependents(topics: Collection[int]) -> str:
    """Return in words the records that depend on these topics (ids), with counts; "" if there are none. One query for
    each kind.
    """
    rows = Topic.with_dropped.filter(pk__in=topics).order_by()
    found = []
    for way, words in STANDING:
        count = rows.aggregate(count=Count(way, distinct=True))["count"]
        if count:
            found.append(words % {"count": count})
    begun = rows.filter(assignments__started_at__isnull=False).aggregate(count=Count("assignments", distinct=True))
    if begun["count"]:
        said = ngettext("%(count)s assignment that was begun", "%(count)s assignments that were begun", begun["count"])
        found.append(said % {"count": grouped(begun["count"])})
    return ", ".join(found)


def dropping_acts(campaign: Campaign) -> dict[str, Activity]:
    """Return the newest act that dropped each topic, by the topic's number. One query."""
    acts = Activity.objects.filter(campaign=campaign, action=DROP).select_related("actor").order_by("id")
    return {number: act for act in acts for number in act.data["topics"]}


def topic_numbered(topics: Iterable[Topic], number: str) -> Topic:
    """Return the topic with this number among ``topics``. Refuse an unknown number."""
    found = next((topic for topic in topics if topic.number == number.strip()), None)
    if found is None:
        raise Invalid(
            gettext("There is no topic %(number)s in this campaign.") % {"number": number.strip()[:40]}, field="number"
        )
    return found


def _below(topics: dict[int, Topic], topic: Topic) -> set[int]:
    """Return the ids of all topics below a topic, at any depth."""
    found: set[int] = set()
    level = {topic.pk}
    while level:
        level = {pk for pk, each in topics.items() if each.parent_id in level}
        found |= level
    return found


def _above(topics: dict[int, Topic], topic: Topic) -> set[int]:
    found: set[int] = set()
    above = topic.parent_id
    while above is not None:
        found.add(above)
        above = topics[above].parent_id
    return found


def _others_below(topics: dict[int, Topic], above: int, going: set[int]) -> bool:
    """Return whether a series has a topic that counts and is not among those that are ``going``."""
    return any(not topics[pk].dropped and pk not in going for pk in _below(topics, topics[above]))


def _mark(topics: Iterable[Topic], *, dropped: bool) -> None:
    Topic.with_dropped.filter(pk__in=[topic.pk for topic in topics]).update(dropped=dropped)
    for topic in topics:
        topic.dropped = dropped
