"""Print how similar two rankings of a campaign's runs are."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.analysis.domain.rankings import SideChoice, Sides, distinct_sides, measure_title
from assess.analysis.domain.stability import compare_rankings
from assess.base.track_settings import SettingsError, TrackSettings
from assess.base.wording import counted
from assess.campaigns.models import Campaign
from assess.campaigns.queries import settings_of
from assess.judging.queries.judges import OFFICIAL
from assess.judging.snapshots import Snapshot
from assess.management.command import DomainCommand, campaign_named, key_value
from scoring.statistics.intervals import Estimate

CORRELATIONS = ("measure", "value", "low", "high")
RUNS = ("run", "first_place", "first", "second_place", "second", "moved")


class Command(DomainCommand):
    """`manage.py stability CAMPAIGN --judges A B`: print rank correlations of two rankings, with intervals."""

    help = "Prints how alike the runs rank under two sets of judgments or settings: measure, value, low, high."
    example = "stability demo --judges official second --measure combined"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the judgments, settings and measure of either ranking."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument(
            "--judges", nargs=2, metavar="JUDGE",
            help="whose judgments count, as in: official second (default: what the page compares first)",
        )  # fmt: skip
        parser.add_argument(
            "--measure",
            nargs="+",
            default=[""],
            help="one, or one for each ranking (default: one that both have)",
        )
        for side in ("first", "second"):
            parser.add_argument(
                f"--{side}-set", action="append", default=[], type=key_value, metavar="KEY=VALUE",
                help=f"a setting of the {side} ranking that differs from the campaign's",
            )  # fmt: skip
        parser.add_argument("--runs", action="store_true", help="print the runs with both values and places instead")
        parser.add_argument("--format", choices=("tsv", "json"), default="tsv", help="lines (default) or JSON")
        parser.add_argument("--as-of", type=int, default=None, metavar="N", help="ledger point (default: now)")

    def work(self, options: dict[str, Any]) -> None:
        """Rank the runs twice and print the correlations, or each run's ranks if asked for ``runs``. What was compared
        goes to standard error.
        """
        campaign, measures = campaign_named(options["campaign"]), options["measure"]
        if len(measures) > 2:
            raise CommandError("Name one measure, or two: one for each ranking.", returncode=2)
        first, second = (
            SideChoice(judge=judge, measure=measure, settings=_settings(campaign, dict(options[f"{side}_set"])))
            for side, judge, measure in zip(
                ("first", "second"), options["judges"] or (OFFICIAL, OFFICIAL), (measures[0], measures[-1]), strict=True
            )
        )
        sides = Sides(Snapshot(campaign, options["as_of"]))
        if not options["judges"]:
            first, second = distinct_sides(sides, first, second)
        found = compare_rankings(sides, first=first, second=second)
        for name, side in (("first", found.first), ("second", found.second)):
            self.stderr.write(
                f"{name}: judgments of {side.judge.key}, by {measure_title(side.measure)} ({side.measure.key})"
            )
        self.stderr.write(f"{counted(len(found.topics), 'topic')} compared, seed {found.sampling.seed}")
        if options["runs"]:
            rows = [[getattr(row, name) for name in RUNS] for row in found.runs]
            self.say_table(RUNS, rows, form=options["format"])
        else:
            self.say_table(CORRELATIONS, [_estimate(each) for each in found.estimates], form=options["format"])


def _settings(campaign: Campaign, given: dict[str, str]) -> TrackSettings | None:
    own = settings_of(campaign)
    try:
        return type(own).from_mapping({**own.as_mapping(), **given}) if given else None
    except SettingsError as error:
        raise CommandError(str(error), returncode=1) from error


def _estimate(each: Estimate) -> tuple[object, ...]:
    low, high = (None, None) if each.interval is None else (each.interval.low, each.interval.high)
    return each.measure, each.value, low, high
