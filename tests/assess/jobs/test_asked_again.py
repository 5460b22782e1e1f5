"""Whoever asks again and again for what the worker makes gets it, also while people go on judging."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.analysis.domain import kept_agreement
from assess.campaigns.queries import ledger_point
from assess.exports import kept
from assess.models import Assignment, Campaign, Item
from assess.organising.domain import change_state
from assess.scores import at_hand
from tests.assess.compared import judge
from tests.assess.worker import run_worker

pytestmark = pytest.mark.django_db
MEAN = {"run": "Alder1", "topic": "1", "measure": "rigid"}
CALLS: dict[str, dict[str, str]] = {
    "api-score-list": {},
    "api-score-explain": MEAN,
    "api-score-report": {"team": "Alder"},
    "api-agreement-list": {},
    "api-stability-list": {},
    "api-significance-list": {},
    "api-export-all-files": {},
    "api-export-detail": {},
}
PAGES: dict[str, dict[str, str]] = {
    "scores": {},
    "score-explain": {**MEAN, "topic": "1.1", "measure": "F"},
    "score-report": {"team": "Alder"},
    "agreement": {},
    "stability": {},
}


def ask(at_desk: Client, campaign: Campaign, name: str, **given: str) -> Any:
    rest = ["instances.tsv"] if name == "api-export-detail" else []
    return at_desk.get(reverse(name, args=[campaign.slug, *rest]), (CALLS | PAGES)[name] | given)


def judged(campaign: Campaign) -> int:
    """The ledger point after one more judgment, which changes a value."""
    work = Assignment.objects.filter(campaign=campaign, stage="instances", role="primary").earliest("pk")
    item = Item.objects.filter(topic=work.topic).earliest("pk")
    last = item.judgments.latest("pk")
    judge(work, item, -last.value)
    return ledger_point(campaign)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """The campaign is one of those whose figures the worker makes."""
    monkeypatch.setattr(at_hand, "AT_ONCE", 0)
    monkeypatch.setattr(kept_agreement, "AT_ONCE", 0)
    monkeypatch.setattr(kept, "SMALL", -1)


def test_it_is_answered_while_people_judge(
    ranked: Campaign, at_desk: Client, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    statuses: dict[str, list[int]] = {name: [] for name in CALLS | PAGES}
    points: dict[str, int] = {}
    for _ in range(3):
        for name, found in statuses.items():
            answer = ask(at_desk, ranked, name)
            found.append(answer.status_code)
            points[name] = int(answer.headers.get("As-Of", 0))
            judged(ranked)
        run_worker()
        judged(ranked)
    last = judged(ranked)
    assert {name: (found[0], found[-1]) for name, found in statuses.items()} == {
        **dict.fromkeys(CALLS, (409, 200)),
        **dict.fromkeys(PAGES, (202, 200)),
    }, statuses
    for name in CALLS:
        assert 0 < points[name] < last, name
        again = ask(at_desk, ranked, name, as_of=str(points[name])) if name != "api-score-report" else None
        assert again is None or (again.status_code, int(again["As-Of"])) == (200, points[name]), name
    for module in (at_hand, kept_agreement, kept):
        monkeypatch.setattr(module, "was_newest", lambda *_, **__: False)
    late = {name: ask(at_desk, ranked, name).status_code for name in CALLS}
    assert late == dict.fromkeys(CALLS, 409), "what is older than some minutes stands in for nothing"


def test_of_a_frozen_campaign_calls_get_the_newest(
    ranked: Campaign, at_desk: Client, large: None, organiser: User
) -> None:
    for _ in range(3):  # stability is of two sides, one after the other
        before = {name: ask(at_desk, ranked, name) for name in CALLS}
        run_worker()
    assert {answer.status_code for answer in before.values()} == {200}
    judged(ranked)
    change_state(actor=organiser, campaign=ranked, state="frozen")
    assert {name: ask(at_desk, ranked, name).status_code for name in CALLS} == dict.fromkeys(CALLS, 409)
    run_worker()
    ask(at_desk, ranked, "api-stability-list")
    run_worker()
    for name in CALLS:
        answer = ask(at_desk, ranked, name)
        assert answer.status_code == 200 and int(answer["As-Of"]) > int(before[name]["As-Of"]), name


def test_pages_of_a_list_are_of_one_point(ranked: Campaign, at_desk: Client) -> None:
    first = ask(at_desk, ranked, "api-score-list", limit="2")
    judged(ranked)
    second = at_desk.get(first.json()["next"])
    assert f"as_of={first['As-Of']}" in first.json()["next"]
    assert second["As-Of"] == first["As-Of"] and f"as_of={first['As-Of']}" in second.json()["previous"]
