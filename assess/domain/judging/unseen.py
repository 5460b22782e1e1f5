"""Nothing newer is overwritten unseen: what a page showed when somebody clicked, against what stands now."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import transaction

from assess.domain.errors import Conflict
from assess.models import Assignment

UNSEEN = (
    "Something newer was saved of this in another window, and nothing was overwritten. Look at what stands there now, "
    "and say it again if you still mean it."
)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a page showed of what it changes, as JSON values. The API, files and plain forms say nothing of it."""

    value: object


def require_seen(*, shown: Shown | None, stands: object) -> None:
    """Refuse (`Conflict` with the code "unseen") a change of what looks otherwise than the page showed it."""
    if shown is not None and shown.value != stands:
        raise Conflict(UNSEEN, code="unseen")


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
