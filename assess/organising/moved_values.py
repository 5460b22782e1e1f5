"""Judgments whose values a new version of a design moves.

They are read, and the rows that follow them made, before the campaign is locked: that takes seconds for very many.
Under the lock, only judgments since then are read, and the rows are added.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import uuid4

from django.db.models import Count, Q, QuerySet, TextField
from django.db.models.functions import Cast

from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign
from assess.campaigns.queries import ledger_point, rows_between
from assess.judging.models import Judgment
from assess.ledger.adding import StoredRow, add_prepared, rows_to_number
from assess.ledger.models import How
from assess.ledger.newest import newest_rows
from assess.protocol.designs import ValueMapping

CHUNK = 2_000

ValueMoves = dict[tuple[str, int], int]
"""The new values, by question and value before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PreparedMoves:
    """Moves that were read and made in advance, as of ledger point ``point``.

    ``ids`` are the judgments with a value that moves, by question and value. By the id of such a judgment, ``judged``
    gives its item and assessor, and ``rows`` the row that is to follow it.
    """

    point: int = 0
    moves: ValueMoves = field(default_factory=dict)
    ids: Mapping[tuple[str, int], Sequence[int]] = field(default_factory=dict)
    judged: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    rows: Mapping[int, StoredRow] = field(default_factory=dict)


NOTHING_PREPARED = PreparedMoves()


def moves_of(mappings: Sequence[ValueMapping]) -> ValueMoves:
    """Return the values that the mappings change."""
    return {(each.question, each.before): each.now for each in mappings if each.before != each.now}


def prepare_moves(campaign: Campaign, mappings: Sequence[ValueMapping]) -> PreparedMoves:
    """Return the rows by which these mappings would move values now. It takes 4 s for 100,000 judgments."""
    moves = moves_of(mappings)
    if not moves:
        return NOTHING_PREPARED
    point = ledger_point(campaign)
    ids = {(question, value): _of_value(campaign, question, value, upto=point) for question, value in moves}
    found = sorted({pk for each in ids.values() for pk in each})
    judged: dict[int, tuple[int, int]] = {}
    rows: dict[int, StoredRow] = {}
    for before, row in _followed(found, moves):
        judged[before.pk] = (before.item_id, before.assessor_id)
        rows[before.pk] = row
    return PreparedMoves(point=point, moves=moves, ids=ids, judged=judged, rows=rows)


def judgments_of_value(
    campaign: Campaign, question: str, value: int, prepared: PreparedMoves = NOTHING_PREPARED
) -> list[int]:
    """Return the ids of everybody's current judgments with this value of a question, in order, including control items.

    A judgment has the value as its grade, among several chosen or ranked values, or as the grade of a snippet. If this
    value is ``prepared``, only later judgments are read.
    """
    if (question, value) not in prepared.ids:
        return _of_value(campaign, question, value)
    later = rows_between(Judgment.objects.filter(criterion=question), campaign, after=prepared.point)
    again = set(later.values_list("item_id", "assessor_id"))
    kept = [pk for pk in prepared.ids[question, value] if prepared.judged[pk] not in again]
    return kept + _of_value(campaign, question, value, after=prepared.point)


def move_values(
    campaign: Campaign, mappings: Sequence[ValueMapping], prepared: PreparedMoves = NOTHING_PREPARED
) -> None:
    """Add a row for each current judgment whose value is moved, with the same person, item, assignment and note, and
    then again the `_later_of_others`, since of several people in a role the newest row counts.

    Call it while the campaign is locked. What was ``prepared`` for the same moves is not read again.
    """
    moves = moves_of(mappings)
    moved = {pk for each in moves for pk in judgments_of_value(campaign, *each, prepared)}
    found = sorted(moved.union(*(_later_of_others(campaign, each, moved) for each in {key for key, _ in moves})))
    made = prepared.rows if prepared.moves == moves else {}  # another version may have come in between
    later = {before.pk: row for before, row in _followed([pk for pk in found if pk not in made], moves)}
    add_prepared(Judgment, campaign.pk, [later[pk] if pk in later else made[pk] for pk in found])


