"""Print how far the judges of a campaign agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from assess.analysis.domain.agreement import Comparison
from assess.analysis.domain.kept_agreement import compare_judges
from assess.judging.snapshots import Snapshot
from assess.management.command import DomainCommand, campaign_named
from scoring.statistics.agreement_report import AgreementReport
from scoring.statistics.intervals import Sampling

Row = tuple[str, str, float | None, float | None, float | None, int]
COLUMNS = ("topic", "measure", "value", "low", "high", "items")


class Command(DomainCommand):
    """`manage.py agreement CAMPAIGN --stage S --criterion C --judges A B`: print every measure with its interval."""

    help = "Prints how far two or more judges agree: topic, measure, value, low, high, items."
    example = "agreement demo --stage instances --criterion correctness --judges primary second"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the question, the judges and the form of the output."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("--stage", required=True, help="the stage in which they judged")
        parser.add_argument("--criterion", required=True, help="what they were asked (match, importance for nuggets)")
        parser.add_argument(
            "--judges",
            required=True,
            nargs="+",
            metavar="JUDGE",
            help="official, primary, second, adjudicated, assessor-1 …, machine-A …: two or more",
        )
        parser.add_argument("--relevant", type=float, metavar="VALUE", help="what counts as relevant in overlaps")
        parser.add_argument("--per-topic", action="store_true", help="every topic, too, without intervals")
        parser.add_argument("--seed", type=int, default=0, help="seed of the intervals (default: 0)")
        parser.add_argument("--format", choices=("tsv", "json"), default="tsv", help="lines (default) or a JSON list")
        parser.add_argument("--as-of", type=int, default=None, metavar="N", help="ledger point (default: now)")

    def work(self, options: dict[str, Any]) -> None:
        """Compare the judges and print the measures. Standard error says how many items only one of them judged."""
        found = compare_judges(
            Snapshot(campaign_named(options["campaign"]), options["as_of"]),
            stage=options["stage"],
            criterion=options["criterion"],
            judges=options["judges"],
            relevant=options["relevant"],
            sampling=Sampling(seed=max(options["seed"], 0)),
        )
        for judge, count in zip(found.judges, found.alone, strict=True):
            self.stderr.write(f"{count:,} judged by {judge.key} alone, not compared")
        rows = agreement_rows(found, per_topic=options["per_topic"])
        self.say_table(COLUMNS, rows, form=options["format"])


def agreement_rows(found: Comparison, *, per_topic: bool) -> Iterator[Row]:
    """Yield a row for each measure over all topics, and with ``per_topic`` also for each topic."""
    for report in (*(found.by_topic if per_topic else ()), found.report):
        yield from _rows(report)


def _rows(report: AgreementReport) -> Iterator[Row]:
    for each in report.estimates:
        interval = each.interval
        low, high = (None, None) if interval is None else (interval.low, interval.high)
        yield report.topic, each.measure, each.value, low, high, report.items
