"""Whatever a call of the command lines is given, it ends with the right status and a sentence, never with a traceback.

Every file of a good call of every command is put in for a hostile one in turn; then come hostile options.
"""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest
import zstandard

from scoring.__main__ import main as scoring
from tracks.__main__ import main as tracks

ROOT = Path(__file__).resolve().parent.parent
TAC = ROOT / "tests" / "data" / "small-campaign"
IKAT = ROOT / "tests" / "data" / "tracks" / "ikat2023"

GOOD = {
    "qrels.txt": "1 0 a 1\n1 0 b 0\n2 0 c 1\n",
    "a.run": "1 Q0 b 1 2.0 A\n1 Q0 a 2 1.0 A\n2 Q0 c 1 1.0 A\n",
    "b.run": "1 Q0 a 1 2.0 B\n2 Q0 c 1 1.0 B\n",
    "c.json": '{"1": [["a", 2.5], ["b", 1]], "2": [["c", 1]]}\n',
    "nugget-list": "1 1 vital one\n1 2 okay two\n",
    "found": "1 r 1 1\n",
    "votes": "1 1 A vital\n1 2 A okay\n",
    "lengths": "1 r 40\n",
    "responses": "1 r D some words\n",
    "listed": "1 1 d 1.0\n",
    "judged": "1 0 b 0\n",
    "priorities": "A 1\nB 2\n",
    "values": "r1 1\nr2 2\nr3 3\n",
    "others": "r1 1\nr2 3\nr3 2\n",
}
"""Name -> content of files that fit together. A word of a call that is one of these names is that file."""

TRACK_FILES = {
    "questions.xml": TAC / "questions.xml",
    "docnos": TAC / "docnos.txt",
    "amber": TAC / "runs" / "good" / "Amber1",
    "nuggets.tsv": TAC / "gold" / "nuggets.tsv",
    "instances.tsv": TAC / "gold" / "instances.tsv",
    "answer-classes.tsv": TAC / "gold" / "answer-classes.tsv",
    "ikat.json": IKAT / "runs" / "good" / "moss_two.json",
    "topics.json": IKAT / "topics.json",
}
MAY_BE_EMPTY = {"found", "votes", "lengths", "responses", "listed", "judged", "priorities", "docnos"}
MAY_BE_EMPTY |= {"instances.tsv", "nuggets.tsv", "answer-classes.tsv"}
"""Files that say something when they are empty, too, or of which an empty one leaves something to compute."""

CALLS = (
    "scoring rank --qrels qrels.txt --run a.run --run c.json -m AP",
    "scoring compare --qrels qrels.txt --run a.run --run b.run -m AP",
    "scoring pool --depth 5 --run a.run --run c.json --union listed --minus judged",
    "scoring pool --strategy priority --depths 1:5,2:3 --priorities priorities --run a.run --run b.run",
    "scoring nuggets --nuggets nugget-list --matches found --votes votes --lengths lengths --pyramid",
    "scoring nuggets --nuggets nugget-list --matches found --responses responses",
    "scoring agree qrels.txt qrels.txt",
    "scoring correlate values others",
    "scoring convert --from qrels --to item-values qrels.txt",
    "scoring verify qrels.txt",
    "tracks check tac2008-qa --topics questions.xml --docnos docnos amber",
    "tracks segment tac2008-qa amber",
    "tracks convert ikat2023 --topics topics.json ikat.json",
    "tracks score tac2008-qa --gold questions.xml nuggets.tsv instances.tsv answer-classes.tsv --docnos docnos"
    " --run amber",
)


def cut(data: bytes) -> bytes:
    return data[: len(data) * 2 // 3]


HOSTILE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "blank": lambda _: b"\n \n",
    "binary": lambda _: Random(1).randbytes(3000),
    "half a gzip": lambda data: cut(gzip.compress(data, mtime=0)),
    "a gzip of gzip": lambda data: gzip.compress(gzip.compress(data, mtime=0)),
    "half a zstd": lambda data: cut(zstandard.compress(data)),
    "half a gzip of a large file": lambda data: cut(gzip.compress(data + Random(1).randbytes(300_000).hex().encode())),
    "gzip with nothing in it": lambda _: b"\x1f\x8b",
    "not UTF-8": lambda data: data[:9] + b"\xff\xfe" + data[9:],
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "NUL": lambda data: data[:9] + b"\0" + data[9:],
    "deep": lambda _: b"[" * 100_000,
    "half JSON": lambda _: b'{"1": [["a", 1',
}


