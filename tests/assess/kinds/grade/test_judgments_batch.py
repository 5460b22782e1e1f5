"""Judgments in batches by the API: each entry is saved or refused by itself, as the call for one does it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from assess.assignments.queries.work_items import handle_of
from assess.base.outages import Locked
from assess.kinds.grade import api
from assess.models import Assignment, Campaign, Item, Judgment, Topic
from assess.web.batches import MOST_ENTRIES
from tests import factories
from tests.nuggets.keys import key

pytestmark = pytest.mark.django_db


def entry(work: Assignment, item: Item, value: int | None, name: str = "", **more: Any) -> dict[str, Any]:
    """What judges one item."""
    said = {"item": handle_of(work, item.pk), "criterion": "correctness", "value": value}
    return {**said, "client_key": str(key(name or item.text)), **more}


def send(client: Client, work: Assignment, entries: Any, path: str = "judgments/batch/") -> tuple[int, Any]:
    address = f"/api/v1/campaigns/opinions/assignments/{work.pk}/{path}"
    body = {"entries": entries} if path.endswith("batch/") else entries
    answer = client.post(address, body, content_type="application/json")
    return answer.status_code, answer.json()


@pytest.fixture
def assessor_client(client: Client, grading: Assignment) -> Client:
    client.force_login(grading.assessor)
    return client


def test_each_entry_is_saved_or_refused_with_the_problem_of_the_single_call(
    assessor_client: Client, grading: Assignment, rigid_items: list[Item], squishy_items: list[Item]
) -> None:
    blue, green, red = rigid_items
    entries = [
        entry(grading, blue, 1),
        entry(grading, green, 7),  # not on the scale
        entry(grading, squishy_items[0], 1),  # of another topic
        entry(grading, red, -1, note="rusty"),
        entry(grading, green, 1, name=blue.text),  # a key that is used
        {**entry(grading, green, 1), "valeu": 1},
        {"item": "one"},
    ]
    status, told = send(assessor_client, grading, entries)
    answers = told["answers"]
    assert (status, [each["status"] for each in answers]) == (200, [201, 422, 404, 201, 409, 422, 422])
    assert {row.item.text: (row.value, row.note, row.how) for row in Judgment.objects.select_related("item")} == {
        "blue bicycle": (1, "", "api"),
        "red bicycle": (-1, "rusty", "api"),
    }
    for sent, answer in zip(entries, answers, strict=True):
        single = send(assessor_client, grading, sent, "judgments/")
        assert single == (answer["status"], answer["saved"] or answer["problem"])
        assert (answer["saved"] is None) != (answer["problem"] is None)


def test_the_same_entries_again_are_the_same_rows(
    assessor_client: Client, grading: Assignment, rigid_items: list[Item]
) -> None:
    entries = [entry(grading, item, 1) for item in (*rigid_items, rigid_items[0])]
    first, again = send(assessor_client, grading, entries), send(assessor_client, grading, entries)
    assert first == again
    assert (first[1]["answers"][0], Judgment.objects.count()) == (first[1]["answers"][3], 3)


def test_once_the_site_can_not_go_on_the_rest_is_refused_untried_and_nothing_saved_is_called_refused(
    assessor_client: Client, grading: Assignment, rigid_items: list[Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [entry(grading, item, 1) for item in rigid_items]
    add = api.add_judgment
    tried = []

    def add_until_the_database_is_held(**values: Any) -> Judgment:
        tried.append(values["judgment"].item)
        if len(tried) == 2:
            raise Locked
        return add(**values)

    with monkeypatch.context() as patch:
        patch.setattr(api, "add_judgment", add_until_the_database_is_held)
        status, told = send(assessor_client, grading, entries)
    answers = told["answers"]
    assert (status, [each["status"] for each in answers], tried) == (200, [201, 503, 503], rigid_items[:2])
    assert [each["problem"]["code"] for each in answers[1:]] == ["busy", "busy"]
    assert [row.item for row in Judgment.objects.all()] == rigid_items[:1]
    again = send(assessor_client, grading, entries)[1]["answers"]
    assert (again[0], [each["status"] for each in again]) == (answers[0], [201, 201, 201])


@pytest.mark.parametrize("sent", [[], [{}] * (MOST_ENTRIES + 1), ["x"], {"item": 1}, None])
def test_what_is_no_list_of_so_many_entries_is_refused_as_a_whole(
    assessor_client: Client, grading: Assignment, sent: Any
) -> None:
    status, told = send(assessor_client, grading, sent)
    assert (status, told["code"], [each["field"].split(".")[0] for each in told["errors"]]) == (
        422,
        "invalid",
        ["entries"],
    )


def test_another_persons_work_is_not_there_whatever_is_sent(
    client: Client, grading: Assignment, second_assessor: User, rigid_items: list[Item]
) -> None:
    client.force_login(second_assessor)
    for sent in ([entry(grading, rigid_items[0], 1)], []):
        assert send(client, grading, sent)[0] == 404
    assert not Judgment.objects.exists()


def test_a_frozen_campaign_refuses_every_entry(
    assessor_client: Client, grading: Assignment, rigid_items: list[Item]
) -> None:
    Campaign.objects.update(state="frozen")
    _, told = send(assessor_client, grading, [entry(grading, item, 1) for item in rigid_items])
    assert [each["problem"]["code"] for each in told["answers"]] == ["conflict"] * 3
    assert not Judgment.objects.exists()


def test_work_that_waits_is_refused_with_what_it_waits_for(
    assessor_client: Client, grading: Assignment, rigid: Topic, rigid_items: list[Item]
) -> None:
    """And not with a call to open it, which is refused, too."""
    waits = factories.assignment(rigid, "classes", grading.assessor, state="open")
    for path in ("judgments/batch/", "open/"):
        sent = [entry(waits, rigid_items[0], 1)] if "batch" in path else {}
        told = send(assessor_client, waits, sent, path)[1]
        said = told["answers"][0]["problem"] if "batch" in path else told
        assert (said["status"], said["detail"]) == (409, "Opens when “Judge instances” of this topic is done.")


def test_what_is_wrong_with_a_type_is_told_once(
    assessor_client: Client, grading: Assignment, rigid_items: list[Item]
) -> None:
    sent = {**entry(grading, rigid_items[0], 1), "value": "R"}
    (answer,) = send(assessor_client, grading, [sent])[1]["answers"]
    fault = {"field": "value", "detail": "This is not a whole number, as JSON writes it."}
    assert answer["problem"]["errors"] == [fault]


@pytest.mark.parametrize(
    ("body", "field", "said"),
    [
        ([], "", "This is not an object, as JSON writes it."),
        (None, "", "This is not an object, as JSON writes it."),
        ({"entries": {"item": 1}}, "entries", "This is not a list, as JSON writes it."),
        ({"entries": [{}, [1]]}, "entries.1", "This is not an object, as JSON writes it."),
    ],
)
def test_a_body_of_another_shape_is_refused_in_plain_words(
    assessor_client: Client, grading: Assignment, body: Any, field: str, said: str
) -> None:
    address = f"/api/v1/campaigns/opinions/assignments/{grading.pk}/judgments/batch/"
    answer = assessor_client.post(address, json.dumps(body), content_type="application/json")
    assert (answer.status_code, answer.json()["errors"]) == (422, [{"field": field, "detail": said}])
