"""Exports of one topic, of one assessor, of the second judgments: by page, API and command the same."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from assess.campaigns.queries import ledger_point
from assess.exports import kept
from assess.exports.parts import part_of
from assess.exports.queries import grades
from assess.models import Assignment, Job
from nuggets.matches.export import matches_of
from nuggets.models import NuggetList
from nuggets.writing.export import nuggets_of
from tests import factories
from tests.assess.judged_campaign import judge, mark, work, write_list
from tests.assess.worker import run_worker
from tests.pages import page_of

pytestmark = pytest.mark.django_db

Files = dict[str, list[str]]


@pytest.fixture
def judged(begun_grading: Assignment, assessor: User, second_assessor: User) -> Assignment:
    """Two topics: instances of 1.1 judged by two people, nuggets of 1.2 written and marked by one."""
    campaign = begun_grading.campaign
    second = work(campaign, "1.1", "instances", second_assessor, role="second")
    judge(second, "blue", -1)
    judge(second, "green", 1)
    nuggets = write_list(work(campaign, "1.2", "nuggets", assessor), cheap="vital", breaks="okay")
    mark(work(campaign, "1.2", "matches", assessor), nuggets, 1, "It is cheap and light.")
    return begun_grading


def files_of(content: bytes) -> Files:
    with ZipFile(io.BytesIO(content)) as opened:
        return {name: opened.read(name).decode().splitlines() for name in opened.namelist()}


def zipped(client: Client, name: str, query: dict[str, Any]) -> Files:
    answer = client.get(reverse(name, args=["opinions"]), query)
    assert answer.status_code == 200, answer.content.decode()
    return files_of(b"".join(answer.streaming_content))  # type: ignore[arg-type]


def by_command(folder: Path, *options: str) -> Files:
    call_command("export", "opinions", str(folder), *options, stdout=io.StringIO(), stderr=io.StringIO())
    return {path.name: path.read_text().splitlines() for path in folder.iterdir()}


def acts(files: Files) -> list[dict[str, Any]]:
    return [json.loads(line) for line in files["judgments.jsonl"]]


@pytest.mark.parametrize(
    "query", [{"topic": "1.1"}, {"topic": "1"}, {"judges": "second"}, {"judges": "assessor-1", "topic": "1.2, 1.1"}]
)
def test_page_api_and_command_give_the_same_part(
    judged: Assignment, at_desk: Client, tmp_path: Path, query: dict[str, str]
) -> None:
    query["as_of"] = str(ledger_point(judged.campaign))
    options = [text for key, value in query.items() for text in (f"--{key.replace('_', '-')}", value)]
    page, call = zipped(at_desk, "exports-zip", query), zipped(at_desk, "api-export-all-files", query)
    assert page == call == by_command(tmp_path / "part", *options)
    single = at_desk.get(reverse("export-file", args=["opinions", "instances.tsv"]), query)
    assert single["Content-Disposition"] == 'attachment; filename="instances-part.tsv"'
    assert b"".join(single.streaming_content).decode().splitlines() == page["instances.tsv"]  # type: ignore[arg-type]


def test_a_part_of_a_topic_has_the_lines_of_that_topic(judged: Assignment, tmp_path: Path) -> None:
    whole = by_command(tmp_path / "whole")
    for topic, other in (("1.1", "1.2"), ("1.2", "1.1")):
        part = by_command(tmp_path / topic, "--topic", topic)
        assert part.keys() == whole.keys()
        assert acts(part) == [act for act in acts(whole) if act["topic"] == topic] != []
        assert not any(f'id="{other}"' in line for line in part["questions.xml"])
        assert any(f'id="{topic}"' in line for line in part["questions.xml"])
        assert json.loads("".join(part["manifest.json"]))["topics"] == [topic]
    part = by_command(tmp_path / "again", "--topic", "1.1")
    assert part["instances.tsv"] == whole["instances.tsv"] and part["nuggets.tsv"] != whole["nuggets.tsv"]


def test_a_part_of_judges_is_as_if_only_they_had_judged(judged: Assignment, tmp_path: Path) -> None:
    second = by_command(tmp_path / "second", "--judges", "second")
    assert {(act["by"], act["role"]) for act in acts(second)} == {("assessor-2", "second")}
    assert second["instances.tsv"] == ["1.1\tD1\t-1\t\tblue", "1.1\tD3\t1\t\tgreen"]
    assert by_command(tmp_path / "person", "--judges", "assessor-2")["instances.tsv"] == second["instances.tsv"]
    first = by_command(tmp_path / "first", "--judges", "assessor-1")
    assert {act["by"] for act in acts(first)} == {"assessor-1"}
    assert first["matches.tsv"] and first["nuggets.tsv"]
    manifest = json.loads("".join(second["manifest.json"]))
    assert (manifest["roles"], manifest["assessor"], manifest["topics"]) == (["second"], None, ["1.1"])


def test_two_second_assessors_of_a_topic_are_told_apart(judged: Assignment, second_assessor: User) -> None:
    campaign = judged.campaign
    third = factories.member(campaign, "third", "assessor")
    judge(work(campaign, "1.1", "instances", third, role="second"), "blue", 1)
    people, keys = (second_assessor, third), ("assessor-2", "assessor-3")
    for person in people:
        marking = work(campaign, "1.2", "matches", person, role="second")
        mark(marking, NuggetList.objects.get(), 1, "It is cheap and light.")

    def names(collector: Callable[..., Any], judges: str, **options: str) -> set[str]:
        found = collector(part_of(campaign, judges=judges), role="second", **options)
        return {one.by for one in found if getattr(one, "value", 0) is not None}

    for judges, expected in (("", set(keys)), *((key, {key}) for key in keys)):
        assert names(grades, judges, kind="instance") == names(matches_of, judges) == expected
    for person in people:
        write_list(work(campaign, "1.2", "nuggets", person, role="second"), light="vital")
    for judges, expected in (("", set(keys)), *((key, {key}) for key in keys)):
        assert names(nuggets_of, judges) == expected


def test_a_part_takes_the_place_of_no_other_part_and_not_of_the_whole(judged: Assignment, tmp_path: Path) -> None:
    whole = by_command(tmp_path / "whole")
    for options in (["--topic", "1.1"], ["--judges", "second"]):
        with pytest.raises(CommandError, match="holds the export of another part of this campaign, or of the whole"):
            by_command(tmp_path / "whole", *options)
    assert by_command(tmp_path / "whole")["instances.tsv"] == whole["instances.tsv"]
    part = by_command(tmp_path / "part", "--topic", "1.1")
    assert by_command(tmp_path / "part", "--topic", "1.1").keys() == part.keys()
    with pytest.raises(CommandError, match="another part"):
        by_command(tmp_path / "part", "--topic", "1.2")


def test_the_page_says_what_part_it_shows_and_its_links_give_that(judged: Assignment, at_desk: Client) -> None:
    query = {"topic": "1.1", "judges": "second", "as_of": ledger_point(judged.campaign)}
    text = page_of(at_desk.get(reverse("exports", args=["opinions"]), query))
    assert "This is only a part. Topics: 1.1. Judges: " in text and "nobody but the chosen judges" in text
    assert f"/exports/all/?as_of={query['as_of']}&amp;topic=1.1&amp;judges=second" in text
    assert '<option value="second" selected>' in text.replace("\n      ", " ")
    whole = page_of(at_desk.get(reverse("exports", args=["opinions"])))
    assert "only a part" not in whole and f'/exports/all/?as_of={query["as_of"]}"' in whole


def test_a_part_of_a_large_campaign_is_made_by_the_worker_and_kept_beside_the_whole(
    judged: Assignment, at_desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = ledger_point(judged.campaign)
    queries: list[dict[str, Any]] = [
        {"as_of": point, "judges": "second"},
        {"as_of": point},
        {"as_of": point, "topic": "1.2"},
    ]
    at_once = [zipped(at_desk, "api-export-all-files", query) for query in queries]
    monkeypatch.setattr(kept, "SMALL", -1)
    for query, files in zip(queries, at_once, strict=True):
        waiting = at_desk.get(reverse("exports-zip", args=["opinions"]), query)
        assert waiting.status_code == 202
        run_worker()
        assert zipped(at_desk, "exports-zip", query) == files
    assert Job.objects.count() == 3


def test_who_asks_for_a_part_again_while_people_judge_waits_for_the_same_job(
    judged: Assignment, at_desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "SMALL", -1)
    asked = {"judges": "second"}
    for number in range(3):
        assert at_desk.get(reverse("api-export-all-files", args=["opinions"]), asked).status_code == 409
        assert at_desk.get(reverse("exports-zip", args=["opinions"]), asked).status_code == 202
        judge(judged, "blue", 1, again=number)
    assert at_desk.get(reverse("exports-zip", args=["opinions"])).status_code == 202  # the whole is another
    assert Job.objects.count() == 2
    run_worker()
    judge(judged, "blue", 1, again=3)
    assert at_desk.get(reverse("api-export-all-files", args=["opinions"]), asked).status_code == 200
    assert Job.objects.count() == 2
