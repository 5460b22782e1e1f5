"""What the author of a topic found for it, for their own judging."""

from __future__ import annotations

from assess.assignments.models import Assignment
from assess.campaigns.tracks import drafting_of
from assess.topic_drafts.models import DraftFind, TopicDraft
from assess.topic_drafts.queries.drafts import ShownDraft, show_draft
from assess.topics.models import Topic


def finds_for(assignment: Assignment, kind: str) -> list[DraftFind]:
    """What the assessor of this work found of one kind for its topic, if they made it and judge it as its author.

    Empty for everybody else, and for work that was taken over. Three queries at most.
    """
    if assignment.role != Assignment.Role.PRIMARY or assignment.taken_over_id is not None:
        return []
    topic = assignment.topic
    heads = {topic.pk, topic.parent_id} - {None}
    draft = TopicDraft.objects.filter(topic__in=heads, author=assignment.assessor_id).select_related("topic").first()
    if draft is None:
        return []
    draft.campaign = assignment.campaign
    shown = show_draft(draft)
    part = _part_of(shown, topic)
    return [find for find in shown.of_kind(kind) if find.part == part]


def _part_of(shown: ShownDraft, topic: Topic) -> int | None:
    """The key of the question of a draft that became this topic; 0 for the draft itself, None for none."""
    drafting, head = drafting_of(shown.draft.campaign), shown.draft.topic
    if drafting is None or head is None:
        return None
    if drafting.parts is None:
        return 0 if topic.pk == head.pk else None
    records = list(drafting.records(shown.content, head.number, head.ordinal))[1:]
    keys = {record.number: part.key for record, part in zip(records, shown.content.parts, strict=True)}
    return keys.get(topic.number)
