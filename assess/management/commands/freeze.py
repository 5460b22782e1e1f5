"""Freeze a campaign."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.base.errors import Conflict
from assess.base.wording import counted
from assess.campaigns.models import Campaign
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named
from assess.organising.domain import freeze_campaign, require_freezable
from assess.organising.queries.freezing import freeze_state
from assess.progress.domain import count_work


class Command(DomainCommand):
    """`manage.py freeze CAMPAIGN [--despite REASON]`: close a complete campaign to any further change.

    With ``--check`` the command only checks, with the exit status that freezing would have: 1 if it would be refused.
    """

    help = "Checks that everything adds up, prints what is missing, and freezes the campaign if all is resolved."
    example = 'freeze demo --despite "topic 9 was dropped"'

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the campaign, and for the reason if something is missing."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument(
            "--despite",
            default="",
            metavar="REASON",
            help="freeze although something is missing that may be missing; the reason is recorded",
        )
        parser.add_argument(
            "--check",
            action="store_true",
            help="only print what is missing; exit status 1 if freezing would be refused",
        )
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Check, and freeze. A refusal for want of a reason names the option that takes one."""
        try:
            self._freeze(options)
        except Conflict as refused:
            if refused.code != "reason-needed":
                raise
            raise CommandError(f"{refused.message} Give the reason with --despite.", returncode=1) from refused

    def _freeze(self, options: dict[str, Any]) -> None:
        """Print the freeze check as lines of severity, code, count and sentence; then, without --check, freeze."""
        campaign = campaign_named(options["campaign"])
        actor = acting_organiser(campaign, options["organiser"])
        state = freeze_state(campaign, count_work(campaign))
        for issue in state.issues:
            self.say(f"{issue.severity}\t{issue.code}\t{issue.count}\t{issue.text}")
        if options["check"]:
            if campaign.state != Campaign.State.FROZEN:
                require_freezable(campaign, state, options["despite"])
                self.stderr.write(f"{campaign.slug} can be frozen.")
            return
        freeze_campaign(actor=actor, campaign=campaign, despite=options["despite"])
        self.stderr.write(
            f"{campaign.slug} is frozen: {state.done:,} of {counted(state.total, 'item')} handed out judged or excused"
        )
