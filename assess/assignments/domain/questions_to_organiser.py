"""The way out of an item that can't be judged: ask the organiser. None of this reaches an export."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from assess.assignments.domain.assignments import lock_assignment, require_open_for_writing
from assess.assignments.models import Assignment, HelpRequest
from assess.base.errors import Invalid
from assess.campaigns.activity import record_activity
from assess.items.models import Item
from assess.ledger.adding import KeyTaken, add_once

TEXT_LIMIT = 4000


def ask_organiser(
    *, actor: User, assignment: Assignment, item: Item | None, text: str, client_key: UUID
) -> HelpRequest:
    """Ask about an item, or about the topic where ``item`` is None. The same key again is the same question."""
    text = text.strip()
    if not text or len(text) > TEXT_LIMIT:
        raise Invalid(f"Write your question, in at most {TEXT_LIMIT} characters.")
    asked = HelpRequest.objects.filter(client_key=client_key)

    def add(locked: Assignment) -> HelpRequest:
        if asked.exists():
            raise KeyTaken
        require_open_for_writing(actor=actor, assignment=locked)
        request = HelpRequest.objects.create(assignment=assignment, item=item, text=text, client_key=client_key)
        record_activity(actor=actor, action="help.ask", campaign=assignment.campaign, about=request)
        return request

    return add_once(
        lock=partial(lock_assignment, assignment),
        add=add,
        earlier=asked.first,
        same=lambda earlier: (earlier.text, earlier.item, earlier.assignment_id) == (text, item, assignment.pk),
        used="This key was used before for another question. Reload the page.",
    )


def answer_question(*, actor: User, request: HelpRequest, answer: str, excuse: bool) -> HelpRequest:
    """Answer an assessor's question; with ``excuse`` the item need not be judged by them."""
    if not answer.strip():
        raise Invalid("Write an answer: the assessor waits for it.")
    with transaction.atomic():
        request.answer, request.excused = answer.strip(), excuse
        request.answered_by, request.answered_at = actor, timezone.now()
        request.save()
        record_activity(
            actor=actor,
            action="help.answer",
            campaign=request.assignment.campaign,
            about=request,
            data={"answer": request.answer, "excuse": excuse},
        )
    return request
