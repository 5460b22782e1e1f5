"""The demonstration campaign: its data folder is what its sources and programs give, and its judgments hold."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from assess.protocol import CheckContext
from assess.rendering.render import render_document
from bench.demo_runs.__main__ import main
from bench.demo_runs.broken import write_broken
from bench.demo_runs.build import FOLDER, build
from bench.demo_runs.collection import page_of, terms
from bench.demo_runs.oracle import CORRECT, INCORRECT, NON_EXACT, UNSUPPORTED, judge_instance
from bench.demo_runs.pages import CRAWLS, build_pages
from bench.demo_runs.posts import Mark, marks, plain, smarten
from bench.demo_runs.programs import PROGRAMS
from bench.demo_runs.questions import PARTLY_OPEN, QUESTIONS, WHOLLY_OPEN
from scoring.formats.blog06 import read_blog06
from scoring.formats.judgments_jsonl import read_judgments
from scoring.records import DocumentRecord, Issue
from tests.tracks.track_folder import broken_files, topic_records
from tracks import TRACKS

TRACK = next(track for track in TRACKS if track.key == "tac2008-qa")


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
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "tac2008-qa"
    folder.mkdir()
    build(folder)
    return folder


@pytest.fixture(scope="module")
def viewable() -> dict[str, str]:
    return {
        d.docno: render_document(d.raw, media_type=d.media_type, charset=d.charset, url=d.url).text for d in documents()
    }


def test_folder_is_what_its_sources_give(rebuilt: Path) -> None:
    made = {str(p.relative_to(rebuilt)): p.read_bytes() for p in sorted(rebuilt.rglob("*")) if p.is_file()}
    kept = {name: (FOLDER / name).read_bytes() if (FOLDER / name).exists() else b"" for name in made}
    assert [name for name in made if made[name] != kept[name]] == []
    assert "runs/good/Larch2.txt" in made and "judgments.jsonl" in made


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


def test_broken_files_are_what_their_source_gives(tmp_path: Path) -> None:
    write_broken(tmp_path, sorted(page.docno for page in build_pages() if CRAWLS[0] in page.docno))
    for place in ("runs/bad", "topics/bad"):
        made = {path.name: path.read_bytes() for path in (tmp_path / place).iterdir()}
        assert made == {path.name: path.read_bytes() for path in broken_files(TRACK, place.removesuffix("/bad"))}


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


def test_every_mark_can_be_read_in_its_page(viewable: dict[str, str]) -> None:
    pages = build_pages()
    assert [(p.slug, m.text) for p in pages for m in p.facts if m.text not in viewable[p.docno]] == []
    assert len({page.docno for page in pages}) == len(pages) >= 72


def test_judgments_read_without_issue_and_leave_work_open() -> None:
    with (FOLDER / "judgments.jsonl").open("rb") as file:
        assert [record for record in read_judgments(file) if isinstance(record, Issue)] == []
    lines = [json.loads(line) for line in (FOLDER / "judgments.jsonl").read_text("utf-8").splitlines()]
    assert {line["topic"] for line in lines} == set(QUESTIONS) - set(WHOLLY_OPEN)
    frozen = {line["topic"] for line in lines if line["do"] == "freeze"}
    assert frozen == {q for q, (kind, _) in QUESTIONS.items() if kind == "SquishyList"} - {*WHOLLY_OPEN, *PARTLY_OPEN}
    values = Counter(line["value"] for line in lines if line["do"] == "judge")
    assert set(values) == {CORRECT, INCORRECT, UNSUPPORTED, NON_EXACT}
    owners = {(line["topic"], line["by"]) for line in lines if line["do"] in ("judge", "class", "match", "nugget")}
    assert len(owners) == len({topic for topic, _ in owners})


@pytest.mark.parametrize(
    ("answer", "docno", "value"),
    [
        ("The Lemon Curd", "D1", CORRECT),
        ("lemon curd", "D2", UNSUPPORTED),
        ("a jar of lemon curd", "D1", NON_EXACT),
        ("curd", "D1", NON_EXACT),
        ("lemon curd and blue corn chips", "D1", NON_EXACT),
        ("mustard", "D1", INCORRECT),
    ],
)
def test_oracle_judges_as_the_guidelines_say(answer: str, docno: str, value: int) -> None:
    facts = [
        ("D1", Mark("1.1", "lemon curd", "lemon curd", False)),
        ("D2", Mark("1.1", "blue corn chips", "blue corn chips", False)),
    ]
    assert judge_instance(answer, docno, facts)[0] == value


def test_marks_leave_no_trace_in_pages() -> None:
    marked = "It's {1.1:lemon curd|the curd} and {1.3a|cheap}."
    assert plain(marked) == "It's the curd and cheap."
    assert [(m.key, m.is_nugget) for m in marks(marked)] == [("lemon curd", False), ("a", True)]
    assert not [p.slug for p in build_pages() for m in (b"{1.", b"{2.", b"{4.") if m in p.raw]


def test_typographic_quotes_open_and_close() -> None:
    assert smarten("he said \"don't\" ('yes')") == "he said \u201cdon\u2019t\u201d (\u2018yes\u2019)"


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
