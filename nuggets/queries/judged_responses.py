"""All of a campaign that a file of whole judged responses is made of, as one stream of records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assess.models import Campaign
from assess.protocol import TopicRecord
from assess.queries.exports.grades import grades, returned, topics
from nuggets.queries.exports import answer_classes, instance_judgments
from scoring.records import AnswerClass, InstanceJudgment, ItemGrade, ReturnedSegment

JudgedRecord = TopicRecord | ReturnedSegment | ItemGrade | AnswerClass | InstanceJudgment


def judged_responses(
    campaign: Campaign, as_of: int | None = None, *, kinds: Sequence[str] = (), classes: bool = False
) -> Iterator[JudgedRecord]:
    """Topics, then what accepted runs returned, then the official grades of items of these kinds; with ``classes``
    the answer classes and their instances, too. Streams.
    """
    yield from topics(campaign, as_of)
    yield from returned(campaign, as_of)
    for kind in kinds:
        yield from grades(campaign, as_of, kind=kind)
    if classes:
        yield from answer_classes(campaign, as_of)
        yield from instance_judgments(campaign, as_of)
