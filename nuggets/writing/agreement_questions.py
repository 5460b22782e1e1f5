"""What all questions of agreement on nuggets share: their stages, their judges, and the texts of their nuggets."""

from __future__ import annotations

from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.judging.queries.judges import JudgeSet, judges_of
from assess.kinds.agreement_questions import Thing
from assess.protocol import Stage
from nuggets.writing.counting_lists import active_nuggets
from nuggets.writing.models import NuggetList

MATCH = "match"


IMPORTANCE = "importance"


ADJUDICATED = "adjudicated"


VITAL = 1.0


def _stages(campaign: Campaign, work: str) -> list[Stage]:
    return [stage for task in track_of(campaign).tasks for stage in task.stages if stage.work.key == work]


def _judge(campaign: Campaign, key: str) -> JudgeSet | None:
    return next((each for each in judges_of(campaign) if each.key == key), None)


def _nugget_texts(lists: dict[str, NuggetList]) -> dict[Thing, str]:
    """Return (topic, number) -> text, for the nuggets of these lists."""
    nuggets = active_nuggets(lists.values())
    return {(topic, str(nugget.number)): nugget.text for topic, each in lists.items() for nugget in nuggets[each.pk]}
