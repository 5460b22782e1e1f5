"""Replay recorded marks of nuggets in items, of people and of machine judges."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from assess.assignments.models import Assignment
from assess.items.models import Item
from assess.items.queries import pooled_items
from assess.ledger.models import How
from assess.replay.plain_rows import KEY, Row, add_plain_rows, allowed_once, can_be_stored, replay_in_blocks
from assess.replay.session import Desk, ReplayLine, uuid5_text
from nuggets.matches.current import current_marks, finished_items
from nuggets.matches.models import ItemReview, NuggetMatch
from nuggets.matches.record import MatchInput, check_mark, record_match, review_items
from nuggets.writing.counting_lists import list_for
from nuggets.writing.models import NuggetList
from nuggets.writing.replay import Numbered, _numbered, _recorded_by, _used
from scoring.release.recorded_acts import Matched, RecordedAct, Reviewed, key_of

MARK_COLUMNS = ("nugget_id", "part", "item_id", "value", "quote", "offered")
REVIEW_COLUMNS = ("item_id", "nugget_list_id", "is_reviewed")


def replay_matches(desk: Desk, lines: list[ReplayLine], *, all_finished: bool = True) -> None:
    """Mark nuggets in items, and then record which items are finished. What is refused becomes a problem of its line.

    If no line says which items are finished or which nuggets are absent, all pooled items are recorded as finished.
    This is not done if ``all_finished`` is false. Nor is it done for the lines of a release, since an assignment there
    may have been stopped early, with marks but without finished items.
    """
    used, nuggets = _used(desk)
    by_kind: dict[type, list[ReplayLine]] = {Matched: [], Reviewed: []}
    for line in lines:
        by_kind.setdefault(type(line.act), []).append(line)
    marks, reviewed = by_kind[Matched], by_kind[Reviewed]
    rows, one = partial(_mark_rows, desk, nuggets), partial(_mark, desk, nuggets)
    replay_in_blocks(desk, marks, model=NuggetMatch, columns=MARK_COLUMNS, rows=rows, one=one)
    rows, one = partial(_review_rows, desk, used), partial(_review, desk)
    replay_in_blocks(desk, reviewed, model=ItemReview, columns=REVIEW_COLUMNS, rows=rows, one=one)
    is_last = desk.session.works is None and not desk.goes_on
    if all_finished and is_last and not any(map(_says_the_rest, desk.whole or lines)):
        desk.session.attempt(lines[0], _review_all, desk, used)  # a source that records absences leaves the rest open


def _mark_rows(desk: Desk, nuggets: Numbered, block: Sequence[ReplayLine]) -> list[Row] | None:
    """Return a row for each mark of the block. Return None if any mark names an item, a nugget or a part that does not
    exist here.
    """
    items, allowed = desk.pooled_ids(), allowed_once(partial(check_mark, desk.stage))
    said = []
    for line in block:
        act = line.act
        if not isinstance(act, Matched) or act.number not in nuggets or not allowed(_value(act), act.part):
            return None
        item = items.get(key_of(act))
        if item is None:
            return None
        if act.quote and not can_be_stored(NuggetMatch, "quote", act.quote):
            return None
        said.append((nuggets[act.number].pk, act.part, item, _value(act), act.quote, _offered(act), desk.key_text(act)))
    return said


def _review_rows(desk: Desk, used: NuggetList | None, block: Sequence[ReplayLine]) -> list[Row] | None:
    """Return a row for each finished item of the block. Return None if any line names an item that does not exist
    here.
    """
    items = desk.pooled_ids()
    said = []
    for line in block:
        item = items.get(key_of(line.act)) if isinstance(line.act, Reviewed) else None
        if item is None or used is None:
            return None
        own = desk.session.key_text(line.act)
        said.append((item, used.pk, True, uuid5_text(bytes.fromhex(own), str(item))))  # the same as its `review_key`
    return said


def _mark(desk: Desk, nuggets: Numbered, act: Matched) -> None:
    match = MatchInput(
        nugget=_numbered(nuggets, act.number),
        item=desk.item(act),
        part=act.part,
        quote=act.quote,
        value=_value(act),
        offered=_offered(act),
        client_key=desk.session.key(act),
        how=How.IMPORT,
    )
    record_match(actor=desk.user, assignment=desk.assignment, match=match)


FULL, PARTIAL, ABSENT = NuggetMatch.Value.values  # plain strings, since they are compared a million times


def _value(act: Matched) -> str:
    if act.is_absent:
        return ABSENT
    return PARTIAL if act.is_partial else FULL


def _says_the_rest(line: ReplayLine) -> bool:
    """Return whether a line shows that its assessor also recorded what they did not find. It does if it finishes an
    item, or marks a nugget as absent.
    """
    return isinstance(line.act, Reviewed) or (isinstance(line.act, Matched) and line.act.is_absent)


def _offered(act: Matched) -> str | None:
    """Return the machine's draft that the assessor could see when marking, as a value of the ledger; None if there was
    none.
    """
    return ABSENT if act.draft == "none" else act.draft or None


def _review(desk: Desk, act: Reviewed) -> None:
    items = [desk.item(act)]
    key = desk.session.key(act)
    review_items(actor=desk.user, assignment=desk.assignment, items=items, client_key=key, how=How.IMPORT)


def _review_all(desk: Desk, used: NuggetList | None) -> None:
    """Record that all pooled items are finished, under one key. If they can't be added as plain rows, `review_items`
    records them or refuses.
    """
    ids = sorted(desk.pooled_ids().values()) if used else []
    key = desk.session.key("all finished", desk.assignment.topic.number, desk.user.username)
    said = [(item, used.pk, True, uuid5_text(key.bytes, str(item))) for item in ids if used]
    if said and add_plain_rows(desk, ItemReview, (*REVIEW_COLUMNS, KEY), said, {}):
        return
    items = list(pooled_items(desk.assignment.topic, desk.stage.item_kind).order_by("id"))
    review_items(actor=desk.user, assignment=desk.assignment, items=items, client_key=key, how=How.IMPORT)


# Machine judges' marks on the list that counts, replayed like people's.


def _matches(desk: Desk, lines: list[ReplayLine]) -> None:
    """Record marks and finished items of a machine. Items that its lines do not finish stay unfinished."""
    replay_matches(desk, lines, all_finished=False)


def _object_and_value(act: RecordedAct) -> tuple[object, object]:
    if isinstance(act, Matched):
        return (key_of(act), act.number, act.part), (_value(act), act.quote)
    return (key_of(act), True) if isinstance(act, Reviewed) else (act, None)


def _now(work: Assignment) -> dict[object, object]:
    """Return object -> value for the machine's current marks and finished items, with the objects of
    `_object_and_value`. Without a list there are none.
    """
    used = list_for(work)
    if used is None:
        return {}
    marks = current_marks(used, assessor_id=work.assessor_id, with_absent=True)
    finished = finished_items(used, assignment=work)
    keys = dict(Item.objects.filter(pk__in={*finished, *(mark.item_id for mark in marks)}).values_list("pk", "key"))
    said: dict[object, object] = {keys[item]: True for item in finished}
    return said | {(keys[mark.item_id], mark.number, mark.part): (mark.value, mark.quote) for mark in marks}


record_matches = _recorded_by(_matches, _object_and_value, _now)
