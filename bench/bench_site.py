"""Open every page and API call of a campaign of real size twice, and run every command twice.

    python -m bench.bench_site covid|robust|tac [--keep FOLDER] [--share 1.0] [--real FOLDER] [--only NAME …]
        [--pages] [--json FILE]

Uses the campaign of `bench.real_campaigns` in FOLDER, or makes it there if it is missing; without --keep it is made in
a temporary folder. Opening pages may store results in FOLDER, so give a copy. Addresses come from the site's own list,
and from the links on the pages that are opened. Each is opened in its own process, in which the site and its libraries
are loaded, so that nothing is cached the first time and peak memory is its own. Then the worker does the jobs that were
begun, and the address is opened again. Prints one line for each:

    name, CPU seconds the first time and again, those of the worker, queries first and again, KB, growth in MB

Commands are run in the same way (`bench.site_commands`); their KB are those of their output. A command that is refused
has no line. `score` is also called after one more judgment. `--pages` leaves the commands out.
"""

from __future__ import annotations

import argparse
import io
import json
import logging
import os
import resource
import sys
import tempfile
import traceback
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.figures import Figure, Measured, add_json_option, write
from bench.real_campaigns import ORGANISER, SHAPES, make, shape_of
from bench.site_addresses import Address, campaign_addresses, linked
from bench.site_commands import COMMAND, Command, campaign_commands, paths_in

