"""Two assessors who each write a nugget list of a topic and mark the nuggets of their own."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.assignments.domain.assignments import finish_assignment, open_assignment, waiting_for
from assess.base.errors import Conflict
from assess.exports.writing import everything
from assess.judging.snapshots import Snapshot
from assess.models import Assignment, Campaign, Item, Membership, Topic
from assess.replay.replaying import import_judgments
from nuggets.matches.bench import match_desk
from nuggets.matches.current import current_marks, official_marks
from nuggets.matches.export import item_matches, matches_of, reviews_of
from nuggets.matches.record import MatchInput, record_match, review_items
from nuggets.matches.tally import missing_matches, tally_matches
from nuggets.models import NuggetList, NuggetMatch
from nuggets.votes.export import nuggets
from nuggets.writing.counting_lists import list_for, lists_for, official_list
from nuggets.writing.export import nuggets_of
from nuggets.writing.lists import freeze_list, revise_list, start_list
from nuggets.writing.record import add_nugget, edit_nugget
from scoring.formats.judgments_jsonl import write_judgments
from scoring.records import OwnedMatch, OwnedNugget, OwnedReview
from scoring.release.recorded_acts import ListFrozen, Matched, NuggetWritten, Reviewed
from tests import factories
from tests.nuggets.keys import key
from tests.nuggets.workshop import workshop_campaign
from tests.pages import page_of

pytestmark = pytest.mark.django_db
DOCNO = "BLOG06-20060101-000-0000000001"


@dataclass
class Side:
    """One assessor's writing and finding."""

    person: User
    writing: Assignment
    finding: Assignment
    list: NuggetList


def write(person: User, writing: Assignment, texts: list[tuple[str, str]]) -> NuggetList:
    draft = start_list(actor=person, assignment=writing)
    for text, importance in texts:
        add_nugget(
            actor=person,
            nugget_list=draft,
            text=text,
            importance=importance,
            client_key=key(f"{person} {text}"),
        )
    return freeze_list(actor=person, nugget_list=draft, client_key=key(f"{person} freeze"))


def side(topic: Topic, person: User, role: str, texts: list[tuple[str, str]]) -> Side:
    writing = factories.assignment(topic, "write", person, role=role)
    finding = factories.assignment(topic, "find", person, role=role)
    return Side(person, writing, finding, write(person, writing, texts))


@pytest.fixture
def strings(defined: Topic) -> list[Item]:
    return factories.pooled(defined, ["a Swiss bank in Basel", "it settles payments", "founded in 1930"])


@pytest.fixture
def first(defined: Topic, author: User, strings: list[Item]) -> Side:
    return side(defined, author, "primary", [("is a bank", "vital"), ("in Basel", "okay")])


@pytest.fixture
def second(defined: Topic, other: User, first: Side) -> Side:
    return side(defined, other, "second", [("settles payments", "okay"), ("founded 1930", "vital"), ("Swiss", "okay")])


def mark(
    at: Side, number: int, item: Item, *, value: str | None = "full", name: str = "", **more: object
) -> NuggetMatch:
    nugget = at.list.nuggets.get(number=number)
    unique = f"{at.person} {number} {item.pk} {value} {name}"
    said = MatchInput(nugget=nugget, item=item, value=value, client_key=key(unique), **more)
    return record_match(actor=at.person, assignment=at.finding, match=said)


def test_everybody_works_from_their_own_list(first: Side, second: Side) -> None:
    assert lists_for([first.finding, second.finding]) == {first.finding.pk: first.list, second.finding.pk: second.list}
    assert official_list(first.list.topic_id) == first.list
    desk = match_desk(second.finding)
    assert desk is not None
    assert [nugget.text for nugget in desk.nuggets] == ["settles payments", "founded 1930", "Swiss"]


def test_without_an_own_list_there_is_nothing_to_mark(
    defined: Topic, first: Side, other: User, strings: list[Item]
) -> None:
    finding = factories.assignment(defined, "find", other, role="second")
    assert list_for(finding) is None
    assert match_desk(finding) is None
    assert missing_matches(finding) == "The nugget list of this topic is not frozen yet."
    bare = Side(other, finding, finding, first.list)
    with pytest.raises(Conflict, match="not frozen yet"):
        mark(bare, 1, strings[0])
    with pytest.raises(Conflict, match="not frozen yet"):
        review_items(actor=other, assignment=finding, items=strings, client_key=key("r"))


def test_nobody_marks_the_nuggets_of_another(first: Side, second: Side, strings: list[Item]) -> None:
    with pytest.raises(Conflict, match="not on the list"):
        record_match(
            actor=second.person,
            assignment=second.finding,
            match=MatchInput(nugget=first.list.nuggets.get(number=1), item=strings[0], client_key=key("x")),
        )


