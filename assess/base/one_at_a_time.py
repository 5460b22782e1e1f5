"""What takes much of a processor is done for a person one at a time: a second request for it is refused, not queued.

A lock of the system on a small file of the data folder says that it is going on. It ends with the request, or with the
process, whatever becomes of either; nothing of it is kept.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User

from assess.base.errors import Conflict, Invalid

AT_ONCE_SECONDS = 3.0
"""Seconds of processor time that somebody waits for; what takes longer is done in the background."""


class Busy(Conflict):
    """The same person asked for something of the kind that is still going on."""

    code = "busy"


class TakesLonger(Invalid):
    """What was begun while somebody waits takes longer than `AT_ONCE_SECONDS`."""

    code = "takes-longer"


@contextmanager
def one_at_a_time(person: User, done: str = "checked") -> Iterator[None]:
    """Keep other requests of this person from the same until this is done. Refused with `Busy` where one goes on.

    ``done`` names what happens to the file (checked, unpacked); only the same action has to wait.
    """
    folder = Path(settings.DATA_DIR) / "busy"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{person.pk}-{done}").open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            message = f"A file of yours is being {done} at this moment. Wait until that is done, then try again."
            raise Busy(message) from error
        yield


def hurry(message: str) -> Callable[[], None]:
    """Return a function that raises `TakesLonger` with this message once this thread has worked for
    `AT_ONCE_SECONDS`.
    """
    until = time.thread_time() + AT_ONCE_SECONDS

    def pace() -> None:
        if time.thread_time() > until:
            raise TakesLonger(message)

    return pace
