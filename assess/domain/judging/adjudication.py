"""Settling disagreements: the adjudicator's value is one more row of the ledger, and the one that counts."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from assess.domain.activity import record_activity
from assess.domain.errors import Conflict, Invalid, NotAllowed
from assess.domain.judging.evidence import texts_of
from assess.domain.judging.judgments import JudgmentInput, record_judgment
from assess.domain.work.assignments import open_assignment, reopen_assignment, require_judging
from assess.domain.work.own_team import require_other_teams
from assess.models import Assignment, Campaign, How, Item, Judgment, Topic
from assess.protocol import Criterion, Stage
from assess.queries.judging.disagreements import Disagreement, disagreements, may_settle, own_topics

ADJUDICATOR = Assignment.Role.ADJUDICATOR
RETURNED = Assignment.State.RETURNED


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """What an adjudicator says of one item by one criterion; ``value`` None takes the decision back."""

    item: Item
    criterion: str
    value: int | None
    client_key: UUID
    note: str = ""
    how: str = How.KEY
    seconds: float | None = None


def decide(*, actor: User, campaign: Campaign, stage: Stage, decision: Decision) -> Judgment:
    """Settle one disagreement: a judgment by the adjudicator, which counts from now on.

    It is made under an adjudicator's assignment of the topic and stage, which is handed out when it is first needed
    and finished once nothing of the topic is left to decide. The snippets of those who gave the same value go with
    it, as far as they still stand in the document. Refused: a campaign that is not being judged, an item on which
    nobody disagrees, one that the actor judged, a topic in which runs of their own team are judged, and whatever
    `record_judgment` refuses. Twenty short queries.
    """
    criterion = stage.criterion(decision.criterion)
    if criterion is None:
        raise Invalid(f"This stage does not ask for “{decision.criterion[:50]}”. Reload the page and try again.")
    with transaction.atomic():
        Topic.objects.select_for_update(no_key=True).get(pk=decision.item.topic_id)  # one who is first hands out work
        earlier = Judgment.objects.filter(client_key=decision.client_key, assessor=actor).first()
        row = _row(actor=actor, campaign=campaign, stage=stage, criterion=criterion, item=decision.item)
        assignment = _assignment(actor=actor, campaign=campaign, stage=stage, item=decision.item)
        evidence = earlier.evidence if earlier is not None else _evidence(row, criterion, decision)
        judgment = JudgmentInput(
            item=decision.item,
            criterion=criterion.key,
            value=decision.value,
            client_key=decision.client_key,
            how=decision.how,
            note=decision.note,
            evidence=evidence,
            seconds=decision.seconds,
        )
        made = record_judgment(actor=actor, assignment=assignment, judgment=judgment)
    finish_settled(actor=actor, campaign=campaign, stage=stage, topic_id=decision.item.topic_id)
    return made


def finish_settled(*, actor: User, campaign: Campaign, stage: Stage, topic_id: int) -> None:
    """Mark the adjudicators' work on a topic's stage as done, once nothing of it is left to decide."""
    rows = [row for each in stage.criteria for row in disagreements(campaign, stage, each, topics=[topic_id])]
    if not rows or any(row.decided is None for row in rows):
        return
    held = campaign.assignments.filter(topic=topic_id, stage=stage.key, role=ADJUDICATOR)
    for assignment in held.filter(state=Assignment.State.STARTED):
        with transaction.atomic():
            Assignment.objects.filter(pk=assignment.pk).update(state=Assignment.State.DONE, done_at=timezone.now())
            record_activity(actor=actor, action="assignment.done", campaign=campaign, about=assignment)


def require_no_party(*, actor: User, campaign: Campaign, stage: Stage, row: Disagreement) -> None:
    """Refuse who judged the item, or holds the topic's stage, as author or other assessor."""
    if any(side.assessor_id == actor.pk for side in row.sides):
        raise NotAllowed("You judged this item yourself, so somebody else settles it.")
    if not may_settle(row, actor, own_topics(campaign, stage, actor)):
        raise NotAllowed(f"“{stage.label}” of topic {row.topic} is your own work, so somebody else settles it.")


def _row(*, actor: User, campaign: Campaign, stage: Stage, criterion: Criterion, item: Item) -> Disagreement:
    """The disagreement that is to be settled."""
    require_judging(Campaign.objects.get(pk=campaign.pk))
    rows = disagreements(campaign, stage, criterion, items=[item.pk])
    if not rows:
        raise Conflict("Nobody disagrees about this item (any more), so there is nothing to settle. Reload the page.")
    require_no_party(actor=actor, campaign=campaign, stage=stage, row=rows[0])
    return rows[0]


def _assignment(*, actor: User, campaign: Campaign, stage: Stage, item: Item) -> Assignment:
    """The adjudicator's own work on the topic's stage, open for writing; handed out when there is none."""
    held = campaign.assignments.filter(topic=item.topic_id, stage=stage.key, assessor=actor).exclude(state=RETURNED)
    found = held.select_related("topic").first()
    if found is None:
        require_other_teams(actor=actor, campaign=campaign, topic=item.topic, assessor=actor)
        found = Assignment.objects.create(
            campaign=campaign,
            topic_id=item.topic_id,
            stage=stage.key,
            assessor=actor,
            role=ADJUDICATOR,
            seed=secrets.randbits(63),
            state=Assignment.State.STARTED,
            started_at=timezone.now(),
        )
        data = {"topic": item.topic.number, "stage": stage.key, "assessor": actor.pk, "role": ADJUDICATOR}
        record_activity(actor=actor, action="assignment.create", campaign=campaign, about=found, data=data)
    found.campaign = campaign
    if found.state == Assignment.State.OPEN:
        open_assignment(actor=actor, assignment=found)
    return reopen_assignment(actor=actor, assignment=found)


def _evidence(row: Disagreement, criterion: Criterion, decision: Decision) -> list[dict[str, Any]] | None:
    """The snippets of the sides that said the same, each once, as far as the document's text still has them."""
    if decision.value is None or not criterion.evidence:
        return None
    agreeing = [side.row for side in row.sides if side.value == decision.value]
    rows = Judgment.objects.filter(pk__in=agreeing).order_by("id").values_list("evidence", flat=True)
    text = texts_of([decision.item]).get(decision.item.document_id or 0)
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for snippet in (snippet for evidence in rows for snippet in evidence or ()):
        start = _place(snippet, text)
        if text is None or start >= 0:
            kept = {"quote": snippet["quote"], "start": start, "value": snippet.get("value")}
            found.setdefault((snippet["quote"], start), kept)
    return list(found.values()) or None


def _place(snippet: dict[str, Any], text: str | None) -> int:
    """Where a snippet stands in the text now; -1 where it does not, or where there is no text."""
    quote, start = snippet["quote"], snippet.get("start", -1)
    if text is None:
        return -1
    return start if start >= 0 and text.startswith(quote, start) else text.find(quote)
