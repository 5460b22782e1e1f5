"""The pages of pools by a strategy: choosing, planning, quality; and the API with the same fields."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from assess.base.errors import Conflict
from assess.campaigns.activity import record_activity
from assess.campaigns.queries import track_of
from assess.jobs.background import do_job
from assess.jobs.progress import JobProgress, Stopped
from assess.models import Campaign, Item, Job, Pool, Run
from assess.organising.domain import change_state
from assess.pools.domain import planning as pool_reading
from assess.pools.domain import ranking_checks as pool_ranking_checks
from assess.pools.domain.planning import DEPTHS, plan_numbers, task_rankings
from assess.pools.domain.quality import KS, pool_quality, quality_input
from assess.pools.domain.ranking_checks import point_at, ranking_checks
from assess.pools.domain.start_jobs import start_pool
from assess.pools.domain.strategy import make_selection, read_selection, selection_json
from assess.pools.plots import lines_svg
from tests import factories
from tests.assess.pooling import build, grade, letters, submit, work
from tests.pages import page_of

pytestmark = pytest.mark.django_db
COSTS = {"pool-plan": 14, "pool-quality": 27, "pool-build": 20}  # queries


@pytest.fixture
def desk(retrieval: Campaign, organiser: User, client: Client) -> Client:
    client.force_login(organiser)
    return client


def at(name: str) -> str:
    return reverse(name, args=["ranked", "ranking"])


def words(answer: Any) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page_of(answer))))


def body(answer: Any) -> list[str]:
    text: str = b"".join(answer.streaming_content).decode()
    return text.splitlines()


# ------------------------------------------------------------------ choosing


def test_a_strategy_is_shown_with_counts_and_then_built(desk: Client) -> None:
    first = desk.get(at("pool-build"))
    assert "Choose a strategy" in words(first)
    said = {"strategy": "rrf", "budget": "3", "step": "show"}
    shown = desk.post(at("pool-build"), said)
    assert "Reciprocal rank fusion The accepted runs are pooled: 3 runs, 6 different items for 2 topics." in words(
        shown
    )
    assert not Pool.objects.exists()
    kept = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page_of(shown)))
    assert {name: kept[name] for name in ("strategy", "budget")} == {"strategy": "rrf", "budget": "3"}
    assert desk.post(at("pool-build"), {"strategy": "rrf", "budget": "3"}).status_code == 302
    pool = Pool.objects.get()
    assert letters(pool) == "abc"
    page = words(desk.get(reverse("pool", args=["ranked"])))
    assert "Selected by: strategy Reciprocal rank fusion ; depth 1000 ; budget 3 ; k 60 ." in page


def test_topics_and_runs_of_a_pool_come_in_pages_and_topics_are_found(
    desk: Client, retrieval: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(retrieval, organiser, strategy="depth", depth=2)
    whole = desk.get(reverse("pool", args=["ranked"])).content.decode()
    assert "Find a topic" not in whole and "Copy page as CSV" not in whole
    monkeypatch.setattr("assess.pools.views.pages.ROWS", 1)

    def shown(address: str) -> list[list[str]]:
        text = desk.get(reverse("pool", args=["ranked"]) + address).content.decode()
        assert "Find a topic" in text
        tables = [text.partition(f'id="pool-{of}-ranking"')[2].partition("</table>")[0] for of in ("topics", "runs")]
        return [re.findall(r'<th scope="row"[^>]*>(?:<a[^>]*>)?([^<]+)', table) for table in tables]

    assert shown("") == [["1"], ["alp1"]]
    assert shown("?topics-ranking=2&runs-ranking=3") == [["2"], ["bay1"]]
    assert shown("?q=TOPIC%202&topics-ranking=9") == [["2"], ["alp1"]]
    second = desk.get(reverse("pool", args=["ranked"]) + "?runs-ranking=2").content.decode()
    assert 'href="?runs-ranking=2&amp;topics-ranking=2"' in second, "the other table stays where it is"


def test_a_pool_that_somebody_built_meanwhile_is_not_replaced_unseen(desk: Client) -> None:
    def made_from(page: str) -> str:
        found = re.search(r'name="made_from" value="([^"]+)"', page)
        assert found is not None
        return html.unescape(found[1])

    first = made_from(page_of(desk.get(at("pool-build"))))
    assert desk.post(at("pool-build"), {"strategy": "rrf", "budget": "4", "made_from": first}).status_code == 302
    mine = {"strategy": "rrf", "budget": "3", "made_from": first}
    refused = desk.post(at("pool-build"), mine)
    assert refused.status_code == 409 and Pool.objects.count() == 1
    shown = page_of(refused)
    assert "organiser changed this after you had opened it" in shown and 'name="budget" value="3"' in shown
    assert desk.post(at("pool-build"), {**mine, "made_from": made_from(shown)}).status_code == 302
    assert Pool.objects.count() == 2


def test_an_uploaded_list_is_kept_between_showing_and_building(desk: Client) -> None:
    file = SimpleUploadedFile("more.txt", b"1 1 Dq 3.0\n")
    shown = desk.post(at("pool-build"), {"strategy": "depth", "depth": "1", "list_file": file, "step": "show"})
    assert "6 different items" in words(shown)  # a and x, q; k, l and s
    forms = shown.content.decode().split('<form method="post">')[1]
    kept = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', forms))
    assert (
        desk.post(at("pool-build"), {name: kept[name] for name in ("strategy", "depth", "list_key")}).status_code == 302
    )
    assert letters(Pool.objects.get()) == "aqx"
    forged = desk.post(at("pool-build"), {"strategy": "depth", "depth": "1", "list_key": "['x']:y"})
    assert "The list was not sent by this page. Choose it again." in words(forged)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"strategy": "rrf"}, "Rrf needs a budget: how many documents of each topic to take."),
        ({"strategy": "depth", "depth": "many"}, "Write a whole number from 1 to 1,000,000,000."),
        ({"strategy": "stratified", "strata": "10-1"}, "“10-1” is not bound:rate, as in 10:1,50:0.2."),
        ({"strategy": "best"}, "best is not one of the available choices"),
        ({"strategy": "whole", "minus_judged": "on"}, "go with a strategy. Choose one."),
    ],
)
@pytest.mark.parametrize("step", ["show", "build"])
def test_bad_numbers_are_said_beside_the_form(desk: Client, said: dict[str, str], sentence: str, step: str) -> None:
    answer = desk.post(at("pool-build"), {**said, "step": step})
    assert (answer.status_code, sentence in words(answer)) == (422, True)
    assert not Pool.objects.exists()


def test_a_bad_list_names_its_line(desk: Client) -> None:
    file = SimpleUploadedFile("more.txt", b"1 first Dq 3.0\n")
    answer = desk.post(at("pool-build"), {"strategy": "depth", "depth": "1", "list_file": file, "step": "show"})
    assert (answer.status_code, "more.txt has 1 error" in words(answer), "Line 1:" in words(answer)) == (
        422,
        True,
        True,
    )


def test_a_growing_pool_says_where_it_may_end(desk: Client) -> None:
    shown = words(desk.post(at("pool-build"), {"strategy": "max-mean", "budget": "9", "batch": "2", "step": "show"}))
    assert "grows by 2 documents at a time to at most 9: at most 9 × 2 in all" in shown


# ------------------------------------------------------------------ planning


def test_the_plan_counts_sizes_runs_overlaps_and_hours(desk: Client, retrieval: Campaign) -> None:
    page = words(desk.get(at("pool-plan"), {"depth": "2", "seconds": "90"}))
    assert "To depth 2: topics 2, runs 3, documents 8" in page
    assert "Nobody's time is measured yet, so hours are counted with 30 seconds a document" in page
    assert "2 chosen 8 4.0 0.2" in page  # depth, documents, a topic, hours
    task = track_of(retrieval).tasks[0]
    rankings = task_rankings(retrieval, task)
    assert rankings is not None
    numbers = plan_numbers(rankings, ["1", "2"], 2)
    assert [topic.sizes[:3] for topic in numbers.topics] == [(2, 4, 10), (3, 4, 9)]
    assert [(run.name, run.documents, run.alone) for run in numbers.runs] == [
        ("alp1", 4, 1), ("alp2", 4, 1), ("bay1", 4, 3)
    ]  # fmt: skip
    assert [(p.first, p.second, p.both, p.either) for p in numbers.overlaps] == [
        ("alp1", "alp2", 3, 5), ("alp1", "bay1", 1, 7), ("alp2", "bay1", 1, 7)
    ]  # fmt: skip
    assert plan_numbers(rankings, ["1", "2"], 2) == numbers  # from what was kept


def test_the_pace_is_measured(desk: Client, retrieval: Campaign, organiser: User, assessor: User) -> None:
    build(retrieval, organiser, strategy="depth", depth=2)
    mine = work(retrieval, "1", assessor)
    grade(mine, "a", 1, seconds=30)
    grade(mine, "b", 1, seconds=60)
    page = words(desk.get(at("pool-plan")))
    assert "Assessors took 45.0 seconds a document so far (active time, 2 timed)." in page


def test_the_plan_downloads_and_pages(desk: Client) -> None:
    csv = body(desk.get(at("pool-plan"), {"format": "csv"}))
    assert csv[0] == "Topic," + ",".join(f'"to {d:,}"' if d >= 1000 else f"to {d}" for d in DEPTHS)
    assert csv[1].startswith("1,2,4,10,12,")
    assert body(desk.get(at("pool-plan"), {"format": "runs", "depth": "2"}))[3] == "bay1,4,3"
    assert len(body(desk.get(at("pool-plan"), {"format": "overlaps"}))) == 4
    for plot in ({}, {"theme": "dark"}, {"plot": "overlap"}):
        image = desk.get(at("pool-plan-plot"), plot)
        assert (image["Content-Type"], image.content[:5]) == ("image/svg+xml", b"<?xml")


def test_large_runs_are_read_in_the_background(
    desk: Client, retrieval: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr("assess.pools.views.plan.AT_ONCE", 10)
    monkeypatch.setattr("assess.pools.views.pages.AT_ONCE", 10)
    monkeypatch.setattr(pool_reading, "AT_ONCE", 10)
    assert "Reading their rankings takes a while" in words(desk.get(at("pool-plan")))
    assert "nobody has read their rankings yet" in words(desk.get(at("pool-build")))
    assert desk.post(at("pool-plan")).status_code == 302
    assert "The runs are being read" in words(desk.get(at("pool-plan")))
    do_job(Job.objects.get().pk)
    assert Job.objects.get().message == "3 runs read; the pool of Ranked documents can be planned."
    assert "Size by depth" in words(desk.get(at("pool-plan")))


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few lines count as large."""
    monkeypatch.setattr("assess.pools.domain.start_jobs.AT_ONCE", 10)


