"""Measure how much time and memory scores and exports of a judged campaign of full size take.

    python -m bench.bench_scores [--targets 50] [--runs 60] [--keep FOLDER]

Makes a campaign with four questions for each target and 20 instances for each question (`bench_load`) in its own folder
(SQLite), or in the empty database that ASSAY_DATABASE names. All of it is judged: rows are added directly, since only
reading them is measured. With --keep the folder stays, and a later call uses it again. Prints one line for each figure:
what, how much, seconds, and by how many MB the peak memory of this process grew.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from bench.bench_load import questions, run_file, submit
from bench.figures import Figure, add_json_option, taken, write

SHOWN = {
    "export": Figure(name="export", what="exporting the judgments of a nugget campaign", unit="s"),
    "score": Figure(name="score", what="scoring its runs", unit="s"),
    "score again": Figure(name="again", what="scoring them again", unit="s"),
}
FIGURES = tuple(SHOWN.values())
TIMED: list[tuple[str, int, str, float]] = []

CORRECT_SHARE, CLASSES, NUGGETS, VOTERS, MARKED_SHARE = 0.3, 12, 20, 4, 0.15


@contextmanager
def timed(what: str, count: int, unit: str) -> Iterator[None]:
    size, start = _largest(), time.perf_counter()
    yield
    seconds = time.perf_counter() - start
    print(f"{what}\t{count:,} {unit}\t{seconds:.2f} s\t+{_largest() - size:.0f} MB", flush=True)
    TIMED.append((what, count, unit, seconds))


def _largest() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--targets", type=int, default=50)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--keep", type=Path)
    add_json_option(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        os.environ["ASSAY_DATA_DIR"] = str(options.keep or folder)
        os.environ["DJANGO_SETTINGS_MODULE"] = "assay_site.settings"
        import django

        django.setup()
        measure(Path(folder), options)
        write(options.json, taken(SHOWN, TIMED))


def measure(folder: Path, options: argparse.Namespace) -> None:
    from django.core.management import call_command

    from assess.campaigns.models import Campaign
    from assess.exports.domain import export_campaign
    from assess.judging.snapshots import Snapshot
    from assess.scores.domain import explain_score, score_campaign

    call_command("migrate", verbosity=0)
    campaign = Campaign.objects.filter(slug="bench").first() or judged_campaign(options)
    asked = options.targets * 4
    with timed("export", asked, "questions"):
        done = export_campaign(actor=None, snapshot=Snapshot(campaign), folder=folder / "exports")
    for name in done.files:
        size = (folder / "exports" / name).stat().st_size
        print(f"  {name}\t{size / 1e6:.1f} MB")
    with timed("score", options.runs, "runs"):
        found = score_campaign(Snapshot(campaign))
    print(f"  {len(found.scores):,} values")
    with timed("score again", options.runs, "runs"):
        score_campaign(Snapshot(campaign))
    with timed("explain one value", 1, "value"):
        explain_score(Snapshot(campaign), found.runs[0], "all", "combined")


def judged_campaign(options: argparse.Namespace) -> Any:
    """Make the campaign, judge all of it, and return it."""
    import io

    from django.contrib.auth.models import User
    from django.db import transaction

    from assess.campaigns.domain import create_campaign
    from assess.organising.domain import change_state
    from assess.pools.domain.building import build_pool
    from assess.topics.domain.loading import load_topics

    chance = random.Random(7)
    boss = User.objects.create_user("bench")
    campaign = create_campaign(actor=boss, slug="bench", title="Bench", track="tac2008-qa")
    stream = io.BytesIO(questions(options.targets))
    load_topics(actor=boss, campaign=campaign, file_key="questions", stream=stream, name="questions.xml")
    with timed("submit", options.runs, "runs"):
        for n in range(options.runs):
            submit(boss, campaign, f"Team{n}a", run_file(f"Team{n}a1", options.targets, 3_000_000, chance))
    for task in ("rigid", "squishy"):
        pool = build_pool(actor=boss, campaign=campaign, task=task)
        print(f"  {pool.pool_items.count():,} items of {task}")
    change_state(actor=boss, campaign=campaign, state="judging")
    judges = [User.objects.create_user(f"judge{n}") for n in range(VOTERS)]
    with timed("judge", options.targets * 4, "questions"), transaction.atomic():
        for topic in campaign.topics.exclude(task=""):
            (judge_rigid if topic.task == "rigid" else judge_squishy)(topic, judges, chance)
    return campaign


def work(topic: Any, stage: str, judge: Any, role: str = "primary") -> Any:
    from assess.assignments.models import Assignment

    return Assignment.objects.create(
        campaign=topic.campaign, topic=topic, stage=stage, assessor=judge, role=role, state="done", seed=1
    )


def key(chance: random.Random) -> UUID:
    return UUID(int=chance.getrandbits(128))


def judge_rigid(topic: Any, judges: list[Any], chance: random.Random) -> None:
    """Judge every item of a rigid question, and put each correct one into one of the question's classes."""
    from assess.ledger.adding import add_rows
    from assess.models import Item, Judgment
    from nuggets.classes.models import AnswerClass, ClassAssignment, ClassEdit, ClassLabel

    grading, grouping = work(topic, "instances", judges[0]), work(topic, "classes", judges[0])
    items = list(Item.objects.filter(topic=topic))
    values = [1 if chance.random() < CORRECT_SHARE else chance.choice((-1, 2, 3)) for _ in items]
    judged = {"criterion": "correctness", "assessor": judges[0], "assignment": grading, "how": "import"}
    add_rows(
        [
            Judgment(item=item, value=value, client_key=key(chance), **judged)
            for item, value in zip(items, values, strict=True)
        ]
    )
    classes = [
        AnswerClass.objects.create(topic=topic, number=number, assignment=grouping) for number in range(1, CLASSES + 1)
    ]
    edit = ClassEdit(assignment=grouping, actor=judges[0], action="create", client_key=key(chance), how="import")
    edit.asked = edit.before = edit.after = {}
    edit.save()
    correct = [item for item, value in zip(items, values, strict=True) if value == 1]
    add_rows([ClassLabel(answer_class=each, label=f"answer {each.number}", edit=edit) for each in classes])
    add_rows(
        [
            ClassAssignment(item=item, answer_class=chance.choice(classes), assignment=grouping, edit=edit)
            for item in correct
        ]
    )


