"""A backup has its name when it is on the disk, and not before: a stop of the machine leaves it whole or not there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assess.base.errors import Invalid
from assess.releases.domain.backups import back_up
from tests.small_disk import small_disk


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What was put on the disk, and what was renamed, in order."""
    found: list[tuple[str, str]] = []
    fsync, replace = os.fsync, Path.replace

    def synced(handle: int) -> None:
        found.append(("on the disk", Path(os.readlink(f"/proc/self/fd/{handle}")).name))
        fsync(handle)

    def renamed(path: Path, target: Path) -> Path:
        found.append(("named", Path(target).name))
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    return found


def test_a_backup_is_on_the_disk_before_it_has_its_name(
    committed_db: None, steps: list[tuple[str, str]], tmp_path: Path
) -> None:
    (tmp_path / "kept").mkdir()
    back_up(tmp_path / "kept" / "site.tar")
    assert steps == [("on the disk", "backup.tar"), ("named", "site.tar"), ("on the disk", "kept")]


def test_a_backup_without_room_is_not_blamed_on_the_disk_of_the_site(committed_db: None, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", megabytes=1, writers=lambda: [os.getpid()]) as disk:
        disk.fill()
        with pytest.raises(Invalid, match=r"^(The backup can't be written to .*/site\.tar|pg_dump failed): .*\w"):
            back_up(disk.path / "site.tar")
        disk.free()
        assert [*disk.path.iterdir()] == []
