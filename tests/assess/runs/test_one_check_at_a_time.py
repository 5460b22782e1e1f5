"""Whoever checks a file waits a moment at most, and for one file at a time: others are never held up by one person."""

from __future__ import annotations

import errno
import gzip
import io
import tempfile
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from assess.base import one_at_a_time as waiting
from assess.base.one_at_a_time import Busy, one_at_a_time
from assess.base.unpacked import open_unpacked
from assess.models import Campaign, Run
from tests import factories
from tests.assess.runs.submitted import GOOD, send

pytestmark = pytest.mark.django_db
PAGE, CALLS = "/c/opinions/runs/new/", "/api/v1/campaigns/opinions/runs/"
FORM = {"team": "Harbor", "priority": "1", "automatic": "yes", "field-documents": "collection"}
BUSY = "A file of yours is being checked at this moment."


def sent(**changes: str) -> dict[str, object]:
    return {**changes, "file": SimpleUploadedFile("run.txt", GOOD.format(tag="Harbor1").encode())}


def call(client: Client, user: User, path: str) -> tuple[int, dict[str, object]]:
    values = sent(team="Harbor", priority="1", **{"fields.documents": "collection"})
    answer = client.post(path, values, headers={"Authorization": f"Token {factories.api_token(user)}"})
    return answer.status_code, answer.json()


@pytest.fixture
def busy(setup: Campaign, participant: User) -> Iterator[None]:
    with one_at_a_time(participant):
        yield


def test_a_second_check_of_the_same_person_is_refused(
    busy: None, client: Client, participant: User, organiser: User
) -> None:
    client.force_login(participant)
    answer = client.post(PAGE, sent(check="1", **FORM))
    assert (answer.status_code, BUSY in answer.content.decode()) == (409, True)
    status, problem = call(client, participant, f"{CALLS}check/")
    assert (status, problem["code"]) == (409, "busy")
    client.force_login(organiser)  # who is not held up
    assert client.post(PAGE, sent(check="1", **FORM)).status_code == 200


def test_who_submits_meanwhile_is_served_by_the_worker(busy: None, client: Client, participant: User) -> None:
    status, run = call(client, participant, CALLS)
    assert (status, run["state"]) == (202, "checking")


def test_the_report_waits_for_the_check_of_the_same_person(setup: Campaign, client: Client, participant: User) -> None:
    run = send(setup, participant)
    client.force_login(participant)
    path = f"/c/opinions/runs/{run.pk}/report/"
    assert client.get(path).status_code == 200
    with one_at_a_time(participant):
        assert client.get(path).status_code == 409
    assert client.get(path).status_code == 200


def test_what_takes_longer_goes_to_the_worker(
    setup: Campaign, client: Client, participant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "AT_ONCE_SECONDS", -1.0)
    monkeypatch.setattr("tests.assess.runs.submitted.GOOD", "")
    client.force_login(participant)
    bad = SimpleUploadedFile("run.txt", b"bad\n" * 5)
    answer = client.post(PAGE, {**FORM, "check": "1", "file": bad})
    assert answer.status_code == 422
    assert "takes longer than is done while you wait. Submit it" in answer.content.decode()
    token = factories.api_token(participant)
    values = {"team": "Harbor", "priority": "1", "fields.documents": "collection"}
    answer = client.post(
        CALLS, {**values, "file": io.BytesIO(b"bad\n" * 5)}, headers={"Authorization": f"Token {token}"}
    )
    assert (answer.status_code, answer.json()["state"]) == (202, "checking")
    assert [(each.state, each.size) for each in Run.objects.all()] == [("checking", 20)]


def test_a_check_that_breaks_off_leaves_the_person_free(setup: Campaign, participant: User) -> None:
    with pytest.raises(ZeroDivisionError), one_at_a_time(participant):
        raise ZeroDivisionError
    with one_at_a_time(participant), pytest.raises(Busy), one_at_a_time(participant):
        raise AssertionError("both at once")


def test_a_second_packed_file_of_the_same_person_is_refused_while_one_is_unpacked(
    setup: Campaign, client: Client, participant: User
) -> None:
    """Little that is sent may be half a gigabyte unpacked."""
    client.force_login(participant)

    def packed() -> dict[str, object]:
        file = SimpleUploadedFile("Harbor1.txt.gz", gzip.compress(GOOD.format(tag="Harbor1").encode()))
        return {**FORM, "tag": "Harbor1", "file": file}

    with one_at_a_time(participant, "unpacked"):
        for values in ({**packed(), "check": "1"}, packed()):
            answer = client.post(PAGE, values)
            assert (answer.status_code, "is being unpacked" in answer.content.decode()) == (409, True)
        api = {"file": packed()["file"], "tag": "Harbor1", "team": "Harbor"}
        for path in (CALLS, f"{CALLS}check/"):
            assert client.post(path, {**api, "file": packed()["file"]}).json()["code"] == "busy"
    with one_at_a_time(participant):
        assert client.post(PAGE, packed()).status_code == 302, "it is unpacked, and checked by the worker"


def test_a_full_disk_is_no_damage_of_the_packed_file(setup: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def write(self, _: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Full())
    with pytest.raises(OSError, match="No space"), open_unpacked(io.BytesIO(gzip.compress(b"x")), name="a.gz", limit=9):
        pass
