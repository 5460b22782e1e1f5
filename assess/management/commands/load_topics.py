"""Load a topic file into a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from assess.base.wording import counted
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named, opened
from assess.topics.domain.loading import load_topics


class Command(DomainCommand):
    """`manage.py load_topics CAMPAIGN FILE`: load a whole file or none of it."""

    help = (
        "Loads topics. Every error in the file is named, and then nothing is stored. If the track has several kinds "
        "of topic files, the content shows which one it is."
    )
    example = "load_topics tac-2008 questions.xml"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the file and its kind."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("file", metavar="FILE", help="the topic file")
        parser.add_argument("--kind", default="", help="kind of topic file (default: recognised by its content)")
        parser.add_argument("--task", default="", help="the task whose topics it contains, if its content fits several")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Load the topics, and print how many there are."""
        campaign = campaign_named(options["campaign"])
        with opened(options["file"]) as stream:
            loaded = load_topics(
                actor=acting_organiser(campaign, options["organiser"]),
                campaign=campaign,
                file_key=options["kind"],
                task=options["task"],
                stream=stream,
                name=Path(options["file"]).name,
            )
        self.warn(loaded.report)
        self.say(f"{counted(loaded.added, 'topic')} added, {loaded.changed} changed, {loaded.unchanged} as before.")
