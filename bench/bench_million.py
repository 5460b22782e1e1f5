"""Measure time and memory of every export of a campaign with 1,000,000 judgments, and the time of its progress page.

    python -m bench.bench_million [--judgments 1000000] [--topics 250] [--assessors 40] [--keep FOLDER] [--only FIGURE]

Makes an ad hoc campaign in its own folder (SQLite), or in the empty database that ASSAY_DATABASE names: rows are added
in bulk under the ledger's counter, and a few judgments are changed or withdrawn. With --keep the folder stays, and a
later call uses it again. Every figure is taken in its own process, so that its peak memory is its own; "nothing" is a
process that only loads the site. For comparison, the same rows are dumped by `sqlite3` or `psql`, and the ledger is
counted by COUNT(*). Prints for each: what, seconds, CPU seconds, peak memory in MB, and the result.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import UUID

from bench.figures import Figure, Measured, add_json_option, amount, pass_on, write

SLUG, ORGANISER = "million", "organiser"
DAYS, CHANGED, TAKEN_BACK, UNJUDGED, SECONDED = 30, 0.03, 0.003, 0.02, 0.05
BATCH = 20_000
PLAIN = (
    "SELECT t.number, '0', i.key, j.value FROM assess_judgment j JOIN assess_item i ON i.id = j.item_id "
    "JOIN assess_topic t ON t.id = i.topic_id ORDER BY t.number, i.key"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judgments", type=int, default=1_000_000)
    parser.add_argument("--topics", type=int, default=250)
    parser.add_argument("--assessors", type=int, default=40)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only", action="append", metavar="FIGURE", help="one of the figures, such as qrels.txt")
    parser.add_argument("--figure", help=argparse.SUPPRESS)  # one figure, in a process of its own
    add_json_option(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        os.environ["ASSAY_DATA_DIR"] = str(options.keep or folder)
        os.environ["DJANGO_SETTINGS_MODULE"] = "assay_site.settings"
        import django

        django.setup()
        if options.figure:
            print_step(options.figure)
            return
        make(options.judgments, options.topics, options.assessors)
        taken: dict[str, tuple[float, float]] = {}
        call = [sys.executable, "-m", "bench.bench_million", "--keep", os.environ["ASSAY_DATA_DIR"], "--figure"]
        for name in options.only or STEPS:
            _, _, of_cpu, memory, *_ = pass_on([*call, name])
            taken[name] = amount(of_cpu), amount(memory)
        if taken.keys() >= STEPS.keys():
            write(options.json, list(figures(taken, options.judgments)))


# ---------------------------------------------------------------- the figures


QRELS = Figure(name="qrels", what="exporting qrels (CPU)", against="a dump of the same rows")
ZIP_MEMORY = Figure(name="zip-memory", what="memory that all exports take beside the site's own", unit="MB")
PROGRESS = Figure(name="progress", what="opening the progress page (CPU)", against="a process that opens nothing")
FIGURES = (QRELS, ZIP_MEMORY, PROGRESS)


def figures(taken: dict[str, tuple[float, float]], judgments: int) -> Iterator[Measured]:
    """Yield the figures. ``taken`` maps each step to its CPU seconds and its megabytes."""
    nothing, nothing_held = taken["nothing"]
    shape: dict[str, Any] = {"size": judgments, "of": "judgments"}
    qrels = [taken["qrels.txt"][0] - nothing]
    dump = max(taken["plain dump"][0] - nothing, 0.01)
    yield QRELS.measured([qrels[0] / dump], took=qrels, took_unit="s of CPU", **shape)
    yield ZIP_MEMORY.measured([taken["zip"][1] - nothing_held], **shape)
    yield PROGRESS.measured([taken["progress page"][0] / nothing], **shape)


def print_step(name: str) -> None:
    start = time.perf_counter()
    said = STEPS[name]()
    seconds, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    busy = used.ru_utime + resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    print(f"{name}\t{seconds:.2f} s\t{busy:.2f} s\t{used.ru_maxrss / 1024:.0f} MB\t{said}", flush=True)


def nothing() -> str:
    """Read the campaign alone, to see what a process takes before it reads anything else. Return its title."""
    return f"{_campaign().title}"


def plain_dump() -> str:
    """Dump the rows of the qrels by the database's own program, and return the size."""
    from django.db import connection

    with tempfile.TemporaryFile() as file:
        if connection.vendor == "sqlite":
            command = ["sqlite3", "-separator", " ", str(connection.settings_dict["NAME"]), PLAIN]
        else:
            command = ["psql", "-q", os.environ["ASSAY_DATABASE"], "-c", f"COPY ({PLAIN}) TO STDOUT DELIMITER ' '"]
        subprocess.run(command, stdout=file, check=True)
        return f"{file.tell():,} bytes"


