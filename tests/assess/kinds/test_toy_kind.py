"""A kind of work is one folder: a toy kind, put into a package of its own, is played from assigning to importing.

The folder is `ticks`, beside this file; it is copied, so that nothing of the site can know its name.
"""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import clear_url_caches, reverse

from assess.adjudication.domain import decide
from assess.adjudication.queries.disagreements import disputed_questions
from assess.analysis.domain.agreement import pairs_in
from assess.analysis.domain.kept_agreement import compare_judges
from assess.assignments.domain.assignments import create_assignment
from assess.assignments.queries.work_items import handle_of
from assess.exports.writing import export_lines, find_export
from assess.judging.snapshots import Snapshot
from assess.kinds.base import kinds
from assess.kinds.opinions import Decision
from assess.kinds.trace import find_trace
from assess.models import Assignment, Campaign, Judgment, Membership
from assess.organising.domain import change_state
from assess.pools.domain.building import build_pool
from assess.protocol import Export, Stage
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from scoring.formats.judgments_jsonl import read_judgments, write_judgments
from scoring.release.explained import About
from tests import factories
from tests.assess import judged_campaign as judging
from tests.assess.kinds.ticks.options import Ticking
from tests.assess.toy_track import TRACK, TURN
from tests.pages import page_of
from tests.unpacked import unpack_release

pytestmark = pytest.mark.django_db

NAME = "ticks_of_somebody"
LISTED = f"""from assay_site.kinds import KINDS as OURS
from {NAME}.kind import KIND

KINDS = (*OURS, KIND)
"""
SAID = {"s1": "It has a kitchen.", "s2": "The sea is near.", "s3": "Dogs may come."}
STAGE = Stage(key="tick", label="Tick statements", work=Ticking(), help="Tick what matters.", item_kind="statement")
TRACKS = (
    replace(
        TRACK,
        tasks=(replace(TURN, stages=(STAGE,)),),
        exports=(
            *TRACK.exports,
            Export(
                name="ticks.txt",
                label="Ticks",
                collect="ticks",
                write=lambda records: (f"{topic} {key} {value}" for topic, key, value in records),
                read=lambda file: iter(()),
            ),
            Export(
                name="judgments.jsonl",
                label="Everything",
                collect="everything",
                write=write_judgments,
                read=read_judgments,
            ),
        ),
    ),
)


