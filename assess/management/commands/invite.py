"""Invite the people on a list."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Any
from uuid import UUID, uuid4

from django.core.management.base import CommandParser
from django.urls import reverse

from assess.base.file_issues import Collector
from assess.base.wording import counted
from assess.management.command import (
    DomainCommand,
    acting_organiser,
    add_acting_argument,
    campaign_named,
    opened,
)
from assess.people.domain.invitations import check_invitations, invite_many, read_invitations


class Command(DomainCommand):
    """`manage.py invite CAMPAIGN FILE`: invite a list of people, as the page does."""

    help = (
        "Invites the people of a CSV file (role,team,note; “-” reads standard input), all or none, and prints their "
        "links: role, team, note, link. A link is printed this once and works once; only its digest is kept."
    )
    example = "invite tac-2008 assessors.csv --site https://assay.example.org > links.tsv"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the list and for the site's address."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("file", metavar="FILE", help="the CSV file")
        parser.add_argument("--check", action="store_true", help="only print what is wrong with the list")
        parser.add_argument("--site", default="", metavar="URL", help="the address before the link's path")
        parser.add_argument(
            "--key", type=_key, default=None, metavar="UUID", help="makes the call safe to repeat (default: a new one)"
        )
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Invite the people, and print a link for each. With --check, only print what is wrong with the list."""
        campaign = campaign_named(options["campaign"])
        actor = acting_organiser(campaign, options["organiser"])
        problems = Collector()
        with opened(options["file"]) as stream:
            rows = read_invitations(stream, report=problems)
        good = check_invitations(campaign, rows, report=problems)
        problems.refuse_errors(name=options["file"])
        if options["check"]:
            self.stderr.write(f"{counted(len(good), 'invitation')} can be made.")
            return
        made = invite_many(actor=actor, campaign=campaign, rows=rows, client_key=options["key"] or uuid4())
        for row, token in made:
            address = options["site"].rstrip("/") + reverse("invitation", args=[token])
            self.say(f"{row.role}\t{row.team}\t{row.note}\t{address}")


def _key(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise ArgumentTypeError(f"“{text}” is not a UUID") from error
