"""Where what authors found while they made a topic stands in its judging, as the activity says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assess.campaigns.models import Activity
from assess.kinds.trace import Deed, Quote, Said, in_turn
from assess.topic_drafts.models import DraftFind
from assess.topics.models import Topic


@dataclass(frozen=True, slots=True)
class Carried:
    """A find, the activity by which it came in, and as which answer class or nugget (its number) it did."""

    find: DraftFind
    activity: Activity
    place: int


def carried_finds(topic: Topic, kind: str, *, as_of: int | None = None) -> Iterator[Carried]:
    """What was found of one kind and came into the judging of a topic, in the order in which it did.

    Two queries for each piece of work into which anything came.
    """
    told = Activity.objects.filter(campaign=topic.campaign_id, action="draft.carry", data__topic=topic.number)
    told = told.filter(data__has_keys=["draft", "finds"])
    if as_of is not None:
        told = told.filter(id__lte=as_of)
    for activity in told.order_by("id"):
        places = {int(number): place for number, place in activity.data["finds"].items()}
        finds = DraftFind.objects.filter(
            draft__campaign=topic.campaign_id, draft__number=activity.data["draft"], number__in=places, kind=kind
        )
        newest = {find.number: find for find in finds.select_related("actor").order_by("id")}
        for number in sorted(newest):
            yield Carried(newest[number], activity, places[number])


def said_when_found(each: Carried, place: str) -> Said:
    """What stands behind a score of what was found: that it was, and as what (``place``) it went into the judging."""
    find = each.find
    how = f"draft {each.activity.data['draft']}"
    quotes = (Quote(quote=find.quote or find.text, docno=find.docno),)
    return Said(
        question="Found while the topic was made",
        role="author of the topic",
        assessor=find.actor.username,
        deeds=in_turn(
            [
                Deed(number=find.pk, value=find.text, at=find.created_at, how=how),
                Deed(
                    number=each.activity.pk,
                    value=f"{find.text}: taken into the judging as {place}",
                    at=each.activity.created_at,
                    how=how,
                    quotes=quotes,
                ),
            ]
        ),
    )
