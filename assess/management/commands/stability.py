"""Print how alike two rankings of a campaign's runs are."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.domain.analysis.stability import SideAsked, compare_rankings
from assess.management.command import DomainCommand, campaign_named, key_value
from assess.models import Campaign
from assess.queries.tracks import settings_of
from assess.track_settings import SettingsError, TrackSettings


class Command(DomainCommand):
    """`manage.py stability CAMPAIGN --judges A B`: rank correlations of two rankings, with intervals."""

    help = "Prints how alike the runs rank under two sets of judgments or settings: measure, value, low, high."
    example = "stability demo --judges official second --measure combined"

    def add_arguments(self, parser: CommandParser) -> None:
        """What makes each of the two rankings."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument(
            "--judges", nargs=2, default=("official", "official"), metavar="JUDGE", help="whose judgments count"
        )
        parser.add_argument("--measure", nargs="+", default=[""], help="one measure, or one for each ranking")
        for side in ("first", "second"):
            parser.add_argument(
                f"--{side}-set", action="append", default=[], type=key_value, metavar="KEY=VALUE",
                help=f"a setting of the {side} ranking that differs from the campaign's",
            )  # fmt: skip
        parser.add_argument("--runs", action="store_true", help="the runs with both values and places, instead")
        parser.add_argument("--format", choices=("tsv", "json"), default="tsv", help="lines (default) or JSON")
        parser.add_argument("--as-of", type=int, default=None, metavar="N", help="ledger point (default: now)")

    def work(self, options: dict[str, Any]) -> None:
        """Rank twice and print; how many topics were compared goes to standard error."""
        campaign, measures = campaign_named(options["campaign"]), options["measure"]
        if len(measures) > 2:
            raise CommandError("Name one measure, or two: one for each ranking.", returncode=2)
        sides = [
            SideAsked(judge=judge, measure=measure, settings=_settings(campaign, dict(options[f"{side}_set"])))
            for side, judge, measure in zip(
                ("first", "second"), options["judges"], (measures[0], measures[-1]), strict=True
            )
        ]
        found = compare_rankings(campaign, first=sides[0], second=sides[1], as_of=options["as_of"])
        self.stderr.write(f"{len(found.topics)} topics compared, seed {found.sampling.seed}")
        rows = [_run(row) for row in found.runs] if options["runs"] else [_estimate(each) for each in found.estimates]
        if options["format"] == "json":
            self.say(json.dumps(rows, indent=1))
            return
        for row in rows:
            self.say("\t".join("undefined" if each is None else _shown(each) for each in row.values()))


def _settings(campaign: Campaign, given: dict[str, str]) -> TrackSettings | None:
    own = settings_of(campaign)
    try:
        return type(own).from_mapping({**own.as_mapping(), **given}) if given else None
    except SettingsError as error:
        raise CommandError(str(error), returncode=1) from error


def _estimate(each: Any) -> dict[str, Any]:
    low, high = (None, None) if each.interval is None else (each.interval.low, each.interval.high)
    return {"measure": each.measure, "value": each.value, "low": low, "high": high}


def _run(row: Any) -> dict[str, Any]:
    names = ("run", "first_place", "first", "second_place", "second", "moved")
    return {name: getattr(row, name) for name in names}


def _shown(value: object) -> str:
    return f"{value:.6f}" if isinstance(value, float) else str(value)
