"""Marking nuggets in items, finishing items, and what counts."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import replace
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from assess.assignments.domain.assignments import open_assignment
from assess.assignments.queries.pseudonyms import pseudonyms
from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.judging.snapshots import Snapshot
from assess.models import Assignment, HelpRequest, Item, Topic
from assess.work.domain import hand_over
from nuggets.matches.bench import match_desk
from nuggets.matches.current import current_marks, official_marks
from nuggets.matches.export import item_matches, matched_acts, other_judged
from nuggets.matches.record import MatchInput, record_match, review_items
from nuggets.matches.tally import missing_matches, tally_matches
from nuggets.models import ItemReview, Nugget, NuggetList, NuggetMatch
from nuggets.writing.lists import freeze_list, revise_list, start_list
from nuggets.writing.record import add_nugget, edit_nugget, restore_nugget, retire_nugget, split_nugget
from tests import factories
from tests.nuggets.keys import key


def mark(
    actor: User, assignment: Assignment, nugget: Nugget, item: Item, name: str = "m", **more: object
) -> NuggetMatch:
    match = MatchInput(nugget=nugget, item=item, client_key=key(name), **more)
    return record_match(actor=actor, assignment=assignment, match=match)


def test_match_is_recorded_with_its_quote(
    matching: Assignment, assessor: User, cheap: Nugget, squishy_items: list[Item], frozen: NuggetList
) -> None:
    mark(assessor, matching, cheap, squishy_items[0], quote="cheap")
    found = official_marks([frozen])
    assert [(m.number, m.item_id, m.value, m.quote) for m in found] == [(1, squishy_items[0].pk, "full", "cheap")]


def test_match_same_key_is_the_first_and_other_content_refused(
    matching: Assignment, assessor: User, cheap: Nugget, squishy_items: list[Item]
) -> None:
    first = mark(assessor, matching, cheap, squishy_items[0])
    assert mark(assessor, matching, cheap, squishy_items[0]) == first
    with pytest.raises(Conflict):
        mark(assessor, matching, cheap, squishy_items[1])
    with pytest.raises(Conflict):
        mark(assessor, matching, cheap, squishy_items[0], value="absent")
    assert NuggetMatch.objects.count() == 1


def test_a_mark_is_withdrawn(
    matching: Assignment, assessor: User, cheap: Nugget, squishy_items: list[Item], frozen: NuggetList
) -> None:
    first = mark(assessor, matching, cheap, squishy_items[0])
    mark(assessor, matching, cheap, squishy_items[0], "undo", value=None)
    assert official_marks([frozen]) == []
    assert [m.row for m in official_marks([frozen], at=Snapshot(matching.campaign, first.pk))] == [first.pk]


def test_match_refusals(
    matching: Assignment, assessor: User, second_assessor: User, cheap: Nugget, squishy_items: list[Item], rigid: Topic
) -> None:
    with pytest.raises(NotAllowed):
        mark(second_assessor, matching, cheap, squishy_items[0])
    with pytest.raises(Invalid, match="word for word"):
        mark(assessor, matching, cheap, squishy_items[0], quote="Cheap")
    with pytest.raises(Invalid, match="not in the pool"):
        mark(assessor, matching, cheap, factories.item(rigid, "blue"))
    with pytest.raises(Invalid):
        mark(assessor, matching, cheap, squishy_items[0], value="some")
    with pytest.raises(Invalid):
        mark(assessor, matching, cheap, squishy_items[0], part=-1)
    Assignment.objects.filter(pk=matching.pk).update(state="done")
    with pytest.raises(Conflict, match="done"):
        mark(assessor, matching, cheap, squishy_items[0])
    assert NuggetMatch.objects.count() == 0


def test_match_on_a_draft_is_refused(
    nugget_writing: Assignment, draft: NuggetList, assessor: User, squishy: Topic, squishy_items: list[Item]
) -> None:
    work = factories.assignment(squishy, "matches", assessor)
    with pytest.raises(Conflict, match="not frozen"):
        mark(assessor, work, draft.nuggets.get(number=1), squishy_items[0])


def test_the_adjudicator_settles_and_a_second_never_counts(
    matching: Assignment,
    assessor: User,
    second_assessor: User,
    adjudicator: User,
    cheap: Nugget,
    squishy_items: list[Item],
    frozen: NuggetList,
) -> None:
    second = factories.assignment(frozen.topic, "matches", second_assessor, role="second")
    settling = factories.assignment(frozen.topic, "matches", adjudicator, role="adjudicator")
    mark(assessor, matching, cheap, squishy_items[0], "a")
    mark(second_assessor, second, cheap, squishy_items[1], "b")
    assert {m.item_id for m in official_marks([frozen])} == {squishy_items[0].pk}
    mark(adjudicator, settling, cheap, squishy_items[0], "c", value="absent")
    assert official_marks([frozen]) == []
    mark(assessor, matching, cheap, squishy_items[0], "d")
    assert official_marks([frozen]) == []


def test_progress_counts_finished_items_exactly(
    matching: Assignment, assessor: User, cheap: Nugget, squishy_items: list[Item]
) -> None:
    mark(assessor, matching, cheap, squishy_items[0])
    assert tally_matches([matching])[matching.pk].done == 0
    review_items(actor=assessor, assignment=matching, items=squishy_items[:2], client_key=key("r"))
    assert (tally_matches([matching])[matching.pk].done, tally_matches([matching])[matching.pk].total) == (2, 3)
    assert missing_matches(matching).startswith("1 of 3 strings")
    review_items(
        actor=assessor, assignment=matching, items=squishy_items[:1], client_key=key("back"), is_reviewed=False
    )
    assert tally_matches([matching])[matching.pk].done == 1
    review_items(actor=assessor, assignment=matching, items=squishy_items, client_key=key("all"))
    assert missing_matches(matching) == ""


def test_review_same_key_adds_nothing(matching: Assignment, assessor: User, squishy_items: list[Item]) -> None:
    first = review_items(actor=assessor, assignment=matching, items=squishy_items, client_key=key("r"))
    assert review_items(actor=assessor, assignment=matching, items=squishy_items, client_key=key("r")) == first
    with pytest.raises(Conflict):
        review_items(actor=assessor, assignment=matching, items=squishy_items, client_key=key("r"), is_reviewed=False)
    assert ItemReview.objects.count() == 3


def test_a_key_that_finished_some_items_does_not_finish_more(
    matching: Assignment, assessor: User, squishy_items: list[Item]
) -> None:
    review_items(actor=assessor, assignment=matching, items=squishy_items[:1], client_key=key("r"))
    with pytest.raises(Conflict, match="said something else then"):
        review_items(actor=assessor, assignment=matching, items=squishy_items, client_key=key("r"))
    assert [each.item_id for each in ItemReview.objects.all()] == [squishy_items[0].pk]


def test_an_excused_item_need_not_be_finished(
    matching: Assignment, assessor: User, second_assessor: User, organiser: User, squishy_items: list[Item]
) -> None:
    review_items(actor=assessor, assignment=matching, items=squishy_items[1:], client_key=key("r"))
    HelpRequest.objects.create(
        assignment=matching, item=squishy_items[0], text="?", client_key=key("h"), answer="skip it", excused=True
    )
    assert missing_matches(matching) == ""
    onward = hand_over(actor=organiser, assignment=matching, to=second_assessor)
    desk = match_desk(onward)
    assert desk is not None
    assert [string.item for string in desk.loose if string.is_excused] == squishy_items[:1]
    assert missing_matches(onward) == ""


def test_marks_of_unchanged_nuggets_carry_over_to_a_revision(
    matching: Assignment,
    nugget_writing: Assignment,
    assessor: User,
    frozen: NuggetList,
    squishy_items: list[Item],
) -> None:
    for number in (1, 2):
        mark(assessor, matching, frozen.nuggets.get(number=number), squishy_items[0], f"m{number}")
    review_items(actor=assessor, assignment=matching, items=squishy_items, client_key=key("r"))
    Assignment.objects.filter(pk=nugget_writing.pk).update(state="started")
    revised = revise_list(actor=assessor, nugget_list=frozen)
    edit_nugget(actor=assessor, nugget_list=revised, number=2, text="very light", client_key=key("e"))
    edit_nugget(actor=assessor, nugget_list=revised, number=1, importance="okay", client_key=key("i"))
    edit_nugget(actor=assessor, nugget_list=revised, number=3, importance="vital", client_key=key("i3"))
    revised = freeze_list(actor=assessor, nugget_list=revised, client_key=key("f2"))
    assert [m.number for m in official_marks([revised])] == [1]
    assert missing_matches(matching).startswith("3 of 3")
    desk = match_desk(matching)
    assert desk is not None
    assert desk.again == {2}
    with pytest.raises(Conflict, match="not on the list that counts"):
        mark(assessor, matching, frozen.nuggets.get(number=1), squishy_items[1], "old")
    mark(assessor, matching, revised.nuggets.get(number=1), squishy_items[0], "off", value=None)
    assert current_marks(revised, assessor_id=assessor.pk) == []


def test_items_stay_finished_when_a_revision_adds_nothing(
    matching: Assignment, nugget_writing: Assignment, assessor: User, frozen: NuggetList, squishy_items: list[Item]
) -> None:
    review_items(actor=assessor, assignment=matching, items=squishy_items, client_key=key("r"))
    Assignment.objects.filter(pk=nugget_writing.pk).update(state="started")
    revised = revise_list(actor=assessor, nugget_list=frozen)
    edit_nugget(actor=assessor, nugget_list=revised, number=2, importance="vital", client_key=key("e"))
    freeze_list(actor=assessor, nugget_list=revised, client_key=key("f2"))
    assert missing_matches(matching) == ""
    again = revise_list(actor=assessor, nugget_list=NuggetList.objects.get(version=2))
    add_nugget(actor=assessor, nugget_list=again, text="new", importance="okay", client_key=key("n"))
    freeze_list(actor=assessor, nugget_list=again, client_key=key("f3"))
    assert missing_matches(matching).startswith("3 of 3")


def test_match_desk_shows_responses_blind_and_carries_marks(
    matching: Assignment,
    assessor: User,
    organiser: User,
    cheap: Nugget,
    squishy: Topic,
    squishy_items: list[Item],
    django_assert_num_queries,
) -> None:
    campaign = squishy.campaign
    for tag, items in [("Harbor1", squishy_items[:2]), ("Tide1", squishy_items[1:]), ("Tide2", squishy_items[:1])]:
        factories.response(factories.run(campaign, tag, organiser), squishy, items)
    unjudged = factories.run(campaign, "Late3", organiser, priority=3)
    factories.response(unjudged, squishy, [factories.item(squishy, "unpooled")])
    mark(assessor, matching, cheap, squishy_items[0])
    with django_assert_num_queries(12) as queries:
        desk = match_desk(matching)
    assert not any('assess_run"' in query["sql"] for query in queries)
    assert desk is not None
    assert [response.number for response in desk.responses] == [1, 2, 3]
    texts = sorted(tuple(string.item.text for string in response.strings) for response in desk.responses)
    assert texts == sorted(
        [tuple(i.text for i in squishy_items[:2]), tuple(i.text for i in squishy_items[1:]), (squishy_items[0].text,)]
    )
    assert desk.counts == {1: 2, 2: 0, 3: 0}
    carried = [s.carried_from for r in desk.responses for s in r.strings]
    assert sum(number is not None for number in carried) == 2
    assert match_desk(matching) == desk


def said_of(frozen: NuggetList, assessor: User) -> set[tuple[int, str, str]]:
    """What is now said of nuggets: (part, value, quote)."""
    return {(m.part, m.value, m.quote) for m in current_marks(frozen, assessor_id=assessor.pk, with_absent=True)}


@pytest.mark.usefixtures("found_in_part")
def test_a_part_stands_instead_of_the_whole_and_the_whole_instead_of_parts(
    matching: Assignment, assessor: User, cheap: Nugget, squishy_items: list[Item], frozen: NuggetList
) -> None:
    item = squishy_items[0]
    mark(assessor, matching, cheap, item, "whole", quote="cheap")
    before = NuggetMatch.objects.latest("id").pk
    mark(assessor, matching, cheap, item, "part", part=1)
    assert said_of(frozen, assessor) == {(1, "full", "")}
    assert [m.part for m in official_marks([frozen], at=Snapshot(matching.campaign, before))] == [0]
    mark(assessor, matching, cheap, item, "part 2", part=2)
    assert {part for part, _, _ in said_of(frozen, assessor)} == {1, 2}
    mark(assessor, matching, cheap, item, "whole again", value="partial")
    assert said_of(frozen, assessor) == {(0, "partial", "")}
    assert NuggetMatch.objects.count() == 4, "every row is something that somebody said"


def test_a_part_elsewhere_or_of_another_nugget_stays(
    matching: Assignment, assessor: User, cheap: Nugget, squishy_items: list[Item], frozen: NuggetList
) -> None:
    other = frozen.nuggets.get(number=2)
    mark(assessor, matching, cheap, squishy_items[0], "a", part=1)
    mark(assessor, matching, cheap, squishy_items[1], "b")
    mark(assessor, matching, other, squishy_items[0], "c")
    mark(assessor, matching, other, squishy_items[0], "d", value="absent", part=1)
    found = {(m.number, m.part, m.item_id) for m in official_marks([frozen])}
    assert found == {(1, 1, squishy_items[0].pk), (1, 0, squishy_items[1].pk), (2, 0, squishy_items[0].pk)}


def test_absence_of_the_whole_and_a_part_do_not_stand_together(
    matching: Assignment, assessor: User, cheap: Nugget, squishy_items: list[Item], frozen: NuggetList
) -> None:
    item = squishy_items[0]
    mark(assessor, matching, cheap, item, "absent", value="absent")
    mark(assessor, matching, cheap, item, "part", part=1)
    assert said_of(frozen, assessor) == {(1, "full", "")}
    mark(assessor, matching, cheap, item, "absent again", value="absent")
    assert said_of(frozen, assessor) == {(0, "absent", "")}
    assert mark(assessor, matching, cheap, item, "part", part=1).part == 1  # the same key again changes nothing
    assert said_of(frozen, assessor) == {(0, "absent", "")}


def test_the_adjudicators_part_stands_instead_of_the_primarys_whole(
    matching: Assignment,
    assessor: User,
    adjudicator: User,
    cheap: Nugget,
    squishy_items: list[Item],
    frozen: NuggetList,
) -> None:
    settling = factories.assignment(frozen.topic, "matches", adjudicator, role="adjudicator")
    mark(assessor, matching, cheap, squishy_items[0], "a")
    mark(assessor, matching, cheap, squishy_items[1], "b", part=1)
    mark(adjudicator, settling, cheap, squishy_items[0], "c", part=1)
    found = {m.item_id: (m.part, m.role) for m in official_marks([frozen])}
    assert found == {squishy_items[0].pk: (1, "adjudicator"), squishy_items[1].pk: (1, "primary")}
    mark(adjudicator, settling, cheap, squishy_items[1], "d", value="absent")
    assert {m.item_id for m in official_marks([frozen])} == {squishy_items[0].pk}


def test_collectors_of_one_ledger_point_read_the_marks_that_count_once(
    matching: Assignment, assessor: User, cheap: Nugget, squishy_items: list[Item]
) -> None:
    point = mark(assessor, matching, cheap, squishy_items[0]).pk
    snapshot = Snapshot(matching.campaign, point)

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert [(each.number, each.key) for each in item_matches(snapshot)] == [(1, squishy_items[0].key)]
            list(other_judged(snapshot))
        return sum('FROM "nuggets_nuggetmatch" WHERE' in query["sql"] for query in queries)

    assert (asked(), asked()) == (1, 0)
    mark(assessor, matching, cheap, squishy_items[0], "undo", value=None)
    assert list(item_matches(Snapshot(matching.campaign, point))) == list(item_matches(snapshot))
    assert list(item_matches(replace(snapshot, as_of=None))) == []
    newest = Snapshot(matching.campaign)
    assert list(item_matches(newest)) == []
    mark(assessor, matching, cheap, squishy_items[1], "again")
    assert [each.key for each in item_matches(newest)] == [squishy_items[1].key], "no point, so nothing is kept"


@pytest.mark.parametrize("other", ["", "second", "adjudicator", "finishing"])
def test_the_file_of_everything_keeps_which_marks_count_if_one_person_marked(
    other: str,
    matching: Assignment,
    assessor: User,
    adjudicator: User,
    cheap: Nugget,
    squishy_items: list[Item],
    frozen: NuggetList,
) -> None:
    mark(assessor, matching, cheap, squishy_items[0], "a")
    mark(assessor, matching, cheap, squishy_items[1], "b", part=1)
    mark(assessor, matching, cheap, squishy_items[1], "c", part=2)
    last = mark(assessor, matching, cheap, squishy_items[2], "d", value="absent").pk
    if other:
        role = "second" if other == "second" else "adjudicator"
        work = factories.assignment(frozen.topic, "matches", adjudicator, role=role)
        if other == "finishing":
            review = review_items(actor=adjudicator, assignment=work, items=squishy_items[:1], client_key=key("f"))
            last = max(each.pk for each in review)
        else:
            last = mark(adjudicator, work, cheap, squishy_items[0], "g", value="absent").pk
    snapshot = Snapshot(matching.campaign, last)
    (said,) = matched_acts(snapshot, pseudonyms(matching.campaign))
    with CaptureQueriesContext(connection) as queries:
        found = sorted((each.key, each.part) for each in item_matches(snapshot))
    assert found == sorted((each.key, each.part) for each in item_matches(Snapshot(matching.campaign, last)))
    assert any('FROM "nuggets_nuggetmatch" WHERE' in query["sql"] for query in queries) == bool(other)
    expected = {"": (3, 4), "second": (3, 5), "adjudicator": (2, 5), "finishing": (2, 4)}
    assert (len(found), len(said.marks)) == expected[other]


def test_what_changed_is_told_since_the_assessor_looked(
    matching: Assignment,
    nugget_writing: Assignment,
    assessor: User,
    second_assessor: User,
    organiser: User,
    frozen: NuggetList,
    squishy_items: list[Item],
) -> None:
    """Over several versions, over a hand-over of the list, and no longer than there is something to look for."""

    def again() -> Set[int]:
        desk = match_desk(matching)
        assert desk is not None
        return desk.again

    def revised(change: Callable[..., object], **asked: object) -> None:
        Assignment.objects.filter(stage="nuggets").update(state="started")
        draft = revise_list(actor=assessor, nugget_list=NuggetList.objects.latest("version"))
        change(actor=assessor, nugget_list=draft, client_key=uuid4(), **asked)
        freeze_list(actor=assessor, nugget_list=draft, client_key=uuid4())

    review_items(actor=assessor, assignment=matching, items=squishy_items[:2], client_key=key("r"))
    mark(assessor, matching, frozen.nuggets.get(number=3), squishy_items[2], "m")
    revised(split_nugget, number=1, texts=["not dear", "little"])
    assert again() == {4, 5}
    revised(edit_nugget, number=2, importance="vital")
    assert again() == {4, 5}
    review_items(actor=assessor, assignment=matching, items=squishy_items[:2], client_key=key("r2"))
    assert again() == {4, 5}  # in the third item
    review_items(actor=assessor, assignment=matching, items=squishy_items, client_key=key("r3"))
    assert again() == set()
    revised(retire_nugget, number=4)
    revised(restore_nugget, number=4)
    assert again() == set()
    Assignment.objects.filter(stage="nuggets").update(state="started")
    nugget_writing.refresh_from_db()
    onward = hand_over(actor=organiser, assignment=nugget_writing, to=second_assessor)
    onward = open_assignment(actor=second_assessor, assignment=onward)
    draft = start_list(actor=second_assessor, assignment=onward)
    edit_nugget(actor=second_assessor, nugget_list=draft, number=2, text="very light", client_key=key("e"))
    freeze_list(actor=second_assessor, nugget_list=draft, client_key=key("f"))
    assert again() == {2}
    assert missing_matches(matching).startswith("3 of 3")
