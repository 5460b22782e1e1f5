"""List the topics that were given twice with other findings, and choose what counts."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import CommandParser

from assess.base.track_settings import choice_of
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named
from assess.organising.domain import choose_given
from assess.organising.queries.topics import list_given_twice

COLUMNS = ("topic", "chosen", "which", "counts", "judged", "findings", "text")


class Command(DomainCommand):
    """`manage.py given_twice CAMPAIGN`: what the page of the same name shows and sets."""

    help = (
        "Prints the topics that files gave twice with other findings: topic, chosen, which, counts, judged, findings "
        "(those of each, with bars between), text. With --choose something else counts for single ones."
    )
    example = "given_twice claims --choose bread-3Xc8=first --choose kite-7Qa2="

    def add_arguments(self, parser: CommandParser) -> None:
        """Take what is chosen for which topics."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument(
            "--choose",
            action="append",
            type=_choice,
            default=[],
            metavar="TOPIC=CHOICE",
            help="what counts of this topic, last, first or all; nothing after the sign for the campaign's setting",
        )
        parser.add_argument("--format", choices=("tsv", "json"), default="tsv", help="lines (default) or a JSON list")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Choose, then say what holds."""
        campaign = campaign_named(options["campaign"])
        if options["choose"]:
            actor = acting_organiser(campaign, options["organiser"])
            campaign = choose_given(actor=actor, campaign=campaign, choices=dict(options["choose"]))
        is_json = options["format"] == "json"
        rows = []
        for each in list_given_twice(campaign):
            shown: tuple[object, ...] = (each.counts, each.is_judged, each.findings)
            if not is_json:
                findings = " | ".join(",".join(labels) for labels in each.findings)
                shown = (",".join(each.counts), "yes" if each.is_judged else "no", findings)
            rows.append((each.number, each.chosen, each.which, *shown, each.text))
        self.say_table(COLUMNS, rows, form=options["format"])


def _choice(text: str) -> tuple[str, str]:
    """An option's TOPIC=CHOICE, as two texts."""
    number, choice = choice_of(text)
    if not number:
        raise ArgumentTypeError(f"“{text}” is not TOPIC=CHOICE")
    return number, choice
