"""Measure how fast judgments are saved over HTTP by a served site, and how long people wait.

    .venv/bin/python -m bench.bench_http [--database sqlite] [--rounds 3] [--requests 400] [--rate 100] [--seconds 10]
    .venv/bin/python -m bench.bench_http --people 200 --seconds 600 [--pause 5] [--database postgresql]

Serves a site by `manage.py serve` as it is shipped, on 127.0.0.1, and posts judgments as the grading bench does, from
another process of the same machine. Each is about an item that was not judged before, and each assessor has their own
work. In a closed loop, 1 and then 8 clients send the next judgment as soon as the last was answered. In an open loop,
--rate judgments are due every second, and waiting counts from when they are due. With --people there is only one
measurement, in which that many people each send a judgment every --pause seconds. With --campaigns the clients are
spread over several campaigns.

For every round the answers a second and the milliseconds (median/99th percentile) are printed. Afterwards every
acknowledged judgment must be in the database once. `--database postgresql` starts its own server, unless ASSAY_DATABASE
names an empty database.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

from bench.figures import Figure, Measured, add_json_option, write
from bench.http_load import ROOT, Answer, ask, request
from bench.servers import free_port, serving

RATE_OF_ONE = Figure(name="one", what="judgments a second, 1 client", unit="/s", is_more_better=True)
RATE_OF_EIGHT = Figure(name="eight", what="judgments a second, 8 clients", unit="/s", is_more_better=True)
TAIL_OF_EIGHT = Figure(name="eight-p99", what="99th percentile of saving, 8 clients", unit="ms")
HELD = Figure(name="open", what="judgments answered of 100 due a second", asked=99.0, unit="/s", is_more_better=True)
TAIL_OF_OPEN = Figure(name="open-p99", what="99th percentile of saving, 100 due a second", asked=60.0, unit="ms")
PEOPLE_TAIL = Figure(name="people-p99", what="99th percentile of saving, each person every 5 s", asked=100.0, unit="ms")
PEOPLE_WRONG = Figure(name="people-wrong", what="their judgments refused, lost or doubled", asked=0.0, unit="")
FIGURES = (RATE_OF_ONE, RATE_OF_EIGHT, TAIL_OF_EIGHT, HELD, TAIL_OF_OPEN, PEOPLE_TAIL, PEOPLE_WRONG)
NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
SLUG, CSRF = "load", "c" * 32
OPEN_CLIENTS = 32


@contextmanager
def own_site(module: str, database: str, *, keep: Path | None = None) -> Iterator[Path]:
    """Yield a temporary folder, with Django set up for a site in it, or in ``keep`` if this is given.

    On PostgreSQL, unless ASSAY_DATABASE names a database, a server is started, the ``module`` is run again with it,
    and this process ends with the status of that run.
    """
    if database == "postgresql" and "ASSAY_DATABASE" not in os.environ:
        os.environ["ASSAY_TEST_FSYNC"] = "on"  # what is acknowledged is on the disk
        server = [str(ROOT / "tests" / "with_postgresql.sh"), sys.executable, "-m", module]
        raise SystemExit(subprocess.run([*server, *sys.argv[1:]], cwd=ROOT, check=False).returncode)
    if database == "sqlite":
        os.environ.pop("ASSAY_DATABASE", None)
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        os.environ.update(ASSAY_DATA_DIR=str(keep or folder), DJANGO_SETTINGS_MODULE="assay_site.settings")
        import django

        django.setup()
        yield Path(folder)


def main() -> None:
    """Make a site, serve it, send judgments, and write the figures."""
    options = _options()
    with own_site("bench.bench_http", options.database, keep=options.keep):
        make_site(options.campaigns)
        write(options.json, measure_people(options) if options.people else measure(options))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", choices=NAMES, default="sqlite")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--requests", type=int, default=400, help="of a closed loop")
    parser.add_argument("--rate", type=float, default=100, help="of the open loop, a second")
    parser.add_argument("--seconds", type=float, default=10, help="of the open loop, or of the people")
    parser.add_argument("--people", type=int, default=0)
    parser.add_argument("--campaigns", type=int, default=1, help="over which the clients are spread")
    parser.add_argument("--pause", type=float, default=5, help="seconds between two judgments of a person")
    parser.add_argument("--keep", type=Path, help="where to put it, with an empty database or none")
    add_json_option(parser)
    return parser.parse_args()


# ---------------------------------------------------------------- what is measured


@dataclass(frozen=True, slots=True)
class Turn:
    """The answers of one loop."""

    answers: list[Answer]

    @property
    def rate(self) -> float:
        """Return how many requests were accepted a second, from when the first was due to the last answer."""
        seconds = max(each.ended for each in self.answers) - min(each.due for each in self.answers)
        return sum(each.is_accepted for each in self.answers) / seconds

    def percentile(self, share: int) -> float:
        """Return the milliseconds within which ``share`` percent of the requests were answered, from when they were
        due.
        """
        waited = sorted(each.waited for each in self.answers)
        return waited[min(len(waited) - 1, len(waited) * share // 100)] * 1000

    def __str__(self) -> str:
        return f"{self.rate:.0f}/s, {self.percentile(50):.0f}/{self.percentile(99):.0f} ms"


def measure(options: argparse.Namespace) -> list[Measured]:
    """Return the figures of closed loops of 1 and of 8 clients and of an open loop.

    Ends the program if a request was refused or a judgment lost or doubled.
    """
    pause = OPEN_CLIENTS / options.rate
    loops: dict[str, tuple[int, int, float | None]] = {  # clients, requests of each, seconds between them
        "1 client": (1, options.requests, None),
        "8 clients": (8, options.requests // 8 + 1, None),
        f"{options.rate:g} a second": (OPEN_CLIENTS, int(options.seconds / pause) + 1, pause),
    }
    people = {name: add_people(clients, options.rounds * each) for name, (clients, each, _) in loops.items()}
    first = add_people(8, 2)
    turns: dict[str, list[Turn]] = {name: [] for name in loops}
    with served() as port:
        send(first, 2, port=port, seconds=60)  # which load what the server loads when it is first asked
        for _ in range(options.rounds):
            for name, (_clients, each, every) in loops.items():
                seconds = options.seconds if every else 60.0
                turns[name].append(send(people[name], each, port=port, seconds=seconds, pause=every))
    for name in loops:
        print(f"{name}\tjudgment\t" + "\t".join(map(str, turns[name])), flush=True)
    refused = [each for of_loop in turns.values() for turn in of_loop for each in turn.answers if not each.is_accepted]
    if refused or (wrong := lost_or_doubled([first, *people.values()])):
        raise SystemExit(f"{len(refused)} requests refused, {wrong} judgments lost or doubled; {refused[:3]}")
    one, eight, due = turns.values()
    of = f"judgments on {NAMES[options.database]}"
    return [
        _measured(RATE_OF_ONE, [turn.rate for turn in one], one, of),
        _measured(RATE_OF_EIGHT, [turn.rate for turn in eight], eight, of),
        _measured(TAIL_OF_EIGHT, [turn.percentile(99) for turn in eight], eight, of),
        _measured(HELD, [turn.rate for turn in due], due, of),
        _measured(TAIL_OF_OPEN, [turn.percentile(99) for turn in due], due, of),
    ]


def _measured(figure: Figure, values: Sequence[float], turns: Sequence[Turn], of: str) -> Measured:
    return figure.measured(values, size=sum(len(turn.answers) for turn in turns), of=of, note=str(turns[0]))


def measure_people(options: argparse.Namespace) -> list[Measured]:
    """Return the figures of many people at a time, each of whom judges every few seconds."""
    each = int(options.seconds / options.pause) + 1
    people, first = add_people(options.people, each), add_people(8, 2)
    with served() as port:
        send(first, 2, port=port, seconds=60)
        turn = send(people, each, port=port, seconds=options.seconds, pause=options.pause)
    refused = [each for each in turn.answers if not each.is_accepted]
    wrong = len(refused) + lost_or_doubled([first, people])
    longest = max(each.waited for each in turn.answers) * 1000
    note = f"{len(turn.answers):,} judgments in {options.seconds:g} s: {turn}, longest {longest:.0f} ms"
    print(f"{options.people} people on {NAMES[options.database]}\t{note}; {wrong} refused, lost or doubled")
    print(*(f"  {each.status} {each.error}" for each in refused[:5]), sep="\n", flush=True)
    of = f"people on {NAMES[options.database]}"
    return [
        PEOPLE_TAIL.measured([turn.percentile(99)], size=options.people, of=of, note=note),
        PEOPLE_WRONG.measured([wrong], size=options.people, of=of, note=note),
    ]


# ---------------------------------------------------------------- who sends what


@dataclass(kw_only=True, slots=True)
class Person:
    """An assessor with work of their own, in a browser: the items left to judge, and the keys of what was sent."""

    address: str
    session: str
    handles: list[int]
    keys: list[UUID]
    acknowledged: list[UUID]

    def request(self, port: int) -> str:
        """Return the request for the next judgment, as the outbox of the bench sends it."""
        self.keys.append(uuid4())
        fields = {"item": self.handles.pop(), "criterion": "correctness", "value": 1, "how": "key", "seconds": "4.2"}
        shown = '{"value": null, "note": ""}'
        headers = {
            "Cookie": f"sessionid={self.session}; csrftoken={CSRF}",
            "X-CSRFToken": CSRF,
            "Accept": "application/json",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        body = urlencode({**fields, "shown": shown, "client_key": self.keys[-1]})
        return request("POST", self.address, port=port, headers=headers, body=body)


def send(people: Sequence[Person], each: int, *, port: int, seconds: float, pause: float | None = None) -> Turn:
    """Let every person judge ``each`` items, note which judgments were acknowledged, and return the answers."""
    before = [len(person.keys) for person in people]
    answers = ask(
        port, [[person.request(port) for _ in range(each)] for person in people], seconds=seconds, pause=pause
    )
    for answer in answers:
        if answer.is_accepted:
            person = people[answer.client]
            person.acknowledged.append(person.keys[before[answer.client] + answer.number])
    return Turn(answers)


def lost_or_doubled(groups: Sequence[Sequence[Person]]) -> int:
    """Return how many acknowledged judgments are missing in the database, plus how many are there that were not
    acknowledged or are there twice.
    """
    from assess.judging.models import Judgment

    stored = Counter(Judgment.objects.values_list("client_key", flat=True))
    acknowledged = Counter(key for group in groups for person in group for key in person.acknowledged)
    return sum((stored - acknowledged).values()) + sum((acknowledged - stored).values())


# ---------------------------------------------------------------- the site


@contextmanager
def served() -> Iterator[int]:
    """Serve the site as it is shipped, and yield its port."""
    port = free_port()
    with serving([sys.executable, "manage.py", "serve", "--port", str(port)], port=port, at=ROOT):
        yield port


def make_site(campaigns: int = 1) -> None:
    """Create the database with this number of campaigns without work."""
    from django.contrib.auth.models import User
    from django.core.management import call_command

    from tests import factories

    call_command("migrate", verbosity=0)
    organiser = User.objects.create_user("organiser")
    for number in range(campaigns):
        factories.campaign(organiser=organiser, slug=f"{SLUG}{number}")


def add_people(count: int, each: int) -> list[Person]:
    """Create ``count`` assessors who are logged in, each with work on a topic of ``each`` items, and return them."""
    from django.db import connection, transaction

    from assess.campaigns.models import Campaign

    campaigns = cycle(Campaign.objects.order_by("pk"))
    with transaction.atomic():
        people = [_add_person(next(campaigns), each) for _ in range(count)]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")  # which its own vacuum does on a server that is not made for an hour
    return people


def _add_person(campaign: Any, each: int) -> Person:
    from django.contrib.auth.models import User
    from django.test import Client

    from assess.assignments.queries.work_items import handle_of
    from assess.campaigns.models import Membership
    from tests import factories

    number = User.objects.count()
    assessor = User.objects.create_user(f"assessor{number}")
    Membership.objects.create(campaign=campaign, user=assessor, role="assessor")
    topic = factories.topic(campaign, f"9.{number}", "Which do people like?", task="rigid", ordinal=number)
    items = factories.pooled(topic, [f"answer {place} of {number}" for place in range(each)])
    work = factories.assignment(topic, "instances", assessor)
    client = Client()
    client.force_login(assessor)
    return Person(
        address=f"/c/{campaign.slug}/work/{work.pk}/judge/",
        session=client.cookies["sessionid"].value,
        handles=[handle_of(work, item.pk) for item in items],
        keys=[],
        acknowledged=[],
    )


if __name__ == "__main__":
    main()
