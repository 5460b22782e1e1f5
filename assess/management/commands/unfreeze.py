"""Open a frozen campaign again."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named
from assess.organising.domain import unfreeze_campaign


class Command(DomainCommand):
    """`manage.py unfreeze CAMPAIGN --reason REASON`: assessors can judge again."""

    help = "Opens a frozen campaign again; the reason is recorded. One that is released stays as it is."
    example = 'unfreeze demo --reason "two topics were judged by old guidelines"'

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the campaign and the reason."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("--reason", required=True, help="why; recorded")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Open the campaign again."""
        campaign = campaign_named(options["campaign"])
        actor = acting_organiser(campaign, options["organiser"])
        unfreeze_campaign(actor=actor, campaign=campaign, reason=options["reason"])
        self.stderr.write(f"{campaign.slug} is being judged again")