def judge_squishy(topic: Any, judges: list[Any], chance: random.Random) -> None:
    """Add a frozen list of a squishy question by the first judge, with marks in some items and all items finished, and
    votes by the other judges.
    """
    from django.utils import timezone

    from assess.items.models import Item
    from assess.ledger.adding import add_rows
    from assess.ledger.models import take_points
    from nuggets.models import ItemReview, Nugget, NuggetList, NuggetMatch, NuggetVote

    writing, marking = work(topic, "nuggets", judges[0]), work(topic, "matches", judges[0])
    nugget_list = NuggetList.objects.create(
        topic=topic,
        owner=judges[0],
        assignment=writing,
        last_number=NUGGETS,
        frozen_at=timezone.now(),
        frozen_point=take_points(topic.campaign_id)[0],
    )
    nuggets = [
        Nugget.objects.create(
            nugget_list=nugget_list,
            number=number,
            position=number,
            text=f"nugget {number} of {topic.number}",
            importance="vital" if number % 2 else "okay",
        )
        for number in range(1, NUGGETS + 1)
    ]
    items = list(Item.objects.filter(topic=topic))
    said = {"assessor": judges[0], "assignment": marking, "how": "import"}
    add_rows(
        [
            NuggetMatch(nugget=chance.choice(nuggets), item=item, value="full", client_key=key(chance), **said)
            for item in items
            if chance.random() < MARKED_SHARE
        ]
    )
    add_rows(
        [
            ItemReview(item=item, nugget_list=nugget_list, is_reviewed=True, client_key=key(chance), **said)
            for item in items
        ]
    )
    for judge in judges[1:]:
        voting = work(topic, "votes", judge, role="second")
        votes = [
            NuggetVote(
                nugget=nugget,
                importance=chance.choice(("vital", "okay")),
                assessor=judge,
                assignment=voting,
                client_key=key(chance),
                how="import",
            )
            for nugget in nuggets
        ]
        add_rows(votes)


if __name__ == "__main__":
    main()
