"""Nothing newer is overwritten unseen by a write under an assignment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import transaction

from assess.assignments.models import Assignment
from assess.ledger.unseen import Shown, require_seen


@contextmanager
def nothing_unseen(
    assignment: Assignment, *, shown: Shown | None, was_sent: Callable[[], bool], stands: Callable[[], object]
) -> Iterator[None]:
    """Stands around a write under an assignment, in one transaction with it, and refuses as `require_seen` does.

    ``was_sent`` says whether this click was stored before: then what it stored comes back, whatever stands now.
    Without ``shown`` it does nothing, and costs nothing; else the lock that the write takes anyway, and two questions.
    """
    if shown is None:
        yield
        return
    with transaction.atomic():
        Assignment.objects.select_for_update(no_key=True).only("pk").get(pk=assignment.pk)
        if not was_sent():
            require_seen(shown=shown, stands=stands())
        yield
