"""Print how consistently assessors judge."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from assess.base.wording import counted
from assess.controls.consistency import Consistency, consistency_by_assessor, control_item_totals
from assess.management.command import DomainCommand, campaign_named

COLUMNS = ("assessor", "criterion", "agreed", "repeats", "kappa", "low", "high", "right", "gold")


class Command(DomainCommand):
    """`manage.py consistency CAMPAIGN`: print what repeats and gold items show."""

    help = (
        "Prints how consistently assessors judge: how many of the repeats they judged the same, Cohen's kappa with "
        "its interval (undefined if there are too few), and how many of the gold items they judged right."
    )
    example = "consistency tac-2008"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the campaign and the form of the output."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("--format", choices=("tsv", "json"), default="tsv", help="lines (default) or a JSON list")

    def work(self, options: dict[str, Any]) -> None:
        """Print one line for each assessor and criterion. The number of control items goes to standard error."""
        campaign = campaign_named(options["campaign"])
        controls, judged = control_item_totals(campaign)
        if controls:
            self.stderr.write(
                f"{judged:,} of {counted(controls, 'control item')} {'is' if judged == 1 else 'are'} judged."
            )
        else:
            self.stderr.write(
                "No control items, so nothing can be said. Add repeats or gold items first: manage.py plant --help"
            )
        self.say_table(COLUMNS, map(_row, consistency_by_assessor(campaign)), form=options["format"])


def _row(row: Consistency) -> tuple[object, ...]:
    low, high = (None, None) if row.interval is None else (row.interval.low, row.interval.high)
    return row.name, row.criterion, row.agreed, row.repeats, row.kappa, low, high, row.right, row.gold
