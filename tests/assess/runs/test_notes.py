"""Notes of a checker, which are no faults: counted by themselves on page, in API and command, and refusing nothing."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from assess.base.file_issues import collect
from assess.models import Campaign, Run
from assess.runs.domain.checking import check_run
from assess.runs.domain.submitting import submit_run
from scoring.records import Issue
from tests.assess.commands import run_command
from tests.assess.runs.submitted import form
from tests.pages import page_of

pytestmark = pytest.mark.django_db

NOTED = "1.1 Harbor1 D1 blue\x0bsky\n1.2 Harbor1 D1 They\x0care light.\n"
"""A run without fault, with a vertical tab and a form feed in its strings."""


def submitted(campaign: Campaign, actor: User, text: str = NOTED) -> Run:
    stream = io.BytesIO(text.encode())
    return submit_run(actor=actor, campaign=campaign, form=form(), file=stream, file_name="harbor.txt", replace=True)


def test_notes_are_counted_by_themselves_and_come_last() -> None:
    found = [Issue(where=n, code="x", message="x", severity=s) for n, s in enumerate(("note", "warning", "error"), 1)]
    report = collect(found * 2, limit=1)
    assert (report.errors, report.warnings, report.notes, report.hidden) == (2, 2, 2, 3)
    assert [issue.severity for issue in report.issues] == ["error", "warning", "note"]


def test_a_run_with_notes_alone_is_accepted_and_keeps_their_number(setup: Campaign, participant: User) -> None:
    run = submitted(setup, participant)
    run.refresh_from_db()
    assert (run.state, run.errors, run.warnings, run.notes) == ("accepted", 0, 0, 2)
    assert [(row["where"], row["severity"], row["code"]) for row in run.report] == [
        (1, "note", "white-space"),
        (2, "note", "white-space"),
    ]


def test_the_page_of_a_run_shows_notes_where_there_are_any(setup: Campaign, participant: User, client: Client) -> None:
    client.force_login(participant)
    noted = submitted(setup, participant)
    page = page_of(client.get(reverse("run", args=[setup.slug, noted.pk])))
    assert "0 errors, 0 warnings and 2 notes." in page
    assert "more.</p>" not in page
    wrong = submitted(setup, participant, "1.1 Harbor1 D1 blue\n9.9 Harbor1 D1 x\n")
    page = page_of(client.get(reverse("run", args=[setup.slug, wrong.pk])))
    assert "2 errors and 0 warnings." in page


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (NOTED, "The file passes the check with 2 notes."),
        (NOTED.removesuffix("\n"), "The file passes the check with 1 warning and 2 notes."),
        (NOTED.replace("1.2", "9.9"), "The file has 2 errors, 0 warnings and 2 notes."),
        (NOTED.replace("\x0b", "").replace("\x0c", ""), "The file passes the check."),
    ],
)
def test_the_page_that_checks_shows_them(
    setup: Campaign, participant: User, client: Client, text: str, said: str
) -> None:
    client.force_login(participant)
    values: dict[str, Any] = {
        "team": "Harbor",
        "priority": 1,
        "automatic": "yes",
        "field-documents": "collection",
        "file": SimpleUploadedFile("harbor.txt", text.encode()),
        "check": "yes",
    }
    page = client.post(reverse("run-new", args=[setup.slug]), values).content.decode()
    assert said in " ".join(page.split())


def test_the_api_gives_their_number(setup: Campaign, participant: User, client: Client) -> None:
    client.force_login(participant)
    file = SimpleUploadedFile("harbor.txt", NOTED.encode())
    checked = client.post(f"/api/v1/campaigns/{setup.slug}/runs/check/", {"file": file}).json()
    assert (checked["errors"], checked["warnings"], checked["notes"]) == (0, 0, 2)
    run = submitted(setup, participant)
    given = client.get(f"/api/v1/campaigns/{setup.slug}/runs/{run.pk}/").json()
    assert (given["errors"], given["warnings"], given["notes"]) == (0, 0, 2)


def test_commands_say_it(setup: Campaign, participant: User, tmp_path: Path) -> None:
    path = tmp_path / "harbor.txt"
    path.write_text(NOTED)
    status, out, err = run_command("check_run", setup.slug, path)
    assert (status, err.strip()) == (0, "No errors, 0 warnings, 2 notes.")
    assert [line.split("\t")[:3] for line in out.splitlines()] == [
        ["1", "note", "white-space"],
        ["2", "note", "white-space"],
    ]
    options = ["--as", "participant", "--team", "Harbor", "--priority", "1", "--field", "documents=collection"]
    status, out, _ = run_command("submit_run", setup.slug, path, *options)
    assert (status, out.strip()) == (0, f"Harbor1 accepted as run {Run.objects.get().pk}, 0 warnings, 2 notes.")
    path.write_text(NOTED.replace("1.2", "9.9"))
    status, _, err = run_command("check_run", setup.slug, path)
    assert (status, err.splitlines()[-1]) == (1, "2 errors, 0 warnings, 2 notes.")


def test_notes_alone_are_nothing_to_mend(setup: Campaign, participant: User) -> None:
    assert submitted(setup, participant).repaired == ""
    assert check_run(campaign=setup, stream=io.BytesIO(NOTED.encode())).is_clean
