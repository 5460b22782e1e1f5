"""`manage.py call`: every operation of the API by its name, what it takes, and its refusals."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from assess.base.files import store_file
from assess.management.operations import NoSuchName, known_operations, operation_named
from assess.models import Activity, Campaign, Run, Topic
from tests import factories
from tests.assess.commands import run_command

PLACE = Path(__file__).parent.parent.parent / "docs" / "openapi.yaml"


def test_each_operation_of_the_description_has_one_name_by_which_it_is_found() -> None:
    ids = [line.split()[1] for line in PLACE.read_text().splitlines() if line.strip().startswith("operationId:")]
    found = [operation_named(each) for each in ids]
    assert len(ids) > 150
    assert len({each.name for each in found}) == len(ids) == len(known_operations())
    assert all(operation_named(each.name) is each for each in found)


def test_what_an_operation_takes_is_listed_and_read_by_its_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bulk = operation_named("assignments_bulk")
    assert bulk.values_of(["act=reopen", "pieces=3", "pieces=4", "topics=1.1", "dry_run=true"], slug="opinions") == {
        "slug": "opinions", "act": "reopen", "pieces": [3, 4], "topics": ["1.1"], "dry_run": True,
    }  # fmt: skip
    amend = operation_named("topics_amend")
    assert amend.values_of(["number=3", "wording.text=A=B"], slug="x")["wording"] == {"text": "A=B"}
    given = ["number=3", 'wording={"text": "A", "note": "B"}', "wording.text=C"]
    assert amend.values_of(given, slug="x")["wording"] == {"text": "C", "note": "B"}
    (tmp_path / "gold.jsonl").write_text('{"topic": "1"}\n')
    monkeypatch.chdir(tmp_path)
    designed = operation_named("design_create")
    for files in (["files=@gold.jsonl"], [f"files=@{tmp_path / 'gold.jsonl'}"], ["files.gold.jsonl=@gold.jsonl"]):
        assert designed.values_of(["design=x", *files], slug="x")["files"] == {"gold.jsonl": '{"topic": "1"}\n'}
    assert "act              hand-out | hand-over | take-back | reopen, required" in bulk.help()
    assert "value            integer or null, required" in operation_named("assignments_judgments_create").help()


@pytest.mark.parametrize(
    ("operation", "given", "words"),
    [
        ("deadline", ["due"], "“due” is no NAME=VALUE of deadline, which takes before, due, time_zone, past."),
        ("deadline", ["till=now"], "“till=now” is no NAME=VALUE"),
        ("deadline", ["slug=other", "due="], "“slug=other” is no NAME=VALUE"),
        ("deadline", ["due=a", "due=b"], "due was given 2 times, and takes one value."),
        ("deadline", ["due.zone=a"], "“due.zone=a” is no NAME=VALUE"),
        ("deadline", [], "deadline needs due=…."),
        ("deadline", ["due=", "past=maybe"], "past takes boolean, written as JSON, and not “maybe”."),
        ("topics_amend", [f"number=@{Path(sys.executable).resolve()}"], "is no text in UTF-8."),
        ("deadlin", [], "There is no operation “deadlin”. Near it: deadline"),
    ],
)
def test_what_it_does_not_take_is_said(operation: str, given: list[str], words: str) -> None:
    with pytest.raises(NoSuchName) as refused:
        operation_named(operation).values_of(given, slug="opinions")
    assert words in str(refused.value)


@pytest.mark.django_db
def test_it_is_called_in_somebody_s_name_and_refuses_as_the_api(
    campaign: Campaign, organiser: User, participant: User, tmp_path: Path
) -> None:
    status, out, _ = run_command("call", "time_zone", campaign.slug, "time_zone=Asia/Kolkata")
    assert (status, "time_zone\tAsia/Kolkata" in out.splitlines()) == (0, True)
    assert Activity.objects.latest("id").actor == organiser
    status, _, told = run_command("call", "deadline", campaign.slug, "due=", "--as", participant.username)
    assert (status, "There is nothing here for you" in told) == (1, True)
    status, _, told = run_command("call", "topics_create", campaign.slug, f"file={tmp_path / 'none.xml'}")
    assert (status, "none.xml: No such file or directory" in told) == (2, True)
    (tmp_path / "q.xml").write_text("<trecqa/>")
    status, _, told = run_command("call", "topics_create", campaign.slug, f"file={tmp_path / 'q.xml'}")
    assert (status, "nothing of it was stored" in told) == (1, True)
    assert run_command("call", "deadline", "nowhere", "due=")[0] == 2


@pytest.mark.django_db
def test_a_long_list_is_printed_to_its_end_and_part_of_it_where_that_is_asked(campaign: Campaign) -> None:
    more = [Topic(campaign=campaign, number=f"9.{each}", text="?", task="rigid") for each in range(120)]
    Topic.objects.bulk_create(more)
    of_campaign = campaign.topics.count()
    _, out, _ = run_command("call", "topics_list", campaign.slug)
    assert out.splitlines()[0].split("\t")[:2] == ["number", "task"]
    assert len(out.splitlines()) == of_campaign + 1
    _, out, _ = run_command("call", "topics_list", campaign.slug, "limit=3", "--format", "json")
    assert len(json.loads(out)) == 3


@pytest.mark.django_db
def test_a_file_that_is_answered_is_written(campaign: Campaign, participant: User, settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    run = factories.run(campaign, "Harbor1", participant)
    Run.objects.filter(pk=run.pk).update(file=store_file(io.BytesIO(b"1.1 Harbor1 D1 blue\n")).sha256)
    kept = tmp_path / "run.txt"
    assert run_command("call", "runs_file", campaign.slug, f"id={run.pk}", f"--out={kept}")[0] == 0
    assert kept.read_bytes() == b"1.1 Harbor1 D1 blue\n"
    nowhere = tmp_path / "nowhere" / "run.txt"
    status, _, told = run_command("call", "runs_file", campaign.slug, f"id={run.pk}", f"--out={nowhere}")
    assert (status, told) == (2, f"cannot open {nowhere}: No such file or directory")


@pytest.mark.django_db
def test_without_an_operation_all_of_them_are_listed_and_one_alone_is_explained() -> None:
    _, out, _ = run_command("call")
    assert len(out.splitlines()) == len(known_operations())
    assert "deadline\tSet the time until which participants can submit, replace and withdraw runs." in out.splitlines()
    _, out, _ = run_command("call", "deadline")
    assert out.startswith("manage.py call deadline CAMPAIGN [NAME=VALUE …]")