SAID = {"strategy": "max-mean", "budget": "4", "batch": "3", "relevant_from": "1"}


@pytest.mark.usefixtures("large")
def test_pools_of_large_runs_are_built_in_the_background(desk: Client, retrieval: Campaign, organiser: User) -> None:
    pool_page = reverse("pool", args=["ranked"])
    assert desk.post(at("pool-build"), SAID).status_code == 302
    job = Job.objects.get()
    page = words(desk.get(pool_page))
    assert ("is being built in the background." in page, f"pool #{job.pk}" in page, Pool.objects.exists()) == (
        True, True, False
    )  # fmt: skip
    again = desk.post(at("pool-build"), SAID)
    assert (again.status_code, "under way already" in words(again)) == (409, True)
    do_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.message, job.done) == ("done", "The pool has 6 items.", 6)
    assert build(retrieval, organiser, strategy="max-mean", budget=4, batch=3, relevant_from=1) == Pool.objects.get()
    assert f"pool #{job.pk}" not in words(desk.get(pool_page))


@pytest.mark.usefixtures("large")
def test_a_pool_in_the_background_is_stopped_and_started_again(desk: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert desk.post(at("pool-build"), {}).status_code == 302
    job = Job.objects.get()
    with monkeypatch.context() as stopping:
        stopping.setattr("assess.jobs.background.Watch.should_stop", lambda watch: True)
        do_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.message) == ("stopped", "No pool was made; start it again to make it.")
    assert (Pool.objects.exists(), Item.objects.exists()) == (False, False)
    assert "Start again" in words(desk.get(reverse("pool", args=["ranked"])))
    restarted = desk.post(reverse("work-restart", args=["ranked", job.pk]), follow=True)
    assert "Background jobs" in words(restarted)
    do_job(job.pk)
    assert Pool.objects.get().pool_items.exists()


