"""Recorded marks, finished items and votes are added many at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from assess.base.errors import BadFile
from assess.campaigns import grown_work
from assess.models import Campaign, Item, Topic
from assess.replay import replaying
from assess.replay.kept_lines import HeldLines
from assess.replay.replaying import Replayed, replay_lines
from assess.replay.session import ReplayLine
from nuggets.matches import record as marking
from nuggets.models import ItemReview, NuggetList, NuggetMatch, NuggetVote
from scoring.reading.opening import STOPPED
from scoring.release.recorded_acts import ListFrozen, Matched, NuggetWritten, RecordedAct, Reviewed, Voted
from tests import factories


def replay(campaign: Campaign, organiser: User, acts: list[RecordedAct], **people: User) -> Replayed:
    lines = HeldLines([ReplayLine(number, act) for number, act in enumerate(acts, start=1)])
    return replay_lines(actor=organiser, campaign=campaign, lines=lines, people=people, name="It")


def named(item: Item) -> dict[str, str]:
    return {"docno": item.docno, "answer": item.text, "topic": item.topic.number, "by": "ada"}


@pytest.fixture
def said(frozen: NuggetList, squishy: Topic, squishy_items: list[Item]) -> list[RecordedAct]:
    """Every nugget in every string, each string finished, a vote on every nugget."""
    marks = [Matched(**named(item), number=number) for number in (1, 2, 3) for item in squishy_items]
    votes = [Voted(by="ben", role="second", topic=squishy.number, number=n, importance="vital") for n in (1, 2, 3)]
    return [*marks, *(Reviewed(**named(item)) for item in squishy_items), *votes]


def test_a_further_person_costs_few_queries(
    campaign: Campaign, organiser: User, frozen: NuggetList, squishy: Topic, second_assessor: User
) -> None:
    people = {"ben": second_assessor} | {name: factories.member(campaign, name, "assessor") for name in ("cleo", "dan")}
    votes = [
        Voted(by=name, role="second", topic=squishy.number, number=number, importance="vital")
        for name in people
        for number in (1, 2, 3)
    ]
    numbers = []
    for some in (votes[:3], votes):
        with CaptureQueriesContext(connection) as sent, transaction.atomic():
            replay(campaign, organiser, list(some), **people)
            transaction.set_rollback(True)
        numbers.append(len(sent))
    assert (numbers[1] - numbers[0]) / 2 < 40


def test_marks_reviews_and_votes_are_added_many_at_once_and_again_not_at_all(
    campaign: Campaign, organiser: User, assessor: User, second_assessor: User, said: list[RecordedAct]
) -> None:
    with CaptureQueriesContext(connection) as sent:
        done = replay(campaign, organiser, said, ada=assessor, ben=second_assessor)
    tables = [model._meta.db_table for model in (NuggetMatch, ItemReview, NuggetVote)]
    added = Counter(table for each in sent for table in tables if f"{table} (" in (each["sql"] or ""))
    assert added == dict.fromkeys(tables, 1)
    rows = [model.objects.count() for model in (NuggetMatch, ItemReview, NuggetVote)]
    assert rows == [len([act for act in said if isinstance(act, kind)]) for kind in (Matched, Reviewed, Voted)]
    assert done.added >= sum(rows)
    with CaptureQueriesContext(connection) as sent:
        assert replay(campaign, organiser, said, ada=assessor, ben=second_assessor).added == 0
    assert len(sent) < 80


@pytest.mark.django_db(transaction=True)
def test_done_work_is_looked_at_again_only_where_there_was_some_before(
    campaign: Campaign,
    organiser: User,
    assessor: User,
    second_assessor: User,
    squishy: Topic,
    squishy_items: list[Item],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[set[int]] = []
    monkeypatch.setattr(grown_work, "_recheck_topics", lambda campaign, actor, topics: looked.append(topics))
    topic = squishy.number
    nugget = NuggetWritten(by="ada", topic=topic, number=1, importance="vital", text="cheap", sources=())
    marks = [Matched(**named(item), number=1) for item in squishy_items]
    acts = [nugget, ListFrozen(by="ada", topic=topic), *marks, *(Reviewed(**named(item)) for item in squishy_items)]
    replay(campaign, organiser, acts, ada=assessor)
    assert dict(campaign.assignments.values_list("stage", "state")) == {"nuggets": "done", "matches": "done"}
    assert looked == []
    vote = Voted(by="ben", role="second", topic=topic, number=1, importance="vital")
    replay(campaign, organiser, [vote], ben=second_assessor)
    assert looked == [{squishy.pk}]


def test_a_rule_about_marks_or_votes_holds_for_many_at_once_too(
    campaign: Campaign,
    organiser: User,
    assessor: User,
    second_assessor: User,
    said: list[RecordedAct],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A rule stands at one place, `check_mark` or `check_vote`, and a new one there is asked by imports, too."""
    monkeypatch.setattr(marking, "PART_LIMIT", -1)
    votes = SimpleNamespace(Importance=SimpleNamespace(values=["okay"]))
    monkeypatch.setattr("nuggets.votes.record.Nugget", votes)
    with pytest.raises(BadFile) as refused:
        replay(campaign, organiser, said, ada=assessor, ben=second_assessor)
    told = [issue.message for issue in refused.value.issues]
    assert told[0].startswith(f"{len([act for act in said if isinstance(act, Matched)])} lines: 0 is no part.")
    assert told[1:] == ["vital is no vote. Vote vital or okay."] * 3
    assert not NuggetMatch.objects.exists() and not NuggetVote.objects.exists()


