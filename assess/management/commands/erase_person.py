"""Erase the identity of a person."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from assess.management.command import DomainCommand, person_acting, user_named
from assess.people.domain.erasing import erase_person


class Command(DomainCommand):
    """`manage.py erase_person USER`: give the account a pseudonym, and erase everything that tells whose it was."""

    help = (
        "Gives an account a pseudonym, closes it and drops what says whose it was: names, mail address, password, "
        "tokens, ways in, notes of invitations, logins. What they judged stays, under the pseudonym, which is printed. "
        "This can be undone only by restoring an earlier backup. Only a superuser erases people here; organisers do so "
        "on a member's page of names."
    )
    example = "erase_person anna --pseudonym assessor-a"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the person and for the pseudonym."""
        parser.add_argument("user", metavar="USER", help="the name of the account")
        parser.add_argument(
            "--pseudonym", default="", metavar="NAME", help="their name from then on (default: a new one)"
        )
        parser.add_argument(
            "--as", dest="actor", default="", metavar="NAME", help="the superuser who does it (default: the first)"
        )

    def work(self, options: dict[str, Any]) -> None:
        """Erase the person's identity, and print the pseudonym."""
        superusers = User.objects.filter(is_superuser=True, is_active=True).order_by("id")
        actor = person_acting(options["actor"]) if options["actor"] else superusers.first()
        if actor is None:
            raise CommandError(
                "Only a superuser erases people here, and this site has none. Make one with “manage.py "
                "createsuperuser”, or let an organiser do it under People, Names ….",
                returncode=2,
            )
        self.say(erase_person(actor=actor, user=user_named(options["user"]), pseudonym=options["pseudonym"]).username)