@pytest.mark.usefixtures("large")
def test_a_pool_in_the_background_is_refused_in_the_same_words(
    desk: Client, retrieval: Campaign, organiser: User, assessor: User
) -> None:
    judged(retrieval, organiser, assessor)
    selection = make_selection({"strategy": "depth", "depth": 1})
    with pytest.raises(Conflict) as directly:
        build(retrieval, organiser, strategy="depth", depth=1)
    job = start_pool(actor=organiser, campaign=retrieval, task="ranking", selection=selection)
    assert isinstance(job, Job)
    do_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.message) == ("failed", directly.value.message)
    Campaign.objects.update(state="frozen")
    retrieval.refresh_from_db()
    with pytest.raises(Conflict, match="nothing in it can be changed"):
        start_pool(actor=organiser, campaign=retrieval, task="ranking", selection=selection)


@pytest.mark.usefixtures("large")
def test_the_api_answers_with_the_job_of_a_large_pool(desk: Client) -> None:
    answer = desk.post("/api/v1/campaigns/ranked/pools/", {"task": "ranking"}, content_type="application/json")
    assert (answer.status_code, answer.json()["kind"], answer.json()["state"]) == (202, "pool", "waiting")


@pytest.mark.parametrize(
    "values",
    [
        {"strategy": "whole"},
        {"strategy": "depth", "depth": 7, "budget": 3, "lists": 5, "minus_judged": True},
        {"strategy": "priority", "depths": ((1, 100), (2, 50)), "listed": (("1", "Dx"), ("2", "Dü"))},
        {"strategy": "rbp", "budget": 4, "p": 0.5, "combine": "max", "list_name": "more.txt"},
        {"strategy": "stratified", "strata": ((10, 1), (50, 0.2)), "seed": 7},
        {"strategy": "max-mean", "budget": 9, "batch": 3, "relevant_from": 2},
    ],
)
def test_a_selection_waits_as_json_and_comes_back_the_same(values: dict[str, Any]) -> None:
    selection = make_selection(values)
    assert read_selection(selection_json(selection)) == selection


