"""Load a list of valid docnos."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.base.file_issues import collect
from assess.base.wording import counted
from assess.documents.domain.lists import empty_docnos, load_docnos
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named, opened
from assess.runs.domain.late_docnos import runs_refused_now


class Command(DomainCommand):
    """`manage.py load_docnos CAMPAIGN FILE`: load a named list, in place of an earlier list of that name. With --empty,
    remove lists instead.
    """

    help = (
        "Loads the docnos that runs may name, one a line (.gz and .zst are read): all of a file or nothing. Runs "
        "are checked against them, and accepted runs that would now be refused are named."
    )
    example = "load_docnos tac-2008 docnos.txt.gz"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the campaign and the file."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("file", metavar="FILE", nargs="?", default="", help="the list")
        parser.add_argument(
            "--name", default="", help="the list's name (default: the file's); a list of this name is replaced"
        )
        parser.add_argument("--empty", action="store_true", help="remove the list that --name names, or all lists")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Load the list, and print how many docnos it has; with --empty, remove lists instead."""
        campaign = campaign_named(options["campaign"])
        if bool(options["file"]) == options["empty"]:
            raise CommandError("Give either the FILE of a list or --empty.", returncode=2)
        if options["empty"]:
            actor = acting_organiser(campaign, options["organiser"])
            removed = empty_docnos(actor=actor, campaign=campaign, list_name=options["name"])
            self.say(f"{counted(removed, 'docno')} taken out.")
            return
        with opened(options["file"]) as stream:
            loaded = load_docnos(
                actor=acting_organiser(campaign, options["organiser"]),
                campaign=campaign,
                stream=stream,
                name=Path(options["file"]).name,
                list_name=options["name"],
                progress=self.progress(),
            )
        self.warn(collect([*loaded.report.issues, *runs_refused_now(campaign)]))
        self.say(loaded.sentence())
