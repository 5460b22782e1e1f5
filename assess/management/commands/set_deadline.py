"""Set until when participants may submit runs."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from assess.campaigns.dates import deadline_words, set_deadline
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named
from assess.runs.domain.submission_rules import deadline_effect


class Command(DomainCommand):
    """`manage.py set_deadline CAMPAIGN "2026-12-01 23:59" --zone Europe/Vienna`."""

    help = "Sets until when participants submit, replace and withdraw runs, in a time zone of its own."
    example = 'set_deadline tac-2008 "2026-12-01 23:59" --zone Europe/Vienna'

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the deadline and its time zone."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("due", metavar="DUE", help='"2026-12-01 23:59"; "none" takes the deadline away')
        parser.add_argument(
            "--zone",
            default="",
            metavar="ZONE",
            help="time zone by place, UTC, or AoE: anywhere on Earth (default: as before, else the campaign's)",
        )
        parser.add_argument("--past", action="store_true", help="take a deadline that has passed, which closes at once")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Set it, and say what it is now."""
        campaign = campaign_named(options["campaign"])
        due = "" if options["due"] == "none" else options["due"]
        actor = acting_organiser(campaign, options["organiser"])
        set_deadline(actor=actor, campaign=campaign, due=due, time_zone=options["zone"], past=options["past"])
        words = deadline_words(campaign)
        self.say(f"Runs are due by {words}." if words else "Runs have no deadline.")
        if effect := deadline_effect(campaign):
            self.stderr.write(effect)
