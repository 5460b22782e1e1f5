"""Acts on many assignments at once, chosen by cell, row, column or person; all are done, or none is.

All that is plain is done in a few queries; the function that changes a single assignment decides on the rest, so the
same acts are refused. Refusals are listed with their reasons. This module does not write to the database itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy, ngettext

from assess.assignments.domain.assignments import (
    PEOPLES_ROLES,
    create_assignment,
    reopen_assignment,
    return_assignment,
)
from assess.assignments.domain.handing_out import (
    ToHandOut,
    create_assignments,
    reopen_assignments,
    return_assignments,
)
from assess.assignments.models import Assignment
from assess.assignments.queries.topics import all_stages, topics_to_judge
from assess.base.errors import BadFile, Conflict, Invalid, Refused
from assess.base.numbers import grouped
from assess.campaigns.activity import lock_open
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.controls.domain import add_usual_control_items
from assess.topics.models import Topic
from assess.work.domain import hand_over, hand_over_assignments, require_may_get
from scoring.records import Issue

State = Assignment.State
ACTS = {
    "hand-out": gettext_lazy("Hand out"),
    "hand-over": gettext_lazy("Hand over"),
    "take-back": gettext_lazy("Take back"),
    "reopen": gettext_lazy("Open again"),
}
LIMIT = 1_000  # assignments in one act: nobody else can write meanwhile, which takes some tenths of a second
AT_ONCE = 100  # assignments that a preview tries in one transaction
A_FEW = 10  # of them, one by one, where one is refused


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """A selection of assignments and empty cells: named one by one, or by topic (row), stage (column) or person.

    Assignments and cells that are named one by one are taken as they are. From rows, columns and persons, an act takes
    only what it can be done to. Handing out takes cells in which nobody has the role that is handed out. Handing over
    and taking back take what is not done. Reopening takes what is done. ``of`` narrows the selection to one person's
    assignments. With ``both``, only cells that are in a selected row and a selected column count.
    """

    pieces: frozenset[int] = frozenset()
    cells: frozenset[tuple[int, str]] = frozenset()
    rows: frozenset[int] = frozenset()
    columns: frozenset[str] = frozenset()
    both: bool = False
    of: int | None = None

    def has_cell(self, topic: int, stage: str) -> bool:
        """Return whether the cell is in a selected row or column or, with ``both``, in both."""
        in_row, in_column = topic in self.rows, stage in self.columns
        return in_row and in_column if self.both else in_row or in_column


@dataclass(frozen=True, kw_only=True, slots=True)
class BulkPiece:
    """A stage of a topic that an act is done to.

    ``work`` is the assignment, or None if the stage is being handed out. ``state`` is the assignment's state before the
    act.
    """

    topic: Topic
    stage: str
    work: Assignment | None = None
    state: str = ""

    @property
    def name(self) -> str:
        """Its name in a list: topic, stage and, for an assignment, the assessor."""
        place = f"{self.topic.number} {self.stage}"
        if self.work is None:
            return place
        return gettext("%(number)s of %(assessor)s") % {"number": place, "assessor": self.work.assessor}


@dataclass(frozen=True, kw_only=True, slots=True)
class BulkOutcome:
    """The result of an act: the assignments and cells to which it was done, and those for which it was refused, each
    with the reason.
    """

    act: str
    done: list[BulkPiece] = field(default_factory=list)
    refused: list[tuple[BulkPiece, str]] = field(default_factory=list)
    made: list[Assignment] = field(default_factory=list)


class SomeRefused(BadFile):
    """Some of many assignments were refused, so nothing was changed."""

    status = 409
    code = "some-refused"

    def __init__(self, outcome: BulkOutcome) -> None:
        issues = [Issue(where=piece.name, code="refused", message=reason) for piece, reason in outcome.refused]
        number, total = len(issues), len(issues) + len(outcome.done)
        super().__init__(
            ngettext(
                "Nothing was changed: %(number)s of %(total)s assignment can't be included. Leave them out, or resolve "
                "what is said of each.",
                "Nothing was changed: %(number)s of %(total)s assignments can't be included. Leave them out, or "
                "resolve what is said of each.",
                total,
            )
            % {"number": number, "total": grouped(total)},
            issues=issues,
            total=number,
        )


def chosen_pieces(campaign: Campaign, selection: Selection, *, act: str, role: str) -> list[BulkPiece]:
    """Return the assignments or cells that were selected, in the order of topics and stages, in at most four queries.

    Raises Invalid for an unknown act, for too many assignments, for a stage or topic that does not exist, and if
    nothing was selected to which the act can be done.
    """
    if act not in ACTS:
        raise Invalid(
            gettext("There is no act “%(act)s”. Use one of: %(value)s.") % {"act": act[:40], "value": ", ".join(ACTS)}
        )
    _require_few(len(selection.pieces) + len(selection.cells))
    pieces = _cells(campaign, selection, role) if act == "hand-out" else _work(campaign, selection, act)
    if not pieces:
        raise Invalid(
            gettext(
                "Nothing that was chosen can be changed in this way. Mark cells, assignments, rows, "
                "columns or a person."
            )
        )
    _require_few(len(pieces))
    return pieces


def _require_few(number: int) -> None:
    if number > LIMIT:
        raise Invalid(
            gettext("%(number)s assignments are too many for one act, which takes at most %(value)s. Choose fewer.")
            % {"number": grouped(number), "value": grouped(LIMIT)}
        )


def _cells(campaign: Campaign, selection: Selection, role: str) -> list[BulkPiece]:
    order = {stage.key: place for place, stage in enumerate(all_stages(campaign))}
    if unknown := sorted(({stage for _, stage in selection.cells} | selection.columns) - order.keys()):
        raise Invalid(
            gettext("There is no stage “%(unknown)s”. The stages are: %(order)s.")
            % {"unknown": unknown[0][:50], "order": ", ".join(order)}
        )
    topics = {topic.pk: topic for topic in topics_to_judge(campaign)}
    stages = {task.key: [stage.key for stage in task.stages] for task in track_of(campaign).tasks}
    live = campaign.assignments.exclude(state=State.RETURNED).filter(role=role).order_by()
    taken = set(live.values_list("topic", "stage"))
    whole = {
        (pk, stage)
        for pk, topic in topics.items()
        for stage in stages.get(topic.task, ())
        if selection.has_cell(pk, stage) and (pk, stage) not in taken
    }
    missing = {pk for pk, _ in selection.cells} - topics.keys()
    topics |= {topic.pk: topic for topic in campaign.topics.filter(pk__in=missing)} if missing else {}
    if any(pk not in topics for pk, _ in selection.cells):
        raise Invalid(gettext("One of these topics is gone. Reload the page and try again."))
    found = [BulkPiece(topic=topics[pk], stage=stage) for pk, stage in whole | selection.cells]
    return sorted(found, key=lambda piece: (piece.topic.ordinal, piece.topic.pk, order[piece.stage]))


def _work(campaign: Campaign, selection: Selection, act: str) -> list[BulkPiece]:
    states = [State.DONE] if act == "reopen" else [State.OPEN, State.STARTED]
    rows, columns = Q(topic__in=selection.rows), Q(stage__in=selection.columns)
    whole = rows & columns if selection.both else rows | columns
    if not (selection.rows or selection.columns or selection.pieces or selection.cells):
        whole = Q() if selection.of is not None else Q(pk=None)
    wanted = Q(pk__in=selection.pieces) | (whole & Q(state__in=states))
    left_out = Q(state=State.RETURNED) | Q(role=Assignment.Role.MACHINE) | Q(topic__dropped=True)
    found = campaign.assignments.filter(wanted).exclude(left_out)
    if selection.of is not None:
        found = found.filter(assessor=selection.of)
    pieces = []
    for work in found.select_related("topic", "assessor"):
        work.campaign = campaign
        pieces.append(BulkPiece(topic=work.topic, stage=work.stage, work=work, state=work.state))
    return pieces


def act_on_selection(
    *,
    actor: User,
    campaign: Campaign,
    act: str,
    selection: Selection,
    to: User | None = None,
    role: str = Assignment.Role.PRIMARY,
) -> BulkOutcome:
    """Hand out, hand over, take back or reopen everything selected, in one transaction, and return the outcome.

    An assignment is refused if the act on it alone would be. If any is refused, nothing is changed, and `SomeRefused`
    lists the refused ones with their reasons. What is handed out or over gets its usual control items. Also refuses
    what `chosen_pieces` refuses, a closed campaign, an unknown role, and handing out or over without ``to``, the person
    who gets the work.
    """
    outcome = BulkOutcome(act=act)
    try:
        with transaction.atomic():
            _require_act(campaign, act, to, role)
            lock_open(campaign)
            pieces = chosen_pieces(campaign, selection, act=act, role=role)
            outcome.made.extend(_all_at_once(actor, campaign, act, pieces, to, role))
            outcome.done.extend(pieces)
            if act in ("hand-out", "hand-over"):
                add_usual_control_items(actor=actor, campaign=campaign, stages=[each.stage for each in pieces])
    except Refused:
        seen = preview(actor=actor, campaign=campaign, act=act, selection=selection, to=to, role=role)
        if seen.refused:
            raise SomeRefused(seen) from None
        raise
    return outcome


def preview(
    *,
    actor: User,
    campaign: Campaign,
    act: str,
    selection: Selection,
    to: User | None = None,
    role: str = Assignment.Role.PRIMARY,
) -> BulkOutcome:
    """Return what `act_on_selection` would do and what it would refuse, by trying it and rolling it back.

    Raises `Invalid` where `act_on_selection` does for the act or the selection itself. Each transaction tries some
    assignments, or only a few if one of them is refused, so that people who judge never wait for more than one such
    transaction.
    """
    outcome = BulkOutcome(act=act)
    _require_act(campaign, act, to, role)
    pieces = chosen_pieces(campaign, selection, act=act, role=role)
    do = _doing(actor=actor, campaign=campaign, act=act, to=to, role=role)
    for begin in range(0, len(pieces), AT_ONCE):
        block = pieces[begin : begin + AT_ONCE]
        try:
            with transaction.atomic():
                lock_open(campaign)
                outcome.made.extend(_all_at_once(actor, campaign, act, block, to, role))
                transaction.set_rollback(True)
            outcome.done.extend(block)
        except Refused:
            for few in range(0, len(block), A_FEW):
                with transaction.atomic():
                    lock_open(campaign)
                    _try(outcome, block[few : few + A_FEW], do)
                    transaction.set_rollback(True)
    return outcome


def _require_act(campaign: Campaign, act: str, to: User | None, role: str) -> None:
    require_changeable(campaign)
    if act in ("hand-out", "hand-over") and to is None:
        raise Invalid(gettext("Choose who gets the work."), field="to")
    if role not in PEOPLES_ROLES:
        raise Invalid(
            gettext("%(role)s is not a role. Use primary, second or adjudicator.") % {"role": role}, field="role"
        )


def _try(outcome: BulkOutcome, pieces: Iterable[BulkPiece], do: Callable[[BulkPiece], Assignment]) -> None:
    for piece in pieces:
        try:
            with transaction.atomic():
                outcome.made.append(do(piece))
            outcome.done.append(piece)
        except Refused as refused:
            outcome.refused.append((piece, refused.message))


def _all_at_once(
    actor: User, campaign: Campaign, act: str, pieces: Sequence[BulkPiece], to: User | None, role: str
) -> Sequence[Assignment]:
    """Do the act to all of these in a few queries, or raise the first refusal: `_try` says which are refused."""
    works = [piece.work for piece in pieces if piece.work is not None]
    if act == "hand-out":
        assert to is not None
        named = [(piece.topic.pk, piece.stage) for piece in pieces]
        require_may_get(actor=actor, campaign=campaign, assessor=to, pieces=named, role=role)
        wanted = [ToHandOut(piece.topic, piece.stage, to, role) for piece in pieces]
        return create_assignments(actor=actor, campaign=campaign, wanted=wanted)
    if act == "hand-over":
        assert to is not None
        return hand_over_assignments(actor=actor, campaign=campaign, assignments=works, to=to)
    if act == "reopen":
        _require_done(pieces)
        reopen_assignments(actor=actor, campaign=campaign, assignments=works)
    else:
        return_assignments(actor=actor, campaign=campaign, assignments=works)
    return works


def _require_done(pieces: Iterable[BulkPiece]) -> None:
    if any(piece.state in (State.OPEN, State.STARTED) for piece in pieces):
        raise Conflict(gettext("It is not done."))


def _doing(
    *, actor: User, campaign: Campaign, act: str, to: User | None, role: str
) -> Callable[[BulkPiece], Assignment]:
    """Return a function that does the act to one assignment."""

    def hand_out(piece: BulkPiece) -> Assignment:
        assert to is not None
        named = [(piece.topic.pk, piece.stage)]
        require_may_get(actor=actor, campaign=campaign, assessor=to, pieces=named, role=role)
        return create_assignment(
            actor=actor, campaign=campaign, topic=piece.topic, stage=piece.stage, assessor=to, role=role
        )

    def change(piece: BulkPiece) -> Assignment:
        assert piece.work is not None
        if act == "hand-over":
            assert to is not None
            return hand_over(actor=actor, assignment=piece.work, to=to, with_controls=False)
        if act == "reopen":
            _require_done([piece])
            return reopen_assignment(actor=actor, assignment=piece.work)
        return return_assignment(actor=actor, assignment=piece.work)

    return hand_out if act == "hand-out" else change


def selection_named(
    campaign: Campaign,
    *,
    pieces: Iterable[int] = (),
    topics: Iterable[str] = (),
    stages: Iterable[str] = (),
    of: str = "",
) -> Selection:
    """Return the selection that the API or the command names by topic numbers, stage keys and a user name.

    If both topics and stages are named, only cells that are in both are selected. Raises `Invalid` for a topic, stage
    or user that does not exist.
    """
    numbers, keys = list(topics), frozenset(stages)
    found = dict(campaign.topics.filter(number__in=numbers).values_list("number", "pk"))
    if unknown := [number for number in numbers if number not in found]:
        raise Invalid(
            gettext("There is no topic %(unknown)s in this campaign.") % {"unknown": unknown[0][:60]}, field="topics"
        )
    if unknown := sorted(keys - {stage.key for stage in all_stages(campaign)}):
        known = ", ".join(stage.key for stage in all_stages(campaign))
        raise Invalid(
            gettext("There is no stage “%(unknown)s”. The stages are: %(known)s.")
            % {"unknown": unknown[0][:50], "known": known},
            field="stages",
        )
    person = User.objects.filter(username=of).first() if of else None
    if of and person is None:
        raise Invalid(gettext("Nobody here is called %(of)s.") % {"of": of[:60]}, field="of")
    return Selection(
        pieces=frozenset(pieces),
        rows=frozenset(found.values()),
        columns=keys,
        both=bool(found) and bool(keys),
        of=person.pk if person is not None else None,
    )
