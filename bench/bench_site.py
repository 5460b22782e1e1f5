"""Open every page and call of a campaign of real size twice, and run every command twice.

    python -m bench.bench_site covid|robust|tac [--keep FOLDER] [--share 1.0] [--real FOLDER] [--only NAME …]
        [--pages] [--json FILE]

Takes the campaign of `bench.real_campaigns` in FOLDER (made where it is not there; what is opened there may be
remembered, so give a copy), or makes it in a folder that is gone afterwards. Addresses come from the site's own list,
and from the links on the pages that are opened. Each is opened in a process of its own in which the site and its
libraries are loaded, so that nothing is remembered at the first time and memory is its own; then what it asked of the
worker is done, and it is opened again. Prints a line for each, the dearest last:

    name, seconds of CPU the first time and again, those of the worker, queries first and again, KB, MB it grew by

A command is run so, too (`bench.site_commands`), its KB being what it prints; of one that is refused there is no line.
`score` is also called after one judgment more.
`--pages` leaves the commands out.
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
"""What pages load when they first need it: a server's process has done so long ago."""
BAD = 400
SHOWN = 0.1
"""Pages that take less are one line of the page of figures together."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Opened:
    """What one opening took: seconds of CPU, queries, bytes of the answer."""

    status: int
    seconds: float
    queries: int
    size: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A page or command: opened first and again; ``worker`` is what the worker did for it, in seconds of CPU."""

    name: str
    first: Opened
    again: Opened
    worker: float
    grew: float
    links: tuple[Address, ...] = ()

    @property
    def is_page(self) -> bool:
        """Whether somebody waits for it in a browser or a program; nobody does for a command."""
        return not self.name.startswith(COMMAND)

    def line(self) -> str:
        """As it is printed."""
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
    """A site on SQLite has none of its tables, which a campaign that was made before may have."""
    from django.db import connection

    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS sqlite_stat1")
        connection.close()


def everything(campaign: Any, only: Collection[str], *, with_commands: bool) -> Iterator[Row]:
    """What commands and pages take; `manage.py progress` comes first, which counts what was made here at once."""
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
    """Call the command and call it again."""
    before = largest()
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        first, again = (called(command, paths_in(command, Path(folder), call)) for call in (1, 2))
    return Row(name=command.label, first=first, again=again, worker=0.0, grew=largest() - before)


def call_after_one(command: Command, campaign: Any) -> Row:
    """Record one judgment more, and call the command, which was called before; then call it again."""
    record_one(campaign)
    row = call_twice(command)
    return replace(row, name=f"{row.name} after one judgment")


def record_one(campaign: Any) -> None:
    """Add the newest grade or mark of a primary assessor once more, with another value."""
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
    """One call; its status is `BAD` where it was refused, and its size that of what it printed."""
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
    """Every address of the campaign that answers to GET, then every link that asks an address for something else."""
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
    """Open the address, have the worker do what it asked for, and open it again."""
    client = reader(address)
    before = largest()
    first, body = opened(client, address.path)
    worker = work(campaign)
    again = opened(client, address.path)[0] if first.status < BAD else first
    links = tuple(linked(address.path, body, address.person))
    return Row(name=address.label, first=first, again=again, worker=worker, grew=largest() - before, links=links)


def open_once(address: Address, campaign: Any) -> Row:
    """Open the address in this very process, which remembers what it computed for others."""
    first, body = opened(reader(address), address.path)
    links = tuple(linked(address.path, body, address.person))
    return Row(name=address.label, first=first, again=first, worker=0.0, grew=0.0, links=links)


def reader(address: Address) -> Any:
    """A browser in which somebody logged in who may open the address."""
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client()
    client.force_login(User.objects.get(username=address.person))
    return client


def opened(client: Any, path: str) -> tuple[Opened, str]:
    """One GET, to its last byte; the text of a page."""
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
    """Do what waits for the worker; seconds of CPU."""
    from assess.management.commands.db_worker import new_worker, work_on

    if not campaign.jobs.filter(state="waiting").exists():
        return 0.0
    began = cpu()
    work_on(new_worker(), interval=0, batch=True)
    return cpu() - began


@contextmanager
def counted() -> Iterator[list[int]]:
    """How many statements are sent to the database meanwhile."""
    from django.db import connection

    count = [0]

    def one_more(execute: Callable[..., Any], *arguments: Any) -> Any:
        count[0] += 1
        return execute(*arguments)

    with connection.execute_wrapper(one_more):
        yield count


def cpu() -> float:
    """Seconds of CPU of this process and those it started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def largest() -> float:
    """The most memory that this process held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_a_child(opening: Opening) -> Opening:
    """The same in a process that begins as a copy of this one."""
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
"""What pages took the first time and again, by campaign, before anything was done about it: commit 58ca68ad."""


def figures(name: str, rows: list[Row]) -> Iterator[Measured]:
    """The slowest page, each page and command that is not cheap, and all others together."""
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
    """The name of an address or command set as a name; what a command was given stands behind it.

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
