"""Load documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.base.wording import counted
from assess.documents.domain.loading import load_documents
from assess.documents.domain.records import RecordsPreview, preview_records
from assess.management.command import (
    DomainCommand,
    acting_organiser,
    add_acting_argument,
    campaign_named,
    print_issues,
)
from assess.pools.domain.wanted_documents import docnos_to_store
from scoring.collections.members import members_line
from scoring.formats.document_files import iter_document_files

NAMES = {
    "preset": "the names of a known collection, such as msmarco-v2.1-segments, pyserini, ragtime",
    "form": "json-lines, json, csv, tsv, parquet or warc",
    "id": "the member or column that holds the docno; columns without names are called 1, 2, 3 …",
    "text": "that of the text; several with commas between",
    "title": "that of the title",
    "url": "that of the address",
    "date": "that of the date",
    "media_type": "text/plain or text/html",
    "listed": "the member of each JSON object that holds its list of records",
    "header": "yes or no: whether the first line of a table holds the names of its columns",
}


class Command(DomainCommand):
    """`manage.py load_documents CAMPAIGN PATH…`: load documents. A second call continues where the first stopped."""

    help = (
        "Loads documents from files and folders, gzipped or not. Only those that runs return or lists name are "
        "stored, unless --all is given. Can be stopped and started again."
    )
    example = "load_documents tac-2008 collection/permalinks"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the paths, and for which documents are stored."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="a file, or a folder of files")
        which = parser.add_mutually_exclusive_group()
        which.add_argument(
            "--all", dest="wanted", action="store_const", const="all", default="named", help="store every document"
        )
        which.add_argument(
            "--ranked",
            dest="wanted",
            action="store_const",
            const="ranked",
            help="also store what a later pool may need: all that runs rank, to the 1,000th place",
        )
        parser.add_argument(
            "--records",
            action="store_true",
            help="the files are records: JSON, CSV, tab-separated columns, Parquet, WARC; what is not named is guessed",
        )
        parser.add_argument("--look", action="store_true", help="print the first documents of records, store nothing")
        for name, what in NAMES.items():
            parser.add_argument(f"--{name.replace('_', '-')}", dest=name, default="", help=f"of records: {what}")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Load the documents, and print how many there are. With --look, only print the first documents of records.
        Raise CommandError if some had errors; the others are stored.
        """
        campaign = campaign_named(options["campaign"])
        if missing := [str(path) for path in options["paths"] if not path.exists()]:
            raise CommandError(f"There is no file or folder {', '.join(missing)}.", returncode=2)
        given = {name: options[name] for name in NAMES if options[name]}
        members = None
        if given or options["records"] or options["look"]:
            files = [file for path in options["paths"] for file in iter_document_files(path)]
            if not files:
                raise CommandError(f"There is no file in {', '.join(map(str, options['paths']))}.", returncode=1)
            looks = [preview_records(file, file.name, given) for file in files]
            self._show(looks)
            if options["look"]:
                return
            members = looks[0].members
        loaded = load_documents(
            actor=acting_organiser(campaign, options["organiser"]),
            campaign=campaign,
            sources=options["paths"],
            members=members,
            wanted=docnos_to_store(campaign, options["wanted"]),
            progress=self.progress(),
        )
        self.warn(loaded.report)
        self.say(loaded.sentence())
        if loaded.report.errors:
            had = counted(loaded.report.errors, "document or file", "documents or files")
            rest = "; the rest is stored" if loaded.stored or loaded.unchanged else ""
            raise CommandError(f"{had} had errors{rest}.", returncode=1)

    def _show(self, looks: list[RecordsPreview]) -> None:
        """Print how the records of each file are read, with its first documents. Raise CommandError if there are any
        issues, and print them.
        """
        for look in looks:
            self.say(members_line(look.members))
            if look.further:
                self.stderr.write(f"Kept as further fields: {', '.join(look.further)}")
            for each in look.documents:
                self.say("\t".join((each.docno, each.title, each.url, each.date, " ".join(each.text.split())[:200])))
        if wrong := [issue for look in looks for issue in look.issues]:
            print_issues(wrong, self.stderr)
            raise CommandError("Not every record can be read so. Nothing was stored.", returncode=1)
