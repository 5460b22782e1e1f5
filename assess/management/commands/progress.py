"""Print the progress of a campaign."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from assess.management.command import DomainCommand, campaign_named
from assess.progress.domain import count_work
from assess.progress.queries.progress_report import report_from_counts, summary_of

GROUPS = {"stages": "stage", "roles": "role", "assessors": "assessor", "topics": "topic"}


class Command(DomainCommand):
    """`manage.py progress CAMPAIGN`: print the progress page's figures as lines of group, name, measure, value."""

    help = "Prints how far judging is, at what pace, when it may be finished, and who is stuck."
    example = "progress demo --format json"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the campaign and the form of the output."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("--format", choices=("tsv", "json"), default="tsv", help="lines (default) or a JSON object")

    def work(self, options: dict[str, Any]) -> None:
        """Count what has not been counted yet, and print the figures."""
        campaign = campaign_named(options["campaign"])
        summary = summary_of(report_from_counts(campaign, count_work(campaign), timezone.now()))
        if options["format"] == "json":
            self.say(json.dumps(summary, ensure_ascii=False, indent=1))
            return
        self.say_table(("group", "name", "measure", "value"), lines(summary), form="tsv")


def lines(summary: Mapping[str, Any]) -> Iterator[tuple[str, str, str, object]]:
    """Yield (group, name, measure, value) for each figure. A value that does not exist is None, printed as
    "undefined".
    """
    for measure, value in (summary["all"] or {}).items():
        if measure != "name":
            yield "all", "all", measure, value
    for measure in ("time_zone", "today", "done_today", "done_in_seven_days"):
        yield "all", "all", measure, summary[measure]
    forecast = summary["forecast"] or {"early": None, "middle": None, "late": None}
    for measure in ("early", "middle", "late"):
        yield "all", "finished", measure, forecast[measure]
    for measure, value in summary["questions"].items():
        yield "all", "questions", measure, value
    for key, group in GROUPS.items():
        for share in summary[key]:
            for measure, value in share.items():
                if measure != "name":
                    yield group, share["name"], measure, value
    for day in summary["days"]:
        for measure in ("done", "so_far", "hours"):
            yield "day", day["day"], measure, day[measure]
    for each in summary["stuck"]:
        place = " ".join(filter(None, (each["assessor"], each["topic"], each["stage"])))
        yield "stuck", place, each["kind"], each["text"]
