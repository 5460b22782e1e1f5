"""Take the texts of documents away for good."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.base.wording import counted
from assess.documents.domain.withholding import withhold_texts
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named


class Command(DomainCommand):
    """`manage.py withhold_documents CAMPAIGN DOCNO… --reason TEXT --yes`: what a publisher may ask for."""

    help = (
        "Deletes the texts of documents for good, also if they were pooled or judged and in a closed campaign. "
        "Docnos, judgments and selected words stay, and readers see the reason. Only with --yes."
    )
    example = 'withhold_documents opinions D17 D18 --reason "Taken out at the publisher\'s request." --yes'

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the documents, the reason and the confirmation."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("docnos", metavar="DOCNO", nargs="+", help="a document of the campaign")
        parser.add_argument("--reason", required=True, help="what is shown in place of the text")
        parser.add_argument("--yes", action="store_true", help="delete the texts")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Delete the texts, and name where copies may still be."""
        campaign = campaign_named(options["campaign"])
        actor = acting_organiser(campaign, options["organiser"])
        if not options["yes"]:
            raise CommandError("Texts can't be brought back. Say --yes to delete them.", returncode=2)
        done = withhold_texts(actor=actor, campaign=campaign, docnos=options["docnos"], reason=options["reason"])
        self.say(f"{counted(done.documents, 'document')} without text now.")
        self.say("Copies may still be in backups, in uploaded files (manage.py uploads) and in other campaigns.")
        for name in done.stored:
            self.say(f"The document store still has the bytes {name}: remove them there unless others need them.")
