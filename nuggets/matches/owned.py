"""Nuggets, marks and finished items as each assessor said them, by role: what measures of agreement read.

Where a stage says ``own``, everybody marks the nuggets of their own list; else all mark those of the list that counts.
Each function is named by a track's `Export.collect` and streams, topic by topic. Its option ``role`` is "primary" for
what counts (an adjudicator's, where there is one, else the author's), "second" for second assessors, or "all".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from assess.assignments.models import Assignment
from assess.assignments.queries.pseudonyms import pseudonyms
from assess.campaigns.models import Campaign
from assess.items.models import Item
from assess.judging.counting import counting
from nuggets.matches.current import Mark, all_marks, finished_reviews, official_marks
from nuggets.writing.counting_lists import match_tasks, numbers_of, official_lists, working_lists
from nuggets.writing.export import SECOND, _require_role
from nuggets.writing.models import NuggetList
from scoring.records import OwnedMatch, OwnedReview

VALUES: dict[str, Literal["full", "partial", "none"]] = {"full": "full", "partial": "partial", "absent": "none"}
"""Values of the ledger of marks, as records and files have them."""


def matches_of(campaign: Campaign, as_of: int | None = None, *, role: str = "primary") -> Iterator[OwnedMatch]:
    """What was said of nuggets in items, "none" included where it was said expressly."""
    _require_role(role)
    names = pseudonyms(campaign)
    for topic, number, lists in _by_topic(campaign, as_of):
        items = Item.objects.filter(topic=topic).in_bulk()
        marks = _marks(lists, topic=topic, as_of=as_of, role=role)
        for mark in sorted(marks, key=lambda m: (m.role, names[m.assessor_id], items[m.item_id].key, m.number, m.part)):
            item = items[mark.item_id]
            yield OwnedMatch(
                by=names[mark.assessor_id],
                role=mark.role,
                topic=number,
                number=mark.number,
                part=mark.part,
                key=item.key,
                docno=item.docno,
                text=item.text,
                quote=mark.quote,
                value=VALUES[mark.value],
            )


def reviews_of(campaign: Campaign, as_of: int | None = None, *, role: str = "primary") -> Iterator[OwnedReview]:
    """The items that assessors finished under the list that they work from."""
    _require_role(role)
    names = pseudonyms(campaign)
    for _, number, lists in _by_topic(campaign, as_of):
        reviews = finished_reviews(lists, as_of=as_of)
        found = [each for each in reviews if _is_of(role, each.assessor_id, each.assignment.role)]
        for review in sorted(found, key=lambda each: (each.assignment.role, names[each.assessor_id], each.item.key)):
            item = review.item
            yield OwnedReview(
                by=names[review.assessor_id],
                role=review.assignment.role,
                topic=number,
                key=item.key,
                docno=item.docno,
                text=item.text,
            )


def _marks(lists: list[NuggetList], *, topic: int, as_of: int | None, role: str) -> list[Mark]:
    """The marks of one topic that a role asks for."""
    marks: list[Mark] = []
    if role != "second":
        those = official_lists([topic], as_of=as_of).values()
        marks += official_marks(those, as_of=as_of, with_absent=True)
    if role != "primary":
        marks += [mark for mark in all_marks(lists, as_of=as_of) if mark.role == SECOND]
    return marks


def _by_topic(campaign: Campaign, as_of: int | None) -> Iterator[tuple[int, str, list[NuggetList]]]:
    """The lists that each topic's marks are made on, topics in the campaign's order: id, number, lists."""
    by_topic: dict[int, list[NuggetList]] = {}
    for nugget_list in working_lists(campaign, as_of):
        by_topic.setdefault(nugget_list.topic_id, []).append(nugget_list)
    for task in match_tasks(campaign):
        for topic, number in numbers_of(campaign, task).items():
            if topic in by_topic:
                yield topic, number, by_topic[topic]


def _is_of(role: str, assessor: int, held: str) -> bool:
    """Whether what a person said in the role they held is among what an export asks for."""
    if role == "all":
        return held != Assignment.Role.MACHINE
    return held == SECOND if role == "second" else counting().admits(assessor, held)
