"""Build the pools of a campaign."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from assess.base.errors import Invalid
from assess.base.wording import counted
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.management.command import (
    DomainCommand,
    acting_organiser,
    add_acting_argument,
    campaign_named,
    opened,
    print_issues,
)
from assess.pools.domain.building import NothingToPool, build_pool
from assess.pools.domain.strategy import WHOLE, WORDS, Selection, make_selection, read_listed, read_pairs
from assess.pools.domain.summaries import pool_summary
from assess.protocol import ranked_recipe
from assess.runs.queries import accepted_runs, order_warnings

DEPTH = 100
"""The default depth of the strategy "depth", as in `python -m scoring pool`."""


class Command(DomainCommand):
    """`manage.py build_pool CAMPAIGN`: build the pool of one task or of each. The same runs give the same pools."""

    help = (
        "Builds pools from what accepted runs returned and from items that come with topics. Prints a line for each "
        "task and each kind of item. A task with nothing to pool is skipped, unless it is the only one. Building the "
        "same pool again changes nothing. A strategy applies to the tasks whose documents runs rank."
    )
    example = "build_pool tac-2008 --priorities 1,2"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the tasks, the runs, and how documents of ranked lists are selected."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("--task", default="", help="only this task (default: all)")
        parser.add_argument("--priorities", type=_numbers, metavar="N,N", help="runs judged (default: the setting)")
        parser.add_argument("--drop-judged", action="store_true", help="let judged items leave the pool")
        _add_selection(parser)
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Build the pools, and print how large they are. Raise `NothingToPool` if no task has anything to pool."""
        campaign = campaign_named(options["campaign"])
        actor = acting_organiser(campaign, options["organiser"])
        selection = _selection(options)
        tasks = [options["task"]] if options["task"] else _tasks(campaign, selection)
        nothing: list[NothingToPool] = []
        for task in tasks:
            try:
                pool = build_pool(
                    actor=actor,
                    campaign=campaign,
                    task=task,
                    priorities=options["priorities"],
                    drop_judged=options["drop_judged"],
                    selection=selection,
                )
            except NothingToPool as refusal:
                nothing.append(refusal)
                continue
            self.say(f"{task}\t{counted(pool.pool_items.count(), 'item')}\tpool {pool.pk}\t{pool.digest}")
            for measure, wanted, runs in pool_summary(pool).best:
                told = ", ".join(f"{tag} {value:.4f}" for tag, value, pooled in runs if pooled and value is not None)
                self.say(f"{task}\tbest {wanted} by {measure}\t{told}")
            kinds = Counter(pool.pool_items.values_list("item__kind", flat=True))
            for kind, count in sorted(kinds.items()) if len(kinds) > 1 else ():
                self.say(f"{task}\t{counted(count, 'item')}\t{kind}")
        if len(nothing) == len(tasks):
            raise nothing[0]
        for each in nothing:
            self.stderr.write(each.message)
        print_issues(order_warnings(campaign, accepted_runs(campaign)), self.stderr)


def _add_selection(parser: CommandParser) -> None:
    add = parser.add_argument_group("strategy", "how documents of ranked lists are selected").add_argument
    add("--strategy", choices=WORDS, default=WHOLE, help="whole: what the track pools by itself (default)")
    add("--depth", type=int, help=f"how many documents of each run are considered (for “depth”, {DEPTH} by default)")
    add("--depths", default="", metavar="P:N,P:N", help="priority: a depth for each priority, as in 1:100,2:50")
    add("--budget", type=int, help="the largest number of documents for a topic")
    add("--seed", type=int, default=0, help="stratified: which documents are drawn")
    add("--k", type=int, help="rrf: 1 / (k + rank); default 60")
    add("--p", type=float, help="rbp: persistence; default 0.8")
    add("--combine", choices=("sum", "max"), default="sum", help="rbp: how the weights of runs are combined")
    add("--strata", default="", metavar="B:R,B:R", help="stratified: bound and rate of each stratum, as in 10:1,50:0.2")
    add("--strata-by", choices=("rank", "runs"), default="rank", help="what the bounds of strata count")
    add(
        "--batch",
        type=int,
        help="move-to-front, max-mean: the number of documents with which a topic begins and by which it grows",
    )
    add("--relevant-from", type=int, metavar="GRADE", help="move-to-front, max-mean: the lowest relevant grade")
    add("--lists", type=int, default=0, metavar="N", help="also the first N documents of every topic's list")
    add("--union", metavar="FILE", help="also the documents of this list: topic rank docno score; - is standard input")
    add("--minus-judged", action="store_true", help="leave out documents that are judged already")


def _selection(options: dict[str, Any]) -> Selection | None:
    values = dict(options)
    if values["strategy"] == "depth" and values["depth"] is None:
        values["depth"] = DEPTH
    values["depths"] = read_pairs(values["depths"], int, form="priority:depth, as in 1:100,2:50")
    values["strata"] = read_pairs(values["strata"], float, form="bound:rate, as in 10:1,50:0.2")
    if path := values["union"]:
        with opened(path) as stream:
            values["listed"] = read_listed(stream, Path(path).name)
        values["list_name"] = Path(path).name
    return make_selection(values)


def _tasks(campaign: Campaign, selection: Selection | None) -> list[str]:
    track = track_of(campaign)
    found = [task.key for task in track.tasks if selection is None or ranked_recipe(track, task) is not None]
    if not found:
        raise Invalid(f"Runs rank nothing in {track.label}, so there are no strategies. Leave --strategy out.")
    return found


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError as error:
        raise ArgumentTypeError(f"“{text}” is no list of whole numbers such as 1,2") from error
