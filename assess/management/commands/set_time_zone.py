"""Set in which time zone a campaign's days begin."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from assess.campaigns.dates import set_time_zone, zone_words
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named


class Command(DomainCommand):
    """`manage.py set_time_zone CAMPAIGN Europe/Vienna`."""

    help = "Sets in which time zone the campaign's days begin: progress by day, forecasts, and what pages show."
    example = "set_time_zone tac-2008 Europe/Vienna"

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the time zone."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("zone", metavar="ZONE", help="a time zone by place, UTC, or AoE (anywhere on Earth)")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Set it, and say what it is now."""
        campaign = campaign_named(options["campaign"])
        actor = acting_organiser(campaign, options["organiser"])
        changed = set_time_zone(actor=actor, campaign=campaign, time_zone=options["zone"])
        self.say(f"Days begin and end in {zone_words(changed.time_zone)}.")
