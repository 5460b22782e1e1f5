"""Compare saving a judgment with a plain Django view that does one INSERT, in turns in one process.

    .venv/bin/python -m bench.bench_judgment [--judgments 500] [--keep FOLDER] [--json FILE]

Prints the median CPU milliseconds of both, and their ratio. Both go through the same middleware and commit to the same
database: SQLite in a temporary folder, or the database that ASSAY_DATABASE names.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path
from uuid import uuid4

from bench.figures import Figure, Measured, add_json_option, ratios, write

SAVING = Figure(name="saving", what="saving a judgment, in one process (CPU)", against="a plain view with one INSERT")
FIGURES = (SAVING,)


def main() -> None:
    """Measure, print and write the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--judgments", type=int, default=500)
    parser.add_argument("--keep", type=Path, help="where to put it, with an empty database or none")
    add_json_option(parser)
    options = parser.parse_args()
    count = options.judgments
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(ASSAY_DATA_DIR=str(options.keep or folder), DJANGO_SETTINGS_MODULE="assay_site.settings")
        write(options.json, [measure(count)])


def measure(count: int) -> Measured:
    """Save this number of judgments and of plain rows, print the times, and return the figure. Ends the program if a
    request is refused.
    """
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client

    from assess.assignments.queries.work_items import handle_of
    from tests import factories

    settings.ROOT_URLCONF = "bench.plain_site"
    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE bench_plain (item bigint, value int, client_key text UNIQUE)")
    campaign = factories.campaign(organiser=factories.user("organiser"))
    assessor = factories.member(campaign, "assessor", "assessor")
    topic = campaign.topics.get(number="1.1")
    items = factories.pooled(topic, [f"answer {number}" for number in range(count)])
    work = factories.assignment(topic, "instances", assessor)
    client = Client()
    client.force_login(assessor)
    address = f"/api/v1/campaigns/{campaign.slug}/assignments/{work.pk}/judgments/"
    taken: dict[str, list[float]] = {address: [], "/plain/": []}
    for item in items:
        for target, times in taken.items():
            body = {
                "item": handle_of(work, item.pk),
                "criterion": "correctness",
                "value": 1,
                "client_key": str(uuid4()),
            }
            begin = time.process_time()
            response = client.post(target, body, content_type="application/json")
            times.append(time.process_time() - begin)
            if response.status_code != 201:
                raise SystemExit(f"{target} answered {response.status_code}: {response.content[:500]!r}")
    ours, plain = (statistics.median(times) * 1000 for times in taken.values())
    print(f"database {connection.vendor}, {count} judgments each, medians")
    print(f"judgment  {ours:7.2f} ms\nplain     {plain:7.2f} ms\nratio     {ours / plain:7.2f}")
    note = f"{ours:.1f} ms; plain {plain:.1f} ms"
    return SAVING.measured(ratios(*taken.values()), size=count, of=f"judgments, {connection.vendor}", note=note)


if __name__ == "__main__":
    main()
