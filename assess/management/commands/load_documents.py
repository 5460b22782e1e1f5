"""Load documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.documents.domain.loading import load_documents
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named
from assess.pools.domain.wanted_documents import wanted_by


class Command(DomainCommand):
    """`manage.py load_documents CAMPAIGN PATH…`: goes on where it was when it is started again."""

    help = (
        "Loads documents from files and folders, gzipped or not. Only those that runs return or lists name are "
        "stored, unless --all is given. Can be stopped and started again."
    )
    example = "load_documents tac-2008 collection/permalinks"

    def add_arguments(self, parser: CommandParser) -> None:
        """Take where the documents are, and which are wanted."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="a file, or a folder of files")
        parser.add_argument("--all", action="store_true", help="store every document")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Load the documents, and say how many there are."""
        campaign = campaign_named(options["campaign"])
        if missing := [str(path) for path in options["paths"] if not path.exists()]:
            raise CommandError(f"There is no file or folder {', '.join(missing)}.", returncode=2)
        loaded = load_documents(
            actor=acting_organiser(campaign, options["organiser"]),
            campaign=campaign,
            sources=options["paths"],
            wanted=wanted_by(campaign, "all" if options["all"] else "named"),
            progress=self.progress(),
        )
        self.warn(loaded.report)
        self.say(loaded.sentence())
        if loaded.report.errors:
            raise CommandError(
                f"{loaded.report.errors:,} documents or files had errors; the rest is stored.", returncode=1
            )
