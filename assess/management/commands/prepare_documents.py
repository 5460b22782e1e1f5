"""Prepare the pages of documents again."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from assess.campaigns.queries import whole_campaigns
from assess.documents.domain.preparing import prepare_documents
from assess.documents.queries.documents import with_older_pages
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named


class Command(DomainCommand):
    """`manage.py prepare_documents [CAMPAIGN]`: prepare pages. A second call continues where the first stopped."""

    help = (
        "Prepares the pages of documents again that another version of the site made. The texts that were stored "
        "stay, so what was judged and quoted stays where it was. The site may run meanwhile. Can be stopped and "
        "started again."
    )
    example = "prepare_documents tac-2008"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the argument for the campaign."""
        parser.add_argument("campaign", metavar="CAMPAIGN", nargs="?", default="", help="short name (default: all)")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Prepare the pages of each campaign; print how many there were, and the issues found."""
        slug = options["campaign"]
        for campaign in [campaign_named(slug)] if slug else list(whole_campaigns().order_by("slug")):
            if not with_older_pages(campaign).exists():
                self.say(f"{campaign.slug}: every page was made by this version of the site.")
                continue
            actor = acting_organiser(campaign, options["organiser"])
            prepared = prepare_documents(actor=actor, campaign=campaign, progress=self.progress())
            self.warn(prepared.report, name=campaign.slug)
            self.say(f"{campaign.slug}: {prepared.sentence()}")
