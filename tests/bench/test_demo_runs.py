"""The demonstration campaign: its runs are what its programs give, and its judgments hold."""

import gzip
import json
from pathlib import Path

import pytest

from assess.protocol import CheckContext
from assess.rendering.render import render_document
from bench.demo_runs.__main__ import main
from bench.demo_runs.collection import page_of, terms
from bench.demo_runs.programs import PROGRAMS
from scoring.formats.blog06 import read_blog06
from scoring.formats.judgments_jsonl import read_judgments
from scoring.formats.tac_questions import SeriesQuestion, read_questions
from scoring.records import DocumentRecord, Issue
from tests.tracks.track_folder import folder_of, topic_records
from tracks import TRACKS

TRACK = next(track for track in TRACKS if track.key == "tac2008-qa")
FOLDER = folder_of(TRACK)


def documents() -> list[DocumentRecord]:
    """Every document of the folder."""
    found: list[DocumentRecord] = []
    for path in sorted((FOLDER / "documents").iterdir()):
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            records = list(read_blog06(file))
        assert not [record for record in records if isinstance(record, Issue)]
        found += [record for record in records if isinstance(record, DocumentRecord)]
    return found


@pytest.fixture(scope="module")
def viewable() -> dict[str, str]:
    return {
        d.docno: render_document(d.raw, media_type=d.media_type, charset=d.charset, url=d.url).text for d in documents()
    }


def test_runs_are_what_the_programs_give(tmp_path: Path) -> None:
    documents, topics = str(FOLDER / "documents"), str(FOLDER / "topics.xml")
    assert main(["--documents", documents, "--topics", topics, "--out", str(tmp_path)]) == 0
    for tag in PROGRAMS:
        name = f"runs/good/{tag}.txt"
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes(), name
    assert {path.stem for path in (FOLDER / "runs" / "good").glob("*.txt")} == {*PROGRAMS, "Larch2"}


def test_programs_differ() -> None:
    answers = set()
    for tag in PROGRAMS:
        lines = (FOLDER / "runs" / "good" / f"{tag}.txt").read_text("utf-8").splitlines()
        answers.add(tuple(sorted((line.split(" ")[0], line.split(" ", 3)[3]) for line in lines)))
    assert len(answers) == len(PROGRAMS)


@pytest.mark.parametrize("path", sorted((FOLDER / "runs" / "good").glob("*.txt")), ids=lambda path: path.stem)
def test_good_run_has_no_issue(path: Path) -> None:
    valid = set(gzip.decompress((FOLDER / "docnos.txt.gz").read_bytes()).decode().split())
    context = CheckContext(
        topics=topic_records(TRACK), settings=TRACK.settings(), unknown_docnos=lambda batch: set(batch) - valid
    )
    with path.open("rb") as file:
        assert list(TRACK.submissions[0].check(file, context)) == []


def test_quotes_stand_in_the_viewable_text(viewable: dict[str, str]) -> None:
    lines = [json.loads(line) for line in (FOLDER / "judgments.jsonl").read_text("utf-8").splitlines()]
    sought = [(s["docno"], s["quote"]) for line in lines for s in line.get("sources", [])]
    assert len(sought) > 150
    assert [(docno, quote) for docno, quote in sought if quote not in viewable[docno]] == []


def test_judgments_read_without_issue_and_leave_work_open() -> None:
    with (FOLDER / "judgments.jsonl").open("rb") as file:
        assert [record for record in read_judgments(file) if isinstance(record, Issue)] == []
    lines = [json.loads(line) for line in (FOLDER / "judgments.jsonl").read_text("utf-8").splitlines()]
    with (FOLDER / "topics.xml").open("rb") as topics:
        kinds = {record.number: record.kind for record in read_questions(topics) if isinstance(record, SeriesQuestion)}
    assert kinds.keys() - {line["topic"] for line in lines} == {"7.3", "8.1"}
    frozen = {line["topic"] for line in lines if line["do"] == "freeze"}
    assert {topic for topic, kind in kinds.items() if kind == "squishy"} - frozen == {"6.3", "7.3"}
    assert {line["value"] for line in lines if line["do"] == "judge"} == {-1, 1, 2, 3}
    owners = {(line["topic"], line["by"]) for line in lines if line["do"] in ("judge", "class", "match", "nugget")}
    assert len(owners) == len({topic for topic, _ in owners})


def test_collection_drops_scripts_and_stems() -> None:
    raw = b"<title>T</title><script>bad()</script><p>Late&nbsp;buses<br>Full ones</p><!-- no -->"
    page = page_of(DocumentRecord(docno="D", media_type="text/html", charset=None, raw=raw))
    assert (page.title, page.blocks) == ("T", ("Late buses", "Full ones"))
    assert terms("The riders' buses complained") == ("rider", "buse", "complain")


def test_command_names_what_is_wrong_with_its_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "none.trec"
    empty.write_bytes(b"")
    arguments = ["--out", str(tmp_path / "out"), "--documents", str(empty), "--topics"]
    assert main([*arguments, str(FOLDER / "topics.xml")]) == 1
    assert "no document" in capsys.readouterr().err
    assert main([*arguments, str(FOLDER / "topics" / "bad" / "not-xml.xml")]) == 1
    assert "line 1" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
