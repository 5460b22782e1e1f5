"""Questions to the organiser about items that can't be judged. They are never exported."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from assess.assignments.domain.held_work import hold, require_open
from assess.assignments.models import Assignment, HelpRequest
from assess.base.errors import Invalid
from assess.campaigns.activity import record_activity
from assess.campaigns.changed_since import MadeFrom, require_unchanged
from assess.campaigns.grown_work import recheck_done_work
from assess.items.models import Item
from assess.ledger.adding import KeyTaken, add_once

TEXT_LIMIT = 4000


def ask_organiser(
    *, actor: User, assignment: Assignment, item: Item | None, text: str, client_key: UUID
) -> HelpRequest:
    """Ask the organiser about an item, or about the topic if ``item`` is None.

    Repeating the call with the same key returns the same question. Raises `Invalid` for an empty or too long text,
    `Conflict` for a key that asked another question, and what `require_open` raises.
    """
    text = text.strip()
    if not text or len(text) > TEXT_LIMIT:
        raise Invalid(gettext("Write your question, in at most %(value)s characters.") % {"value": TEXT_LIMIT})
    asked = HelpRequest.objects.filter(client_key=client_key)

    def add() -> HelpRequest:
        if asked.exists():
            raise KeyTaken
        require_open(actor=actor, assignment=held.assignment)
        request = HelpRequest.objects.create(assignment=assignment, item=item, text=text, client_key=client_key)
        record_activity(actor=actor, action="help.ask", campaign=assignment.campaign, about=request)
        return request

    with hold(assignment) as held:
        return add_once(
            add=add,
            earlier=asked.first,
            same=lambda earlier: (earlier.text, earlier.item, earlier.assignment_id) == (text, item, assignment.pk),
            used=gettext("This was sent once before as another question. Nothing was changed; reload the page."),
        )


def answer_values(request: HelpRequest) -> dict[str, Any]:
    """Return the current answer to a question, for `answer_question` to compare."""
    return {"answer": request.answer, "excuse": request.excused}


def answer_question(
    *, actor: User, request: HelpRequest, answer: str, excuse: bool, made_from: MadeFrom | None = None
) -> HelpRequest:
    """Answer an assessor's question; with ``excuse``, they need not judge the item.

    Done assignments of the topic are reopened or marked as done again, as the excuse requires. Giving the same answer
    again changes nothing. Raises `Invalid` for an empty answer, and `Conflict` in a closed campaign and if the stored
    answer is no longer the one that this one was ``made_from`` (`answer_values`).
    """
    if not answer.strip():
        raise Invalid(gettext("Write an answer: the assessor waits for it."))
    campaign = request.assignment.campaign
    with transaction.atomic():
        present = answer_values(HelpRequest.objects.select_for_update(no_key=True, of=("self",)).get(pk=request.pk))
        if present == {"answer": answer.strip(), "excuse": excuse}:
            return request
        require_unchanged(campaign=campaign, present=present, made_from=made_from, action="help.answer", about=request)
        request.answer, request.excused = answer.strip(), excuse
        request.answered_by, request.answered_at = actor, timezone.now()
        request.save()
        work = request.assignment
        recheck_done_work(campaign=work.campaign, actor=actor, topics=[work.topic_id])
        record_activity(
            actor=actor,
            action="help.answer",
            campaign=campaign,
            about=request,
            data={"answer": request.answer, "excuse": excuse},
        )
    return request
