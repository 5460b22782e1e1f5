"""Set whether somebody takes more work in a campaign."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from assess.assignments.domain.who_takes_work import set_takes_work
from assess.management.command import (
    DomainCommand,
    acting_organiser,
    add_acting_argument,
    campaign_named,
    user_named,
)


class Command(DomainCommand):
    """`manage.py set_takes_work CAMPAIGN NAME yes|no`."""

    help = "Sets whether somebody who judges takes more work: people who take none are handed nothing."
    example = "set_takes_work tac-2008 ada no"

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the person, and whether they take work."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("person", metavar="NAME", help="user name of who judges")
        parser.add_argument("takes", choices=("yes", "no"), help="whether they take more work")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Set it, and say what holds now."""
        campaign, person = campaign_named(options["campaign"]), user_named(options["person"])
        actor, takes = acting_organiser(campaign, options["organiser"]), options["takes"] == "yes"
        set_takes_work(actor=actor, campaign=campaign, user=person, takes=takes)
        self.say(f"{person} takes {'work' if takes else 'no more work'}.")
