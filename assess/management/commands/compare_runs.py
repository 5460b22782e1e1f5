"""Print which runs of a campaign differ significantly."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from assess.analysis.domain.significance import compare_campaign_runs, named_test, pair_effects
from assess.base.wording import counted
from assess.judging.snapshots import Snapshot
from assess.management.command import DomainCommand, campaign_named
from assess.scores.domain import score_campaign
from scoring.statistics.multiple_comparisons import ALPHA, CORRECTIONS, TESTS, PairTest
from scoring.statistics.paired_tests import EffectSizes

PAIR = ("run_a", "run_b", "test", "topics", "statistic", "p", "corrected", "effect")
SIZES = ("difference", "d_paired", "g_paired", "superiority")


class Command(DomainCommand):
    """`manage.py compare_runs CAMPAIGN --measure M --test T --correction C`: print a line for each pair of runs."""

    help = "Prints every pair of runs under one test, the better first, with p before and after correction and effects."
    example = "compare_runs demo --measure combined --test t --correction holm"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the measure, the test and the form of the output."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("--measure", default="", help="a measure of the track (default: the official one)")
        parser.add_argument("--test", choices=TESTS, default="tukey", help="the test (default: randomised Tukey HSD)")
        parser.add_argument(
            "--correction", choices=CORRECTIONS, default="holm", help="the correction of p for the number of pairs"
        )
        parser.add_argument(
            "--alpha", type=float, default=ALPHA, help="runs count as different if p is below this (default: 0.05)"
        )
        parser.add_argument("--without", action="append", default=[], metavar="RUN", help="leave this run out")
        parser.add_argument("--seed", type=int, default=0, help="the seed of a test's random draws (default: 0)")
        parser.add_argument("--format", choices=("tsv", "json"), default="tsv", help="lines (default) or JSON")
        parser.add_argument("--as-of", type=int, default=None, metavar="N", help="ledger point (default: now)")

    def work(self, options: dict[str, Any]) -> None:
        """Compare the runs and print the pairs. The top group and the number of draws go to standard error."""
        asked = named_test(options["test"], options["correction"], alpha=options["alpha"], seed=options["seed"])
        campaign = campaign_named(options["campaign"])
        found = compare_campaign_runs(
            campaign,
            score_campaign(Snapshot(campaign, options["as_of"])),
            asked=asked,
            measure=options["measure"],
            without=options["without"],
        )
        top = [run for run in found.top.order if run in found.top.top]
        self.stderr.write(f"{found.level.measure.key}: the top group is {', '.join(top)}")
        if found.draws:
            self.stderr.write(f"{counted(found.draws, 'draw')}, seed {asked.seed}")
        sizes = pair_effects(found, found.pairs, with_intervals=False)
        rows = [_row(pair, size) for pair, size in zip(found.pairs, sizes, strict=True)]
        self.say_table((*PAIR, *SIZES), rows, form=options["format"])


def _row(pair: PairTest, sizes: EffectSizes) -> tuple[object, ...]:
    return (*(getattr(pair, name) for name in PAIR), *(getattr(sizes, name) for name in SIZES))
