"""Documents in the browser: exact headers, signed addresses that run out, text and source that are only text."""

from __future__ import annotations

import zlib

import pytest
from django.contrib.auth.models import User
from django.core import signing
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings

from assess.assignments.queries import work_items as assignments_handles
from assess.documents.views import pane as documents_token
from assess.documents.views.pane import make_pane
from assess.models import Assignment, Campaign, Document, DocumentBody, Item, ListedDocument, Topic
from tests import factories
from tests.pages import page_of

pytestmark = pytest.mark.django_db

DOCNO = "BLOG06-20060101-000-0000000001"


@pytest.fixture
def page(campaign: Campaign) -> Document:
    return factories.document(campaign, DOCNO)


@pytest.fixture
def reader(client: Client, assessor: User) -> Client:
    client.force_login(assessor)
    return client


def frame_address(client: Client, **query: str) -> str:
    response = client.get(reverse("document", args=["opinions", DOCNO]), query)
    return response.context["pane"].frame_url


def test_framed_page_has_exactly_these_headers(reader: Client, page: Document) -> None:
    response = reader.get(frame_address(reader), headers={"host": "testserver"})
    assert response.status_code == 200
    headers = {
        name: value for name, value in response.headers.items() if name not in ("Content-Length", "X-Request-Id")
    }
    assert headers == {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": (
            "default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; "
            "base-uri 'none'; frame-src 'none'; object-src 'none'; frame-ancestors http://testserver; sandbox"
        ),
        "Vary": "Cookie",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "X-DNS-Prefetch-Control": "off",
        "Cache-Control": "private, no-store",
        "Cross-Origin-Opener-Policy": "same-origin",
    }


def test_remote_resources_off_keeps_the_web_out(reader: Client, page: Document, campaign: Campaign) -> None:
    campaign.settings = {"remote_resources": False}
    campaign.save()
    response = reader.get(frame_address(reader))
    policy = response["Content-Security-Policy"]
    assert "style-src 'unsafe-inline'; img-src data:; " in policy
    assert "https:" not in policy


