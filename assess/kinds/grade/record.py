"""Recording assessors' judgments: one function writes them for page, API, command, import and machine alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext, gettext_noop

from assess.assignments.domain.held_work import HeldWork, hold, require_open, require_round
from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import predecessors_of
from assess.assignments.queries.work_items import is_planted
from assess.base.errors import Conflict, Invalid, Refused
from assess.campaigns.designs import grades_changed
from assess.campaigns.queries import judges_ranked_items
from assess.campaigns.track_texts import in_language
from assess.items.models import Item
from assess.judging.domain import checked_evidence, same_evidence, texts_of
from assess.judging.models import Judgment
from assess.judging.queries.current import current_judgments_of, official_judgments
from assess.judging.queries.judged import ANSWERED
from assess.judging.queries.machine_drafts import draft_seen
from assess.judging.queries.stage_items import stage_items
from assess.judging.snapshots import Snapshot
from assess.ledger.adding import USED_KEY, insert
from assess.ledger.models import How
from assess.ledger.newest import newest_rows
from assess.pools.domain.growth import extend_quietly
from assess.protocol import LIKENESS, NONE, REQUIRED, Criterion, Stage, asked_criteria, given_problem

NOTE_LIMIT = 4000
ONE_BY_ONE = (How.KEY, How.CLICK)
"""How judgments are given one by one at a bench. There, one grade is also given to like items at once (`How.LIKE`)."""

WAYS = frozenset(How.values)
SECONDS_LIMIT = 3600.0
BENCH_ROLES = (Assignment.Role.PRIMARY, Assignment.Role.SECOND)
TEXTS_AT_ONCE = 200
UNPOOLED = gettext_noop("This item is not in the pool, so it is not judged.")


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgmentInput:
    """A judgment of one item, as a click, a call or an imported line gives it.

    ``value`` None withdraws, unless ``given`` holds an answer without a grade. ``evidence`` are all snippets of the
    judgment (`assess.judging.domain`), since the newest row counts as a whole. The remaining fields are for imports:
    ``draft`` says whether a machine's judgment was in sight, ``order`` in which order the grades were shown; at a
    bench, the site knows both. ``version`` is the version of the design that the line names. ``was_like`` means that
    the answer was given to several similar items at once (`How.LIKE`).
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
    was_like: bool = False

    @property
    def is_answer(self) -> bool:
        """Whether it gives an answer; otherwise it withdraws one."""
        return self.value is not None or self.given is not None


def record_judgment(*, actor: User, assignment: Assignment, judgment: JudgmentInput) -> Judgment:
    """Lock the assignment, add one judgment to the ledger and return its row. Raises what `add_judgment` raises."""
    with hold(assignment) as held:
        return add_judgment(actor=actor, held=held, judgment=judgment)


def add_judgment(
    *, actor: User, held: HeldWork, judgment: JudgmentInput, of_page: Callable[[], None] | None = None
) -> Judgment:
    """Add one judgment under a held assignment and return its row; raise what `add_judgments` refuses."""
    (row,) = add_judgments(actor=actor, held=held, judgments=[judgment], of_page=of_page)
    if isinstance(row, Refused):
        raise row
    return row


