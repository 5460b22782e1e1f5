"""Play a campaign with simulated runs and assessors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from assess.management.command import DomainCommand, campaign_named
from assess.rehearsals.choices import Wish
from assess.rehearsals.play import Played, StagePlayed, play_campaign
from assess.rehearsals.simulation import Expectation, Outcome

COLUMNS = ("stage", "way", "measure", "value", "low", "high")
MEASURES = ("items", "judgments", "hours", "longest", "agreement", "kappa", "tau", "missed")


class Command(DomainCommand):
    """`manage.py rehearse CAMPAIGN …`: time needed, agreement and how far the order of runs holds. Writes nothing."""

    help = (
        "Plays the campaign's own topics, pools and stages with simulated runs and assessors, and prints what to "
        "expect: items a topic, hours, agreement, and Kendall's tau of the runs' order against the true one, each with "
        "the range of nine plays in ten. Nothing is written."
    )
    example = "rehearse demo --assessors 6 --error 0.1 --double 0.2"

    def add_arguments(self, parser: CommandParser) -> None:
        """The campaign, and what is not as it says."""
        plain = Wish()
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("--runs", type=int, metavar="N", help="simulate N runs (default: use the accepted ones)")
        parser.add_argument("--assessors", type=int, metavar="N", help="how many assessors (default: the members)")
        parser.add_argument("--error", type=float, default=plain.error, help="how often a judgment is wrong (0.1)")
        parser.add_argument(
            "--seconds-per-item", type=float, metavar="S", help="active seconds an item (default: as measured, else 30)"
        )
        parser.add_argument("--double", type=float, default=plain.double, metavar="SHARE", help="topics judged twice")
        parser.add_argument("--relevant", type=int, default=plain.relevant, help="relevant items a topic (30)")
        parser.add_argument("--plays", type=int, default=plain.plays, help="how often it is played (5)")
        parser.add_argument("--seed", type=int, default=plain.seed, help="the same seed plays the same (1)")
        parser.add_argument("--format", choices=("tsv", "json"), default="tsv", help="lines (default) or JSON")

    def work(self, options: dict[str, Any]) -> None:
        """Play the campaign, and print what came of it."""
        campaign = campaign_named(options["campaign"])
        wish = Wish(**{name: options[name] for name in Wish.__slots__})
        played = play_campaign(campaign, wish, progress=self.progress())
        if options["format"] == "json":
            self.say(json.dumps(played.as_json(), ensure_ascii=False, indent=1))
            return
        self.print_lines(played)

    def print_lines(self, played: Played) -> None:
        """A line for each measure of each way of each stage; what was taken as given goes to standard error."""
        for stage in played.stages:
            self.stderr.write(f"{stage.label}: {'; '.join(stage.given)}")
            for sentence in stage.cautions:
                self.stderr.write(f"{stage.label}: {sentence}")
        for sentence in played.left_out:
            self.stderr.write(sentence)
        self.say_table(COLUMNS, (row for stage in played.stages for row in _rows(stage)), form="tsv")


def _rows(stage: StagePlayed) -> Iterator[tuple[object, ...]]:
    for way, outcome in _ways(stage):
        for measure in MEASURES:
            found: Expectation = getattr(outcome, measure)
            yield stage.stage, way, measure, found.value, found.low, found.high


def _ways(stage: StagePlayed) -> list[tuple[str, Outcome]]:
    return [
        ("planned", stage.planned),
        *((f"{stage.size_label.lower()}={each.size}", each) for each in stage.by_size),
        *((f"double={each.double:g}", each) for each in stage.by_double),
    ]
