"""Index documents for search."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from assess.base.wording import counted
from assess.campaigns.queries import whole_campaigns
from assess.documents.domain.indexing import index_documents
from assess.management.command import DomainCommand, campaign_named


class Command(DomainCommand):
    """`manage.py index_documents [CAMPAIGN] [--all]`: index documents. A second call continues where the first
    stopped.
    """

    help = (
        "Indexes documents for searching, each in its language: those that an earlier version stored or, with "
        "--all, all of them again. The site may run meanwhile. Can be stopped and started again."
    )
    example = "index_documents tac-2008"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the campaign, and for whether all documents are indexed again."""
        parser.add_argument("campaign", metavar="CAMPAIGN", nargs="?", default="", help="short name (default: all)")
        parser.add_argument("--all", action="store_true", help="index all documents again")

    def work(self, options: dict[str, Any]) -> None:
        """Index the documents that are not indexed yet (with --all, all of them), and print how many there were."""
        slug = options["campaign"]
        for campaign in [campaign_named(slug)] if slug else list(whole_campaigns().order_by("slug")):
            done = index_documents(campaign, everything=options["all"], progress=self.progress())
            self.say(f"{campaign.slug}: {counted(done, 'document')} indexed.")
