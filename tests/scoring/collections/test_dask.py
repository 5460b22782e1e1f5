"""The same bundle here, in processes of this machine, and on a Dask cluster that loses a worker."""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, get_worker

from scoring.__main__ import main
from scoring.collections.cluster_watch import Watch, reported
from scoring.collections.finding import FindRequest, find_documents
from scoring.collections.model import Collection
from tests.scoring.collections.shard_files import collection_toml, docnos_file, json_lines, packed, texts

ROOT = Path(__file__).resolve().parents[3]
SHARDS = 12
SCHEDULER = ("--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0")


@pytest.fixture
def shards(tmp_path: Path) -> Path:
    for number in range(SHARDS):
        (tmp_path / f"s-{number:02}.jsonl.gz").write_bytes(packed(json_lines(texts(100 * number, 100)), ".gz"))
    toml = 'shards = "s-*.jsonl.gz"\nform = "json-lines"\nid = "docid"\ntext = "body"\n'
    collection_toml(tmp_path, toml)
    docnos_file(tmp_path, *(f"d-{number}" for number in range(0, 100 * SHARDS, 7)), "nowhere")
    return tmp_path


def collection(folder: Path) -> Collection:
    return Collection(
        name="c", folder=str(folder), shards=("s-*.jsonl.gz",), form="json-lines", id=("docid",), text=("body",)
    )


def find_request() -> FindRequest:
    return FindRequest(docnos=frozenset(f"d-{number}" for number in range(0, 100 * SHARDS, 7)), signatures=True)


def whole(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in ("documents.parquet", "bundle.json", "missing.txt")}


def test_two_processes_find_what_one_finds(
    shards: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoring.commands.convert_and_find.SAY_EVERY", 0.0)
    for workers in ("1", "2"):
        paths = (
            "--collection",
            shards / "collection.toml",
            "--docnos",
            shards / "docnos.txt",
            "--out",
            shards / workers,
        )
        assert main(["find", *map(str, paths), "--workers", workers]) == 0
    assert whole(shards / "1") == whole(shards / "2")
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert lines[:SHARDS] == lines[SHARDS:]
    assert printed.err.count(f" of {SHARDS} shards: ") == 2 * SHARDS


Cluster = tuple[str, list[subprocess.Popen[str]]]


def start(command: str, *arguments: str, wait_for: str, path: Path = ROOT) -> subprocess.Popen[str]:
    """A program of Dask's, once it has said that it is there; it has what is installed, and what is in this folder."""
    process = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli." + command, *arguments],
        stderr=subprocess.PIPE,
        text=True,
        cwd=path,
        env={**os.environ, "PYTHONPATH": str(path)},
        start_new_session=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if wait_for in line:
            process.last_line = line  # type: ignore[attr-defined]
            return process
    raise AssertionError(f"{command} ended before it was there")


@pytest.fixture(scope="module")
def workers_of_module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Cluster]]:
    """A scheduler, and workers so that two of them live: each a process without a nanny that would start it again."""
    place, workers = tmp_path_factory.mktemp("dask"), list[subprocess.Popen[str]]()
    with ExitStack() as ending:

        def begin(command: str, *arguments: str, wait_for: str) -> subprocess.Popen[str]:
            process = start(command, *arguments, wait_for=wait_for)
            ending.callback(process.wait)
            ending.callback(process.kill)
            return process

        def two() -> Cluster:
            while len(alive := [worker for worker in workers if worker.poll() is None]) < 2:
                name = str(len(workers))
                workers.append(
                    begin(
                        "dask_worker", address, "--no-nanny", "--nthreads", "1", "--name", name, "--no-dashboard",
                        "--local-directory", str(place / name), wait_for="Registered to:",
                    )
                )  # fmt: skip
            return address, alive

        scheduler = begin("dask_scheduler", *SCHEDULER, wait_for="Scheduler at:")
        address = str(scheduler.last_line).split()[-1]  # type: ignore[attr-defined]
        yield two


@pytest.fixture
def cluster(workers_of_module: Callable[[], Cluster]) -> Cluster:
    """The address of the scheduler, and its two workers."""
    return workers_of_module()


def test_a_worker_that_is_killed_changes_nothing(shards: Path, cluster: Cluster) -> None:
    """“a lost worker's shards are done again, none twice”: the busier of two is killed when the first shard is done."""
    address, workers = cluster
    done: list[str] = []
    find_documents(collection=collection(shards), request=find_request(), out=shards / "here")
    found = find_documents(
        collection=collection(shards),
        request=find_request(),
        out=shards / "there",
        scheduler=address,
        report_progress=killer(address, done),
    )
    assert sorted(done) == [f"s-{number:02}.jsonl.gz" for number in range(SHARDS)]
    assert found.issues == []
    assert sorted(worker.poll() is None for worker in workers) == [False, True]
    assert whole(shards / "here") == whole(shards / "there")


def test_that_no_worker_is_there_or_one_is_lost_is_said() -> None:
    """At once, then every 30 seconds; a worker that is lost once, and others that are there keep it quiet."""
    watch, none, one = Watch("tcp://s:1"), set[str](), {"tcp://a:1"}
    looks = [(none, 0.0), (none, 29.0), (none, 31.0), (one, 32.0), (none, 33.0), (none, 40.0), (none, 64.0)]
    said = [[re.sub(r" (is lost|has no worker).*", r" \1", each) for each in watch.look(*look)] for look in looks]
    nobody, lost = "The scheduler at tcp://s:1 has no worker", "The worker tcp://a:1 is lost"
    assert said == [[nobody], [], [nobody], [], [lost, nobody], [], [nobody]]


