"""Stop judging before all is judged, or go on with it."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from assess.base.wording import counted
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named
from assess.organising.domain import resume_judging, stop_judging


class Command(DomainCommand):
    """`manage.py stop_judging CAMPAIGN --reason REASON`: all work that is not done ends as it is."""

    help = "Ends all work that is not done, so that the campaign can be frozen; --resume opens it again."
    example = 'stop_judging demo --reason "the budget is used up"'

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the campaign, the reason, and which stages and topics."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("--reason", default="", help="why; recorded, and in the release")
        for name, value in (("stage", "KEY"), ("topic", "NUMBER")):
            words = f"only this {name}; may be repeated"
            parser.add_argument(f"--{name}", action="append", default=[], metavar=value, help=words)
        parser.add_argument("--resume", action="store_true", help="open again what was stopped")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Stop, or open again; then say how much."""
        campaign = campaign_named(options["campaign"])
        chosen = {"stages": options["stage"], "topics": options["topic"]}
        actor = acting_organiser(campaign, options["organiser"])
        if options["resume"]:
            number = resume_judging(actor=actor, campaign=campaign, **chosen)
            self.stderr.write(f"{counted(number, 'assignment')} can be judged again")
        else:
            number = stop_judging(actor=actor, campaign=campaign, reason=options["reason"], **chosen)
            self.stderr.write(f"{counted(number, 'assignment')} stopped")
