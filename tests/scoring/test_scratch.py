"""Folders for a while: gone afterwards, and what killed programs left is gone with the next one."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from scoring.reading.scratch import scratch_folder, sweep_scratch

LEAVE = """
import os, signal, sys
from pathlib import Path
from scoring.reading.scratch import scratch_folder
with scratch_folder(prefix="mine-", place=Path(sys.argv[1])) as folder:
    (folder / "copy").write_text("all judgments")
    print(folder.name, flush=True)
    sys.stdin.read()
"""


def test_a_folder_that_somebody_named_like_a_scratch_folder_is_kept(tmp_path: Path) -> None:
    own = [tmp_path / name for name in ("mine-december", "mine-2026.scratch", "other-12345678.scratch")]
    for folder in own:
        folder.mkdir()
    for prefix in ("mine-", "[mo]*-"):
        with scratch_folder(prefix=prefix, place=tmp_path):
            pass
    assert [folder.is_dir() for folder in own] == [True, True, True]


def test_a_folder_that_another_program_swept_before_it_was_held_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, make = [], tempfile.mkdtemp

    def make_and_lose_the_first(**options: Any) -> str:
        made.append(make(**options))
        if len(made) == 1:
            Path(made[0]).rmdir()
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", make_and_lose_the_first)
    with scratch_folder(prefix="mine-", place=tmp_path) as folder:
        assert (folder.is_dir(), str(folder)) == (True, made[1])


def start(place: Path) -> tuple[subprocess.Popen[str], str]:
    root = Path(__file__).resolve().parents[2]
    call = [sys.executable, "-c", LEAVE, str(place)]
    program = subprocess.Popen(call, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    return program, program.stdout.readline().strip()


def names(place: Path) -> list[str]:
    return sorted(path.name for path in place.iterdir())


def test_what_a_killed_program_left_is_swept_and_what_another_works_in_is_not(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "mine-file").write_text("no folder")
    killed, left = start(tmp_path)
    living, held = start(tmp_path)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert names(tmp_path) == sorted(["mine-file", "other", left, held])
    with scratch_folder(prefix="mine-", place=tmp_path) as folder:
        assert names(tmp_path) == sorted(["mine-file", "other", held, folder.name])
    assert names(tmp_path) == sorted(["mine-file", "other", held])
    living.communicate()
    assert names(tmp_path) == ["mine-file", "other"]


def test_folders_of_all_prefixes_that_begin_alike_are_swept_but_those_in_use(tmp_path: Path) -> None:
    for name in ("mine-a-12345678.scratch", "mine-12345678.scratch", "mine-a-2026", "other-12345678.scratch"):
        (tmp_path / name).mkdir()
    with scratch_folder(prefix="mine-b-", place=tmp_path) as used:
        sweep_scratch("mine-", place=tmp_path)
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
            [used.name, "mine-a-2026", "other-12345678.scratch"]
        )
    sweep_scratch("mine-", place=tmp_path / "nowhere")