def export(name: str) -> Callable[[], str]:
    """Return a step that writes one exported file as the page streams it, and returns its size."""

    def write() -> str:
        from assess.exports.writing import export_lines, find_export
        from assess.judging.snapshots import Snapshot

        campaign = _campaign()
        found = find_export(campaign, name)
        assert found is not None
        size = 0
        with tempfile.TemporaryFile() as file:
            for line in export_lines(Snapshot(campaign), found):
                size += file.write(line.encode())
        return f"{size:,} bytes"

    return write


def export_all() -> str:
    """Make the zip of all exported files with their manifest, and return its size."""
    from assess.campaigns.queries import ledger_point
    from assess.exports.kept import exports_at_hand, keep_exports
    from assess.judging.snapshots import Snapshot

    snapshot = Snapshot(_campaign(), ledger_point(_campaign()))
    keep_exports(snapshot)
    with exports_at_hand(actor=_organiser(), snapshot=snapshot) as package:
        return f"{package.seek(0, os.SEEK_END):,} bytes"


def plain_count() -> str:
    """Count the judgments by COUNT(*), and return their number in words."""
    from assess.judging.models import Judgment

    return f"{Judgment.objects.count():,} rows"


def count_anew() -> str:
    """Count all work from the first judgment on, as `manage.py progress` does, and return the ledger point. The page
    counts only one step at each visit.
    """
    from assess.progress.domain import count_work
    from assess.progress.models import CountedUpTo

    CountedUpTo.objects.all().delete()
    return f"up to ledger point {count_work(_campaign()).point:,}"


def page(path: str) -> Callable[[], str]:
    """Return a step that opens a page six times by Django's client, and returns its size, its first time and the median
    of the other five.
    """

    def open_page() -> str:
        from django.conf import settings
        from django.test import Client

        settings.ALLOWED_HOSTS = ["testserver"]
        client = Client()
        client.force_login(_organiser() if "work" not in path else _assessor())
        client.get("/")  # a server's process has its modules loaded
        times = []
        for _ in range(6):
            start = time.perf_counter()
            response = client.get(f"/c/{SLUG}/{path}")
            if response.status_code != 200:
                raise SystemExit(f"/c/{SLUG}/{path} answered {response.status_code}")
            times.append(time.perf_counter() - start)
        return f"{len(response.content):,} bytes; first {times[0]:.2f} s, then {statistics.median(times[1:]):.2f} s"

    return open_page


STEPS: dict[str, Callable[[], str]] = {
    "nothing": nothing,
    "plain dump": plain_dump,
    "qrels.txt": export("qrels.txt"),
    "judgments.jsonl": export("judgments.jsonl"),
    "zip": export_all,
    "COUNT(*)": plain_count,
    "counting anew": count_anew,
    "progress page": page("progress/"),
    "overview page": page(""),
    "work page": page("work/"),
}


def _campaign() -> Any:
    from assess.campaigns.models import Campaign

    return Campaign.objects.get(slug=SLUG)


def _organiser() -> Any:
    from django.contrib.auth.models import User

    return User.objects.get(username=ORGANISER)


def _assessor() -> Any:
    from django.contrib.auth.models import User

    return User.objects.get(username="assessor1")


# ---------------------------------------------------------------- the campaign


def make(judgments: int, topics: int, assessors: int) -> None:
    """Fill the database, unless it holds the campaign already."""
    from django.core.management import call_command
    from django.db import connection

    from assess.campaigns.models import Campaign

    call_command("migrate", verbosity=0)
    if Campaign.objects.filter(slug=SLUG).exists():
        return
    start = time.perf_counter()
    work = _hand_out(topics, assessors)
    items = max(int(judgments / (1 - UNJUDGED + CHANGED + SECONDED) / topics), 1)
    _add_items(work, items)
    _judge(work, items, judgments)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    print(f"made\t{time.perf_counter() - start:.0f} s\t{topics} topics, {items:,} documents each", flush=True)