def call(words: Sequence[str]) -> int:
    """The status of a call; what it does not foresee is raised."""
    program, *rest = words
    try:
        return (scoring if program == "scoring" else tracks)(rest)
    except SystemExit as end:
        return int(end.code or 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in GOOD.items():
        (tmp_path / name).write_text(text)
    for name, path in TRACK_FILES.items():
        (tmp_path / name).write_bytes(path.read_bytes())
    (tmp_path / "folder").mkdir()
    return tmp_path


def placed(folder: Path, text: str) -> list[str]:
    """The words of a call, with the paths of the files that they name."""
    return [str(folder / word) if (folder / word).exists() else word for word in text.split()]


@pytest.mark.parametrize("text", CALLS)
def test_good_calls_are_good(folder: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    """Else nothing is learned from what hostile files do to them."""
    status = call(placed(folder, text))
    assert status == (2 if "verify" in text else 0), capsys.readouterr().err


@pytest.mark.parametrize("text", CALLS)
def test_a_hostile_file_in_any_place_is_told_of(folder: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    words = placed(folder, text)
    for place, word in enumerate(words):
        if not word.startswith(str(folder)):
            continue
        name, good = Path(word).name, Path(word).read_bytes()
        for kind, spoil in HOSTILE.items():
            bad = folder / "hostile" / name
            bad.parent.mkdir(exist_ok=True)
            bad.write_bytes(spoil(good))
            status = call([*words[:place], str(bad), *words[place + 1 :]])
            out, err = capsys.readouterr()
            case = f"{name}: {kind}: {status} {err[:300]}"
            if kind in ("empty", "blank") and name in MAY_BE_EMPTY and status == 0:
                continue
            if kind != "gzip with nothing in it" and name == "docnos":
                assert status in (0, 1), case  # any bytes are docnos, if they can be read
                continue
            if kind == "UTF-16" and status == 0:
                assert "was read so" in err or "check" in words, case  # by a mark that leaves no doubt
                continue
            assert status == (2 if "verify" in text else 1), case
            assert "check" in words or not out, case
            assert err or "check" in words, case
            assert "Traceback" not in err, case


@pytest.mark.parametrize("text", CALLS)
def test_a_file_that_cannot_be_opened_is_a_wrong_call(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    words = placed(folder, text)
    for place, word in enumerate(words):
        if word.startswith(str(folder)):
            is_gold = "--gold" in words[:place] and "--docnos" not in words[:place]  # of which a folder is a good one
            for other in ("absent", "a.run/inside", "x" * 300, "nul\0in it", *(() if is_gold else ("folder",))):
                status = call([*words[:place], str(folder / other), *words[place + 1 :]])
                out, err = capsys.readouterr()
                assert status == 2, (word, other, err)
                assert out == "", (word, other)
                assert err.startswith("python -m "), (word, other)


WRONG = (
    "scoring nuggets --nuggets nugget-list --matches found --lengths lengths --beta nan",
    "scoring nuggets --nuggets nugget-list --matches found --lengths lengths --beta inf",
    "scoring nuggets --nuggets nugget-list --matches found --lengths lengths --beta -1",
    "scoring nuggets --nuggets nugget-list --matches found --lengths lengths --beta 1e400",
    "scoring nuggets --nuggets nugget-list --matches found --lengths lengths --beta 1e200",
    "scoring nuggets --nuggets nugget-list --matches found --lengths lengths --allowance -5",
    "scoring nuggets --nuggets nugget-list --matches found --lengths lengths --allowance 99999999999999999999",
    "scoring nuggets --nuggets nugget-list --matches - --lengths -",
    "scoring rank --qrels qrels.txt --run a.run -m AP(rel=99999999999999)",
    "scoring rank --qrels qrels.txt --run a.run -m AP(rel=-1)",
    "scoring rank --qrels qrels.txt --run a.run -m AP(rel=nan)",
    "scoring rank --qrels qrels.txt --run a.run -m SetF(beta=inf)",
    "scoring rank --qrels qrels.txt --run a.run -m SetF(beta=1e300)",
    "scoring rank --qrels qrels.txt --run a.run -m nDCG@0",
    "scoring rank --qrels qrels.txt --run a.run -m nDCG@99999999999999",
    "scoring rank --qrels qrels.txt --run a.run -m (",
    "scoring rank --qrels qrels.txt --run a.run -m AP --binary 0",
    "scoring rank --qrels qrels.txt --run a.run -m AP --binary 99999999999999",
    "scoring rank --qrels qrels.txt --run - --run - -m AP",
    "scoring rank --qrels qrels.txt --run a.run --run a.run -m AP",
    "scoring compare --qrels qrels.txt --run a.run --run b.run -m AP -m nope",
    "scoring compare --qrels qrels.txt --run a.run --run b.run -m AP --seed -1",
    "scoring pool --depth 0 --run a.run",
    "scoring pool --depth -3 --run a.run",
    "scoring pool --depth 1e3 --run a.run",
    "scoring pool --depth 99999999999999 --run a.run",
    "scoring pool --budget 0 --strategy rrf --run a.run",
    "scoring pool --strategy rrf --budget 5 -k -1 --run a.run",
    "scoring pool --strategy rbp --budget 5 -p nan --run a.run",
    "scoring pool --strategy rbp --budget 5 -p 1 --run a.run",
    "scoring pool --strategy stratified --strata 10:nan --run a.run",
    "scoring pool --strategy stratified --strata 10:inf --run a.run",
    "scoring pool --strategy stratified --strata 1:1,x:y --run a.run",
    "scoring pool --strategy stratified --strata 99999999999999999999:1 --seed x --run a.run",
    "scoring pool --strategy priority --priorities priorities --depths 1:0 --run a.run",
    "scoring agree qrels.txt qrels.txt --binary nan",
    "scoring agree qrels.txt qrels.txt --level sideways",
    "scoring agree - -",
    "scoring correlate - -",
    "scoring correlate values others -m AP",
    "scoring convert --from nowhere --to qrels qrels.txt",
    "tracks score tac2008-qa --gold questions.xml nuggets.tsv --run amber --set beta=nan",
    "tracks score tac2008-qa --gold questions.xml nuggets.tsv --run amber --set allowance=99999999999999999999",
    "tracks score tac2008-qa --gold questions.xml nuggets.tsv --run - --run -",
    "tracks score tac2008-qa --gold questions.xml nuggets.tsv --run amber --explain 9.9 F",
    "tracks score nowhere --gold questions.xml --run amber",
    "tracks check tac2008-qa --topics - -",
    "tracks check tac2008-qa --topics questions.xml --form priority=²  amber",
    "tracks convert tac2008-qa amber",
)


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_call_is_told_with_status_2(folder: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    status = call(placed(folder, text))
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert err.startswith("python -m ")


UNUSABLE = {
    "no common topic": ("scoring rank --qrels qrels.txt --run bad -m AP", "9 Q0 a 1 1.0 X\n"),
    "no common topic, complete": ("scoring rank --qrels qrels.txt --run bad -m AP --complete", "9 Q0 a 1 1.0 X\n"),
    "an empty run": ("scoring rank --qrels qrels.txt --run bad -m AP --complete", ""),
    "an empty run in JSON": ("scoring rank --qrels qrels.txt --run bad -m AP", "{}"),
    "an empty run of several": ("scoring compare --qrels qrels.txt --run a.run --run bad -m AP", ""),
    "runs without a common topic": ("scoring compare --qrels more --run a.run --run bad -m AP", "3 Q0 a 1 1.0 X\n"),
    "an empty run of a pool": ("scoring pool --run a.run --run bad", ""),
    "empty qrels": ("scoring rank --qrels bad --run a.run -m AP", "\n"),
    "an empty judge file": ("scoring agree qrels.txt bad", ""),
    "no judged item": ("scoring agree qrels.txt bad", "1 0 a -1\n"),
    "no common item": ("scoring agree qrels.txt bad", "9 0 a 1\n"),
    "no common run": ("scoring correlate values bad", "x 1\ny 2\n"),
    "one common run": ("scoring correlate values bad", "r1 1\ny 2\n"),
    "a mean that is not there": ("scoring correlate values bad", "r1 7 AP 0.5\nr2 7 AP 0.5\n"),
    "an undefined mean": ("scoring correlate values bad", "r1 all AP undefined\nr2 all AP 0.5\n"),
    "a score that is no number": ("scoring rank --qrels qrels.txt --run bad -m AP", "1 Q0 a 1 nan X\n"),
    "a score without end": ("scoring rank --qrels qrels.txt --run bad -m AP", "1 Q0 a 1 1e999 X\n"),
    "a score of many digits": ("scoring rank --qrels qrels.txt --run bad -m AP", f"1 Q0 a 1 {'9' * 5000} X\n"),
    "a grade of many digits": ("scoring rank --qrels bad --run a.run -m AP", f"1 0 a {'9' * 5000}\n"),
    "a number in JSON of many digits": (
        "scoring rank --qrels bad --run a.run -m AP", f'{{"1": {{"a": {"9" * 5000}}}}}'
    ),
    "two lines in one by a CR": (
        "scoring nuggets --nuggets bad --matches found --lengths lengths", "1 1 vital one\r1 2 okay two\n"
    ),
    "two answers in one by a CR": (
        "scoring nuggets --nuggets nugget-list --matches found --responses bad", "1 r D one\r1 r D two\n"
    ),
    "no common topic of nuggets": ("scoring nuggets --nuggets nugget-list --matches none --lengths bad", "9 r 10\n"),
    "a length that is missing": (
        "scoring nuggets --nuggets nugget-list --matches found --lengths bad", "1 another 10\n"
    ),
    "nothing to convert": ("scoring convert --from qrels --to item-values bad", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", UNUSABLE)
def test_what_cannot_be_used_is_told_with_status_1(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    text, content = UNUSABLE[name]
    (folder / "bad").write_bytes(content.encode())
    (folder / "more").write_text(GOOD["qrels.txt"] + "3 0 a 1\n")
    (folder / "none").write_text("")
    status = call(placed(folder, text))
    out, err = capsys.readouterr()
    assert (status, out) == (1, "")
    assert "\terror\t" in err


@pytest.mark.parametrize(
    "data",
    [b"", b"\x1f\x8b\x08\x00", gzip.compress(GOOD["a.run"].encode(), mtime=0)[:-9], b"\xff\xfe\x00"],
    ids=["nothing", "a beginning", "cut off", "no text"],  # the gzip holds the time, which two processes say otherwise
)
def test_hostile_standard_input(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    for text in ("scoring rank --qrels qrels.txt -m AP --run -", "scoring pool --run -", "tracks segment adhoc -"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert call(placed(folder, text)) == (0 if "segment" in text and not data else 1)
        assert capsys.readouterr().out == ""


def in_a_process(words: Sequence[str], stdout: int) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("program", ["scoring", "tracks"])
def test_output_that_nobody_reads_or_has_room_for(folder: Path, program: str) -> None:
    text = "scoring formats" if program == "scoring" else f"tracks segment tac2008-qa {folder / 'amber'}"
    reading, writing = os.pipe()
    os.close(reading)
    assert in_a_process(text.split(), writing) == (0, "")
    os.close(writing)
    full = os.open("/dev/full", os.O_WRONLY)
    status, err = in_a_process(text.split(), full)
    os.close(full)
    assert status == 1
    assert err.startswith(f"python -m {program}")
    assert "No space left on device" in err
    assert "Traceback" not in err


def test_a_name_that_is_no_text_can_be_printed(folder: Path) -> None:
    path = os.fsencode(folder) + b"/\xff.json"
    with open(path, "w") as file:
        file.write(GOOD["c.json"])
    words = [sys.executable, "-m", "scoring", "rank", "--qrels", str(folder / "qrels.txt"), "-m", "AP", "--run", path]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.splitlines()[0] == b"\\udcff\t1\tAP\t1.000000"
