"""Where the tasks run: in this process, in processes of this machine, or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from scoring.collections.searching import ShardFound, ShardTask, search_shard
from scoring.records import Issue

AHEAD = 2
"""Tasks given out for each thread of the workers: the docnos travel with every one."""

CONNECT_SECONDS = 30


class NoScheduler(Exception):
    """No Dask scheduler answers. The message is for the person."""


def run_tasks(
    tasks: Sequence[ShardTask], *, workers: int = 1, scheduler: str = ""
) -> Iterator[tuple[ShardTask, ShardFound]]:
    """Each task with what it found, as they are done, in no order, each once.

    One worker without a scheduler runs here. Tasks of a worker that is lost are done again by others; a task on which
    four workers were lost gives the issue worker-lost. NoScheduler where ``scheduler`` does not answer.
    """
    if not scheduler and min(workers, len(tasks)) <= 1:
        yield from ((task, search_shard(task)) for task in tasks)
        return
    with _client(workers=min(workers, len(tasks)), scheduler=scheduler) as client:
        yield from _on_dask(client, tasks)


def _on_dask(client: Any, tasks: Sequence[ShardTask]) -> Iterator[tuple[ShardTask, ShardFound]]:
    from distributed import as_completed

    left = iter(tasks)
    given: dict[Any, ShardTask] = {}
    running = as_completed()

    def give() -> None:
        room = AHEAD * max(1, sum(client.nthreads().values())) - len(given)
        for task in islice(left, max(0, room)):
            future = client.submit(search_shard, task, pure=False)
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

    try:
        found: ShardFound = future.result()
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
        with client:
            yield client
        return
    local: Any = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, memory_limit=0)
    with local, Client(local) as client:
        yield client
