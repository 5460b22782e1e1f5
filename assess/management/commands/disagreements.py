"""List where people judged the same items differently."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.adjudication.queries.disagreements import kind_of
from assess.adjudication.queries.listing import (
    DisagreementFilter,
    ListedDisagreement,
    known_questions,
    listed_disagreements,
    settled_questions,
)
from assess.campaigns.models import Campaign
from assess.management.command import DomainCommand, campaign_named

COLUMNS = ("stage", "criterion", "topic", "thing", "values", "size", "decided", "label")


class Command(DomainCommand):
    """`manage.py disagreements CAMPAIGN`: print one line for each disagreement, by stage and topic, without names."""

    help = (
        "Prints the disagreements of a campaign: stage, criterion, topic, thing, values, size, decided, label. "
        "“thing” is what manage.py decide takes."
    )
    example = "disagreements demo --stage matches --open --size 1"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments that select disagreements."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("--stage", default="", metavar="KEY", help="only those of this stage")
        parser.add_argument("--criterion", default="", metavar="KEY", help="only those on this question")
        parser.add_argument("--topic", default="", metavar="NUMBER", help="only those of this topic")
        parser.add_argument(
            "--size", type=int, default=0, metavar="N", help="only those at least this many steps apart"
        )
        state = parser.add_mutually_exclusive_group()
        state.add_argument("--open", action="store_true", help="only those that nobody decided")
        state.add_argument("--decided", action="store_true", help="only those that were decided")
        parser.add_argument("--format", choices=("tsv", "json"), default="tsv", help="lines (default) or a JSON list")

    def work(self, options: dict[str, Any]) -> None:
        """Print the disagreements."""
        campaign = campaign_named(options["campaign"])
        wanted = DisagreementFilter(
            stage=options["stage"],
            criterion=options["criterion"],
            topic=options["topic"],
            size=options["size"],
            decided=True if options["decided"] else False if options["open"] else None,
        )
        if not settled_questions(campaign, wanted):
            raise CommandError(f"Name a stage and one of its criteria: {known_questions(campaign)}.", returncode=2)
        if options["format"] == "json":
            self.say_table(COLUMNS, self._rows(campaign, wanted), form="json")
            return
        for row in self._rows(campaign, wanted):
            self.say("\t".join(map(_shown, row)))

    def _rows(self, campaign: Campaign, wanted: DisagreementFilter) -> Iterator[tuple[Any, ...]]:
        by_question: dict[tuple[str, str], list[ListedDisagreement]] = {}
        for each in listed_disagreements(campaign, wanted):
            by_question.setdefault((each.stage.key, each.criterion.key), []).append(each)
        for found in by_question.values():
            stage, criterion = found[0].stage, found[0].criterion
            rows = [each.row for each in found]
            labels = kind_of(stage).labels(campaign, stage, rows)
            for row in rows:
                said = (row.topic, row.name, list(row.values), row.size, row.decided)
                yield (stage.key, criterion.key, *said, labels[row.name].label)


def _shown(value: object) -> str:
    """Return a value as one column: lists joined by commas, booleans as yes or no, "" for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ",".join(map(str, value))
    return f"{value:.6f}" if isinstance(value, float) else " ".join(str(value).split())
