"""Searching documents: ranked, within the campaign, and never an error whatever is typed."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assess.documents.domain.indexing import index_documents
from assess.documents.queries.search import parse_query, query_words, search_documents
from assess.models import Campaign, DocumentBody
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def library(campaign: Campaign) -> Campaign:
    factories.document(campaign, "D1", "I like the blue bicycles of Velora. Bicycles are kind to everybody.")
    factories.document(campaign, "D2", "A red bicycle for racing; blue sky." + " More words about the sky." * 20)
    factories.document(campaign, "D3", "Trains are late.")
    return campaign


def found(campaign: Campaign, query: str, **more: int) -> list[str]:
    return [hit.docno for hit in search_documents(campaign, query, **more).hits]


def test_documents_with_all_words_come_ranked(library: Campaign) -> None:
    page = search_documents(library, "bicycle blue")
    assert [(hit.docno, hit.rank) for hit in page.hits] == [("D1", 1), ("D2", 2)]
    assert (page.total, page.every_word, page.next_offset) == (2, True, None)
    assert page.hits[0].score > page.hits[1].score


def test_words_match_in_any_form_and_case(library: Campaign) -> None:
    assert found(library, "TRAIN") == ["D3"]
    assert found(library, "race") == ["D2"]


def test_a_phrase_stands_side_by_side(library: Campaign) -> None:
    assert found(library, '"blue bicycle"') == ["D1"]
    assert found(library, '"blue sky') == ["D2"]


def test_a_word_can_be_excluded(library: Campaign) -> None:
    assert found(library, "bicycle -racing") == ["D1"]
    assert found(library, 'blue -"blue sky"') == ["D1"]
    assert found(library, "-racing") == []


def test_where_no_document_has_all_words_those_with_some_come(library: Campaign) -> None:
    page = search_documents(library, "trains velora")
    assert {hit.docno for hit in page.hits} == {"D1", "D3"}
    assert page.every_word is False


def test_the_snippet_marks_the_words(library: Campaign) -> None:
    (hit,) = search_documents(library, "late").hits
    assert ("late", True) in hit.snippet
    assert "".join(text for text, _ in hit.snippet).startswith("Trains are late")


def test_the_api_answers_with_the_pieces_of_the_snippet(library: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    (hit,) = client.get(f"/api/v1/campaigns/{library.slug}/search/", {"q": "late"}).json()["hits"]
    assert hit["docno"] == "D3"
    assert {"text": "late", "is_match": True} in hit["snippet"]


def test_pages_go_on_where_the_last_ended(library: Campaign) -> None:
    first = search_documents(library, "blue", limit=1)
    assert (len(first.hits), first.total, first.next_offset) == (1, 2, 1)
    second = search_documents(library, "blue", limit=1, offset=1)
    assert [hit.rank for hit in second.hits] == [2]
    assert {first.hits[0].docno, second.hits[0].docno} == {"D1", "D2"}


def test_another_campaign_is_not_searched(library: Campaign, organiser: User) -> None:
    other = Campaign.objects.create(slug="other", title="Other", track="tac2008-qa")
    factories.document(other, "D1", "Blue whales.")
    assert found(other, "blue") == ["D1"]
    assert found(library, "whales") == []


def test_the_index_follows_deletions_and_is_made_anew_of_changed_texts(library: Campaign) -> None:
    DocumentBody.objects.filter(document__docno="D3").update(text="Buses are early.")
    assert index_documents(library) == 0
    assert index_documents(library, everything=True) == 3
    assert (found(library, "late"), found(library, "early")) == ([], ["D3"])
    library.documents.filter(docno="D3").delete()
    assert found(library, "early") == []


def test_a_text_of_a_million_different_words_is_stored_and_found(campaign: Campaign) -> None:
    factories.document(campaign, "D1", "unusual " + " ".join(f"w{number:x}q" for number in range(200_000)))
    assert found(campaign, "unusual") == ["D1"]


ENGLISH = {
    "E1": "I like the blue bicycles of Velora. Bicycles are kind to everybody.",
    "E2": "A red bicycle for racing; blue sky." + " More words about the sky." * 20,
    "E3": "Trains are late. The trains' drivers said they're sorry, and re-elected a chairman.",
    "E4": "Economic growth slowed in 2008; the economy of Velora shrank by 3.5 per cent. Economists argued.",
    "E5": "The café on Main Street sells organic coffee. Nobody's happier than its owner, Dr. O'Neill.",
    "E6": "Running a marathon: the runner ran, runs and will run again. Marathons are long.",
    "E7": "University students study the universe; studies of universities are universal.",
    "E8": "HTML5 and C++ are languages. Visit http://example.org/path?x=1 or mail bob@example.org.",
}
GOLDEN: dict[str, tuple[list[str], bool, list[list[str]]]] = {
    "bicycle blue": (["E1", "E2"], True, [["blue", "bicycles", "Bicycles"], ["bicycle", "blue"]]),
    "the bicycle": (["E1", "E2"], True, [["bicycles", "Bicycles"], ["bicycle"]]),
    "driver": (["E3"], True, [["drivers"]]),
    "runs": (["E6"], True, [["Running", "ran", "runs", "run"]]),
    "sold": (["E5"], True, [["sells"]]),
    "studies": (["E7"], True, [["study", "studies"]]),
    "cafe": (["E5"], True, [["café"]]),
    "o'neill": (["E5"], True, [["O'Neill"]]),
    "re-elected": (["E3"], True, [["re-elected"]]),
    "example.org": (["E8"], True, [["example.org", "example.org"]]),
    "2008": (["E4"], True, [["2008"]]),
    "3.5": (["E4"], True, [["3.5"]]),
    '"trains are late"': (["E3"], True, [["Trains are late"]]),
    "university -study": ([], False, []),
    "velora train": (["E3", "E1", "E4"], False, [["Trains", "trains"], ["Velora"], ["Velora"]]),
    "marathon running long": (["E6"], True, [["Running", "marathon", "ran", "runs", "run", "Marathons", "long"]]),
}
"""What was found on SQLite, and marked, as long as databases had their own index of English; "the" as on PostgreSQL.
Irregular forms are found, too.
"""


def test_english_is_found_as_before_there_were_languages(campaign: Campaign) -> None:
    for docno, text in ENGLISH.items():
        factories.document(campaign, docno, text)
    for query, expected in GOLDEN.items():
        page = search_documents(campaign, query)
        marked = [[text for text, is_match in hit.snippet if is_match] for hit in page.hits]
        assert ([hit.docno for hit in page.hits], page.every_word, marked) == expected, query


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "AND OR NOT",
        "NEAR(a b)",
        "text:blue*",
        "'; DROP TABLE x",
        "blue\0sky",
        "^blue",
        "(blue",
        "%s",
        "\\",
        "👍",
        "经",
        "经*",
        "ال",
        "·",
        "es·a",
        "\u0301",
        "½",
    ],
)
def test_no_query_is_an_error(library: Campaign, query: str) -> None:
    search_documents(library, query)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(alphabet=st.characters(exclude_categories=["Cs"]) | st.sampled_from('"-() *:^blue'), max_size=40))
def test_no_string_is_an_error(library: Campaign, query: str) -> None:
    search_documents(library, query)


def test_the_words_to_mark_leave_out_the_excluded() -> None:
    assert query_words('velora "blue bicycle" -racing don\'t') == ("velora", "blue", "bicycle", "don", "t")
    assert parse_query(" ".join(["word"] * 100)) == parse_query("word")