def test_nothing_to_plan(desk: Client) -> None:
    Run.objects.update(state="withdrawn")
    assert "Nothing to plan yet" in words(desk.get(at("pool-plan")))


# ------------------------------------------------------------------ quality


def judged(campaign: Campaign, organiser: User, assessor: User) -> Pool:
    pool = build(campaign, organiser, strategy="depth", depth=3)
    mine = work(campaign, "1", assessor)
    for letter, value in {"a": 1, "b": 0, "x": 2, "y": 1}.items():
        grade(mine, letter, value)
    other = work(campaign, "2", assessor)
    for letter, value in {"k": 1, "s": 0}.items():
        grade(other, letter, value)
    return pool


def test_quality_in_numbers(retrieval: Campaign, organiser: User, assessor: User) -> None:
    judged(retrieval, organiser, assessor)
    stand = quality_input(retrieval, track_of(retrieval).tasks[0])
    assert stand is not None
    quality = pool_quality(stand)
    assert (quality.pooled, quality.judged, quality.relevant) == (10, 6, 4)
    assert [(t.name, t.documents, t.alone, t.relevant, t.relevant_alone) for t in quality.teams] == [
        ("Alps", 6, 4, 2, 0), ("Bay", 6, 4, 4, 2)
    ]  # fmt: skip
    assert quality.growth == ((1, 1), (2, 1), (3, 2), (4, 3), (5, 4), (6, 4))
    assert quality.unjudged["bay1"][KS.index(5)] == pytest.approx((1 / 5 + 3 / 5) / 2)
    assert pool_quality(stand) == quality