def test_progress_is_counted_under_the_own_list(first: Side, second: Side, strings: list[Item]) -> None:
    review_items(actor=second.person, assignment=second.finding, items=strings[:2], client_key=key("r"))
    tallies = tally_matches([first.finding, second.finding])
    assert (tallies[first.finding.pk].done, tallies[second.finding.pk].done) == (0, 2)
    Assignment.objects.filter(pk=second.writing.pk).update(state="started")
    revised = revise_list(actor=second.person, nugget_list=second.list)
    edit_nugget(actor=second.person, nugget_list=revised, number=1, text="settles debts", client_key=key("e"))
    freeze_list(actor=second.person, nugget_list=revised, client_key=key("f2"))
    assert tally_matches([second.finding])[second.finding.pk].done == 0
    review_items(actor=first.person, assignment=first.finding, items=strings, client_key=key("r1"))
    assert missing_matches(first.finding) == ""


def test_an_own_stage_opens_when_the_same_assessor_is_done(
    defined: Topic, author: User, other: User, strings: list[Item]
) -> None:
    writing = factories.assignment(defined, "write", author)
    finding = factories.assignment(defined, "find", author, state="open")
    theirs = factories.assignment(defined, "write", other, role="second")
    waiting = factories.assignment(defined, "find", other, role="second", state="open")
    write(author, writing, [("a bank", "vital")])
    finish_assignment(actor=author, assignment=writing)
    assert waiting_for(finding) == ""
    assert waiting_for(waiting) == "Opens when you are done with “Write nuggets” of this topic."
    with pytest.raises(Conflict):
        open_assignment(actor=other, assignment=waiting)
    write(other, theirs, [("a bank too", "vital")])
    finish_assignment(actor=other, assignment=theirs)
    assert open_assignment(actor=other, assignment=waiting).state == "started"


def test_official_exports_are_the_authors_and_owned_ones_everybodys(
    workshop: Campaign, first: Side, second: Side, strings: list[Item]
) -> None:
    mark(first, 2, strings[0], quote="Basel")
    mark(second, 1, strings[1])
    mark(second, 2, strings[2], value="partial")
    mark(second, 3, strings[2], value="absent")
    review_items(actor=second.person, assignment=second.finding, items=strings[1:2], client_key=key("r"))
    assert [nugget.text for nugget in nuggets(Snapshot(workshop))] == ["is a bank", "in Basel"]
    assert [match.number for match in item_matches(Snapshot(workshop))] == [2]
    assert next(nuggets_of(Snapshot(workshop), role="second")) == OwnedNugget(
        by="assessor-2", role="second", topic="d1", number=1, importance="okay", text="settles payments"
    )
    assert [n.text for n in nuggets_of(Snapshot(workshop))] == ["is a bank", "in Basel"]
    assert len(list(nuggets_of(Snapshot(workshop), role="all"))) == 5
    assert list(matches_of(Snapshot(workshop))) == [
        OwnedMatch(
            by="assessor-1",
            role="primary",
            topic="d1",
            number=2,
            key=strings[0].key,
            docno=DOCNO,
            text=strings[0].text,
            quote="Basel",
        )
    ]
    seconds = {(m.by, m.number, m.text, m.value) for m in matches_of(Snapshot(workshop), role="second")}
    assert seconds == {
        ("assessor-2", 1, "it settles payments", "full"),
        ("assessor-2", 2, "founded in 1930", "partial"),
        ("assessor-2", 3, "founded in 1930", "none"),
    }
    assert len(list(matches_of(Snapshot(workshop), role="all"))) == 4
    assert list(reviews_of(Snapshot(workshop))) == []
    assert list(reviews_of(Snapshot(workshop), role="second")) == [
        OwnedReview(
            by="assessor-2", role="second", topic="d1", key=strings[1].key, docno=DOCNO, text="it settles payments"
        )
    ]
    with pytest.raises(ValueError, match="third"):
        list(nuggets_of(Snapshot(workshop), role="third"))


