"""Add repeats and gold items to the work of assessors."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from assess.base.file_issues import Collector
from assess.base.wording import counted
from assess.controls.domain import NO_WORK, make_control_items, plan_control_items, read_gold, remove_control_items
from assess.controls.plan import SHORT, ControlItemRequest
from assess.management.command import (
    DomainCommand,
    acting_organiser,
    add_acting_argument,
    campaign_named,
    opened,
)


class Command(DomainCommand):
    """`manage.py plant CAMPAIGN --stage S …`: add control items, as the page's form does."""

    help = (
        "Adds repeats (the same item again, later) and gold items (whose answer is known) to all open work of a "
        "stage of grades. Gold is what adjudicators decided, or a file with lines of topic, kind, key, criterion "
        "and value, separated by tabs or commas. Prints: topic, assessor, items, repeats, gold, and why there are "
        "fewer than requested."
    )
    example = "plant tac-2008 --stage instances --repeats 3 --gap 10 --seed 1 --dry-run"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the stage and for what is added."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("--stage", required=True, metavar="KEY", help="the stage of grades")
        parser.add_argument("--repeats", type=int, default=0, metavar="N", help="repeats in each assignment")
        parser.add_argument("--gold", type=int, default=0, metavar="N", help="gold items in each assignment")
        parser.add_argument("--gap", type=int, default=10, metavar="N", help="items between first and second (10)")
        parser.add_argument("--seed", type=int, default=1, help="the seed of the draw")
        parser.add_argument("--file", default="", metavar="FILE", help="known answers (default: adjudicated items)")
        parser.add_argument("--dry-run", action="store_true", help="only print what would be added")
        parser.add_argument("--remove", action="store_true", help="remove control items that are not judged yet")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Print the plan, and add the control items unless it is a dry run. With --remove, remove those not judged
        yet.
        """
        campaign = campaign_named(options["campaign"])
        actor = acting_organiser(campaign, options["organiser"])
        stage = options["stage"]
        if options["remove"]:
            removed = remove_control_items(actor=actor, campaign=campaign, stage=stage)
            self.say(f"{counted(removed, 'control item')} taken away.")
            return
        wish = ControlItemRequest(
            repeats=options["repeats"], gold=options["gold"], gap=options["gap"], seed=options["seed"]
        )
        answers = []
        if options["file"]:
            problems = Collector()
            with opened(options["file"]) as stream:
                answers = read_gold(stream, report=problems)
            problems.refuse_errors(name=options["file"])
        works = plan_control_items(campaign=campaign, stage=stage, wish=wish, answers=answers, name=options["file"])
        if not options["dry_run"]:
            make_control_items(actor=actor, campaign=campaign, stage=stage, wish=wish, answers=answers)
        if not works:
            self.stderr.write(str(NO_WORK))
        for work in works:
            number, who = work.assignment.topic.number, work.assignment.assessor
            self.say(f"{number}\t{who}\t{work.items}\t{work.repeats}\t{work.gold}\t{work.why}")
        if telling := sum(work.would_reveal for work in works):
            self.stderr.write(
                f"{counted(telling, 'assignment')} with fewer than {SHORT} items and a repeat: "
                "in so short a list the assessor may notice."
            )
