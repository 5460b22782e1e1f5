"""All judgments of a campaign by the API: in lines, in pages, since a ledger point, and imported."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from assess.campaigns.queries import ledger_point
from assess.exports import kept
from assess.exports.writing import export_lines, find_export
from assess.judging.snapshots import Snapshot
from assess.models import Assignment, Campaign, Job, Judgment
from tests.assess.judged_campaign import CHEAP, WEEK, judge, mark, vote, work, write_list
from tests.assess.worker import run_worker

pytestmark = pytest.mark.django_db
BASE = "/api/v1/campaigns/opinions/judgments/"


def lines(client: Client, query: str = "") -> list[str]:
    """What `judgments/lines/` answers."""
    answer = client.get(f"{BASE}lines/{query}")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/x-ndjson")
    return b"".join(answer.streaming_content).decode().splitlines()  # type: ignore[arg-type]


def exported(campaign: Campaign, point: int) -> set[str]:
    snapshot = Snapshot(campaign, point)
    export = find_export(campaign, "judgments.jsonl")
    assert export is not None
    return {line.rstrip("\n") for line in export_lines(snapshot, export)}


@pytest.fixture
def points(
    begun_grading: Assignment, assessor: User, second_assessor: User, adjudicator: User, campaign: Campaign
) -> list[int]:
    """The ledger points after each of some acts of every kind, some of which take others back."""
    found = [ledger_point(campaign)]
    second = work(campaign, "1.1", "instances", second_assessor, role="second")
    writing, matching = work(campaign, "1.2", "nuggets", assessor), work(campaign, "1.2", "matches", assessor)
    voting = work(campaign, "1.2", "votes", second_assessor)
    nuggets = write_list(writing, cheap="vital", breaks="okay")
    found.append(ledger_point(campaign))
    acts = (
        lambda: judge(begun_grading, "blue", -1, note="it is grey"),
        lambda: judge(second, "blue", 1),
        lambda: judge(second, "blue", None),
        lambda: (mark(matching, nuggets, 1, CHEAP), mark(matching, nuggets, 2, WEEK)),
        lambda: mark(matching, nuggets, 1, CHEAP, value="absent"),
        lambda: vote(voting, nuggets, 1, "vital"),
        lambda: (vote(voting, nuggets, 1, None), judge(begun_grading, "blue", 1, again=1)),
    )
    for act in acts:
        act()
        found.append(ledger_point(campaign))
    return found


def test_what_changed_makes_the_lines_of_one_point_those_of_any_later_one(
    points: list[int], campaign: Campaign, at_desk: Client
) -> None:
    whole = {point: exported(campaign, point) for point in points}
    assert sorted(lines(at_desk)) == sorted(whole[points[-1]])
    for since, as_of in [*pairwise(points), (points[0], points[-1]), (points[2], points[6])]:
        changed = lines(at_desk, f"?since={since}&as_of={as_of}")
        acts = [json.loads(line) for line in changed]
        taken_back = {json.dumps(act["act"], sort_keys=True) for act in acts if act["do"] == "take_back"}
        new = {line for line, act in zip(changed, acts, strict=True) if act["do"] != "take_back"}
        assert taken_back <= whole[since] and not new & whole[since]
        assert (whole[since] - taken_back) | new == whole[as_of], (since, as_of)
    assert lines(at_desk, f"?since={points[-1]}") == []


def test_pages_hold_the_same_acts_and_name_their_point(points: list[int], campaign: Campaign, at_desk: Client) -> None:
    found, address = [], f"{BASE}?limit=2"
    while address:
        answer = at_desk.get(address)
        assert int(answer["As-Of"]) == points[-1]
        page = answer.json()
        found += page["results"]
        address = page["next"]
    assert page["count"] == len(found) > 4
    assert [each["act"] for each in found] == [json.loads(line) for line in lines(at_desk)]
    since = at_desk.get(f"{BASE}?since={points[-2]}").json()["results"]
    assert [(each["taken_back"], each["act"]["do"], each["act"].get("value")) for each in since] == [
        (True, "judge", -1),
        (False, "judge", 1),
        (True, "vote", None),
    ]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("?since=99999", "since"),
        ("?since=-1", "since"),
        ("?as_of=x", "as_of"),
        ("?as_of=1&since=0", "as_of"),
        ("?sinse=1", "sinse"),
    ],
)
def test_a_point_that_is_none_is_refused(at_desk: Client, campaign: Campaign, query: str, field: str) -> None:
    for address in (BASE, f"{BASE}lines/"):
        answer = at_desk.get(address + query)
        assert (answer.status_code, [each["field"] for each in answer.json()["errors"]]) == (422, [field])


def test_all_of_a_large_campaign_is_made_by_the_worker_and_what_changed_at_once(
    points: list[int], at_desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "SMALL", -1)
    for address in (BASE, f"{BASE}lines/"):
        assert (at_desk.get(address).status_code, at_desk.get(address).json()["code"]) == (409, "still-exporting")
    assert len(lines(at_desk, f"?since={points[-2]}")) == 3
    run_worker()
    assert len(lines(at_desk)) == at_desk.get(BASE).json()["count"]


def send(client: Client, content: str, **people: str) -> Any:
    """Import such a file, for people by pseudonym (with _ for -)."""
    named = {f"people.{name.replace('_', '-')}": user for name, user in people.items()}
    return client.post(BASE, {"file": SimpleUploadedFile("said.jsonl", content.encode()), **named})


def line(value: int, by: str = "assessor-1", text: str = "green") -> str:
    said = {"do": "judge", "by": by, "topic": "1.1", "criterion": "correctness", "value": value, "role": "second"}
    return json.dumps({**said, "docno": "D3", "answer": text}) + "\n"


def test_recorded_judgments_are_imported_in_the_background(
    begun_grading: Assignment, second_assessor: User, at_desk: Client
) -> None:
    for _ in range(2):  # the second time nothing is added
        answer = send(at_desk, line(1, "assessor-7"), assessor_7="second_assessor")
        assert (answer.status_code, answer.json()["state"]) == (202, "waiting")
        run_worker()
    told = [at_desk.get(f"/api/v1/campaigns/opinions/jobs/{job.pk}/").json() for job in Job.objects.order_by("id")]
    assert [(each["state"], each["done"], each["message"]) for each in told] == [
        ("done", 1, "1 line replayed, 3 rows added."),  # the work is handed out, too
        ("done", 1, "1 line replayed, 0 rows added."),
    ]
    row = Judgment.objects.get(assessor=second_assessor)
    assert (row.item.text, row.value, row.how) == ("green", 1, "import")


def test_a_file_with_errors_adds_nothing_and_the_job_names_its_lines(
    begun_grading: Assignment, second_assessor: User, at_desk: Client
) -> None:
    before = Judgment.objects.count()
    send(at_desk, line(1) + line(7, text="red"), assessor_1="second_assessor")
    run_worker()
    told = at_desk.get("/api/v1/campaigns/opinions/jobs/").json()["results"][0]
    assert (told["state"], [each["where"] for each in told["issues"]]) == ("failed", ["2"])
    assert Judgment.objects.count() == before


def test_who_is_no_judge_here_is_refused_at_once_and_so_is_a_closed_campaign(
    begun_grading: Assignment, stranger: User, at_desk: Client
) -> None:
    refused = send(at_desk, line(1), assessor_1="stranger")
    assert (refused.status_code, refused.json()["detail"]) == (
        422,
        "Nobody who judges in this campaign is called stranger.",
    )
    Campaign.objects.update(state="frozen")
    assert send(at_desk, line(1)).status_code == 409
    assert not Job.objects.exists()
