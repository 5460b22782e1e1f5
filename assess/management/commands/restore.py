"""Replace the site with a backup."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.base.wording import counted
from assess.jobs.workers import EVERY, seconds_since_beat
from assess.management.command import DomainCommand, is_behind
from assess.releases.domain.backups import restore, table_rows


class Command(DomainCommand):
    """`manage.py restore FILE [--replace]`: restore what `backup` wrote, checked before anything is changed."""

    help = (
        "Replaces the site with a backup; stop the server first. Every checksum is checked before anything is "
        "changed. A site that has campaigns or accounts is replaced only with --replace."
    )
    example = "restore backups/monday.tar"
    takes_any_database = True

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the backup, and for whether it may replace existing data."""
        parser.add_argument("file", metavar="FILE", type=Path, help="a file that “backup” wrote")
        parser.add_argument("--replace", action="store_true", help="replace all that this site holds")

    def work(self, options: dict[str, Any]) -> None:
        """Restore the backup, check the number of its rows, and print whether the database must be migrated."""
        if not options["file"].is_file():
            raise CommandError(f"There is no file {options['file']}.", returncode=2)
        if (seen := seconds_since_beat()) is not None and seen < EVERY:
            warning = "If the site still runs, stop it and restore again."
            self.stderr.write(f"A worker of this site was seen {seen:.0f} seconds ago. {warning}")
        made = restore(options["file"], replace=options["replace"])
        self.say(f"{counted(made.rows, 'row')}, {counted(made.files, 'kept file')} restored")
        rows = table_rows()
        if any(rows.get(name) != counted for name, counted in made.tables.items()):
            raise CommandError("The restored tables do not have the rows that the backup counted.", returncode=1)
        if is_behind():
            self.stderr.write("The backup is of an older program: run “manage.py migrate” before you serve.")