LIBRARIES = ("numpy", "pandas", "scipy.stats", "ir_measures", "pytrec_eval", "matplotlib.backends.backend_svg")
"""Libraries that pages load when they first need them, as a server's process has done long ago."""
BAD = 400
SHOWN = 0.1
"""Pages that take fewer seconds share one line on the page of figures."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Opened:
    """What one opening of a page or one call took: its status, CPU seconds, queries, and bytes of the answer."""

    status: int
    seconds: float
    queries: int
    size: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A page or command that was opened twice. ``worker`` is how many CPU seconds the worker needed for it, ``grew`` by
    how many MB the peak memory grew, and ``links`` are the addresses to which the page links.
    """

    name: str
    first: Opened
    again: Opened
    worker: float
    grew: float
    links: tuple[Address, ...] = ()

    @property
    def is_page(self) -> bool:
        """Return whether this is a page or API call, for which somebody waits, and not a command."""
        return not self.name.startswith(COMMAND)

    def line(self) -> str:
        """Return the line that is printed for this row."""
        first, again = self.first, self.again
        worker = f"{self.worker:.2f}" if self.worker else "-"
        return (
            f"{self.name}\t{first.seconds:.3f} s\t{again.seconds:.3f} s\t{worker}\t{first.queries}\t{again.queries}\t"
            f"{again.size / 1000:,.0f} KB\t{self.grew:+.0f} MB\t{first.status}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=SHAPES)
    parser.add_argument("--keep", type=Path, help="the campaign's folder, best a copy")
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--real", type=Path)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="names of addresses and commands")
    parser.add_argument("--pages", action="store_true", help="leaves the commands out")
    add_json_option(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        os.environ["ASSAY_DATA_DIR"] = str(options.keep or folder)
        os.environ["DJANGO_SETTINGS_MODULE"] = "assay_site.settings"
        import django

        django.setup()
        from django.conf import settings
        from django.core.management import call_command

        from assay_site.start import end_loading

        call_command("migrate", verbosity=0)
        forget_statistics()
        logging.getLogger("django.request").setLevel(logging.CRITICAL)
        campaign = make(options.name, shape=shape_of(options.name, options.share), real=options.real)
        settings.ALLOWED_HOSTS = ["testserver"]
        for library in LIBRARIES:
            import_module(library)
        end_loading()  # as a server does when it has loaded all
        rows = []
        for row in everything(campaign, options.only or (), with_commands=not options.pages):
            print(row.line(), flush=True)
            rows.append(row)
        write(options.json, list(figures(options.name, rows)))


def forget_statistics() -> None:
    """Delete the database's statistics of its tables on SQLite. A site has none, but a campaign that was made earlier
    may have some.
    """
    from django.db import connection

    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS sqlite_stat1")
        connection.close()


def everything(campaign: Any, only: Collection[str], *, with_commands: bool) -> Iterator[Row]:
    """Yield a row for each command and each page, or for those named in ``only``. `manage.py progress` comes first,
    since it counts all work of the new campaign.
    """
    if with_commands:
        for command in campaign_commands(campaign):
            if not only or command.name in only:
                row = _measured_by_a_child(partial(call_twice, command))
                if row.first.status < BAD:
                    yield row
                if command.name == "score":
                    yield _measured_by_a_child(partial(call_after_one, command, campaign))
    yield from walk(campaign, in_a_child(open_twice), only)


# ---------------------------------------------------------------- commands


def call_twice(command: Command) -> Row:
    """Call the command twice, and return the row."""
    before = largest()
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        first, again = (called(command, paths_in(command, Path(folder), call)) for call in (1, 2))
    return Row(name=command.label, first=first, again=again, worker=0.0, grew=largest() - before)


def call_after_one(command: Command, campaign: Any) -> Row:
    """Record one more judgment, call the command twice, and return the row. The command was called before."""
    record_one(campaign)
    row = call_twice(command)
    return replace(row, name=f"{row.name} after one judgment")


def record_one(campaign: Any) -> None:
    """Add the newest grade and the newest mark of a primary assessor again, each with another value."""
    from uuid import uuid4

    from assess.judging.models import Judgment
    from nuggets.models import NuggetMatch

    for ledger, values in ((Judgment, (0, 1)), (NuggetMatch, ("full", "absent"))):
        rows = ledger._default_manager.filter(assignment__campaign=campaign, assignment__role="primary")
        if (row := rows.order_by("-id").first()) is not None:
            changed = values[1] if row.value == values[0] else values[0]
            row.pk, row.client_key, row.value = None, uuid4(), changed
            row.save()


def called(command: Command, arguments: list[str]) -> Opened:
    """Call the command once, and return what it took. The status is `BAD` if it was refused, and the size is that of
    its output.
    """
    from django.core.management import CommandError, call_command

    told, status = io.StringIO(), 200
    with counted() as count:
        began = cpu()
        try:
            call_command(command.name, *arguments, stdout=told, stderr=io.StringIO())
        except CommandError:
            status = BAD
        took = cpu() - began
    return Opened(status=status, seconds=took, queries=count[0], size=len(told.getvalue().encode()))


# ---------------------------------------------------------------- the walk


Opening = Callable[[Address, Any], "Row"]


def walk(campaign: Any, opening: Opening, only: Collection[str] = ()) -> Iterator[Row]:
    """Yield a row for every address of the campaign that answers GET, then for every link that asks an address for
    something else. Addresses that answer with an error have no row.
    """
    found, _ = campaign_addresses(campaign, ORGANISER)
    waiting = deque(each for each in found if not only or each.name in only)
    known = {"logout"}.union(*(each.asks for each in found))
    while waiting:
        row = opening(address := waiting.popleft(), campaign)
        if row.first.status < BAD:
            known.add(address.name)
            yield row
        for link in row.links:
            if (not only or link.name in only) and (new := {link.name, *link.asks} - known):
                known |= new
                waiting.append(link)


def open_twice(address: Address, campaign: Any) -> Row:
    """Open the address, have the worker do the waiting jobs, open it again, and return the row. An address that answers
    with an error is opened once.
    """
    client = reader(address)
    before = largest()
    first, body = opened(client, address.path)
    worker = work(campaign)
    again = opened(client, address.path)[0] if first.status < BAD else first
    links = tuple(linked(address.path, body, address.person))
    return Row(name=address.label, first=first, again=again, worker=worker, grew=largest() - before, links=links)


def open_once(address: Address, campaign: Any) -> Row:
    """Open the address once in this process, which may have cached what it computed for others, and return the row."""
    first, body = opened(reader(address), address.path)
    links = tuple(linked(address.path, body, address.person))
    return Row(name=address.label, first=first, again=first, worker=0.0, grew=0.0, links=links)


def reader(address: Address) -> Any:
    """Return a test client in which a person is logged in who may open the address."""
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client()
    client.force_login(User.objects.get(username=address.person))
    return client


def opened(client: Any, path: str) -> tuple[Opened, str]:
    """Open a path and read the answer to its last byte. Return what it took, and the text if it is a page, else ""."""
    with counted() as count:
        began = cpu()
        answer = client.get(path)
        size, parts = 0, []
        for part in answer.streaming_content if answer.streaming else [answer.content]:
            size += len(part)
            parts += [part] if "text/html" in answer.headers.get("Content-Type", "") else []
        took = cpu() - began
    body = b"".join(parts).decode() if parts else ""
    return Opened(status=answer.status_code, seconds=took, queries=count[0], size=size), body


def work(campaign: Any) -> float:
    """Do the campaign's waiting jobs as the worker does, and return the CPU seconds."""
    from assess.management.commands.db_worker import new_worker, work_on

    if not campaign.jobs.filter(state="waiting").exists():
        return 0.0
    began = cpu()
    work_on(new_worker(), interval=0, batch=True)
    return cpu() - began


@contextmanager
def counted() -> Iterator[list[int]]:
    """Yield a list whose one entry is the number of statements sent to the database so far in the block."""
    from django.db import connection

    count = [0]

    def one_more(execute: Callable[..., Any], *arguments: Any) -> Any:
        count[0] += 1
        return execute(*arguments)

    with connection.execute_wrapper(one_more):
        yield count


def cpu() -> float:
    """Return the CPU seconds of this process and of those that it started, if they have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def largest() -> float:
    """Return the peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_a_child(opening: Opening) -> Opening:
    """Return a function that opens and measures as ``opening`` does, in a process that begins as a copy of this one."""
    return lambda address, campaign: _measured_by_a_child(lambda: opening(address, campaign))


def _measured_by_a_child(measure: Callable[[], Row]) -> Row:
    from django.db import connections

    connections.close_all()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            row = measure()
            with os.fdopen(writing, "w") as pipe:
                json.dump(asdict(row), pipe)
            status = 0
        finally:
            if status:
                traceback.print_exc()
            sys.stdout.flush()
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    if status or not told:
        raise SystemExit("the process that opened a page failed; its words stand above")
    said = json.loads(told)
    links = tuple(Address(**each) for each in said.pop("links"))
    return Row(**(said | {when: Opened(**said[when]) for when in ("first", "again")}), links=links)


# ---------------------------------------------------------------- figures


SLOWEST = Figure(name="slowest", what="the slowest page", asked=1.0, unit="s of CPU")
FIGURES = (SLOWEST,)
"""Besides, each page that takes `SHOWN` has one of its own."""
BEFORE = Path(__file__).parent / "site_before.json"
"""The file of the seconds that pages took the first time and again, by campaign, before they were made faster: commit
58ca68ad.
"""


def figures(name: str, rows: list[Row]) -> Iterator[Measured]:
    """Yield the figures of the slowest page, of each page and command that takes `SHOWN` seconds or more, and of the
    slowest of all others.
    """
    before = json.loads(BEFORE.read_text(encoding="utf-8")).get(name, {})
    if slowest := max((row for row in rows if row.is_page), key=_seconds, default=None):
        yield replace(SLOWEST, what=f"{name}: {SLOWEST.what}").measured([_seconds(slowest)], note=_quoted(slowest.name))
    dear = [row for row in rows if max(_seconds(row), row.worker) >= SHOWN]
    for row in sorted(dear, key=_seconds, reverse=True):
        asked = SLOWEST.asked if row.is_page else None
        figure = Figure(name=row.name, what=f"{name}: {_quoted(row.name)}", asked=asked, unit=SLOWEST.unit)
        yield figure.measured([row.first.seconds, row.again.seconds], note=_note(row, before.get(row.name)))
    others = [row for row in rows if row not in dear]
    if others:
        figure = Figure(name="others", what=f"{name}: each of {len(others)} others", asked=SHOWN, unit=SLOWEST.unit)
        yield figure.measured([max(map(_seconds, others))])


def _quoted(name: str) -> str:
    """Return the name of an address or command in Markdown, with a command's arguments after it.

    >>> _quoted("runs"), _quoted("manage.py agreement votes official")
    ('`runs`', 'command `agreement` votes official')
    """
    program, _, rest = name.partition(" ")
    command, _, given = rest.partition(" ")
    return f"command `{command}` {given}".strip() if program == "manage.py" else f"`{name}`"


def _seconds(row: Row) -> float:
    return max(row.first.seconds, row.again.seconds)


def _note(row: Row, before: list[float] | None) -> str:
    parts = [f"first {row.first.seconds:.2f}, again {row.again.seconds:.2f} s"]
    parts += [f"in the worker {row.worker:.1f} s"] if row.worker else []
    parts += [f"{row.first.queries} and {row.again.queries} queries", f"{row.again.size / 1000:,.0f} KB"]
    parts += [f"{row.grew:+.0f} MB"]
    parts += ["before: first {:.2f}, again {:.2f} s".format(*before)] if before else []
    return "; ".join(parts)


if __name__ == "__main__":
    main()
