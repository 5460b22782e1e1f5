"""Settling nugget lists and groupings as wholes: what stands side by side, what taking one makes official."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.adjudication.queries.disagreements import disputed_questions
from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.exports.writing import collect_records, find_export
from assess.judging.snapshots import Snapshot
from assess.models import Assignment, Campaign, Item, Topic
from assess.organising.queries.freezing import freeze_state
from assess.work.domain import hand_over
from nuggets.classes.record import create_class
from nuggets.matches.current import finished_items, official_marks
from nuggets.matches.record import review_items
from nuggets.models import NuggetList
from nuggets.writing.counting_lists import active_nuggets, official_list
from tests import factories
from tests.assess import judged_campaign as judging
from tests.nuggets.settled import row_of, take, value_of
from tests.pages import page_of

pytestmark = pytest.mark.django_db


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
    assert [(each.stage.key, each.left) for each in disputed_questions(campaign)] == [("nuggets", 1)]
    assert "disagreements" not in {issue.code for issue in freeze_state(campaign).issues}
    with pytest.raises(NotAllowed, match="You judged this topic yourself"):
        take(second_assessor, campaign, "nuggets", value_of(campaign, "nuggets", assessor))
    key, other = uuid4(), value_of(campaign, "nuggets", second_assessor)
    first = take(adjudicator, campaign, "nuggets", other, key=key)
    assert take(adjudicator, campaign, "nuggets", other, key=key) == first
    assert texts(squishy) == OTHERS
    take(adjudicator, campaign, "nuggets", value_of(campaign, "nuggets", assessor))
    assert texts(squishy) == AUTHORS
    row, work = row_of(campaign, "nuggets"), campaign.assignments.get(role="adjudicator")
    assert row is not None and row.decided == value_of(campaign, "nuggets", assessor)
    assert (work.state, NuggetList.objects.filter(owner=adjudicator).count()) == ("done", 2)
    with pytest.raises(Invalid, match="can't be undone"):
        take(adjudicator, campaign, "nuggets", None)
    with pytest.raises(Conflict, match="was changed after you opened the page"):
        take(adjudicator, campaign, "nuggets", 5)
    with pytest.raises(Conflict, match="said something else then"):
        take(adjudicator, campaign, "nuggets", value_of(campaign, "nuggets", assessor), key=key)


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
    take(adjudicator, campaign, "nuggets", value_of(campaign, "nuggets", assessor))
    made = official_list(squishy.pk)
    assert made is not None and made.owner == adjudicator
    assert [mark.number for mark in official_marks([made])] == [1, 2]
    assert finished_items(made, assignment=matching) == {squishy_items[0].pk}
    take(adjudicator, campaign, "nuggets", value_of(campaign, "nuggets", second_assessor))
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
    labels = {
        each.key: each.label for each in collect_records(Snapshot(campaign), _export(campaign, "answer-classes.tsv"))
    }
    for each in collect_records(Snapshot(campaign), _export(campaign, "instances.tsv")):
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
    assert "disagreements" in {issue.code for issue in freeze_state(campaign).issues}
    authors = {"cold": {"blue bicycle", "green bicycle"}, "warm": {"red bicycle"}}
    assert classes(campaign) == authors
    key, other = uuid4(), value_of(campaign, "classes", second_assessor)
    first = take(adjudicator, campaign, "classes", other, key=key)
    assert take(adjudicator, campaign, "classes", other, key=key) == first
    assert classes(campaign) == {"cold": {"blue bicycle"}, "other": {"green bicycle", "red bicycle"}}
    take(adjudicator, campaign, "classes", value_of(campaign, "classes", assessor))
    assert classes(campaign) == authors
    row = row_of(campaign, "classes")
    assert row is not None and row.decided == value_of(campaign, "classes", assessor)
    take(adjudicator, campaign, "classes", other)
    take(adjudicator, campaign, "classes", None)
    assert classes(campaign) == authors
    row = row_of(campaign, "classes")
    assert row is not None and row.decided is None


def test_a_grouping_that_was_handed_over_is_taken_as_its_bench_shows_it(
    campaign: Campaign, grouped: dict[str, Assignment], adjudicator: User, organiser: User
) -> None:
    new = factories.member(campaign, "new", "assessor")
    work = hand_over(actor=organiser, assignment=grouped["other"], to=new)
    Assignment.objects.filter(pk__in=[work.pk, grouped["author"].pk]).update(state="done")
    take(adjudicator, campaign, "classes", value_of(campaign, "classes", new))
    assert classes(campaign) == {"cold": {"blue bicycle"}, "other": {"green bicycle", "red bicycle"}}
    Assignment.objects.filter(pk=work.pk).update(state="started")
    work.refresh_from_db()
    create_class(
        actor=new,
        assignment=work,
        items=[judging.item(campaign, "red bicycle")],
        label="alone",
        client_key=uuid4(),
    )
    Assignment.objects.filter(pk=work.pk).update(state="done")
    take(adjudicator, campaign, "classes", value_of(campaign, "classes", new))
    assert classes(campaign) == {"cold": {"blue bicycle"}, "other": {"green bicycle"}, "alone": {"red bicycle"}}


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


# ---------------------------------------------------------------- pages


def test_the_page_shows_both_works_without_names_and_takes_one(
    client: Client, campaign: Campaign, squishy: Topic, two_lists: NuggetList, adjudicator: User, second_assessor: User
) -> None:
    client.force_login(adjudicator)
    address = reverse("adjudicate", args=[campaign.slug, "nuggets", "list"])
    page = page_of(client.get(address))
    for text in ("cheap", "light", "breaks soon", "kind"):
        assert f'<bdi dir="auto" lang="en">{text}</bdi>' in page
    assert page.count("only here: ") == 3
    said = page.replace('<button class="primary">', "")  # that of the log-in
    assert {name for name in ("assessor-", "second_assessor", "author", "primary") if name in said} == set()
    row = row_of(campaign, "nuggets")
    assert row is not None
    shown = judging.shown(row, campaign, adjudicator, "nuggets")
    assert client.get(f"{address}items/{shown}/").status_code == 404
    value = value_of(campaign, "nuggets", second_assessor)
    form = {"item": shown, "value": str(value), "client_key": str(uuid4())}
    answer = client.post(reverse("adjudicate-decide", args=[campaign.slug, "nuggets", "list"]), form)
    assert answer.status_code == 302
    page = page_of(client.get(address))
    assert "1 of 1 decided" in page
    assert "take the decision back" not in page
    assert texts(squishy) == OTHERS
    Campaign.objects.update(state="frozen")
    assert page_of(client.get(address)).count("disabled") == 2
