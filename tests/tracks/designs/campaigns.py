"""Campaigns by designs, for tests: loaded from a folder, and judged from end to end."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from uuid import uuid4

from django.contrib.auth.models import User
from django.core.management import call_command

from assess.campaigns.queries import track_of
from assess.judging.snapshots import Snapshot
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Assignment, Campaign, Item
from assess.protocol import Criterion
from assess.protocol.judging import REQUIRED, asked_criteria
from assess.scores.domain import score_campaign
from tests import factories

ROOT = Path(__file__).resolve().parent.parent.parent.parent
DESIGNS = ROOT / "docs" / "designs"
DATA = ROOT / "tests" / "data"
ADHOC = DATA / "tracks" / "adhoc"


def loaded(organiser: User, design: Path, folder: Path = ADHOC) -> Campaign:
    """Topics, runs, documents and pool of a folder, by the design."""
    call_command(
        *("load_campaign", str(folder), "--track", str(design), "--slug", "own", "--organiser", organiser.username),
        stdout=StringIO(), stderr=StringIO(),
    )  # fmt: skip
    return Campaign.objects.get(slug="own")


def by_key(item: Item, criterion: Criterion) -> int:
    """A value of the scale that is drawn from the item's key, whatever the order."""
    return criterion.grades[sum(map(ord, item.key)) % len(criterion.grades)].value


def is_needed(criterion: Criterion, value: int) -> bool:
    """Whether a value has to come with a snippet."""
    grade = criterion.grade(value)
    return grade is not None and grade.evidence == "required"


def judge_all(
    campaign: Campaign, value: Callable[[Item, Criterion], int] = by_key, *, by: str = "anna", role: str = "primary"
) -> None:
    """Every pooled item of every stage by every question that is asked, judged by one assessor."""
    assessor = factories.member(campaign, by, "assessor")
    Campaign.objects.filter(pk=campaign.pk).update(state="judging")
    campaign.refresh_from_db()
    (task,) = track_of(campaign).tasks
    for stage in task.stages:
        for topic in campaign.topics.filter(task=task.key):
            work = factories.assignment(topic, stage.key, assessor, state="started", role=role)
            pooled = Item.objects.filter(topic=topic, kind=stage.item_kind, pool_items__isnull=False)
            for item in pooled.order_by("key"):
                answers: dict[str, int | None] = {}
                for criterion in stage.criteria:
                    if criterion not in asked_criteria(stage.criteria, answers):
                        continue
                    said = answers[criterion.key] = value(item, criterion)
                    grade = criterion.grade(said)
                    words = item.document.body.text.strip()[:20] if item.document is not None else ""
                    row = JudgmentInput(
                        item=item,
                        criterion=criterion.key,
                        value=said,
                        client_key=uuid4(),
                        note="so it says" if grade is not None and grade.note == REQUIRED else "",
                        evidence=[{"quote": words}] if words and is_needed(criterion, said) else None,
                    )
                    record_judgment(actor=assessor, assignment=work, judgment=row)
            Assignment.objects.filter(pk=work.pk).update(state="done")


def means_of(campaign: Campaign, run: str) -> dict[str, float | None]:
    """The means of a run by each measure, over all topics."""
    scores = score_campaign(Snapshot(campaign)).scores
    return {each.measure: each.value for each in scores if (each.run, each.topic) == (run, "all")}


SURVEY = """design = 1
key = "survey"
title = "Survey"

[[stages]]
key = "documents"
work = "grade"

[[stages.questions]]
key = "relevant"
ask = "Is it relevant?"
grades = [{ value = 1, press = "j", name = "yes" }, { value = 0, press = "k", name = "no" }]

[[stages.questions]]
key = "faults"
ask = "What is wrong with it?"
answer = "several"
most = 2
grades = [{ value = 1, name = "old" }, { value = 2, name = "vague" }, { value = 3, name = "one-sided" }]

[[stages.questions]]
key = "claim"
ask = "What does it claim?"
answer = "text"
words = 5
asked_if = { relevant = "yes" }

[[stages.questions]]
key = "year"
ask = "Of which year is it?"
answer = "number"
required = false
"""
"""A design whose questions are answered in four ways."""


def survey(organiser: User, folder: Path, text: str = SURVEY) -> Campaign:
    """A campaign by it, with what the demonstration has, in which people judge."""
    (folder / "survey.toml").write_text(text)
    call_command(
        *("load_campaign", str(ADHOC), "--track", str(folder / "survey.toml"), "--slug", "own"),
        *("--organiser", organiser.username), stdout=StringIO(), stderr=StringIO(),
    )  # fmt: skip
    Campaign.objects.update(state="judging")
    return Campaign.objects.get(slug="own")
