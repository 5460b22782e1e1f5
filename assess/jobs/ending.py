"""That this process is to end: jobs stop at their next step, and are taken up again by the next worker."""

from __future__ import annotations

from threading import Event

ENDING = Event()
"""Set once somebody asked the worker to end; nothing unsets it."""