@pytest.fixture
def ticks(settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The site is started with a list of kinds that has one more, from a folder of the test."""
    shutil.copytree(Path(__file__).parent / "ticks", tmp_path / "path" / NAME)
    (tmp_path / "path" / "listed_kinds.py").write_text(LISTED)
    monkeypatch.syspath_prepend(tmp_path / "path")
    settings.ASSAY_KINDS = "listed_kinds.KINDS"
    settings.ASSAY_TRACKS = f"{__name__}.TRACKS"
    settings.DATA_DIR = tmp_path / "data"
    _begin_anew()
    yield
    for name in [name for name in sys.modules if name.split(".")[0] in (NAME, "listed_kinds")]:
        del sys.modules[name]
    monkeypatch.undo()
    settings.ASSAY_KINDS = "assay_site.kinds.KINDS"
    _begin_anew()


def _begin_anew() -> None:
    """Read the lists of tracks, kinds and addresses again, as a site does when it starts."""
    kinds.cache_clear()
    importlib.reload(importlib.import_module("assay_site.urls"))
    clear_url_caches()


@pytest.fixture
def campaign(ticks: None, organiser: User) -> Campaign:
    made = Campaign.objects.create(slug="toy", title="Toy", track="toy", state=Campaign.State.SETUP)
    Membership.objects.create(campaign=made, user=organiser, role="organiser")
    topic = factories.topic(made, "1", "A trip", task="turn")
    topic.fields = {"statements": SAID}
    topic.save()
    build_pool(actor=organiser, campaign=made, task="turn")
    return change_state(actor=organiser, campaign=made, state=Campaign.State.JUDGING)


def work_of(campaign: Campaign, organiser: User, name: str, role: str) -> Assignment:
    person = factories.member(campaign, name, "assessor")
    topic = campaign.topics.get(number="1")
    return create_assignment(actor=organiser, campaign=campaign, topic=topic, stage="tick", assessor=person, role=role)


def tick_all(client: Client, work: Assignment, **values: int) -> str:
    """Do the work in the browser: open it, tick, say that it is done; what the bench showed at last."""
    client.force_login(work.assessor)
    bench = reverse("workbench", args=["toy", work.pk])
    assert page_of(client.get(bench)).count(": open</p>") == len(SAID)
    for key, value in values.items():
        item = handle_of(work, work.topic.items.get(key=key).pk)
        sent = {"item": item, "value": value, "client_key": str(judging.key(work.pk, key))}
        assert client.post(reverse("ticks-tick", args=["toy", work.pk]), sent).status_code == 200
    shown = client.get(bench).content.decode()
    client.post(reverse("work-done", args=["toy", work.pk]))
    return shown


@pytest.fixture
def ticked(campaign: Campaign, organiser: User, client: Client) -> Campaign:
    """Two people ticked the same three statements and differ on one; an adjudicator agreed with the second."""
    first = work_of(campaign, organiser, "amy", "primary")
    second = work_of(campaign, organiser, "zoe", "second")
    assert tick_all(client, first, s1=1, s2=0, s3=1).count(": 1</p>") == 2
    assert tick_all(client, second, s1=1, s2=1, s3=1).count(": 1</p>") == 3
    assert set(campaign.assignments.values_list("state", flat=True)) == {"done"}
    settler = factories.member(campaign, "settler", "adjudicator")
    (question,) = disputed_questions(campaign, settler)
    assert (question.criterion.question, question.total, question.decided) == ("Does it matter?", 1, 0)
    item = first.topic.items.get(key="s2")
    decision = Decision(thing=str(item.pk), criterion="tick", value=1, client_key=judging.key("settled"))
    decide(actor=settler, campaign=campaign, stage=question.stage, decision=decision)
    return campaign


def lines(campaign: Campaign, name: str) -> list[str]:
    export = find_export(campaign, name)
    assert export is not None
    return [line.rstrip("\n") for line in export_lines(Snapshot(campaign), export)]


def test_work_that_is_not_ticked_is_not_done(campaign: Campaign, organiser: User, client: Client) -> None:
    work = work_of(campaign, organiser, "amy", "primary")
    tick_all(client, work, s1=1)
    work.refresh_from_db()
    assert work.state == "started"
    page = page_of(client.get(reverse("work", args=["toy"])))
    assert "1 of 3" in page


def test_ticks_are_exported_compared_and_traced(ticked: Campaign) -> None:
    assert lines(ticked, "ticks.txt") == ["1 s1 1", "1 s2 1", "1 s3 1"]
    assert len(lines(ticked, "judgments.jsonl")) == 7
    found = compare_judges(Snapshot(ticked), stage="tick", criterion="tick", judges=["primary", "second"])
    assert [question.label for question in [found.question]] == ["Tick statements: does it matter?"]
    assert found.found.patterns == {"1": {(1, 1): 2, (0, 1): 1}}
    both = [*pairs_in(found, 0, 1, values=(1, 1)), *pairs_in(found, 0, 1)]
    assert [(*each.thing, each.first, each.second) for each in both] == [
        ("1", "statement:s1", 1, 1),
        ("1", "statement:s3", 1, 1),
        ("1", "statement:s2", 0, 1),
    ]
    about = About(kind="tick", topic="1", key="s2", name="statement")
    thing = find_trace(Snapshot(ticked), about, run=None)
    assert thing is not None
    assert [(said.assessor, said.last.value) for said in thing.said] == [("amy", "0"), ("zoe", "1"), ("settler", "1")]


def test_a_release_of_ticks_loads_again_with_the_same_exports(
    ticked: Campaign, organiser: User, tmp_path: Path
) -> None:
    change_state(actor=organiser, campaign=ticked, state=Campaign.State.FROZEN)
    folder = tmp_path / "release"
    unpack_release(make_release(actor=organiser, campaign=ticked), folder)
    copy = import_release(actor=organiser, path=folder, slug="copy")
    assert Judgment.objects.filter(assignment__campaign=copy, criterion="tick").count() == 7
    for name in ("ticks.txt", "judgments.jsonl"):
        assert lines(copy, name) == lines(ticked, name)


def test_the_site_without_the_kind_knows_nothing_of_it() -> None:
    assert "ticks" not in kinds()