def test_remote_resources_on_leave_the_sites_own_hosts_out(reader: Client, page: Document, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["testserver", "assay.example.org", ".judging.example", "*"]
    settings.ASSAY_DOCUMENT_ORIGIN = ""
    named = ["http://a.example/x", "https://Assay.example.org/x", "http://www.judging.example./x", "https://b.example"]
    body = DocumentBody.objects.get(document=page)
    body.page = zlib.compress("".join(f'<img src="{address}">' for address in named).encode())
    body.save()
    policy = reader.get(frame_address(reader), headers={"host": "testserver"})["Content-Security-Policy"]
    assert "img-src data: http://a.example https://b.example; " in policy
    assert "style-src 'unsafe-inline' http://a.example https://b.example; " in policy


MARKED = b'<mark class="assay-term" id="assay-mark-1">blue</mark>'


def test_framed_page_opens_in_the_session_of_its_reader_alone_and_marks_words(
    reader: Client, page: Document, organiser: User
) -> None:
    address = frame_address(reader, q="blue")
    assert MARKED in reader.get(address).content
    other = Client()
    for response in (other.get(address), other.force_login(organiser) or other.get(address)):
        assert (response.status_code, MARKED in response.content) == (404, False)


def test_a_document_names_its_language_in_each_view(reader: Client, page: Document) -> None:
    Document.objects.filter(pk=page.pk).update(language="sv", title="Москва")
    framed = frame_address(reader)
    assert b'<html lang="sv">' in reader.get(framed).content
    text = reader.get(reverse("document", args=["opinions", DOCNO]), {"view": "text"}).content
    assert b'class="doc-text" dir="auto" lang="sv"' in text
    assert '<h1 dir="auto" lang="ru">Москва</h1>' in text.decode()
    DocumentBody.objects.filter(document=page).update(page=None)
    assert b'<div dir="auto" lang="sv">' in reader.get(framed).content


def test_framed_page_needs_no_session_on_a_host_of_its_own(reader: Client, page: Document, settings: Settings) -> None:
    settings.ASSAY_DOCUMENT_ORIGIN = "http://docs.example.org"
    settings.ALLOWED_HOSTS = ["testserver", "docs.example.org"]
    address = frame_address(reader, q="blue").removeprefix("http://docs.example.org")
    assert MARKED in Client().get(address, headers={"host": "docs.example.org"}).content


def test_item_token_marks_answer_and_question(reader: Client, page: Document, rigid_items: list[Item]) -> None:
    rigid_items[0].refresh_from_db()
    request = reader.get(reverse("document", args=["opinions", DOCNO])).wsgi_request
    work = factories.assignment(rigid_items[0].topic, "instances", factories.user("somebody"))
    marked = assignments_handles.marked_in(work, rigid_items[0])
    address = documents_token.page_address(request, page, marked=marked)
    assert b'<mark class="assay-answer" id="assay-mark-1">blue bicycle</mark>' in reader.get(address).content


@pytest.mark.parametrize(("answer", "number"), [("blue bicycle", 1), ("a zebra", 0), ("", 0)])
def test_page_and_text_open_at_the_first_place_of_the_answer(
    reader: Client, page: Document, answer: str, number: int
) -> None:
    request = reader.get(reverse("document", args=["opinions", DOCNO])).wsgi_request
    for view in ("page", "text"):
        request.GET = QueryDict(f"view={view}")
        pane = make_pane(request, page, answer=answer, terms=["like"])
        assert (pane.view, pane.opens_at) == (view, number)
        assert pane.frame_url.endswith(f"#assay-mark-{number}") == (view == "page" and number > 0)


def test_changed_token_is_refused_without_saying_more(reader: Client, page: Document) -> None:
    address = frame_address(reader)
    response = reader.get(address[:-3] + ("AA/" if not address.endswith("AA/") else "BB/"))
    assert response.status_code == 404
    assert b"bicycle" not in response.content
    assert response["Content-Security-Policy"].endswith("sandbox")


def test_token_runs_out(reader: Client, page: Document, monkeypatch: pytest.MonkeyPatch) -> None:
    address = frame_address(reader)
    monkeypatch.setattr(documents_token, "HOURS", -1)
    assert reader.get(address).status_code == 404


def test_token_of_another_purpose_is_refused(reader: Client, page: Document) -> None:
    payload = {"c": "opinions", "d": DOCNO, "u": 1, "i": None, "w": "", "o": "http://testserver"}
    forged = signing.dumps(payload, salt="another purpose", compress=True)
    assert reader.get(reverse("document-page", args=[forged])).status_code == 404


def test_token_ends_with_the_membership(reader: Client, page: Document, assessor: User) -> None:
    address = frame_address(reader)
    assessor.memberships.all().delete()
    assert reader.get(address).status_code == 404


@pytest.mark.parametrize("name", ["document", "document-raw"])
def test_documents_are_for_organisers_and_judges(
    client: Client, page: Document, organiser: User, participant: User, stranger: User, assessor: User, name: str
) -> None:
    address = reverse(name, args=["opinions", DOCNO])
    statuses = {}
    for person in (organiser, assessor, participant, stranger):
        client.force_login(person)
        statuses[person.username] = client.get(address).status_code
    assert statuses == {"organiser": 200, "assessor": 200, "participant": 404, "stranger": 404}


def test_text_view_holds_exactly_the_viewable_text(reader: Client, campaign: Campaign) -> None:
    text = "\n  <script>alert(1)</script> & “blue”\n\tשלום 😀\n"
    made = factories.document(campaign, DOCNO)
    DocumentBody.objects.filter(document=made).update(text=text)
    response = reader.get(reverse("document", args=["opinions", DOCNO]), {"view": "text", "q": "blue"})
    assert "".join(piece.text for piece in response.context["pane"].pieces) == text
    assert b"<script>alert" not in response.content
    assert '<mark class="term" data-mark="1">blue</mark>' in page_of(response)


def test_source_is_escaped_and_paged(reader: Client, page: Document) -> None:
    source = "<script>alert(1)</script>" + "x" * 250_000
    DocumentBody.objects.filter(document=page).update(raw=zlib.compress(source.encode()))
    address = reverse("document", args=["opinions", DOCNO])
    first = reader.get(address, {"view": "source"})
    assert b"&lt;script&gt;alert(1)" in first.content
    assert b"<script>alert" not in first.content
    parts = [
        reader.get(address, {"view": "source", "part": part}).context["pane"] for part in ("1", "2", "3", "99", "x")
    ]
    assert [(pane.part, pane.parts, len(pane.source)) for pane in parts] == [
        (1, 3, 100_000),
        (2, 3, 100_000),
        (3, 3, 50_025),
        (3, 3, 50_025),
        (1, 3, 100_000),
    ]


def test_page_that_was_not_prepared_shows_its_text_and_says_so(reader: Client, page: Document) -> None:
    framed = frame_address(reader)
    Document.objects.filter(pk=page.pk).update(status="text-only", note="The page took too long to prepare.")
    DocumentBody.objects.filter(document=page).update(page=None)
    response = reader.get(reverse("document", args=["opinions", DOCNO]), {"view": "page"})
    assert response.context["pane"].view == "text"
    for content in (response.content, reader.get(framed).content):
        assert b"The page took too long to prepare." in content
    assert b'class="doc-text" dir="auto"' in response.content and b'<div dir="auto" lang="en">' in content


def test_raw_bytes_are_only_ever_saved(reader: Client, page: Document) -> None:
    response = reader.get(reverse("document-raw", args=["opinions", DOCNO]))
    assert response.content == b"<html><body><p>I like the blue bicycle.</p></body></html>"
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"] == f'attachment; filename="{DOCNO}.bin"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == "default-src 'none'; sandbox"


def test_document_host_serves_documents_alone(reader: Client, page: Document, settings: Settings) -> None:
    settings.ASSAY_DOCUMENT_ORIGIN = "http://documents.example"
    settings.ALLOWED_HOSTS = ["testserver", "documents.example"]
    address = frame_address(reader)
    assert address.startswith("http://documents.example/d/")
    path = address.removeprefix("http://documents.example")
    there = {"host": "documents.example"}
    framed = Client().get(path, headers=there)
    assert framed.status_code == 200
    assert "frame-ancestors http://testserver;" in framed["Content-Security-Policy"]
    assert "img-src data:; " in framed["Content-Security-Policy"]
    assert reader.get("/", headers=there).status_code == 404
    assert reader.get(reverse("document", args=["opinions", DOCNO]), headers=there).status_code == 404
    assert reader.get(path).status_code == 404


def test_document_costs_the_same_queries_however_many_there_are(
    reader: Client, campaign: Campaign, page: Document, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in (2, 3):
        factories.document(campaign, f"BLOG06-20060101-000-000000000{number}")
    reader.get(reverse("document", args=["opinions", DOCNO]))  # after which their person is read with their session
    for docno in (DOCNO, "BLOG06-20060101-000-0000000003"):
        with django_assert_num_queries(6):
            reader.get(reverse("document", args=["opinions", docno]))


@pytest.mark.parametrize("documents", [1, 3])
def test_search_costs_the_same_queries_with_one_hit_and_three(
    reader: Client, campaign: Campaign, django_assert_num_queries: DjangoAssertNumQueries, documents: int
) -> None:
    for number in range(documents):
        factories.document(campaign, f"D{number}")
    with django_assert_num_queries(8):
        response = reader.get(reverse("search", args=["opinions"]), {"q": "bicycle"})
    assert response.context["found"].total == documents


def test_search_may_be_closed_to_assessors(client: Client, campaign: Campaign, assessor: User, organiser: User) -> None:
    campaign.settings = {"search": False}
    campaign.save()
    client.force_login(assessor)
    assert client.get(reverse("search", args=["opinions"])).status_code == 403
    assert "Search" not in page_of(client.get(reverse("guidelines", args=["opinions"])))
    client.force_login(organiser)
    assert client.get(reverse("search", args=["opinions"])).status_code == 200


def test_a_bench_offers_only_what_has_something_behind_it(
    client: Client, campaign: Campaign, grading: Assignment
) -> None:
    addresses = [reverse("search", args=["opinions"]), reverse("document-list", args=["opinions", "1.1"])]
    client.force_login(grading.assessor)

    def offered() -> list[bool]:
        page = page_of(client.get(reverse("workbench", args=["opinions", grading.pk])))
        return [f'hx-get="{address}"' in page for address in addresses]

    campaign.documents.all().delete()
    assert offered() == [False, False]
    factories.document(campaign, "D1")
    assert offered() == [True, False]
    ListedDocument.objects.create(topic=campaign.topics.get(number="1"), rank=1, docno="D1", score=1)
    assert offered() == [True, True]
    campaign.settings = {"search": False, "show_document_lists": False}
    campaign.save()
    assert offered() == [False, False]


@pytest.fixture
def listed(campaign: Campaign, page: Document) -> Campaign:
    """A list of two documents for the target, one of which is stored."""
    target = campaign.topics.get(number="1")
    for rank, docno in enumerate((DOCNO, "NOT-STORED"), start=1):
        ListedDocument.objects.create(topic=target, rank=rank, docno=docno, score=1 / rank)
    return campaign


def test_list_of_the_target_is_shown_for_its_questions(reader: Client, listed: Campaign, rigid: Topic) -> None:
    response = reader.get(reverse("document-list", args=["opinions", rigid.number]))
    assert [(line.rank, line.docno, line.document is not None) for line in response.context["lines"]] == [
        (1, DOCNO, True),
        (2, "NOT-STORED", False),
    ]
    address = reverse("document", args=["opinions", DOCNO])
    assert f'href="{address}?list=1.1"' in page_of(response)
    beside = page_of(reader.get(address, {"list": "1.1"}, headers={"hx-request": "true"}))
    assert f'hx-get="{reverse("document-list", args=["opinions", "1.1"])}"' in beside


def test_document_lists_may_be_closed_to_assessors(
    client: Client, listed: Campaign, grading: Assignment, organiser: User
) -> None:
    address = reverse("document-list", args=["opinions", "1.1"])
    bench = reverse("workbench", args=["opinions", grading.pk])
    client.force_login(grading.assessor)
    assert address in page_of(client.get(bench))
    listed.settings = {"show_document_lists": False}
    listed.save()
    assert client.get(address).status_code == 403
    assert client.get(reverse("api-document-list", args=["opinions", "1"])).status_code == 403
    assert address not in page_of(client.get(bench))
    client.force_login(organiser)
    assert client.get(address).status_code == 200


@pytest.mark.parametrize("number", [1, 3])
def test_document_list_costs_the_same_queries_with_one_line_and_three(
    reader: Client, campaign: Campaign, django_assert_num_queries: DjangoAssertNumQueries, number: int
) -> None:
    for rank in range(number):
        docno = f"D{rank}"
        factories.document(campaign, docno)
        ListedDocument.objects.create(topic=campaign.topics.get(number="1"), rank=rank, docno=docno, score=1)
    with django_assert_num_queries(7):
        response = reader.get(reverse("document-list", args=["opinions", "1"]))
    assert len(response.context["lines"]) == number