def add_judgments(
    *,
    actor: User,
    held: HeldWork,
    judgments: Sequence[JudgmentInput],
    unpooled: Set[int] | None = None,
    of_page: Callable[[], None] | None = None,
) -> list[Judgment | Refused]:
    """Add judgments to the ledger under a held assignment; return the row or the refusal of each.

    The same ``client_key`` with the same content returns the first row, even if the assignment is closed by now; with
    other content it gives a `Conflict`. If any judgment is new, this raises what ``of_page`` refuses (the rules of a
    page, such as `require_nothing_unseen`) and what `require_open` raises. Other refusals are returned: a new
    first-round judgment after the second round began (`require_round`), an item that this stage does not ask for, a
    value that is not on the scale, a place that another item has, and a snippet that is not in the document. Imported
    judgments (`How.IMPORT`) need not follow the order of rounds or the conditions between questions.

    ``unpooled`` are the ids of items that can't be judged because they are not pooled (`unpooled_items`); if given,
    items are checked against it alone. Costs a handful of short queries, and one for every 200 judgments if some have
    snippets. A pool that grows by judgments may grow after judgments from a bench or a program are committed.
    """
    rows = Judgment.objects.in_bulk([each.client_key for each in judgments], field_name="client_key")
    if any(each.client_key not in rows for each in judgments):
        if of_page is not None:
            of_page()
        require_open(actor=actor, assignment=held.assignment)
    placed = _items_at_places(held, judgments) if any(each.ranks for each in held.stage.criteria) else {}
    found: list[Judgment | Refused] = []
    for number, judgment in enumerate(judgments):
        if number % TEXTS_AT_ONCE == 0:
            texts = texts_of(each.item for each in judgments[number : number + TEXTS_AT_ONCE] if each.evidence)
        try:
            if (row := rows.get(judgment.client_key)) is None:
                criterion = check_content(stage=held.stage, assignment=held.assignment, judgment=judgment)
                _require_asked_now(held=held, criterion=criterion, judgment=judgment, unpooled=unpooled, placed=placed)
                seen = _as_shown(held=held, criterion=criterion, judgment=judgment)
                row = judgment_row(actor=actor, held=held, criterion=criterion, judgment=seen, texts=texts)
                rows[judgment.client_key] = row
            elif not is_same(row, actor=actor, assignment=held.assignment, judgment=judgment):
                raise Conflict(USED_KEY)
            found.append(row)
        except Refused as refused:
            found.append(refused)
    insert([row for row in rows.values() if row.pk is None])
    may_grow = judges_ranked_items(held.assignment.campaign, held.stage.key)
    if may_grow and any(judgment.how != How.IMPORT for judgment in judgments):
        transaction.on_commit(lambda: extend_quietly(actor=actor, assignment=held.assignment), robust=True)
    return found


Placed = Mapping[tuple[str, int], Set[int]]
"""The items (ids) at each place of the ranking criteria."""


def _require_asked_now(
    *, held: HeldWork, criterion: Criterion, judgment: JudgmentInput, unpooled: Set[int] | None, placed: Placed
) -> None:
    """Raise `Invalid` or `Conflict` for a judgment that is valid by itself but can't be made now.

    That is: a change after the round is over, an answer for an item or to a question that is not asked, the withdrawal
    of a former assessor's answer, and a place that another item has.
    """
    assignment, item, is_new = held.assignment, judgment.item, judgment.how != How.IMPORT
    if is_new:
        require_round(assignment, is_new=partial(_is_new, assignment, judgment))
    if unpooled is None:
        require_asked(held=held, item=item)
    elif item.pk in unpooled:
        raise Invalid(gettext(UNPOOLED))
    if not judgment.is_answer:
        _require_own_answer(assignment=assignment, judgment=judgment)
    elif is_new and criterion.asked_if:
        _require_question(assignment=assignment, stage=held.stage, criterion=criterion, item=item)
    if judgment.value is not None and len(placed.get((criterion.key, judgment.value), ())) > 1:
        raise Conflict(
            gettext("You gave place %(value)s to another item. Take that back first.") % {"value": judgment.value}
        )


def _items_at_places(held: HeldWork, judgments: Sequence[JudgmentInput]) -> Placed:
    """Return the items (ids) at each place of the ranking criteria, after these judgments.

    Whole lists are ordered by `record_picks`. One query.
    """
    ranks = {each.key for each in held.stage.criteria if each.ranks}
    own = current_judgments_of(held.assignment.topic, assessor=held.assignment.assessor).filter(criterion__in=ranks)
    placed = {(criterion, item): place for criterion, item, place in own.values_list("criterion", "item", "value")}
    placed |= {(each.criterion, each.item.pk): each.value for each in judgments if each.criterion in ranks}
    found: dict[tuple[str, int], set[int]] = {}
    for (criterion, item), place in placed.items():
        if place is not None:
            found.setdefault((criterion, place), set()).add(item)
    return found


def _as_shown(*, held: HeldWork, criterion: Criterion, judgment: JudgmentInput) -> JudgmentInput:
    """Return a judgment with what the site knows of its bench: the draft in sight, and the order of the grades."""
    if judgment.how not in ONE_BY_ONE:
        return judgment
    item, order, on_page = judgment.item, judgment.order, bool(judgment.draft)
    if criterion.is_shuffled:
        order = [grade.value for grade in criterion.as_shown(held.assignment.seed, item.pk).grades]
    draft = draft_seen(held.assignment, item, criterion.key, was_on_page=on_page) if held.has_machine else None
    return replace(judgment, draft=draft, order=order)


