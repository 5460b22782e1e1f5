"""manage.py score CAMPAIGN [--format tsv|json] [--as-of N]"""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assess.domain.errors import Refused
from assess.domain.scores import score_campaign
from assess.models import Campaign
from scoring.records import Score


class Command(BaseCommand):
    help = "Print the scores of a campaign's runs: run, topic, measure, value. Example: manage.py score demo"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="the campaign's short name")
        parser.add_argument("--format", choices=("tsv", "json"), default="tsv")
        parser.add_argument("--as-of", type=int, default=None, help="ledger point (default: now)")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign “{options['campaign']}”.", returncode=2)
        try:
            found = score_campaign(campaign, options["as_of"])
        except Refused as refused:
            raise CommandError(refused.message) from refused
        for issue in found.issues:
            self.stderr.write("\t".join(issue.as_row()))
        if options["format"] == "json":
            self.stdout.write(json.dumps([_as_mapping(score) for score in found.scores], ensure_ascii=False, indent=1))
            return
        for score in found.scores:
            self.stdout.write(f"{score.run}\t{score.topic}\t{score.measure}\t{shown(score.value)}")


def shown(value: float | None) -> str:
    """A value as the command lines print it."""
    return "undefined" if value is None else f"{value:.6f}"


def _as_mapping(score: Score) -> dict[str, Any]:
    return {
        "run": score.run,
        "topic": score.topic,
        "measure": score.measure,
        "value": score.value,
        "topics": score.topics,
    }
