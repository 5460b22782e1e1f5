"""Measure how fast judgments are saved while an organiser opens the heaviest pages of large campaigns.

    .venv/bin/python -m bench.bench_heavy [--people 30] [--seconds 60] [--pause 5] [--reload 2] [--names robust tac]
        [--share 1] [--database sqlite] [--json FILE]

Serves a site by `manage.py serve` at 127.0.0.1. Each person sends a judgment every --pause seconds: first alone, and
then while eight clients open pages. The clients take turns with the pages of `HEAVY` in each campaign of --names
(`bench/real_campaigns.py`), and each waits --reload seconds between two pages. `/healthz` and the log-in page are
requested once a second. Prints the milliseconds of saving (median/99th percentile) in both cases, the statuses and the
longest time of each page, and how many judgments were refused, lost or doubled. The status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import http.client
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle

from bench.bench_http import NAMES, SLUG, Person, add_people, make_site, own_site, send, served
from bench.figures import Figure, add_json_option, write

SAVING = Figure(
    name="saving",
    what="99th percentile of saving beside eight heavy pages",
    against="alone, in the same run",
    asked=100.0,
    unit="ms",
)
SILENCE = Figure(name="silence", what="longest answer of /healthz and the log-in beside them", unit="ms")
WRONG = Figure(name="wrong", what="judgments refused, lost or doubled beside heavy pages", asked=0.0, unit="")
FIGURES = (SAVING, SILENCE, WRONG)
AT_ONCE = 8
HEAVY = (
    "scores/", "stability/", "significance/", "agreement/", "analysis/", "adjudication/", "progress/", "exports/all/",
)  # fmt: skip
LIGHT = ("/healthz", "/login/")


def main() -> int:
    """Make a site, serve it, judge and open pages. Return 1 if a judgment was refused, lost or doubled."""
    options = _options()
    with own_site("bench.bench_heavy", options.database):
        make_site()
        each = int(options.seconds / options.pause) + 1
        first, alone, beside = add_people(8, 2), add_people(options.people, each), add_people(options.people, each)
        session = make_campaigns(options.names, options.share)
        with served() as port:
            send(first, 2, port=port, seconds=60)
            quiet = send(alone, each, port=port, seconds=options.seconds, pause=options.pause)
            pages = Opened(
                port, session, [f"/c/{name}/{page}" for page in HEAVY for name in options.names], options.reload
            )
            with pages.going():
                loud = send(beside, each, port=port, seconds=options.seconds, pause=options.pause)
        wrong = sum(not answer.is_accepted for turn in (quiet, loud) for answer in turn.answers)
        wrong += lost_or_doubled([first, alone, beside])
    print(f"alone\t{quiet}\nbeside heavy pages\t{loud}, longest {loud.percentile(100):.0f} ms")
    for address, (statuses, longest) in sorted(pages.told().items()):
        print(f"{address}\t{', '.join(f'{count} × {status}' for status, count in statuses.items())}\t{longest:.1f} s")
    count = len(quiet.answers) + len(loud.answers)
    print(f"{count:,} judgments, {wrong} refused, lost or doubled", flush=True)
    of = f"people on {NAMES[options.database]}"
    silence = max(longest for address, (_, longest) in pages.told().items() if address in LIGHT) * 1000
    note = f"alone {quiet.percentile(99):.0f} ms; {', '.join(options.names)}"
    write(
        options.json,
        [
            SAVING.measured([loud.percentile(99)], size=options.people, of=of, note=note),
            SILENCE.measured([silence], size=options.people, of=of, note=note),
            WRONG.measured([wrong], size=count, of=f"judgments on {NAMES[options.database]}"),
        ],
    )
    return int(wrong > 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", choices=NAMES, default="sqlite")
    parser.add_argument("--people", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=5, help="seconds between two judgments of a person")
    parser.add_argument("--reload", type=float, default=2, help="seconds between two heavy pages of a person")
    parser.add_argument("--names", nargs="+", choices=("covid", "robust", "tac"), default=["robust", "tac"])
    parser.add_argument("--share", type=float, default=1.0, help="makes the campaigns smaller")
    add_json_option(parser)
    return parser.parse_args()


def make_campaigns(names: list[str], share: float) -> str:
    """Make the campaigns, and return the session key of an organiser of all of them."""
    from django.contrib.auth.models import User
    from django.test import Client

    from assess.campaigns.models import Campaign, Membership
    from bench.real_campaigns import make, shape_of

    organiser = User.objects.create_superuser("desk")
    for name in names:
        make(name, shape=shape_of(name, share))
        campaign = Campaign.objects.get(slug=name)
        Membership.objects.create(campaign=campaign, user=organiser, role="organiser")
    client = Client()
    client.force_login(organiser)
    return client.cookies["sessionid"].value


def lost_or_doubled(groups: list[list[Person]]) -> int:
    """Return how many judgments of these people are not in the database exactly as often as they were acknowledged.
    Judgments in the large campaigns are not looked at.
    """
    from assess.judging.models import Judgment

    own = Judgment.objects.filter(assignment__campaign__slug__startswith=SLUG)
    stored = Counter(own.values_list("client_key", flat=True))
    acknowledged = Counter(key for group in groups for person in group for key in person.acknowledged)
    return sum((stored - acknowledged).values()) + sum((acknowledged - stored).values())


class Opened:
    """Opens pages in eight threads, which take turns with the addresses and wait ``reload`` seconds after each page.
    ``answers`` holds (address, status or error, seconds) of each request.
    """

    def __init__(self, port: int, session: str, addresses: list[str], reload: float) -> None:
        self.port, self.session, self.reload = port, session, reload
        self.next = cycle(addresses)
        self.answers: list[tuple[str, str, float]] = []
        self.lock, self.is_over = threading.Lock(), threading.Event()

    @contextmanager
    def going(self) -> Iterator[None]:
        """Open the pages of `HEAVY` in eight threads, and those of `LIGHT` once a second, until the block ends."""
        threads = [threading.Thread(target=self._heavy) for _ in range(AT_ONCE)]
        threads.append(threading.Thread(target=self._light))
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.is_over.set()
            for thread in threads:
                thread.join()

    def told(self) -> dict[str, tuple[Counter[str], float]]:
        """Return address -> (how often it gave each status, seconds of its longest answer)."""
        found: dict[str, tuple[Counter[str], float]] = {}
        for address, status, seconds in self.answers:
            statuses, longest = found.get(address, (Counter(), 0.0))
            statuses[status] += 1
            found[address] = statuses, max(longest, seconds)
        return found

    def _heavy(self) -> None:
        while not self.is_over.is_set():
            with self.lock:
                address = next(self.next)
            self._ask(address)
            self.is_over.wait(self.reload)

    def _light(self) -> None:
        while not self.is_over.wait(1):
            for address in LIGHT:
                self._ask(address)

    def _ask(self, address: str) -> None:
        connection, begin = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120), time.monotonic()
        try:
            connection.request("GET", address, headers={"Cookie": f"sessionid={self.session}", "Accept": "text/html"})
            answer = connection.getresponse()
            answer.read()
            status = str(answer.status)
        except OSError as error:
            status = type(error).__name__
        finally:
            connection.close()
        self.answers.append((address, status, time.monotonic() - begin))


if __name__ == "__main__":
    raise SystemExit(main())
