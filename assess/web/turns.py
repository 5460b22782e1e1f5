"""Make pages and files that need much processor time one at a time in a process, so that a thread stays free for
judging.

A process has few threads. If each of them made a page that takes seconds, no judgment could be saved and nobody could
log in. So one such page is made at a time, and one more waits for its turn. Any further request is told to come back,
which a browser's page does by itself (`templates/outage.html`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import BoundedSemaphore
from typing import Any, TypeVar, cast

from django.utils.translation import gettext_lazy

from assess.base.outages import Outage

PATIENCE = 10.0
"""How many seconds a request waits for its turn."""

_line, _turn = BoundedSemaphore(2), BoundedSemaphore(1)

View = TypeVar("View", bound=Callable[..., Any])


class OthersFirst(Outage):
    """This process is making other large pages."""

    code = "busy"
    cause = gettext_lazy("The site is making other large pages or files at this moment.")
    then = gettext_lazy("Ask for it again in some seconds.")


@contextmanager
def own_turn() -> Iterator[None]:
    """Wait for the turn of a large page, and hold it. Raise `OthersFirst` if another one is waiting, or after
    `PATIENCE` seconds.
    """
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
    """Wrap a view whose page takes much processor time. It then waits for its turn (`own_turn`), and may raise
    `OthersFirst`.
    """

    @wraps(view)
    def in_turn(*args: Any, **kwargs: Any) -> Any:
        with own_turn():
            return view(*args, **kwargs)

    in_turn.takes_turns = True  # type: ignore[attr-defined]
    return cast(View, in_turn)
