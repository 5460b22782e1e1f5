"""Replay recorded judgments."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandParser

from assess.assignments.queries.pseudonyms import pseudonyms
from assess.assignments.queries.who_can_be_given_work import assessors_of
from assess.campaigns.models import JUDGES, Campaign, Membership
from assess.judging.queries.judges import is_machine_name
from assess.management.command import (
    DomainCommand,
    acting_organiser,
    add_acting_argument,
    campaign_named,
    named_people,
    opened,
)
from assess.replay.replaying import import_judgments


class Command(DomainCommand):
    """`manage.py import_judgments CAMPAIGN FILE`: what people did elsewhere is done here, by the same functions."""

    help = (
        "Replays recorded judgments (judgments.jsonl) into a campaign that is being judged. All lines are checked "
        "before any is stored; a long file is stored some topics at a time, while others go on judging. "
        "Pseudonyms that --person does not name go to the campaign's judges, in the order in which they joined. "
        "Stopped, it is finished by the same command: nothing is added twice."
    )
    example = "import_judgments demo judgments.jsonl --person assessor-1=anna --person assessor-2=ben"

    def add_arguments(self, parser: CommandParser) -> None:
        """The file, and who the pseudonyms in it are."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("file", metavar="FILE", help="judgments.jsonl, also .gz or .zst; - is standard input")
        parser.add_argument(
            "--person", action="append", default=[], metavar="PSEUDONYM=NAME", help="who a pseudonym is, by user name"
        )
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Replay, and say how much was new."""
        campaign = campaign_named(options["campaign"])
        actor = acting_organiser(campaign, options["organiser"])
        people = {**_known_people(campaign), **named_people(options["person"])}
        with opened(options["file"]) as stream:
            done = import_judgments(
                actor=actor, campaign=campaign, stream=stream, people=people, name=str(options["file"])
            )
        self.say(f"{done.lines} lines replayed, {done.added} rows added")


def _is_persons(name: str) -> bool:
    """Whether a pseudonym is a person's: machine judges are found, or made, by their own."""
    return not is_machine_name(name)


def _known_people(campaign: Campaign) -> dict[str, User]:
    """Who has worked already keeps their pseudonym; the next go to the other judges, in the order they joined."""
    known = pseudonyms(campaign)
    users = User.objects.in_bulk(list(known))
    people = {name: users[pk] for pk, name in known.items()}
    judges = Membership.objects.filter(campaign=campaign, role__in=JUDGES, user__in=assessors_of(campaign))
    for membership in judges.select_related("user").order_by("id"):
        if membership.user_id not in known and membership.user not in people.values():
            people[f"assessor-{sum(map(_is_persons, people)) + 1}"] = membership.user
    return people
