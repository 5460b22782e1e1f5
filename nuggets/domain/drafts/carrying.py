"""What authors found while they made a topic stands in its judging as theirs: answers in classes, nuggets on the list.

It comes in when the author opens the work for the first time, and never as a run's. What does not fit any more, since
a run's very same answer was judged otherwise, say, is left out; the activity ledger says how many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID, uuid5

from django.contrib.auth.models import User
from django.db import transaction

from assess.domain.activity import record_activity
from assess.domain.errors import Refused
from assess.models import Assignment, DraftFind, How
from assess.queries.drafts.found import finds_for
from nuggets.domain.found_answers import add_found_answer
from nuggets.domain.lists import start_list
from nuggets.domain.sources import add_seen_nugget
from nuggets.models import AnswerClass, Nugget
from scoring.folding import suggest_key


def begin_classes(actor: User, assignment: Assignment) -> None:
    """Put the answers that the author found into classes, those with the same words into one."""
    made: dict[str, AnswerClass | None] = {}

    def carry(find: DraftFind, key: UUID) -> int:
        edit = add_found_answer(
            actor=actor,
            assignment=assignment,
            text=find.text,
            docno=find.docno,
            client_key=key,
            answer_class=made.get(suggest_key(find.text)),
            how=How.IMPORT,
        )
        made.setdefault(suggest_key(find.text), edit.answer_class)
        return edit.answer_class.number if edit.answer_class is not None else 0

    _carry(actor, assignment, finds_for(assignment, DraftFind.Kind.ANSWER), carry)


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
