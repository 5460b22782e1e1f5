"""Load the list of valid docnos."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from assess.documents.domain.lists import load_docnos
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named, opened


class Command(DomainCommand):
    """`manage.py load_docnos CAMPAIGN FILE`: adds to the list; the same file again adds nothing."""

    help = "Loads the docnos that runs may name, one a line (.gz and .zst are read). Runs are checked against them."
    example = "load_docnos tac-2008 docnos.txt.gz"

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the campaign and the file."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("file", metavar="FILE", help="the list")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Load the list, and say how many docnos it has."""
        campaign = campaign_named(options["campaign"])
        with opened(options["file"]) as stream:
            loaded = load_docnos(
                actor=acting_organiser(campaign, options["organiser"]),
                campaign=campaign,
                stream=stream,
                name=Path(options["file"]).name,
                progress=self.progress(),
            )
        self.warn(loaded.report)
        self.say(loaded.sentence())
