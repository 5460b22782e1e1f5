"""Hand out work to assessors."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from assess.assignments.domain.assignments import PEOPLES_ROLES
from assess.assignments.models import Assignment
from assess.assignments.queries.topics import all_stages, topics_to_judge
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.management.command import (
    DomainCommand,
    acting_organiser,
    add_acting_argument,
    campaign_named,
    person_acting,
    user_named,
)
from assess.topics.models import Topic
from assess.topics.queries import judged_topics
from assess.work.domain import (
    assign_seconds,
    balance_work,
    checked_sample,
    hand_out_assignments,
    plan_double_judging,
    take_from_stack,
)
from assess.work.queries.double_judging import double_stages


class Command(DomainCommand):
    """`manage.py assign CAMPAIGN …`: hand out some topics, all topics, everything spread over all assessors, the next
    topic of the stack, or a sample to second assessors.
    """

    help = (
        "Hands out work: --topic or --all with --assessor, --balance to spread everything over the assessors, "
        "--stack to give somebody the next topic of the stack, or --second to have a sample of the topics (--share, "
        "--number; else all) judged by a second person as well."
    )
    example = "assign tac-2008 --topic 3.4 --stage instances --assessor ada"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for what is handed out, and to whom."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--topic", metavar="NUMBER", action="append", help="a topic (may be given more than once)")
        what.add_argument("--all", action="store_true", help="all topics")
        what.add_argument(
            "--balance", action="store_true", help="everything that nobody has, spread over the assessors"
        )
        what.add_argument(
            "--stack",
            metavar="NAME",
            default="",
            help="the person who takes the next topic of the stack (--role says in which role)",
        )
        what.add_argument("--second", action="store_true", help="a sample of the topics, or all, to second assessors")
        parser.add_argument(
            "--share", type=float, metavar="S", help="with --second: this share of the topics, such as 0.2"
        )
        parser.add_argument("--number", type=int, metavar="N", help="with --second: this many topics")
        parser.add_argument("--seed", type=int, default=1, help="with --second: the seed of the sample (default 1)")
        parser.add_argument("--dry-run", action="store_true", help="with --second: only print who would get what")
        parser.add_argument(
            "--stage",
            default="",
            metavar="KEY",
            help="the stage (default: all stages of the topic's task but those handed out by hand alone); the keys "
            "stand over the columns of “Who judges what”, and a wrong one is answered with all there are",
        )
        parser.add_argument("--assessor", default="", metavar="NAME", help="user name of the person who gets it")
        parser.add_argument(
            "--role",
            default="",
            choices=PEOPLES_ROLES,
            help="the role (default: primary; from the stack: second)",
        )
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Hand the work out, and print a line for each assignment. With --dry-run, hand nothing out."""
        campaign = campaign_named(options["campaign"])
        actor = acting_organiser(campaign, options["organiser"])
        if options["balance"]:
            made = balance_work(actor=actor, campaign=campaign)
        elif options["stack"]:
            role = options["role"] or Assignment.Role.SECOND
            made = take_from_stack(actor=person_acting(options["stack"]), campaign=campaign, role=role)
        elif options["second"]:
            made = self._seconds(campaign, actor, options)
        else:
            if not options["assessor"]:
                raise CommandError("Name who gets the work: --assessor NAME.", returncode=2)
            assessor = user_named(options["assessor"])
            _require_stage(campaign, options["stage"])
            asked = _topics(campaign, options["topic"])
            made = hand_out_assignments(
                actor=actor,
                campaign=campaign,
                pieces=[(topic, stage) for topic in asked for stage in _stages(campaign, topic, options)],
                assessor=assessor,
                role=options["role"] or Assignment.Role.PRIMARY,
            )
        for each in made:
            self.say(f"{each.topic.number}\t{each.stage}\t{each.assessor}\t{each.get_role_display()}")
        if not made and not options["dry_run"]:
            self.stderr.write("Nothing was left to hand out.")

    def _seconds(self, campaign: Campaign, actor: User, options: dict[str, Any]) -> list[Assignment]:
        """Hand out a sample of the topics to second assessors. With --dry-run, only print what would be handed out."""
        sample = checked_sample(share=options["share"], number=options["number"], seed=options["seed"])
        stages = [options["stage"]] if options["stage"] else [stage.key for _, stage in double_stages(campaign)]
        plan = plan_double_judging(campaign=campaign, stages=stages, sample=sample)
        for work in plan.waiting:
            self.stderr.write(f"{work.topic.number}: {work.why}")
        if not options["dry_run"]:
            return assign_seconds(actor=actor, campaign=campaign, stages=stages, sample=sample)
        for work in plan.handouts:
            self.say(f"{work.topic.number}\t{','.join(work.stages)}\t{work.assessor}\t{work.items}")
        return []


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
    """Return the stages of the topic's task that are handed out.

    With --stage, only that stage is handed out. With --all, a topic whose task lacks that stage is left out.
    """
    task = track_of(campaign).task(topic.task)
    found = task.stages if task is not None else ()
    if not options["stage"]:
        return [stage.key for stage in found if not stage.by_hand]
    stages = [stage.key for stage in found]
    return [options["stage"]] if options["stage"] in stages or not options["all"] else []
