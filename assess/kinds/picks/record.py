"""Recording picks: one ordered list, stored as judgments whose values are places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from uuid import UUID, uuid5

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from assess.assignments.domain.held_work import HeldWork, hold, lock_assignment, require_open, require_open_for_writing
from assess.assignments.models import Assignment
from assess.base.errors import Invalid
from assess.campaigns.activity import record_activity
from assess.campaigns.models import Activity
from assess.campaigns.queries import stage_of
from assess.campaigns.track_texts import in_language
from assess.items.models import Item
from assess.judging.models import Judgment
from assess.judging.queries.picked import NONE_ACTION, ranking_of
from assess.kinds.grade.record import JudgmentInput, judgment_row, require_asked
from assess.kinds.picks.bench import WORK, current_picks, is_none_picked, picked_items
from assess.ledger.adding import KeyTaken, add_once, store
from assess.ledger.models import How
from assess.ledger.newest import newest_rows
from assess.protocol import Criterion, Picking, Stage

LABEL_LIMIT = 200


def record_picks(
    *,
    actor: User,
    assignment: Assignment,
    items: Sequence[Item],
    client_key: UUID,
    none: bool | None = None,
    how: str = How.KEY,
    seconds: float | None = None,
) -> list[Judgment]:
    """Lock the assignment and add picks to it. Return what `add_picks` returns, and raise what it raises."""
    with hold(assignment) as held:
        return add_picks(
            actor=actor, held=held, items=items, client_key=client_key, none=none, how=how, seconds=seconds
        )


def add_picks(
    *,
    actor: User,
    held: HeldWork,
    items: Sequence[Item],
    client_key: UUID,
    none: bool | None = None,
    how: str = How.KEY,
    seconds: float | None = None,
) -> list[Judgment]:
    """Make these items, in this order, the assessor's picks; return the added rows, an empty list if nothing changed.

    An item's value is its place, from 1; a removed item gets NULL. All rows are added in one transaction. The same
    ``client_key`` with the same list returns the first rows; with another list it raises `Conflict`. ``none`` True
    records that no item fits, False withdraws that. If the assessor has no answer of their own, a former assessor's
    list still counts. Raises `Invalid` if there are more items than places, if an item occurs twice, if ``none`` is
    True with items, for an unknown ``how``, and if this stage does not ask for an item; and what `require_open` raises.
    """
    assignment, stage = held.assignment, _picking_stage(held.assignment)
    criterion = ranking_of(stage)
    _check(assignment=assignment, stage=stage, criterion=criterion, items=items, none=none)
    if how not in How.values:
        raise Invalid(gettext("%(how)s is not a way in which judgments come in.") % {"how": how})

    def is_same(earlier: list[Judgment]) -> bool:
        if earlier:
            return _is_same(earlier, actor=actor, assignment=assignment, stage=stage, items=items)
        said = answer_on_none(assignment, client_key)
        return not items and none == (bool(said.data["none"]) if said is not None else None)

    def add() -> list[Judgment]:
        if _earlier(assignment, stage, client_key) is not None:
            raise KeyTaken  # no row need have this key: another list may change other items, or none
        require_open(actor=actor, assignment=assignment)
        before = _places_before(assignment, stage)
        rows: list[Judgment] = []
        for item, place in _changes(before, items):
            if place is not None:
                require_asked(held=held, item=item)
            said = JudgmentInput(
                item=item,
                criterion=criterion.key,
                value=place,
                client_key=_row_key(client_key, item.pk),
                how=how,
                seconds=seconds if not rows else None,
            )
            rows.append(judgment_row(actor=actor, held=held, criterion=criterion, judgment=said))
        store(*rows)
        if not items and none is not None and none != is_none_picked(assignment, stage):
            data = {"none": none, "key": str(client_key)}
            record_activity(actor=actor, action=NONE_ACTION, campaign=assignment.campaign, about=assignment, data=data)
        return rows

    return add_once(
        add=add,
        earlier=partial(_earlier, assignment, stage, client_key),
        same=is_same,
        used=gettext("This was sent once before with other picks. Nothing was changed; reload the page."),
    )


def was_recorded(assignment: Assignment, client_key: UUID) -> bool:
    """Return whether a list, or "none of them", was recorded under this key."""
    return _earlier(assignment, _picking_stage(assignment), client_key) is not None


def add_label(*, actor: User, assignment: Assignment, label: str) -> Item:
    """Return the topic's item with this label, after adding it if there is none.

    An added item is one that the assessor saw and no run returned. It joins no pool, so nobody else sees it. Two labels
    are the same if their normal forms are equal or, in a track without normal forms, if they differ only in case and
    spaces. Raises `Invalid` if the stage takes no new labels, if the label is empty or too long, and if the track says
    that it is malformed, with the stage's help in the message; also whatever `require_open_for_writing` raises.
    """
    stage = _picking_stage(assignment)
    if not stage.work.may_add:
        raise Invalid(gettext("Only labels on the list can be picked here."))
    text = " ".join(label.replace("\0", "").split())
    normalise = stage.options(Picking).normalise
    if normalise is not None and text:
        proper = normalise(text)
        if proper is None:
            raise Invalid(
                gettext("“%(text)s” is no proper label. %(help)s")
                % {"text": text[:80], "help": in_language(stage.help)}
            )
        text = proper
    if not text or len(text) > LABEL_LIMIT:
        raise Invalid(
            gettext("A label has 1 to %(value)s characters. Type what the figure or table is called.")
            % {"value": LABEL_LIMIT}
        )
    key = text if normalise is not None else " ".join(text.casefold().split())
    with transaction.atomic():
        require_open_for_writing(actor=actor, assignment=lock_assignment(assignment))
        if (known := _labelled_item(assignment, stage, key, text)) is not None:
            return known
        try:
            with transaction.atomic():
                made = Item.objects.create(topic=assignment.topic, kind=stage.item_kind, key=key, text=text)
        except IntegrityError:
            known = _labelled_item(assignment, stage, key, text)
            if known is None:
                raise
            return known
        data = {"topic": assignment.topic.number, "label": text}
        record_activity(actor=actor, action="item.add", campaign=assignment.campaign, about=assignment, data=data)
        return made


def _picking_stage(assignment: Assignment) -> Stage:
    """Return the assignment's stage. Raises `Invalid` if nothing is picked in it."""
    _, stage = stage_of(assignment.campaign, assignment.stage)
    if stage.work.key != WORK:
        raise Invalid(gettext("Nothing is picked in this work. Reload the page and try again."))
    return stage


