"""Topics that files gave twice with other findings, and what counts of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from assess.base.track_settings import choice_of
from assess.campaigns.models import Campaign
from assess.campaigns.tracks import settings_of, track_of
from assess.judging.queries.current import official_judgments
from assess.protocol import Findings, GivenTwice
from assess.topics.queries.topics import topic_record, tree_order


@dataclass(frozen=True, kw_only=True, slots=True)
class GivenTopic:
    """One such topic. ``chosen`` is "" where the campaign's choice holds; ``which`` is the choice that holds.

    ``counts`` are the findings that the choice gives; where the topic ``is_judged``, what assessors found counts
    instead.
    """

    number: str
    text: str
    findings: Findings
    chosen: str
    which: str
    counts: tuple[str, ...]
    is_judged: bool


def list_given_twice(campaign: Campaign, numbers: Iterable[str] | None = None) -> list[GivenTopic]:
    """The topics that were given twice, in their order; of ``numbers`` alone where these are named.

    Reads every topic, in three queries at most. Empty where the track knows no such topics.
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
    """Number -> choice, for the topics for which one was made."""
    return dict(choice_of(word) for word in settings.get(said.chosen_setting, ()))


def _judged(campaign: Campaign, topics: list[int]) -> set[int]:
    if not topics:
        return set()
    official = official_judgments(campaign, topics=topics).order_by()
    return set(official.values_list("item__topic_id", flat=True).distinct())
