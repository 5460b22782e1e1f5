"""What an accepted run becomes: segments and citations with items of their own, whole responses, ranked topics."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from assess.base.errors import Invalid
from assess.campaigns.queries import ledger_point
from assess.models import Campaign, Citation, Item, Response, Run, Segment
from assess.runs.domain.deciding import withdraw_run
from assess.runs.queries import run_names
from tests import factories
from tests.assess.toys import send

pytestmark = pytest.mark.django_db


def items(campaign: Campaign, kind: str) -> list[tuple[str, str, str, str, object]]:
    found = Item.objects.filter(topic__campaign=campaign, kind=kind).order_by("topic__number", "key")
    return [(item.topic.number, item.key, item.text, item.docno, item.fields) for item in found]


def test_citations_have_their_own_text_and_fields(toy: Campaign, organiser: User) -> None:
    document = factories.document(toy, "D1")
    send(toy, organiser, "A", {"topic": "9-1_1", "sentences": [{"text": "It is warm.", "cites": ["D1", "P2"]}]})
    assert items(toy, "sentence") == [("9-1_1", "It is warm.", "It is warm.", "", {"words": 3})]
    assert items(toy, "citation") == [
        ("9-1_1", "It is warm. [D1]", "It is warm.", "D1", {"sentence": "It is warm."}),
        ("9-1_1", "It is warm. [P2]", "", "P2", {"sentence": "It is warm."}),
    ]
    assert list(Citation.objects.values_list("ordinal", "docno", "item__document")) == [
        (1, "D1", document.pk),
        (2, "P2", None),
    ]


def test_a_whole_response_is_an_item_and_the_same_one_twice_is_one(toy: Campaign, organiser: User) -> None:
    send(toy, organiser, "A", {"topic": "9-1_1", "answer": "Go in May."}, {"topic": "10_1", "answer": "Soup."})
    send(toy, organiser, "B", {"topic": "9-1_1", "answer": "Go in May."}, priority=2)
    assert items(toy, "answer") == [
        ("10_1", "Soup.", "", "", {"parts": [{"text": "Soup."}]}),
        ("9-1_1", "Go in May.", "", "", {"parts": [{"text": "Go in May."}]}),
    ]
    found = Response.objects.order_by("run__tag", "topic__number")
    assert list(found.values_list("run__tag", "topic__number", "item__key", "characters")) == [
        ("A", "10_1", "Soup.", 5),
        ("A", "9-1_1", "Go in May.", 8),
        ("B", "9-1_1", "Go in May.", 8),
    ]
    assert Segment.objects.count() == 0


def test_a_ranking_stays_in_its_file_and_its_topics_count_as_answered(toy: Campaign, organiser: User) -> None:
    ranked = [["P1", 2.0], ["P2", 1.0]]
    run = send(
        toy, organiser, "R", {"topic": "9-1_2", "ranked": ranked}, {"topic": "77", "ranked": ranked}, kind="ranked"
    )
    assert list(run.responses.values_list("topic__number", "item", "characters")) == [("9-1_2", None, 0)]
    assert (Item.objects.count(), Segment.objects.count()) == (0, 0)
    withdraw_run(actor=organiser, run=run)
    assert Response.objects.count() == 0


def test_what_can_not_be_stored_is_refused_whole(toy: Campaign, organiser: User) -> None:
    with pytest.raises(Invalid, match=r"Topic 9-1_1: the key of an item has 201 characters; at most 200 .*\(aaa"):
        send(toy, organiser, "A", {"topic": "9-1_1", "answer": "a" * 201})
    with pytest.raises(Invalid, match="the docno of an item has 300 characters"):
        send(
            toy, organiser, "A", {"topic": "9-1_1", "sentences": [{"text": "x" * 20, "cites": ["d" * 100, "e" * 300]}]}
        )
    with pytest.raises(Invalid, match="The run answers 77, which is no topic of this campaign"):
        send(toy, organiser, "A", {"topic": "77", "answer": "Soup."})
    with pytest.raises(Invalid, match="two responses to topic 10_1"):
        send(toy, organiser, "A", {"topic": "10_1", "answer": "Soup."}, {"topic": "10_1", "answer": "Fish."})
    assert (Run.objects.count(), Item.objects.count(), Response.objects.count()) == (0, 0, 0)


def test_a_release_of_an_earlier_point_names_no_run_that_was_accepted_later(toy: Campaign, organiser: User) -> None:
    turn = {"topic": "9-1_1", "sentences": [{"text": "It is warm.", "cites": ["D1"]}]}
    send(toy, organiser, "A", turn)
    point = ledger_point(toy)
    before = run_names(toy, as_of=point)
    send(toy, organiser, "B", turn, priority=2)
    assert run_names(toy, as_of=point) == before
    assert set(run_names(toy).runs) == {"A", "B"}
