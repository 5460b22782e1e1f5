"""Topics as organisers see them: one topic with its runs and work, and the topics that files gave twice."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from assess.assignments.models import Assignment
from assess.base.track_settings import choice_of
from assess.campaigns.models import Campaign
from assess.campaigns.queries import settings_of, track_of
from assess.documents.queries.documents import DocumentLine, document_list
from assess.items.models import Item
from assess.items.queries import current_pools
from assess.judging.queries.current import official_judgments
from assess.judging.snapshots import Snapshot
from assess.protocol import FURTHER, Findings, GivenTwice
from assess.runs.models import Run
from assess.runs.queries import accepted_runs
from assess.topics.domain.changing import list_dependents
from assess.topics.models import Topic
from assess.topics.queries import topic_record, tree_order, whole_series

# All that an organiser sees of one topic. Names runs, so no page for assessors uses it.

LISTED_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Coverage:
    """What an accepted run of the topic's task returned for it: whether it answered, and the numbers of its segments
    and characters.
    """

    run: Run
    is_answered: bool
    segments: int
    characters: int


@dataclass(frozen=True, slots=True)
class TopicFacts:
    """The facts of a topic: the topics below the head of its series, what each run returned, its documents, its work
    and its fields.
    """

    series: list[Topic]
    coverage: list[Coverage]
    answered: int
    items: int
    pooled: int
    listed: list[DocumentLine]
    listed_count: int
    assignments: list[Assignment]
    fields: list[tuple[str, str]]

    @property
    def has_segments(self) -> bool:
        """Whether any run returned segments for the topic, so that a page shows their number."""
        return any(each.segments for each in self.coverage)


def topic_facts(topic: Topic) -> TopicFacts:
    """Return the facts of a topic in eight queries."""
    root, *series = whole_series(topic)
    coverage = _coverage(topic) if topic.task else []
    pools = current_pools(topic.campaign).filter(task=topic.task)
    pooled = Count("id", filter=Q(pool_items__pool__in=pools), distinct=True)
    items = topic.items.aggregate(all=Count("id", distinct=True), pooled=pooled)
    return TopicFacts(
        series=series,
        coverage=coverage,
        answered=sum(each.is_answered for each in coverage),
        items=items["all"],
        pooled=items["pooled"],
        listed=document_list(root, limit=LISTED_SHOWN),
        listed_count=root.listed_documents.count(),
        assignments=list(
            topic.assignments.exclude(state=Assignment.State.RETURNED).select_related("assessor").order_by("id")
        ),
        fields=[(name, _written(value)) for name, value in _fields(topic) if value not in ("", [], {}, None)],
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicDependents:
    """How many records depend on a topic and on the topics below it.

    ``pooled`` and ``judged`` count items. ``work`` counts assignments that were not given back, ``open`` those of them
    that are not done. ``words`` names the records that prevent the topic's removal; "" if there are none.
    """

    topics: int
    pooled: int
    work: int
    open: int
    judged: int
    words: str


def count_topic_dependents(topic: Topic) -> TopicDependents:
    """Count the records that depend on a topic. Twelve queries."""
    series = whole_series(topic)
    below = {topic.pk}
    for each in series:  # parents come before their children
        if each.parent_id in below:
            below.add(each.pk)
    pools = current_pools(topic.campaign)
    items = Item.objects.filter(topic__in=below, repeats=None).aggregate(
        pooled=Count("id", filter=Q(pool_items__pool__in=pools), distinct=True),
        judged=Count("id", filter=Q(judgments__isnull=False), distinct=True),
    )
    live = topic.campaign.assignments.filter(topic__in=below).exclude(state=Assignment.State.RETURNED)
    work = live.aggregate(all=Count("id"), done=Count("id", filter=Q(state=Assignment.State.DONE)))
    return TopicDependents(
        topics=sum(not each.dropped for each in series if each.pk in below),
        pooled=items["pooled"],
        judged=items["judged"],
        work=work["all"],
        open=work["all"] - work["done"],
        words=list_dependents(below),
    )


def _fields(topic: Topic) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a topic by name, with the further fields among them."""
    for name, value in topic.fields.items():
        if name == FURTHER:
            yield from value
        else:
            yield name, value


def _written(value: object) -> str:
    """Return a member of a topic's fields as text: a string as it is, a list of strings line by line, anything else as
    JSON.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return "\n".join(value)
    return json.dumps(value, ensure_ascii=False, indent=1)


def _coverage(topic: Topic) -> list[Coverage]:
    """Return what each run that may answer the topic's task returned. A ranked list has no segments but counts as an
    answer.
    """
    submissions = {each.key: each for each in track_of(topic.campaign).submissions if topic.task in each.tasks}
    responses = {
        response.run_id: response for response in topic.responses.annotate(segments_=Count("segments")).order_by("id")
    }
    found = []
    for run in accepted_runs(topic.campaign).filter(submission__in=submissions):
        response = responses.get(run.pk)
        segments = response.segments_ if response is not None else 0
        is_answered = response is not None and bool(segments or submissions[run.submission].rankings)
        found.append(Coverage(run, is_answered, segments, response.characters if response is not None else 0))
    return found


# Topics that files gave twice with different findings, and the findings that count.


@dataclass(frozen=True, kw_only=True, slots=True)
class GivenTopic:
    """A topic that was given twice.

    ``chosen`` is "" if the campaign's setting applies; ``which`` is the choice that applies. ``counts`` are the
    findings that it selects. If the topic ``is_judged``, what assessors found counts instead.
    """

    number: str
    text: str
    findings: Findings
    chosen: str
    which: str
    counts: tuple[str, ...]
    is_judged: bool


def list_given_twice(campaign: Campaign, numbers: Iterable[str] | None = None) -> list[GivenTopic]:
    """Return the topics that were given twice, in order; only those with ``numbers`` if these are given.

    Reads every topic, in at most three queries. Empty if the track has no such topics.
    """
    said = track_of(campaign).given_twice
    if said is None:
        return []
    topics = campaign.topics.exclude(task="").select_related("parent").order_by(*tree_order())
    if numbers is not None:
        topics = topics.filter(number__in=list(numbers))
    found = [(topic, findings) for topic in topics if len(findings := said.findings(topic_record(topic))) > 1]
    settings = settings_of(campaign)
    chosen, default = choices_for_topics(said, settings.as_mapping()), getattr(settings, said.setting)
    judged = _judged(campaign, [topic.pk for topic, _ in found])
    return [
        GivenTopic(
            number=topic.number,
            text=topic.text,
            findings=findings,
            chosen=chosen.get(topic.number, ""),
            which=(which := chosen.get(topic.number, default)),
            counts=said.choices[which](findings),
            is_judged=topic.pk in judged,
        )
        for topic, findings in found
    ]


def choices_for_topics(said: GivenTwice, settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the choices by topic number, for the topics that have one."""
    return dict(choice_of(word) for word in settings.get(said.chosen_setting, ()))


def _judged(campaign: Campaign, topics: list[int]) -> set[int]:
    if not topics:
        return set()
    official = official_judgments(Snapshot(campaign), topics=topics).order_by()
    return set(official.values_list("item__topic_id", flat=True).distinct())
