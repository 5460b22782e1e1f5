"""All that an organiser sees of one topic. Names runs, so no page for assessors uses it."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q

from assess.assignments.models import Assignment
from assess.documents.queries.documents import Listed, document_list
from assess.items.queries.membership import current_pools
from assess.runs.models import Run
from assess.topics.models import Topic
from assess.topics.queries.topics import whole_series

LISTED_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Coverage:
    """What one accepted run returned for a topic; nothing, where it has no response."""

    run: Run
    strings: int
    characters: int


@dataclass(frozen=True, slots=True)
class TopicFacts:
    """A topic's series without its head, what each accepted run returned, its documents and its work."""

    series: list[Topic]
    coverage: list[Coverage]
    answered: int
    items: int
    pooled: int
    listed: list[Listed]
    listed_count: int
    assignments: list[Assignment]


def topic_facts(topic: Topic) -> TopicFacts:
    """The facts of a topic in eight queries."""
    root, *series = whole_series(topic)
    coverage = _coverage(topic) if topic.task else []
    pools = current_pools(topic.campaign).filter(task=topic.task)
    pooled = Count("id", filter=Q(pool_items__pool__in=pools), distinct=True)
    items = topic.items.aggregate(all=Count("id", distinct=True), pooled=pooled)
    return TopicFacts(
        series=series,
        coverage=coverage,
        answered=sum(1 for each in coverage if each.strings),
        items=items["all"],
        pooled=items["pooled"],
        listed=document_list(root, limit=LISTED_SHOWN),
        listed_count=root.listed_documents.count(),
        assignments=list(
            topic.assignments.exclude(state=Assignment.State.RETURNED).select_related("assessor").order_by("id")
        ),
    )


def _coverage(topic: Topic) -> list[Coverage]:
    responses = {
        response.run_id: response for response in topic.responses.annotate(strings=Count("segments")).order_by("id")
    }
    found = []
    for run in topic.campaign.runs.filter(state=Run.State.ACCEPTED).order_by("tag"):
        response = responses.get(run.pk)
        if response is None:
            found.append(Coverage(run, 0, 0))
        else:
            found.append(Coverage(run, response.strings, response.characters))
    return found
