"""A job that loads a list of document numbers, and what happens between two of them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.contrib.auth.models import User

from assess.base.files import store_file
from assess.jobs.domain import enqueue_job
from assess.jobs.progress import JobProgress, Watch
from assess.models import Campaign, Job


def arguments(content: bytes = b"D1\nD2\n") -> dict[str, object]:
    return {"sha256": store_file(io.BytesIO(content)).sha256, "name": "docnos.txt"}


def ask(campaign: Campaign, actor: User, content: bytes = b"D1\nD2\n") -> Job:
    return enqueue_job(actor=actor, campaign=campaign, kind="docnos", arguments=arguments(content))


@contextmanager
def before_each_step(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> Iterator[None]:
    """A list of docnos is loaded one by one, and something happens before the job tells of each."""
    tell = Watch.tell

    def tell_after(watch: Watch, progress: JobProgress) -> None:
        happens()
        tell(watch, progress)

    with monkeypatch.context() as patched:
        patched.setattr("assess.documents.domain.lists.BATCH", 1)
        patched.setattr("assess.jobs.progress.TELL_EVERY", 0.0)
        patched.setattr(Watch, "tell", tell_after)
        yield
