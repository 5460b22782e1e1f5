"""Set from when on participants see topics, document lists or the package of documents."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from assess.campaigns.dates import release_words, set_release_dates
from assess.campaigns.models import Part
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named


class Command(DomainCommand):
    """`manage.py set_release_date CAMPAIGN topics "2026-06-24 09:00"`."""

    help = "Sets from when on participants see topics, document lists or the package of documents."
    example = 'set_release_date tac-2008 topics "2026-06-24 09:00"'

    def add_arguments(self, parser: CommandParser) -> None:
        """Take what is released, the date and its time zone."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("part", choices=Part.values, help="what is given out")
        parser.add_argument("date", metavar="DATE", help='"2026-06-24 09:00"; "none" takes the date away: at once')
        parser.add_argument(
            "--zone", default="", metavar="ZONE", help="time zone by place, UTC, or AoE (default: the campaign's)"
        )
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Set it, and say what it is now."""
        campaign = campaign_named(options["campaign"])
        actor = acting_organiser(campaign, options["organiser"])
        date = "" if options["date"] == "none" else options["date"]
        set_release_dates(actor=actor, campaign=campaign, dates={options["part"]: date}, time_zone=options["zone"])
        part = Part(options["part"])
        words = release_words(campaign, part)
        self.say(f"Participants see the {part.label} {f'from {words} on' if words else 'at once'}.")
