"""Grouping of sentences, which name no document and to which nobody adds their own."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.assignments.queries.work_items import handle_of
from assess.base.errors import Invalid
from assess.campaigns.queries import stage_of
from assess.exports.writing import everything
from assess.judging.snapshots import Snapshot
from assess.models import Assignment, Campaign, Item, Judgment, Pool, PoolItem
from nuggets.classes.accepted_suggestions import accept_suggestions
from nuggets.classes.bench import class_board
from nuggets.classes.export import answer_classes, instance_judgments
from nuggets.classes.found_answers import add_found_answer
from nuggets.classes.record import create_class
from nuggets.classes.tally import missing_classes
from scoring.release.recorded_acts import Classed
from tests import factories
from tests.nuggets.keys import key
from tests.pages import page_of

pytestmark = pytest.mark.django_db
SENTENCES = ["Aspirin lowers the risk. [1]", "Aspirin lowers the risk.", "It may cause bleeding."]


@pytest.fixture
def sentences(workshop: Campaign, author: User) -> list[Item]:
    topic = workshop.topics.get(number="a1")
    pool = Pool.objects.create(campaign=workshop, task="aspects", recipe={}, digest="1" * 64)
    judging = factories.assignment(topic, "judge", author, state="done")
    made = []
    for place, text in enumerate(SENTENCES):
        item = Item.objects.create(topic=topic, kind="sentence", key=f"s{place}", text=text)
        PoolItem.objects.create(pool=pool, item=item)
        Judgment(
            item=item,
            criterion="required",
            value=1,
            assessor=author,
            assignment=judging,
            client_key=key(text),
            how="key",
        ).save()
        made.append(item)
    return made


@pytest.fixture
def aspects(sentences: list[Item], author: User) -> Assignment:
    return factories.assignment(sentences[0].topic, "aspects", author)


def test_nothing_can_be_added(aspects: Assignment, author: User, client: Client) -> None:
    factories.document(aspects.campaign, "D1")
    with pytest.raises(Invalid, match="No answers are added"):
        add_found_answer(actor=author, assignment=aspects, text="mine", docno="D1", client_key=key("f"))
    assert not Item.objects.filter(text="mine").exists()
    client.force_login(author)
    shown = page_of(client.get(reverse("workbench", args=["workshop", aspects.pk])))
    assert "An answer I found" not in shown
    said = {"action": "found", "text": "mine", "docno": "D1"}
    refused = client.post(reverse("classes-edit", args=["workshop", aspects.pk]), said)
    assert "No answers are added" in page_of(refused)
    api = f"/api/v1/campaigns/workshop/assignments/{aspects.pk}/classes/found/"
    answer = client.post(api, {"text": "mine", "docno": "D1", "client_key": str(key("a"))}, "application/json")
    assert (answer.status_code, Item.objects.filter(text="mine").exists()) == (422, False)


def test_sentences_are_shown_by_their_text_alone(aspects: Assignment, author: User, client: Client) -> None:
    client.force_login(author)
    shown = page_of(client.get(reverse("workbench", args=["workshop", aspects.pk])))
    assert all(text in shown for text in SENTENCES)
    assert 'class="docno' not in shown


def test_sentences_are_grouped_suggested_and_exported(
    workshop: Campaign, aspects: Assignment, author: User, sentences: list[Item]
) -> None:
    _, stage = stage_of(workshop, "aspects")
    assert class_board(aspects, stage).waiting_count == 3
    create_class(actor=author, assignment=aspects, items=[sentences[2]], label="harm", client_key=key("c"))
    accept_suggestions(actor=author, assignment=aspects, items=sentences[:2], client_key=key("s"))
    assert missing_classes(aspects) == ""
    assert {(found.key, found.label) for found in answer_classes(Snapshot(workshop))} >= {("1", "harm")}
    assert {(row.text, row.docno) for row in instance_judgments(Snapshot(workshop))} == {
        (text, "") for text in SENTENCES
    }
    assert {act.key for act in everything(Snapshot(workshop)) if isinstance(act, Classed)} == {"s0", "s1", "s2"}


def test_the_page_speaks_of_what_is_grouped(aspects: Assignment, author: User, client: Client) -> None:
    client.force_login(author)
    shown = page_of(client.get(reverse("workbench", args=["workshop", aspects.pk])))
    assert "No classes yet" in shown
    assert "Name of the class" in shown
    assert "answer" not in shown[shown.index("data-class-bench") :].replace("answer-row", "").lower()
    assert 'data-act="document"' not in shown


def test_nothing_is_accepted_where_nothing_reads_alike(
    aspects: Assignment, author: User, sentences: list[Item], client: Client
) -> None:
    _, stage = stage_of(aspects.campaign, "aspects")
    everything_waits = class_board(aspects, stage)
    assert everything_waits.all_handles == ""
    assert set(everything_waits.rest_handles.split(",")) == {str(handle_of(aspects, item.pk)) for item in sentences}
    alike = sentences[:2]
    Item.objects.filter(pk=alike[1].pk).update(text=alike[0].text)
    accepted = class_board(aspects, stage).all_handles
    assert set(accepted.split(",")) == {str(handle_of(aspects, item.pk)) for item in alike}
    assert class_board(aspects, stage).rest_handles == ""
    create_class(actor=author, assignment=aspects, items=alike, label="risk", client_key=key("c"))
    assert class_board(aspects, stage).all_handles == ""
    client.force_login(author)
    shown = page_of(client.get(reverse("workbench", args=["workshop", aspects.pk])))
    assert "accept this" not in shown
    assert "accept all" not in shown
    assert "each alone" in shown
