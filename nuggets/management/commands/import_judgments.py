"""manage.py import_judgments CAMPAIGN FILE [--person assessor-1=name …]"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from assess.domain.errors import BadFile, Refused
from assess.models import Campaign, Membership
from assess.queries.pseudonyms import pseudonyms
from nuggets.domain.replay import import_judgments
from scoring.reading import CannotOpen, open_input


class Command(BaseCommand):
    help = (
        "Replay recorded judgments (judgments.jsonl) into a campaign. "
        "Example: manage.py import_judgments demo judgments.jsonl --person assessor-1=anna --by olga"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="the campaign's short name")
        parser.add_argument("file", help="judgments.jsonl, also .gz or .zst")
        parser.add_argument(
            "--person", action="append", default=[], metavar="PSEUDONYM=NAME", help="who a pseudonym is, by user name"
        )
        parser.add_argument("--by", default="", metavar="NAME", help="the organiser who does this (default: the first)")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign “{options['campaign']}”.", returncode=2)
        people = {**_known_people(campaign), **_named_people(options["person"])}
        try:
            with open_input(options["file"]) as stream:
                done = import_judgments(
                    actor=_organiser(campaign, options["by"]),
                    campaign=campaign,
                    stream=stream,
                    people=people,
                    name=options["file"],
                )
        except CannotOpen as error:
            raise CommandError(str(error)) from error
        except BadFile as refused:
            for issue in refused.issues:
                self.stdout.write("\t".join(issue.as_row()))
            raise CommandError(refused.message) from refused
        except Refused as refused:
            raise CommandError(refused.message) from refused
        self.stderr.write(f"{done.lines} lines replayed, {done.added} rows added")


def _named_people(pairs: list[str]) -> dict[str, User]:
    people = {}
    for pair in pairs:
        pseudonym, _, name = pair.partition("=")
        user = User.objects.filter(username=name).first()
        if user is None:
            raise CommandError(f"There is no user “{name}” (from --person {pair}).", returncode=2)
        people[pseudonym] = user
    return people


def _known_people(campaign: Campaign) -> dict[str, User]:
    """Who has worked already keeps their pseudonym; the next go to the other judges, in the order they joined."""
    known = pseudonyms(campaign)
    users = User.objects.in_bulk(list(known))
    people = {name: users[pk] for pk, name in known.items()}
    judges = Membership.objects.filter(campaign=campaign, role__in=("assessor", "adjudicator")).select_related("user")
    for membership in judges.order_by("id"):
        if membership.user_id not in known and membership.user not in people.values():
            people[f"assessor-{len(people) + 1}"] = membership.user
    return people


def _organiser(campaign: Campaign, name: str) -> User:
    members = Membership.objects.filter(campaign=campaign, role="organiser").select_related("user").order_by("id")
    found = (members.filter(user__username=name) if name else members).first()
    if found is None:
        raise CommandError(f"{name or 'Nobody'} organises this campaign. Name an organiser with --by.", returncode=2)
    return found.user