def judgment_row(
    *,
    actor: User,
    held: HeldWork,
    criterion: Criterion,
    judgment: JudgmentInput,
    texts: Mapping[int, str] | None = None,
) -> Judgment:
    """Return the unsaved row of a judgment whose content was checked.

    Raises what `checked_evidence` raises for evidence that does not fit; ``texts`` is as there.
    """
    item, evidence, seconds = judgment.item, judgment.evidence, judgment.seconds
    if evidence:
        evidence = checked_evidence(item=item, criterion=criterion, evidence=evidence, how=judgment.how, texts=texts)
    return Judgment(
        item=item,
        criterion=criterion.key,
        value=judgment.value,
        given=dict(judgment.given) if judgment.given is not None else None,
        note=judgment.note,
        evidence=evidence or None,
        assessor=actor,
        assignment=held.assignment,
        guideline_id=held.guideline,
        client_key=judgment.client_key,
        how=How.LIKE if judgment.was_like else judgment.how,
        seconds=min(max(seconds, 0.0), SECONDS_LIMIT) if seconds is not None else None,
        draft=judgment.draft or None,
        grade_order=list(judgment.order) or None,
        design_version=judgment.version or None,
    )


def check_content(*, stage: Stage, assignment: Assignment, judgment: JudgmentInput) -> Criterion:
    """Return the criterion that the judgment answers.

    Raises `Invalid` for a criterion or item that this stage does not ask for, a value that is not on the scale, an
    answer that does not fit the question, a note that is too long, an unknown ``how``, and an assessor's grade with a
    note or snippet that it does not take, or without one that it requires. Raises `grades_changed` for a value that a
    bench showed by an earlier design.
    """
    criterion = stage.criterion(judgment.criterion)
    if criterion is None:
        raise Invalid(
            gettext("“%(criterion)s” is not asked here. Reload the page and try again.")
            % {"criterion": judgment.criterion}
        )
    if judgment.value is not None and not criterion.allows(judgment.value):
        is_of_bench = judgment.how in (*ONE_BY_ONE, How.LIKE) and criterion.answer == "grade"
        if is_of_bench and assignment.campaign.design:  # which showed a grade that went
            raise grades_changed()
        raise Invalid(
            gettext("%(value)s is not on the scale. Allowed are: %(criterion)s.")
            % {"value": judgment.value, "criterion": _scale(criterion)}
        )
    if judgment.given is not None and (problem := _problem_of(criterion, judgment)):
        raise Invalid(problem)
    if judgment.item.topic_id != assignment.topic_id or judgment.item.kind != stage.item_kind:
        raise Invalid(gettext("This item does not belong to your work. Reload the page to see what does."))
    if len(judgment.note) > NOTE_LIMIT:
        raise Invalid(
            gettext("The note has %(note)s characters; %(value)s are allowed. Shorten it.")
            % {"note": len(judgment.note), "value": NOTE_LIMIT}
        )
    if judgment.how not in WAYS:
        raise Invalid(gettext("%(how)s is not a way in which judgments come in.") % {"how": judgment.how})
    if judgment.how == How.LIKE and stage.order != LIKENESS:
        raise Invalid(
            gettext("Answers that are alike are judged one by one here. Reload the page and give this one its grade.")
        )
    if judgment.value is not None and assignment.role in BENCH_ROLES:
        _require_support(criterion=criterion, judgment=judgment)
    return criterion


def _problem_of(criterion: Criterion, judgment: JudgmentInput) -> str:
    """Return what is wrong with an answer without a grade, or ""."""
    if judgment.value is not None:
        return gettext("What is given without a grade has the value null.")
    return given_problem(criterion, judgment.given)


