"""Set when work goes back by itself, and whether assessors take authors' work from the stack."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import CommandParser

from assess.assignments.domain.leases import change_work_rules
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named


class Command(DomainCommand):
    """`manage.py work_rules CAMPAIGN …`: what the page of the same name sets."""

    help = "Sets the rules by which work goes back and is taken; what is not named keeps its value. Prints both."
    example = "work_rules tac-2008 --lease-hours 48 --takes-primary no"

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the rules to set."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument(
            "--lease-hours", type=_hours, metavar="N", help="hours until untouched work goes back; never"
        )
        parser.add_argument(
            "--takes-primary", choices=["yes", "no"], help="whether assessors take authors' work from the stack"
        )
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Set the rules, and say which hold now."""
        campaign = campaign_named(options["campaign"])
        hours, takes = options["lease_hours"], options["takes_primary"]
        changed = change_work_rules(
            actor=acting_organiser(campaign, options["organiser"]),
            campaign=campaign,
            lease_hours=campaign.lease_hours if hours is None else hours or None,
            takes_primary=campaign.takes_primary if takes is None else takes == "yes",
        )
        self.say(f"lease_hours\t{changed.lease_hours or 'never'}")
        self.say(f"takes_primary\t{'yes' if changed.takes_primary else 'no'}")


def _hours(text: str) -> int:
    """A number of hours; "never" is 0."""
    if text == "never":
        return 0
    try:
        hours = int(text)
    except ValueError as error:
        raise ArgumentTypeError(f"“{text}” is no number of hours; write one, or never") from error
    return hours if hours else -1
