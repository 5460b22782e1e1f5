"""Print a campaign's scores."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.judging.snapshots import Snapshot
from assess.management.command import DomainCommand, campaign_named, print_issues
from assess.scores.domain.computing import score_campaign
from scoring.records import Score, has_errors


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
        """Compute and print; what is amiss in the judgments goes to standard error."""
        found = score_campaign(Snapshot(campaign_named(options["campaign"]), options["as_of"]))
        print_issues(found.issues, self.stderr)
        self.print_scores(found.scores, options["format"])
        if has_errors(found.issues):
            raise CommandError("The judgments have errors, see above; what is wrong was left out.", returncode=1)

    def print_scores(self, scores: Iterable[Score], form: str) -> None:
        """Print the scores, one line a value or as a JSON list."""
        if form == "json":
            self.say(json.dumps([asdict(score) for score in scores], ensure_ascii=False, indent=1))
            return
        for score in scores:
            value = "undefined" if score.value is None else f"{score.value:.6f}"
            self.say(f"{score.run}\t{score.topic}\t{score.measure}\t{value}")