def _require_support(*, criterion: Criterion, judgment: JudgmentInput) -> None:
    """Raise `Invalid` for a judgment without the note or snippet that its grade requires, or with one it does not take.

    This applies to assessors only: adjudicators decide on what others wrote, and machine judgments are never official.
    No snippet is required if the item's document is not stored.
    """
    if judgment.value is None or (grade := criterion.grade(judgment.value)) is None:
        return
    wanted = f" {criterion.note}" if criterion.note else ""
    if grade.note == REQUIRED and not judgment.note.strip():
        raise Invalid(
            gettext("“%(name)s” needs a note.%(wanted)s Write it, then give the grade again.")
            % {"name": in_language(grade.name), "wanted": wanted},
            code="needs-note",
        )
    if grade.note == NONE and judgment.note.strip():
        raise Invalid(
            gettext("“%(name)s” takes no note. Delete the note, or give another grade.")
            % {"name": in_language(grade.name)},
            code="no-note",
        )
    snippets = judgment.evidence if isinstance(judgment.evidence, list) else []
    quotes = [each for each in snippets if isinstance(each, Mapping) and each.get("quote")]
    if grade.evidence == REQUIRED and not quotes and judgment.item.document_id is not None:
        asked = f" {in_language(criterion.evidence)}." if criterion.evidence else ""
        raise Invalid(
            gettext("“%(name)s” needs a snippet of the text.%(asked)s")
            % {"name": in_language(grade.name), "asked": asked},
            code="needs-evidence",
        )
    if grade.evidence == NONE and quotes:
        raise Invalid(
            gettext("“%(name)s” takes no snippet. Take it out, or give another grade.")
            % {"name": in_language(grade.name)},
            code="no-evidence",
        )


def _require_question(*, assignment: Assignment, stage: Stage, criterion: Criterion, item: Item) -> None:
    """Raise `Conflict` for an answer to a question that does not apply, given the other answers. One query.

    Answers from before a hand-over are the assessor's own. Adjudicators answer what the official answers ask.
    """
    if assignment.role == Assignment.Role.ADJUDICATOR:
        newest = official_judgments(Snapshot(assignment.campaign), topics=[item.topic_id]).filter(item=item)
    else:
        people = [assignment.assessor_id, *(each.assessor_id for each in predecessors_of(assignment))]
        rows = Judgment.objects.filter(item=item, assessor__in=people)
        newest = newest_rows(rows, "item_id", "criterion", "assessor_id").filter(ANSWERED)
    said = dict(newest.order_by("id").values_list("criterion", "value"))
    if criterion not in asked_criteria(stage.criteria, said):
        raise Conflict(
            gettext(
                "“%(question)s” is not asked of this item, as the questions before it are answered now. "
                "Answer those first."
            )
            % {"question": in_language(criterion.question)}
        )


def require_asked(*, held: HeldWork, item: Item) -> None:
    """Raise `Invalid` for a run's item that is not pooled or not needed here, and for another work's control item."""
    assignment, stage = held.assignment, held.stage
    if item.repeats_id is not None:
        if not is_planted(assignment, item):
            raise Invalid(gettext("This item does not belong to your work. Reload the page to see what does."))
        return
    if item.given or (stage.work.needs is None and held.are_pooled([item])):
        return
    if stage.work.needs is not None and stage_items(assignment.topic, stage).filter(pk=item.pk).exists():
        return
    if item.pool_items.exists():
        raise Invalid(gettext("This item needs no judgment, since nothing that it cites was judged good enough."))
    if item.segments.exists() or item.citations.exists() or item.responses.exists():
        raise Invalid(gettext(UNPOOLED))


def _is_new(assignment: Assignment, judgment: JudgmentInput) -> bool:
    """Return whether the assessor had not answered this criterion of the item when the assignment was done. One
    query.
    """
    own = Judgment.objects.filter(item=judgment.item, criterion=judgment.criterion, assessor=assignment.assessor_id)
    return not own.filter(created_at__lte=assignment.done_at).exists()


def _require_own_answer(*, assignment: Assignment, judgment: JudgmentInput) -> None:
    """Raise `Conflict` for the withdrawal of an answer from before a hand-over: the former one would count again."""
    before = predecessors_of(assignment)
    said = Judgment.objects.filter(item=judgment.item, criterion=judgment.criterion, assignment__in=before)
    if before and said.filter(ANSWERED).exists():
        raise Conflict(
            gettext(
                "This was judged before the work came to you, so it can't be left open. Give the grade that you mean."
            )
        )


def is_same(earlier: Judgment, *, actor: User, assignment: Assignment, judgment: JudgmentInput) -> bool:
    """Return whether an existing row has the content of this judgment, under the same assignment."""
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
        return gettext("no grade, but what is given: %(answer)s") % {"answer": criterion.answer}
    if criterion.ranks:
        return gettext("places from 1 to %(ranks)s") % {"ranks": criterion.ranks}
    return ", ".join(f"{grade.value} ({in_language(grade.name)})" for grade in criterion.grades)
