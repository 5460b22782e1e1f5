"""Settling votes on nuggets: whose votes stand side by side, and what a decision makes official."""

from __future__ import annotations

import json
import re
from functools import partial
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.adjudication.queries.disagreements import disputed_questions, open_disagreements
from assess.base.errors import NotAllowed
from assess.exports.writing import collect_records, find_export
from assess.judging.snapshots import Snapshot
from assess.kinds.base import Tally
from assess.models import Assignment, Campaign, Topic
from assess.organising.queries.freezing import freeze_state
from nuggets.models import NuggetList, NuggetVote
from nuggets.votes.agreement_questions import vote_questions, vote_values
from nuggets.votes.record import record_vote
from nuggets.votes.tally import tally_votes
from nuggets.writing.counting_lists import official_lists
from nuggets.writing.lists import freeze_list, revise_list
from nuggets.writing.record import edit_nugget
from tests import factories
from tests.assess import judged_campaign as judging
from tests.nuggets.keys import key
from tests.nuggets.settled import importances, rows_of, settle, take, value_of
from tests.pages import page_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("votes_settled")]


def test_a_decided_vote_is_the_nuggets_importance_and_one_vote_more(
    campaign: Campaign, voted: Assignment, adjudicator: User, assessor: User, squishy: Topic
) -> None:
    rows = rows_of(campaign, "votes")
    assert [(row.name, sorted(row.values)) for row in rows] == [
        (f"{squishy.pk}-1", [0, 1]),
        (f"{squishy.pk}-2", [0, 1]),
    ]
    with pytest.raises(NotAllowed, match="You judged this topic yourself"):
        settle(assessor, campaign, "votes", rows[0], 1)
    settle(adjudicator, campaign, "votes", rows[1], 1)
    assert importances(campaign) == {1: "vital", 2: "vital", 3: "okay"}
    cast = find_export(campaign, "votes.tsv")
    assert cast is not None
    votes = sorted(each.importance for each in collect_records(Snapshot(campaign), cast) if each.number == 2)
    assert votes == ["okay", "vital", "vital"]
    (question,) = vote_questions(campaign)
    said = {judge: vote_values(Snapshot(campaign), question, judge) for judge in ("official", "adjudicated", "second")}
    assert said == {
        "official": {("1.2", "1"): 1.0, ("1.2", "2"): 1.0, ("1.2", "3"): 0.0},
        "adjudicated": {("1.2", "2"): 1.0},
        "second": {("1.2", "1"): 0.0, ("1.2", "2"): 1.0, ("1.2", "3"): 0.0},
    }
    settle(adjudicator, campaign, "votes", rows[1], None)
    assert importances(campaign) == {1: "vital", 2: "okay", 3: "okay"}
    work = campaign.assignments.get(role="adjudicator")
    assert tally_votes([work])[work.pk] == Tally(done=0, total=2, unit="disagreements")
    assert NuggetVote.objects.filter(assessor=adjudicator).count() == 2


def test_a_decision_from_a_page_with_other_words_of_the_nugget_is_refused(
    client: Client,
    campaign: Campaign,
    voted: Assignment,
    frozen: NuggetList,
    nugget_writing: Assignment,
    adjudicator: User,
) -> None:
    """Nugget 2 was “light” when the page was opened, and both have said something of “heavy” since."""
    (criterion,) = vote_questions(campaign)
    bench = reverse("adjudicate", args=[campaign.slug, "votes", criterion.criterion])
    client.force_login(adjudicator)
    name = re.search(r'data-item="([0-9]+-2)"', page_of(client.get(bench)))
    assert name is not None
    page = page_of(client.get(bench, {"item": name.group(1)}))
    assert 'name="about" value="light"' in page
    author = nugget_writing.assessor
    Assignment.objects.filter(pk=nugget_writing.pk).update(state="started")
    draft = revise_list(actor=author, nugget_list=NuggetList.objects.get(pk=frozen.pk))
    edit_nugget(actor=author, nugget_list=draft, number=2, text="heavy", client_key=key("e"))
    freeze_list(actor=author, nugget_list=draft, client_key=key("f2"))
    heavy = draft.nuggets.get(number=2)
    record_vote(actor=voted.assessor, assignment=voted, nugget=heavy, importance="vital", client_key=uuid4())
    form = {"item": name.group(1), "value": "1", "shown": json.dumps({"value": None, "note": ""})}
    post = partial(client.post, f"{bench}decide/", headers={"accept": "application/json"})
    refused = post({**form, "client_key": str(uuid4()), "about": "light"})
    assert (refused.status_code, refused.json()["code"]) == (409, "unseen")
    assert importances(campaign)[2] == "okay"
    stored, again = ({**form, "client_key": str(key("k")), "about": words} for words in ("heavy", "light"))
    assert [post(each).status_code for each in (stored, again)] == [200, 200]
    assert importances(campaign)[2] == "vital"


def test_votes_that_differ_do_not_hold_up_freezing_for_each_counts(campaign: Campaign, voted: Assignment) -> None:
    assert [(each.stage.key, each.left) for each in disputed_questions(campaign)] == [("votes", 2)]
    assert "disagreements" not in {issue.code for issue in freeze_state(campaign).issues}
    assert open_disagreements(campaign) == 0


@pytest.mark.parametrize("whose", ["second_assessor", "adjudicator"])
def test_what_a_list_that_was_taken_says_is_the_word_of_who_wrote_it(
    campaign: Campaign,
    frozen: NuggetList,
    squishy: Topic,
    adjudicator: User,
    assessor: User,
    second_assessor: User,
    whose: str,
) -> None:
    other = judging.write_list(factories.assignment(squishy, "nuggets", second_assessor, role="second"), kind="vital")
    if whose == "adjudicator":
        own = factories.assignment(squishy, "nuggets", adjudicator, role="adjudicator")
        counting = judging.write_list(own, kind="vital", quick="okay")
    else:
        take(adjudicator, campaign, "nuggets", value_of(campaign, "nuggets", other.owner))
        (counting,) = official_lists([squishy.pk]).values()
    voting = factories.assignment(squishy, "votes", assessor, role="second")
    judging.vote(voting, counting, counting.nuggets.get(text="kind").number, "okay")
    (row,) = rows_of(campaign, "votes")
    wrote = second_assessor if whose == "second_assessor" else adjudicator
    assert {(side.assessor_id, side.value) for side in row.sides} == {(wrote.pk, 1), (assessor.pk, 0)}
    assert len(rows_of(campaign, "votes", adjudicator)) == (whose == "second_assessor")
