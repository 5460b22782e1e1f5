"""Which items a stage asks of a topic: those pooled, of them only what its `Needs` says. Nothing here joins runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Q, QuerySet

from assess.campaigns.models import Campaign
from assess.campaigns.tracks import settings_of
from assess.items.models import Item
from assess.items.queries.membership import pooled_items
from assess.judging.queries.current import official_judgments
from assess.protocol import Needs, Stage
from assess.runs.models import Citation, Response, Segment
from assess.topics.models import Topic


def stage_items(topic: Topic, stage: Stage) -> QuerySet[Item]:
    """The items that a stage asks of a topic. One query for all of it, however it is narrowed further."""
    items = pooled_items(topic, stage.item_kind)
    asked = needed(topic.campaign, stage, [topic.pk])
    return items if asked is None else items.filter(asked)


def needed(campaign: Campaign, stage: Stage, topics: Iterable[int]) -> Q | None:
    """The condition on items that `Stage.needs` sets in these topics (ids); None where the stage needs nothing.

    A whole response cites what its segments are or cite, a segment what it cites. What came with the topic or a file of
    judgments is always asked.
    """
    if stage.needs is None:
        return None
    good = _good(campaign, stage.needs, topics)
    citing = Citation.objects.filter(item__in=good).order_by()
    if (last := stage.needs.last(settings_of(campaign))) is not None:
        citing = citing.filter(ordinal__lte=last)
    holding = Segment.objects.filter(item__in=good).order_by()
    responses = Response.objects.filter(
        Q(pk__in=citing.values("segment__response")) | Q(pk__in=holding.values("response")), item__isnull=False
    ).order_by()
    segments = Segment.objects.filter(pk__in=citing.values("segment"), item__isnull=False).order_by()
    return Q(given=True) | Q(pk__in=responses.values("item")) | Q(pk__in=segments.values("item"))


def _good(campaign: Campaign, needs: Needs, topics: Iterable[int]) -> Any:
    """The ids of the items judged good enough, for use inside other queries."""
    least = getattr(settings_of(campaign), needs.setting)
    official = official_judgments(campaign, topics=topics)
    return official.filter(criterion=needs.criterion, item__kind=needs.kind, value__gte=least).order_by().values("item")
