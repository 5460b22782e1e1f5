"""How steadily assessors judge."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from assess.management.command import DomainCommand, campaign_named
from assess.queries.analysis.consistency import steadiness


class Command(DomainCommand):
    """`manage.py consistency CAMPAIGN`: what repeats and gold items show."""

    help = (
        "Says how steadily assessors judge. Prints: assessor, criterion, repeats judged the same, repeats, Cohen's "
        "kappa with its interval (– where undefined or of too few), gold right, gold."
    )
    example = "consistency tac-2008"

    def add_arguments(self, parser: CommandParser) -> None:
        """Which campaign."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")

    def work(self, options: dict[str, Any]) -> None:
        """One line for each assessor and criterion."""
        for row in steadiness(campaign_named(options["campaign"])):
            ends = (row.interval.low, row.interval.high) if row.interval is not None else (None, None)
            kappa = "\t".join("–" if value is None else f"{value:.4f}" for value in (row.kappa, *ends))
            self.say(f"{row.name}\t{row.criterion}\t{row.agreed}\t{row.repeats}\t{kappa}\t{row.right}\t{row.gold}")
