"""Uploaded files are kept byte for byte, once, and never half."""

from __future__ import annotations

import hashlib
import io
import os
import time
from pathlib import Path

import pytest
from django.core.files.uploadedfile import TemporaryUploadedFile

from assess.base.errors import Invalid, NotFound
from assess.base.files import LEFT_BEHIND, drop_file, open_file, put_back, store_file, stored_path, sweep_unfinished


@pytest.fixture(autouse=True)
def _data_dir(settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path


def kept(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_a_file_comes_back_byte_for_byte(tmp_path: Path) -> None:
    content = bytes(range(256)) * 5000
    stored = store_file(io.BytesIO(content))
    assert (stored.sha256, stored.size) == (hashlib.sha256(content).hexdigest(), len(content))
    with open_file(stored.sha256) as file:
        assert file.read() == content


def test_the_same_bytes_are_kept_once(tmp_path: Path) -> None:
    assert store_file(io.BytesIO(b"run")) == store_file(io.BytesIO(b"run"))
    assert kept(tmp_path) == [hashlib.sha256(b"run").hexdigest()]


def test_a_file_over_the_limit_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="larger than 10 bytes"):
        store_file(io.BytesIO(b"x" * 11), limit=10)
    assert kept(tmp_path) == []
    assert store_file(io.BytesIO(b"x" * 10), limit=10).size == 10


def test_an_upload_on_the_same_disk_is_not_written_again(tmp_path: Path, settings) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    content = b"1 Q0 D1 1 2.5 tag\n" * 200_000
    with TemporaryUploadedFile("run.txt", "text/plain", len(content), None) as upload:
        upload.write(content)
        upload.seek(0)
        inode = Path(upload.temporary_file_path()).stat().st_ino
        stored = store_file(upload)
        upload.seek(0)
        with pytest.raises(Invalid, match="larger than 10 bytes"):
            store_file(upload, limit=10)
    assert (stored_path(stored.sha256).stat().st_ino, stored.size) == (inode, len(content))
    assert stored_path(stored.sha256).read_bytes() == content
    assert kept(tmp_path) == [stored.sha256]


def test_an_upload_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        store_file(Broken())
    assert kept(tmp_path) == []


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "A" * 64, "g" * 64, "0" * 63, "0" * 64 + "\n"])
def test_only_a_digest_names_a_file(name: str) -> None:
    with pytest.raises(NotFound):
        stored_path(name)


def test_a_file_that_is_gone_is_named_in_a_sentence() -> None:
    with pytest.raises(NotFound, match="not kept here any more"):
        open_file("0" * 64)


@pytest.mark.parametrize(
    ("there", "says", "drops"),
    [(None, True, True), (True, True, True), (False, True, False), (True, False, False), (None, False, False)],
)
def test_a_file_of_a_backup_may_be_dropped_if_the_backup_and_the_place_say_so(
    there: bool | None, says: bool, drops: bool, tmp_path: Path
) -> None:
    if there is not None:
        store_file(io.BytesIO(b"a run"), may_be_dropped=there)
    unpacked = tmp_path / "unpacked"
    unpacked.write_bytes(b"a run")
    sha256 = hashlib.sha256(b"a run").hexdigest()
    put_back(unpacked, sha256, may_be_dropped=says)
    assert open_file(sha256).read() == b"a run"
    assert drop_file(sha256) is drops


def test_what_killed_programs_left_half_written_is_swept_and_nothing_else(tmp_path: Path) -> None:
    stored = stored_path(store_file(io.BytesIO(b"a run")).sha256)
    old = time.time() - LEFT_BEHIND - 60
    left = [Path("files/incoming-abc"), Path("pools/incoming-def"), Path("incoming/tmpx.upload.gz")]
    left += [Path("exports/7/incoming-abc"), Path("scores/7/incoming-abc"), Path("rankings/7/incoming-abc")]
    others = [Path("files/incoming-new"), Path("incoming/notes.txt"), Path("pools/abc.json")]
    for path in (tmp_path / each for each in (*left, *others)):
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text("half")
        if path.name != "incoming-new":  # somebody is writing that
            os.utime(path, (old, old))
    os.utime(stored, (old, old))
    assert sweep_unfinished() == len(left)
    held = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    assert held == {*others, stored.relative_to(tmp_path)}
    assert sweep_unfinished() == 0
