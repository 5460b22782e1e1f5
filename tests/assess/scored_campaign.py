"""A judged campaign of three teams, one run each, for tests of what comes after scores."""

from __future__ import annotations

from django.contrib.auth.models import User

from assess.models import Assignment, Campaign
from nuggets.models import NuggetList
from tests import factories
from tests.assess.judged_campaign import (
    AMBER,
    BASIL,
    CHEAP,
    WEEK,
    group,
    judge,
    mark,
    pool_all,
    submit,
    vote,
    work,
    write_list,
)

TEAMS = ("Amber", "Basil", "Coral")


def judged_campaign(campaign: Campaign, organiser: User, assessor: User) -> NuggetList:
    """Amber1 gets F 1 on 1.1, Basil1 0.4, Coral1 0; each team has one participant, named like the team in lower case.

    Of 1.2 there are three nuggets, of which Amber1 has two.
    """
    submit(campaign, organiser, "Amber1", AMBER)
    submit(campaign, organiser, "Basil1", BASIL)
    submit(campaign, organiser, "Coral1", f"1.1 Coral1 D9 none\n1.2 Coral1 D1 {CHEAP}\n")
    pool_all(campaign, organiser)
    for team in TEAMS:
        factories.member(campaign, team.lower(), "participant", team=team)
    grading = work(campaign, "1.1", "instances", assessor)
    judge(grading, "blue", 2, note="First I thought so.")
    for text, value in [("blue", 1), ("red", 1), ("the blue one", 3), ("green", -1)]:
        judge(grading, text, value)
    grouping = work(campaign, "1.1", "classes", assessor)
    group(grouping, "blue", "blue")
    group(grouping, "red", "red")
    frozen = write_list(work(campaign, "1.2", "nuggets", assessor), cheap="vital", frail="okay", friendly="vital")
    marking = work(campaign, "1.2", "matches", assessor)
    mark(marking, frozen, 1, CHEAP)
    mark(marking, frozen, 2, WEEK)
    return frozen


def voted(campaign: Campaign, frozen: NuggetList, second_assessor: User) -> Assignment:
    """A second assessor's vote: the first nugget is okay, then vital after all."""
    voting = work(campaign, "1.2", "votes", second_assessor, role="second")
    vote(voting, frozen, 1, "okay")
    vote(voting, frozen, 1, "vital")
    return voting
