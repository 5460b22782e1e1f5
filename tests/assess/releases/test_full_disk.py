"""A release for which the disk has no room is not made, in words; once there is room, the same job makes it."""

# ruff: noqa: F811 - what pytest calls a fixture is an argument of the same name

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from assess.jobs.background import do_job
from assess.jobs.domain import restart_job
from assess.models import Campaign, Job
from assess.releases.domain import released_scores, releasing
from tests.assess.releases.small_release import site, store  # noqa: F401
from tests.small_disk import SmallDisk, small_disk

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("step", ["scorer", "archive"])
def test_a_release_on_a_full_disk_fails_in_words_and_is_made_later(
    step: str, site: Campaign, organiser: User, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with small_disk(tmp_path / "disk", megabytes=8, writers=lambda: [os.getpid()]) as disk:
        monkeypatch.setattr(tempfile, "tempdir", str(disk.path))
        job = Job.objects.create(campaign=site, kind="release", started_by=organiser)
        fill_at(step, disk, monkeypatch)
        with pytest.raises(Exception, match=r"[Nn]o space|full|too large"):
            do_job(job.pk)
        disk.free()
        monkeypatch.undo()
        monkeypatch.setattr(tempfile, "tempdir", str(disk.path))
        job.refresh_from_db()
        words = "The disk of the site is full. Start the job again when there is room."
        assert (job.state, job.message) == ("failed", words)
        assert (site.releases.exists(), list(disk.path.iterdir())) == (False, [])
        do_job(restart_job(actor=organiser, job=job).pk)
        job.refresh_from_db()
        assert (job.state, site.releases.count()) == ("done", 1)


def fill_at(step: str, disk: SmallDisk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no room be left while scores are computed, or when the release is packed."""
    if step == "scorer":
        monkeypatch.setattr(released_scores, "scorer_named", lambda name: no_room)
        return
    real = releasing.write_zip

    def full(*args: Any, **more: Any) -> Any:
        disk.fill()
        return real(*args, **more)

    monkeypatch.setattr(releasing, "write_zip", full)


def no_room(*args: Any, **more: Any) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
