"""Find near-identical documents."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import CommandParser

from assess.documents.domain.clusters import cluster_documents
from assess.documents.queries.clusters import COLUMNS, cluster_rows
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named


class Command(DomainCommand):
    """`manage.py cluster_documents CAMPAIGN`: find clusters of near-identical documents, topic by topic."""

    help = (
        "Puts near-identical documents of each topic's pool into clusters and prints one line for each document: "
        "topic, cluster, docno. The same documents and pool give the same clusters. With --list it only prints the "
        "existing clusters."
    )
    example = "cluster_documents opinions --likeness 0.9 > clusters.tsv"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the campaign, the likeness, and whether to print the existing clusters only."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument(
            "--likeness",
            type=_share,
            metavar="SHARE",
            help="the similarity, above 0 and at most 1 (default: the setting)",
        )
        parser.add_argument("--list", action="store_true", help="only print the existing clusters")
        parser.add_argument("--format", choices=("tsv", "json"), default="tsv", help="lines (default) or a JSON list")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Find the clusters, print their number on standard error, and print them. With --list, print those found
        before.
        """
        campaign = campaign_named(options["campaign"])
        if not options["list"]:
            actor = acting_organiser(campaign, options["organiser"])
            made = cluster_documents(
                actor=actor, campaign=campaign, likeness=options["likeness"], progress=self.progress()
            )
            self.stderr.write(made.sentence())
        self.say_table(COLUMNS, cluster_rows(campaign), form=options["format"])


def _share(text: str) -> float:
    try:
        number = float(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text} is no number") from error
    if not 0 < number <= 1:
        raise ArgumentTypeError(f"{text} is not above 0 and at most 1")
    return number
