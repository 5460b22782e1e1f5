"""Kinds of run files: without priorities, so many a team, with a form in the file, with a look before submitting."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import BinaryIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from assess.base.errors import BadFile, Conflict, Invalid
from assess.models import Campaign, Run
from assess.protocol import RunForm
from assess.runs.domain import checking, submitting
from assess.runs.domain.checking import Preview, check_run, preview_run
from assess.runs.domain.deciding import withdraw_run
from assess.runs.domain.run_form import Incomplete
from assess.runs.domain.submitting import submit_run
from tests.assess.runs.changed_kinds import LINE, change
from tests.assess.toys import send
from tests.pages import page_of

pytestmark = pytest.mark.django_db


def test_a_kind_without_priorities_needs_none_and_takes_none(toy: Campaign, organiser: User) -> None:
    assert send(toy, organiser, "R", LINE, kind="ranked").priority is None
    with pytest.raises(Invalid, match="Runs of this kind have no priority"):
        send(toy, organiser, "S", LINE, kind="ranked", priority=2)
    with pytest.raises(Invalid, match="Give the run tag"):
        send(toy, organiser, "", LINE, kind="ranked")


def test_a_team_has_so_many_runs_of_a_kind_and_no_more(toy: Campaign, organiser: User) -> None:
    change(toy, "ranked", runs_a_team=2)
    first = send(toy, organiser, "R1", LINE, kind="ranked")
    send(toy, organiser, "R2", LINE, kind="ranked")
    with pytest.raises(Conflict, match=r"Quay has 2 accepted runs \(R1, R2\); a team may have 2. Withdraw one"):
        send(toy, organiser, "R3", LINE, kind="ranked")
    assert (
        send(toy, organiser, "R2", LINE, LINE, kind="ranked", replace=True).state == Run.State.ACCEPTED
    )  # takes its own place
    assert send(toy, organiser, "F1", LINE, kind="full").state == Run.State.ACCEPTED  # of another kind
    assert send(toy, organiser, "O1", LINE, kind="ranked", team="Other").state == Run.State.ACCEPTED
    withdraw_run(actor=organiser, run=first)
    assert send(toy, organiser, "R3", LINE, kind="ranked").state == Run.State.ACCEPTED


def said(file: BinaryIO) -> RunForm | None:
    """The form in the first line of a file."""
    values = json.loads(file.readline()).get("form")
    return RunForm(**values) if values else None


def test_what_the_form_leaves_out_the_file_says(toy: Campaign, organiser: User) -> None:
    change(toy, "ranked", form=said)
    in_file = {**LINE, "form": {"tag": "R7", "team": "Pier", "automatic": False, "description": "By hand."}}

    def submit(form: RunForm) -> tuple[str, str, bool, str]:
        stream = io.BytesIO((json.dumps(in_file) + "\n").encode())
        run = submit_run(
            actor=organiser, campaign=toy, form=form, file=stream, file_name="r.jsonl", submission="ranked"
        )
        assert run.size > 0
        return run.tag, run.team, run.automatic, run.description

    assert submit(RunForm()) == ("R7", "Pier", False, "By hand.")
    assert submit(RunForm(tag="R8", team="Quay", description="Mine.")) == ("R8", "Quay", False, "Mine.")


def test_the_tag_in_the_file_is_taken_where_there_are_no_priorities(toy: Campaign, organiser: User) -> None:
    change(toy, "ranked", tag=lambda file: json.loads(file.readline()).get("tag"))
    assert send(toy, organiser, "", {**LINE, "tag": "R9"}, kind="ranked").tag == "R9"
    with pytest.raises(Invalid, match="Give the run tag"):
        send(toy, organiser, "", LINE, kind="ranked")


def test_what_is_wrong_with_the_file_comes_before_the_tag_that_it_does_not_say(toy: Campaign, organiser: User) -> None:
    change(toy, "ranked", tag=lambda _: None)
    with pytest.raises(BadFile, match="The file has 1 error, and no run tag was found") as refused:
        send(toy, organiser, "", ["no object"], LINE, kind="ranked")
    assert refused.value.issues[0].message == "The line is no JSON object."
    assert not Run.objects.exists()


def test_of_a_large_file_the_form_must_say_the_tag(
    toy: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(toy, "ranked", form=said)
    monkeypatch.setattr(submitting, "AT_ONCE", 10)
    in_file = {**LINE, "form": {"tag": "R7", "team": "Pier"}}

    def submit(form: RunForm) -> Run:
        given = {"file": stream_of(in_file), "file_name": "r.jsonl", "submission": "ranked"}
        return submit_run(actor=organiser, campaign=toy, form=form, in_place=False, **given)

    with pytest.raises(Incomplete) as refused:
        submit(RunForm(team="Pier"))
    assert list(refused.value.problems) == ["tag"]
    assert submit(RunForm(team="Pier", tag="R7")).state == Run.State.CHECKING


def test_a_file_that_is_read_as_one_piece_may_not_be_large(
    toy: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "WHOLE_LIMIT", 10)
    assert send(toy, organiser, "R1", LINE, kind="ranked").state == Run.State.ACCEPTED
    change(toy, "ranked", is_whole=True)
    with pytest.raises(Invalid, match="larger than the 10 bytes"):
        send(toy, organiser, "R2", LINE, kind="ranked")
    with pytest.raises(Invalid, match="larger than the 10 bytes"):
        check_run(campaign=toy, stream=stream_of(LINE), submission="ranked")


SENTENCES = {"topic": "9-1_1", "sentences": [{"text": "Go by boat."}, {"text": "Take <b>bread</b>."}]}
ROWS = (("9-1_1", "sentence 1", "Go by boat."), ("9-1_1", "sentence 2", "Take <b>bread</b>."))


def stream_of(*lines: object) -> io.BytesIO:
    stream = io.BytesIO("".join(json.dumps(line) + "\n" for line in lines).encode())
    stream.name = "run.jsonl"
    return stream


def look(campaign: Campaign, kind: str, content: io.BytesIO, limit: int = 200) -> Preview | None:
    report = check_run(campaign=campaign, stream=content, submission=kind)
    content.seek(0)
    return preview_run(campaign=campaign, stream=content, report=report, submission=kind, limit=limit)


def test_a_preview_says_how_the_file_was_read(toy: Campaign) -> None:
    assert look(toy, "full", stream_of(SENTENCES)) == Preview(rows=ROWS, is_cut=False)
    assert look(toy, "full", stream_of(SENTENCES), limit=1) == Preview(rows=ROWS[:1], is_cut=True)
    assert look(toy, "ranked", stream_of(SENTENCES)) is None
    assert look(toy, "full", io.BytesIO(b"[]\n")) is None
    assert Run.objects.count() == 0


def test_the_api_answers_a_check_with_the_preview(toy: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    address = reverse("api-run-check", args=["toy"])
    answer = client.post(address, {"file": stream_of(SENTENCES), "submission": "full"}).json()
    assert answer["errors"] == 0
    assert answer["preview"] == [{"topic": topic, "what": what, "text": text} for topic, what, text in ROWS]
    assert client.post(address, {"file": stream_of(SENTENCES), "submission": "ranked"}).json()["preview"] == []


def test_the_page_shows_the_preview_after_a_check_and_stores_nothing(toy: Campaign, organiser: User) -> None:
    client = Client()
    client.force_login(organiser)
    address = reverse("run-new", args=["toy"])
    page = page_of(client.get(address, {"submission": "ranked"}))
    assert '<a class="button" href="?submission=ranked" aria-current="true">Ranking only</a>' in page
    assert 'name="priority"' not in page
    form = {"submission": "full", "team": "Quay", "priority": "1", "tag": "Q", "automatic": "yes", "check": "yes"}
    page = page_of(client.post(address, {**form, "file": stream_of(SENTENCES)}))
    assert "How your file was read" in page
    assert "Take &lt;b&gt;bread&lt;/b&gt;." in page
    page = page_of(client.post(address, {**form, "file": io.BytesIO(b"[]\n")}))
    assert "How your file was read" not in page
    assert Run.objects.count() == 0


def test_the_command_prints_the_preview(toy: Campaign, organiser: User, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(stream_of(SENTENCES).read())

    def command(*options: str) -> str:
        out = io.StringIO()
        call_command("check_run", "toy", str(path), "--preview", *options, stdout=out, stderr=io.StringIO())
        return out.getvalue()

    assert command() == "".join("\t".join(row) + "\n" for row in ROWS)
    with pytest.raises(CommandError, match="There is no preview"):
        command("--submission", "ranked")
    path.write_text("[]\n")
    with pytest.raises(CommandError, match="1 error"):
        command()
