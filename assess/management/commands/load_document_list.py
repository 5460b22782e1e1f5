"""Load document lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from assess.base.wording import counted
from assess.documents.domain.lists import load_document_list
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named, opened


class Command(DomainCommand):
    """`manage.py load_document_list CAMPAIGN FILE`: load lists, in place of earlier lists of the same targets."""

    help = "Loads document lists, lines of “qnum rank docid rsv”; the top 1000 of each target are kept."
    example = "load_document_list tac-2008 ranked.txt"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the campaign and the files."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("files", metavar="FILE", nargs="+", help="the lists")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Load each file, and print how many lists it has."""
        campaign = campaign_named(options["campaign"])
        actor = acting_organiser(campaign, options["organiser"])
        for file in options["files"]:
            name = Path(file).name
            with opened(file) as stream:
                loaded = load_document_list(actor=actor, campaign=campaign, stream=stream, name=name)
            self.warn(loaded.report, name=name)
            self.say(f"{name}: lists of {counted(loaded.targets, 'target')} stored, {loaded.unchanged} as before.")