def _hand_out(topics: int, assessors: int) -> list[tuple[Any, Any, Any]]:
    """Create the campaign, its people and its topics. Return (topic, primary assessor's work, second assessor's work)
    for each topic.
    """
    from django.contrib.auth.models import User

    from assess.models import Assignment, Campaign, Guideline, Membership, Topic

    organiser = User.objects.create_user(ORGANISER)
    campaign = Campaign.objects.create(slug=SLUG, title="A million", track="adhoc", state=Campaign.State.JUDGING)
    Membership.objects.create(campaign=campaign, user=organiser, role="organiser")
    Guideline.objects.create(campaign=campaign, version=1, text="Judge.", published_by=organiser)
    people = [User.objects.create_user(f"assessor{number}") for number in range(1, assessors + 1)]
    for person in people:
        Membership.objects.create(campaign=campaign, user=person, role="assessor")
    work = []
    for number in range(1, topics + 1):
        topic = Topic.objects.create(
            campaign=campaign, task="ranking", number=str(number), text=f"Topic {number}", ordinal=number
        )
        first, second = (
            Assignment.objects.create(
                campaign=campaign,
                topic=topic,
                stage="documents",
                assessor=people[(number + place) % assessors],
                role=role,
                state="started",
                seed=number,
            )
            for place, role in enumerate(("primary", "second"))
        )
        work.append((topic, first, second))
    return work


def _add_items(work: list[tuple[Any, Any, Any]], items: int) -> None:
    from django.db import connection, transaction

    from assess.base.bulk import add_rows
    from assess.items.models import Item, Pool, PoolItem

    pool = Pool.objects.create(
        campaign=work[0][0].campaign, task="ranking", recipe={"strategy": "depth", "kind": "document"}, digest="0" * 64
    )
    columns = ("id", "topic_id", "kind", "key", "text", "docno", "fields", "given")
    first, false = 1, False
    with transaction.atomic():
        for topic, _, _ in work:
            docnos = [f"doc-{topic.number}-{number * 7919 % 1_000_003:07d}" for number in range(items)]
            rows = [
                (first + place, topic.pk, "document", docno, "", docno, "{}", false)
                for place, docno in enumerate(docnos)
            ]
            add_rows(Item, columns, rows)
            pooled = ("pool_id", "item_id", "stratum", "probability")
            add_rows(PoolItem, pooled, [(pool.pk, first + place, "", 1.0) for place in range(items)])
            first += items
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT setval(pg_get_serial_sequence('assess_item', 'id'), %s)", [first])


def _judge(work: list[tuple[Any, Any, Any]], items: int, judgments: int) -> None:
    from django.db import connection, transaction

    from assess.base.bulk import add_rows
    from assess.judging.models import Judgment
    from assess.ledger.models import take_points

    dice, campaign = random.Random(1), work[0][1].campaign_id
    suffix = "+00:00" if connection.vendor == "postgresql" else ""
    begin = datetime.now(UTC).replace(hour=9) - timedelta(days=DAYS)
    columns = (
        *("id", "created_at", "item_id", "criterion", "value", "note", "assessor_id", "assignment_id"),
        *("client_key", "how", "seconds"),
    )
    said = islice(_said(work, items, dice), judgments)
    place = 0
    while batch := list(islice(said, BATCH)):
        with transaction.atomic():
            rows = []
            numbers = take_points(campaign, len(batch))
            for number, (item, value, assignment) in zip(numbers, batch, strict=True):
                at = begin + timedelta(days=DAYS * place // judgments, seconds=place % 28_000)
                place += 1
                seconds = round(dice.lognormvariate(3, 0.6), 1)
                rows.append(
                    (
                        *(number, at.strftime("%Y-%m-%d %H:%M:%S") + suffix, item, "relevance", value, ""),
                        *(assignment.assessor_id, assignment.pk, UUID(int=dice.getrandbits(128)).hex, "key", seconds),
                    )
                )
            add_rows(Judgment, columns, rows)


def _said(work: list[tuple[Any, Any, Any]], items: int, dice: random.Random) -> Iterator[tuple[int, int | None, Any]]:
    """Yield (item, value, assignment) for each judgment. Topics take turns, since people work at the same time."""
    for place in range(items):
        for number, (_, author, second) in enumerate(work):
            item = number * items + place + 1
            if dice.random() < UNJUDGED:
                continue
            yield item, dice.choice((0, 0, 0, 1, 2, 3)), author
            if dice.random() < SECONDED:
                yield item, dice.choice((0, 0, 0, 1, 2, 3)), second
            if dice.random() < CHANGED:
                yield item, None if dice.random() < TAKEN_BACK / CHANGED else dice.choice((0, 1)), author


if __name__ == "__main__":
    main()
