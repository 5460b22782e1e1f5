"""Settling nugget lists, groupings and picks as wholes: what stands side by side, what taking one makes official."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.domain.errors import Conflict, Invalid, NotAllowed
from assess.domain.judging.adjudication import Decision, decide
from assess.domain.judging.picks import record_picks
from assess.models import Assignment, Campaign, Item, Topic
from assess.queries.campaigns.freezing import freeze_state
from assess.queries.exports.writing import collect_records, find_export
from assess.queries.judging.disagreements import criteria_of, disagreements, questions_of
from assess.queries.judging.picks import official_pickers, picked_items
from assess.queries.tracks import stage_of
from assess.settling import Disagreement
from nuggets.domain.classes import create_class
from nuggets.domain.matches import review_items
from nuggets.models import NuggetList
from nuggets.queries.lists import active_nuggets, official_list
from nuggets.queries.matches import finished_items, official_marks
from tests import factories
from tests.assess import judged_campaign as judging
from tests.benches import Benches

pytestmark = pytest.mark.django_db


def row_of(campaign: Campaign, stage: str, person: User | None = None) -> Disagreement | None:
    found = stage_of(campaign, stage)[1]
    (criterion,) = criteria_of(campaign, found)
    return next(iter(disagreements(campaign, found, criterion, person=person)), None)


def settle(actor: User, campaign: Campaign, stage: str, value: int | None, *, key: UUID | None = None) -> object:
    found, row = stage_of(campaign, stage)[1], row_of(campaign, stage)
    assert row is not None
    (criterion,) = criteria_of(campaign, found)
    decision = Decision(thing=row.name, criterion=criterion.key, value=value, client_key=key or uuid4())
    return decide(actor=actor, campaign=campaign, stage=found, decision=decision)


def value_of(campaign: Campaign, stage: str, person: User) -> int:
    row = row_of(campaign, stage)
    assert row is not None
    return next(side.value for side in row.sides if side.assessor_id == person.pk)


# ---------------------------------------------------------------- lists


@pytest.fixture
def two_lists(frozen: NuggetList, squishy: Topic, second_assessor: User) -> NuggetList:
    """The other assessor's list: one nugget as the author's, and one that the author has not."""
    work = factories.assignment(squishy, "nuggets", second_assessor, role="second")
    return judging.write_list(work, cheap="vital", kind="okay")


def texts(squishy: Topic) -> list[tuple[str, str]]:
    made = official_list(squishy.pk)
    assert made is not None
    return [(each.text, each.importance) for each in active_nuggets([made])[made.pk]]


AUTHORS = [("cheap", "vital"), ("light", "okay"), ("breaks soon", "okay")]
OTHERS = [("cheap", "vital"), ("kind", "okay")]


def test_two_lists_are_side_by_side_and_the_one_taken_counts(
    campaign: Campaign,
    squishy: Topic,
    two_lists: NuggetList,
    adjudicator: User,
    assessor: User,
    second_assessor: User,
) -> None:
    assert [(each.stage.key, each.left) for each in questions_of(campaign)] == [("nuggets", 1)]
    assert "disagreements" not in {lack.code for lack in freeze_state(campaign).lacks}
    with pytest.raises(NotAllowed, match="You judged this topic yourself"):
        settle(second_assessor, campaign, "nuggets", value_of(campaign, "nuggets", assessor))
    key, other = uuid4(), value_of(campaign, "nuggets", second_assessor)
    first = settle(adjudicator, campaign, "nuggets", other, key=key)
    assert settle(adjudicator, campaign, "nuggets", other, key=key) == first
    assert texts(squishy) == OTHERS
    settle(adjudicator, campaign, "nuggets", value_of(campaign, "nuggets", assessor))
    assert texts(squishy) == AUTHORS
    row, work = row_of(campaign, "nuggets"), campaign.assignments.get(role="adjudicator")
    assert row is not None and row.decided == value_of(campaign, "nuggets", assessor)
    assert (work.state, NuggetList.objects.filter(owner=adjudicator).count()) == ("done", 2)
    with pytest.raises(Invalid, match="can't be taken back"):
        settle(adjudicator, campaign, "nuggets", None)
    with pytest.raises(Conflict, match="has changed since you looked"):
        settle(adjudicator, campaign, "nuggets", 5)


def test_marks_stay_on_nuggets_that_the_list_taken_shares(
    campaign: Campaign,
    frozen: NuggetList,
    squishy: Topic,
    squishy_items: list[Item],
    matching: Assignment,
    two_lists: NuggetList,
    adjudicator: User,
    assessor: User,
    second_assessor: User,
) -> None:
    judging.mark(matching, frozen, 1, squishy_items[0].text)
    judging.mark(matching, frozen, 2, squishy_items[0].text)
    review_items(actor=assessor, assignment=matching, items=squishy_items[:1], client_key=uuid4())
    settle(adjudicator, campaign, "nuggets", value_of(campaign, "nuggets", assessor))
    made = official_list(squishy.pk)
    assert made is not None and made.owner == adjudicator
    assert [mark.number for mark in official_marks([made])] == [1, 2]
    assert finished_items(made, assignment=matching) == {squishy_items[0].pk}
    settle(adjudicator, campaign, "nuggets", value_of(campaign, "nuggets", second_assessor))
    made = official_list(squishy.pk)
    assert made is not None
    assert [mark.number for mark in official_marks([made])] == [1]
    assert finished_items(made, assignment=matching) == set()


# ---------------------------------------------------------------- groupings


@pytest.fixture
def grouped(campaign: Campaign, rigid: Topic, grading: Assignment, second_assessor: User) -> dict[str, Assignment]:
    """Three correct answers: two classes for the author, two others for the other assessor."""
    for text in ("blue bicycle", "green bicycle", "red bicycle"):
        judging.judge(grading, text, 1)
    works = {
        "author": factories.assignment(rigid, "classes", grading.assessor),
        "other": factories.assignment(rigid, "classes", second_assessor, role="second"),
    }
    judging.group(works["author"], "cold", "blue bicycle", "green bicycle")
    judging.group(works["author"], "warm", "red bicycle")
    judging.group(works["other"], "cold", "blue bicycle")
    judging.group(works["other"], "other", "green bicycle", "red bicycle")
    return works


def classes(campaign: Campaign) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    labels = {each.key: each.label for each in collect_records(campaign, _export(campaign, "answer-classes.tsv"))}
    for each in collect_records(campaign, _export(campaign, "instances.tsv")):
        found.setdefault(labels.get(each.answer_class, ""), set()).add(each.text)
    return found


def _export(campaign: Campaign, name: str):  # type: ignore[no-untyped-def]
    export = find_export(campaign, name)
    assert export is not None
    return export


def test_the_grouping_taken_counts_and_taking_it_back_leaves_the_authors(
    campaign: Campaign, grouped: dict[str, Assignment], adjudicator: User, assessor: User, second_assessor: User
) -> None:
    assert row_of(campaign, "classes") is None
    Assignment.objects.filter(pk__in=[each.pk for each in grouped.values()]).update(state="done")
    assert "disagreements" in {lack.code for lack in freeze_state(campaign).lacks}
    authors = {"cold": {"blue bicycle", "green bicycle"}, "warm": {"red bicycle"}}
    assert classes(campaign) == authors
    key, other = uuid4(), value_of(campaign, "classes", second_assessor)
    first = settle(adjudicator, campaign, "classes", other, key=key)
    assert settle(adjudicator, campaign, "classes", other, key=key) == first
    assert classes(campaign) == {"cold": {"blue bicycle"}, "other": {"green bicycle", "red bicycle"}}
    settle(adjudicator, campaign, "classes", value_of(campaign, "classes", assessor))
    assert classes(campaign) == authors
    row = row_of(campaign, "classes")
    assert row is not None and row.decided == value_of(campaign, "classes", assessor)
    settle(adjudicator, campaign, "classes", other)
    settle(adjudicator, campaign, "classes", None)
    assert classes(campaign) == authors
    row = row_of(campaign, "classes")
    assert row is not None and row.decided is None


def test_groupings_that_differ_by_names_alone_are_alike(
    campaign: Campaign, rigid: Topic, grading: Assignment, second_assessor: User
) -> None:
    judging.judge(grading, "blue bicycle", 1)
    for role, person in (("primary", grading.assessor), ("second", second_assessor)):
        work = factories.assignment(rigid, "classes", person, role=role)
        item = judging.item(campaign, "blue bicycle")
        create_class(actor=person, assignment=work, items=[item], label=f"the {role}", client_key=uuid4())
        Assignment.objects.filter(pk=work.pk).update(state="done")
    assert row_of(campaign, "classes") is None


# ---------------------------------------------------------------- picks


@pytest.fixture
def picked(benches: Benches) -> dict[str, Assignment]:
    """The author picks two figures; the other assessor says that none fits."""
    other = factories.member(benches.campaign, "other", "assessor")
    works = {
        "author": benches.work["figures"],
        "other": factories.assignment(benches.topic, "figures", other, role="second"),
    }
    one, two, *_ = benches.items("figure")
    record_picks(actor=benches.assessor, assignment=works["author"], items=[two, one], client_key=uuid4())
    record_picks(actor=other, assignment=works["other"], items=[], none=True, client_key=uuid4())
    return works


def test_the_picks_taken_count_be_they_a_list_or_none(benches: Benches, picked: dict[str, Assignment]) -> None:
    campaign, topic = benches.campaign, benches.topic
    settler = factories.member(campaign, "settler", "adjudicator")
    stage = stage_of(campaign, "figures")[1]
    (criterion,) = criteria_of(campaign, stage)

    def official() -> tuple[int, list[int]]:
        person = official_pickers(campaign, criterion.key)[topic.number]
        return person, [item for item, _ in picked_items(topic, stage, person)]

    one, two, *_ = (item.pk for item in benches.items("figure"))
    assert official() == (benches.assessor.pk, [two, one])
    for who, items in (("author", [two, one]), ("other", []), ("author", [two, one]), ("other", [])):
        value = value_of(campaign, "figures", picked[who].assessor)
        settle(settler, campaign, "figures", value)
        row = row_of(campaign, "figures")
        assert row is not None and row.decided == value
        assert official() == (settler.pk, items)
    settle(settler, campaign, "figures", None)
    assert official() == (benches.assessor.pk, [two, one])
    row = row_of(campaign, "figures")
    assert row is not None and row.decided is None


# ---------------------------------------------------------------- pages


def test_the_page_shows_both_works_without_names_and_takes_one(
    client: Client, campaign: Campaign, squishy: Topic, two_lists: NuggetList, adjudicator: User, second_assessor: User
) -> None:
    client.force_login(adjudicator)
    address = reverse("adjudicate", args=[campaign.slug, "nuggets", "list"])
    page = client.get(address).content.decode()
    for text in ("cheap", "light", "breaks soon", "kind"):
        assert f"<bdi>{text}</bdi>" in page
    assert page.count("only here: ") == 3
    assert {name for name in ("assessor-", "second_assessor", "author", "primary") if name in page} == set()
    row = row_of(campaign, "nuggets")
    assert row is not None
    value = value_of(campaign, "nuggets", second_assessor)
    form = {"item": row.name, "value": str(value), "client_key": str(uuid4())}
    answer = client.post(reverse("adjudicate-decide", args=[campaign.slug, "nuggets", "list"]), form)
    assert answer.status_code == 302
    page = client.get(address).content.decode()
    assert "1 of 1 decided" in page
    assert "take the decision back" not in page
    assert texts(squishy) == OTHERS
    Campaign.objects.update(state="frozen")
    assert client.get(address).content.decode().count("disabled") == 2
