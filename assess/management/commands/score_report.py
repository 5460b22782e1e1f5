"""Write a team's score report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from assess.judging.snapshots import Snapshot
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named
from assess.releases.domain.releasing import released_names
from assess.scores.reports import score_report, write_report


class Command(DomainCommand):
    """`manage.py score_report CAMPAIGN --team T DIR`: write a self-contained page and a table."""

    help = "Writes a team's score report into a folder: score-report.html, which opens anywhere, and score-report.csv."
    example = "score_report demo --team Harbor reports/Harbor"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the team, the folder and the ledger point."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument(
            "dir", metavar="DIR", type=Path, help="a folder without a report; it is made if it does not exist"
        )
        parser.add_argument("--team", required=True, help="the team's id")
        parser.add_argument("--as-of", type=int, default=None, metavar="N", help="ledger point (default: now)")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Write the report, and print a line for each of its files."""
        campaign = campaign_named(options["campaign"])
        actor = acting_organiser(campaign, options["organiser"])
        report = score_report(Snapshot(campaign, options["as_of"]), team=options["team"])
        released = released_names(campaign)
        for path in write_report(actor=actor, report=report, released=released, folder=options["dir"]):
            self.say(str(path))
