"""Build the pools of a campaign."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.core.management.base import CommandParser

from assess.domain.pools import NothingToPool, build_pool
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named
from assess.queries.tracks import track_of


class Command(DomainCommand):
    """`manage.py build_pool CAMPAIGN`: one pool for each task; the same runs give the same pools."""

    help = (
        "Pools what the accepted runs returned and the topics bring along, for judging: a line a task, and one a kind "
        "of item. A task with nothing to pool is passed over, unless it is the only one. Building it again changes "
        "nothing."
    )
    example = "build_pool tac-2008 --priorities 1,2"

    def add_arguments(self, parser: CommandParser) -> None:
        """Which tasks and which runs."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("--task", default="", help="only this task (default: all)")
        parser.add_argument("--priorities", type=_numbers, metavar="N,N", help="runs judged (default: the setting)")
        parser.add_argument("--drop-judged", action="store_true", help="let judged items leave the pool")
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Build and count."""
        campaign = campaign_named(options["campaign"])
        actor = acting_organiser(campaign, options["organiser"])
        tasks = [options["task"]] if options["task"] else [task.key for task in track_of(campaign).tasks]
        nothing: list[NothingToPool] = []
        for task in tasks:
            try:
                pool = build_pool(
                    actor=actor,
                    campaign=campaign,
                    task=task,
                    priorities=options["priorities"],
                    drop_judged=options["drop_judged"],
                )
            except NothingToPool as refusal:
                nothing.append(refusal)
                continue
            self.say(f"{task}\t{pool.pool_items.count()} items\tpool {pool.pk}\t{pool.digest}")
            kinds = Counter(pool.pool_items.values_list("item__kind", flat=True))
            for kind, count in sorted(kinds.items()) if len(kinds) > 1 else ():
                self.say(f"{task}\t{count} items\t{kind}")
        if len(nothing) == len(tasks):
            raise nothing[0]
        for each in nothing:
            self.stderr.write(each.message)


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]
