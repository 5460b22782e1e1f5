"""Measure pools of many large runs in the site: reading, planning, building, and judgments in a pool that grows.

    .venv/bin/python -m bench.bench_site_pools [--runs 60] [--topics 400] [--ranks 1000] [--depth 100]
        [--keep FOLDER] [--only FIGURE]

Makes an ad hoc campaign in its own folder (SQLite), or in the empty database that ASSAY_DATABASE names, and accepts the
runs of `bench.bench_pools`. With --keep the folder stays, and a later call uses it again. Every figure is taken in its
own process, so that its peak memory is its own. Prints for each: what, seconds, peak memory in MB, and the result.
"sort" is `sort -u` of topic and document of the same lines, cut at the depth.
"""

from __future__ import annotations

import argparse
import os
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

from bench.figures import Figure, add_json_option, amount, pass_on, write

BUILD = Figure(name="build", what="building a pool in the site", against="`sort -u` of the lines within the depth")
MEMORY = Figure(name="build-memory", what="memory of building a pool in the site", unit="MB")
FIGURES = (BUILD, MEMORY)
SLUG, ORGANISER, ASSESSOR = "large", "organiser", "assessor"
JUDGED, BATCH = 100, 2
"""How many judgments are made in a topic, and by how many documents its pool grows at a time: at every other judgment.
"""


