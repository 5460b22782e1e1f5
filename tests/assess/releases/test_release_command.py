"""`manage.py release`: what it can't write is refused before the work, and the key is its owner's alone."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from pytest_django import DjangoDbBlocker

from assess.models import Campaign, Release
from tests import factories

pytestmark = pytest.mark.usefixtures("frozen")


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for the whole module: `frozen` takes back what a test writes."""
    with django_db_blocker.unblock():
        yield


def make(folder: Path, **options: Any) -> None:
    call_command("release", "hives", str(folder), stdout=io.StringIO(), stderr=io.StringIO(), **options)


@pytest.mark.parametrize(
    ("zip_name", "words"),
    [("nowhere/out.zip", "There is no folder"), ("held", "is a folder"), ("held/in-a-file.txt/out.zip", "There is no")],
)
def test_a_zip_that_can_not_be_written_is_refused_before_anything_is_made(
    zip_name: str,
    words: str,
    frozen: Campaign,
    tmp_path: Path,
) -> None:
    (tmp_path / "held").mkdir()
    (tmp_path / "held" / "in-a-file.txt").write_text("mine")
    with pytest.raises(CommandError, match=words) as refused:
        make(tmp_path / "out", zip=tmp_path / zip_name)
    assert refused.value.returncode == 2
    assert not Release.objects.exists()
    assert not (tmp_path / "out").exists()


def test_a_folder_that_holds_something_is_refused_before_anything_is_made(
    frozen: Campaign,
    tmp_path: Path,
) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(CommandError, match="not empty"):
        make(tmp_path)
    assert not Release.objects.exists()


@pytest.mark.parametrize("options", [{"public": True}, {"publish": True}])
def test_what_may_not_be_published_or_public_is_refused_before_anything_is_written(
    frozen: Campaign, tmp_path: Path, options: dict[str, bool]
) -> None:
    if "publish" in options:
        factories.release(frozen, User.objects.get(username="organiser"), published=True, as_of=10**9)
    with pytest.raises(CommandError, match="published"):
        make(tmp_path / "out", **options)
    assert list(tmp_path.glob("out*")) == []


def test_a_key_that_is_there_already_becomes_its_owners_alone(frozen: Campaign, tmp_path: Path) -> None:
    key = tmp_path / "out.run-key.tsv"
    key.write_text("an earlier one")
    key.chmod(0o644)
    make(tmp_path / "out", zip=tmp_path / "out.zip")
    assert key.stat().st_mode & 0o777 == 0o600
    assert key.read_text().startswith("name\ttag\t")
    assert (tmp_path / "out.zip").is_file()
