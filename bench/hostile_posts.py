"""Measure how fast judgments are saved, and whether any is lost, while a participant posts hostile files.

    .venv/bin/python -m bench.hostile_posts [--people 8] [--posts 10] [--seconds 20] [--pause 0.5] [--size 8]
        [--json FILE]

Serves a site by `manage.py serve` on SQLite at 127.0.0.1. Each person sends a judgment every --pause seconds: first
alone, and then while the participant, who is logged in, sends --posts posts of *Check only* at once. Each post has a
file of --size MB of one kind (`bench/hostile_files.py`), and the next is sent as soon as one is answered. Prints the
milliseconds of saving (median/99th percentile) in both cases, how the posts were answered, and how many judgments were
refused, lost or doubled. The status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import http.client
import os
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from itertools import cycle

from bench.bench_http import CSRF, SLUG, Person, Turn, add_people, lost_or_doubled, make_site, send, served
from bench.figures import Figure, add_json_option, write
from bench.hostile_files import REPEATED

SAVING = Figure(
    name="saving",
    what="99th percentile of saving beside ten hostile posts",
    against="alone, in the same run",
    unit="ms",
)
WRONG = Figure(name="wrong", what="judgments refused, lost or doubled beside hostile posts", asked=0.0, unit="")
FIGURES = (SAVING, WRONG)
KINDS = ("line breaks", "bad JSON lines", "lines of one letter", "NULs in lines", "one long line", "brackets")
BOUNDARY = "hostile-posts"


def main() -> int:
    """Make a site, serve it, judge and post. Return 1 if a judgment was refused, lost or doubled."""
    options = _options()
    os.environ.pop("ASSAY_DATABASE", None)
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        os.environ.update(ASSAY_DATA_DIR=folder, DJANGO_SETTINGS_MODULE="assay_site.settings")
        import django

        django.setup()
        make_site()
        session = add_participant()
        each = int(options.seconds / options.pause) + 1
        first, alone, beside = add_people(8, 2), add_people(options.people, each), add_people(options.people, each)
        with served() as port:
            send(first, 2, port=port, seconds=60)
            quiet = _judge(alone, each, port, options)
            posts = Posts(port, session, size=int(options.size * 1_000_000))
            with posts.going(options.posts):
                loud = _judge(beside, each, port, options)
        wrong = sum(not answer.is_accepted for turn in (quiet, loud) for answer in turn.answers)
        wrong += lost_or_doubled([first, alone, beside])
    print(f"alone\t{quiet}\nbeside {options.posts} posts\t{loud}, longest {loud.percentile(100):.0f} ms")
    answered = ", ".join(f"{count} × {status}" for status, count in sorted(posts.answered.items()))
    print(f"posts\t{answered}; longest {max(posts.seconds, default=0):.1f} s")
    print(f"{len(quiet.answers) + len(loud.answers):,} judgments, {wrong} refused, lost or doubled", flush=True)
    tail, count = loud.percentile(99), len(quiet.answers) + len(loud.answers)
    note = f"alone {quiet.percentile(99):.0f} ms; posts {answered}"
    saving = SAVING.measured([tail], size=options.posts, of="posts at once", note=note)
    write(options.json, [saving, WRONG.measured([wrong], size=count, of="judgments")])
    return int(wrong > 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=8)
    parser.add_argument("--posts", type=int, default=10, help="at once")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--pause", type=float, default=0.5, help="seconds between two judgments of a person")
    parser.add_argument("--size", type=float, default=8, help="MB of a file")
    add_json_option(parser)
    return parser.parse_args()


def _judge(people: Sequence[Person], each: int, port: int, options: argparse.Namespace) -> Turn:
    return send(people, each, port=port, seconds=options.seconds, pause=options.pause)


def add_participant() -> str:
    """Create a participant of the first campaign, log them in, and return the session key."""
    from django.contrib.auth.models import User
    from django.test import Client

    from assess.campaigns.models import Campaign, Membership

    participant = User.objects.create_user("participant")
    campaign = Campaign.objects.get(slug=f"{SLUG}0")
    Membership.objects.create(campaign=campaign, user=participant, role="participant", team="Harbor")
    client = Client()
    client.force_login(participant)
    return client.cookies["sessionid"].value


class Posts:
    """Sends posts of one participant in several threads, and counts the answers."""

    def __init__(self, port: int, session: str, *, size: int) -> None:
        self.port, self.session, self.size = port, session, size
        self.answered: Counter[str] = Counter()
        self.seconds: list[float] = []
        self.is_over = threading.Event()
        self.threads: list[threading.Thread] = []

    def going(self, count: int) -> Posts:
        """Prepare this number of threads, which send posts for as long as the ``with`` block of the returned object
        lasts.
        """
        bodies = cycle([self._body(REPEATED[kind]) for kind in KINDS])
        self.threads = [threading.Thread(target=self._post, args=(next(bodies),)) for _ in range(count)]
        return self

    def __enter__(self) -> None:
        for thread in self.threads:
            thread.start()

    def __exit__(self, *_: object) -> None:
        self.is_over.set()
        for thread in self.threads:
            thread.join()

    def _body(self, piece: bytes) -> bytes:
        fields = {"team": "Harbor", "priority": "1", "automatic": "yes", "field-documents": "collection", "check": "1"}
        parts = [
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n' for k, v in fields.items()
        ]
        parts.append(f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="run"\r\n\r\n')
        return "".join(parts).encode() + piece * (self.size // len(piece)) + f"\r\n--{BOUNDARY}--\r\n".encode()

    def _post(self, body: bytes) -> None:
        headers = {
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
            "Cookie": f"sessionid={self.session}; csrftoken={CSRF}",
            "X-CSRFToken": CSRF,
        }
        while not self.is_over.is_set():
            connection, begin = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120), time.monotonic()
            try:
                connection.request("POST", f"/c/{SLUG}0/runs/new/", body, headers)
                status = str(connection.getresponse().status)
            except OSError as error:
                status = type(error).__name__
            finally:
                connection.close()
            self.answered[status] += 1
            self.seconds.append(time.monotonic() - begin)


if __name__ == "__main__":
    raise SystemExit(main())
