"""Snippets that go with a judgment: verbatim, in their place, refused where they are not."""

from __future__ import annotations

import hashlib
import json
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.urls import reverse

from assess.assignments.queries.work_items import handle_of
from assess.base.errors import Conflict, Invalid
from assess.judging.queries.bench import shown_grade
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import DocumentBody, Item, Judgment
from tests.benches import ABSTRACT, Benches

pytestmark = pytest.mark.django_db
KEY = UUID("00000000-0000-4000-8000-000000000001")
QUOTE = "😀 Muscle pain was rare."
START = ABSTRACT.index(QUOTE)
DIGEST = hashlib.sha256(ABSTRACT.encode()).hexdigest()


def say(
    benches: Benches, evidence: Any, *, key: UUID | None = None, how: str = "key", kind: str = "citation"
) -> Judgment:
    stage, criterion = ("citations", "support") if kind == "citation" else ("statements", "known")
    work = benches.work[stage]
    said = JudgmentInput(
        item=benches.items(kind)[0], criterion=criterion, value=1, client_key=key or uuid4(), evidence=evidence, how=how
    )
    return record_judgment(actor=work.assessor, assignment=work, judgment=said)


def test_a_snippet_is_kept_whole_with_its_place(benches: Benches) -> None:
    row = say(benches, [{"quote": QUOTE, "start": START, "digest": DIGEST, "value": 2}])
    assert row.evidence == [
        {
            "quote": QUOTE,
            "start": START,
            "end": START + len(QUOTE),
            "prefix": ABSTRACT[START - 32 : START],
            "suffix": ABSTRACT[START + len(QUOTE) :][:32],
            "digest": DIGEST,
            "value": 2,
        }
    ]


@pytest.mark.parametrize(
    ("snippet", "words"),
    [
        ({"quote": QUOTE, "start": START + 1}, "not what stands"),
        ({"quote": QUOTE, "start": len(ABSTRACT)}, "outside"),
        ({"quote": QUOTE, "start": 10**30}, "outside"),
        ({"quote": QUOTE, "start": START, "end": START}, "end"),
        ({"quote": QUOTE, "start": START, "prefix": "elsewhere"}, "around the quote"),
        ({"quote": QUOTE, "start": True}, "whole number"),
        ({"quote": QUOTE, "start": "3"}, "whole number"),
        ({"quote": "never said", "start": -1}, "word for word"),
        ({"quote": ""}, "needs its words"),
        ({"quote": "  "}, "needs its words"),
        ({"quote": None}, "needs its words"),
        ({"quote": "x" * 5001}, "5000"),
        ({"quote": "a\0b"}, "no text can contain"),
        ({"quote": "a\ud800b"}, "no text can contain"),
        ({"quote": QUOTE, "value": 9}, "scale"),
        ({"quote": QUOTE, "value": True}, "scale"),
        ({"quote": QUOTE, "colour": "red"}, "no others"),
        ("text", "members"),
    ],
)
def test_a_snippet_that_does_not_fit_is_refused(benches: Benches, snippet: object, words: str) -> None:
    with pytest.raises(Invalid, match=words):
        say(benches, [snippet])
    assert not Judgment.objects.exists()


def test_a_text_that_has_changed_is_refused(benches: Benches) -> None:
    with pytest.raises(Conflict, match="not the text in which you marked words"):
        say(benches, [{"quote": QUOTE, "start": START, "digest": "0" * 64}])


def test_many_snippets_are_kept_and_too_many_refused(benches: Benches) -> None:
    every = [{"quote": ABSTRACT[start : start + 3], "start": start} for start in range(51)]
    assert len(say(benches, every[:50]).evidence or []) == 50
    with pytest.raises(Invalid, match="51 snippets; 50"):
        say(benches, every)


@pytest.mark.parametrize("evidence", ["text", 5, {"quote": QUOTE}])
def test_what_is_no_list_is_refused(benches: Benches, evidence: object) -> None:
    with pytest.raises(Invalid, match="list of snippets"):
        say(benches, evidence)


def test_no_snippets_are_none(benches: Benches) -> None:
    assert say(benches, []).evidence is None
    assert say(benches, None).evidence is None


def test_a_criterion_that_asks_for_none_takes_none(benches: Benches) -> None:
    with pytest.raises(Invalid, match="takes no snippets"):
        say(benches, [{"quote": "meat"}], kind="statement")


def test_a_snippet_without_a_place_is_looked_up(benches: Benches) -> None:
    (snippet,) = say(benches, [{"quote": QUOTE, "start": -1, "value": None}]).evidence
    assert (snippet["start"], snippet["digest"]) == (START, DIGEST)


def test_an_imported_snippet_that_is_not_found_is_kept_without_a_place(benches: Benches) -> None:
    (snippet,) = say(benches, [{"quote": "never said", "start": -1}], how="import").evidence
    assert (snippet["quote"], snippet["start"], snippet["digest"]) == ("never said", -1, "")


