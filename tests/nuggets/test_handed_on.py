"""Work that went from one assessor to another: whose marks and whose list count."""

from __future__ import annotations

from django.contrib.auth.models import User

from assess.judging.snapshots import Snapshot
from assess.models import Assignment, Item, Topic
from nuggets.matches.current import official_marks
from nuggets.matches.record import review_items
from nuggets.models import Nugget, NuggetList
from nuggets.writing.counting_lists import official_list
from nuggets.writing.lists import freeze_list, start_list
from nuggets.writing.record import add_nugget
from tests import factories
from tests.nuggets.keys import key
from tests.nuggets.workshop import mark


def handed_on(assignment: Assignment, to: User) -> Assignment:
    Assignment.objects.filter(pk=assignment.pk).update(state="returned")
    return factories.assignment(assignment.topic, assignment.stage, to)


def test_marks_of_a_string_are_those_of_who_looked_at_it_last(
    matching: Assignment, second_assessor: User, cheap: Nugget, squishy_items: list[Item], frozen: NuggetList
) -> None:
    light = frozen.nuggets.get(number=2)
    first, second, third = squishy_items
    for item in squishy_items:
        mark(matching, cheap, item, f"cheap in {item.pk}")
    before = official_marks([frozen])[-1].row
    onward = handed_on(matching, second_assessor)
    review_items(actor=second_assessor, assignment=onward, items=[first], client_key=key("nothing is in it"))
    mark(onward, light, second, "only light")
    counting = {(found.number, found.item_id) for found in official_marks([frozen])}
    assert counting == {(2, second.pk), (1, third.pk)}
    assert len(official_marks([frozen], at=Snapshot(frozen.topic.campaign, before))) == 3


def test_finished_by_a_second_assessor_takes_no_mark_away(
    matching: Assignment, second_assessor: User, cheap: Nugget, squishy_items: list[Item], frozen: NuggetList
) -> None:
    mark(matching, cheap, squishy_items[0], "cheap")
    second = factories.assignment(matching.topic, "matches", second_assessor, role="second")
    review_items(actor=second_assessor, assignment=second, items=squishy_items, client_key=key("seen"))
    assert [found.number for found in official_marks([frozen])] == [1]


def test_adjudicators_word_stands_beside_the_marks_of_who_looked_last(
    matching: Assignment, adjudicator: User, cheap: Nugget, squishy_items: list[Item], frozen: NuggetList
) -> None:
    light = frozen.nuggets.get(number=2)
    mark(matching, cheap, squishy_items[0], "cheap")
    mark(matching, light, squishy_items[0], "light")
    settling = factories.assignment(matching.topic, "matches", adjudicator, role="adjudicator")
    mark(settling, cheap, squishy_items[0], "not cheap", "absent")
    assert [found.number for found in official_marks([frozen])] == [2]


def test_list_begun_as_second_counts_when_its_author_freezes_it_as_primary(squishy: Topic, assessor: User) -> None:
    beside = factories.assignment(squishy, "nuggets", assessor, role="second")
    draft = start_list(actor=assessor, assignment=beside)
    add_nugget(actor=assessor, nugget_list=draft, text="cheap", importance="vital", client_key=key("cheap"))
    author = handed_on(beside, assessor)
    draft.assignment = author
    frozen = freeze_list(actor=assessor, nugget_list=draft, client_key=key("freeze"))
    assert official_list(squishy.pk) == frozen
