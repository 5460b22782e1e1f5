"""Releases of a campaign in which somebody was erased: the next one is the same, byte for byte."""

# ruff: noqa: F811 - what pytest calls a fixture is an argument of the same name

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from assess.models import Campaign
from assess.people.domain.erasing import erase_person
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from scoring import verify
from tests.assess.releases.small_release import site, store  # noqa: F401
from tests.unpacked import unpack_release

pytestmark = pytest.mark.django_db


def test_an_erasure_changes_no_byte_of_a_release(site: Campaign, organiser: User, tmp_path: Path) -> None:
    before = unpacked(site, organiser, tmp_path / "before")
    zoe = User.objects.get(username="zoe")
    erased = erase_person(actor=organiser, user=zoe, campaign=site)
    after = unpacked(site, organiser, tmp_path / "after")
    assert {*verify(before)["status"], *verify(after)["status"]} == {"ok", "recomputed"}
    files = sorted(path.relative_to(before) for path in before.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(after) for path in after.rglob("*") if path.is_file())
    assert [str(name) for name in files if (before / name).read_bytes() != (after / name).read_bytes()] == []
    names = (b"zoe", erased.username.encode())
    assert not any(name in (after / file).read_bytes() for file in files for name in names)
    assert import_release(actor=organiser, path=after, slug="copy", title="Copy").state == Campaign.State.FROZEN


def unpacked(site: Campaign, organiser: User, folder: Path) -> Path:
    unpack_release(make_release(actor=organiser, campaign=site), folder)
    return folder
