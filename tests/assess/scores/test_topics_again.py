"""After a judgment only its topic is scored again, of rankings that were kept by topic, and all comes out the same."""

from __future__ import annotations

import gc
import io
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client

from assess.base.errors import NotFound
from assess.base.files import stored_path
from assess.judging.snapshots import Snapshot
from assess.models import Campaign, Judgment, Run
from assess.protocol import RunContent, RunForm
from assess.runs.domain.submitting import submit_run
from assess.scores import by_topic, domain, states
from assess.scores.domain import explain_score, score_campaign
from nuggets.models import NuggetList
from tests import factories
from tests.assess import judged_campaign as judging
from tests.remembered import remembered
from tests.tracks import track_folder
from tracks import ADHOC
from tracks.tac2008_qa import TRACK as TAC2008_QA
from tracks.tac2008_qa import scores as tac_scores

pytestmark = pytest.mark.django_db


@pytest.fixture
@remembered
def replayed(organiser: User, settings: Any, tmp_path: Path) -> Campaign:
    """An ad hoc campaign, judged."""
    settings.DATA_DIR = tmp_path
    campaign = track_folder.load(ADHOC, organiser=organiser, slug="hives")
    track_folder.replay(campaign, organiser=organiser, content=track_folder.recorded(ADHOC))
    return campaign


