"""Nuggets that authors found while they made a topic stand on the list of its judging as theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID, uuid5

from django.contrib.auth.models import User
from django.db import transaction

from assess.assignments.models import Assignment
from assess.base.errors import Refused
from assess.campaigns.activity import record_activity
from assess.judging.queries.author_finds import finds_for
from assess.topic_drafts.models import DraftFind
from nuggets.writing.lists import start_list
from nuggets.writing.models import Nugget
from nuggets.writing.sources import add_seen_nugget


def begin_list(actor: User, assignment: Assignment) -> None:
    """Begin the nugget list with what the author found, each with its document and the words that say it."""
    finds = finds_for(assignment, DraftFind.Kind.NUGGET)
    if not finds:
        return
    nugget_list = start_list(actor=actor, assignment=assignment)

    def carry(find: DraftFind, key: UUID) -> int:
        return add_seen_nugget(
            actor=actor,
            nugget_list=nugget_list,
            text=find.text,
            importance=Nugget.Importance.OKAY,
            client_key=key,
            quote=find.quote,
            document=find.document,
            span=find.span,
        ).number

    _carry(actor, assignment, finds, carry)


def _carry(
    actor: User, assignment: Assignment, finds: Sequence[DraftFind], carry: Callable[[DraftFind, UUID], int]
) -> None:
    """Carry what was found; the activity says as which answer class or nugget each stands in the work now."""
    left: list[int] = []
    places: dict[str, int] = {}
    for find in finds:
        try:
            with transaction.atomic():
                places[str(find.number)] = carry(find, uuid5(find.client_key, f"{assignment.pk}"))
        except Refused:
            left.append(find.number)
    if finds:
        data = {"topic": assignment.topic.number, "stage": assignment.stage, "carried": len(places), "left": left}
        data |= {"draft": finds[0].draft.number, "finds": places}
        record_activity(actor=actor, action="draft.carry", campaign=assignment.campaign, about=assignment, data=data)
