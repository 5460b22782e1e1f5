"""Recorded acts as rows, without a model instance for each: the fast path of a replay of very many.

A kind of work says for a block of its acts what each row holds, or that one of them is not plain: it names what is not
here, is not allowed, or has to be looked at more closely. Of such a block nothing is added: the slow path, act by act,
does or says what is to be done or said of each. Both add the same rows under the same keys.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from assess.assignments.domain.assignments import lock_assignment, require_open, require_open_for_writing
from assess.base.bulk import add_rows
from assess.base.errors import Invalid, Refused
from assess.base.fields import check_text
from assess.ledger.models import How, LedgerRow, take_points
from assess.replay.session import Desk, ReplayLine

BLOCK = 500
"""Acts that are recorded in one transaction."""

KEY = "client_key"
Row = tuple[Any, ...]
"""What one act says, by the columns that its kind of work names; the key of the act is last."""


def replay_in_blocks(
    desk: Desk,
    lines: Sequence[ReplayLine],
    *,
    model: type[LedgerRow],
    columns: Sequence[str],
    rows: Callable[[Sequence[ReplayLine]], Sequence[Row] | None],
    one: Callable[[Any], object],
) -> None:
    """Add the rows of these lines in their order, some hundred at a time; ``one`` does an act by the slow path.

    For acts that are allowed or not whatever others of their kind said: where a trial `only_looks`, none is added.
    ``rows`` gives the values of ``columns`` and last the key for each line of a block, or None where one of them is not
    plain. What the slow path refuses is the line's problem.
    """
    for first in range(0, len(lines), BLOCK):
        block = lines[first : first + BLOCK]
        said = rows(block)
        if said is not None and (desk.only_looks or add_plain_rows(desk, model, (*columns, KEY), said, {})):
            continue
        for line in block:
            desk.session.attempt(line, one, line.act)


def add_plain_rows(
    desk: Desk, model: type[LedgerRow], columns: Sequence[str], said: Sequence[Row], shared: Mapping[str, Any]
) -> bool:
    """Add rows in one transaction, without those that are there with the same content; False: take the slow path.

    The key is the last of ``columns``; ``shared`` holds further columns, in which all rows are alike. The slow path has
    to be taken where the work can't be written to, and where a key stands for something else.
    """
    unique = list({row[-1]: row for row in said}.values())
    try:
        try:
            with transaction.atomic():
                _add(desk, model, columns, unique, shared)
        except (IntegrityError, Refused):  # as a rule nothing of an import is there already, in work that is done
            with transaction.atomic():
                fresh = _not_there(desk, model, columns, unique)
                if fresh is None:
                    return False
                if fresh:
                    _add(desk, model, columns, fresh, shared)
    except (IntegrityError, Refused):
        return False
    return True


def _add(
    desk: Desk, model: type[LedgerRow], columns: Sequence[str], said: Sequence[Row], shared: Mapping[str, Any]
) -> None:
    if desk.session.is_held:
        require_open(actor=desk.user, assignment=desk.assignment)
    else:
        require_open_for_writing(actor=desk.user, assignment=lock_assignment(desk.assignment))
    now = model._meta.get_field("created_at").get_db_prep_save(timezone.now(), connection)
    alike = {
        "created_at": now,
        "assessor_id": desk.user.pk,
        "assignment_id": desk.assignment.pk,
        "how": How.IMPORT.value,
        **shared,
    }
    numbers = take_points(desk.session.campaign.pk, len(said))
    rest = tuple(alike.values())
    rows = [(number, *own, *rest) for number, own in zip(numbers, said, strict=True)]
    add_rows(model, ("id", *columns, *alike), rows)


def _not_there(desk: Desk, model: type[LedgerRow], columns: Sequence[str], said: Sequence[Row]) -> list[Row] | None:
    """The rows whose keys are new; None where a key stands for something else, or for somebody else's word."""
    ledger: Any = model._default_manager  # each that is replayed has keys
    stored = ledger.filter(client_key__in=[UUID(row[-1]) for row in said])
    there = {key: own for *own, key in stored.values_list("assessor_id", "assignment_id", *columns)}
    fresh = []
    for row in said:
        before = there.get(UUID(row[-1]))
        if before is None:
            fresh.append(row)
        elif before != [desk.user.pk, desk.assignment.pk, *row[:-1]]:
            return None
    return fresh


def allowed_once(check: Callable[..., object]) -> Callable[..., bool]:
    """Return a function that tells whether ``check`` lets these arguments pass, and asks it once for each of them.

    So that acts in blocks are under the same rules as a single act, though thousands of them say the same few things.
    """

    @cache
    def is_allowed(*said: Any) -> bool:
        try:
            check(*said)
        except Refused:
            return False
        return True

    return is_allowed


def can_be_stored(model: type[LedgerRow], column: str, text: str) -> bool:
    """Return whether a text fits its column and holds nothing that no database stores."""
    if not text:
        return True
    field: Any = model._meta.get_field(column)
    try:
        check_text(field, text)
    except Invalid:
        return False
    return True