def _labelled_item(assignment: Assignment, stage: Stage, key: str, text: str) -> Item | None:
    items = Item.objects.filter(topic=assignment.topic_id, kind=stage.item_kind)
    return items.filter(key=key).first() or items.filter(text=text).first()


def _check(
    *, assignment: Assignment, stage: Stage, criterion: Criterion, items: Sequence[Item], none: bool | None
) -> None:
    if len(items) > criterion.ranks:
        raise Invalid(
            gettext("These are %(items)s picks; %(ranks)s are allowed. Take some out.")
            % {"items": len(items), "ranks": criterion.ranks}
        )
    if len({item.pk for item in items}) < len(items):
        raise Invalid(gettext("An item stands twice in the list. Take it out once."))
    if none and items:
        raise Invalid(
            gettext("You picked some and said “none of them”. Take the picks out, or take back “none of them”.")
        )
    if any(item.topic_id != assignment.topic_id or item.kind != stage.item_kind for item in items):
        raise Invalid(gettext("This item does not belong to your work. Reload the page to see what does."))


def _places_before(assignment: Assignment, stage: Stage) -> dict[int, int]:
    """Return item id -> place in the assessor's own list. The place is 0 where it has to be recorded again to count:
    if somebody else's list is newer, and if an adjudicator picked the item as a second assessor.
    """
    own = dict(picked_items(assignment.topic, stage, assignment.assessor_id))
    if assignment.taken_over_id is not None and current_picks(assignment, stage).is_carried:
        return dict.fromkeys(own, 0)
    if assignment.role != Assignment.Role.ADJUDICATOR:
        return own
    said = Judgment.objects.filter(item__in=list(own), criterion=ranking_of(stage).key, assessor=assignment.assessor_id)
    newest = newest_rows(said, "item_id", "criterion", "assessor_id", whole_groups=True)
    other = newest.exclude(assignment__role=assignment.role).values_list("item_id", flat=True)
    return own | dict.fromkeys(other, 0)


def _changes(before: Mapping[int, int], items: Sequence[Item]) -> list[tuple[Item, int | None]]:
    """Return (item, new place or None) of each item whose place changes, with removed items first."""
    places = {item.pk: place for place, item in enumerate(items, start=1)}
    gone = Item.objects.filter(pk__in=[pk for pk in before if pk not in places]).order_by("pk")
    moved = [(item, places[item.pk]) for item in items if before.get(item.pk) != places[item.pk]]
    return [*((item, None) for item in gone), *moved]


def _row_key(client_key: UUID, item_id: int) -> UUID:
    return uuid5(client_key, str(item_id))


def _earlier(assignment: Assignment, stage: Stage, client_key: UUID) -> list[Judgment] | None:
    """Return the rows recorded under this key; an empty list if it recorded or withdrew "none of them".

    Return None if the key is new.
    """
    ids = Item.objects.filter(topic=assignment.topic_id, kind=stage.item_kind).values_list("pk", flat=True)
    keys = [_row_key(client_key, pk) for pk in ids]
    rows = list(Judgment.objects.filter(client_key__in=keys).order_by("id"))
    return rows if rows or answer_on_none(assignment, client_key) is not None else None


def answer_on_none(assignment: Assignment, client_key: UUID) -> Activity | None:
    """Return the act under this key that recorded or withdrew "none of them", or None if the key did neither."""
    said = Activity.objects.filter(campaign=assignment.campaign_id, action=NONE_ACTION, object_id=str(assignment.pk))
    return said.filter(data__key=str(client_key)).first()


def _is_same(
    earlier: list[Judgment], *, actor: User, assignment: Assignment, stage: Stage, items: Sequence[Item]
) -> bool:
    """Return whether these rows recorded this list."""
    then = picked_items(assignment.topic, stage, actor, as_of=earlier[-1].pk)
    wanted = [(item.pk, place) for place, item in enumerate(items, start=1)]
    return then == wanted and all(row.assessor_id == actor.pk and row.assignment_id == assignment.pk for row in earlier)
