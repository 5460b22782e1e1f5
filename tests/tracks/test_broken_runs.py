"""A run file that is broken in its middle: nothing of it is printed, or what the rules of its track take it for."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
import zstandard

from assess.protocol import CheckContext, RunContent, Submission, Track
from scoring.reading.opening import open_input
from scoring.records import Issue
from tests.parts import WHOLE
from tests.tracks.track_folder import folder_of, topic_paths, topic_records
from tracks import TRACKS
from tracks.__main__ import main
from tracks.input_files import gold_files, kind_of

every_track = pytest.mark.parametrize("track", TRACKS, ids=lambda track: track.key)
BREAKS_A_RUN = int(os.environ.get("ASSAY_PROPERTY_SEQUENCES", "2" if WHOLE else "1"))
"""How often each run is broken in each way."""


def lines_of(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


def with_return(random: Random, data: bytes) -> bytes:
    places = [place for place in range(len(data) - 1) if data[place : place + 1] == b"\n"]
    place = random.choice(places or range(1, len(data)))
    return data[:place] + b"\r" + data[place + bool(places) :]


def with_flipped_byte(random: Random, data: bytes) -> bytes:
    place = random.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << random.randrange(8))]) + data[place + 1 :]


def with_quote(random: Random, data: bytes) -> bytes:
    place = random.randrange(len(data))
    return data[:place] + b'"' + data[place:]


def without_line(random: Random, data: bytes) -> bytes:
    lines = lines_of(data)
    del lines[random.randrange(len(lines))]
    return b"".join(lines)


def with_line_twice(random: Random, data: bytes) -> bytes:
    lines = lines_of(data)
    place = random.randrange(len(lines))
    return b"".join(lines[: place + 1] + lines[place:])


def cut_off(random: Random, data: bytes) -> bytes:
    return data[: random.randrange(1, len(data))]


def cut_gzip(random: Random, data: bytes) -> bytes:
    return cut_off(random, gzip.compress(data))


def cut_zstd(random: Random, data: bytes) -> bytes:
    return cut_off(random, zstandard.compress(data))


BREAKS: tuple[Callable[[Random, bytes], bytes], ...] = (
    cut_off, with_return, without_line, with_line_twice, with_flipped_byte, with_quote, cut_gzip, cut_zstd,
)  # fmt: skip


def good_runs(track: Track) -> list[Path]:
    return sorted((folder_of(track) / "runs" / "good").iterdir())


def topics(track: Track) -> list[str]:
    return [word for _, path in topic_paths(track) for word in ("--topics", str(path))]


def gold_of(track: Track) -> str:
    return str(folder_of(track) / "expected")


def command(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(words)
    out, err = capsys.readouterr()
    return status, out, err


def figures(track: Track, path: Path, submission: Submission) -> list[str]:
    """What the track's scoring gives for a file, without any command."""
    settings, issues = track.settings(), list[Issue]()
    gold = track.scoring.load(gold_files([gold_of(track)]), settings, issues.append)
    tag = None
    if submission.tag is not None:
        with open_input(path) as file:
            tag = submission.tag(file)
    content = RunContent(
        submission=submission,
        open=lambda: open_input(path),
        context=CheckContext(topics=topic_records(track), settings=settings),
    )
    scores = track.scoring.score(gold, tag or path.name.split(".")[0], content, settings)
    return [f"{s.run}\t{s.topic}\t{s.measure}\t{'undefined' if s.value is None else f'{s.value:.6f}'}" for s in scores]


@every_track
def test_nothing_is_printed_of_what_was_not_read_whole(
    track: Track, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    random = Random(track.key)
    counts = {True: 0, False: 0}
    for run in good_runs(track):
        data = run.read_bytes()
        for turn in range(BREAKS_A_RUN):
            for breaks in BREAKS:
                path = tmp_path / run.name
                path.write_bytes(breaks(random, data))
                kind = kind_of(run.name, track.submissions)
                case = f"{run.name}, {breaks.__name__}, turn {turn}"
                checked, _, _ = command(capsys, "check", track.key, *topics(track), str(path))
                status, out, err = command(
                    capsys, "score", track.key, "--gold", gold_of(track), *topics(track), "--run", str(path)
                )
                if checked or status:
                    assert (bool(status), out) == (True, ""), case
                    assert f"{path}\t" in err, case
                else:
                    assert out.splitlines() == figures(track, path, kind), case
                assert status or breaks not in (cut_gzip, cut_zstd) or path.stat().st_size < 4, case
                assert status or breaks is not with_return or run.suffix == ".json", case
                counts[bool(status)] += 1
    assert min(counts.values()) > 0, "no run was accepted, or none refused: the breaks say nothing"


@every_track
def test_good_runs_are_scored_with_and_without_topics(track: Track, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [str(path) for path in good_runs(track)]
    expected = (folder_of(track) / "expected" / "scores.tsv").read_text()
    tags = {line.split("\t")[0] for line in expected.splitlines()}
    call = ["score", track.key, "--gold", gold_of(track), "--run", *runs]
    for words in (call, [*call, *topics(track)]):
        status, out, _ = command(capsys, *words)
        assert status == 0
        assert {line.split("\t")[0] for line in out.splitlines()} == tags


EVIDENCE = {
    "header": "kite-7Qa2_x,FIG 1B\nkite-9Lm4-b,TAB 1\n",
    "labels not in quotes": "claimid,predictions\nkite-7Qa2_x,FIG 2,FIG 1B\nkite-9Lm4-b,TAB 1\n",
    "quote not closed": 'claimid,predictions\nkite-9Lm4-b,TAB 1\nkite-7Qa2_x,"FIG 1B\n',
    "quote amid a cell": 'claimid,predictions\nkite-9Lm4-b,TAB 1\nkite-7Qa2_x,"FIG 1B"x\n',
    "carriage return": "claimid,predictions\nkite-9Lm4-b,TAB 1\rkite-7Qa2_x,FIG 1B\n",
    "one column": "claimid,predictions\nkite-9Lm4-b\nkite-7Qa2_x,FIG 1B\n",
}


@pytest.mark.parametrize("name", EVIDENCE)
def test_what_the_official_script_reads_by_half_is_scored_only_in_spite_of_it(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.csv"
    path.write_bytes(EVIDENCE[name].encode())
    gold = str(folder_of(next(track for track in TRACKS if track.key == "context25")) / "task1-claims.json")
    call = ["score", "context25", "--set", "mode=official", "--gold", gold, "--run", str(path)]
    status, out, err = command(capsys, *call)
    assert (status, out) == (1, "")
    assert err.startswith(f"{path}\t")
    status, out, _ = command(capsys, *call, "--in-spite-of-errors")
    assert status == 1
    marks = {line.split("\t")[4] for line in out.splitlines()}
    assert len(marks) == 1
    assert not marks & {"errors:0"}


def test_the_official_figure_of_labels_not_in_quotes_can_be_had(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The script reads the second column alone, so the figure is that of the first label."""
    path, alone = tmp_path / "run.csv", tmp_path / "first.csv"
    path.write_text(EVIDENCE["labels not in quotes"])
    alone.write_text(EVIDENCE["labels not in quotes"].replace(",FIG 1B", ""))
    gold = str(folder_of(next(track for track in TRACKS if track.key == "context25")) / "task1-claims.json")
    call = ["score", "context25", "--set", "mode=official", "--gold", gold, "--in-spite-of-errors", "--run"]
    figures = [
        [line.split("\t")[1:4] for line in command(capsys, *call, str(each))[1].splitlines()] for each in (path, alone)
    ]
    assert figures[0] == figures[1]
