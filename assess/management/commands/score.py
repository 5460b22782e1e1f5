"""Print a campaign's scores."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.judging.snapshots import Snapshot
from assess.management.command import DomainCommand, campaign_named, print_issues
from assess.scores.domain import score_campaign
from scoring.records import has_errors
from scoring.release.tables import value_lines


class Command(DomainCommand):
    """`manage.py score CAMPAIGN`: lines of run, topic, measure, value, as `python -m tracks score` prints them."""

    help = "Prints the scores of a campaign's runs: run, topic, measure, value."
    example = "score demo --format json"

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the campaign, its files or ledger point, and the form of the output."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("--format", choices=("tsv", "json"), default="tsv", help="lines (default) or a JSON list")
        parser.add_argument("--as-of", type=int, default=None, metavar="N", help="ledger point (default: now)")

    def work(self, options: dict[str, Any]) -> None:
        """Compute and print; problems found in judgments and runs go to standard error."""
        found = score_campaign(Snapshot(campaign_named(options["campaign"]), options["as_of"]))
        print_issues(found.issues, self.stderr)
        for line in value_lines(options["format"], found.scores):
            self.say(line)
        if has_errors(found.issues):
            raise CommandError("The judgments have errors, see above; what is wrong was left out.", returncode=1)
