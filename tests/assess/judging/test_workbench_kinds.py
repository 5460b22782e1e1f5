"""The grading workbench with every kind of item: passages, whole responses, sentences, citations, statements."""

from __future__ import annotations

import json
import re
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from assess.assignments.queries.work_items import handle_of
from assess.base.errors import Invalid
from assess.judging.queries.blind_responses import names_document, response_parts, surrounding_parts
from assess.judging.queries.stage_items import stage_items
from assess.kinds.base import Tally
from assess.kinds.grade.tally import grade_tally
from assess.models import Assignment, Item, Judgment
from assess.topics.queries import topic_context
from tests.assess.judged_campaign import bench_lines
from tests.bench_track import TASK
from tests.benches import ABSTRACT, FACTS, PASSAGES, Benches, need_relevant_passage, say
from tests.pages import page_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(client: Client, benches: Benches) -> Client:
    client.force_login(benches.assessor)
    return client


def open_bench(reader: Client, work: Assignment, **query: str) -> HttpResponse:
    response = reader.get(reverse("workbench", args=["benches", work.pk]), query)
    assert response.status_code == 200
    return response


def test_a_passage_is_shown_by_its_text_at_once(reader: Client, benches: Benches) -> None:
    page = open_bench(reader, benches.work["passages"])
    thing = page.context["thing"]
    assert (thing.pane.view, thing.noun) == ("text", "passage")
    shown = re.sub("</?mark[^>]*>", "", page_of(page))  # the first passage may hold words of the question
    assert PASSAGES[thing.item.docno] in shown
    assert "PASSAGE<span data-position> 1 of 3</span>" in page_of(page)


def test_the_list_names_passages_and_responses_by_their_first_words(benches: Benches) -> None:
    need_relevant_passage(benches)
    labels = {
        key: {line.label for line in bench_lines(work)}
        for key, work in benches.work.items()
        if key in ("passages", "responses", "statements")
    }
    assert labels == {
        "passages": set(PASSAGES.values()),
        "responses": {"Soak beans over night."},
        "statements": {"I eat no meat."},
    }


def test_what_is_judged_stands_in_its_own_direction(reader: Client, benches: Benches) -> None:
    need_relevant_passage(benches)
    for stage, shown in (
        (
            "statements",
            '<p class="answer" dir="auto" lang="en" tabindex="-1" aria-describedby="thing-place" data-answer>'
            "I eat no meat.</p>",
        ),
        ("statements", '<span class="words" dir="auto" lang="en">I eat no meat.</span>'),
        ("responses", 'dir="auto" lang="en"><span class="response-text">Soak beans over night.</span>'),
        ("passages", '<div class="doc-text" dir="auto" lang="en" tabindex="0"'),
    ):
        page = page_of(open_bench(reader, benches.work[stage]))
        assert shown in page, stage
        assert f'<bdi dir="auto" lang="en">{benches.topic.text}</bdi></h1>' in page


def test_a_statement_without_document_asks_for_none(reader: Client, benches: Benches) -> None:
    page = page_of(open_bench(reader, benches.work["statements"]))
    assert "I eat no meat." in page
    assert "The document is not here" not in page


def test_a_whole_response_string_by_string(reader: Client, benches: Benches) -> None:
    need_relevant_passage(benches)
    page = open_bench(reader, benches.work["responses"])
    parts = [
        (part.number, [(each.docno, each.is_here) for each in part.documents]) for part in page.context["thing"].parts
    ]
    assert parts == [(1, [("P3:0", True)]), (2, [("P1:1", True)]), (3, []), (4, [("P9:9", False)])]
    assert page.context["thing"].pane is None
    assert page_of(page).count("not stored here") == 1


def test_a_part_opens_its_document(reader: Client, benches: Benches) -> None:
    need_relevant_passage(benches)
    thing = open_bench(reader, benches.work["responses"], string="2").context["thing"]
    assert (thing.opened, thing.pane.document.docno, thing.pane.view) == ("2", "P1:1", "text")
    assert thing.query.endswith("&string=2")
    for unknown in ("3", "4", "99", "x", "²"):
        assert open_bench(reader, benches.work["responses"], string=unknown).context["thing"].pane is None


def test_a_part_may_name_several_documents(reader: Client, benches: Benches) -> None:
    need_relevant_passage(benches)
    item = open_bench(reader, benches.work["responses"]).context["thing"].item
    item.fields = {"parts": [{"text": "both", "docnos": ["P3:0", "P1:1", "P3:0", "P9:9"]}]}
    item.save()
    (part,) = response_parts(item, benches.campaign)
    named = [(each.docno, each.place, each.is_here) for each in part.documents]
    assert named == [("P3:0", "1", True), ("P1:1", "1.2", True), ("P9:9", "1.3", False)]
    second = open_bench(reader, benches.work["responses"], item=item.pk, string="1.2").context["thing"]
    assert (second.opened, second.pane.document.docno) == ("1.2", "P1:1")
    assert open_bench(reader, benches.work["responses"], item=item.pk, string="1.3").context["thing"].pane is None


@pytest.mark.parametrize(
    "parts", ["text", [1, None], [{"text": 5, "docno": ["x"]}], [{"docnos": "x"}, {"docnos": [1, None]}], {"a": 1}]
)
def test_odd_parts_of_a_response_do_no_harm(benches: Benches, parts: object) -> None:
    item = benches.items("response")[0]
    item.fields = {"parts": parts}
    assert all(part.text == "" and part.documents == () for part in response_parts(item, benches.campaign))