def _later_of_others(campaign: Campaign, question: str, moved: Collection[int]) -> Iterator[int]:
    """Yield the ids of current judgments, withdrawn ones included, that are newer than one of those ``moved`` of the
    same item, by somebody else in the same role.
    """
    judged = Judgment.objects.filter(criterion=question, item__topic__campaign=campaign)
    judged = judged.exclude(assignment__role=Assignment.Role.MACHINE).order_by()
    several = judged.values("item", "assignment__role").annotate(people=Count("assessor", distinct=True))
    shared = several.filter(people__gt=1).values("item")
    rows = _current(campaign, question, 0, None).filter(pk__in=judged.values("pk"), item__in=shared).order_by("pk")
    older: set[tuple[int, str]] = set()
    for pk, item, role in rows.values_list("pk", "item", "assignment__role"):
        if pk in moved:
            older.add((item, role))
        elif (item, role) in older:
            yield pk


def _followed(judgments: Sequence[int], moves: ValueMoves) -> Iterator[tuple[Judgment, StoredRow]]:
    """Yield each of these judgments (ids) with the row that follows it."""
    for first in range(0, len(judgments), CHUNK):
        before = list(Judgment.objects.filter(pk__in=judgments[first : first + CHUNK]).order_by("pk"))
        yield from zip(before, rows_to_number([_moved(row, moves) for row in before]), strict=True)


def _of_value(campaign: Campaign, question: str, value: int, *, after: int = 0, upto: int | None = None) -> list[int]:
    """Return what `judgments_of_value` does, but only judgments after the point ``after``, as of the point ``upto``
    (None: now).
    """
    chosen, written = ["several", "rank"], f'"value": {value}'
    rows = _current(campaign, question, after, upto).annotate(written=Cast("evidence", TextField()))
    may = rows.filter(Q(value=value) | Q(given__has_any_keys=chosen) | Q(written__contains=written))
    return sorted(
        pk
        for pk, own, given, snippets in may.values_list("pk", "value", "given", "evidence").iterator(CHUNK)
        if own == value
        or value in (given or {}).get("several", (given or {}).get("rank", ()))
        or any(isinstance(each, dict) and each.get("value") == value for each in snippets or ())
    )


def _current(campaign: Campaign, question: str, after: int, upto: int | None) -> QuerySet[Judgment]:
    """Return everybody's current judgments on a question that are later than the point ``after``, including those of
    control items. They are current as of the point ``upto``, or now.
    """
    rows = rows_between(Judgment.objects.filter(criterion=question), campaign, after=after)
    newest = newest_rows(rows, "item_id", "criterion", "assessor_id", as_of=upto, whole_groups=True)
    return rows.filter(pk__in=newest.values("pk"))


def _moved(row: Judgment, moves: ValueMoves) -> Judgment:
    evidence = row.evidence
    if isinstance(evidence, list):
        evidence = [
            {**each, "value": moves.get((row.criterion, each.get("value")), each.get("value"))} for each in evidence
        ]
    return Judgment(
        item_id=row.item_id,
        criterion=row.criterion,
        value=row.value if row.value is None else moves.get((row.criterion, row.value), row.value),
        note=row.note,
        given=row.given,
        evidence=evidence,
        assessor_id=row.assessor_id,
        assignment_id=row.assignment_id,
        guideline_id=row.guideline_id,
        client_key=uuid4(),
        how=How.LIKE if row.how == How.LIKE else How.IMPORT,
        draft=row.draft,
        grade_order=_moved_order(row, moves),
    )


def _moved_order(row: Judgment, moves: ValueMoves) -> list[int] | None:
    """Return the order in which the grades were shown, with their new values; None if none was recorded. Grades that
    were merged into one take the place of the first of them.
    """
    if row.grade_order is None:
        return None
    return list(dict.fromkeys(moves.get((row.criterion, value), value) for value in row.grade_order))
