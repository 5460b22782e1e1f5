"""Make the data folder of the demonstration campaign from the sources here: `python -m bench.demo_runs.build`.

Not README.md, which is written by hand, and neither runs/bad, topics/bad nor expected/, which `regenerate` makes.
Nothing depends on the clock: the same sources give the same bytes.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from pathlib import Path

from bench.demo_runs.__main__ import form, load_questions, write_all
from bench.demo_runs.collection import read_collection
from bench.demo_runs.oracle import judgment_lines
from bench.demo_runs.pages import CRAWLS, Page, build_pages, record
from bench.demo_runs.posts import plain
from bench.demo_runs.programs import PROGRAMS
from bench.demo_runs.questions import questions_xml

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "data" / "tracks" / "tac2008-qa"
MANUAL = Path(__file__).parent / "manual" / "Larch2.txt"
INVENTED_DOCNOS = 4000


def build(folder: Path) -> None:
    """Write the documents, questions, runs, forms, docnos and judgments into ``folder``."""
    pages = build_pages()
    _write_documents(folder / "documents", pages)
    folder.joinpath("topics.xml").write_text(questions_xml(), encoding="utf-8")
    targets, questions, _ = load_questions(folder / "topics.xml")
    write_all(folder, read_collection([folder / "documents"]), targets, questions)
    good = folder / "runs" / "good"
    good.joinpath("Larch2.txt").write_text("".join(_manual_lines(pages)), encoding="utf-8")
    _add_manual_form(folder / "runs" / "forms.json")
    folder.joinpath("docnos.txt.gz").write_bytes(_packed("".join(f"{docno}\n" for docno in _docnos(pages)).encode()))
    judged = [good / f"{tag}.txt" for tag in (*PROGRAMS, "Larch2") if int(tag[-1]) <= 2]
    lines = judgment_lines(pages, judged, _manual_sources())
    folder.joinpath("judgments.jsonl").write_text("".join(lines), encoding="utf-8")


def _write_documents(folder: Path, pages: list[Page]) -> None:
    """Write the pages as Blog06 files, one for each crawl; the third is packed."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, crawl in enumerate(CRAWLS):
        data = b"".join(record(page) for page in pages if page.docno.split("-")[1] == crawl)
        if part == 2:
            folder.joinpath(f"{crawl}-{part:03d}.trec.gz").write_bytes(_packed(data))
        else:
            folder.joinpath(f"{crawl}-{part:03d}.trec").write_bytes(data)


def _packed(data: bytes) -> bytes:
    return gzip.compress(data, compresslevel=9, mtime=0)


def _manual_sources() -> list[tuple[str, str, str]]:
    """Return the hand-made answers: question, slug of the page, answer-string with its marks."""
    lines = (line.strip() for line in MANUAL.read_text(encoding="utf-8").splitlines())
    parts = (line.split(" ", 2) for line in lines if line and not line.startswith("#"))
    return [(qid, slug, text) for qid, slug, text in parts]


def _manual_lines(pages: list[Page]) -> list[str]:
    docnos = {page.slug: page.docno for page in pages}
    return [f"{qid} Larch2 {docnos[slug]} {plain(text)}\n" for qid, slug, text in _manual_sources()]


def _add_manual_form(path: Path) -> None:
    forms = json.loads(path.read_text(encoding="utf-8"))
    description = "Answers of Larch1, picked and rewritten by hand by somebody who read the top pages."
    forms["Larch2"] = form("Larch2", description, automatic=False, documents="top50")
    path.write_text(json.dumps(forms, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _docnos(pages: list[Page]) -> list[str]:
    """Return the valid docnos in order: those of all pages here, and of the larger collection they would be part of."""
    docnos = {page.docno for page in pages}
    for n in range(INVENTED_DOCNOS):
        digest = int(hashlib.sha256(f"docno {n}".encode()).hexdigest()[:8], 16)
        part = digest % len(CRAWLS)
        docnos.add(f"BLOG06-{CRAWLS[part]}-{part:03d}-{100_000 + digest % 800_000:010d}")
    return sorted(docnos)


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
    sys.exit(0)
