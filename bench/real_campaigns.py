"""Make a campaign of the size of a real one, whole and judged, in a folder of its own or in ASSAY_DATABASE.

    python -m bench.real_campaigns covid|robust|tac --keep FOLDER [--share 1.0] [--real FOLDER] [--frozen]

    covid    as TREC-COVID's first round: 143 runs of 30 topics × 1,000 documents, 8,700 judgments
    robust   as Robust 2003: 17 runs of 100 topics × 930 documents, 156,000 judgments by 40 people; every document is
             judged by two of them, who differ in 57,166 cases
    tac      as a squishy task of TAC: 105 topics × 150 runs × 15 strings, 60 nuggets a topic, 336,000 matches; with
             reviews, votes of nine others and edits of lists its ledgers have 635,000 rows

`--share` makes all of them smaller (fewer runs, topics and people alike). `--real` takes the campaign of an ad hoc
evaluation from files instead, by `manage.py load_campaign`: the folder holds topics, runs/ and qrels as that command
wants them. Topics, runs, pools and lists come in by the functions that pages call; judgments, matches and votes are
rows added in bulk under the ledger's counter, as if people had worked for some weeks. A tenth of the work is judged
but not marked as done, so that somebody can still save; `--frozen` ends it and freezes the campaign.

People: organiser, adjudicator, assessor1, assessor2, …, participant; the password of all of them is `PASSWORD`. A call
for a folder that holds the campaign already changes nothing.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.bulk_ledgers import Clock, add_judgments, add_matches, add_votes

ORGANISER, ADJUDICATOR, PARTICIPANT, PASSWORD = "organiser", "adjudicator", "participant", "long-enough-for-a-bench"
BEYOND = 2
"""How many documents of a topic runs draw from below the pool's depth, for each document that one run returns."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranked:
    """An ad hoc campaign: ``pooled`` documents of each topic are judged, by two people where they ``disagree``."""

    title: str
    runs: int
    topics: int
    ranks: int
    depth: int
    pooled: int
    people: int
    highest_grade: int
    disagree: int = 0

    def smaller(self, share: float) -> Ranked:
        """Return the same campaign with a share of its runs, topics and people, and of the cases of disagreement."""
        runs, topics = part(self.runs, share), part(self.topics, share)
        depth = max(self.depth, -(-self.pooled // runs))  # fewer runs have to bring the same documents
        left = round(self.disagree * topics / self.topics)
        return replace(self, runs=runs, topics=topics, depth=depth, people=part(self.people, share), disagree=left)


@dataclass(frozen=True, kw_only=True, slots=True)
class Nuggets:
    """A squishy task: ``strings`` of each run and topic, ``nuggets`` of each topic, and ``matches`` in all."""

    title: str
    runs: int
    topics: int
    strings: int
    nuggets: int
    matches: int
    voters: int
    people: int

    def smaller(self, share: float) -> Nuggets:
        """Return the same campaign with a share of its runs, topics, matches and people, of whom two vote on a list."""
        runs, topics = part(self.runs, share), part(self.topics, share)
        left = round(self.matches * runs * topics / (self.runs * self.topics))
        return replace(self, runs=runs, topics=topics, matches=left, people=max(part(self.people, share), 3), voters=2)


def shape_of(name: str, share: float) -> Ranked | Nuggets:
    """Return the shape of the campaign with this name, or a share of it where ``share`` is not 1."""
    return SHAPES[name] if share == 1.0 else SHAPES[name].smaller(share)


def part(count: int, share: float) -> int:
    """Return a share of a count, rounded, and at least two.

    >>> part(143, 0.1), part(17, 0.01), part(100, 1.0)
    (14, 2, 100)
    """
    return max(round(count * share), 2)


SHAPES: dict[str, Ranked | Nuggets] = {
    "covid": Ranked(
        title="As TREC-COVID", runs=143, topics=30, ranks=1000, depth=7, pooled=290, people=10, highest_grade=2
    ),
    "robust": Ranked(
        title="As Robust 2003",
        runs=17,
        topics=100,
        ranks=930,
        depth=100,
        pooled=780,
        people=40,
        highest_grade=2,
        disagree=57_166,
    ),
    "tac": Nuggets(
        title="As TAC",
        runs=150,
        topics=105,
        strings=15,
        nuggets=60,
        matches=336_000,
        voters=9,
        people=20,
    ),
}


def main() -> None:
    """Make the campaign that the command line names, in the folder that it names, and print how large it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=SHAPES)
    parser.add_argument("--keep", type=Path, required=True, help="the folder that becomes the site's")
    parser.add_argument("--share", type=float, default=1.0, help="makes it smaller: .1 is a tenth of runs and topics")
    parser.add_argument("--real", type=Path, help="a folder with topics, runs and qrels of an ad hoc evaluation")
    parser.add_argument("--frozen", action="store_true", help="ends all work and freezes the campaign")
    options = parser.parse_args()
    os.environ["ASSAY_DATA_DIR"] = str(options.keep)
    os.environ["DJANGO_SETTINGS_MODULE"] = "assay_site.settings"
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    make(options.name, shape=shape_of(options.name, options.share), real=options.real)
    if options.frozen:
        freeze(options.name)


def make(name: str, *, shape: Ranked | Nuggets | None = None, real: Path | None = None) -> Any:
    """Return the campaign with this name in the migrated database; it is made first where there is none.

    ``shape`` is its size where that is not the usual one, ``real`` a folder of files that it is loaded from.
    """
    from django.db import connection

    from assess.campaigns.models import Campaign

    if (there := Campaign.objects.filter(slug=name).first()) is not None:
        return there
    began, used = time.perf_counter(), time.process_time()
    shape = shape or SHAPES[name]
    make_people(shape.people)
    if real is not None:
        load_real(name, shape, real)
    elif isinstance(shape, Ranked):
        make_ranked(name, shape)
    else:
        make_nuggets(name, shape)
    # PostgreSQL's own vacuum does so; no site on SQLite is ever analysed
    if connection.vendor == "postgresql" and not connection.in_atomic_block:  # it would keep what a test takes back
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
    campaign = Campaign.objects.get(slug=name)
    took = f"{time.perf_counter() - began:.0f} s\t{time.process_time() - used:.0f} s of CPU"
    print(f"made {name}\t{took}\t{size_of(campaign)}", flush=True)
    return campaign


def size_of(campaign: Any) -> str:
    """Return a text that says how many runs, topics and rows of ledgers the campaign has; what it lacks is left out."""
    from assess.judging.models import Judgment
    from nuggets.models import ItemReview, NuggetEdit, NuggetMatch, NuggetVote

    counts = {"runs": campaign.runs.count(), "topics": campaign.topics.exclude(task="").count()}
    ledgers: dict[str, Any] = {
        "judgments": Judgment,
        "matches": NuggetMatch,
        "reviews": ItemReview,
        "votes": NuggetVote,
    }
    counts |= {
        what: rows._default_manager.filter(assignment__campaign=campaign).count() for what, rows in ledgers.items()
    }
    counts["edits of lists"] = NuggetEdit.objects.filter(nugget_list__topic__campaign=campaign).count()
    return ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)


def make_people(count: int) -> None:
    """Make the accounts of everybody, ``count`` assessors among them, with one password whose hash is made once."""
    from django.contrib.auth.hashers import make_password
    from django.contrib.auth.models import User

    secret = make_password(PASSWORD)
    names = [ORGANISER, ADJUDICATOR, PARTICIPANT, *(f"assessor{number}" for number in range(1, count + 1))]
    known = set(User.objects.filter(username__in=names).values_list("username", flat=True))
    User.objects.bulk_create(
        User(username=name, password=secret, is_superuser=name == ORGANISER, is_staff=name == ORGANISER)
        for name in names
        if name not in known
    )


def begin(name: str, title: str, *, track: str, settings: dict[str, Any], topics: bytes) -> Any:
    """Make a campaign with its members and topics, and return it, still being set up."""
    from assess.campaigns.domain import create_campaign
    from assess.topics.domain.loading import load_topics

    boss = user(ORGANISER)
    campaign = create_campaign(actor=boss, slug=name, title=title, track=track, settings=settings)
    join(campaign)
    load_topics(actor=boss, campaign=campaign, stream=io.BytesIO(topics), name="topics.xml")
    return campaign


def join(campaign: Any) -> None:
    """Make everybody a member of the campaign, whose organiser is there already."""
    from django.contrib.auth.models import User

    from assess.models import Membership

    roles = {ADJUDICATOR: ("adjudicator", ""), PARTICIPANT: ("participant", "team1")}
    people = User.objects.exclude(username=ORGANISER).order_by("pk")
    for person in people:
        role, team = roles.get(person.username, ("assessor", ""))
        Membership.objects.get_or_create(campaign=campaign, user=person, role=role, defaults={"team": team})


def user(name: str) -> Any:
    """Return the account with this name."""
    from django.contrib.auth.models import User

    return User.objects.get(username=name)


def assessors() -> list[Any]:
    """Return all who judge, in the order in which they were made."""
    from django.contrib.auth.models import User

    return list(User.objects.filter(username__startswith="assessor").order_by("pk"))


def add_run(campaign: Any, *, tag: str, team: str, content: bytes, priority: int | None = None, **fields: str) -> None:
    """Submit a run as the form does; raises SystemExit where it is not accepted."""
    from assess.protocol import RunForm
    from assess.runs.domain.submitting import submit_run

    form = RunForm(tag=tag, team=team, priority=priority, fields=fields)
    run = submit_run(
        actor=user(ORGANISER), campaign=campaign, form=form, file=io.BytesIO(content), file_name=f"{tag}.txt"
    )
    if run.state != "accepted":
        raise SystemExit(f"{tag} was not accepted: {run.report[:3]}")


def start_judging(campaign: Any, task: str) -> None:
    """Build the pool of a task, and let people judge it."""
    from assess.organising.domain import change_state
    from assess.pools.domain.building import build_pool

    build_pool(actor=user(ORGANISER), campaign=campaign, task=task)
    change_state(actor=user(ORGANISER), campaign=campaign, state="judging")


def hand_out(campaign: Any, topic: Any, stage: str, person: Any, role: str = "primary") -> Any:
    """Give a person the work of a stage at a topic, and return the assignment, which has begun."""
    from django.db import transaction

    from assess.assignments.domain.assignments import add_assignments, new_assignment

    about = {"campaign": campaign, "topic": topic, "stage": stage, "assessor": person, "role": role}
    work = new_assignment(is_started=True, **about)
    with transaction.atomic():
        add_assignments(actor=user(ORGANISER), campaign=campaign, assignments=[work])
    return work


def end_work(campaign: Any, *, every: bool = False) -> None:
    """Mark the work of nine in ten topics as done, or all of it."""
    from django.utils import timezone

    work = campaign.assignments.filter(state="started")
    if not every:
        work = work.exclude(topic__in=[topic.pk for topic in campaign.topics.exclude(task="")][::10])
    work.update(state="done", done_at=timezone.now(), lease_until=None)


def freeze(name: str) -> None:
    """End all work and freeze the campaign, whatever was not decided."""
    from assess.campaigns.models import Campaign
    from assess.organising.domain import freeze_campaign

    campaign = Campaign.objects.get(slug=name)
    if campaign.state == Campaign.State.JUDGING:
        end_work(campaign, every=True)
        freeze_campaign(actor=user(ORGANISER), campaign=campaign, despite="Made to be measured.")


# ---------------------------------------------------------------- ad hoc


def make_ranked(name: str, shape: Ranked) -> None:
    """Make an ad hoc campaign: its runs, a pool of exactly ``pooled`` documents a topic, and its judgments."""
    numbers = [str(301 + place) for place in range(shape.topics)]
    topics = "".join(f"<top>\n<num> Number: {number}\n<title> Topic {number}\n</top>\n" for number in numbers).encode()
    settings = {"pool_depth": shape.depth, "highest_grade": shape.highest_grade}
    campaign = begin(name, shape.title, track="adhoc", settings=settings, topics=topics)
    for number in range(shape.runs):
        tag = f"run{number:03}"
        add_run(campaign, tag=tag, team=f"team{number // 3 + 1}", content=ranked_run(shape, number, tag, numbers))
    start_judging(campaign, "ranking")
    judge_ranked(campaign, shape)
    end_work(campaign)


def ranked_run(shape: Ranked, number: int, tag: str, topics: list[str]) -> bytes:
    """Return the file of one run. The first ``depth`` documents of all runs together are the ``pooled`` ones."""
    dice = random.Random(number)
    lines = []
    for topic in topics:
        own = range(number, shape.pooled, shape.runs)
        others = [place for place in range(shape.pooled) if place % shape.runs != number]
        pooled = [*own, *dice.sample(others, min(shape.depth - len(own), len(others)))]
        pooled.sort(key=lambda place: place + dice.random() * shape.pooled)
        below = dice.sample(range(shape.pooled, shape.pooled + BEYOND * shape.ranks), shape.ranks - len(pooled))
        lines += [
            f"{topic} Q0 {docno(topic, place)} {rank} {9999 - 1.25 * rank:.2f} {tag}\n"
            for rank, place in enumerate([*pooled, *below], start=1)
        ]
    return "".join(lines).encode()


def docno(topic: str, place: int) -> str:
    """Return the docno of the document at a place of a topic; the best have low places, which a docno does not tell."""
    return f"FBIS{topic}-{place * 7919 % 99_991:05}"


def judge_ranked(campaign: Any, shape: Ranked) -> None:
    """Let the first assessor of a topic judge every pooled document and, where people disagree, a second one, too.

    Raises SystemExit where the pool of a topic has not ``pooled`` documents.
    """
    from assess.items.models import Item

    people = assessors()
    topics = list(campaign.topics.order_by("ordinal"))
    places = {docno(topic.number, place): place for topic in topics for place in range(shape.pooled)}
    dice = random.Random(1)
    both = shape.topics * shape.pooled
    differ = set(dice.sample(range(both), shape.disagree)) if shape.disagree else set()
    clock = Clock(campaign.pk)
    number = 0
    for at, topic in enumerate(topics):
        items = list(Item.objects.filter(topic=topic).order_by("pk").values_list("pk", "docno"))
        if len(items) != shape.pooled:
            raise SystemExit(f"{len(items)} documents of topic {topic.number} are pooled, not {shape.pooled}")
        author = hand_out(campaign, topic, "documents", people[at % len(people)])
        second = None
        if shape.disagree:
            second = hand_out(campaign, topic, "documents", people[(at + 1) % len(people)], "second")
        for item, name in items:
            likely = 0.6 * (1 - places[name] / shape.pooled)
            value = dice.randint(1, shape.highest_grade) if dice.random() < likely else 0
            clock.said(author, item, value)
            if second is not None:
                step = dice.randint(1, shape.highest_grade) if number in differ else 0
                clock.said(second, item, (value + step) % (shape.highest_grade + 1))
            number += 1
    add_judgments(clock.in_order())


def load_real(name: str, shape: Ranked | Nuggets, folder: Path) -> None:
    """Load the campaign from the files of a folder, whose qrels are what its judges said.

    Raises SystemExit for a campaign of nuggets, which is not made of files.
    """
    from django.core.management import call_command

    from assess.campaigns.models import Campaign

    if not isinstance(shape, Ranked):
        raise SystemExit(f"{name} is not made of files; give covid or robust")
    settings = {"highest_grade": shape.highest_grade, "pool_depth": shape.depth}
    call_command(
        "load_campaign",
        str(folder),
        track="adhoc",
        slug=name,
        title=shape.title,
        set=[(key, str(value)) for key, value in settings.items()],
        organiser=ORGANISER,
    )
    join(Campaign.objects.get(slug=name))


# ---------------------------------------------------------------- nuggets


def make_nuggets(name: str, shape: Nuggets) -> None:
    """Make a campaign of nuggets: runs of strings, frozen lists, matches, a review of every string, and votes."""
    campaign = begin(name, shape.title, track="tac2008-qa", settings={}, topics=series(shape.topics))
    numbers = [topic.number for topic in campaign.topics.exclude(task="")]
    for number in range(shape.runs):
        team, priority = f"team{number // 2 + 1}x", number % 2 + 1
        content = answers(shape, number, f"{team}{priority}", numbers)
        add_run(campaign, tag="", team=team, priority=priority, content=content, documents="collection")
    start_judging(campaign, "squishy")
    judge_nuggets(campaign, shape)
    end_work(campaign)


def series(topics: int) -> bytes:
    """Return a question file with so many questions, three for each target and what is left for the last."""
    lines = ["<tacqa>"]
    for first in range(0, topics, 3):
        target = first // 3 + 1
        lines.append(f'<target id="{target}" text="Target {target}">')
        for place in range(1, min(3, topics - first) + 1):
            lines.append(f'<q id="{target}.{place}" type="SquishyList">What do people say of {place} of {target}?</q>')
        lines.append("</target>")
    return "\n".join([*lines, "</tacqa>"]).encode()


def answers(shape: Nuggets, number: int, tag: str, topics: list[str]) -> bytes:
    """Return the file of one run; no two runs return the same string."""
    from bench.bench_load import WORDS
    from bench.bench_load import docno as blog

    dice = random.Random(number)
    lines = []
    for topic in topics:
        for place in range(shape.strings):
            words = " ".join(dice.choices(WORDS, k=12))
            lines.append(f"{topic} {tag} {blog(dice.randrange(3_000_000))} {words} {number} {place}\n")
    return "".join(lines).encode()


def judge_nuggets(campaign: Any, shape: Nuggets) -> None:
    """Write the lists of all topics, and then the matches, reviews and votes, which need frozen lists."""
    from assess.items.models import Item

    people, dice = assessors(), random.Random(1)
    topics = list(campaign.topics.exclude(task="").order_by("ordinal", "pk"))
    lists = {}
    for at, topic in enumerate(topics):
        work = hand_out(campaign, topic, "nuggets", people[at % len(people)])
        lists[topic.pk] = write_list(work, shape.nuggets, dice)
    matches, reviews, votes = Clock(campaign.pk), Clock(campaign.pk), Clock(campaign.pk)
    for at, topic in enumerate(topics):
        nuggets = list(lists[topic.pk].nuggets.order_by("number").values_list("pk", flat=True))
        items = list(Item.objects.filter(topic=topic).order_by("pk").values_list("pk", flat=True))
        work = hand_out(campaign, topic, "matches", people[at % len(people)])
        voters = [
            hand_out(campaign, topic, "votes", people[(at + place) % len(people)], "second")
            for place in range(1, shape.voters + 1)
        ]
        share = shape.matches * (at + 1) // len(topics) - shape.matches * at // len(topics)
        chosen = dice.sample(range(len(items) * len(nuggets)), share)
        found: dict[int, list[int]] = {}
        for pair in chosen:
            found.setdefault(items[pair // len(nuggets)], []).append(nuggets[pair % len(nuggets)])
        for item in items:
            for nugget in found.get(item, ()):
                matches.said(work, item, nugget)
            reviews.said(work, item, lists[topic.pk].pk)
        for voting in voters:
            for place, nugget in enumerate(nuggets):
                votes.said(voting, nugget, "vital" if (place % 2 == 0) != (dice.random() < 0.2) else "okay")
    add_matches(matches.in_order(), reviews.in_order())
    add_votes(votes.in_order())


def write_list(work: Any, count: int, dice: random.Random) -> Any:
    """Write a list of so many nuggets as the assessor of this work would, freeze it and return it."""
    from bench.bench_load import WORDS
    from bench.bulk_ledgers import key
    from nuggets.writing.lists import freeze_list, start_list
    from nuggets.writing.many import NuggetInput, add_nuggets

    draft = start_list(actor=work.assessor, assignment=work)
    given = [
        NuggetInput(
            text=f"{' '.join(dice.choices(WORDS, k=8))} {number}",
            importance="vital" if number % 2 else "okay",
            number=number,
            group="",
            fields={},
            client_key=key(dice),
        )
        for number in range(1, count + 1)
    ]
    add_nuggets(actor=work.assessor, nugget_list=draft, nuggets=given)
    return freeze_list(actor=work.assessor, nugget_list=draft, client_key=key(dice))


if __name__ == "__main__":
    main()
