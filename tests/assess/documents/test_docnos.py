"""The list of valid docnos: loaded in batches, asked in batches."""

from __future__ import annotations

import io

import pytest
from django.contrib.auth.models import User

from assess.documents.domain import lists as module
from assess.documents.domain.lists import load_docnos
from assess.documents.queries.documents import unknown_docnos
from assess.jobs.progress import JobProgress
from assess.models import Campaign, ValidDocno

pytestmark = pytest.mark.django_db


def load(campaign: Campaign, actor: User, content: bytes, **more: object) -> module.LoadedDocnos:
    return load_docnos(actor=actor, campaign=campaign, stream=io.BytesIO(content), name="docnos.txt", **more)  # type: ignore[arg-type]


def test_docnos_are_added_once(campaign: Campaign, organiser: User) -> None:
    first = load(campaign, organiser, b"D1\nD2\r\n\n  D3 \nD1\n")
    assert (first.read, first.added) == (4, 3)
    again = load(campaign, organiser, b"D3\nD4")
    assert (again.read, again.added) == (2, 1)
    assert sorted(ValidDocno.objects.values_list("docno", flat=True)) == ["D1", "D2", "D3", "D4"]


def test_a_line_that_is_no_docno_is_reported_and_passed_over(campaign: Campaign, organiser: User) -> None:
    loaded = load(campaign, organiser, b"D1\nD2 0.5\n\xff\n" + b"x" * 300 + b"\nD\x003\nD4\tb\nD5\n")
    assert (loaded.read, loaded.added) == (2, 2)
    assert [(issue.where, issue.code) for issue in loaded.report.issues] == [
        (2, "docno-form"),
        (3, "not-utf8"),
        (4, "docno-form"),
        (5, "nul-byte"),
        (6, "docno-form"),
    ]


def test_unknown_docnos_are_those_not_on_the_list(campaign: Campaign, organiser: User) -> None:
    assert unknown_docnos(campaign) is None
    load(campaign, organiser, b"".join(b"D%d\n" % number for number in range(12_000)))
    unknown = unknown_docnos(campaign)
    assert unknown is not None
    assert unknown([f"D{number}" for number in range(11_000, 13_000)]) == {f"D{n}" for n in range(12_000, 13_000)}
    assert unknown([]) == set()


def test_another_campaign_has_a_list_of_its_own(campaign: Campaign, organiser: User) -> None:
    other = Campaign.objects.create(slug="other", title="Other", track="tac2008-qa")
    load(campaign, organiser, b"D1\n")
    assert unknown_docnos(other) is None
    load(other, organiser, b"D2\n")
    unknown = unknown_docnos(other)
    assert unknown is not None
    assert unknown(["D1", "D2"]) == {"D1"}


def test_a_load_can_be_stopped_and_started_again(
    campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 2)
    seen: list[JobProgress] = []
    stopped = load(campaign, organiser, b"D1\nD2\nD3\nD4\nD5\n", progress=seen.append, should_stop=lambda: True)
    assert (stopped.read, stopped.added, stopped.stopped) == (2, 2, True)
    assert seen == [JobProgress(done=2, unit="docnos")]
    done = load(campaign, organiser, b"D1\nD2\nD3\nD4\nD5\n")
    assert (done.read, done.added, done.stopped) == (5, 3, False)
