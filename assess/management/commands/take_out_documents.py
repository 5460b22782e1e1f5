"""Remove documents that were loaded by mistake."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from assess.base.wording import counted
from assess.documents.domain.taking_out import require_loose, take_out_documents
from assess.documents.queries.dependent_rows import taking_out
from assess.documents.queries.documents import loaded_from
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named


class Command(DomainCommand):
    """`manage.py take_out_documents CAMPAIGN SOURCE`: print what would be removed. With --yes, remove it."""

    help = (
        "Removes the documents that were loaded from a file or folder, as long as none of them was pooled, judged "
        "or quoted. Prints how many there are, and removes them with --yes. Can be stopped and started again."
    )
    example = "take_out_documents opinions wrong.jsonl --yes"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the file or folder, and for the confirmation."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("source", metavar="SOURCE", help="the file or folder, as the page of documents names it")
        parser.add_argument("--yes", action="store_true", help="remove them")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Print what would be removed, and with --yes remove it."""
        campaign = campaign_named(options["campaign"])
        require_loose(loaded_from(campaign, options["source"]))
        found = taking_out(campaign, options["source"])
        self.say(
            f"{counted(found.documents, 'document')} of {found.source}; {counted(found.items, 'item')} that runs "
            "returned will be without a document until it is loaded again."
        )
        if not options["yes"]:
            self.say("Nothing was changed. Say --yes to take them out.")
            return
        actor = acting_organiser(campaign, options["organiser"])
        taken = take_out_documents(actor=actor, campaign=campaign, source=found.source, progress=self.progress())
        self.say(taken.sentence())
