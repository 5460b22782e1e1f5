"""A campaign of ranked runs: two topics, three runs of two teams, and what its assessor says."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, uuid5

import pytest
from django.contrib.auth.models import User

from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Assignment, Campaign, Item, Judgment, Membership, Pool, Run
from assess.pools.domain.building import build_pool
from assess.pools.domain.strategy import Selection, make_selection
from assess.protocol import RunForm
from assess.runs.domain.submitting import submit_run
from tests import factories
from tests.remembered import remembered

RUNS = {
    "alp1": ("Alps", {"1": "abcdefgh", "2": "klmnopqr"}),
    "alp2": ("Alps", {"1": "acbhgfed", "2": "lkmnrqpo"}),
    "bay1": ("Bay", {"1": "xaybzcwd", "2": "stkulvmw"}),
}


@pytest.fixture
@remembered
def retrieval(organiser: User, settings: Any, tmp_path: Path) -> Campaign:
    """The campaign with its runs, before any pool."""
    settings.DATA_DIR = tmp_path
    made = Campaign.objects.create(slug="ranked", title="Ranked", track="adhoc", state=Campaign.State.JUDGING)
    Membership.objects.create(campaign=made, user=organiser, role="organiser")
    for number in ("1", "2"):
        factories.topic(made, number, f"Topic {number}", task="ranking", ordinal=int(number))
    for tag, (team, rankings) in RUNS.items():
        submit(made, organiser, tag, team, rankings)
    return made


def submit(campaign: Campaign, actor: User, tag: str, team: str, rankings: dict[str, str], *, score: str = "") -> Run:
    """A run that ranks for each topic the documents named by single letters; ``score`` is that of all of them."""
    lines = [
        f"{topic} Q0 D{letter} {rank} {score or 100 - rank} {tag}\n"
        for topic, letters in rankings.items()
        for rank, letter in enumerate(letters, 1)
    ]
    form = RunForm(tag=tag, team=team)
    stream = io.BytesIO("".join(lines).encode())
    run = submit_run(actor=actor, campaign=campaign, form=form, file=stream, file_name=f"{tag}.txt")
    assert run.state == "accepted", run.report
    return run


def build(campaign: Campaign, actor: User, *, drop_judged: bool = False, **values: Any) -> Pool:
    """A pool of the task by a strategy."""
    selection: Selection | None = make_selection(values)
    return build_pool(actor=actor, campaign=campaign, task="ranking", drop_judged=drop_judged, selection=selection)


def letters(pool: Pool, topic: str = "1") -> str:
    """The pooled documents of a topic by place, then name."""
    rows = pool.pool_items.filter(item__topic__number=topic).order_by("place", "item__key")
    return "".join(key[1:] for key in rows.values_list("item__key", flat=True))


def work(campaign: Campaign, topic: str, person: User, *, role: str = "primary") -> Assignment:
    """Grading the documents of a topic."""
    Membership.objects.get_or_create(campaign=campaign, user=person, role="assessor")
    return factories.assignment(campaign.topics.get(number=topic), "documents", person, role=role)


def grade(work: Assignment, letter: str, value: int | None, *, again: int = 0, seconds: float = 20) -> Judgment:
    """Say how relevant a document is."""
    said = JudgmentInput(
        item=Item.objects.get(topic=work.topic, key=f"D{letter}"),
        criterion="relevance",
        value=value,
        client_key=uuid5(NAMESPACE_OID, f"{work.pk} {letter} {value} {again}"),
        seconds=seconds,
    )
    return record_judgment(actor=work.assessor, assignment=work, judgment=said)


Committed = Callable[..., Any]
"""pytest-django's fixture that does what waits for the commit."""
