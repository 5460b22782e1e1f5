"""Print a campaign's scores."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.judging.snapshots import Snapshot
from assess.management.command import DomainCommand, campaign_named, print_issues
from assess.scores.domain import score_campaign
from scoring.records import has_errors
from scoring.release.score_lines import value_blocks, value_lines


class Command(DomainCommand):
    """`manage.py score CAMPAIGN`: print run, topic, measure, value, as `python -m tracks score` does."""

    help = "Prints the scores of a campaign's runs: run, topic, measure, value."
    example = "score demo --format json"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the campaign, the ledger point and the form of the output."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("--format", choices=("tsv", "json"), default="tsv", help="lines (default) or a JSON list")
        parser.add_argument("--as-of", type=int, default=None, metavar="N", help="ledger point (default: now)")

    def work(self, options: dict[str, Any]) -> None:
        """Compute the scores and print them. Problems found in judgments and runs go to standard error."""
        found = score_campaign(Snapshot(campaign_named(options["campaign"]), options["as_of"]))
        print_issues(found.issues, self.stderr)
        as_json = options["format"] == "json"
        for text in value_lines("json", found.scores) if as_json else value_blocks(found.columns):
            self.say(text)
        if has_errors(found.issues):
            raise CommandError("The judgments have errors, see above; what is wrong was left out.", returncode=1)
