"""The recorded judgments of the demonstration: replayed, their work handed over, loaded again elsewhere."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection
from pytest_django import DjangoDbBlocker

from assess.assignments.domain.assignments import finish_assignment, open_assignment, reopen_assignment
from assess.assignments.queries.pseudonyms import pseudonyms
from assess.base.errors import BadFile
from assess.campaigns.queries import ledger_point
from assess.judging.snapshots import Snapshot
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Activity, Assignment, Campaign, Judgment
from assess.organising.domain import change_state
from assess.protocol import Track
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from assess.replay import replaying
from assess.replay.replaying import import_judgments
from assess.scores.domain import score_campaign
from assess.scores.states import CampaignScores
from assess.work.domain import hand_over
from nuggets.models import Nugget, NuggetMatch, NuggetVote
from nuggets.votes.record import record_vote
from nuggets.writing.counting_lists import list_for
from nuggets.writing.lists import finish_frozen, freeze_list, start_list
from nuggets.writing.record import edit_nugget
from tests import factories
from tests.nuggets.keys import key
from tests.parts import WHOLE
from tests.tracks import track_folder
from tests.tracks.conftest import Judged
from tests.unpacked import unpack_release
from tracks.aquaint_definition import TRACK as AQUAINT
from tracks.rag_nuggets import TRACK as RAG_NUGGETS
from tracks.tac2008_qa import TRACK as TAC2008_QA

pytestmark = pytest.mark.usefixtures("scratch")


def judged_in(track: Track) -> pytest.MarkDecorator:
    """A test of the campaign of this track alone."""
    return pytest.mark.parametrize("judged", [pytest.param(track, id=track.key)], indirect=True)


of_tac = judged_in(TAC2008_QA)


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for the whole module, since `judged` takes seconds; it takes its rows back itself."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture
def campaign(judged: Judged) -> Campaign:
    """As the database has it: its state is changed here."""
    return Campaign.objects.get(pk=judged.campaign.pk)


@pytest.fixture
def organiser(judged: Judged) -> User:
    return judged.organiser


def is_taken(topic: str) -> bool:
    """Whether what was said of a topic is loaded elsewhere: of three series in eight, in `make test-all` of all."""
    return WHOLE or topic.partition(".")[0] in ("1", "5", "6")


def judge_otherwise(work: Assignment, person: User) -> None:
    """Say that something is wrong that was correct."""
    item = work.topic.items.filter(judgments__value=1, pool_items__isnull=False).order_by("id").first()
    assert item is not None
    said = JudgmentInput(item=item, criterion="correctness", value=-1, client_key=key("wrong after all"))
    record_judgment(actor=person, assignment=work, judgment=said)


def vote_otherwise(work: Assignment, earlier: Assignment, person: User) -> None:
    nugget = Nugget.objects.filter(votes__assignment=earlier).order_by("id").first()
    assert nugget is not None
    other = "okay" if nugget.votes.get(assignment=earlier).importance == "vital" else "vital"
    record_vote(actor=person, assignment=work, nugget=nugget, importance=other, client_key=key("another vote"))


@of_tac
def test_replay_marked_work_done_and_said_what_it_added(campaign: Campaign, organiser: User) -> None:
    said = [json.loads(line)["do"] for line in track_folder.recorded(TAC2008_QA).splitlines()]
    stored = [Judgment.objects.filter(assignment__stage="instances"), NuggetMatch.objects, NuggetVote.objects]
    assert [rows.count() for rows in stored] == [said.count(verb) for verb in ("judge", "match", "vote")]
    states = campaign.assignments.values_list("topic__number", "stage", "state")
    assert {(topic, stage) for topic, stage, state in states if state != "done"} == {
        ("5.1", "instances"),
        ("6.3", "nuggets"),
    }
    activities = list(Activity.objects.filter(action="judgments.import", campaign=campaign))  # one a transaction
    assert {activity.actor for activity in activities} == {organiser}
    lines, rows = (sum(activity.data[name] for activity in activities) for name in ("lines", "rows"))
    assert lines == len(said) < rows


@of_tac
def test_all_counts_the_same_before_and_after_handing_over_and_elsewhere(
    judged: Judged, campaign: Campaign, organiser: User
) -> None:
    scores = score_campaign(Snapshot(campaign))
    new = factories.member(campaign, "newcomer", "assessor")
    onward: dict[str, Assignment] = {}
    for work in list(campaign.assignments.exclude(state="returned").select_related("topic", "assessor")):
        work.campaign = campaign
        if work.stage not in onward:
            onward[work.stage] = hand_over(actor=organiser, assignment=work, to=new)
    assert set(onward) == {"instances", "classes", "nuggets", "matches", "votes"}
    assert track_folder.exported(campaign, organiser=organiser) == judged.files

    judge_otherwise(open_assignment(actor=new, assignment=onward["instances"]), new)
    changed = track_folder.exported(campaign, organiser=organiser)["judgments.jsonl"]
    assert changed != judged.files["judgments.jsonl"]
    other = track_folder.load(TAC2008_QA, organiser=organiser, slug="elsewhere")
    people = {name: User.objects.get(pk=pk) for pk, name in pseudonyms(campaign).items()}
    for user in people.values():
        other.memberships.get_or_create(user=user, role="assessor")
    lines = changed.splitlines(keepends=True)
    taken = b"".join(line for line in lines if is_taken(json.loads(line)["topic"]))
    import_judgments(actor=organiser, campaign=other, stream=io.BytesIO(taken), people=people)
    here, there = (as_of_any(score_campaign(Snapshot(each))) for each in (campaign, other))
    assert there == here != as_of_any(scores)
    again = ledger_point(other)
    import_judgments(actor=organiser, campaign=other, stream=io.BytesIO(taken), people=people)
    assert ledger_point(other) == again

    author = pseudonyms(campaign)[onward["instances"].taken_over.assessor_id]
    said = next(
        line for line in taken.splitlines() if b'"criterion": "correctness"' in line and author.encode() in line
    )
    later = json.dumps(json.loads(said) | {"note": "Looked at once more."}).encode()
    with pytest.raises(BadFile) as refused:  # their work is another's by now
        import_judgments(actor=organiser, campaign=other, stream=io.BytesIO(later), people=people)
    assert [issue.message for issue in refused.value.issues] == [
        "This work was given back, so nothing more is judged in it. What you judged before that is kept."
    ]


@judged_in(RAG_NUGGETS)  # the smallest in which nuggets are matched
def test_a_trial_adds_no_marks_and_finds_what_is_refused(
    judged: Judged, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaying, "AT_ONCE", 1)
    content = track_folder.recorded(judged.track)
    other = track_folder.load(judged.track, organiser=organiser, slug="in-pieces")
    people = track_folder.judges(other, organiser=organiser, content=content)
    said = [json.loads(line) for line in content.splitlines()]
    mark = next(each for each in reversed(said) if each["do"] == "match")
    bad = content + json.dumps(mark | {"number": 99}).encode()
    added: list[str] = []

    def look(execute: Callable[..., object], sql: str, *rest: object) -> object:
        if f"INTO {NuggetMatch._meta.db_table} (" in sql:
            added.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(look), pytest.raises(BadFile) as refused:
        import_judgments(actor=organiser, campaign=other, stream=io.BytesIO(bad), people=people)
    assert [issue.where for issue in refused.value.issues] == [len(said) + 1]
    assert added == []
    assert not other.assignments.exists()

    with connection.execute_wrapper(look):
        import_judgments(actor=organiser, campaign=other, stream=io.BytesIO(content), people=people)
    if connection.vendor == "sqlite":  # PostgreSQL adds them by COPY, which nothing sees here
        assert len(added) == len({(each["topic"], each["by"]) for each in said if each["do"] == "match"})
    assert track_folder.exported(other, organiser=organiser) == judged.files


def as_of_any(scores: CampaignScores) -> tuple[object, ...]:
    """The scores without the point that they are of: each campaign has its own."""
    return scores.runs, [each for each in scores.scores if is_taken(each.topic)], scores.issues


@of_tac
def test_whose_words_count_is_the_same_where_the_release_is_loaded(
    campaign: Campaign, organiser: User, tmp_path: Path
) -> None:
    new = factories.member(campaign, "newcomer", "assessor")
    for stage in ("instances", "votes", "matches"):
        work = campaign.assignments.exclude(state="returned").filter(stage=stage).order_by("id").first()
        assert work is not None
        work.campaign = campaign
        onward = open_assignment(actor=new, assignment=hand_over(actor=organiser, assignment=work, to=new))
        if stage == "instances":
            judge_otherwise(onward, new)
        if stage == "votes":
            vote_otherwise(onward, work, new)
        finish_assignment(actor=new, assignment=onward)
    assert campaign.assignments.filter(taken_over__isnull=False).count() == 3
    change_state(actor=organiser, campaign=campaign, state="frozen")
    unpack_release(make_release(actor=organiser, campaign=campaign), tmp_path / "release")
    copy = import_release(actor=organiser, path=tmp_path / "release", slug="copy")
    copied = track_folder.exported(copy, organiser=organiser)
    assert copied == {path.name: path.read_bytes() for path in (tmp_path / "release" / "exports").iterdir()}


@judged_in(AQUAINT)
def test_own_lists_that_were_handed_over_and_reworded_are_in_a_release_as_they_count(
    campaign: Campaign, organiser: User, tmp_path: Path
) -> None:
    """What was marked on words that are gone is left out, with the list of whoever handed it over."""
    new = factories.member(campaign, "newcomer", "assessor")

    def onward(stage: str) -> Assignment:
        works = campaign.assignments.filter(topic__number="1", stage=stage, role="primary").exclude(state="returned")
        work = works.select_related("topic", "assessor").get()
        work.campaign = campaign
        reopen_assignment(actor=organiser, assignment=work)
        return open_assignment(actor=new, assignment=hand_over(actor=organiser, assignment=work, to=new))

    matching = campaign.assignments.get(topic__number="1", stage="matches", role="primary")
    draft = start_list(actor=new, assignment=onward("nuggets"))
    marked = NuggetMatch.objects.filter(assignment=matching, value="full").earliest("id").nugget.number
    edit_nugget(actor=new, nugget_list=draft, number=marked, text="quite other words", client_key=key("e"))
    frozen = freeze_list(actor=new, nugget_list=draft, client_key=key("f"), without_vital=True)
    finish_frozen(actor=new, nugget_list=frozen)
    assert list_for(matching) == list_for(onward("matches")) == frozen
    change_state(actor=organiser, campaign=campaign, state="frozen")
    unpack_release(make_release(actor=organiser, campaign=campaign), tmp_path / "release")
    said = [json.loads(line) for line in (tmp_path / "release/exports/judgments.jsonl").read_text().splitlines()]
    marks = [act["nugget"] for act in said if act["do"] == "match" and act["topic"] == "1" and "role" not in act]
    assert marks and str(marked) not in marks
    copy = import_release(actor=organiser, path=tmp_path / "release", slug="copy")
    copied = track_folder.exported(copy, organiser=organiser)
    assert copied == {path.name: path.read_bytes() for path in (tmp_path / "release" / "exports").iterdir()}