def main() -> None:
    """Make the campaign, and take and write every figure that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--topics", type=int, default=400)
    parser.add_argument("--ranks", type=int, default=1000)
    parser.add_argument("--depth", type=int, default=100)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only", action="append", metavar="FIGURE")
    parser.add_argument("--figure", help=argparse.SUPPRESS)  # one figure, in a process of its own
    add_json_option(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        os.environ["ASSAY_DATA_DIR"] = str(options.keep or folder)
        os.environ["DJANGO_SETTINGS_MODULE"] = "assay_site.settings"
        import django

        django.setup()
        if options.figure:
            print_figure(options.figure, options.depth)
            return
        make(options.runs, options.topics, options.ranks)
        taken: dict[str, tuple[float, float]] = {}
        for name in options.only or STEPS:
            call = [sys.executable, "-m", "bench.bench_site_pools", "--figure", name, "--depth", str(options.depth)]
            _, seconds, memory, *_ = pass_on([*call, "--keep", os.environ["ASSAY_DATA_DIR"]])
            taken[name] = amount(seconds), amount(memory)
        if taken.keys() >= {"sort", "build"}:
            lines, took = options.runs * options.topics * options.ranks, taken["build"][0]
            ratio = took / max(taken["sort"][0], 0.1)  # seconds are printed in tenths
            built = BUILD.measured([ratio], size=lines, of="lines", took=[took])
            write(options.json, [built, MEMORY.measured([taken["build"][1]], size=lines, of="lines")])


def print_figure(name: str, depth: int) -> None:
    """Do one step in this process, and print what it took."""
    start = time.perf_counter()
    said = STEPS[name](depth)
    seconds = time.perf_counter() - start
    largest = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(f"{name}\t{seconds:.1f} s\t{largest / 1024:.0f} MB\t{said}", flush=True)


# ---------------------------------------------------------------- the figures


def sort(depth: int) -> str:
    """Pool by `sort -u` of the same columns, and return the number of documents in words."""
    from assess.base.files import stored_path

    files = " ".join(shlex.quote(str(stored_path(run.file))) for run in _campaign().runs.all())
    call = f"awk '$4 <= {depth} {{print $1 \"\\t\" $3}}' {files} | LC_ALL=C sort -u | wc -l"
    return f"{int(subprocess.check_output(call, shell=True)):,} documents"


def read(depth: int) -> str:
    """Read all rankings as the worker reads them, and return the number of runs in words."""
    from assess.jobs.progress import no_report
    from assess.pools.domain.planning import read_rankings

    return f"{read_rankings(_campaign(), _task(), progress=no_report)} runs"


def plan(depth: int) -> str:
    """Make the plan that the page shows before a pool is built, and return its numbers in words."""
    from assess.pools.domain.building import pool_plan

    found = pool_plan(_campaign(), _task(), selection=_selection("depth", depth=depth))
    return f"{found.items:,} items, {found.new:,} new"


def build(depth: int) -> str:
    """Build the pool by depth, and return the number of its items in words."""
    from assess.pools.domain.building import build_pool

    built = build_pool(
        actor=_user(ORGANISER), campaign=_campaign(), task=_task().key, selection=_selection("depth", depth=depth)
    )
    return f"{built.pool_items.count():,} items"


def grow(depth: int) -> str:
    """Build a max-mean pool of every topic, judge in one topic, and return in words how long building took, and how
    long judgments took that did or did not make the pool grow.
    """
    from assess.kinds.grade.record import JudgmentInput, record_judgment
    from assess.pools.domain.building import build_pool

    campaign, assessor = _campaign(), _user(ASSESSOR)
    start = time.perf_counter()
    pool = build_pool(
        actor=_user(ORGANISER),
        campaign=campaign,
        task=_task().key,
        drop_judged=True,
        selection=_selection("max-mean", budget=500, batch=BATCH),
    )
    built = time.perf_counter() - start
    assignment = campaign.assignments.select_related("campaign").get(assessor=assessor)
    pooled = pool.pool_items.filter(item__topic=assignment.topic_id)
    growing: list[float] = []
    others: list[float] = []
    for place in range(JUDGED):
        before = pooled.count()
        said = JudgmentInput(
            item=pooled.filter(item__judgments=None).order_by("place")[0].item,
            criterion="relevance",
            value=place % 2,
            client_key=uuid4(),
            seconds=1.0,
        )
        start = time.perf_counter()
        record_judgment(actor=assessor, assignment=assignment, judgment=said)
        (growing if pooled.count() > before else others).append(time.perf_counter() - start)
    said_of = [
        f"{len(times)} {words}: median {statistics.median(times) * 1000:.0f} ms, longest {max(times) * 1000:.0f} ms"
        for words, times in (("judgments in which it grew", growing), ("others", others))
    ]
    return f"built in {built:.1f} s; {'; '.join(said_of)}"


STEPS: dict[str, Callable[[int], str]] = {"sort": sort, "read": read, "plan": plan, "build": build, "grow": grow}


def _campaign() -> Any:
    from assess.campaigns.models import Campaign

    return Campaign.objects.get(slug=SLUG)


def _task() -> Any:
    from assess.campaigns.queries import track_of

    return track_of(_campaign()).tasks[0]


def _user(name: str) -> Any:
    from django.contrib.auth.models import User

    return User.objects.get(username=name)


def _selection(strategy: str, **numbers: int) -> Any:
    from assess.pools.domain.strategy import make_selection

    return make_selection({"strategy": strategy, **numbers})


# ---------------------------------------------------------------- the campaign


def make(runs: int, topics: int, ranks: int) -> None:
    """Make the campaign with its accepted runs, unless the database holds it."""
    from django.contrib.auth.models import User
    from django.core.management import call_command

    from assess.models import Assignment, Campaign, Guideline, Membership, Topic

    call_command("migrate", verbosity=0)
    if Campaign.objects.filter(slug=SLUG).exists():
        return
    start = time.perf_counter()
    organiser, assessor = User.objects.create_user(ORGANISER), User.objects.create_user(ASSESSOR)
    campaign = Campaign.objects.create(slug=SLUG, title="Large", track="adhoc", state=Campaign.State.JUDGING)
    Membership.objects.create(campaign=campaign, user=organiser, role="organiser")
    Membership.objects.create(campaign=campaign, user=assessor, role="assessor")
    Guideline.objects.create(campaign=campaign, version=1, text="Judge.", published_by=organiser)
    made = [
        Topic.objects.create(campaign=campaign, task="ranking", number=name, text=f"Topic {name}", ordinal=place)
        for place, name in enumerate((f"{topic // 8 + 1}-{topic % 8 + 1}" for topic in range(1, topics + 1)), 1)
    ]
    Assignment.objects.create(
        campaign=campaign, topic=made[0], stage="documents", assessor=assessor, role="primary", state="started", seed=1
    )
    size = sum(_add_run(campaign, organiser, number, topics, ranks) for number in range(runs))
    shape = f"{runs} runs × {topics} topics × {ranks} ranks, {size / 1e6:,.0f} MB"
    print(f"made\t{time.perf_counter() - start:.0f} s\t\t{shape}", flush=True)


def _add_run(campaign: Any, organiser: Any, number: int, topics: int, ranks: int) -> int:
    """Add one accepted run, and return its size in bytes."""
    from assess.base.files import store_file
    from assess.runs.models import Run
    from bench.bench_pools import write_run

    with tempfile.TemporaryDirectory(dir=os.environ["ASSAY_DATA_DIR"]) as folder:
        path = write_run(Path(folder), number, topics, ranks)
        with path.open("rb") as file:
            kept = store_file(file)
    Run.objects.create(
        campaign=campaign,
        submission="run",
        tag=path.stem,
        team=f"team{number // 3:02}",
        file=kept.sha256,
        file_name=path.name,
        size=kept.size,
        state=Run.State.ACCEPTED,
        submitted_by=organiser,
    )
    return kept.size


if __name__ == "__main__":
    main()
