"""Load translations of documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.base.wording import counted
from assess.documents.domain.translations import load_translations, take_out_translations
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named


class Command(DomainCommand):
    """`manage.py load_translations CAMPAIGN FILE`: load texts in other languages, shown beside their documents."""

    help = (
        "Loads translations of documents that are stored: records (JSON, CSV, tab-separated, Parquet) with docno and "
        "text, and perhaps language and tool. A text in the same language is replaced."
    )
    example = "load_translations tac-2008 english.jsonl --language en --tool NLLB-200"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the file, and for values that its records may lack."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("file", metavar="FILE", nargs="?", default="", help="the translations")
        parser.add_argument("--language", default="", help="the language of records that name none, such as en")
        parser.add_argument("--tool", default="", help="the tool that translated the records that name none")
        parser.add_argument("--take-out", action="store_true", help="remove the translations into --language")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Load the translations, or with --take-out remove them, and print how many there were."""
        campaign = campaign_named(options["campaign"])
        if bool(options["file"]) == options["take_out"]:
            raise CommandError("Give either the FILE of translations or --take-out.", returncode=2)
        actor = acting_organiser(campaign, options["organiser"])
        if options["take_out"]:
            taken = take_out_translations(actor=actor, campaign=campaign, language=options["language"])
            self.say(f"{counted(taken, 'translation')} taken out.")
            return
        path = Path(options["file"])
        if not path.is_file():
            raise CommandError(f"There is no file {path}.", returncode=2)
        loaded = load_translations(
            actor=actor,
            campaign=campaign,
            path=path,
            name=path.name,
            language=options["language"],
            tool=options["tool"],
            progress=self.progress(),
        )
        self.warn(loaded.report)
        self.say(loaded.sentence())
