"""Of several adjudicators who say something of the same, the last one's word counts, in a release as on the site."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from assess.assignments.domain.assignments import return_assignment
from assess.base.errors import Invalid
from assess.campaigns.queries import track_of
from assess.exports.writing import export_lines
from assess.judging.snapshots import Snapshot
from assess.models import Assignment, Campaign
from assess.organising.domain import change_state
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from nuggets.matches.record import review_items
from nuggets.models import NuggetList
from nuggets.writing.lists import freeze_list, revise_list
from nuggets.writing.record import add_nugget
from tests import factories
from tests.assess import judged_campaign as judging
from tests.remembered import remembered
from tests.unpacked import unpack_release

pytestmark = pytest.mark.django_db

Works = Callable[[str, str], tuple[Assignment, Assignment]]


@pytest.fixture
@remembered
def listed(campaign: Campaign, organiser: User, assessor: User, settings: Any, tmp_path: Path) -> NuggetList:
    """A list of two nuggets in a campaign whose answers one run returned."""
    settings.DATA_DIR = tmp_path / "data"
    for docno in ("D1", "D2", "D3"):
        factories.document(campaign, docno)
    judging.submit(campaign, organiser, "Amber1", judging.AMBER)
    judging.pool_all(campaign, organiser)
    writing = judging.work(campaign, "1.2", "nuggets", assessor)
    return judging.write_list(writing, cheap="vital", light="okay")


@pytest.fixture
def adjudicators(campaign: Campaign) -> Works:
    """Work of two adjudicators on the same stage; that of the first was handed out first."""
    people = [factories.member(campaign, name, "adjudicator") for name in ("first", "last")]

    def works(number: str, stage: str) -> tuple[Assignment, Assignment]:
        first, last = (judging.work(campaign, number, stage, person, role="adjudicator") for person in people)
        return first, last

    return works


def exports(campaign: Campaign) -> dict[str, str]:
    found = Campaign.objects.get(pk=campaign.pk)
    return {each.name: "".join(export_lines(Snapshot(found), each)) for each in track_of(found).exports}


def released_alike(campaign: Campaign, organiser: User, tmp_path: Path) -> None:
    """A release is made, which verifies by that, and what it is loaded into exports the same."""
    change_state(actor=organiser, campaign=campaign, state=Campaign.State.FROZEN)
    unpack_release(make_release(actor=organiser, campaign=campaign), tmp_path / "release")
    organiser.is_superuser = True
    copy = exports(import_release(actor=organiser, path=tmp_path / "release", slug="copy"))
    assert {name: text.replace("RUN-A", "Amber1") for name, text in copy.items()} == exports(campaign)


@pytest.mark.parametrize("is_first", [True, False])
def test_two_adjudicators_vote_differently(
    listed: NuggetList, campaign: Campaign, organiser: User, adjudicators: Works, tmp_path: Path, is_first: bool
) -> None:
    """Whichever of them voted last, their vote stands, and the other's is no vote any more."""
    works = adjudicators("1.2", "votes")
    early, late = reversed(works) if is_first else works
    judging.vote(early, listed, 1, "vital")
    judging.vote(late, listed, 1, "okay")
    judging.vote(late, listed, 2, "vital")
    judging.vote(early, listed, 2, "okay")
    said = exports(campaign)
    assert [line.split("\t")[2] for line in said["nuggets.tsv"].splitlines()] == ["okay", "okay"]
    released_alike(campaign, organiser, tmp_path)


def test_two_adjudicators_mark_differently(
    listed: NuggetList, campaign: Campaign, organiser: User, adjudicators: Works, tmp_path: Path
) -> None:
    first, last = adjudicators("1.2", "matches")
    judging.mark(last, listed, 1, judging.CHEAP, value="absent")
    judging.mark(first, listed, 1, judging.CHEAP)
    judging.mark(first, listed, 2, judging.WEEK)
    judging.mark(last, listed, 2, judging.WEEK, value="absent")
    released_alike(campaign, organiser, tmp_path)


