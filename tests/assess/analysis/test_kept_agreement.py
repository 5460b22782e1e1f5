"""Judges are compared once for as many as ask, by the worker where that takes long; it is kept until it changes."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import reverse

from assess.analysis.domain import kept_agreement
from assess.analysis.domain.agreement import Compared, ComparisonRequest, matrix_of, pairs_in
from assess.analysis.domain.kept_agreement import compare_judges
from assess.campaigns import queries
from assess.campaigns.activity import record_activity
from assess.campaigns.queries import newest_point
from assess.judging.snapshots import Snapshot
from assess.models import Assignment, Campaign, Item, Job
from assess.web import turns
from tests import factories
from tests.assess.compared import judge
from tests.assess.worker import run_worker
from tests.pages import page_of

pytestmark = pytest.mark.django_db
QUESTION: dict[str, Any] = {"stage": "instances", "criterion": "correctness"}
PAGES = ("agreement", "agreement-items", "agreement-plot")


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The ledger points at which judges were compared."""
    found: list[int] = []
    compute = kept_agreement.compare

    def noted(asked: ComparisonRequest, *rest: Any) -> Compared:
        found.append(asked.point)
        return compute(asked, *rest)

    monkeypatch.setattr(kept_agreement, "compare", noted)
    return found


@pytest.fixture
def site(compared: Campaign, settings: Any, tmp_path: Path) -> Campaign:
    settings.DATA_DIR = tmp_path / "data"
    return compared


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every campaign takes longer to compare than somebody should wait."""
    monkeypatch.setattr(kept_agreement, "AT_ONCE", 0)


def ask(at_desk: Client, campaign: Campaign, name: str = "agreement", **headers: str) -> Any:
    return at_desk.get(reverse(name, args=[campaign.slug]), headers=headers)  # type: ignore[arg-type]


def say_another(campaign: Campaign) -> None:
    """The second assessor changes a value that agreed."""
    work = Assignment.objects.get(campaign=campaign, role="second")
    judge(work, Item.objects.get(text="bicycle 0"), -1)


def test_what_is_kept_is_what_was_computed(site: Campaign, computed: list[int], organiser: User) -> None:
    judges = ("primary", "second", "official")
    first = compare_judges(Snapshot(site), judges=judges, **QUESTION)
    again = compare_judges(Snapshot(site), judges=judges, **QUESTION)
    assert (again.report, again.by_topic, again.alone) == (first.report, first.by_topic, first.alone)
    for a, b in ((0, 1), (1, 0), (0, 2)):
        pairs = [list(pairs_in(found, a, b)) for found in (first, again)]
        assert pairs[0] == pairs[1] and repr(pairs[0]) == repr(pairs[1])
        assert repr(matrix_of(first, a, b)) == repr(matrix_of(again, a, b))
    with transaction.atomic():
        record_activity(actor=organiser, action="export.write", campaign=site, data={})
    assert compare_judges(Snapshot(site), judges=judges, **QUESTION).as_of > first.as_of
    assert computed == [first.as_of]
    say_another(site)
    assert compare_judges(Snapshot(site), judges=judges, **QUESTION).report != first.report
    assert compare_judges(Snapshot(site, first.as_of), judges=judges, **QUESTION).report == first.report
    assert len(computed) == 2


def test_other_judges_questions_and_thresholds_are_kept_apart(site: Campaign, computed: list[int]) -> None:
    ways: list[dict[str, Any]] = [
        {"judges": ("primary", "second")},
        {"judges": ("second", "primary")},
        {"judges": ("primary", "second"), "relevant": -1.0},
        {"judges": ("primary", "official")},
    ]
    found = [compare_judges(Snapshot(site), **QUESTION, **way) for way in ways * 2]
    assert len(computed) == len(ways)
    assert [each.report for each in found[:4]] == [each.report for each in found[4:]]
    assert found[0].alone == found[1].alone[::-1] == (1, 0)


def test_large_campaigns_are_compared_by_the_worker(
    site: Campaign, at_desk: Client, large: None, computed: list[int]
) -> None:
    assert [ask(at_desk, site, name).status_code for name in PAGES] == [202, 202, 409]
    shown = page_of(ask(at_desk, site))
    assert "Computing the agreement" in shown and 'role="status"' in shown and "Look again" in shown
    assert ask(at_desk, site, "api-agreement-list").json()["code"] == "still-comparing"
    assert Job.objects.get().kind == "agreement" and computed == []
    run_worker()
    assert [ask(at_desk, site, name).status_code for name in (*PAGES, "api-agreement-list")] == [200] * 4
    assert ask(at_desk, site, **{"Accept-Language": "de"}).status_code == 200  # what it is called has no part in it
    ended = ask(at_desk, site, **{"HX-Request": "true", "HX-Target": "waiting"})
    assert (ended.status_code, ended["HX-Trigger"]) == (204, "job-ended")
    assert Job.objects.get().message == f"The judges are compared as of ledger point {computed[0]:,}."
    assert len(computed) == 1


def test_the_comparison_of_before_is_shown_until_the_newer_one_is_there(
    site: Campaign, at_desk: Client, large: None
) -> None:
    ask(at_desk, site)
    run_worker()
    before = ask(at_desk, site).context["comparison"]
    say_another(site)
    for name in PAGES[:2]:
        page = ask(at_desk, site, name)
        assert page.context["comparison"].report == before.report
        assert "There are newer judgments" in page_of(page) and "being computed in the background" in page_of(page)
    assert ask(at_desk, site, "agreement-plot").status_code == 200
    assert Job.objects.count() == 1
    run_worker()
    page = ask(at_desk, site)
    assert page.context["comparison"].report != before.report and "newer judgments" not in page_of(page)


def test_pages_that_wait_are_never_turned_away(site: Campaign, at_desk: Client, large: None) -> None:
    """Several windows look again every two seconds, while a large page of another is made."""
    with ExitStack() as taken:
        for _ in range(2):
            assert turns._line.acquire(blocking=False)
            taken.callback(turns._line.release)
        assert [ask(at_desk, site, name).status_code for name in PAGES[:2]] == [202, 202]
        run_worker()
        assert [ask(at_desk, site, name).status_code for name in (*PAGES[:2], "api-agreement-list")] == [200] * 3


def test_who_may_not_see_agreement_asks_for_no_job(
    site: Campaign, assessor: User, participant: User, client: Client, large: None
) -> None:
    for person in (assessor, participant):
        client.force_login(person)
        assert {ask(client, site, name).status_code for name in PAGES} == {404}
    assert not Job.objects.exists()


def test_other_code_and_other_topics_are_compared_anew(
    site: Campaign, computed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    point = newest_point(site)

    def compare() -> int:
        compare_judges(Snapshot(Campaign.objects.get(pk=site.pk), point), judges=("primary", "second"), **QUESTION)
        return len(computed)

    assert [compare(), compare()] == [1, 1]
    first = site.topics.exclude(task="").order_by("pk")[0]
    factories.topic(site, "99", "A late one", task=first.task)
    assert compare() == 2
    monkeypatch.setattr(queries, "site_version", lambda: "another")
    assert [compare(), compare()] == [3, 3]
