"""Amend, drop, restore or remove a topic."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from assess.base.errors import Invalid
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named
from assess.topics.domain.amending import amend_topic
from assess.topics.domain.changing import drop_topic, remove_topic, restore_topic


class Command(DomainCommand):
    """`manage.py change_topic CAMPAIGN NUMBER amend|drop|restore|remove`: prints the numbers of what was changed."""

    help = (
        "Amends the text of a topic, drops it from pools, work, exports and scores, restores a dropped one, or "
        "removes one that nobody answered or judged. The reason is recorded; to amend and to drop there must be one."
    )
    example = 'change_topic demo 3.1 drop --reason "it has no answer"'

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the campaign, the topic, what is done and why."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("number", metavar="NUMBER", help="the topic's number")
        parser.add_argument("do", choices=["amend", "drop", "restore", "remove"], help="what is done with it")
        parser.add_argument("--reason", default="", help="why; recorded, and read by assessors: name no run")
        parser.add_argument(
            "--text",
            action="append",
            default=[],
            metavar="KEY=TEXT",
            help="amend: the new wording of its text, narrative, … ; may be given several times",
        )
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Make the change."""
        campaign = campaign_named(options["campaign"])
        by: dict[str, Any] = {
            "actor": acting_organiser(campaign, options["organiser"]),
            "campaign": campaign,
            "number": options["number"],
            "reason": options["reason"],
        }
        do = options["do"]
        if do != "amend" and options["text"]:
            raise Invalid("--text is for amend alone: nothing was changed.")
        if do == "remove":
            numbers = remove_topic(**by)
        elif do == "amend":
            numbers = [topic.number for topic in amend_topic(**by, wording=_wording(options["text"]))]
        else:
            numbers = [topic.number for topic in (drop_topic if do == "drop" else restore_topic)(**by)]
        for number in numbers:
            self.say(number)
        if not numbers:
            self.stderr.write("nothing was changed: the topic is in that state already")


def _wording(texts: list[str]) -> dict[str, str]:
    if not texts or any("=" not in each for each in texts):
        raise Invalid(
            'Say what is amended as --text KEY=TEXT, such as --text narrative="…"; the topic’s own is “text”.'
        )
    return dict(each.split("=", 1) for each in texts)
