"""What tests of the order of a bench ask of it, as a site does: outside of transactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from assess.campaigns.queries import stage_of
from assess.models import Assignment
from assess.protocol import Stage


@contextmanager
def outside_transactions() -> Iterator[None]:
    """As on a site, where pages are read outside of transactions; nothing may be written meanwhile."""
    connection.in_atomic_block = False
    try:
        yield
    finally:
        connection.in_atomic_block = True


def stage_of_work(work: Assignment) -> Stage:
    return stage_of(work.campaign, work.stage)[1]


def asked(call: Callable[[], Any]) -> int:
    with outside_transactions(), CaptureQueriesContext(connection) as queries:
        call()
    return len(queries)
