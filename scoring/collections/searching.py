"""The one task of a search: it takes a shard and returns the wanted documents in it. The same function runs here and on
any cluster.
"""

from __future__ import annotations

import hashlib
import importlib
import logging
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

from scoring.collections.bundle import BundleDocument, PartWriter, Prepared
from scoring.collections.cluster_watch import reported, watched
from scoring.collections.forms import search_stream
from scoring.collections.model import Collection, Search, Shard
from scoring.collections.signatures import signature_of
from scoring.reading.opening import CannotOpen
from scoring.records import DocumentRecord, Issue
from scoring.wording import counted

# Searching one shard.

RENDERER = "assess.rendering.processes"
"""The module that prepares pages in processes with a time limit. It is named and not imported, since scoring alone does
not contain it.
"""

SECONDS = 5.0
BATCH = 20
ISSUES = 1_000
"""The most issues of one shard that are returned; the rest are counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ShardTask:
    """The input of one task. ``packed`` holds the wanted docnos (`pack_docnos`). If docnos say which shard they are in,
    it holds only those that belong to this shard.
    """

    shard: Shard
    collection: Collection
    packed: bytes
    pages: bool = False
    signatures: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ShardFound:
    """The result of one task: the bytes of a Parquet file (b"" if no document was found), the number of records read,
    and the issues.
    """

    part: bytes
    read: int
    found: int
    issues: tuple[tuple[str, Issue], ...]


def pack_docnos(docnos: Iterable[str]) -> bytes:
    """Return docnos as compressed bytes, which are cheap to send."""
    return zlib.compress("\n".join(sorted(docnos)).encode())


@lru_cache(maxsize=2)
def _unpacked(packed: bytes) -> frozenset[str]:
    return frozenset(zlib.decompress(packed).decode().splitlines())


def search_on_worker(task: ShardTask, topic: str) -> ShardFound:
    """Search one shard on a worker of Dask, and say how far it is by events of this topic."""
    from distributed import get_worker

    return search_shard(task, say=partial(get_worker().log_event, topic))


def search_shard(task: ShardTask, *, say: Callable[[str], None] = lambda _: None) -> ShardFound:
    """Search one shard, and ``say`` from time to time how far it is. No content of the shard makes this raise an
    exception.
    """
    from scoring.collections.shards import open_shard

    docnos, address = _unpacked(task.packed), task.collection.address
    places = None
    if address is not None:
        placed = {docno: address.place_of(docno) for docno in docnos}
        places = {docno: place[1] for docno, place in placed.items() if place is not None}
    search = Search(collection=task.collection, docnos=docnos, places=places, name=task.shard.name)
    writer, more = PartWriter(), 0
    issues: list[tuple[str, Issue]] = []
    try:
        with (
            reported(lambda: search.read, task.shard.name, say),
            open_shard(task.shard, task.collection) as raw,
            closing(_Preparing(task)) as preparing,
        ):
            hits = search_stream(raw, search, task.shard.name)
            for each in preparing.documents(hits):
                if isinstance(each, BundleDocument):
                    writer.add(each)
                elif len(issues) < ISSUES:
                    issues.append(each)
                else:
                    more += 1
    except CannotOpen as error:
        issues.append((task.shard.name, Issue(where="", code="cannot-open", message=f"{str(error).capitalize()}.")))
    if more:
        issues.append(
            (
                task.shard.name,
                Issue(where="", code="more", message=f"{counted(more, 'more issue is', 'more issues are')} not shown."),
            )
        )
    return ShardFound(part=writer.done(), read=search.read, found=writer.count, issues=tuple(issues))


class _Preparing:
    """Turns records into rows, each docno once, with pages and signatures if they are wanted."""

    def __init__(self, task: ShardTask) -> None:
        self.task = task
        self.met: dict[str, str] = {}
        self.renderer: Any = None
        self.pool: Any = None
        if task.pages:
            self.renderer = importlib.import_module(RENDERER)
            self.pool = self.renderer.RenderPool(processes=1, seconds=SECONDS)

    def close(self) -> None:
        """End the rendering process."""
        if self.pool is not None:
            self.pool.close()

    def documents(
        self, hits: Iterable[tuple[str, DocumentRecord | Issue]]
    ) -> Iterator[BundleDocument | tuple[str, Issue]]:
        """Yield a row for each document, or (file name, issue), in the order of the shard."""
        waiting: list[tuple[str, DocumentRecord, str]] = []
        for place, each in hits:
            if isinstance(each, Issue):
                yield place, each
                continue
            sha256 = hashlib.sha256(each.raw).hexdigest()
            if each.docno in self.met:
                yield place, second_occurrence(each.docno, each.line, same=self.met[each.docno] == sha256)
                continue
            self.met[each.docno] = sha256
            waiting.append((place, each, sha256))
            if len(waiting) == BATCH or not self.task.pages:
                yield from self._rows(waiting)
                waiting = []
        yield from self._rows(waiting)

    def _rows(self, waiting: list[tuple[str, DocumentRecord, str]]) -> Iterator[BundleDocument]:
        for (place, record, sha256), prepared in zip(waiting, self._prepared(waiting), strict=True):
            text = prepared.text if prepared else record.raw.decode("utf-8", "replace")
            signature = signature_of(text) if self.task.signatures else b""
            yield BundleDocument(record=record, sha256=sha256, shard=place, prepared=prepared, signature=signature)

    def _prepared(self, waiting: list[tuple[str, DocumentRecord, str]]) -> Iterator[Prepared | None]:
        if self.pool is None:
            yield from (None for _ in waiting)
            return
        jobs = (
            self.renderer.RenderJob(
                key=record.docno, raw=record.raw, media_type=record.media_type, charset=record.charset, url=record.url
            )
            for _, record, _ in waiting
        )
        for _, made in self.pool.map(jobs):
            yield Prepared(
                page=made.page,
                text=made.text,
                text_sha256=made.text_sha256,
                page_version=made.page_version,
                text_version=made.text_version,
                status=made.status,
                note=made.note,
            )


def second_occurrence(docno: str, line: int, *, same: bool) -> Issue:
    """Return the issue for a document that occurs a second time in the collection. The first occurrence is used."""
    content = "the same" if same else "other"
    message = f"{docno} stands in the collection a second time, with {content} content. The first was taken."
    return Issue(where=line, code="document-twice", message=message, severity="note" if same else "warning")


# Where the tasks run: in this process, in processes of this machine, or on a Dask cluster.

AHEAD = 2
"""The number of tasks given out for each thread of the workers, since the docnos travel with every task."""

CONNECT_SECONDS = 30


LOADS = "import scoring.collections.searching"
"""A statement that scheduler and workers must be able to run, since they load tasks by name."""


class NoScheduler(Exception):
    """Raised when no Dask scheduler answers, or when Assay is not installed on the scheduler or on a worker. The
    message is for the person.
    """


def run_tasks(
    tasks: Sequence[ShardTask], *, workers: int = 1, scheduler: str = "", say: Callable[[str], None] = lambda _: None
) -> Iterator[tuple[ShardTask, ShardFound]]:
    """Yield each task once with its result, in the order in which tasks finish. ``say`` gets a message if a cluster has
    no worker or has lost one, and every 30 seconds how far a shard is.

    A single worker without a scheduler runs in this process. Tasks of a lost worker are done again by others; a task on
    which four workers were lost gives the issue worker-lost. Raises NoScheduler if ``scheduler`` does not answer, has
    no Assay or is lost.
    """
    if not scheduler and min(workers, len(tasks)) <= 1:
        yield from ((task, search_shard(task, say=say)) for task in tasks)
        return
    with (
        _client(workers=min(workers, len(tasks)), scheduler=scheduler) as client,
        watched(client, scheduler, say) if scheduler else nullcontext(),
    ):
        topic = f"assay-{client.id}"  # of this search alone: others may run on the same cluster
        client.subscribe_topic(topic, lambda event: say(event[1]))
        yield from _on_dask(client, tasks, topic)


def _on_dask(client: Any, tasks: Sequence[ShardTask], topic: str) -> Iterator[tuple[ShardTask, ShardFound]]:
    from distributed import as_completed

    left = iter(tasks)
    given: dict[Any, ShardTask] = {}
    running = as_completed()

    def give() -> None:
        room = AHEAD * max(1, sum(client.nthreads().values())) - len(given)
        for task in islice(left, max(0, room)):
            future = client.submit(search_on_worker, task, topic, pure=False)
            given[future] = task
            running.add(future)

    give()
    for future in running:
        task = given.pop(future)
        yield task, _result(future, task)
        future.release()
        give()


def _result(future: Any, task: ShardTask) -> ShardFound:
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError

    try:
        found: ShardFound = future.result()
    except FutureCancelledError as error:
        raise NoScheduler(
            "the Dask scheduler is lost; what it searched is kept. Start it again, then the same command"
        ) from error
    except KilledWorker as error:
        message = (
            f"Every worker that searched the shard was lost ({str(error)[:200]}). Perhaps it takes more memory than "
            "they have. Start the same command again for the shards that are left."
        )
        issue = Issue(where="", code="worker-lost", message=message)
        return ShardFound(part=b"", read=0, found=0, issues=((task.shard.name, issue),))
    return found


@contextmanager
def _client(*, workers: int, scheduler: str) -> Iterator[Any]:
    from distributed import Client, LocalCluster

    if scheduler:
        try:
            client = Client(scheduler, timeout=CONNECT_SECONDS)
        except (OSError, TimeoutError, ValueError) as error:
            raise NoScheduler(f"no Dask scheduler answers at {scheduler}: {error}") from error
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # lost workers are reported in words, below
        with client:
            _require_assay(client, scheduler)
            yield client
        return
    local: Any = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, memory_limit=0)
    with local, Client(local) as client:
        yield client


def _require_assay(client: Any, scheduler: str) -> None:
    """Raise NoScheduler for a cluster without Assay, on which each task would otherwise end with a traceback."""
    for which, run in (("the scheduler", client.run_on_scheduler), ("a worker", client.run)):
        try:
            run(exec, LOADS)
        except ModuleNotFoundError as error:
            raise NoScheduler(
                f"{which} at {scheduler} has no {error.name}. Install Assay with “collections” where scheduler and "
                f"workers run; from a clone, start them with PYTHONPATH={Path(__file__).parents[2]}"
            ) from error
