"""The pool: in order, within its limits, and still there after the worst."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assess.rendering.processes import START_SECONDS, TEXT_SECONDS, RenderJob, RenderPool
from assess.rendering.rendered import Rendering
from scoring.formats.document_files import read_documents
from scoring.records import DocumentRecord

pytestmark = pytest.mark.usefixtures("own_processes")
LIMIT = 5.0
PATIENCE = 60.0
"""Seconds for a page that has no fault: a busy machine takes its time."""
STEP = 1 if "ASSAY_WHOLE_FOLDERS" in os.environ else 3
"""Of real pages one in as many; all in `make test-all`."""


def job(key: str, raw: bytes) -> RenderJob:
    return RenderJob(key=key, raw=raw, media_type="text/html")


@pytest.fixture(scope="module")
def pool(own_processes: None) -> Iterator[RenderPool]:
    with RenderPool(processes=2, seconds=LIMIT) as opened:
        yield opened


@pytest.fixture
def patient(pool: RenderPool, monkeypatch: pytest.MonkeyPatch) -> RenderPool:
    """The same, for pages that have no fault."""
    monkeypatch.setattr(pool, "seconds", PATIENCE)
    return pool


def render(pool: RenderPool, job: RenderJob) -> Rendering:
    return next(pool.map([job]))[1]


def test_results_come_in_order(pool: RenderPool) -> None:
    jobs = [job(str(number), b"<p>%d " % number * (500 if number % 3 == 0 else 1)) for number in range(20)]
    found = list(pool.map(jobs))
    assert [done.key for done, _ in found] == [str(number) for number in range(20)]
    assert all(rendering.text.split()[0] == done.key for done, rendering in found)


def test_page_over_its_time_shows_its_text_and_says_so() -> None:
    with RenderPool(processes=1, seconds=0.5) as pool:
        results = pool.map([job("slow", b"<div>x" * 20_000), job("quick", b"<p>y")])
        slow = next(results)
        pool.seconds = PATIENCE  # the next one is handed out after this
        (quick,) = results
    assert (slow[1].status, slow[1].page) == ("text-only", None)
    assert slow[1].text.startswith("x\nx")
    assert slow[1].note.startswith("This page could not be prepared within 0.5 s.")
    assert (quick[1].status, quick[1].text) == ("ok", "y")


def test_page_over_its_memory_shows_its_text() -> None:
    with RenderPool(processes=1, seconds=30, memory_mb=128) as pool:
        found = render(pool, job("large", b"<p>word " * 150_000))
    assert found.status == "text-only"
    assert "too much memory" in found.note


def test_death_of_a_process_costs_no_document() -> None:
    with RenderPool(processes=1) as pool:
        assert render(pool, job("a", b"a")).text == "a"
        os.kill(pool._workers[0].process.pid, signal.SIGKILL)
        assert render(pool, job("b", b"<p>b")).text == "b"


def test_leaving_early_stops_the_processes() -> None:
    with RenderPool(processes=2) as pool:
        results = pool.map(job(str(number), b"<p>x") for number in range(50))
        next(results)
        processes = [worker.process for worker in pool._workers]
        results.close()
    assert processes
    assert all(process.poll() is not None for process in processes)


BOMBS = {
    "nested divs": b"<div>" * 3_000 + b"x",
    "unclosed links": b"<a><p>x " * 5_000,
    "entities": b"&amp;" * 200_000 + b"x",
    "style rules": b"<style>"
    + b"".join(b".a%d b{display:none}" % n for n in range(20_000))
    + b"</style>"
    + b"<p class=a1>x" * 500,
    "open brackets": b"<style>" + b"(" * 200_000 + b"</style>x",
}
ENDLESS = {
    "attributes": b"<p " + b"".join(b"a%d " % n for n in range(200_000)) + b">x",
    "formatting": b"<b>x" * 300_000,
    "costly rules": b"<style>" + b"p p p :not(a b c){display:none}" * 20_000 + b"</style>" + b"<p><b>x</b>" * 500,
}
"""What takes any time it is given."""


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_end_within_the_limits(pool: RenderPool, name: str) -> None:
    start = time.monotonic()
    found = render(pool, job(name, BOMBS[name]))
    assert time.monotonic() - start < LIMIT + TEXT_SECONDS + START_SECONDS
    assert "x" in found.text


@pytest.mark.slow
@pytest.mark.parametrize("name", ENDLESS)
def test_what_would_never_end_is_stopped_and_shows_its_text(name: str) -> None:
    start = time.monotonic()
    with RenderPool(processes=1, seconds=0.5) as pool:
        found = render(pool, job(name, ENDLESS[name]))
    assert time.monotonic() - start < 0.5 + TEXT_SECONDS + START_SECONDS
    assert (found.status, "x" in found.text) == ("text-only", True)


@pytest.mark.shared
def test_real_pages_are_all_prepared(patient: RenderPool, shared_data: Path) -> None:
    folder = shared_data / "html"
    names = [entry["file"] for entry in json.loads((folder / "pages_manifest.json").read_text("utf-8"))]
    assert len(names) == 89
    names = names[::STEP]
    found = list(patient.map(job(name, (folder / "pages" / name).read_bytes()) for name in names))
    assert len(found) == len(names)
    assert [(done.key, rendering.note) for done, rendering in found if rendering.status != "ok"] == []


@pytest.mark.shared
def test_real_blog_records_are_all_prepared(patient: RenderPool, shared_data: Path) -> None:
    records = [
        each
        for each in read_documents(shared_data / "html" / "blog06_like.trec", "blog06")
        if isinstance(each, DocumentRecord)
    ]
    jobs = [
        RenderJob(key=each.docno, raw=each.raw, media_type=each.media_type, charset=each.charset, url=each.url)
        for each in records[::STEP]
    ]
    assert len(records) == 60
    assert [rendering.status for _, rendering in patient.map(jobs)] == ["ok"] * len(jobs)
