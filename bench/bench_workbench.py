"""Compare opening the largest workbench pages with the list of an assessor's own work, in turns in one process.

    .venv/bin/python -m bench.bench_workbench [--rounds 7] [--items 10 1250 10000] [--nuggets 60] [--responses 60]
        [--keep FOLDER] [--json FILE]

Prints the median milliseconds of each page, their ratio to those of the list of work, and the page's size in kB. The
pages are the grading bench of a topic with --items items and one item of it, and the nugget bench and the matching
bench with --nuggets nuggets and --responses responses of 17 strings.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

from bench.figures import Figure, Measured, add_json_option, ratios, write

PAGE = Figure(name="page", what="opening the grading bench", against="with the fewest items", asked=1.2)
ITEM = Figure(name="item", what="fetching one item of the grading bench", asked=10.0, unit="ms")
OTHERS = {
    "nuggets": Figure(name="nuggets", what="opening the nugget bench", against="the list of work"),
    "matches": Figure(name="matches", what="opening the matching bench", against="the list of work"),
}
FIGURES = (PAGE, ITEM, *OTHERS.values())
STRINGS = 17


def main() -> None:
    """Measure, print and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--items", type=int, nargs="+", default=[10, 1250, 10_000])
    parser.add_argument("--nuggets", type=int, default=60)
    parser.add_argument("--responses", type=int, default=60)
    parser.add_argument("--keep", type=Path, help="where to put it, with an empty database or none")
    add_json_option(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(ASSAY_DATA_DIR=str(options.keep or folder), DJANGO_SETTINGS_MODULE="assay_site.settings")
        taken, sizes = measure(options)
        medians = {name: statistics.median(times) for name, times in taken.items()}
        for name, value in medians.items():
            print(f"{name:16} {value:8.1f} ms  ratio {value / medians['work']:6.2f}  {sizes[name] / 1000:8.1f} kB")
        write(options.json, list(figures(taken, sorted(options.items))))


def figures(taken: dict[str, list[float]], items: list[int]) -> Iterator[Measured]:
    """Yield the figures: grading benches of all sizes against the smallest, the others against the list of work."""
    for size in items:
        shape: dict[str, Any] = {"size": size, "of": "items", "took_unit": "ms"}
        page, item = taken[f"bench of {size}"], taken[f"item of {size}"]
        yield PAGE.measured(ratios(page, taken[f"bench of {items[0]}"]), took=page, **shape)
        yield ITEM.measured(item, took=item, **shape)
    for name, figure in OTHERS.items():
        yield figure.measured(ratios(taken[name], taken["work"]))


def measure(options: argparse.Namespace) -> tuple[dict[str, list[float]], dict[str, int]]:
    """Open each page in every round, and return page -> milliseconds of each round, and page -> size in bytes."""
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.test import Client

    from tests import factories

    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("migrate", verbosity=0)
    organiser = factories.user("organiser")
    campaign = factories.campaign(organiser=organiser)
    assessor = factories.member(campaign, "assessor", "assessor")
    pages = {"work": f"/c/{campaign.slug}/work/", **fill(campaign, organiser, assessor, options)}
    client = Client()
    client.force_login(assessor)
    taken: dict[str, list[float]] = {name: [] for name in pages}
    sizes: dict[str, int] = {}
    for _ in range(options.rounds + 1):
        for name, address in pages.items():
            begin = time.perf_counter()
            response = client.get(address)
            taken[name].append(time.perf_counter() - begin)
            sizes[name] = len(response.content)
            if response.status_code != 200:
                raise SystemExit(f"{address} answered {response.status_code}")
    return {name: [seconds * 1000 for seconds in times[1:]] for name, times in taken.items()}, sizes


def fill(campaign, organiser, assessor, options) -> dict[str, str]:  # type: ignore[no-untyped-def]
    """Make the large topics, and return the addresses of their benches by name."""
    from django.db import transaction

    from assess.assignments.models import Assignment
    from assess.assignments.queries.work_items import handle_of
    from nuggets.writing.lists import freeze_list, start_list
    from nuggets.writing.record import add_nugget
    from tests import factories

    squishy = campaign.topics.get(number="1.2")
    base, found = f"/c/{campaign.slug}/work/", {}
    for ordinal, size in enumerate(options.items, start=3):
        topic = factories.topic(campaign, f"1.{ordinal}", "What is it?", task="rigid", ordinal=ordinal)
        with transaction.atomic():
            items = factories.pooled(topic, [f"answer {number}" for number in range(size)])
        work = factories.assignment(topic, "instances", assessor)
        found[f"bench of {size}"] = f"{base}{work.pk}/"
        found[f"item of {size}"] = f"{base}{work.pk}/items/{handle_of(work, items[size // 2].pk)}/"
    for number in range(options.responses):
        items = factories.pooled(squishy, [f"string {place} of {number}" for place in range(STRINGS)])
        factories.response(factories.run(campaign, f"Team{number}x1", organiser), squishy, items)
    writing = factories.assignment(squishy, "nuggets", assessor)
    draft = start_list(actor=assessor, assignment=writing)
    for number in range(options.nuggets):
        add_nugget(actor=assessor, nugget_list=draft, text=f"nugget {number}", importance="vital", client_key=uuid4())
    freeze_list(actor=assessor, nugget_list=draft, client_key=uuid4())
    Assignment.objects.filter(pk=writing.pk).update(state="done")
    matching = factories.assignment(squishy, "matches", assessor)
    return {**found, "nuggets": f"{base}{writing.pk}/", "matches": f"{base}{matching.pk}/"}


if __name__ == "__main__":
    main()