@pytest.fixture
def hives(replayed: Campaign, monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """That campaign, scored once."""
    monkeypatch.setattr(states, "FEW", 1)
    score_campaign(Snapshot(replayed))
    return replayed


def say(campaign: Campaign, value: int | None) -> Judgment:
    """The author of a topic says another grade of the document judged last."""
    last = Judgment.objects.filter(assignment__campaign=campaign, assignment__role="primary").latest("id")
    row = Judgment(
        item=last.item,
        criterion=last.criterion,
        value=value,
        assessor=last.assessor,
        assignment=last.assignment,
        client_key=uuid4(),
        how="key",
    )
    row.save()
    return row


def whole(campaign: Campaign, folder: Path) -> tuple[Any, ...]:
    """What comes out where nothing was kept."""
    for kept in ("scores", "rankings"):
        shutil.rmtree(folder / kept)
    return score_campaign(Snapshot(campaign)).scores


@pytest.mark.parametrize("value", [0, 1, None])
def test_a_judgment_has_its_topic_scored_again_alone(
    hives: Campaign, value: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = score_campaign(Snapshot(hives)).scores
    topic = say(hives, value).item.topic.number
    with monkeypatch.context() as patch:
        patch.setattr(domain, "_of_all_topics", lambda *rest: pytest.fail("every topic was scored again"))
        found = score_campaign(Snapshot(hives)).scores
    changed = {new.topic for old, new in zip(before, found, strict=True) if old != new}
    assert changed <= {topic, "all"} and (changed or value == 1)
    assert found == whole(hives, tmp_path)


def test_a_topic_that_nobody_judges_any_more_is_left_out_of_all(hives: Campaign, tmp_path: Path) -> None:
    topic = say(hives, 0).item.topic
    for judged in Judgment.objects.filter(item__topic=topic, assignment__role="primary"):
        Judgment(
            item=judged.item, criterion=judged.criterion, value=None, assessor=judged.assessor,
            assignment=judged.assignment, client_key=uuid4(), how="key",
        ).save()  # fmt: skip
    found = score_campaign(Snapshot(hives)).scores
    assert topic.number not in {score.topic for score in found}
    assert found == whole(hives, tmp_path)


def test_rankings_are_read_from_the_runs_once(hives: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = score_campaign(Snapshot(hives)).scores
    kept = [path for path in (tmp_path / "rankings").rglob("*") if path.is_file()]
    assert len(kept) == hives.runs.filter(state="accepted").count()
    kept[0].write_bytes(b"damaged")
    (tmp_path / "rankings" / "older").mkdir()
    shutil.rmtree(tmp_path / "scores")
    assert score_campaign(Snapshot(hives)).scores == before
    assert kept[0].read_bytes() != b"damaged"
    run = hives.runs.filter(state="accepted").first()
    assert run is not None
    stored_path(run.file).unlink()
    (issue,) = [each for each in score_campaign(Snapshot(hives)).issues if each.code == "score-failed"]
    assert run.tag in issue.message


def test_what_a_run_ranks_is_kept_when_it_is_accepted(
    hives: Campaign,
    organiser: User,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    def submit(tag: str) -> Run:
        form, file = RunForm(tag=tag, team="Late"), io.BytesIO(f"1 Q0 HIVE-01 1 2 {tag}\n".encode())
        with django_capture_on_commit_callbacks(execute=True):  # as by command, and small files by page and API
            return submit_run(actor=organiser, campaign=hives, form=form, file=file, file_name="late.txt")

    def kept(run: Run) -> int:
        return len(list((tmp_path / "rankings").rglob(f"{run.file}-*")))

    def fail(*content: Any) -> None:
        raise OSError("a run's file was read again")

    run = submit("Late1")
    monkeypatch.setattr(RunContent, "rankings", fail)
    found = score_campaign(Snapshot(hives))
    assert (kept(run), run.tag in found.runs) == (1, True)
    assert [issue for issue in found.issues if issue.code == "score-failed"] == []
    run = submit("Late2")
    assert (kept(run), run.state) == (0, "accepted")


def test_every_explanation_is_that_of_all_grades_together(hives: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    found = score_campaign(Snapshot(hives))
    run = found.runs[0]
    asked = {(score.topic, score.measure) for score in found.scores if score.run == run}
    alone = {place: explain_score(Snapshot(hives), run, *place) for place in asked}
    track = replace(ADHOC, scoring=replace(ADHOC.scoring, by_topic=None))
    for module in (domain, states):
        monkeypatch.setattr(module, "track_of", lambda campaign: track)
    assert alone == {place: explain_score(Snapshot(hives), run, *place) for place in asked}
    with pytest.raises(NotFound):
        explain_score(Snapshot(hives), run, "all", "nothing")


@pytest.fixture
@remembered
def opinions(campaign: Campaign, organiser: User, assessor: User, settings: Any, tmp_path: Path) -> Campaign:
    """A campaign whose scores are fractions, of questions in series: one with answers, one with a list of nuggets."""
    settings.DATA_DIR = tmp_path
    judging.submit(campaign, organiser, "Amber1", judging.AMBER)
    judging.submit(campaign, organiser, "Basil1", judging.BASIL)
    judging.pool_all(campaign, organiser)
    grading = judging.work(campaign, "1.1", "instances", assessor)
    for text, value in [("blue", 1), ("red", -1)]:
        judging.judge(grading, text, value)
    judging.group(judging.work(campaign, "1.1", "classes", assessor), "blue", "blue")
    frozen = judging.write_list(judging.work(campaign, "1.2", "nuggets", assessor), cheap="vital", frail="okay")
    judging.mark(judging.work(campaign, "1.2", "matches", assessor), frozen, 1, judging.CHEAP)
    return campaign


def test_a_question_is_scored_and_explained_by_itself_and_what_is_over_it_exactly(
    opinions: Campaign, second_assessor: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states, "FEW", 1)
    before = score_campaign(Snapshot(opinions)).scores
    frozen = NuggetList.objects.get(topic__number="1.2")
    voting = judging.work(opinions, "1.2", "votes", second_assessor, role="second")
    for number in (1, 2):
        judging.vote(voting, frozen, number, "vital")
    with monkeypatch.context() as patch:
        patch.setattr(domain, "_of_all_topics", lambda *rest: pytest.fail("every topic was scored again"))
        found = score_campaign(Snapshot(opinions)).scores
    assert {new.topic for old, new in zip(before, found, strict=True) if old != new} == {"1.2", "1", "all"}
    shutil.rmtree(tmp_path / "scores")
    assert found == score_campaign(Snapshot(opinions)).scores
    asked = [(score.run, score.topic, score.measure) for score in found if score.topic in ("1.1", "1.2", "1", "all")]
    alone = [explain_score(Snapshot(opinions), *place) for place in asked]
    track = replace(TAC2008_QA, scoring=replace(TAC2008_QA.scoring, by_topic=None))
    for module in (domain, states):
        monkeypatch.setattr(module, "track_of", lambda campaign: track)
    assert alone == [explain_score(Snapshot(opinions), *place) for place in asked]


@pytest.fixture
def series_made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The targets whose series were made, one entry a run."""
    made: list[str] = []
    make = tac_scores._series_nodes
    monkeypatch.setattr(
        tac_scores, "_series_nodes", lambda target, *rest: (made.append(target), make(target, *rest))[1]
    )
    return made


@pytest.mark.parametrize("is_kept", [True, False], ids=["kept", "too-long-to-be-kept"])
def test_only_the_series_of_a_question_is_made_again(
    opinions: Campaign,
    series_made: list[str],
    is_kept: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(states, "FEW", 1)
    target = factories.topic(opinions, "2", "Velora trams", task="")
    factories.topic(opinions, "2.1", "Which lines do people like?", task="rigid", parent=target, ordinal=1)
    if not is_kept:
        monkeypatch.setattr(by_topic, "is_short", lambda value: False)
    before = score_campaign(Snapshot(opinions)).scores
    every = series_made.copy()
    series_made.clear()
    judging.judge(opinions.assignments.get(topic__number="1.1", stage="instances"), "blue", -1)
    found = score_campaign(Snapshot(opinions)).scores
    assert (every, series_made) == (["1", "2"] * 2, ["1"] * 2 if is_kept else every)
    shutil.rmtree(tmp_path / "scores")
    assert before != found == score_campaign(Snapshot(opinions)).scores


def test_scores_are_computed_without_the_collector_of_cycles(
    opinions: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    compute, seen = domain._of_all_topics, []
    monkeypatch.setattr(domain, "_of_all_topics", lambda *rest: (seen.append(gc.isenabled()), compute(*rest))[1])
    score_campaign(Snapshot(opinions))
    assert (seen, gc.isenabled()) == ([False], True)


def test_lengths_of_strings_are_read_from_the_runs_once(
    opinions: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = score_campaign(Snapshot(opinions)).scores
    kept = sorted((tmp_path / "rankings").rglob("*-lengths"))
    assert len(kept) == 2
    kept[0].write_bytes(b"damaged")
    shutil.rmtree(tmp_path / "scores")
    assert score_campaign(Snapshot(opinions)).scores == before
    assert kept[0].read_bytes() != b"damaged"
    shutil.rmtree(tmp_path / "scores")
    monkeypatch.setattr(RunContent, "lengths", lambda content: pytest.fail("a run's file was read again"))
    monkeypatch.setattr(RunContent, "segments", lambda content: pytest.fail("a run's file was read again"))
    assert score_campaign(Snapshot(opinions)).scores == before


def test_a_run_of_other_ids_is_named_beside_its_values(hives: Campaign, organiser: User, client: Client) -> None:
    assert [issue.code for issue in score_campaign(Snapshot(hives)).issues if issue.code == "none-judged"] == []
    lines = "1 Q0 BREAD-04 1 2 Strange1\n3 Q0 HIVE-01 1 2 Strange1\n"
    form = RunForm(tag="Strange1", team="Strange")
    file = io.BytesIO(lines.encode())
    submit_run(actor=organiser, campaign=hives, form=form, file=file, file_name="strange.txt")
    (issue,) = [issue for issue in score_campaign(Snapshot(hives)).issues if issue.code == "none-judged"]
    expected = "No document of Strange1 is judged: are these the same ids? For topic 1 the run has BREAD-04, and the "
    assert (issue.severity, issue.message[: len(expected)]) == ("warning", expected)
    client.force_login(organiser)
    assert "No document of Strange1 is judged" in client.get(f"/c/{hives.slug}/scores/").content.decode()
