"""Give back work that has been idle for too long."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.db.models import Q

from assess.assignments.domain.leases import return_lapsed
from assess.campaigns.models import Campaign
from assess.campaigns.queries import registered_tracks
from assess.management.command import DomainCommand, campaign_named


class Command(DomainCommand):
    """`manage.py return_lapsed [CAMPAIGN]`: give lapsed work back; meant for a timer, for times when nobody opens a
    page.
    """

    help = (
        "Gives back work whose lease ran out (the hours are set in the campaign's settings), in one or in all. "
        "Pages do the same whenever somebody looks at a list of work. Prints: topic, stage, assessor."
    )
    example = "return_lapsed tac-2008"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the argument for the campaign."""
        parser.add_argument("campaign", metavar="CAMPAIGN", nargs="?", default="", help="short name (default: all)")

    def work(self, options: dict[str, Any]) -> None:
        """Give lapsed work back, and print a line for each assignment."""
        slug = options["campaign"]
        is_known = Q(track__in=list(registered_tracks())) | ~Q(design="")
        judged = Campaign.objects.filter(is_known, state=Campaign.State.JUDGING)
        campaigns = [campaign_named(slug)] if slug else list(judged.order_by("slug"))
        for campaign in campaigns:
            for each in return_lapsed(campaign=campaign):
                line = f"{each.topic.number}\t{each.stage}\t{each.assessor}"
                self.say(line if slug else f"{campaign.slug}\t{line}")
