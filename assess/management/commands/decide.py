"""Settle a disagreement."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from django.core.management.base import CommandError, CommandParser

from assess.adjudication.domain import decide, question_named
from assess.base.errors import NotFound
from assess.campaigns.seats import SETTLERS, access_seat
from assess.kinds.opinions import Decision
from assess.ledger.models import How
from assess.management.command import DomainCommand, campaign_named, person_acting


class Command(DomainCommand):
    """`manage.py decide CAMPAIGN --stage S --criterion C --thing T --value V --adjudicator NAME`: decide one
    disagreement, or take a decision back.
    """

    help = (
        "Settles one disagreement as an adjudicator: the value counts from now on. Things and values are those that "
        "manage.py disagreements prints; work that is settled as a whole takes one of these values."
    )
    example = "decide demo --stage instances --criterion correctness --thing 17 --value 1 --adjudicator ada"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the decision and for the adjudicator."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("--stage", required=True, metavar="KEY", help="the stage in which they judged")
        parser.add_argument("--criterion", required=True, metavar="KEY", help="what they were asked")
        parser.add_argument("--thing", required=True, metavar="THING", help="what they differ on")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--value", type=int, metavar="N", help="what counts from now on")
        what.add_argument("--take-back", action="store_true", help="take an earlier decision back")
        parser.add_argument("--note", default="", help="a note, if the kind of work stores one (grades)")
        parser.add_argument("--adjudicator", required=True, metavar="NAME", help="user name of the person who decides")
        parser.add_argument("--key", type=UUID, default=None, metavar="UUID", help="makes the call safe to repeat")

    def work(self, options: dict[str, Any]) -> None:
        """Store the decision or, with --take-back, take the earlier one back; print the number of the ledger's row."""
        campaign = campaign_named(options["campaign"])
        actor = person_acting(options["adjudicator"])
        seat = access_seat(actor, campaign.slug, *SETTLERS)
        try:
            stage, criterion = question_named(campaign, options["stage"], options["criterion"])
        except NotFound as refusal:
            raise CommandError(refusal.message, returncode=2) from refusal
        decision = Decision(
            thing=options["thing"],
            criterion=criterion.key,
            value=options["value"],
            client_key=options["key"] or uuid4(),
            note=options["note"],
            how=How.API,
        )
        row = decide(actor=actor, campaign=seat.campaign, stage=stage, decision=decision)
        said = "undone" if decision.value is None else str(decision.value)
        self.say(f"{row.pk}\t{stage.key}\t{criterion.key}\t{decision.thing}\t{said}")
