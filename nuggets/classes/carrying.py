"""Answers that authors found while they made a topic stand in classes of its judging as theirs."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.models import User

from assess.assignments.models import Assignment
from assess.judging.queries.author_finds import finds_for
from assess.ledger.models import How
from assess.topic_drafts.models import DraftFind
from nuggets.classes.found_answers import add_found_answer
from nuggets.classes.models import AnswerClass
from nuggets.writing.carrying import _carry
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
