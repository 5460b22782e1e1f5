"""Replay recorded judgments."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from assess.base.wording import counted
from assess.management.command import (
    DomainCommand,
    acting_organiser,
    add_acting_argument,
    campaign_named,
    named_people,
    opened,
)
from assess.replay.importing import people_by_pseudonym
from assess.replay.replaying import import_judgments


class Command(DomainCommand):
    """`manage.py import_judgments CAMPAIGN FILE`: replay what people did elsewhere, through the same domain
    functions.
    """

    help = (
        "Replays recorded judgments (judgments.jsonl) into a campaign that is being judged. All lines are checked "
        "before any is stored; a long file is stored some topics at a time, while others go on judging. Who is not "
        "named by --person is whoever has that pseudonym here, or that user name; further pseudonyms assessor-1, "
        "assessor-2 and so on go to the campaign's judges, in the order in which they joined. If it was stopped, the "
        "same command finishes it: nothing is added twice."
    )
    example = "import_judgments demo judgments.jsonl --person assessor-1=anna --person assessor-2=ben"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the file and for the people behind its pseudonyms."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("file", metavar="FILE", help="judgments.jsonl, also .gz or .zst; - is standard input")
        parser.add_argument(
            "--person",
            action="append",
            default=[],
            metavar="PSEUDONYM=NAME",
            help="the user behind a pseudonym, by user name",
        )
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Replay the judgments, and print how many were new."""
        campaign = campaign_named(options["campaign"])
        actor = acting_organiser(campaign, options["organiser"])
        people = {**people_by_pseudonym(campaign), **named_people(options["person"])}
        with opened(options["file"]) as stream:
            done = import_judgments(
                actor=actor, campaign=campaign, stream=stream, people=people, name=str(options["file"])
            )
        self.say(f"{counted(done.lines, 'line')} replayed, {counted(done.added, 'row')} added")
