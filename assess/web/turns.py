"""Pages and files that take much of a processor: one at a time in a process, so that who judges finds a thread free.

A process has a few threads. Where each of them makes a page of seconds, no judgment is saved and nobody can log in. So
one such page is made at a time, one more waits for its turn, and who comes beyond these is told to come back: a
browser's page does so by itself (`templates/outage.html`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import BoundedSemaphore
from typing import Any, TypeVar, cast

from assess.base.outages import Outage

PATIENCE = 10.0
"""Seconds that a request waits for its turn."""

_line, _turn = BoundedSemaphore(2), BoundedSemaphore(1)

View = TypeVar("View", bound=Callable[..., Any])


class OthersFirst(Outage):
    """Other large pages are being made by this process."""

    code = "busy"
    cause = "The site is making other large pages or files at this moment."
    then = "Ask for it again in some seconds."


@contextmanager
def own_turn() -> Iterator[None]:
    """Wait for the turn of a large page, and hold it. Refused with `OthersFirst`."""
    if not _line.acquire(blocking=False):
        raise OthersFirst
    try:
        if not _turn.acquire(timeout=PATIENCE):
            raise OthersFirst
        try:
            yield
        finally:
            _turn.release()
    finally:
        _line.release()


def takes_turns(view: View) -> View:
    """Make a page, or a call of the API, one of those that are made one at a time. Refused with `OthersFirst`."""

    @wraps(view)
    def in_turn(*args: Any, **kwargs: Any) -> Any:
        with own_turn():
            return view(*args, **kwargs)

    in_turn.takes_turns = True  # type: ignore[attr-defined]
    return cast(View, in_turn)
