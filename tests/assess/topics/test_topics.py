"""Loading topics: whole or not at all, again without effect, and never over people's work."""

from __future__ import annotations

import io

import pytest
from django.contrib.auth.models import User

from assess.base.errors import BadFile, Conflict, Invalid
from assess.models import Activity, Assignment, Campaign, Topic
from assess.topics.domain import loading
from assess.topics.domain.loading import LoadedTopics, load_topics
from assess.topics.queries import judged_topics, topic_records
from tests import factories
from tests.assess.topics.series_files import SECOND, SERIES

pytestmark = pytest.mark.django_db


@pytest.fixture
def empty(organiser: User) -> Campaign:
    return Campaign.objects.create(slug="empty", title="Empty", track="tac2008-qa")


def load(campaign: Campaign, actor: User, text: str, key: str = "questions") -> LoadedTopics:
    return load_topics(
        actor=actor, campaign=campaign, file_key=key, stream=io.BytesIO(text.encode()), name="questions.xml"
    )


def rows(campaign: Campaign) -> list[tuple[str, str, str, str | None, int]]:
    return [
        (topic.number, topic.task, topic.text, topic.parent and topic.parent.number, topic.ordinal)
        for topic in campaign.topics.order_by("id").select_related("parent")
    ]


def test_targets_and_questions_become_topics(empty: Campaign, organiser: User) -> None:
    loaded = load(empty, organiser, SERIES.format(more=SECOND))
    assert (loaded.added, loaded.changed, loaded.unchanged, loaded.kept) == (6, 0, 0, 0)
    assert rows(empty) == [
        ("1", "", "Velora bicycles", None, 1),
        ("1.1", "rigid", "Which colours do people like?", "1", 1),
        ("1.2", "squishy", "What do people say about them?", "1", 2),
        ("2", "", "Trains", None, 2),
        ("2.1", "rigid", "Which lines are liked?", "2", 1),
        ("2.2", "squishy", "What do people say?", "2", 2),
    ]
    assert [record.number for record in topic_records(empty)] == ["1", "1.1", "1.2", "2", "2.1", "2.2"]
    assert [topic.number for topic in judged_topics(empty)] == ["1.1", "1.2", "2.1", "2.2"]


def test_the_same_file_again_changes_nothing(empty: Campaign, organiser: User) -> None:
    load(empty, organiser, SERIES.format(more=""))
    before, activities = rows(empty), Activity.objects.count()
    loaded = load(empty, organiser, SERIES.format(more=""))
    assert (loaded.added, loaded.changed, loaded.unchanged) == (0, 0, 3)
    assert rows(empty) == before
    assert Activity.objects.count() == activities


def test_any_error_stores_nothing_and_all_are_counted(empty: Campaign, organiser: User) -> None:
    wrong = "".join(f'<q id="3.{n}" type="Long">x</q>' for n in range(1, 41))
    with pytest.raises(BadFile) as refusal:
        load(empty, organiser, SERIES.format(more=f'<target id="3" text="t">{wrong}</target>'))
    assert refusal.value.total == 40
    assert [issue.count for issue in refusal.value.issues if issue.severity == "error"] == [40]
    assert refusal.value.hidden == 0
    assert "40 errors" in refusal.value.message
    assert empty.topics.count() == 0


def test_more_topics_than_a_campaign_can_judge_are_refused(
    empty: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "MOST_TOPICS", 2)
    with pytest.raises(BadFile) as refused:
        load(empty, organiser, SERIES.format(more=""))
    assert [issue.code for issue in refused.value.issues] == ["too-many-topics"]
    assert not Topic.objects.exists()


def test_an_empty_file_and_an_unknown_kind_of_file_are_refused(empty: Campaign, organiser: User) -> None:
    with pytest.raises(BadFile):
        load(empty, organiser, "")
    with pytest.raises(Invalid, match="Use one of: questions"):
        load(empty, organiser, SERIES, key="claims")


def test_new_topics_are_added_and_others_stay(campaign: Campaign, organiser: User) -> None:
    loaded = load(campaign, organiser, f"<tacqa>{SECOND}</tacqa>")
    assert (loaded.added, loaded.kept) == (3, 3)
    assert campaign.topics.count() == 6


def test_a_topic_whose_number_reads_like_that_of_another_is_told_when_it_is_new(
    empty: Campaign, organiser: User
) -> None:
    empty.track = "adhoc"
    (issue,) = load(empty, organiser, "01\train\n1\tsnow\n", "").report.issues
    assert (issue.severity, issue.message) == (
        "warning",
        "Topic 1 is a topic beside 01, which reads alike. If they are one, keep the one that runs name, and remove "
        "the other.",
    )
    assert load(empty, organiser, "01\train\n1\tsnow\n", "").report.issues == ()
    (issue,) = load(empty, organiser, "001\twind\n", "").report.issues
    assert issue.message.startswith("Topic 001 is a topic beside 01, ")


def test_a_new_wording_is_taken_while_nobody_has_judged(campaign: Campaign, organiser: User, rigid: Topic) -> None:
    loaded = load(campaign, organiser, SERIES.format(more="").replace("colours", "colors"))
    assert loaded.changed >= 1
    rigid.refresh_from_db()
    assert rigid.text == "Which colors do people like?"


def test_a_new_wording_is_refused_once_judging_began(
    campaign: Campaign, organiser: User, rigid: Topic, grading: Assignment
) -> None:
    with pytest.raises(Conflict, match=r"The judging of 1\.1 has begun"):
        load(campaign, organiser, SERIES.format(more=SECOND).replace("colours", "colors"))
    rigid.refresh_from_db()
    assert rigid.text == "Which colours do people like?"
    assert campaign.topics.count() == 3


def test_a_new_type_is_refused_once_runs_answer(campaign: Campaign, organiser: User, rigid: Topic) -> None:
    run = factories.run(campaign, "Harbor1", organiser)
    factories.response(run, rigid, [factories.item(rigid, "blue")])
    with pytest.raises(Conflict, match=r"Runs have answered 1\.1"):
        load(campaign, organiser, SERIES.format(more="").replace("RigidList", "SquishyList"))


def test_a_frozen_campaign_takes_no_topics(campaign: Campaign, organiser: User) -> None:
    campaign.state = Campaign.State.FROZEN
    with pytest.raises(Conflict, match="frozen"):
        load(campaign, organiser, SERIES.format(more=SECOND))
