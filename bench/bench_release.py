"""Measure time and memory of making a release of a very large campaign twice, verifying it, and importing it.

    python -m bench.bench_release [--judgments 1000000] [--topics 250] [--runs 10] [--verify-with PYTHON]
        [--keep FOLDER] [--only FIGURE] [--json FILE]

Makes the campaign of `bench.million_judgments`, adds runs of 1,000 documents for each topic, and freezes it. Each step
is the command that an organiser types, in its own process, so that its peak memory is its own: `manage.py release`
twice (the second must give the same bytes), `python -m scoring verify` (by another Python if one is named, such as one
without Django), and `manage.py import_release` into an empty site. For comparison, `sqlite3` writes the rows of the
ledger to a file, and `zip` compresses it. Prints for each: what, seconds, CPU seconds, peak memory in MB, and the
result.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.figures import Figure, Measured, add_json_option, amount, pass_on, write
from bench.million_judgments import ORGANISER, SLUG, make

PLAIN = (
    "SELECT t.number, i.key, j.criterion, j.value, j.note, j.assessor_id, a.role FROM assess_judgment j "
    "JOIN assess_item i ON i.id = j.item_id JOIN assess_topic t ON t.id = i.topic_id "
    "JOIN assess_assignment a ON a.id = j.assignment_id ORDER BY t.number, j.id"
)
RANKED = 1000
STEPS = ("plain", "release", "again", "verify", "import")
RELEASE = Figure(name="release", what="making a release (CPU)", against="the rows dumped and zipped")
MEMORY = Figure(name="release-memory", what="memory of making a release", asked=250.0, unit="MB")
IMPORT = Figure(name="import", what="importing the release (CPU)", asked=90.0, unit="s")
IMPORT_MEMORY = Figure(name="import-memory", what="memory of importing the release", asked=250.0, unit="MB")
FIGURES = (RELEASE, MEMORY, IMPORT, IMPORT_MEMORY)


def main() -> None:
    """Make the campaign, and take and write every figure that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judgments", type=int, default=1_000_000)
    parser.add_argument("--topics", type=int, default=250)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--verify-with", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only", action="append", choices=STEPS)
    parser.add_argument("--figure", help=argparse.SUPPRESS)  # one figure, in a process of its own
    add_json_option(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as place:
        folder: Path = options.keep or Path(place)
        os.environ["ASSAY_DATA_DIR"] = str(folder / "site")
        os.environ["DJANGO_SETTINGS_MODULE"] = "assay_site.settings"
        if options.figure:
            print_figure(options.figure, folder, options.verify_with)
            return
        import django

        django.setup()
        make(options.judgments, options.topics, assessors=40)
        freeze(options.runs)
        taken: dict[str, tuple[float, float]] = {}
        for name in options.only or STEPS:
            call = [sys.executable, "-m", "bench.bench_release", "--figure", name, "--keep", str(folder)]
            _, _, of_cpu, memory, *_ = pass_on([*call, "--verify-with", options.verify_with])
            taken[name] = amount(of_cpu), amount(memory)
        if taken.keys() >= {"plain", "release", "import"}:
            write(options.json, list(figures(taken, options.judgments)))


def figures(taken: dict[str, tuple[float, float]], judgments: int) -> Iterator[Measured]:
    """Yield the figures. ``taken`` maps each step to its CPU seconds and its megabytes."""
    shape: dict[str, Any] = {"size": judgments, "of": "judgments"}
    releases = [taken[name] for name in ("release", "again") if name in taken]
    of_cpu, plain = [cpu for cpu, _ in releases], max(taken["plain"][0], 0.1)  # tenths are printed
    of_import = [taken["import"][0]]
    yield RELEASE.measured([cpu / plain for cpu in of_cpu], took=of_cpu, took_unit="s of CPU", **shape)
    yield MEMORY.measured([memory for _, memory in releases], **shape)
    yield IMPORT.measured(of_import, took=of_import, took_unit="s of CPU", **shape)
    yield IMPORT_MEMORY.measured([taken["import"][1]], **shape)


def print_figure(name: str, folder: Path, python: str) -> None:
    """Run the commands of one step, and print what they took together. Ends the program if one fails."""
    start = time.perf_counter()
    said = ""
    for command, environment in commands(name, folder, python):
        done = subprocess.run(
            command, env={**os.environ, **environment}, capture_output=True, text=True, check=False, shell=False
        )
        if done.returncode:
            raise SystemExit(f"{name} failed: {done.stderr[-2000:]}")
        words = done.stdout if name == "import" else done.stderr or done.stdout  # an import tells how far it is there
        said = words.strip().splitlines()[-1] if words.strip() else ""
    seconds, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    said = found(name, folder) or said
    busy = used.ru_utime + used.ru_stime
    print(f"{name}\t{seconds:.1f} s\t{busy:.1f} s\t{used.ru_maxrss / 1024:.0f} MB\t{said}", flush=True)


def commands(name: str, folder: Path, python: str) -> Iterator[tuple[list[str], dict[str, str]]]:
    """Yield (command, further environment variables) for each call of a step."""
    manage = [sys.executable, "manage.py"]
    if name == "plain":
        dump = f"sqlite3 -separator ' ' {folder}/site/assay.sqlite3 '{PLAIN}' > {folder}/plain.txt"
        yield ["sh", "-c", f"rm -f {folder}/plain.zip && {dump} && zip -q {folder}/plain.zip {folder}/plain.txt"], {}
    elif name in ("release", "again"):
        place = folder / name
        yield ["rm", "-rf", str(place)], {}
        yield [*manage, "release", SLUG, str(place), "--zip", str(folder / f"{name}.zip")], {}
    elif name == "verify":
        yield [python, "-m", "scoring", "verify", str(folder / "release.zip")], {}
    else:
        empty = {"ASSAY_DATA_DIR": str(folder / "empty"), "DJANGO_SUPERUSER_PASSWORD": "long-enough-for-a-bench"}
        yield ["rm", "-rf", str(folder / "empty")], {}
        yield [*manage, "migrate", "--verbosity", "0"], empty
        boss = ["createsuperuser", "--noinput", "--username", "boss", "--email", "boss@example.org"]
        yield [*manage, *boss], empty
        yield [*manage, "import_release", str(folder / "release.zip"), "--slug", SLUG], empty


def found(name: str, folder: Path) -> str:
    """Return the result of a step in words, or "" if there is none to say. Ends the program if the second release
    differs from the first.
    """
    if name == "plain":
        return f"{(folder / 'plain.txt').stat().st_size:,} bytes, {(folder / 'plain.zip').stat().st_size:,} zipped"
    if name in ("release", "again"):
        first, own = (digest(folder / f"{each}.zip") for each in ("release", name))
        if first != own:
            raise SystemExit("the second release has other bytes than the first")
        files = [path for path in (folder / name).rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        return f"{len(files)} files, {size:,} bytes, zip {(folder / f'{name}.zip').stat().st_size:,}, {own[:16]}…"
    return ""


def digest(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def freeze(runs: int) -> None:
    """Add this number of accepted runs, set all work to done, and freeze the campaign. Do nothing if it is frozen."""
    from django.contrib.auth.models import User

    from assess.models import Assignment, Campaign
    from assess.organising.domain import change_state

    campaign = Campaign.objects.get(slug=SLUG)
    if campaign.state == Campaign.State.FROZEN:
        return
    organiser = User.objects.get(username=ORGANISER)
    for number in range(runs):
        _add_run(campaign, organiser, number)
    Assignment.objects.filter(campaign=campaign).update(state=Assignment.State.DONE)
    change_state(actor=organiser, campaign=campaign, state=Campaign.State.FROZEN)


def _add_run(campaign: Any, organiser: Any, number: int) -> None:
    """Add one accepted run, which ranks pooled and other documents."""
    from assess.base.files import store_file
    from assess.models import Item, Run

    dice = random.Random(number)
    tag = f"run{number:02}"
    with tempfile.TemporaryFile() as file:
        for topic in campaign.topics.order_by("ordinal"):
            keys = list(Item.objects.filter(topic=topic).order_by("id").values_list("key", flat=True))
            keys += [f"other-{topic.number}-{zlib.crc32(f'{tag} {place}'.encode())}" for place in range(RANKED)]
            for rank, key in enumerate(dice.sample(keys, min(RANKED, len(keys))), start=1):
                file.write(f"{topic.number} Q0 {key} {rank} {2000 - rank} {tag}\n".encode())
        file.seek(0)
        kept = store_file(file)
    Run.objects.create(
        campaign=campaign,
        submission="run",
        tag=tag,
        team=f"team{number // 2}",
        file=kept.sha256,
        file_name=f"{tag}.txt",
        size=kept.size,
        state=Run.State.ACCEPTED,
        submitted_by=organiser,
    )


if __name__ == "__main__":
    main()
