"""A second file under a tag: it is asked for, keeps what was said before, and both runs say which took whose place."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from assess.jobs.background import do_job
from assess.models import Activity, Campaign, Run
from assess.runs.domain.replacing import Replace, ReplacesRun
from assess.runs.domain.submitting import submit_repaired, submit_run
from assess.runs.queries import newest_check
from tests.assess.runs.submitted import form, send
from tests.assess.worker import run_worker
from tests.pages import page_of

pytestmark = pytest.mark.django_db

GOOD = "1.1 Harbor1 D1 blue\n1.2 Harbor1 D1 They are light.\n"
RED, GREEN = GOOD.replace("blue", "red"), GOOD.replace("blue", "green")


def submit(campaign: Campaign, actor: User, text: str = GOOD, replace: Replace = False, **changes: object) -> Run:
    stream = io.BytesIO(text.encode())
    asked = form(**changes)
    return submit_run(actor=actor, campaign=campaign, form=asked, file=stream, file_name="r.txt", replace=replace)


def states(campaign: Campaign) -> list[tuple[str, int | None]]:
    return list(campaign.runs.order_by("id").values_list("state", "replaces"))


def check(run: Run) -> None:
    work = newest_check(run)
    assert work is not None
    do_job(work.pk)


@pytest.mark.parametrize("way", [submit, send])
def test_another_file_under_a_tag_is_refused_until_it_is_meant(setup: Campaign, participant: User, way) -> None:
    first = submit(setup, participant)
    activities = Activity.objects.count()
    with pytest.raises(ReplacesRun, match=rf"Harbor has a run Harbor1 already.*with another file \(run {first.pk}\)"):
        way(setup, participant, RED)
    with pytest.raises(ReplacesRun):  # what is meant is another run
        way(setup, participant, RED, replace=Run(pk=first.pk + 1))
    assert (states(setup), Activity.objects.count()) == ([("accepted", None)], activities)
    second = way(setup, participant, RED, replace=first)
    run_worker()
    assert states(setup) == [("withdrawn", None), ("accepted", first.pk)]
    accepted = Activity.objects.get(action="run.accept", object_id=second.pk)
    assert accepted.data["replaces"] == first.pk


def test_the_same_file_again_is_never_asked_about(setup: Campaign, participant: User) -> None:
    first = submit(setup, participant, description="BM25")
    assert submit(setup, participant).pk == send(setup, participant).pk == first.pk
    corrected = submit(setup, participant, description="BM25 with care")
    assert (corrected.description, states(setup)) == (
        "BM25 with care",
        [("withdrawn", None), ("accepted", first.pk)],
    )


@pytest.mark.parametrize("way", [submit, send])
def test_what_is_not_given_anew_is_kept(setup: Campaign, participant: User, way) -> None:
    submit(setup, participant, description="BM25", fields={"documents": "top50"})
    way(setup, participant, RED, replace=True, tag="Harbor1", priority=None, fields={})
    run_worker()
    run = setup.runs.get(state="accepted")
    assert (run.priority, run.description, run.fields) == (1, "BM25", {"documents": "top50"})
    way(setup, participant, GREEN, replace=True, description="BM25, more", fields={"documents": "collection"})
    run_worker()
    run = setup.runs.get(state="accepted")
    assert (run.description, run.fields) == ("BM25, more", {"documents": "collection"})


def test_a_run_that_is_being_checked_is_asked_about_too(setup: Campaign, participant: User) -> None:
    first = send(setup, participant)
    with pytest.raises(ReplacesRun, match="which is being checked"):
        send(setup, participant, RED)
    run_worker()
    assert states(setup) == [("accepted", None)]
    first.refresh_from_db()
    assert first.state == "accepted"


def test_a_check_that_ends_later_replaces_nothing_unasked(setup: Campaign, participant: User) -> None:
    accepted = submit(setup, participant)
    Run.objects.update(state="withdrawn")
    late = send(setup, participant, RED)
    Run.objects.filter(pk=accepted.pk).update(state="accepted")  # what came in while the other was checked
    check(late)
    late.refresh_from_db()
    assert states(setup) == [("accepted", None), ("rejected", None)]
    assert (late.report[0]["code"], "is meant to replace it" in late.report[0]["message"]) == ("refused", True)


def test_what_was_rejected_or_withdrawn_replaced_nothing(setup: Campaign, participant: User) -> None:
    first = submit(setup, participant)
    send(setup, participant, "1.1 Harbor1\n", replace=True)
    run_worker()
    assert states(setup) == [("accepted", None), ("rejected", None)]
    send(setup, participant, RED, replace=first)
    newest = send(setup, participant, GREEN, replace=True)
    check(newest)
    run_worker()
    assert states(setup)[2:] == [("withdrawn", None), ("accepted", first.pk)]


def test_a_repaired_file_replaces_what_its_page_names(client: Client, setup: Campaign, participant: User) -> None:
    loose = send(setup, participant, RED + "\n\n1.1 Harbor1 D1 red\n")
    run_worker()
    loose.refresh_from_db()
    first = submit(setup, participant)
    with pytest.raises(ReplacesRun):
        submit_repaired(actor=participant, run=loose)
    client.force_login(participant)
    page = page_of(client.get(reverse("run", args=["opinions", loose.pk])))
    assert f'<input type="hidden" name="replace" value="{first.pk}">' in page
    client.post(reverse("run-repaired-submit", args=["opinions", loose.pk]), {"replace": first.pk})
    run_worker()
    assert states(setup) == [("rejected", None), ("withdrawn", None), ("accepted", first.pk)]


def test_the_page_asks_and_keeps_what_was_typed(client: Client, setup: Campaign, participant: User) -> None:
    first = submit(setup, participant, description="BM25")
    client.force_login(participant)
    given = {"team": "Harbor", "priority": "1", "tag": "", "automatic": "no", "field-documents": "top50"}

    def post(**more: object):
        file = SimpleUploadedFile("run.txt", RED.encode())
        return client.post(reverse("run-new", args=["opinions"]), {**given, "file": file, **more}, follow=True)

    asked = post(description="With feedback.")
    page = page_of(asked)
    assert asked.status_code == 409
    assert f'<input type="checkbox" name="replace" value="{first.pk}" id="replace"' in page
    assert "choose it again" in page
    assert "With feedback.</textarea>" in page
    assert '<option value="no" selected>' in page
    assert states(setup) == [("accepted", None)]
    post(replace=first.pk, automatic="yes")
    run_worker()
    second = setup.runs.get(state="accepted")
    assert (second.replaces_id, second.description) == (first.pk, "BM25")
    old = page_of(client.get(reverse("run", args=["opinions", first.pk])))
    new = page_of(client.get(reverse("run", args=["opinions", second.pk])))
    address = reverse("run", args=["opinions", second.pk])
    assert f'<dt>Replaced by</dt><dd><a href="{address}">run {second.pk}</a>' in old
    assert f'<dt>Replaces</dt><dd><a href="{reverse("run", args=["opinions", first.pk])}">run {first.pk}</a>' in new
    told = client.get(reverse("api-run-detail", args=["opinions", first.pk])).json()
    assert (told["replaces"], told["replaced_by"]) == (None, second.pk)


def test_who_replaces_one_run_on_the_page_replaces_no_other(client: Client, setup: Campaign, participant: User) -> None:
    first = submit(setup, participant)
    submit(setup, participant, GOOD.replace("Harbor1", "Harbor2"), priority=2)
    client.force_login(participant)
    given = {"team": "Harbor", "priority": "2", "tag": "", "automatic": "yes", "field-documents": "top50"}
    file = SimpleUploadedFile("run.txt", RED.replace("Harbor1", "Harbor2").encode())
    answer = client.post(reverse("run-new", args=["opinions"]), {**given, "file": file, "replace": first.pk})
    assert (answer.status_code, states(setup)) == (409, [("accepted", None), ("accepted", None)])


def test_the_command_says_that_it_is_meant(setup: Campaign, participant: User, tmp_path: Path) -> None:
    first = submit(setup, participant)
    path = tmp_path / "run.txt"
    path.write_text(RED)
    given = ["--as", participant.username, "--team", "Harbor", "--priority", "1"]
    call_command("submit_run", "opinions", str(path), *given, "--replace")
    assert states(setup) == [("withdrawn", None), ("accepted", first.pk)]


def test_the_api_says_that_it_is_meant(client: Client, setup: Campaign, participant: User) -> None:
    first = submit(setup, participant)
    client.force_login(participant)
    address = reverse("api-run-list", args=["opinions"])
    for given, status, code in (({}, 409, "replaces-run"), ({"replace": "true"}, 201, None)):
        file = SimpleUploadedFile("run.txt", RED.encode())
        answer = client.post(address, {"team": "Harbor", "priority": 1, "file": file, **given})
        assert (answer.status_code, answer.json().get("code")) == (status, code), answer.json()
    assert answer.json()["replaces"] == first.pk
