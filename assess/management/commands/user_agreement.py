"""Publish a campaign's user agreement, write down what was signed on paper, and list which team accepted when."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.campaigns.models import Part
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named
from assess.user_agreements.domain import accept_user_agreement, set_user_agreement
from assess.user_agreements.queries import agreement_in_force, team_answers


class Command(DomainCommand):
    """`manage.py user_agreement CAMPAIGN …`: TEAM, VERSION, WHEN, BY, NOTE for each team; "-" where it has not."""

    help = "Publishes the user agreement that teams accept, and prints which team accepted it, when and by whom."
    example = "user_agreement tac-2008 --file agreement.txt --for package"

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the text to publish, or the team that accepts."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("--file", metavar="FILE", help="the agreement's text, in UTF-8")
        parser.add_argument(
            "--for",
            dest="parts",
            nargs="*",
            choices=Part.values,
            metavar="PART",
            help="what is closed until a team has accepted: topics, lists, package; nothing after it: nothing is",
        )
        parser.add_argument("--accept", metavar="TEAM", help="write down that this team signed on paper")
        parser.add_argument("--note", default="", help="where the signed paper is")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Publish or accept where that is asked, then print the teams."""
        campaign = campaign_named(options["campaign"])
        actor = acting_organiser(campaign, options["organiser"])
        newest = agreement_in_force(campaign)
        if options["file"] is not None or options["parts"] is not None:
            text = _text(options["file"]) if options["file"] is not None else newest.text if newest is not None else ""
            parts = options["parts"] if options["parts"] is not None else campaign.agreement_for
            set_user_agreement(actor=actor, campaign=campaign, text=text, parts=parts)
            newest = agreement_in_force(campaign)
        if options["accept"] is not None:
            version = newest.version if newest is not None else 0
            team, note = options["accept"], options["note"]
            accept_user_agreement(actor=actor, campaign=campaign, version=version, team=team, note=note)
        for answer in team_answers(campaign, newest):
            given = answer.acceptance
            version = newest.version if newest is not None else 0
            row = (
                (f"{given.accepted_at:%Y-%m-%d %H:%M}Z", given.accepted_by.username, given.note)
                if given
                else ("-",) * 3
            )
            self.say("\t".join((answer.team, str(version), *row)))


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"The text of {path} can't be read: {error}", returncode=2) from error