def test_a_team_left_out_loses_its_own_finds(retrieval: Campaign, organiser: User, assessor: User) -> None:
    judged(retrieval, organiser, assessor)
    stand = quality_input(retrieval, track_of(retrieval).tasks[0])
    assert stand is not None
    checks = ranking_checks(stand, now=timezone.now())
    by_run = {each.run: each for each in checks.left_out}
    assert checks.measure == "nDCG@10"
    bay = by_run["bay1"]
    assert bay.value is not None
    assert bay.value_without is not None
    assert bay.value_without < bay.value
    assert (bay.place, bay.place_without) == (1, 3)
    assert by_run["alp1"].value == by_run["alp1"].value_without  # nothing relevant was the Alps' alone
    assert checks.settled.tau is None  # an hour ago there was nothing


def test_the_checks_tell_of_each_run_that_they_score(retrieval: Campaign, organiser: User, assessor: User) -> None:
    judged(retrieval, organiser, assessor)
    stand = quality_input(retrieval, track_of(retrieval).tasks[0])
    assert stand is not None
    told: list[JobProgress] = []
    ranking_checks(stand, now=timezone.now(), progress=told.append)
    assert [each.sentence for each in told if each.note.endswith("finds")] == [
        f"scoring {tag} without a team’s finds" for tag in ("alp1", "alp2", "bay1") * 2
    ]

    def stop(progress: JobProgress) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        ranking_checks(stand, now=timezone.now() + timedelta(minutes=61), progress=stop)


def test_how_far_the_ranking_has_settled(retrieval: Campaign, organiser: User, assessor: User) -> None:
    judged(retrieval, organiser, assessor)
    stand = quality_input(retrieval, track_of(retrieval).tasks[0])
    assert stand is not None
    later = timezone.now() + timedelta(minutes=61)
    assert point_at(later - timedelta(hours=1)) > 0
    settled = ranking_checks(stand, now=later).settled
    assert (settled.tau, settled.runs) == (1.0, 3)
    assert settled.low is not None
    assert settled.low <= 1.0


