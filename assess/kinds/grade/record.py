"""Recording what assessors say. One function writes judgments, whoever asks: page, API or command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction

from assess.assignments.domain.assignments import require_open, require_round
from assess.assignments.domain.held_work import HeldWork, hold
from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import predecessors_of
from assess.assignments.queries.work_items import is_planted
from assess.base.errors import Conflict, Invalid
from assess.items.models import Item
from assess.judging.domain import checked_evidence, same_evidence
from assess.judging.models import Judgment
from assess.judging.queries.current import current_judgments_of
from assess.judging.queries.judged import ANSWERED
from assess.judging.queries.machine_drafts import draft_seen
from assess.judging.queries.stage_items import stage_items
from assess.ledger.adding import add_once, store
from assess.ledger.models import How
from assess.ledger.newest import newest_rows
from assess.pools.domain.growth import extend_quietly, may_grow
from assess.protocol import NONE, REQUIRED, Criterion, Stage, asked_criteria, given_problem

NOTE_LIMIT = 4000
AT_A_BENCH = (How.KEY, How.CLICK)
WAYS = frozenset(How.values)
SECONDS_LIMIT = 3600.0
BENCH_ROLES = (Assignment.Role.PRIMARY, Assignment.Role.SECOND)
USED_KEY = "This key was used before for another judgment. Nothing was changed; reload the page."


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgmentInput:
    """What a click, a call or an imported line says of one item.

    ``value`` None withdraws, unless something is ``given`` in its place.

    ``evidence`` are the snippets that go with it (`assess.judging.domain`), all of them: the newest row
    counts whole.
    ``draft`` says of what is replayed whether a machine's judgment was in sight, ``order`` in which order the grades
    stood; of work on a page the site knows both. ``version`` is the one of the design that the line
    of a file names.
    """

    item: Item
    criterion: str
    value: int | None
    client_key: UUID
    how: str = How.KEY
    note: str = ""
    evidence: list[dict[str, Any]] | None = None
    seconds: float | None = None
    draft: str | None = None
    given: Mapping[str, object] | None = None
    order: Sequence[int] = ()
    version: int = 0

    @property
    def is_answer(self) -> bool:
        """Whether it says something of the item; else it takes back."""
        return self.value is not None or self.given is not None


def record_judgment(*, actor: User, assignment: Assignment, judgment: JudgmentInput) -> Judgment:
    """Add one judgment to the ledger and return its row once it is committed, as `add_judgment` does."""
    with hold(assignment) as held:
        return add_judgment(actor=actor, held=held, judgment=judgment)


def add_judgment(*, actor: User, held: HeldWork, judgment: JudgmentInput) -> Judgment:
    """Add one judgment to the ledger under work that is held for it, and return its row.

    The same ``client_key`` with the same content returns the first row, whether or not the assignment is
    still open; with other content it is refused (`Conflict`). Refused too: an assignment that is not the
    actor's or not open, a first round whose second is begun (`require_round`), a frozen campaign, an item that this
    stage does not ask, a value not on the scale, a snippet that is not in the document. Costs a handful of short
    queries. A pool that grows by judgments may grow once the row is committed (`extend_pool`).
    """
    assignment, stage = held.assignment, held.stage

    def add() -> Judgment:
        criterion = check_content(stage=stage, assignment=assignment, judgment=judgment)
        require_open(actor=actor, assignment=assignment)
        if judgment.how != How.IMPORT:
            require_round(assignment, is_new=partial(_is_new, assignment, judgment))
        require_asked(held=held, item=judgment.item)
        if not judgment.is_answer:
            _require_own_word(assignment=assignment, judgment=judgment)
        if judgment.how != How.IMPORT and judgment.is_answer and criterion.asked_if:
            _require_question(assignment=assignment, stage=stage, criterion=criterion, item=judgment.item)
        if criterion.ranks and judgment.value is not None:
            _require_free_place(assignment=assignment, criterion=criterion, judgment=judgment)
        seen, order = judgment.draft, judgment.order
        if judgment.how in AT_A_BENCH:
            seen = draft_seen(assignment, judgment.item, judgment.criterion)
            if criterion.is_shuffled:
                order = [grade.value for grade in criterion.as_shown(assignment.seed, judgment.item.pk).grades]
        row = judgment_row(
            actor=actor,
            assignment=assignment,
            criterion=criterion,
            judgment=replace(judgment, draft=seen, order=order),
            guideline=held.guideline,
        )
        store(row)
        if may_grow(assignment):
            grow = partial(extend_quietly, actor=actor, assignment=assignment)
            transaction.on_commit(grow, robust=True)  # the judgment stands, whatever becomes of the pool
        return row

    return add_once(
        add=add,
        earlier=lambda: Judgment.objects.filter(client_key=judgment.client_key).first(),
        same=lambda earlier: is_same(earlier, actor=actor, assignment=assignment, judgment=judgment),
        used=USED_KEY,
    )


def judgment_row(
    *,
    actor: User,
    assignment: Assignment,
    criterion: Criterion,
    judgment: JudgmentInput,
    guideline: int | None,
    texts: Mapping[int, str] | None = None,
) -> Judgment:
    """The row of a judgment whose content was checked, not saved yet. Refused: evidence that does not fit.

    ``guideline`` is the id of the current version, ``texts`` as `checked_evidence` takes them.
    """
    seconds = judgment.seconds
    return Judgment(
        item=judgment.item,
        criterion=criterion.key,
        value=judgment.value,
        given=dict(judgment.given) if judgment.given is not None else None,
        note=judgment.note,
        evidence=checked_evidence(
            item=judgment.item, criterion=criterion, evidence=judgment.evidence, how=judgment.how, texts=texts
        ),
        assessor=actor,
        assignment=assignment,
        guideline_id=guideline,
        client_key=judgment.client_key,
        how=judgment.how,
        seconds=min(max(seconds, 0.0), SECONDS_LIMIT) if seconds is not None else None,
        draft=judgment.draft or None,
        grade_order=list(judgment.order) or None,
        design_version=judgment.version or None,
    )


def check_content(*, stage: Stage, assignment: Assignment, judgment: JudgmentInput) -> Criterion:
    """The criterion that the judgment answers. Refused: what this stage does not ask, a value not on the scale, a note
    or a snippet that the grade needs and does not have, or has and does not take.
    """
    criterion = stage.criterion(judgment.criterion)
    if criterion is None:
        raise Invalid(f"This stage does not ask for “{judgment.criterion}”. Reload the page and try again.")
    if judgment.value is not None and not criterion.allows(judgment.value):
        raise Invalid(f"{judgment.value} is not on the scale. Allowed are: {_scale(criterion)}.")
    if judgment.given is not None and (problem := _problem_of(criterion, judgment)):
        raise Invalid(problem)
    if judgment.item.topic_id != assignment.topic_id or judgment.item.kind != stage.item_kind:
        raise Invalid("This item does not belong to your assignment.")
    if len(judgment.note) > NOTE_LIMIT:
        raise Invalid(f"The note has {len(judgment.note)} characters; {NOTE_LIMIT} are allowed. Shorten it.")
    if judgment.how not in WAYS:
        raise Invalid(f"{judgment.how} is not a way in which judgments come in.")
    if judgment.value is not None and assignment.role in BENCH_ROLES:
        _require_support(criterion=criterion, judgment=judgment)
    return criterion


def _problem_of(criterion: Criterion, judgment: JudgmentInput) -> str:
    """What is wrong with an answer without a grade; "" where nothing is."""
    if judgment.value is not None:
        return "What is given without a grade has the value null."
    return given_problem(criterion, judgment.given)


def _require_support(*, criterion: Criterion, judgment: JudgmentInput) -> None:
    """Refuse a grade without the note or the snippet that it needs, and with one that it does not take.

    An adjudicator decides on what the others wrote, and a machine is never official: nothing more is asked of them.
    Nor is a snippet of what has no document here.
    """
    if judgment.value is None or (grade := criterion.grade(judgment.value)) is None:
        return
    wanted = f" {criterion.note}" if criterion.note else ""
    if grade.note == REQUIRED and not judgment.note.strip():
        raise Invalid(f"“{grade.name}” needs a note.{wanted} Write it, then give the grade again.", code="needs-note")
    if grade.note == NONE and judgment.note.strip():
        raise Invalid(f"“{grade.name}” takes no note. Delete the note, or give another grade.", code="no-note")
    snippets = judgment.evidence if isinstance(judgment.evidence, list) else []
    quotes = [each for each in snippets if isinstance(each, Mapping) and each.get("quote")]
    if grade.evidence == REQUIRED and not quotes and judgment.item.document_id is not None:
        asked = f" {criterion.evidence}." if criterion.evidence else ""
        raise Invalid(f"“{grade.name}” needs a snippet of the text.{asked}", code="needs-evidence")
    if grade.evidence == NONE and quotes:
        raise Invalid(f"“{grade.name}” takes no snippet. Take it out, or give another grade.", code="no-evidence")


def _require_question(*, assignment: Assignment, stage: Stage, criterion: Criterion, item: Item) -> None:
    """Refuse an answer to a question that is not asked, since others were answered as they were. One query.

    What was said before the work was handed over counts as the assessor's own.
    """
    people = [assignment.assessor_id, *(each.assessor_id for each in predecessors_of(assignment))]
    rows = Judgment.objects.filter(item=item, assessor__in=people)
    newest = newest_rows(rows, "item_id", "criterion", "assessor_id").filter(ANSWERED)
    said = dict(newest.order_by("id").values_list("criterion", "value"))
    if criterion not in asked_criteria(stage.criteria, said):
        raise Conflict(
            f"“{criterion.question}” is not asked of this item, as the questions before it are answered now. "
            "Answer those first."
        )


def require_asked(*, held: HeldWork, item: Item) -> None:
    """Refuse an item that this stage does not ask: not pooled, not needed, or a control item of other work."""
    assignment, stage = held.assignment, held.stage
    if item.repeats_id is not None:
        if not is_planted(assignment, item):
            raise Invalid("This item does not belong to your assignment.")
        return
    if item.given or (stage.needs is None and held.are_pooled([item])):
        return
    if stage.needs is not None and stage_items(assignment.topic, stage).filter(pk=item.pk).exists():
        return
    if item.pool_items.exists():
        raise Invalid("This stage does not ask for this item: nothing that it cites was judged good enough.")
    if item.segments.exists() or item.citations.exists() or item.responses.exists():
        raise Invalid("This item is not in the pool, so it is not judged.")


def _is_new(assignment: Assignment, judgment: JudgmentInput) -> bool:
    """Whether the assessor had not answered this of the item when the work was done. One query."""
    own = Judgment.objects.filter(item=judgment.item, criterion=judgment.criterion, assessor=assignment.assessor_id)
    return not own.filter(created_at__lte=assignment.done_at).exists()


def _require_own_word(*, assignment: Assignment, judgment: JudgmentInput) -> None:
    """Refuse to take back what was judged before the work was handed over: then that would count again."""
    before = predecessors_of(assignment)
    said = Judgment.objects.filter(item=judgment.item, criterion=judgment.criterion, assignment__in=before)
    if before and said.filter(ANSWERED).exists():
        raise Conflict(
            "This was judged before the work came to you, so it can't be left open. Give the grade that you mean."
        )


def _require_free_place(*, assignment: Assignment, criterion: Criterion, judgment: JudgmentInput) -> None:
    """Refuse a place that the assessor gave another item of the topic; lists are put in order by `record_picks`."""
    own = current_judgments_of(assignment.topic, assessor=assignment.assessor).filter(criterion=criterion.key)
    if own.filter(value=judgment.value).exclude(item=judgment.item).exists():
        raise Conflict(f"You gave place {judgment.value} to another item. Take that back first.")


def is_same(earlier: Judgment, *, actor: User, assignment: Assignment, judgment: JudgmentInput) -> bool:
    """Whether a row that is there says what this judgment says, under the same assignment."""
    return (
        earlier.item_id == judgment.item.pk
        and earlier.criterion == judgment.criterion
        and earlier.value == judgment.value
        and earlier.given == judgment.given
        and earlier.note == judgment.note
        and earlier.assessor_id == actor.pk
        and earlier.assignment_id == assignment.pk
        and same_evidence(earlier.evidence, judgment.evidence)
    )


def _scale(criterion: Criterion) -> str:
    if criterion.answer != "grade":
        return f"no grade, but what is given: {criterion.answer}"
    if criterion.ranks:
        return f"places from 1 to {criterion.ranks}"
    return ", ".join(f"{grade.value} ({grade.name})" for grade in criterion.grades)
