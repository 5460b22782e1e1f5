"""Choose which topics of a campaign are judged: one rule for the page and the API."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.translation import gettext, ngettext

from assess.base.errors import Invalid
from assess.campaigns.changed_since import MadeFrom
from assess.campaigns.models import Campaign
from assess.campaigns.queries import settings_of, track_of
from assess.items.models import Item
from assess.organising.domain import change_settings
from assess.topics.queries import all_topics, topic_records, topics_asked

NUMBERS_SHOWN = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedTopics:
    """The topics that are judged.

    ``chosen`` are the numbers that were named, empty for all topics; ``asked`` are the topics that this selects.
    ``judged_outside`` is the number of judged topics that are not selected. Their judgments still count until a pool is
    built without them.
    """

    setting: str
    chosen: tuple[str, ...]
    asked: tuple[str, ...]
    topics: int
    judged_outside: int


def judged_topics_of(campaign: Campaign) -> JudgedTopics:
    """Return the current choice. Raise `Invalid` for a track without such a setting. Three queries."""
    setting = _setting(campaign)
    chosen = tuple(getattr(settings_of(campaign), setting))
    records = topic_records(campaign)
    tasks = track_of(campaign).tasks
    asked = [record.number for task in tasks for record in topics_asked(task, records, chosen)]
    judged = Item.objects.filter(topic__in=campaign.topics.all(), judgments__isnull=False).order_by()
    numbers = set(judged.values_list("topic__number", flat=True).distinct())
    return JudgedTopics(
        setting=setting,
        chosen=chosen,
        asked=tuple(asked),
        topics=sum(record.task != "" for record in records),
        judged_outside=len(numbers - set(asked)),
    )


def choose_topics(
    *, actor: User, campaign: Campaign, numbers: Iterable[str], made_from: MadeFrom | None = None
) -> Campaign:
    """Choose the topics to judge by number. A series stands for its topics, and no number stands for all topics.

    Refused: a track that has no such setting, what `change_settings` refuses, an unknown number, and a choice that was
    ``made_from`` one other than the stored one. Items that are pooled already stay until the pools are built again.
    """
    setting = _setting(campaign)
    named = list(dict.fromkeys(number.strip() for number in numbers if number.strip()))
    known = set(all_topics(campaign).values_list("number", flat=True))
    if unknown := [number for number in named if number not in known]:
        raise Invalid(
            ngettext(
                "%(unknown)s is no topic of this campaign, so nothing was changed. Give numbers as the page of topics "
                "has them.",
                "%(unknown)s are no topics of this campaign, so nothing was changed. Give numbers as the page of "
                "topics has them.",
                len(unknown),
            )
            % {"unknown": ", ".join(number[:40] for number in unknown[:NUMBERS_SHOWN])},
            field="numbers",
        )
    return change_settings(actor=actor, campaign=campaign, values={setting: named}, made_from=made_from)


def _setting(campaign: Campaign) -> str:
    found: Sequence[str] = [task.topics_setting for task in track_of(campaign).tasks if task.topics_setting]
    if not found:
        raise Invalid(gettext("In this track all topics are judged: it has no setting that names some of them."))
    return found[0]
