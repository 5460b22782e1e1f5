"""Hand out work."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.domain.assignments import create_assignment
from assess.domain.handing_out import balance_work
from assess.domain.stack import take_from_stack
from assess.management.command import (
    DomainCommand,
    acting_organiser,
    add_acting_argument,
    campaign_named,
    user_named,
)
from assess.models import Assignment, Campaign, Topic
from assess.queries.matrix import all_stages
from assess.queries.topics import judged_topics, topics_to_judge
from assess.queries.tracks import track_of


class Command(DomainCommand):
    """`manage.py assign CAMPAIGN …`: one topic, all topics, or everything spread over all assessors."""

    help = (
        "Hands out work: --topic or --all with --assessor, --balance to spread everything over the assessors, or "
        "--stack to give a second assessor the next topic of the stack."
    )
    example = "assign tac-2008 --topic 3.4 --stage instances --assessor ada"

    def add_arguments(self, parser: CommandParser) -> None:
        """What goes to whom."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--topic", metavar="NUMBER", action="append", help="a topic (may be given more than once)")
        what.add_argument("--all", action="store_true", help="all topics")
        what.add_argument("--balance", action="store_true", help="all that nobody has, spread over the assessors")
        what.add_argument("--stack", metavar="NAME", default="", help="who takes the next topic as second assessor")
        parser.add_argument(
            "--stage",
            default="",
            metavar="KEY",
            help="the stage (default: all stages of the topic's task but those handed out by hand alone); the keys "
            "stand over the columns of “Who judges what”, and a wrong one is answered with all there are",
        )
        parser.add_argument("--assessor", default="", metavar="NAME", help="user name of who gets it")
        parser.add_argument("--role", default="primary", choices=Assignment.Role.values, help="as what")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Hand out, one line each."""
        campaign = campaign_named(options["campaign"])
        actor = acting_organiser(campaign, options["organiser"])
        if options["balance"]:
            made = balance_work(actor=actor, campaign=campaign)
        elif options["stack"]:
            made = take_from_stack(actor=user_named(options["stack"]), campaign=campaign)
        else:
            if not options["assessor"]:
                raise CommandError("Name who gets the work: --assessor NAME.", returncode=2)
            assessor = user_named(options["assessor"])
            _require_stage(campaign, options["stage"])
            made = [
                create_assignment(
                    actor=actor, campaign=campaign, topic=topic, stage=stage, assessor=assessor, role=options["role"]
                )
                for topic in _topics(campaign, options["topic"])
                for stage in _stages(campaign, topic, options)
            ]
        for each in made:
            self.say(f"{each.topic.number}\t{each.stage}\t{each.assessor}\t{each.get_role_display()}")
        if not made:
            self.stderr.write("Nothing was left to hand out.")


def _topics(campaign: Campaign, numbers: list[str] | None) -> list[Topic]:
    if numbers is None:
        return list(topics_to_judge(campaign))
    topics = list(judged_topics(campaign))
    unknown = set(numbers) - {topic.number for topic in topics}
    if unknown:
        raise CommandError(f"There is no topic {', '.join(sorted(unknown))} to be judged.", returncode=2)
    return [topic for topic in topics if topic.number in numbers]


def _require_stage(campaign: Campaign, key: str) -> None:
    known = [stage.key for stage in all_stages(campaign)]
    if key and key not in known:
        raise CommandError(f"There is no stage “{key}”. The stages are: {', '.join(known)}.", returncode=2)


def _stages(campaign: Campaign, topic: Topic, options: dict[str, Any]) -> list[str]:
    """The stage asked for, where the topic's task has it; with --all, topics of other tasks are left out."""
    task = track_of(campaign).task(topic.task)
    found = task.stages if task is not None else ()
    if not options["stage"]:
        return [stage.key for stage in found if not stage.by_hand]
    stages = [stage.key for stage in found]
    return [options["stage"]] if options["stage"] in stages or not options["all"] else []
