"""What is asked again and again is answered with 304 where nothing changed since."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from assess.models import Assignment, Campaign, Job
from tests.assess.judged_campaign import judge

pytestmark = pytest.mark.django_db
BASE = "/api/v1/campaigns/opinions/"


def ask(client: Client, path: str, etag: str = "") -> Any:
    return client.get(BASE + path, headers={"If-None-Match": etag} if etag else {})


def test_who_asks_again_is_told_that_nothing_changed_until_something_does(
    begun_grading: Assignment, organiser: User, at_desk: Client
) -> None:
    job = Job.objects.create(campaign=begun_grading.campaign, kind="documents", started_by=organiser)
    run = begun_grading.campaign.runs.get(tag="Amber1")
    polled = ("progress/", f"jobs/{job.pk}/", f"runs/{run.pk}/", "runs/", "assignments/")
    known = {path: ask(at_desk, path)["ETag"] for path in polled}
    for path, etag in known.items():
        for sent in (etag, f"W/{etag}", f'"x", {etag}', "*"):
            again = ask(at_desk, path, sent)
            assert (path, again.status_code, again.content, again["ETag"]) == (path, 304, b"", etag)
    judge(begun_grading, "red", 1)
    Job.objects.update(state="running", done=3)
    begun_grading.campaign.runs.filter(pk=run.pk).update(description="a better one")
    Assignment.objects.filter(pk=begun_grading.pk).update(state="done")
    for path, etag in known.items():
        again = ask(at_desk, path, etag)
        assert (path, again.status_code, again["ETag"] != etag) == (path, 200, True)


def test_a_refusal_and_what_changes_something_have_none(campaign: Campaign, at_desk: Client) -> None:
    for answer in (ask(at_desk, "runs/?tagg=x", "*"), ask(at_desk, "runs/77/", "*")):
        assert (answer.status_code >= 400, "ETag" in answer) == (True, False)


def test_another_ledger_point_is_another_answer(begun_grading: Assignment, at_desk: Client) -> None:
    first = ask(at_desk, "scores/measures/")
    assert ask(at_desk, "scores/measures/", first["ETag"]).status_code == 304
    scores = ask(at_desk, "judgments/")
    judge(begun_grading, "blue", -1)
    judge(begun_grading, "blue", 1, again=1)  # the same lines at another point
    again = ask(at_desk, "judgments/", scores["ETag"])
    assert (again.status_code, again.json()) == (200, scores.json())