def test_two_adjudicators_finish_and_mark_the_same_strings(
    listed: NuggetList, campaign: Campaign, organiser: User, adjudicators: Works, tmp_path: Path
) -> None:
    first, last = adjudicators("1.2", "matches")
    item = judging.item(campaign, judging.CHEAP)
    judging.mark(last, listed, 2, judging.CHEAP)
    review_items(actor=last.assessor, assignment=last, items=[item], client_key=judging.key("last"))
    judging.mark(first, listed, 1, judging.CHEAP)
    review_items(actor=first.assessor, assignment=first, items=[item], client_key=judging.key("first"))
    released_alike(campaign, organiser, tmp_path)


def test_two_adjudicators_write_lists(
    listed: NuggetList, campaign: Campaign, organiser: User, adjudicators: Works, assessor: User, tmp_path: Path
) -> None:
    first, last = adjudicators("1.2", "nuggets")
    judging.write_list(last, dear="vital")
    official = judging.write_list(first, cheap="vital", fine="okay")
    judging.mark(judging.work(campaign, "1.2", "matches", assessor), official, 2, judging.CHEAP)
    released_alike(campaign, organiser, tmp_path)


def test_two_adjudicators_group_answers(
    listed: NuggetList, campaign: Campaign, organiser: User, adjudicators: Works, assessor: User, tmp_path: Path
) -> None:
    grading = judging.work(campaign, "1.1", "instances", assessor)
    for text in ("blue", "red"):
        judging.judge(grading, text, 1)
    first, last = adjudicators("1.1", "classes")
    judging.group(last, "colours", "blue", "red")
    judging.group(first, "blue", "blue")
    judging.group(first, "red", "red")
    released_alike(campaign, organiser, tmp_path)


def test_two_adjudicators_judge_differently(
    listed: NuggetList, campaign: Campaign, organiser: User, adjudicators: Works, tmp_path: Path
) -> None:
    first, last = adjudicators("1.1", "instances")
    judging.judge(last, "blue", -1)
    judging.judge(first, "blue", 1)
    released_alike(campaign, organiser, tmp_path)


def test_an_author_who_gave_back_finished_an_item_under_an_older_list(
    listed: NuggetList,
    campaign: Campaign,
    organiser: User,
    assessor: User,
    second_assessor: User,
    tmp_path: Path,
) -> None:
    """What they said of it still is the last word on it, though the release holds no line that they finished it."""
    early = judging.work(campaign, "1.2", "matches", assessor)
    judging.mark(early, listed, 1, judging.CHEAP)
    return_assignment(actor=organiser, assignment=early)
    later = judging.work(campaign, "1.2", "matches", second_assessor)
    item = judging.item(campaign, judging.CHEAP)
    review_items(actor=second_assessor, assignment=later, items=[item], client_key=judging.key("later"))
    return_assignment(actor=organiser, assignment=later)
    writing = campaign.assignments.get(stage="nuggets")
    revised = revise_list(actor=assessor, nugget_list=listed)
    add_nugget(
        actor=assessor, nugget_list=revised, text="new", importance="okay", client_key=judging.key("new", writing.pk)
    )
    freeze_list(actor=assessor, nugget_list=revised, client_key=judging.key("again"))
    assert exports(campaign)["matches.tsv"] == ""
    released_alike(campaign, organiser, tmp_path)


def test_what_is_found_or_not_is_marked_in_part_by_nobody_and_may_be_said_to_be_absent(
    listed: NuggetList, campaign: Campaign, organiser: User, assessor: User, tmp_path: Path
) -> None:
    """A release with a part does not check out, so the site refuses it; what is said to be absent checks out."""
    work = judging.work(campaign, "1.2", "matches", assessor)
    with pytest.raises(Invalid, match="never in part"):
        judging.mark(work, listed, 1, judging.CHEAP, value="partial")
    judging.mark(work, listed, 1, judging.CHEAP, value="absent")
    released_alike(campaign, organiser, tmp_path)


def test_who_gave_work_back_adjudicates_it_later(
    listed: NuggetList, campaign: Campaign, organiser: User, assessor: User, second_assessor: User, tmp_path: Path
) -> None:
    """What they said as an author is written under the work that they gave back, the other under the adjudicator's."""
    author = judging.work(campaign, "1.1", "instances", assessor)
    judging.judge(author, "blue", 1)
    return_assignment(actor=organiser, assignment=author)
    judging.judge(judging.work(campaign, "1.1", "instances", second_assessor), "red", 1)
    judging.judge(judging.work(campaign, "1.1", "instances", assessor, role="adjudicator"), "red", -1)
    released_alike(campaign, organiser, tmp_path)