@pytest.fixture
def done_work(
    campaign: Campaign, organiser: User, assessor: User, second_assessor: User, said: list[RecordedAct]
) -> None:
    replay(campaign, organiser, said, ada=assessor, ben=second_assessor)
    assert set(campaign.assignments.values_list("stage", "state")) >= {("matches", "done"), ("votes", "done")}


def test_new_lines_for_done_work_are_refused_together_and_those_that_are_there_are_not(
    campaign: Campaign,
    organiser: User,
    assessor: User,
    second_assessor: User,
    said: list[RecordedAct],
    done_work: None,
) -> None:
    marks = [replace(act, quote="squishy") for act in said if isinstance(act, Matched)]
    votes = [replace(act, importance="okay") for act in said if isinstance(act, Voted)]
    with CaptureQueriesContext(connection) as sent, pytest.raises(BadFile) as refused:
        replay(campaign, organiser, [*said, *marks, *votes], ada=assessor, ben=second_assessor)
    assert refused.value.total == len(marks) + len(votes)
    assert all("marked as done" in issue.message for issue in refused.value.issues)
    assert int(refused.value.issues[0].where) == len(said) + 1
    assert len(sent) < 60


def test_a_file_of_which_very_much_is_refused_is_tried_no_further(
    campaign: Campaign,
    organiser: User,
    assessor: User,
    second_assessor: User,
    said: list[RecordedAct],
    done_work: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replaying, "AT_ONCE", 2)
    monkeypatch.setattr(replaying, "AT_MOST", 4)
    monkeypatch.setattr(replaying, "TOO_MANY", {"error": 3})
    marks = [replace(act, quote="squishy") for act in said if isinstance(act, Matched)]
    with pytest.raises(BadFile) as refused:
        replay(campaign, organiser, marks, ada=assessor, ben=second_assessor)
    assert refused.value.total < len(marks)
    last = next(issue for issue in refused.value.issues if issue.code == STOPPED)
    assert last.message.startswith(f"So many of the {len(marks)} lines are refused that the rest was not tried.")


def test_a_trial_of_work_that_was_begun_adds_no_row(
    campaign: Campaign,
    organiser: User,
    assessor: User,
    second_assessor: User,
    said: list[RecordedAct],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of the topic there are records (its frozen list); one line is refused, so all there is is the trial."""
    monkeypatch.setattr(replaying, "AT_ONCE", 2)
    monkeypatch.setattr(replaying, "PART", 4)
    wrong = Voted(by="ben", role="second", topic=said[0].topic, number=99, importance="vital")
    with CaptureQueriesContext(connection) as sent, pytest.raises(BadFile) as refused:
        replay(campaign, organiser, [*said, wrong], ada=assessor, ben=second_assessor)
    assert [issue.where for issue in refused.value.issues] == [len(said) + 1]
    tables = [model._meta.db_table for model in (NuggetMatch, ItemReview)]
    assert not [each for each in sent if any(f"{table} (" in (each["sql"] or "") for table in tables)]
