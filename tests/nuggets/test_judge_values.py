"""Votes and marks of nuggets as questions that judges are compared on."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.contrib.auth.models import User

from assess.analysis.domain.agreement import pairs_in, with_texts
from assess.analysis.domain.first_choice import first_choice
from assess.analysis.domain.kept_agreement import compare_judges
from assess.exports.writing import collect_records, find_export
from assess.judging.queries.judges import counting_of, judges_of
from assess.judging.snapshots import Snapshot
from assess.kinds.agreement_questions import questions_of
from assess.models import Assignment, Campaign, Item, Topic
from assess.scores.domain import score_campaign
from nuggets.matches.record import review_items
from nuggets.models import NuggetList
from tests import factories
from tests.assess import judged_campaign as judging

pytestmark = pytest.mark.django_db


@pytest.fixture
def marking(frozen: NuggetList, squishy: Topic, assessor: User, second_assessor: User) -> Campaign:
    """Both marked the first string; the author found nugget 1 in it, the other did not."""
    author = factories.assignment(squishy, "matches", assessor)
    other = factories.assignment(squishy, "matches", second_assessor, role="second")
    first, second = Item.objects.filter(topic=squishy).order_by("id")[:2]
    judging.mark(author, frozen, 1, first.text)
    judging.mark(other, frozen, 1, second.text)
    for number, work in enumerate((author, other)):
        review_items(actor=work.assessor, assignment=work, items=[first, second], client_key=UUID(int=900 + number))
    return squishy.campaign


def test_marks_and_votes_are_questions(campaign: Campaign) -> None:
    asked = [(each.stage, each.criterion, each.level) for each in questions_of(campaign)]
    assert ("matches", "match", "nominal") in asked and ("votes", "importance", "nominal") in asked


def test_a_nugget_nobody_marked_in_a_finished_string_is_not_there(marking: Campaign, frozen: NuggetList) -> None:
    found = compare_judges(Snapshot(marking), stage="matches", criterion="match", judges=("primary", "second"))
    nuggets = frozen.nuggets.count()
    assert found.report.items == 2 * nuggets and found.alone == (0, 0)
    assert found.report.value("agreement") == (2 * nuggets - 2) / (2 * nuggets)
    assert found.report.value("overlap") == 0


def test_of_two_primary_assessors_who_looked_last_is_compared(marking: Campaign, frozen: NuggetList) -> None:
    Assignment.objects.filter(campaign=marking, stage="matches", role="primary").update(state="returned")
    topic = Topic.objects.get(number="1.2")
    later = factories.assignment(topic, "matches", factories.member(marking, "carol", "assessor"))
    first = Item.objects.filter(topic=topic).order_by("id")[0]
    review_items(actor=later.assessor, assignment=later, items=[first], client_key=UUID(int=905))
    found = compare_judges(Snapshot(marking), stage="matches", criterion="match", judges=("primary", "second"))
    assert [pair.second for pair in pairs_in(found, 0, 1)] == [1.0]


def test_a_disagreement_shows_nugget_and_string(marking: Campaign, frozen: NuggetList) -> None:
    found = compare_judges(Snapshot(marking), stage="matches", criterion="match", judges=("primary", "second"))
    pairs = with_texts(marking, found, pairs_in(found, 0, 1))
    shown = sorted((pair.first, pair.shown.text, pair.shown.about) for pair in pairs if pair.shown)
    nugget = frozen.nuggets.get(number=1)
    assert [(first, about) for first, _, about in shown] == [(0.0, f"1 {nugget.text}"), (1.0, f"1 {nugget.text}")]
    assert shown[1][1] == Item.objects.filter(topic__number="1.2").order_by("id")[0].text


def test_the_authors_importance_is_a_vote(voting: Assignment, frozen: NuggetList, campaign: Campaign) -> None:
    numbers = {nugget.number: nugget.importance for nugget in frozen.nuggets.all()}
    for number in numbers:
        judging.vote(voting, frozen, number, "vital")
    choice = first_choice(campaign)
    assert choice is not None and (choice.question.stage, choice.judges) == ("votes", ("primary", "second"))
    found = compare_judges(Snapshot(campaign), stage="votes", criterion="importance", judges=choice.judges)
    assert found.report.items == len(numbers)
    assert found.report.value("agreement") == sum(each == "vital" for each in numbers.values()) / len(numbers)
    shown = with_texts(campaign, found, pairs_in(found, 0, 1, values=(0.0, 1.0)))
    assert {pair.shown.text for pair in shown if pair.shown} == {
        nugget.text for nugget in frozen.nuggets.filter(importance="okay")
    }


def test_one_voters_words_stand_alone_where_they_count(
    voting: Assignment, frozen: NuggetList, campaign: Campaign, matching: Assignment
) -> None:
    for nugget in frozen.nuggets.all():
        judging.vote(voting, frozen, nugget.number, "okay" if nugget.importance == "vital" else "vital")
    voter = next(each for each in judges_of(campaign) if each.user_id == voting.assessor_id)
    written, cast = find_export(campaign, "nuggets.tsv"), find_export(campaign, "votes.tsv")
    assert written is not None and cast is not None
    official = {record.number: record.importance for record in collect_records(Snapshot(campaign), written)}
    theirs = Snapshot(campaign, counting=counting_of(voter))
    turned = {record.number: record.importance for record in collect_records(theirs, written)}
    voters = {record.assessor for record in collect_records(theirs, cast)}
    assert all(turned[number] != importance for number, importance in official.items())
    assert voters == {voter.key}
    assert score_campaign(theirs).as_of == score_campaign(Snapshot(campaign)).as_of
