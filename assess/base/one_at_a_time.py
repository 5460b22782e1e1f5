"""Expensive requests that a person can make one at a time: a second one is refused, not queued.

A system lock on a small file in the data folder marks a request in progress. It ends with the request or the process,
however these end, and nothing of it remains.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy

from assess.base.errors import Conflict, Invalid

AT_ONCE_SECONDS = 3.0
"""The processor time, in seconds, of a request that a person waits for; longer ones are done in the background."""


BUSY = {
    "checked": gettext_lazy(
        "A file of yours is being checked at this moment. Wait until that is done, then try again."
    ),
    "unpacked": gettext_lazy(
        "A file of yours is being unpacked at this moment. Wait until that is done, then try again."
    ),
}
"""The refusal of a second request, by what happens to the first one's file."""


class Busy(Conflict):
    """The same person's earlier request of the same kind is still in progress."""

    code = "busy"


class TakesLonger(Invalid):
    """A request that a person waits for takes longer than `AT_ONCE_SECONDS`."""

    code = "takes-longer"


@contextmanager
def one_at_a_time(person: User, done: str = "checked") -> Iterator[None]:
    """Keep this person's other requests of the same kind out of the block. Raises `Busy` if one is in progress.

    ``done`` is one of `BUSY`; a request for another action is not kept out.
    """
    folder = Path(settings.DATA_DIR) / "busy"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{person.pk}-{done}").open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Busy(BUSY[done]) from error
        yield


def hurry(message: str) -> Callable[[], None]:
    """Return a function that raises `TakesLonger` with this message after `AT_ONCE_SECONDS` of this thread's work."""
    until = time.thread_time() + AT_ONCE_SECONDS

    def pace() -> None:
        if time.thread_time() > until:
            raise TakesLonger(message)

    return pace
