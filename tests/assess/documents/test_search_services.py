"""Searching with Pyserini's REST service and RoutIR: what is sent and shown, and what is said of bad answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings

from assess.base import http_json
from assess.base.http_json import ServiceAway
from assess.documents.queries.search_services import backend_of
from assess.models import Campaign
from tests import factories
from tests.pages import page_of
from tests.search_server import Answer, SearchServer, search_server, send, send_json

pytestmark = pytest.mark.django_db


@pytest.fixture
def server() -> Iterator[SearchServer]:
    with search_server(send_json({})) as running:
        yield running


@pytest.fixture
def library(campaign: Campaign) -> Campaign:
    factories.document(campaign, "d#1", "I like the blue bicycles of Velora.")
    return campaign


@pytest.fixture
def pyserini(server: SearchServer, library: Campaign, settings: Settings) -> SearchServer:
    settings.ASSAY_PYSERINI, settings.ASSAY_PYSERINI_TOKEN = server.address, "s3cret"
    settings.ASSAY_PYSERINI_INDEXES = {library.slug: "climb mix/400b"}
    server.answer = candidates(
        ("d#1", {"contents": "other text"}), ("d9", {"title": "<b>Ferry</b>", "text": "blue <i>x</i>"})
    )
    return server


@pytest.fixture
def routir(server: SearchServer, library: Campaign, settings: Settings) -> SearchServer:
    settings.ASSAY_ROUTIR, settings.ASSAY_ROUTIR_SERVICES = server.address, {library.slug: "ragtime2"}
    server.answer = send_json({"scores": {"b": 1.5, "a": 1.5, "d#1": 7}, "query": "blue", "cached": False})
    return server


@pytest.fixture
def reader(client: Client, assessor: User) -> Client:
    client.force_login(assessor)
    return client


def candidates(*found: tuple[Any, Any]) -> Answer:
    rows = [
        {"docid": docno, "rank": place, "score": 9.5 - place, "doc": doc} for place, (docno, doc) in enumerate(found)
    ]
    return send_json({"api": "v1", "index": "x", "query": {"text": "blue"}, "candidates": rows})


def page(client: Client, **query: str) -> str:
    return page_of(client.get(reverse("search", args=["opinions"]), query)).replace("&#x27;", "'")


def test_pyserini_is_asked_and_its_ranking_shown(pyserini: SearchServer, reader: Client) -> None:
    shown = page(reader, q="blue  bicycle?")
    assert pyserini.asked == [
        ("GET", "/v1/climb%20mix%2F400b/search?query=blue+bicycle%3F&hits=100", "Bearer s3cret", None)
    ]
    host = pyserini.address.removeprefix("http://")
    assert f"Searched by Pyserini (climb mix/400b, {host}) in the whole collection" in shown
    assert "s3cret" not in shown


def test_what_is_stored_is_shown_as_stored_and_the_rest_is_text_that_opens_nothing(
    pyserini: SearchServer, library: Campaign, reader: Client
) -> None:
    found = backend_of(library).search(library, "blue", limit=20, offset=0)
    assert [(hit.docno, hit.rank, hit.score, hit.is_stored) for hit in found.hits] == [
        ("d#1", 1, 9.5, True),
        ("d9", 2, 8.5, False),
    ]
    assert [text for text, is_match in found.hits[0].snippet if is_match] == ["blue"]
    shown = page(reader, q="blue")
    assert "other text" not in shown
    assert (shown.count('href="/c/opinions/documents/'), shown.count("not stored here, so it can't be opened")) == (
        1,
        1,
    )
    assert "&lt;b&gt;Ferry&lt;/b&gt;" in shown
    assert "<i>x</i>" not in shown


def test_routir_is_asked_and_its_scores_are_sorted(routir: SearchServer, library: Campaign) -> None:
    found = backend_of(library).search(library, "blue", limit=2, offset=0)
    assert routir.asked == [("POST", "/search", "", {"service": "ragtime2", "query": "blue", "limit": 100})]
    assert [(hit.docno, hit.rank, hit.is_stored) for hit in found.hits] == [("d#1", 1, True), ("a", 2, False)]
    assert (found.total, found.next_offset) == (3, 2)
    onward = backend_of(library).search(library, "blue", limit=2, offset=2)
    assert [(hit.docno, hit.rank) for hit in onward.hits] == [("b", 3)]


def test_other_campaigns_are_searched_here(pyserini: SearchServer, organiser: User) -> None:
    other = factories.campaign(organiser=organiser, slug="other")
    assert backend_of(other).search(other, "blue", limit=20, offset=0).searched_by == ""
    assert pyserini.asked == []


def test_the_site_searches_what_it_stores_where_somebody_asks_for_that(pyserini: SearchServer, reader: Client) -> None:
    shown = page(reader, q="velora", own="1")
    assert "Searched here, in the documents of this campaign that are stored." in shown
    assert 'name="own" value="1"' in shown
    assert pyserini.asked == []


def test_nothing_is_asked_without_words(pyserini: SearchServer, reader: Client) -> None:
    page(reader, q=" ")
    page(reader)
    assert pyserini.asked == []


def test_the_api_says_who_searched_and_what_is_stored(pyserini: SearchServer, reader: Client) -> None:
    told = reader.get("/api/v1/campaigns/opinions/search/", {"q": "blue"}).json()
    assert told["searched_by"].startswith("Pyserini (climb mix/400b")
    assert [(hit["docno"], hit["is_stored"]) for hit in told["hits"]] == [("d#1", True), ("d9", False)]
    own = reader.get("/api/v1/campaigns/opinions/search/", {"q": "blue", "own": "1"}).json()
    assert (own["searched_by"], [hit["docno"] for hit in own["hits"]]) == ("", ["d#1"])


@pytest.mark.parametrize("doc", ["blue text", None, 7, True, ["blue"], {}, {"contents": 7, "text": "blue text"}])
def test_whatever_was_indexed_can_be_a_document(pyserini: SearchServer, library: Campaign, doc: object) -> None:
    pyserini.answer = candidates(("d9", doc), (17, doc))
    hits = backend_of(library).search(library, "blue", limit=20, offset=0).hits
    assert [hit.docno for hit in hits] == ["d9", "17"]
    assert [text for text, is_match in hits[0].snippet if is_match] in (["blue"], [])


def test_a_document_that_a_service_names_twice_is_shown_once(pyserini: SearchServer, library: Campaign) -> None:
    pyserini.answer = candidates(("a", "1"), ("b", "2"), ("a", "3"))
    found = backend_of(library).search(library, "blue", limit=20, offset=0)
    assert [(hit.docno, hit.score) for hit in found.hits] == [("a", 9.5), ("b", 8.5)]


def drip(request: BaseHTTPRequestHandler) -> None:
    """A byte now and then, until who asked has gone away: for longer than anybody waits."""
    request.send_response(200)
    request.end_headers()
    for _ in range(1200):
        request.wfile.write(b" ")
        time.sleep(0.05)


def drip_head(request: BaseHTTPRequestHandler) -> None:
    """The same before the answer begins."""
    for _ in range(1200):
        request.wfile.write(b"HTTP/1.1 200 OK\r\n"[:1])
        time.sleep(0.05)


BAD: list[tuple[str, Answer, str]] = [
    ("no JSON", send(b"<html>"), "answered something that is no JSON"),
    ("half of it", send(b'{"candidates": [', Content_Length="16"), "answered something that is no JSON"),
    ("cut off", send(b'{"candidates": [', Content_Length="99"), "can't be reached"),
    ("no UTF-8", send(b'{"candidates": "\xff"}'), "answered something that is no JSON"),
    ("deep", send(b"[" * 100_000), "answered something that is no JSON"),
    ("a list", send_json([]), "no list of candidates"),
    ("no candidates", send_json({"candidates": {}}), "no list of candidates"),
    ("no object", send_json({"candidates": ["d1"]}), "a candidate that is no object"),
    ("no docno", send_json({"candidates": [{"score": 1}]}), "a document without a docno"),
    ("a blank docno", send_json({"candidates": [{"docid": " ", "score": 1}]}), "a document without a docno"),
    ("no score", send_json({"candidates": [{"docid": "d1", "score": True}]}), "a score that is no number"),
    ("a NUL", send_json({"candidates": [{"docid": "d\0", "score": 1}]}), "answered something that is no JSON"),
    ("not a number", send(b'{"candidates": [{"docid": "d1", "score": NaN}]}'), "answered something that is no JSON"),
    (
        "its own error",
        send_json({"error": "no <such> index"}, status=400),
        "failed (status 400): “no &lt;such&gt; index”",
    ),
    ("broken", send(b"oops", status=500), "failed (status 500)."),
    ("closed", send_json({"error": "token"}, status=401), "does not let this site in"),
    ("often", send(b"", status=429, Retry_After="60"), "is asked too often and wants a pause"),
    ("packed", send(b"\x1f\x8b\x08", Content_Encoding="gzip"), "answered something that is no JSON"),
    ("slow", drip, "did not answer within 0.4 seconds"),
    ("slow to begin", drip_head, "did not answer within 0.4 seconds"),
    ("nothing", lambda request: request.connection.close(), "can't be reached"),
]


@pytest.mark.parametrize(("answer", "said"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_bad_answer_is_said_in_words_and_nothing_is_lost(
    pyserini: SearchServer, reader: Client, settings: Settings, answer: Answer, said: str
) -> None:
    settings.ASSAY_SEARCH_SECONDS = 0.4 if "within 0.4 seconds" in said else 60  # a busy machine takes its time
    pyserini.answer = answer
    begun = time.monotonic()
    shown = page(reader, q="blue bicycle")
    assert time.monotonic() - begun < 30  # half of what the slow answers take
    assert f"Pyserini {said}" in shown or f"a form that this site does not know: {said}" in shown
    assert 'value="blue bicycle"' in shown
    assert "?own=1&amp;q=blue%20bicycle" in shown
    assert "127.0.0.1" not in shown.split("notice bad")[1]


def test_a_redirect_is_not_followed(pyserini: SearchServer, reader: Client) -> None:
    with search_server(candidates(("d9", "text"))) as elsewhere:
        pyserini.answer = send(b"", status=302, Location=f"{elsewhere.address}/v1/x/search")
        assert "wants to be asked at another address, where this site does not go" in page(reader, q="blue")
        assert elsewhere.asked == []


def test_an_answer_that_never_ends_is_not_read(
    pyserini: SearchServer, reader: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[int] = []

    def flood(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        for _ in range(2_000):
            sent.append(request.wfile.write(b"[" * 100_000))

    monkeypatch.setattr(http_json, "ANSWER_LIMIT", 3_000_000)
    pyserini.answer = flood
    assert "Pyserini sent more than 3 MB" in page(reader, q="blue")
    assert sum(sent) < 30_000_000


def test_a_service_that_is_not_there(pyserini: SearchServer, reader: Client, settings: Settings) -> None:
    settings.ASSAY_PYSERINI = "http://127.0.0.1:1"
    assert "Pyserini can't be reached." in page(reader, q="blue")


def test_a_name_server_that_does_not_answer_holds_no_thread(
    pyserini: SearchServer, reader: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ASSAY_PYSERINI, settings.ASSAY_SEARCH_SECONDS = "http://search.example.org", 0.2
    hangs = threading.Event()
    monkeypatch.setattr("socket.getaddrinfo", lambda *args, **kwargs: hangs.wait(20) and [])
    begun = time.monotonic()
    said = page(reader, q="blue")
    hangs.set()
    assert ("Pyserini did not answer within 0.2 seconds." in said, time.monotonic() - begun < 10) == (True, True)


def test_the_environment_names_no_proxy(
    pyserini: SearchServer, reader: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with search_server(send_json({})) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.address)
        page(reader, q="blue")
        assert (len(pyserini.asked), proxy.asked) == (1, [])


def test_a_process_asks_one_thing_at_a_time(
    pyserini: SearchServer, library: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_json, "TURN_SECONDS", 0.01)
    with http_json._TURN, pytest.raises(ServiceAway, match="busy with other searches"):
        backend_of(library).search(library, "blue", limit=20, offset=0)
    assert pyserini.asked == []


@pytest.mark.parametrize("path", ["/c/opinions/search/", "/api/v1/campaigns/opinions/search/"])
def test_page_and_api_say_the_same_of_an_outage(pyserini: SearchServer, reader: Client, path: str) -> None:
    pyserini.answer = send(b"", status=503)
    response = reader.get(path, {"q": "blue"}, headers={"accept": "application/json"} if "api" in path else {})
    assert "Pyserini failed (status 503). Nothing is lost: ask again in a moment" in response.content.decode()
    assert response.status_code == (503 if "api" in path else 200)


def test_who_may_not_search_asks_no_service(pyserini: SearchServer, library: Campaign, reader: Client) -> None:
    library.settings = {**library.settings, "search": False}
    library.save()
    assert reader.get(reverse("search", args=["opinions"]), {"q": "blue"}).status_code == 403
    assert reader.get("/api/v1/campaigns/opinions/search/", {"q": "blue"}).status_code == 403
    assert pyserini.asked == []


def test_a_hundred_hits_cost_two_queries(
    pyserini: SearchServer, library: Campaign, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    pyserini.answer = candidates(("d#1", "blue"), *((f"d{number}", "blue") for number in range(150)))
    with django_assert_num_queries(2):
        found = backend_of(library).search(library, "blue", limit=100, offset=0)
    assert (len(found.hits), found.total, found.next_offset) == (100, 100, None)
