"""Back the whole site up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from assess.base.wording import counted
from assess.management.command import DomainCommand
from assess.releases.domain.backups import back_up


class Command(DomainCommand):
    """`manage.py backup FILE`: write the database and the stored files into one file, while the server runs."""

    help = (
        "Writes the whole site, its database and all kept files, into one tar file with the sum of each; the server "
        "may run meanwhile. Whoever can read the file can read everything. The site's secret key is not in it."
    )
    example = "backup backups/monday.tar"
    takes_any_database = True

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the argument for the file that is written."""
        parser.add_argument("file", metavar="FILE", type=Path, help="a new file")

    def work(self, options: dict[str, Any]) -> None:
        """Write the backup, and print how large it is."""
        made = back_up(options["file"])
        self.say(
            f"{options['file']}: {counted(made.rows, 'row')}, {counted(made.files, 'kept file')}, {made.size:,} bytes"
        )
