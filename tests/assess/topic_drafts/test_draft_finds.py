"""What authors find while they draft, what topics a draft is like, and how many relevant documents there may be."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from assess.base.errors import Conflict, Invalid, Refused
from assess.documents.queries.search import search_documents
from assess.models import Campaign, DraftFind, TopicDraft
from assess.topic_drafts.domain.deciding import accept_draft
from assess.topic_drafts.domain.finding import add_find, judge_document, withdraw_find
from assess.topic_drafts.domain.writing import send_draft
from assess.topic_drafts.queries import estimate_of, find_kinds, show_draft, show_drafts, similar_texts, topic_texts
from assess.topic_drafts.relevant_estimate import Estimate
from tests import factories
from tests.assess.topic_drafts.made_drafts import SERIES, drafted, key, sent

pytestmark = pytest.mark.django_db
TEXT = "The harbor shop sells kites with a long string."


@pytest.fixture
def draft(campaign: Campaign, assessor: User) -> TopicDraft:
    factories.document(campaign, "D1", TEXT)
    return drafted(campaign, assessor)


def test_answers_and_nuggets_keep_document_and_place(draft: TopicDraft, assessor: User) -> None:
    """TAC, I: “a list of correct answers found during question development”."""
    add_find(
        actor=assessor, draft=draft, kind="answer", text="harbor shop", docno="D1", part=1, quote="harbor shop",
        span={"start": 4, "end": 15}, client_key=uuid4(),
    )  # fmt: skip
    add_find(
        actor=assessor, draft=draft, kind="nugget", text="long strings", docno="D1", part=2, quote="a long string",
        client_key=uuid4(),
    )  # fmt: skip
    shown = show_draft(draft)
    (answer,), (nugget,) = shown.answers, shown.nuggets
    assert (answer.text, answer.docno, answer.quote, answer.part) == ("harbor shop", "D1", "harbor shop", 1)
    assert answer.span is not None
    assert (answer.span["start"], answer.span["end"], answer.span["prefix"]) == (4, 15, "The ")
    assert (nugget.text, nugget.quote, nugget.span, nugget.part) == ("long strings", "a long string", None, 2)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"kind": "essay"}, "essay is nothing that is found"),
        ({"kind": "nugget"}, "A question of the type rigid has no nuggets"),
        ({"kind": "nugget", "part": 2}, "Mark the words in the document that say it"),
        ({"part": 0}, "The draft holds no such question"),
        ({"docno": "D9"}, "There is no document D9 in the collection"),
        ({"text": " "}, "Write the answer, in at most 2,000 characters"),
        ({"quote": "no such words"}, "The quote is not in the document's text"),
        ({"quote": "harbor", "span": {"start": 0, "end": 6}}, "The quote is not what stands at the marked place"),
    ],
)
def test_a_bad_find_is_refused(draft: TopicDraft, assessor: User, change: dict[str, object], sentence: str) -> None:
    asked = {"kind": "answer", "text": "harbor shop", "docno": "D1", "part": 1, **change}
    with pytest.raises(Refused, match=sentence):
        add_find(actor=assessor, draft=draft, client_key=uuid4(), **asked)
    assert draft.finds.count() == 0


def test_the_same_find_is_kept_once_and_taken_back(draft: TopicDraft, assessor: User) -> None:
    for _ in range(2):
        add_find(actor=assessor, draft=draft, kind="answer", text="shop", docno="D1", part=1, client_key=key("a"))
    assert draft.finds.count() == 1
    with pytest.raises(Conflict, match="is there already"):
        add_find(actor=assessor, draft=draft, kind="answer", text="shop", docno="D1", part=1, client_key=uuid4())
    withdraw_find(actor=assessor, draft=draft, number=1, client_key=key("b"))
    withdraw_find(actor=assessor, draft=draft, number=1, client_key=key("b"))
    assert (show_draft(draft).finds, draft.finds.count()) == ((), 2)
    with pytest.raises(Conflict, match="not there any more"):
        withdraw_find(actor=assessor, draft=draft, number=1, client_key=uuid4())


def test_the_newest_word_on_a_document_counts(draft: TopicDraft, assessor: User) -> None:
    for value in (True, False):
        judge_document(actor=assessor, draft=draft, docno="D1", is_relevant=value, client_key=uuid4())
    assert show_draft(draft).judged == {"D1": False}
    withdraw_find(actor=assessor, draft=draft, number=1, client_key=uuid4())
    assert show_draft(draft).judged == {}
    judge_document(actor=assessor, draft=draft, docno="D1", is_relevant=True, client_key=uuid4())
    assert set(DraftFind.objects.values_list("number", flat=True)) == {1}
    with pytest.raises(Invalid, match="no document D9 to judge"):
        judge_document(actor=assessor, draft=draft, docno="D9", is_relevant=True, client_key=uuid4())


def test_the_search_of_the_first_document_that_was_judged_is_estimated(draft: TopicDraft, assessor: User) -> None:
    for query in ("", "kites", "harbor"):
        judge_document(actor=assessor, draft=draft, docno="D1", is_relevant=True, client_key=uuid4(), query=query)
    assert show_draft(draft).content.query == "kites"


def test_a_search_that_is_too_long_is_refused_and_the_judgment_stands(draft: TopicDraft, assessor: User) -> None:
    with pytest.raises(Invalid, match="The search text has 301 characters; 300 are allowed"):
        judge_document(actor=assessor, draft=draft, docno="D1", is_relevant=True, client_key=uuid4(), query="k" * 301)
    shown = show_draft(draft)
    assert (shown.judged, shown.content.query) == ({"D1": True}, "")


def test_nothing_is_found_for_a_draft_that_was_sent(draft: TopicDraft, assessor: User) -> None:
    send_draft(actor=assessor, draft=draft, client_key=uuid4())
    with pytest.raises(Conflict, match="The organiser can send it back"):
        judge_document(actor=assessor, draft=draft, docno="D1", is_relevant=True, client_key=uuid4())


def test_each_type_of_question_has_its_kind_of_finds(campaign: Campaign) -> None:
    assert find_kinds(campaign, "rigid") == ("answer",)
    assert find_kinds(campaign, "squishy") == ("nugget",)


def test_drafts_are_read_with_two_queries_however_many(
    campaign: Campaign, assessor: User, draft: TopicDraft, django_assert_num_queries
) -> None:
    drafted(campaign, assessor)
    judge_document(actor=assessor, draft=draft, docno="D1", is_relevant=True, client_key=uuid4())
    rows = list(campaign.topic_drafts.all())
    with django_assert_num_queries(2):
        assert [len(shown.finds) for shown in show_drafts(rows)] == [1, 0]


def test_a_first_search_judged_from_the_top_gives_an_estimate(campaign: Campaign, assessor: User) -> None:
    for number in range(1, 31):
        factories.document(campaign, f"K{number:02}", "kite " * (40 - number) + "wind " * number)
    docnos = [hit.docno for hit in search_documents(campaign, "kite", limit=100).hits]
    assert len(docnos) == 30
    judged = {docno: place < 5 for place, docno in enumerate(docnos[:10])}
    expected = Estimate(query="kite", judged=10, relevant=5, found=30, all_relevant=5, ranked=tuple(docnos[:10]))
    assert estimate_of(campaign, "kite", judged) == expected
    del judged[docnos[4]]  # the fifth was passed over: what comes behind it says nothing
    expected = Estimate(query="kite", judged=4, relevant=4, found=30, all_relevant=None, ranked=tuple(docnos[:4]))
    assert estimate_of(campaign, "kite", judged) == expected
    assert estimate_of(campaign, "", judged) is None


def test_a_draft_is_held_against_the_topics_and_other_drafts(campaign: Campaign, assessor: User) -> None:
    part = replace(SERIES.parts[0], text="What colours do people like?")
    mine = show_draft(drafted(campaign, assessor, replace(SERIES, parts=(part, SERIES.parts[1]))))
    other = show_draft(drafted(campaign, assessor, replace(SERIES, text="A harbor kite")))
    found = [
        (near.kind, near.number, near.percent) for near in similar_texts(mine, topic_texts(campaign), [mine, other])
    ]
    assert found[:2] == [("draft", "2", 100), ("draft", "2", 100)]
    assert ("topic", "1.1", 100) in found


def test_a_draft_is_not_held_against_what_it_became(campaign: Campaign, assessor: User, organiser: User) -> None:
    draft = sent(campaign, assessor)
    accept_draft(actor=organiser, draft=draft, client_key=uuid4())
    assert similar_texts(show_draft(TopicDraft.objects.get(pk=draft.pk)), topic_texts(campaign)) == []
