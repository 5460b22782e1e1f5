"""List what `make bench` runs, the most important first: each benchmark with its arguments, one call for each size."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Planned:
    """A benchmark with its arguments in a full and in a small run: one line for each size, the smallest first.

    A call that takes longer than ``minutes`` is stopped, and the page says so.
    """

    name: str
    heading: str
    full: tuple[str, ...]
    small: tuple[str, ...]
    minutes: float

    @property
    def module(self) -> str:
        """Return the name of the benchmark's module. What follows a hyphen in ``name`` is not part of it."""
        name = self.name.partition("-")[0]
        return f"bench.{name}" if name.startswith("hostile_") else f"bench.bench_{name}"

    def arguments(self, size: str) -> tuple[str, ...]:
        """Return the lines of arguments of a "full" or "small" run."""
        return self.full if size == "full" else self.small


SAVING, PEOPLE = "Saving and opening", "People at the same time"
FILES, COLLECTIONS, OTHERS = "Files and scores", "Collections", "Other figures"
REAL = "At the size of a real campaign"
ABOUT = {
    REAL: "Each page is opened twice in a process of its own, and each command called twice; what the worker does for "
    "a page is told apart. On SQLite the tables have no statistics, since no site runs ANALYZE; with them many "
    "statements would be answered in another way. *Before* is commit 58ca68ad, which was measured with statistics."
}
"""What readers need to know about the figures under a heading."""
PEERS = "Other tools on this machine"
HOSTILE = "What bad intentions can do"
CLOSED_AND_OPEN = "--rounds 3 --requests 400 --seconds 10"
TRIED = "--rounds 1 --requests 40 --seconds 2"

PLAN = (
    Planned(name="http-sqlite", heading=SAVING, full=(CLOSED_AND_OPEN,), small=(TRIED,), minutes=8),
    Planned(
        name="http-postgresql",
        heading=SAVING,
        full=(f"{CLOSED_AND_OPEN} --database postgresql",),
        small=(f"{TRIED} --database postgresql",),
        minutes=8,
    ),
    Planned(name="start", heading=SAVING, full=("--rounds 5",), small=("--rounds 1",), minutes=4),
    Planned(
        name="workbench",
        heading=SAVING,
        full=("--items 100 1000 10000",),
        small=("--items 2 20 200 --nuggets 5 --responses 5 --rounds 3",),
        minutes=8,
    ),
    Planned(
        name="runs",
        heading=FILES,
        full=("--questions 200", "--questions 2000", "--questions 20000"),
        small=("--questions 2", "--questions 20", "--questions 200"),
        minutes=4,
    ),
    Planned(
        name="large_runs",
        heading=FILES,
        full=("--topics 40", "--topics 400", "--topics 4000"),
        small=("--topics 2", "--topics 20", "--topics 200"),
        minutes=5,
    ),
    Planned(
        name="rank",
        heading=FILES,
        full=("--rounds 3",),
        small=("--runs 2 --topics 3 --rounds 1 --peers ir_measures pytrec_eval",),
        minutes=8,
    ),
    Planned(name="pages", heading=FILES, full=("--pages 60 --repeat 5",), small=("--pages 6 --repeat 3",), minutes=4),
    Planned(
        name="http-people-postgresql",
        heading=PEOPLE,
        full=("--people 200 --seconds 180 --database postgresql",),
        small=("--people 20 --seconds 10 --pause 2 --database postgresql",),
        minutes=18,
    ),
    Planned(
        name="pools",
        heading=FILES,
        full=("--topics 4", "--topics 40", "--topics 400"),
        small=("--runs 6 --topics 4", "--runs 6 --topics 40"),
        minutes=10,
    ),
    Planned(
        name="release",
        heading=FILES,
        full=("--judgments 10000", "--judgments 100000", "--judgments 1000000"),
        small=("--judgments 300 --topics 3 --runs 1",),
        minutes=20,
    ),
    Planned(
        name="find",
        heading=COLLECTIONS,
        full=(
            "--documents 8000 --wanted 100",
            "--documents 80000 --wanted 1000",
            "--documents 800000 --wanted 10000 --rounds 1",
        ),
        small=("--documents 80 --wanted 4", "--documents 800 --wanted 10"),
        minutes=12,
    ),
    Planned(
        name="http-people-sqlite",
        heading=PEOPLE,
        full=("--people 30 --seconds 180",),
        small=("--people 5 --seconds 10 --pause 2",),
        minutes=15,
    ),
    Planned(
        name="peers",
        heading=PEERS,
        full=("--items 10000 --requests 200",),
        small=("--installed --items 50 --requests 16 --rounds 1",),
        minutes=20,
    ),
    Planned(
        name="peers-postgresql",
        heading=PEERS,
        full=("--items 10000 --requests 200 --only doccano --database postgresql",),
        small=("--installed --items 50 --requests 16 --rounds 1 --only doccano --database postgresql",),
        minutes=10,
    ),
    Planned(
        name="site_pools",
        heading=OTHERS,
        full=("--topics 4", "--topics 40"),
        small=("--runs 2 --topics 2 --ranks 60 --depth 3",),
        minutes=5,
    ),
    Planned(name="upload", heading=OTHERS, full=("--topics 1400 --port 0",), small=("--topics 1 --port 0",), minutes=5),
    Planned(
        name="load",
        heading=OTHERS,
        full=("--docnos 320000 --documents 100 --runs 10",),
        small=("--targets 1 --runs 1 --docnos 500 --documents 5",),
        minutes=5,
    ),
    Planned(
        name="heavy",
        heading=PEOPLE,
        full=("--people 30 --seconds 60", "--people 200 --seconds 60 --database postgresql"),
        small=("--people 3 --seconds 3 --pause 1 --names robust --share 0.02",),
        minutes=15,
    ),
    Planned(
        name="import",
        heading=PEOPLE,
        full=("", "--database postgresql"),
        small=("--topics 2 --lines 3 --largest 5",),
        minutes=20,
    ),
    Planned(
        name="hostile_checks",
        heading=HOSTILE,
        full=("--every 4",),
        small=("--size 0.01 --every 40",),
        minutes=15,
    ),
    Planned(
        name="hostile_posts",
        heading=HOSTILE,
        full=("--seconds 20",),
        small=("--people 2 --posts 2 --seconds 1 --size 0.01",),
        minutes=4,
    ),
    *(
        Planned(
            name=f"site-{campaign}",
            heading=REAL,
            full=(campaign,),
            small=(f"{campaign} --share 0.02",),
            minutes=30,
        )
        for campaign in ("covid", "robust", "tac")
    ),
)