def test_everything_holds_both_lists_and_the_marks_on_both(
    workshop: Campaign, first: Side, second: Side, strings: list[Item]
) -> None:
    mark(first, 1, strings[0])
    mark(second, 1, strings[1])
    review_items(actor=second.person, assignment=second.finding, items=strings[:1], client_key=key("r"))
    acts = list(everything(Snapshot(workshop)))
    assert {(d.by, d.role, d.number) for d in acts if isinstance(d, NuggetWritten)} == {
        ("assessor-1", "", 1),
        ("assessor-1", "", 2),
        ("assessor-2", "second", 1),
        ("assessor-2", "second", 2),
        ("assessor-2", "second", 3),
    }
    assert {(d.by, d.role) for d in acts if isinstance(d, ListFrozen)} == {
        ("assessor-1", ""),
        ("assessor-2", "second"),
    }
    assert {(d.by, d.role, d.number, d.answer) for d in acts if isinstance(d, Matched)} == {
        ("assessor-1", "", 1, strings[0].text),
        ("assessor-2", "second", 1, strings[1].text),
    }
    assert [(d.by, d.answer) for d in acts if isinstance(d, Reviewed)] == [("assessor-2", strings[0].text)]


def test_what_two_assessors_said_is_the_same_when_it_is_replayed_elsewhere(
    workshop: Campaign, organiser: User, first: Side, second: Side, strings: list[Item]
) -> None:
    mark(first, 1, strings[0])
    mark(second, 1, strings[1], value="partial")
    mark(second, 2, strings[1], value="absent")
    for each in (first, second):
        review_items(actor=each.person, assignment=each.finding, items=strings, client_key=key(f"r {each.person}"))
    lines = list(write_judgments(everything(Snapshot(workshop))))
    elsewhere = workshop_campaign(organiser, "elsewhere")
    factories.pooled(elsewhere.topics.get(number="d1"), [item.text for item in strings])
    people = {"assessor-1": first.person, "assessor-2": second.person}
    for person in people.values():
        Membership.objects.create(campaign=elsewhere, user=person, role="assessor")
    stream = BytesIO("\n".join(lines).encode())
    import_judgments(actor=organiser, campaign=elsewhere, stream=stream, people=people)
    assert list(write_judgments(everything(Snapshot(elsewhere)))) == lines
    assert set(elsewhere.assignments.values_list("role", "state")) == {("primary", "done"), ("second", "done")}


def test_an_item_with_a_key_of_its_own_is_named_by_it(workshop: Campaign, first: Side, strings: list[Item]) -> None:
    Item.objects.filter(pk=strings[0].pk).update(key="response-9")
    mark(first, 1, strings[0])
    mark(first, 1, strings[1])
    named = {act.key for act in everything(Snapshot(workshop)) if isinstance(act, Matched)}
    assert named == {"response-9", ""}


def test_a_nugget_said_to_be_absent_is_a_statement_and_a_mark_withdrawn_is_nothing(
    workshop: Campaign, first: Side, strings: list[Item]
) -> None:
    mark(first, 1, strings[0])
    mark(first, 1, strings[0], value="absent", name="absent")
    mark(first, 2, strings[0])
    mark(first, 2, strings[0], value=None)
    assert official_marks([first.list]) == []
    assert current_marks(first.list, assessor_id=first.person.pk) == []
    said = [(m.number, m.value) for m in official_marks([first.list], with_absent=True)]
    assert said == [(1, "absent")]
    absent = [act for act in everything(Snapshot(workshop)) if isinstance(act, Matched)]
    assert [(act.number, act.is_absent, act.is_partial) for act in absent] == [(1, True, False)]


def test_the_newest_row_alone_says_what_is_current(first: Side, strings: list[Item]) -> None:
    for name, value in enumerate(["absent", "absent", "full", None, None, "absent", None, "partial", "absent"]):
        mark(first, 1, strings[0], value=value, name=str(name))
        found = official_marks([first.list], with_absent=True)
        assert [m.value for m in found] == ([] if value is None else [value])
    assert NuggetMatch.objects.count() == 9


def test_a_second_assessor_sees_nothing_of_the_authors_work(
    workshop: Campaign, first: Side, other: User, defined: Topic, client: Client, strings: list[Item]
) -> None:
    mark(first, 1, strings[0], quote="bank")
    writing = factories.assignment(defined, "write", other, role="second")
    client.force_login(other)
    pages = [reverse("work", args=["workshop"]), reverse("workbench", args=["workshop", writing.pk])]
    for address in pages:
        shown = page_of(client.get(address))
        assert "is a bank" not in shown
    assert client.get(reverse("workbench", args=["workshop", first.writing.pk])).status_code == 404
    finding = factories.assignment(defined, "find", other, role="second")
    write(other, writing, [("mine alone", "vital")])
    shown = page_of(client.get(reverse("workbench", args=["workshop", finding.pk])))
    assert "mine alone" in shown
    assert "is a bank" not in shown
    assert 'data-marks="[]"' in shown
    listed = client.get(f"/api/v1/campaigns/workshop/assignments/{finding.pk}/nugget-list/counting/").json()
    assert [nugget["text"] for nugget in listed] == ["mine alone"]
