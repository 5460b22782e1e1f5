"""Measure how long an assessor waits for saving while recorded judgments are imported into the same campaign.

    .venv/bin/python -m bench.bench_import [--topics 100] [--lines 3500] [--largest 50000] [--pause .2]
        [--database sqlite] [--json FILE]

Serves a site by `manage.py serve` at 127.0.0.1, and imports by `manage.py import_judgments` one judgment of each item.
There are --topics topics of --lines items, and one topic of --largest items. Meanwhile an assessor saves a judgment
every --pause seconds. Prints the CPU seconds of the command, and the milliseconds of saving (median/99th percentile,
longest). The status is 1 if a judgment was refused, lost or doubled, or a line was not imported.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from bench.bench_http import NAMES, Person, Turn, add_people, make_site, own_site, send, served
from bench.figures import Figure, add_json_option, write

LONGEST = Figure(
    name="longest", what="longest wait of one who saves while judgments are imported", asked=1000.0, unit="ms"
)
IMPORTING = Figure(name="importing", what="importing judgments (CPU)", unit="s")
FIGURES = (LONGEST, IMPORTING)
ROOT = Path(__file__).resolve().parent.parent
AT_ONCE = 5
"""How many seconds pass between two looks at whether the import has ended."""
MOST = 900
"""How many seconds the import may take."""


def main() -> int:
    """Make a site, serve it, and import while an assessor saves. Return 1 if a judgment was refused, lost or doubled,
    or if the import failed.
    """
    options = _options()
    with own_site("bench.bench_import", options.database) as folder:
        return _measured(options, folder / "judgments.jsonl")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", choices=NAMES, default="sqlite")
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--lines", type=int, default=3_500)
    parser.add_argument("--largest", type=int, default=50_000)
    parser.add_argument("--pause", type=float, default=0.2, help="seconds between two judgments of who saves")
    add_json_option(parser)
    return parser.parse_args()


def _measured(options: argparse.Namespace, file: Path) -> int:
    make_site()
    each = int(AT_ONCE / options.pause) + 1
    most = each * (MOST // AT_ONCE)
    (person,) = people = add_people(1, most)
    first = add_people(8, 2)
    sizes = [options.lines] * options.topics + [options.largest] * bool(options.largest)
    make_judgments(file, sizes)
    answers = []
    with served() as port:
        send(first, 2, port=port, seconds=60)
        command = [sys.executable, "manage.py", "import_judgments", "load0", str(file), "--person", "assessor-1=desk"]
        importing = subprocess.Popen(command, cwd=ROOT)
        pid = status = 0
        while not pid and len(person.keys) + each <= most:
            answers += send(people, each, port=port, seconds=AT_ONCE, pause=options.pause).answers
            pid, status, used = os.wait4(importing.pid, os.WNOHANG)
        if not pid:
            importing.kill()
            raise SystemExit(f"the import was not done after {MOST} seconds")
    seconds, turn = used.ru_utime + used.ru_stime, Turn(answers)
    wrong = sum(not answer.is_accepted for answer in answers) + _wrong(person, first, imported=sum(sizes))
    print(f"import\t{sum(sizes):,} lines\t{seconds:.1f} s of CPU\t{used.ru_maxrss // 1024} MB")
    print(f"saving\t{turn}, longest {turn.percentile(100):.0f} ms\t{wrong} refused, lost or doubled", flush=True)
    of = f"judgments on {NAMES[options.database]}"
    note = f"largest topic {max(sizes):,}; {len(answers)} saved meanwhile, {turn}"
    write(
        options.json,
        [
            LONGEST.measured([turn.percentile(100)], size=sum(sizes), of=of, note=note),
            IMPORTING.measured([seconds], size=sum(sizes), of=of),
        ],
    )
    return int(wrong > 0 or status != 0)


def _wrong(person: Person, first: list[Person], *, imported: int) -> int:
    """Count the judgments that are not in the database exactly once as they were saved or imported."""
    from assess.judging.models import Judgment
    from assess.ledger.models import How

    stored = Counter(Judgment.objects.exclude(how=How.IMPORT).values_list("client_key", flat=True))
    saved = Counter(key for each in (person, *first) for key in each.acknowledged)
    wrong = (stored - saved).total() + (saved - stored).total()
    return wrong + abs(imported - Judgment.objects.filter(how=How.IMPORT).count())


def make_judgments(file: Path, sizes: list[int]) -> None:
    """Add a topic for each of ``sizes``, with that many pooled items, and an assessor without work. Write a file with
    one judgment of each item.
    """
    from django.contrib.auth.models import User
    from django.db import transaction

    from assess.campaigns.models import Campaign, Membership
    from scoring.formats.judgments_jsonl import write_judgments
    from scoring.release.recorded_acts import Judged
    from tests import factories

    campaign = Campaign.objects.get(slug="load0")
    Membership.objects.create(campaign=campaign, user=User.objects.create_user("desk"), role="assessor")
    acts = []
    with transaction.atomic():
        for place, size in enumerate(sizes):
            topic = factories.topic(campaign, f"7.{place}", "What is there?", task="rigid", ordinal=10_000 + place)
            for item in factories.pooled(topic, [f"string {number} of {place}" for number in range(size)]):
                acts.append(
                    Judged(
                        by="assessor-1",
                        topic=topic.number,
                        docno=item.docno,
                        answer=item.text,
                        criterion="correctness",
                        value=1,
                    )
                )
    file.write_text("".join(f"{line}\n" for line in write_judgments(acts)))


if __name__ == "__main__":
    raise SystemExit(main())
