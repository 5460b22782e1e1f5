"""Record which nuggets of the frozen list an item contains, and that an item is finished."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid5

from django.contrib.auth.models import User
from django.utils.translation import gettext

from assess.assignments.domain.held_work import HeldWork, hold, require_open
from assess.assignments.models import Assignment
from assess.base.errors import Conflict, Invalid
from assess.base.quotes import SpanValues, checked_quote
from assess.campaigns.models import Campaign
from assess.items.models import Item
from assess.judging.queries.machine_drafts import SHOWN_TO, last_shown
from assess.ledger.adding import add_once, store
from assess.ledger.models import How
from assess.protocol import Stage
from nuggets.matches.current import machine_marks
from nuggets.matches.models import ItemReview, NuggetMatch
from nuggets.matches.offered import drafts_of_marks
from nuggets.options import Matching
from nuggets.writing.counting_lists import NOT_COUNTING, lineages, list_for, means_the_same
from nuggets.writing.edits import require_how, require_kind
from nuggets.writing.models import Nugget, NuggetList

WORK = "matches"
PART_LIMIT = 99


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchInput:
    """A mark of one nugget (or part k of it) in one item.

    ``value`` is full, partial or absent; None withdraws an earlier mark. ``offered`` is the machine's draft that the
    assessor could see, as a replay or a page says; for new marks the site looks for it (`_offered`). ``nugget_list`` is
    the id of the list that the assessor had before them, or None if that is not known.
    """

    nugget: Nugget
    item: Item
    client_key: UUID
    value: str | None = NuggetMatch.Value.FULL
    part: int = 0
    quote: str = ""
    span: SpanValues | None = None
    how: str = How.KEY
    offered: str | None = None
    nugget_list: int | None = None


def record_match(*, actor: User, assignment: Assignment, match: MatchInput) -> NuggetMatch:
    """Add one mark to the ledger, as `add_match` does under the same rules. Return its row after it was committed."""
    with hold(assignment) as held:
        return add_match(actor=actor, held=held, match=match)


def add_match(*, actor: User, held: HeldWork, match: MatchInput) -> NuggetMatch:
    """Add one mark to the ledger under an assignment that the caller has locked, and return its row.

    The same key with the same content returns the first row; with different content it is refused. Also refuses a
    nugget that is not active on the list that this assignment uses (`list_for`) or that meant something else on the
    list that the assessor had before them, an item that is not pooled for the topic, a quote that is not in the item's
    string (unless the mark is replayed), an assignment that is not open, and a partial mark in a stage without partial
    marks.

    If identical strings of several runs are one item, the mark counts for all of them. A string contains a nugget as a
    whole or in parts. So a mark of a part replaces a mark of the whole nugget in the item, and a mark of the whole
    replaces marks of its parts; no second row is added for this.
    """
    require_kind(held.stage, WORK)
    assignment, stage = held.assignment, held.stage
    quote, span = _checked(match)
    row = NuggetMatch(
        nugget=match.nugget,
        part=match.part,
        item=match.item,
        value=match.value,
        quote=quote,
        span=span,
        assessor=actor,
        assignment=assignment,
        client_key=match.client_key,
        how=match.how,
    )

    def add() -> NuggetMatch:
        require_open(actor=actor, assignment=assignment)
        check_mark(stage, match.value, match.part)
        nugget_list = _require_list(assignment=assignment, nugget_list_id=match.nugget.nugget_list_id)
        if not means_the_same(match.nugget, match.nugget_list):
            raise Conflict(NOT_COUNTING)
        if not match.nugget.is_active:
            raise Conflict(
                gettext("Nugget %(number)s is not on the list any more. Reload the page.")
                % {"number": match.nugget.number}
            )
        _require_pooled(held=held, items=[match.item])
        row.offered = match.offered if match.how == How.IMPORT else _offered(held, nugget_list, match)
        store(row)
        return row

    return add_once(
        add=add,
        earlier=lambda: NuggetMatch.objects.filter(client_key=match.client_key).first(),
        same=lambda earlier: _content(earlier) == _content(row),
    )


def review_items(
    *,
    actor: User,
    assignment: Assignment,
    items: Sequence[Item],
    client_key: UUID,
    is_reviewed: bool = True,
    nugget_list: int | None = None,
    how: str = How.KEY,
) -> list[ItemReview]:
    """Record that every nugget in these items is marked, of which there may be none. With ``is_reviewed`` False, take
    that back. Return the rows.

    One client key covers all items, so that one key press finishes a whole response. Each item's row has a key made
    from it. A repeated key adds nothing and returns the earlier rows; with other content it is refused. Also refuses no
    items, an item that is not pooled for the topic, a topic without a frozen list, and an assignment that is not open.

    ``nugget_list`` is the id of the list whose nuggets the assessor had before them. If the list that counts has a
    nugget that is not on it, nobody looked for that one, so the items are not finished: this is refused.
    """
    require_how(how)
    unique = list({item.pk: item for item in items}.values())
    if not unique:
        raise Invalid(gettext("Name at least one string."))
    keys = [review_key(client_key, item.pk) for item in unique]

    def add() -> list[ItemReview]:
        require_open(actor=actor, assignment=held.assignment)
        counting = _require_list(assignment=assignment)
        if is_reviewed and nugget_list not in (None, counting.pk):
            _require_covering(counting, nugget_list)
        _require_pooled(held=held, items=unique)
        rows = [
            ItemReview(
                item=item,
                nugget_list=counting,
                is_reviewed=is_reviewed,
                assessor=actor,
                assignment=assignment,
                client_key=key,
                how=how,
            )
            for item, key in zip(unique, keys, strict=True)
        ]
        store(*rows)
        return rows

    def same(earlier: list[ItemReview]) -> bool:
        return len(earlier) == len(keys) and all(
            (row.assessor_id, row.assignment_id, row.is_reviewed) == (actor.pk, assignment.pk, is_reviewed)
            for row in earlier
        )

    with hold(assignment) as held:
        require_kind(held.stage, WORK)
        return add_once(
            add=add,
            earlier=lambda: list(ItemReview.objects.filter(client_key__in=keys).order_by("id")) or None,
            same=same,
        )


def was_reviewed(client_key: UUID, items: Sequence[Item]) -> bool:
    """Return whether `review_items` has stored a row under this client key for any of these items before."""
    keys = [review_key(client_key, item.pk) for item in items]
    return ItemReview.objects.filter(client_key__in=keys).exists()


def review_key(client_key: UUID, item: int) -> UUID:
    """Return the client key of the row that finishes this one item. It is made from ``client_key``, which may cover
    several items.
    """
    return uuid5(client_key, str(item))


def _checked(match: MatchInput) -> tuple[str, SpanValues | None]:
    require_how(match.how)
    if match.span is None and (not match.quote or match.how == How.IMPORT):
        return match.quote, None  # a replayed quote stays as it was recorded, even if the string lacks it
    return checked_quote(text=match.item.text, quote=match.quote, span=match.span, where="the answer")


def check_mark(stage: Stage, value: str | None, part: int) -> None:
    """Refuse a value or a part that a mark in this stage can't have. This function has all rules about the content of a
    mark, since imports of many marks call it too.
    """
    if value is not None and value not in NuggetMatch.Value.values:
        raise Invalid(
            gettext("%(value)s is no value of a mark. Use one of: %(values)s.")
            % {"value": value, "values": ", ".join(NuggetMatch.Value.values)}
        )
    if not 0 <= part <= PART_LIMIT:
        raise Invalid(
            gettext("%(part)s is no part. Parts are counted from 1 to %(value)s; 0 is the whole nugget.")
            % {"part": part, "value": PART_LIMIT}
        )
    if value == NuggetMatch.Value.PARTIAL and not stage.options(Matching).partial:
        raise Invalid(gettext("Nuggets are found here or not, and never in part. Mark one that is there as “full”."))


def _offered(held: HeldWork, nugget_list: NuggetList, match: MatchInput) -> str | None:
    """Return the draft that the assessor could see when marking the nugget. Return None if there was none, if the mark
    is of a part, or if it withdraws an earlier mark.

    After drafts are shown no more, the assessor still knows the one of their earlier mark, and the one on a page that
    was opened before (``match.offered``, if a machine made that mark).
    """
    assignment, item, number = held.assignment, match.item, match.nugget.number
    if match.value is None or match.part or not held.has_machine or assignment.role not in SHOWN_TO:
        return None
    drafts = drafts_of_marks(assignment, held.stage, nugget_list, item=item.pk)
    if now := drafts.get(item.pk, {}).get(number):
        return now
    own = NuggetMatch.objects.filter(assignment=assignment, item=item, nugget__number=number).exclude(offered=None)
    if seen := own.order_by("-id").values_list("offered", flat=True).first():
        return seen
    was_shown = match.offered is not None and last_shown(assignment.campaign) is not None
    made = machine_marks(nugget_list, held.stage.key, item=item.pk) if was_shown else {}
    return match.offered if match.offered == made.get((item.pk, number)) else None


def _content(row: NuggetMatch) -> tuple[object, ...]:
    """Return what a repeated mark must have in common with the first. It names the nugget by its number, since the list
    may have been frozen anew in between.
    """
    said = (row.nugget.number, row.part, row.item_id, row.value, row.quote, row.span)
    return (*said, row.assessor_id, row.assignment_id)


def _require_list(*, assignment: Assignment, nugget_list_id: int | None = None) -> NuggetList:
    nugget_list = list_for(assignment)
    if nugget_list is None:
        raise Conflict(gettext("The nugget list of this topic is not frozen yet."))
    if nugget_list_id is not None and nugget_list.pk != nugget_list_id:
        raise Conflict(NOT_COUNTING)
    return nugget_list


def _require_covering(counting: NuggetList, looked_for: int | None) -> None:
    if looked_for not in lineages([counting])[counting.pk].covering:
        raise Conflict(
            gettext(
                "The list of nuggets has changed since this page was loaded, so nothing was finished. Reload the page, "
                "and look for what is new."
            )
        )


def _require_pooled(*, held: HeldWork, items: Sequence[Item]) -> None:
    kind, topic = held.stage.item_kind, held.assignment.topic_id
    own = all(item.kind == kind and item.topic_id == topic for item in items)
    is_loading = held.assignment.campaign.state == Campaign.LOADING  # a release has marks of what left the pool since
    if not (own and (is_loading or held.are_pooled(items))):
        raise Invalid(gettext("This is not in the pool of this topic, so it is not marked."))
