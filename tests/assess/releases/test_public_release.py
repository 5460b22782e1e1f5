"""The public page of a release: off until an organiser wants it, for anybody then, with nothing but the release."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from assess.base.errors import Conflict
from assess.models import Campaign, Release, UnfinishedImport
from assess.releases.domain.releasing import set_public
from tests import factories
from tests.pages import page_of

pytestmark = pytest.mark.django_db


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def words_of(answer: object) -> str:
    """What an answer says, without what differs from one to the next."""
    return re.sub(r"[A-Za-z0-9]{64}", "", page_of(answer))  # type: ignore[arg-type]


@pytest.fixture
def bygone(db: None, organiser: User) -> Campaign:
    """A campaign of which nothing but its row is there."""
    return Campaign.objects.create(slug="bygone", title="Bygone <b>", track="adhoc", state="released")


def test_absent_and_not_public_look_the_same(bygone: Campaign, organiser: User, client: Client) -> None:
    unfinished = Campaign.objects.create(slug="unfinished", title="Unfinished", track="adhoc", state="released")
    UnfinishedImport.objects.create(campaign=unfinished)
    factories.release(unfinished, organiser, published=True, public=True)
    factories.release(bygone, organiser, published=True)
    factories.release(Campaign.objects.create(slug="hives", title="Hives", track="adhoc", state="frozen"), organiser)
    asked = [
        *("/public/nothing/", "/public/hives/", "/public/bygone/", "/public/unfinished/"),
        *("/public/bygone/0/", "/public/bygone/0/file/", "/public/bygone/999999999999999999999999/"),
        *("/public/unfinished/0/file/", "/public/hives/0/file/"),
    ]
    for person in (client, client_of(organiser)):
        answers = [person.get(address) for address in asked]
        assert {answer.status_code for answer in answers} == {404}
        said = {words_of(answer).replace(address, "") for address, answer in zip(asked, answers, strict=True)}
        assert len(said) == 1, said
        assert person.post("/public/bygone/").status_code == 405


def test_a_download_goes_on_where_it_broke_off(bygone: Campaign, organiser: User, client: Client) -> None:
    release = factories.release(bygone, organiser, published=True, public=True, archive=b"0123456789")
    address, etag = "/public/bygone/0/file/", f'"{release.archive}"'

    def ask(**headers: str) -> tuple[int, bytes, str]:
        answer = client.get(address, headers=headers)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[arg-type]
        assert (answer["ETag"], answer["Accept-Ranges"]) == (etag, "bytes")
        if answer.status_code in (200, 206):
            assert answer["Content-Length"] == str(len(body))
            assert answer["Content-Disposition"] == 'attachment; filename="bygone-0.zip"'
        return answer.status_code, body, answer.get("Content-Range", "")

    whole = (200, b"0123456789", "")
    assert ask() == whole
    assert ask(Range="bytes=4-") == (206, b"456789", "bytes 4-9/10")
    assert ask(Range="bytes=2-3") == (206, b"23", "bytes 2-3/10")
    assert ask(Range="bytes=8-99") == (206, b"89", "bytes 8-9/10")
    assert ask(Range="bytes=-3") == (206, b"789", "bytes 7-9/10")
    assert ask(Range="bytes=-99") == (206, b"0123456789", "bytes 0-9/10")
    for absent in ("bytes=10-", "bytes=10-20", "bytes=-0"):
        assert ask(Range=absent) == (416, b"", "bytes */10")
    for other in ("bytes=-", "bytes=3-2", "bytes=0-1,3-4", "items=0-1", "bytes=x-", "", "bytes=" + "9" * 30 + "-"):
        assert ask(Range=other) == whole, other
    assert ask(**{"Range": "bytes=4-", "If-Range": etag}) == (206, b"456789", "bytes 4-9/10")
    assert ask(**{"Range": "bytes=4-", "If-Range": '"another"'}) == whole
    assert ask(**{"If-None-Match": etag}) == (304, b"", "")
    assert ask(**{"If-None-Match": '"another"', "Range": "bytes=4-"}) == (206, b"456789", "bytes 4-9/10")
    for headers in ({}, {"If-None-Match": etag}, {"Range": "bytes=4-"}):  # proxies store it, and ask if it is public
        answer = client.get(address, headers=headers)
        assert (answer["Cache-Control"], "Set-Cookie" in answer.headers) == ("public, no-cache", False)
        assert "Cookie" not in answer.headers.get("Vary", "")
    head = client.head(address, headers={"Range": "bytes=4-"})
    assert (head.status_code, head["Content-Length"]) == (200, "10")


def test_members_downloads_go_on_too(bygone: Campaign, organiser: User) -> None:
    release = factories.release(bygone, organiser, archive=b"0123456789")
    bygone.memberships.create(user=organiser, role="organiser")
    desk = client_of(organiser)
    for address in (
        reverse("release-file", args=["bygone", release.pk]),
        reverse("api-release-file", args=["bygone", release.pk]),
    ):
        answer = desk.get(address, headers={"Range": "bytes=7-"})
        assert (answer.status_code, b"".join(answer.streaming_content)) == (206, b"789")  # type: ignore[arg-type]
        assert desk.get(address, headers={"If-None-Match": answer["ETag"]}).status_code == 304
        assert desk.get(address, headers={"Range": "bytes=10-"}).status_code == 416


def test_a_release_that_was_corrected_says_so(bygone: Campaign, organiser: User, client: Client) -> None:
    factories.release(bygone, organiser, published=True, public=True, as_of=5, archive=b"first")
    corrected = factories.release(bygone, organiser, published=True, as_of=9, archive=b"second")
    page = page_of(client.get("/public/bygone/"))
    assert "A corrected release supersedes this one." in page
    assert "ledger point 9" not in page, "what is not public is not told"
    assert client.get("/public/bygone/9/").status_code == 404
    set_public(actor=organiser, release=corrected, public=True)
    assert "supersedes this one" not in page_of(client.get("/public/bygone/"))
    first = client.get("/public/bygone/5/").content.decode()
    assert 'href="/public/bygone/9/"' in first
    assert "Bygone &lt;b&gt;" in first


def test_the_page_costs_as_many_queries_for_many_files_and_is_no_document(
    bygone: Campaign, organiser: User, client: Client, settings: Any
) -> None:
    release = factories.release(bygone, organiser, published=True, public=True)

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            answer = client.get("/public/bygone/")
        assert answer.status_code == 200
        assert answer["Cache-Control"] == "private, no-store"
        assert "script-src 'self'" in answer["Content-Security-Policy"]
        return len(queries)

    few = asked()
    release.manifest["files"] |= {f"scores/RUN-{n}.tsv": {"sha256": "1" * 64, "size": n} for n in range(500)}
    release.save()
    assert (few, asked()) == (2, 2)
    settings.ASSAY_DOCUMENT_ORIGIN = "http://documents.example"
    settings.ALLOWED_HOSTS = ["testserver", "documents.example"]
    assert [
        client.get("/public/bygone/", headers={"Host": host}).status_code
        for host in ("testserver", "documents.example")
    ] == [200, 404]


def test_a_campaign_of_a_track_that_is_gone_keeps_its_public_page(
    bygone: Campaign, organiser: User, client: Client
) -> None:
    Campaign.objects.filter(pk=bygone.pk).update(track="gone")
    bygone.refresh_from_db()
    factories.release(bygone, organiser, published=True, public=True)
    assert "gone" in page_of(client.get("/public/bygone/"))


def test_no_release_is_public_and_not_published(bygone: Campaign, organiser: User) -> None:
    release = factories.release(bygone, organiser)
    with pytest.raises(Conflict, match="not published"):
        set_public(actor=organiser, release=release, public=True)
    with pytest.raises(IntegrityError), transaction.atomic():
        Release.objects.filter(pk=release.pk).update(public=True)
