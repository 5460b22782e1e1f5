"""List, make and revoke the API tokens of an account."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.management.command import DomainCommand, user_named
from assess.people.access import access_token
from assess.people.domain.tokens import create_token, revoke_token
from assess.people.queries import tokens_of
from assess.web.scopes import SCOPES

COLUMNS = ("id", "name", "scopes", "made", "until", "last_used")


class Command(DomainCommand):
    """`manage.py tokens USER`: list, make or revoke tokens, as the page of one's own tokens does."""

    help = (
        "Lists the API tokens of an account that are not revoked; with --make, makes one and prints it, this once; "
        "with --revoke, makes one void. Scopes: " + "; ".join(f"{scope}: {said}" for scope, said in SCOPES.items())
    )
    example = "tokens anna --make nightly --scope read --days 90"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the account and for what to do."""
        parser.add_argument("user", metavar="USER", help="the name of the account")
        acts = parser.add_mutually_exclusive_group()
        acts.add_argument("--make", metavar="NAME", help="make a token with this name")
        acts.add_argument("--revoke", type=int, metavar="ID", help="revoke the token with this id")
        parser.add_argument(
            "--scope", action="append", default=[], metavar="SCOPE", help="with --make: what it is good for; repeatable"
        )
        parser.add_argument(
            "--days", type=int, metavar="N", help="with --make: how many days it works (default: no end)"
        )

    def work(self, options: dict[str, Any]) -> None:
        """Make a token, revoke one, or list the tokens."""
        person = user_named(options["user"])
        if options["make"] is None and (options["scope"] or options["days"]):
            raise CommandError("--scope and --days say what a new token is good for: give --make, too.", returncode=2)
        if options["make"] is not None:
            scopes, days = options["scope"], options["days"]
            _, text = create_token(actor=person, name=options["make"], scopes=scopes, days=days)
            self.say(text)
        elif options["revoke"] is not None:
            revoke_token(actor=person, token=access_token(person, options["revoke"]))
        else:
            rows = [
                (each.pk, each.name, each.scopes, _day(each.created_at), _day(each.expires_at), _day(each.last_used_at))
                for each in tokens_of(person)
            ]
            self.say_table(COLUMNS, rows, form="tsv")


def _day(moment: Any) -> str:
    return f"{moment:%Y-%m-%dT%H:%MZ}" if moment is not None else ""