def test_a_closed_campaigns_checks_stand_whatever_else_is_written(
    desk: Client, retrieval: Campaign, organiser: User, assessor: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged(retrieval, organiser, assessor)
    change_state(actor=organiser, campaign=retrieval, state=Campaign.State.FROZEN)
    first = desk.get(at("pool-quality"))
    factories.campaign(organiser=organiser, slug="elsewhere")
    record_activity(actor=organiser, action="export.write", campaign=Campaign.objects.get(slug="elsewhere"))
    monkeypatch.setattr(pool_ranking_checks, "_computed", None)  # computed once more, it would crash
    second = desk.get(at("pool-quality"))
    assert [answer.context["waits"] for answer in (first, second)] == [False, False]
    assert second.context["checks"] == first.context["checks"]


def test_the_quality_page(desk: Client, retrieval: Campaign, organiser: User, assessor: User) -> None:
    assert "There is no pool to look at" in words(desk.get(at("pool-quality")))
    build(retrieval, organiser, strategy="depth", depth=3)
    assert "Nothing is judged yet" in words(desk.get(at("pool-quality")))
    judged(retrieval, organiser, assessor)
    page = words(desk.get(at("pool-quality")))
    assert "Judged 6 documents of the kind that runs rank; 10 are in the pool now." in page
    assert "Bay 6 4 4 2" in page
    assert "an hour ago too little was judged" in page
    assert body(desk.get(at("pool-quality"), {"format": "teams"}))[2] == "Bay,6,4,4,2"
    assert body(desk.get(at("pool-quality"), {"format": "csv"}))[0].startswith("Run,Team,Unjudged@5,")
    assert desk.get(at("pool-quality-plot"), {"theme": "dark"}).content[:5] == b"<?xml"


def test_the_quality_of_a_large_pool_is_computed_by_the_worker_once_for_all_who_ask(
    desk: Client, retrieval: Campaign, organiser: User, assessor: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged(retrieval, organiser, assessor)
    monkeypatch.setattr("assess.pools.domain.quality.READ_AT_ONCE", 0)
    monkeypatch.setattr(pool_ranking_checks, "AT_ONCE", 0)
    call = reverse("api-pool-quality", args=["ranked"])
    with monkeypatch.context() as watched:
        watched.setattr("assess.pools.domain.quality._computed", None)  # called in a request, it would crash
        assert [desk.get(at("pool-quality")).status_code for _ in range(2)] == [202, 202]
        refused = desk.get(call)
    assert (refused.status_code, refused.json()["code"]) == (409, "still-looking-at-pool")
    job = Job.objects.get()
    do_job(job.pk)
    job.refresh_from_db()
    assert (job.kind, job.state) == ("pool-quality", "done")
    page = desk.get(at("pool-quality"))
    assert "Judged 6 documents" in words(page) and "There are newer judgments" not in words(page)
    assert "Tau, scores and ranks are not computed yet." in words(page)
    assert (desk.get(call).json()["judged"], desk.get(at("pool-quality-plot")).status_code) == (6, 200)

    downloaded = record_activity(actor=organiser, action="export.write", campaign=retrieval, about=retrieval)
    assert "There are newer judgments" not in words(desk.get(at("pool-quality")))
    assert (desk.get(call).json()["as_of"], Job.objects.get(pk=job.pk).state) == (downloaded.pk, "done")
    grade(retrieval.assignments.get(topic__number="2"), "l", 1)
    page = desk.get(at("pool-quality"))
    assert "Judged 6 documents" in words(page) and "There are newer judgments" in words(page)
    assert desk.get(call).json()["judged"] == 6, "it was the newest a moment ago"
    do_job(job.pk)
    assert "Judged 7 documents" in words(desk.get(at("pool-quality")))


@pytest.mark.parametrize(("judged", "found"), [(4, 3), (1, 0), (0, 0), (6, 6)])
def test_ticks_of_counts_are_whole_numbers_each_once(judged: int, found: int) -> None:
    image = lines_svg([("relevant", [(0, 0), (judged, found)])], across="judged", up="relevant found").decode()
    ticks = [int(each) for each in re.findall(r">(\d+)</text>", image)]
    assert ticks == [*range(max(judged, 1) + 1), *range(max(found, 1) + 1)]


def test_large_runs_are_scored_in_the_background(
    desk: Client, retrieval: Campaign, organiser: User, assessor: User, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    judged(retrieval, organiser, assessor)
    monkeypatch.setattr(pool_ranking_checks, "AT_ONCE", 10)
    assert "Tau, scores and ranks are not computed yet." in words(desk.get(at("pool-quality")))
    assert desk.post(at("pool-quality")).status_code == 302
    assert "The runs are being scored." in words(desk.get(at("pool-quality")))
    do_job(Job.objects.get().pk)
    assert Job.objects.get().state == Job.State.DONE
    page = words(desk.get(at("pool-quality")))
    assert "not computed yet" not in page
    assert pool_ranking_checks.newest_checks(quality_input(retrieval, track_of(retrieval).tasks[0])) is not None  # type: ignore[arg-type]


def test_a_task_without_rankings_says_so(client: Client, campaign: Campaign, organiser: User) -> None:
    client.force_login(organiser)
    for name, said in (("pool-plan", "There is nothing to plan"), ("pool-quality", "There is nothing to look at")):
        assert said in words(client.get(reverse(name, args=[campaign.slug, "rigid"])))
        refused = client.post(reverse(name, args=[campaign.slug, "rigid"]))
        assert (refused.status_code, "Runs rank nothing for “Rigid list”" in words(refused)) == (422, True)
        assert client.get(reverse(f"{name}-plot", args=[campaign.slug, "rigid"])).content[:5] == b"<?xml"
        assert client.get(reverse(name, args=[campaign.slug, "none"])).status_code == 404


def test_pages_cost_the_same_queries_however_many_topics_and_runs(
    desk: Client, retrieval: Campaign, organiser: User, assessor: User
) -> None:  # fmt: skip
    judged(retrieval, organiser, assessor)
    for extra in range(3):
        factories.topic(retrieval, f"1{extra}", "More", task="ranking", ordinal=10 + extra)
        submit(retrieval, organiser, f"cow{extra}", f"Cow{extra}", {"1": "abz", f"1{extra}": "uvw"})
        build(retrieval, organiser, strategy="depth", depth=3)
        costs = {}
        for name in COSTS:
            desk.get(at(name))  # reads and computes
            with CaptureQueriesContext(connection) as asked:
                desk.get(at(name))
            costs[name] = len(asked)
        assert costs == COSTS


# ------------------------------------------------------------------ API

API = "/api/v1/campaigns/ranked/pools/"


@pytest.mark.parametrize(
    "said",
    [
        {"strategy": "depth", "depth": 2, "lists": 0},
        {"strategy": "rbp", "budget": 3, "p": 0.5, "combine": "max"},
        {"strategy": "stratified", "strata": [{"bound": 2, "rate": 1}, {"bound": 8, "rate": 0.5}], "seed": 4},
        {"strategy": "priority", "depths": [{"priority": 1, "depth": 2}]},
        {"strategy": "max-mean", "budget": 5, "batch": 2, "relevant_from": 2},
        {"strategy": "depth", "depth": 1, "union": [{"topic": "1", "docno": "Dq"}], "minus_judged": True},
    ],
    ids=lambda said: said["strategy"],
)
def test_the_api_builds_the_pool_of_the_domain(
    desk: Client, retrieval: Campaign, organiser: User, said: dict[str, Any]
) -> None:
    Run.objects.update(priority=1)
    answer = desk.post(API, {"task": "ranking", **said}, content_type="application/json")
    assert answer.status_code == 201, answer.json()
    values = dict(said)
    values["strata"] = tuple((each["bound"], each["rate"]) for each in said.get("strata", ()))
    values["depths"] = tuple((each["priority"], each["depth"]) for each in said.get("depths", ()))
    values["listed"] = tuple((each["topic"], each["docno"]) for each in said.get("union", ()))
    assert build(retrieval, organiser, **values).digest == answer.json()["digest"]


def test_the_api_refuses_in_the_same_words(desk: Client) -> None:
    answer = desk.post(API, {"task": "ranking", "strategy": "rrf"}, content_type="application/json")
    assert (answer.status_code, "Rrf needs a budget" in page_of(answer)) == (422, True)


def test_the_api_plans_and_looks(desk: Client, retrieval: Campaign, organiser: User, assessor: User) -> None:
    plan = desk.get(f"{API}plan/?depth=2").json()
    assert (plan["depth"], plan["totals"][:3], plan["seconds"]) == (2, [5, 8, 19], 30.0)
    assert plan["overlaps"][0] == {"first": "alp1", "second": "alp2", "both": 3, "either": 5, "share": 0.6}
    assert desk.get(f"{API}plan/?depth=x").status_code == 422
    assert desk.get(f"{API}quality/").json()["as_of"] is None
    judged(retrieval, organiser, assessor)
    quality = desk.get(f"{API}quality/").json()
    assert (quality["judged"], quality["relevant"], quality["measure"]) == (6, 4, "nDCG@10")
    assert [(run["run"], run["place"], run["place_without"]) for run in quality["runs"]][2] == ("bay1", 1, 3)


def test_items_are_called_what_their_assessors_call_them(client: Client, organiser: User) -> None:
    campaign = factories.campaign(organiser=organiser, slug="turns", track="ikat2023")
    topic = factories.topic(campaign, "1-1_1", "Which museum?", task="turn")
    made = factories.pooled(topic, ["I paint.", "I ski.", "Go to the harbour museum."])
    Item.objects.filter(pk__in=[item.pk for item in made[:2]]).update(kind="ptkb")
    Item.objects.filter(pk=made[2].pk).update(kind="response")
    client.force_login(organiser)
    text = page_of(client.get(reverse("pool", args=[campaign.slug])))
    assert "They are 2 statements, 1 response." in text
    assert "ptkb</th>" not in text
