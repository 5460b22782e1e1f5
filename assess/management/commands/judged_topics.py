"""Say or choose which topics of a campaign are judged."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from assess.base.errors import Invalid
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named
from assess.organising.judged_topics import choose_topics, judged_topics_of


class Command(DomainCommand):
    """`manage.py judged_topics CAMPAIGN [NUMBER …]`: prints the numbers of the topics that are judged."""

    help = (
        "Prints the topics that are judged, a number a line. With numbers, chooses these first: a series stands for "
        "its topics, and --all for every topic. Build the pools again after a change."
    )
    example = "judged_topics demo 3.1 3.2"

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the campaign and the topics."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("numbers", nargs="*", metavar="NUMBER", help="a topic or series that is judged")
        parser.add_argument("--all", action="store_true", help="all topics are judged")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Choose, then say what holds."""
        campaign = campaign_named(options["campaign"])
        if options["all"] and options["numbers"]:
            raise Invalid("Give numbers or --all, not both.")
        if options["all"] or options["numbers"]:
            actor = acting_organiser(campaign, options["organiser"])
            campaign = choose_topics(actor=actor, campaign=campaign, numbers=options["numbers"])
        for number in judged_topics_of(campaign).asked:
            self.say(number)
