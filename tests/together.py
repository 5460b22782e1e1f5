"""Several things done at the same moment, each in a thread with a connection of its own."""

from __future__ import annotations

from collections.abc import Callable
from threading import Barrier, Thread

from django.db import DatabaseError, connection

from assess.base.errors import Refused


def together(*tasks: Callable[[], object]) -> list[Exception]:
    """What was refused or went wrong when these ran at the same moment."""
    wrong: list[Exception] = []
    start = Barrier(len(tasks))

    def run(task: Callable[[], object]) -> None:
        try:
            start.wait()
            task()
        except (DatabaseError, Refused) as error:
            wrong.append(error)
        finally:
            connection.close()

    threads = [Thread(target=run, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong
