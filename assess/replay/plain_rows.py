"""Store recorded acts as rows without model instances: the fast path for replaying very many.

For a block of its acts, a kind of work returns the content of each row, or reports that one of them is not plain: it
names something unknown, is not allowed, or needs a closer look. Nothing of such a block is added here. The slow path
then handles it act by act, and reports what is refused. Both paths add the same rows under the same keys.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from assess.assignments.domain.held_work import lock_assignment, require_open, require_open_for_writing
from assess.base.bulk import add_rows
from assess.base.errors import Invalid, Refused
from assess.base.fields import check_text
from assess.base.plain_reads import first_row
from assess.ledger.models import How, LedgerRow, take_points
from assess.replay.session import Desk, ReplayLine

BLOCK = 500
"""How many acts are recorded in one transaction."""

KEY = "client_key"
Row = tuple[Any, ...]
"""The values of one act for the columns that its kind of work names, with the act's key last."""


def replay_in_blocks(
    desk: Desk,
    lines: Sequence[ReplayLine],
    *,
    model: type[LedgerRow],
    columns: Sequence[str],
    rows: Callable[[Sequence[ReplayLine]], Sequence[Row] | None],
    one: Callable[[Any], object],
) -> None:
    """Add the rows of these lines in order, some hundred at a time. It is for acts whose permission does not depend on
    others of their kind.

    ``rows`` returns the values of ``columns``, with the key last, for each line of a block, or None if one of them is
    not plain. ``one`` does a single act on the slow path; what it refuses is reported as the line's problem. If nothing
    may be written to the assignment, the new lines of a block are refused together.
    """
    closed, columns = _closed(desk), (*columns, KEY)
    for first in range(0, len(lines), BLOCK):
        block = lines[first : first + BLOCK]
        said = rows(block)
        if said is not None and closed is not None and (fresh := _not_there(desk, model, columns, said)) is not None:
            new = {row[-1] for row in fresh}
            for line in (line for line, row in zip(block, said, strict=True) if row[-1] in new):
                desk.session.refuse(line, closed)
        elif said is None or closed is not None or not add_plain_rows(desk, model, columns, said, {}):
            for line in block:
                desk.session.attempt(line, one, line.act)


def _closed(desk: Desk) -> Refused | None:
    """Return why nothing may be written to the assignment; None if it may, or if others could change that meanwhile."""
    if not desk.session.is_held:
        return None
    try:
        require_open(actor=desk.user, assignment=desk.assignment)
    except Refused as refused:
        return refused
    return None


def add_plain_rows(
    desk: Desk, model: type[LedgerRow], columns: Sequence[str], said: Sequence[Row], shared: Mapping[str, Any]
) -> bool:
    """Add rows in one transaction, except those that exist with the same content. False means: take the slow path.

    The key is the last of ``columns``; ``shared`` holds further columns, with the same value in all rows. The slow path
    is needed if the assignment can't be written to, or if a key is in use for something else. If a trial `only_looks`,
    this is found out, and nothing is added.
    """
    if desk.only_looks:
        return desk.is_first or (_closed(desk) is None and _not_there(desk, model, columns, said) is not None)
    unique = list({row[-1]: row for row in said}.values())
    try:
        try:
            with transaction.atomic():
                _add(desk, model, columns, unique, shared)
        except (IntegrityError, Refused):  # usually nothing of an import exists yet
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
    """Return the rows whose keys are new. Return None if a key is in use for other content or by somebody else."""
    marks = ", ".join(["%s"] * len(said))
    statement = f"SELECT 1 FROM {model._meta.db_table} WHERE client_key IN ({marks}) LIMIT 1"
    if first_row(statement, [row[-1] for row in said]) is None:  # as is usual
        return list(said)
    ledger: Any = model._default_manager  # every ledger that is replayed has keys
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
    """Return a function that returns whether ``check`` accepts these arguments. The answer is remembered, so that
    ``check`` is called once for the same arguments.

    Acts in blocks can then follow the same rules as a single act at little cost, since thousands of them have the same
    few contents.
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
    """Return whether a text fits its column and has no characters that databases refuse."""
    if not text:
        return True
    field: Any = model._meta.get_field(column)
    try:
        check_text(field, text)
    except Invalid:
        return False
    return True
