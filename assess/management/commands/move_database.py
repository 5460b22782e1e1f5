"""Move the site from one kind of database to another."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from django.utils.module_loading import import_string

from assess.base.private_files import DATABASE
from assess.base.wording import counted
from assess.campaigns.queries import whole_campaigns
from assess.documents.domain.indexing import index_documents
from assess.jobs.workers import EVERY, seconds_since_beat
from assess.management.command import DomainCommand
from assess.releases.domain.moving import move_from


class Command(DomainCommand):
    """`manage.py move_database FROM`: copy all rows of a database into the empty database that the settings name."""

    help = (
        "Moves a site into the empty database that ASSAY_DATABASE names (without it, SQLite in the data folder), and "
        "compares every row. Stop the server first. The old database is only read; kept files stay where they are."
    )
    example = "move_database var/assay.sqlite3"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the argument for the source database."""
        parser.add_argument(
            "source",
            metavar="FROM",
            help=f"{DATABASE}, the folder that holds it, or postgresql://name@localhost/database",
        )

    def work(self, options: dict[str, Any]) -> None:
        """Make the tables, copy and compare all rows, and index the documents; print how much was copied.

        Raise CommandError while a worker runs.
        """
        try:
            source = import_string(settings.ASSAY_DATABASE_AT)(options["source"])
        except ValueError as error:
            raise CommandError(str(error), returncode=2) from error
        if (seen := seconds_since_beat()) is not None and seen < EVERY:
            raise CommandError(
                f"A worker of this site was seen {seen:.0f} seconds ago. Stop the site, and call this again after ten "
                "seconds: what people save meanwhile would stay in the old database.",
                returncode=1,
            )
        call_command("migrate", verbosity=0)
        copied = move_from(source, progress=self.progress())
        for campaign in whole_campaigns().order_by("slug"):
            index_documents(campaign, everything=True, progress=self.progress())
        filled = sum(1 for rows in copied.values() if rows)
        self.say(f"{counted(sum(copied.values()), 'row')} of {counted(filled, 'table')} moved and compared")
