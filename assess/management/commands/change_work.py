"""Hand out, hand over, take back or open again many assignments."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from assess.assignments.domain.assignments import PEOPLES_ROLES
from assess.management.command import (
    DomainCommand,
    acting_organiser,
    add_acting_argument,
    campaign_named,
    user_named,
)
from assess.work.bulk import ACTS, do_to_many, preview, selection_named


class Command(DomainCommand):
    """`manage.py change_work CAMPAIGN ACT …`: all that topics, stages and a person name, or nothing."""

    help = (
        "Does one act on many assignments, all of them or none: hand-out (what nobody has), hand-over and take-back "
        "(what is not done), reopen (what is done). They are chosen by --topic, --stage and --of, and have to fit all "
        "of these that are given."
    )
    example = "change_work tac-2008 hand-over --of ada --to grace"

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the act, what it is done to, and who gets it."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("act", choices=list(ACTS), help="what is done")
        parser.add_argument("--topic", metavar="NUMBER", action="append", default=[], help="a topic; may be repeated")
        parser.add_argument("--stage", metavar="KEY", action="append", default=[], help="a stage; may be repeated")
        parser.add_argument("--of", metavar="NAME", default="", help="whose assignments")
        parser.add_argument("--to", metavar="NAME", default="", help="who gets what is handed out or over")
        parser.add_argument("--role", default="primary", choices=PEOPLES_ROLES, help="the role that goes with it")
        parser.add_argument("--dry-run", action="store_true", help="only print what would be done, and what refused")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Do it, and print a line for each assignment."""
        campaign = campaign_named(options["campaign"])
        chosen = selection_named(campaign, topics=options["topic"], stages=options["stage"], of=options["of"])
        do = preview if options["dry_run"] else do_to_many
        outcome = do(
            actor=acting_organiser(campaign, options["organiser"]),
            campaign=campaign,
            act=options["act"],
            selection=chosen,
            to=user_named(options["to"]) if options["to"] else None,
            role=options["role"],
        )
        for piece in outcome.done:
            self.stdout.write(piece.name)
        for piece, reason in outcome.refused:
            self.stdout.write(f"refused: {piece.name}: {reason}")
        would = "would be changed" if options["dry_run"] else "changed"
        self.stdout.write(f"{len(outcome.done)} {would}, {len(outcome.refused)} refused")
