"""Print how much the uploaded files hold that jobs have read, and remove those that nothing needs."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from assess.management.command import DomainCommand
from assess.uploads import drop_unneeded_uploads, held_uploads

MB = 1_000_000


class Command(DomainCommand):
    """`manage.py uploads`: print a line for each kind of job whose uploaded files are kept."""

    help = (
        "Prints what the uploaded files of jobs (documents, docnos, translations, judgments) hold on the disk. They "
        "are removed ASSAY_UPLOADS_DAYS days after their job was done; the worker looks once a day."
    )
    example = "uploads --drop"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the option that removes files now, and the one for the form of the output."""
        parser.add_argument("--drop", action="store_true", help="remove now what the worker would remove")
        parser.add_argument("--format", choices=["text", "json"], default="text", help="the form of the output")

    def work(self, options: dict[str, Any]) -> None:
        """With --drop, remove the files that are no longer needed. Print what the remaining files hold."""
        if options["drop"]:
            self.stderr.write(f"removed: {drop_unneeded_uploads()}")
        rows = [(each.use, each.files, each.size / MB, each.removable / MB) for each in held_uploads()]
        self.say_table(["job", "files", "MB", "removable_MB"], rows, form=options["format"])
