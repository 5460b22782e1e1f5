"""Run tags where anybody chooses them: the rule at its edges, said alike by page, API and command."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from assess.base.errors import Conflict
from assess.models import Campaign, Run
from assess.protocol import RunForm
from assess.runs.domain.checking import report_in_full
from assess.runs.domain.run_form import Incomplete
from assess.runs.domain.submitting import submit_run
from scoring.run_tags import ANY_TRACK
from tests import factories
from tests.assess.pooling import retrieval  # noqa: F401

pytestmark = pytest.mark.django_db

LONGEST = "abcdefghij0123456789"


def content(tag: str) -> bytes:
    return "".join(f"{topic} Q0 DA 1 9.5 {tag}\n" for topic in ("1", "2")).encode()


def send(campaign: Campaign, actor: User, tag: str, team: str = "Cape", replace: bool = False) -> Run:
    form, file = RunForm(tag=tag, team=team), io.BytesIO(content(tag))
    return submit_run(actor=actor, campaign=campaign, form=form, file=file, file_name="r.txt", replace=replace)


@pytest.mark.parametrize("tag", [LONGEST, "a", "_a", "-a", "a.", "A.b_c-9"])
def test_tags_that_keep_the_rule_are_taken(retrieval: Campaign, organiser: User, tag: str) -> None:  # noqa: F811
    assert (send(retrieval, organiser, tag).state, Run.objects.filter(tag=tag).count()) == ("accepted", 1)


def test_how_long_a_tag_may_be_is_a_setting(retrieval: Campaign, organiser: User) -> None:  # noqa: F811
    with pytest.raises(Incomplete):
        send(retrieval, organiser, LONGEST + "x")
    retrieval.settings["tag_length"] = 21
    retrieval.save()
    assert send(retrieval, organiser, LONGEST + "x").state == "accepted"
    with pytest.raises(Incomplete, match="at most 21 of the letters"):
        send(retrieval, organiser, LONGEST + "xy")


@pytest.mark.parametrize("tag", [LONGEST + "x", ".a", "über", "a b", "a/b", "аbс", "a\u200b", "=1+1"])
def test_other_tags_are_refused_with_the_rule_on_every_surface(
    retrieval: Campaign,  # noqa: F811
    organiser: User,
    client: Client,
    tmp_path: Path,
    tag: str,
) -> None:
    with pytest.raises(Incomplete) as refused:
        send(retrieval, organiser, tag)
    sentence = ANY_TRACK.issue(tag).message
    assert "at most 20 of the letters" in sentence
    assert refused.value.problems == {"tag": sentence}
    client.force_login(organiser)
    form = {"tag": tag, "team": "Cape", "automatic": "yes"}
    page = client.post(
        reverse("run-new", args=[retrieval.slug]), {**form, "file": SimpleUploadedFile("r.txt", content(tag))}
    )
    assert (page.status_code, page.context["form"].errors["tag"]) == (422, [sentence])
    api = client.post(
        f"/api/v1/campaigns/{retrieval.slug}/runs/", {**form, "file": SimpleUploadedFile("r.txt", content(tag))}
    )
    assert (api.status_code, api.json()["detail"]) == (422, sentence)
    file = tmp_path / "r.txt"
    file.write_bytes(content(tag))
    with pytest.raises(CommandError, match="Give it another form"):
        call_command("submit_run", retrieval.slug, str(file), "--as", organiser.username, "--team=Cape", f"--tag={tag}")
    assert Run.objects.count() == 3


def test_a_tag_is_one_team_s_alone(retrieval: Campaign, organiser: User) -> None:  # noqa: F811
    cape = factories.member(retrieval, "cape", "participant", team="Cape")
    Campaign.objects.filter(pk=retrieval.pk).update(state="setup")
    retrieval.refresh_from_db()
    with pytest.raises(
        Conflict, match=r"The tag alp1 is taken\. Choose another; if the file names it, change it there\."
    ):
        send(retrieval, cape, "alp1")
    assert send(retrieval, organiser, "alp1", team="Alps", replace=True).state == "accepted"
    send(retrieval, cape, "ALP1")
    assert list(
        Run.objects.filter(state="accepted", tag__iexact="alp1").values_list("tag", "team").order_by("team")
    ) == [
        ("alp1", "Alps"),
        ("ALP1", "Cape"),
    ]


def test_the_full_report_of_a_published_run_takes_its_tag_as_it_is(
    retrieval: Campaign,  # noqa: F811
    organiser: User,
) -> None:
    form, file = RunForm(tag=LONGEST + "x", team="Cape"), io.BytesIO(content(LONGEST + "x"))
    run = submit_run(
        actor=organiser, campaign=retrieval, form=form, file=file, file_name="r.txt", published=True, in_place=True
    )
    assert run.state == "accepted"
    found = report_in_full(actor=organiser, run=run, limit=10)
    assert [row["code"] for row in found] == [row["code"] for row in run.report]