def test_a_docno_of_xs_is_no_document() -> None:
    assert [names_document(docno) for docno in ("XXX", "xxxx", "", "XIE1", "P1")] == [False, False, False, True, True]


def test_a_sentence_stands_in_a_response_chosen_by_the_seed(benches: Benches) -> None:
    first = benches.items("sentence")[0]
    shown = {seed: [part.text for part in surrounding_parts(first, seed=seed)] for seed in range(20)}
    orders = {tuple(texts) for texts in shown.values()}
    assert len(orders) == 2
    for seed, texts in shown.items():
        assert [part.text for part in surrounding_parts(first, seed=seed)] == texts
        assert [part.text for part in surrounding_parts(first, seed=seed) if part.is_judged] == [first.text]


def test_the_sentence_is_marked_in_its_response(reader: Client, benches: Benches) -> None:
    page = open_bench(reader, benches.work["sentences"])
    text = page.context["thing"].item.text
    assert f'<mark class="answer-mark">{text}</mark>' in page_of(page)
    assert "Zanzibar" not in page_of(page)


def test_context_is_what_the_track_says(benches: Benches) -> None:
    parts = topic_context(benches.topic)
    assert [(part.heading, len(part.lines), part.is_open) for part in parts] == [
        ("The dialogue so far", 30, True),
        ("Narrative", 1, False),
        ("What is known of the user", 20, True),
    ]


def test_context_stands_on_the_bench(reader: Client, benches: Benches) -> None:
    page = page_of(open_bench(reader, benches.work["passages"]))
    assert FACTS[19] in page


def test_a_track_without_context_shows_none(client: Client, grading: Assignment) -> None:
    assert topic_context(grading.topic) == ()
    client.force_login(grading.assessor)
    assert "data-context" not in page_of(client.get(reverse("workbench", args=["opinions", grading.pk])))


def test_an_item_is_judged_when_every_criterion_is_answered(benches: Benches) -> None:
    need_relevant_passage(benches)
    work, item = benches.work["responses"], benches.items("response")[0]
    say(work, item, "content", 10)
    assert grade_tally([work])[work.pk] == Tally(done=0, total=1, unit="responses")
    say(work, item, "organisation", 0)
    assert grade_tally([work])[work.pk] == Tally(done=1, total=1, unit="responses")


def test_responses_wait_for_a_relevant_passage(benches: Benches) -> None:
    work, item = benches.work["responses"], benches.items("response")[0]
    assert bench_lines(work) == []
    assert grade_tally([work])[work.pk].total == 0
    with pytest.raises(Invalid, match="judged good enough"):
        say(work, item, "content", 5)
    need_relevant_passage(benches, 1)
    assert bench_lines(work) == []
    need_relevant_passage(benches, 3)
    assert [line.id for line in bench_lines(work)] == [item.pk]
    assert say(work, item, "content", 5).value == 5


def test_the_least_grade_needed_is_a_setting(benches: Benches) -> None:
    need_relevant_passage(benches, 1)
    benches.campaign.settings = {"least_grade": 1}
    benches.campaign.save()
    benches.topic.campaign = benches.campaign
    assert [item.kind for item in stage_items(benches.topic, TASK.stages[1])] == ["response"]


def test_a_second_assessors_grade_opens_nothing(benches: Benches) -> None:
    work = benches.work["passages"]
    work.role = "second"
    work.save()
    need_relevant_passage(benches, 4)
    assert list(stage_items(benches.topic, TASK.stages[1])) == []


def test_given_items_are_always_asked(benches: Benches) -> None:
    Item.objects.filter(kind="response").update(given=True)
    assert [item.kind for item in stage_items(benches.topic, TASK.stages[1])] == ["response"]


def test_a_citation_takes_snippets_with_its_judgment(reader: Client, benches: Benches) -> None:
    work, item = benches.work["citations"], benches.items("citation")[0]
    start = ABSTRACT.index("the drug")
    quote = "the drug lowered LDL by 31 percent"
    form = {
        "item": handle_of(work, item.pk), "criterion": "support", "value": "1", "client_key": str(uuid4()),
        "evidence": json.dumps([{"quote": quote, "start": start, "end": start + len(quote), "value": 2}]),
    }  # fmt: skip
    answers = [
        reader.post(reverse("judge", args=["benches", work.pk]), form, headers={"accept": "application/json"})
        for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [200, 200]
    (row,) = Judgment.objects.all()
    assert [(one["quote"], one["start"], one["value"]) for one in row.evidence] == [(quote, start, 2)]
    other = reader.post(
        reverse("judge", args=["benches", work.pk]), {**form, "evidence": "[]"}, headers={"accept": "application/json"}
    )
    assert other.status_code == 409
    page = open_bench(reader, work, item=str(handle_of(work, item.pk)))
    assert quote in page.content.decode()
    assert page.context["thing"].pane.view == "text"


@pytest.mark.parametrize("evidence", ["{", "5", '"text"', "[" * 100_000, '[{"quote": 5}]', '[{"start": 1}]', "[[]]"])
def test_broken_evidence_is_refused_in_words(reader: Client, benches: Benches, evidence: str) -> None:
    work, item = benches.work["citations"], benches.items("citation")[0]
    form = {"item": handle_of(work, item.pk), "criterion": "support", "value": "1", "evidence": evidence}
    answer = reader.post(reverse("judge", args=["benches", work.pk]), form, headers={"accept": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["detail"].endswith(".")
    assert not Judgment.objects.exists()
