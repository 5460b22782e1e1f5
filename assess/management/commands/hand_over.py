"""Hand a piece of work over to another assessor."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.assignments.models import Assignment
from assess.management.command import (
    DomainCommand,
    acting_organiser,
    add_acting_argument,
    campaign_named,
    user_named,
)
from assess.work.domain import hand_over


class Command(DomainCommand):
    """`manage.py hand_over CAMPAIGN --topic T --stage S --from A --to B`: they go on from where A was."""

    help = "Gives a piece of work to another assessor, who goes on from where the first was. Exports stay as they are."
    example = "hand_over tac-2008 --topic 3.4 --stage instances --from ada --to bert"

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the work, and who goes on with it."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("--topic", required=True, metavar="NUMBER", help="the topic")
        parser.add_argument("--stage", required=True, metavar="KEY", help="the stage")
        parser.add_argument("--from", required=True, dest="giver", metavar="NAME", help="user name of who has it")
        parser.add_argument("--to", required=True, metavar="NAME", help="user name of who goes on")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Hand over, and say it in one line."""
        campaign = campaign_named(options["campaign"])
        giver, to = user_named(options["giver"]), user_named(options["to"])
        own = campaign.assignments.filter(topic__number=options["topic"], stage=options["stage"], assessor=giver)
        found = own.exclude(state=Assignment.State.RETURNED).select_related("topic", "assessor").first()
        if found is None:
            raise CommandError(f"{giver} has no work “{options['stage']}” of topic {options['topic']}.", returncode=2)
        found.campaign = campaign
        made = hand_over(actor=acting_organiser(campaign, options["organiser"]), assignment=found, to=to)
        self.say(f"{made.topic.number}\t{made.stage}\t{made.assessor}\t{made.get_role_display()}")