def test_a_search_says_that_it_waits_and_goes_on_when_a_worker_comes(
    shards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler = start("dask_scheduler", *SCHEDULER, wait_for="Scheduler at:")
    address, workers = str(scheduler.last_line).split()[-1], list[subprocess.Popen[str]]()  # type: ignore[attr-defined]
    look = Watch.look

    def look_and_start(self: Watch, *arguments: Any) -> list[str]:
        said = look(self, *arguments)
        if said and not workers:
            options = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--local-directory", str(tmp_path / "w"))
            workers.append(start("dask_worker", address, *options, wait_for="Registered to:"))
        return said

    monkeypatch.setattr(Watch, "look", look_and_start)
    paths = ("--collection", shards / "collection.toml", "--docnos", shards / "docnos.txt", "--out", shards / "there")
    try:
        assert main(["find", *map(str, paths), "--scheduler", address]) == 0
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()
    err = capsys.readouterr().err
    assert err.count(f"The scheduler at {address} has no worker") == 1
    assert f"dask worker {address}" in err


def test_a_cluster_without_assay_is_refused_in_one_line(
    shards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scheduler = start("dask_scheduler", *SCHEDULER, wait_for="Scheduler at:", path=tmp_path)
    try:
        address = str(scheduler.last_line).split()[-1]  # type: ignore[attr-defined]
        files = ("--collection", shards / "collection.toml", "--docnos", shards / "docnos.txt", "--out", shards / "out")
        assert main(["find", *map(str, files), "--scheduler", address]) == 2
    finally:
        scheduler.kill()
        scheduler.wait()
    said = capsys.readouterr().err
    assert f"the scheduler at {address} has no scoring. Install Assay with “collections”" in said
    assert f"PYTHONPATH={ROOT}" in said
    assert "Traceback" not in said


@pytest.mark.shared
def test_real_pages_are_found_whoever_is_killed(tmp_path: Path, shared_data: Path, cluster: Cluster) -> None:
    """Sixty pages of blogs in each of twelve shards, under other docnos in each."""
    address, workers = cluster
    pages = (shared_data / "html" / "blog06_like.trec").read_bytes()
    docnos = re.findall(rb"<DOCNO>(BLOG06-\d{8})(-[\d-]+)</DOCNO>", pages)
    wanted = set()
    for number in range(SHARDS):
        day = b"BLOG06-%08d" % (20060101 + number)
        copy = re.sub(rb"(<DOCNO>)BLOG06-\d{8}", rb"\g<1>" + day, pages)
        (tmp_path / f"b-{number:02}.gz").write_bytes(packed(copy, ".gz"))
        wanted |= {(day + rest).decode() for _, rest in docnos[number % 4 :: 4]}
    blogs = Collection(name="blogs", folder=str(tmp_path), shards=("b-*.gz",), form="blog06")
    real = FindRequest(docnos=frozenset(wanted), signatures=True)
    done: list[str] = []
    find_documents(collection=blogs, request=real, out=tmp_path / "here")
    found = find_documents(
        collection=blogs,
        request=real,
        out=tmp_path / "there",
        scheduler=address,
        report_progress=killer(address, done),
    )
    assert (found.documents, found.issues, found.missing) == (len(wanted), [], [])
    assert sorted(done) == [f"b-{number:02}.gz" for number in range(SHARDS)]
    assert sorted(worker.poll() is None for worker in workers) == [False, True]
    assert whole(tmp_path / "here") == whole(tmp_path / "there")


def killer(address: str, done: list[str]) -> Callable[[str, int, int], None]:
    """Hears of each shard that is done, and kills the busier worker when it is the first."""

    def hear(shard: str, number: int, total: int) -> None:
        done.append(shard)
        if number == 1:
            with Client(address) as client:
                busy = client.processing()
            name = max(client_names(address), key=lambda each: len(busy.get(each, ())))
            os.kill(worker_pids(address)[name], signal.SIGKILL)

    return hear


def client_names(address: str) -> list[str]:
    with Client(address) as client:
        return list(client.scheduler_info()["workers"])


def worker_pids(address: str) -> dict[str, int]:
    with Client(address) as client:
        return dict(client.run(os.getpid))


def test_no_scheduler_answers(
    shards: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoring.collections.searching.CONNECT_SECONDS", 1)
    paths = ("--collection", shards / "collection.toml", "--docnos", shards / "docnos.txt", "--out", shards / "out")
    status = main(["find", *map(str, paths), "--scheduler", "tcp://127.0.0.1:1"])
    assert (status, "no Dask scheduler answers at tcp://127.0.0.1:1" in capsys.readouterr().err) == (2, True)


def test_a_shard_that_takes_long_says_how_far_it_is(
    shards: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: queue.Queue[str] = queue.Queue()
    monkeypatch.setattr("scoring.collections.cluster_watch.SAY_EVERY", 0.001)
    with reported(lambda: 1_200_000, "s-00.jsonl.gz", said.put):
        assert said.get(timeout=60) == "s-00.jsonl.gz: 1,200,000 records read so far."
    with Client(cluster[0]) as client:
        client.subscribe_topic("how far", lambda event: said.put(event[1]))
        client.submit(lambda: get_worker().log_event("how far", "half of it"), pure=False).result()
        while said.get(timeout=60) != "half of it":
            pass