def test_an_imported_grade_without_a_snippet_is_kept_and_no_bench_asks_for_its_words(benches: Benches) -> None:
    bare = {"quote": "", "value": 2}
    row = say(benches, [bare, {"quote": QUOTE, "value": 1}], how="import")
    assert [(each["quote"], each["value"]) for each in row.evidence or []] == [("", 2), (QUOTE, 1)]
    shown = shown_grade(benches.work["citations"], benches.items("citation")[0], "support")
    assert shown["evidence"] == [[QUOTE, 1]]
    for given in (bare, {"quote": ""}):
        with pytest.raises(Invalid, match="needs its words"):
            say(benches, [given], how="import" if "value" not in given else "key")


def test_without_the_document_a_snippet_is_kept_without_a_place(benches: Benches) -> None:
    Item.objects.filter(kind="citation").update(document=None)
    (snippet,) = say(benches, [{"quote": QUOTE, "start": START}]).evidence
    assert (snippet["quote"], snippet["start"]) == (QUOTE, -1)


def test_the_same_key_with_the_same_snippets_is_the_same_row(benches: Benches) -> None:
    first = say(benches, [{"quote": QUOTE, "start": -1}], key=KEY)
    assert say(benches, [{"quote": QUOTE, "start": START}], key=KEY).pk == first.pk
    DocumentBody.objects.update(text="prepared anew")
    assert say(benches, [{"quote": QUOTE, "start": START}], key=KEY).pk == first.pk


@pytest.mark.parametrize(
    "other",
    [
        None,
        [{"quote": "Statins"}],
        [{"quote": QUOTE, "value": 2}],
        [{"quote": QUOTE, "start": 0}],
        [{"quote": QUOTE}] * 2,
    ],
)
def test_the_same_key_with_other_snippets_is_refused(benches: Benches, other: Any) -> None:
    say(benches, [{"quote": QUOTE}], key=KEY)
    with pytest.raises(Conflict, match="said something else then"):
        say(benches, other, key=KEY)
    assert Judgment.objects.count() == 1


def test_the_api_takes_and_gives_snippets(client: Client, benches: Benches) -> None:
    client.force_login(benches.assessor)
    work, item = benches.work["citations"], benches.items("citation")[0]
    address = f"/api/v1/campaigns/benches/assignments/{work.pk}/judgments/"
    said = {
        "item": handle_of(work, item.pk),
        "criterion": "support",
        "value": 1,
        "client_key": str(KEY),
        "evidence": [{"quote": QUOTE, "start": START}, {"quote": "Statins lower cholesterol.", "value": 2}],
    }
    for _ in range(2):
        answer = client.post(address, said, content_type="application/json")
        assert answer.status_code == 201
        assert [(one["start"], one["value"]) for one in answer.json()["evidence"]] == [(START, None), (0, 2)]
    assert Judgment.objects.count() == 1
    (row,) = client.get(address).json()["results"]
    assert row["evidence"] == answer.json()["evidence"]
    changed = client.post(address, {**said, "evidence": []}, content_type="application/json")
    assert changed.status_code == 409


@pytest.mark.parametrize(
    "evidence", ["text", [5], [{"start": 1}], [{"quote": "never said"}], [{"quote": QUOTE, "start": 10**30}]]
)
def test_the_api_refuses_snippets_that_do_not_fit(client: Client, benches: Benches, evidence: object) -> None:
    client.force_login(benches.assessor)
    work, item = benches.work["citations"], benches.items("citation")[0]
    said = {
        "item": handle_of(work, item.pk),
        "criterion": "support",
        "value": 1,
        "client_key": str(KEY),
        "evidence": evidence,
    }
    address = f"/api/v1/campaigns/benches/assignments/{work.pk}/judgments/"
    answer = client.post(address, said, content_type="application/json")
    assert answer.status_code in (400, 422)
    assert not Judgment.objects.exists()


def test_the_api_lists_only_what_the_stage_asks(client: Client, benches: Benches) -> None:
    client.force_login(benches.assessor)
    address = f"/api/v1/campaigns/benches/assignments/{benches.work['responses'].pk}/items/"
    assert client.get(address).json()["results"] == []
    Item.objects.filter(kind="response").update(given=True)
    (found,) = client.get(address).json()["results"]
    assert len(found["fields"]["parts"]) == 4


@pytest.mark.parametrize("how", ["import", "api", "magic"])
def test_a_page_says_key_or_click_and_so_cannot_pass_by_the_text(client: Client, benches: Benches, how: str) -> None:
    client.force_login(benches.assessor)
    work, item = benches.work["citations"], benches.items("citation")[0]
    form = {
        "item": handle_of(work, item.pk),
        "criterion": "support",
        "value": "1",
        "client_key": str(KEY),
        "how": how,
        "evidence": json.dumps([{"quote": "never said"}]),
    }
    answer = client.post(reverse("judge", args=["benches", work.pk]), form, headers={"accept": "application/json"})
    assert answer.status_code == 422
    assert not Judgment.objects.exists()
