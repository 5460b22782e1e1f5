"""Stopping judging with a reason: open work ends as it is, the campaign freezes, the reason is in the release."""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from assess.assignments.domain.assignments import finish_assignment, open_assignment, return_assignment
from assess.assignments.queries.stops import stops_in_force
from assess.base.errors import Conflict, Invalid
from assess.campaigns.queries import frozen_point
from assess.models import Activity, Assignment, Campaign
from assess.organising import stop_work
from assess.organising.domain import freeze_campaign
from assess.organising.queries import stopping
from assess.organising.queries.freezing import freeze_state
from assess.organising.queries.overview import campaign_counts, lacking_to_judge, next_steps
from assess.organising.stop_work import resume_judging, stop_judging
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from assess.runs.domain.deciding import withdraw_run
from assess.topics.domain.changing import drop_topic
from nuggets.models import ItemReview
from scoring.release.releases import MANIFEST, open_release
from tests import factories
from tests.assess import judged_campaign as judging
from tests.pages import page_of
from tests.remembered import remembered
from tests.unpacked import unpack_release
from tracks.recollect.following import follow

pytestmark = pytest.mark.django_db

REASON = "The budget of Amber is used up."


@pytest.fixture
@remembered
def partly(campaign: Campaign, organiser: User, assessor: User, settings: Any, tmp_path: Path) -> Campaign:
    """Pooled from one run; of the two instances one is judged, and the second assessor has not begun the strings."""
    settings.DATA_DIR = tmp_path / "data"
    for docno in ("D1", "D2", "D3"):
        factories.document(campaign, docno)
    judging.submit(campaign, organiser, "Amber1", judging.AMBER)
    judging.pool_all(campaign, organiser)
    judging.judge(judging.work(campaign, "1.1", "instances", assessor), "blue", 1)
    factories.assignment(campaign.topics.get(number="1.2"), "nuggets", assessor, state="open")
    return campaign


def states(campaign: Campaign) -> dict[str, str]:
    return dict(campaign.assignments.values_list("stage", "state"))


def test_all_open_work_ends_and_the_campaign_freezes_by_the_reason(partly: Campaign, organiser: User) -> None:
    with pytest.raises(Conflict, match="2 assignments not done"):
        freeze_campaign(actor=organiser, campaign=partly, despite="in a hurry")
    with pytest.raises(Invalid, match="Say why judging stops"):
        stop_judging(actor=organiser, campaign=partly, reason=" ")
    assert stop_judging(actor=organiser, campaign=partly, reason=REASON) == 2
    assert states(partly) == {"instances": "stopped", "nuggets": "stopped"}
    assert not freeze_state(partly).errors
    (stop,) = stops_in_force(partly)
    assert (stop.reason, stop.by, stop.pieces, stop.left) == (REASON, "organiser", 2, 2)
    with pytest.raises(Conflict, match="nothing to stop"):
        stop_judging(actor=organiser, campaign=partly, reason=REASON)
    freeze_campaign(actor=organiser, campaign=partly)
    said = Activity.objects.get(action="campaign.freeze").data
    assert (said["despite"], said["stopped"]) == (REASON, [[REASON, 2, 2]])


def test_what_is_judged_while_work_is_counted_counts(
    partly: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    count, hold, counted = stopping.stoppable, stop_work.hold_work, list[Sequence[str]]()

    def count_again(campaign: Campaign, *, stages: Sequence[str], topics: Sequence[str]) -> Any:
        counted.append(topics)
        return count(campaign, stages=stages, topics=topics)

    def hold_later(campaign: Campaign) -> Any:
        judging.judge(partly.assignments.get(stage="instances"), "red", -1)
        monkeypatch.setattr(stopping, "stoppable", count_again)
        return hold(campaign)

    monkeypatch.setattr(stop_work, "hold_work", hold_later)
    stop_judging(actor=organiser, campaign=partly, reason=REASON)
    said = Activity.objects.get(action="judging.stop").data
    stages = [partly.assignments.get(pk=pk).stage for pk in said["works"]]
    assert (stages, said["left"], counted) == (["instances", "nuggets"], [0, 1], [["1.1"]])


@pytest.mark.parametrize(("changes", "counts"), [(1, 2), (9, 3)])
def test_work_is_counted_anew_if_runs_change_while_it_is_counted(
    partly: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch, changes: int, counts: int
) -> None:
    count, counted = stop_work.stoppable, list[int]()

    def count_and_submit(campaign: Campaign, *, stages: Sequence[str], topics: Sequence[str]) -> Any:
        found = count(campaign, stages=stages, topics=topics)
        counted.append(sum(piece.tally.left for piece in found))
        if len(counted) <= min(changes, 2):  # later ones wait for the locks
            judging.submit(
                partly, organiser, f"Basil{len(counted)}", judging.BASIL.replace("Basil1", f"Basil{len(counted)}")
            )
            judging.pool_all(partly, organiser)
        return found

    monkeypatch.setattr(stop_work, "stoppable", count_and_submit)
    stop_judging(actor=organiser, campaign=partly, reason=REASON)
    said = Activity.objects.get(action="judging.stop").data
    assert (len(counted), sum(said["left"])) == (counts, counted[-1])
    assert counted[0] < counted[-1]


@pytest.mark.parametrize("do", ["accept", "withdraw"])
def test_a_run_alone_has_work_counted_anew(
    partly: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch, do: str
) -> None:
    count, counted = stop_work.stoppable, list[int]()

    def count_and_change(campaign: Campaign, *, stages: Sequence[str], topics: Sequence[str]) -> Any:
        counted.append(1)
        found = count(campaign, stages=stages, topics=topics)
        if len(counted) == 1 and do == "accept":
            judging.submit(partly, organiser, "Basil1", judging.BASIL)
        elif len(counted) == 1:
            withdraw_run(actor=organiser, run=partly.runs.get(tag="Amber1"))
        return found

    monkeypatch.setattr(stop_work, "stoppable", count_and_change)
    stop_judging(actor=organiser, campaign=partly, reason=REASON)
    assert len(counted) == 2


def test_stopped_work_takes_nothing_and_is_opened_again_as_it_was(
    partly: Campaign, organiser: User, assessor: User
) -> None:
    stop_judging(actor=organiser, campaign=partly, reason=REASON)
    grading = partly.assignments.get(stage="instances")
    with pytest.raises(Conflict, match="stopped the judging of this work"):
        judging.judge(grading, "red", -1)
    with pytest.raises(Conflict, match="stopped the judging of this work"):
        open_assignment(actor=assessor, assignment=grading)
    with pytest.raises(Conflict, match="stopped the judging of this work"):
        finish_assignment(actor=assessor, assignment=grading)
    assert resume_judging(actor=organiser, campaign=partly) == 2
    assert states(partly) == {"instances": "started", "nuggets": "open"}
    assert stops_in_force(partly) == []
    grading.refresh_from_db()
    judging.judge(grading, "red", -1)
    assert finish_assignment(actor=assessor, assignment=grading).state == "done"


def test_only_an_organiser_takes_stopped_work_back(
    partly: Campaign, organiser: User, assessor: User, client: Client
) -> None:
    stop_judging(actor=organiser, campaign=partly, reason=REASON)
    work = partly.assignments.get(stage="instances")
    client.force_login(assessor)
    said = client.post(f"/api/v1/campaigns/{partly.slug}/assignments/{work.pk}/return/")
    assert (said.status_code, states(partly)["instances"]) == (409, "stopped")
    assert return_assignment(actor=organiser, assignment=work).state == "returned"


def test_work_that_grew_and_lacks_nothing_any_more_is_done_when_judging_goes_on(
    partly: Campaign, organiser: User, assessor: User
) -> None:
    work = partly.assignments.get(stage="instances")
    judging.judge(work, "red", -1)
    finish_assignment(actor=assessor, assignment=work)
    judging.submit(partly, organiser, "Basil1", judging.BASIL)
    judging.pool_all(partly, organiser)
    assert stop_judging(actor=organiser, campaign=partly, reason=REASON, stages=["instances"]) == 1
    withdraw_run(actor=organiser, run=partly.runs.get(tag="Basil1"))
    judging.pool_all(partly, organiser)
    assert states(partly)["instances"] == "stopped"
    resume_judging(actor=organiser, campaign=partly)
    assert states(partly)["instances"] == "done"


def test_stopped_work_of_a_dropped_topic_is_not_counted(partly: Campaign, organiser: User) -> None:
    stop_judging(actor=organiser, campaign=partly, reason=REASON)
    drop_topic(actor=organiser, campaign=partly, number="1.1", reason="It leaked.")
    (stop,) = stops_in_force(partly)
    assert (stop.pieces, stop.left) == (1, 1)


def test_a_stage_or_a_topic_may_stop_alone(partly: Campaign, organiser: User) -> None:
    with pytest.raises(Invalid, match="There is no stage “picks”"):
        stop_judging(actor=organiser, campaign=partly, reason=REASON, stages=["picks"])
    with pytest.raises(Invalid, match="There is no topic “9”"):
        stop_judging(actor=organiser, campaign=partly, reason=REASON, topics=["9"])
    assert stop_judging(actor=organiser, campaign=partly, reason=REASON, stages=["nuggets"]) == 1
    assert states(partly) == {"instances": "started", "nuggets": "stopped"}
    assert stop_judging(actor=organiser, campaign=partly, reason="Enough.", topics=["1.1"]) == 1
    assert [(stop.reason, stop.pieces) for stop in stops_in_force(partly)] == [(REASON, 1), ("Enough.", 1)]


def test_a_stage_after_a_stopped_one_opens(partly: Campaign, organiser: User, assessor: User) -> None:
    stop_judging(actor=organiser, campaign=partly, reason=REASON, stages=["instances"])
    grouping = factories.assignment(partly.topics.get(number="1.1"), "classes", assessor, state="open")
    assert open_assignment(actor=assessor, assignment=grouping).state == "started"


def test_page_command_and_call_stop_and_open_again(
    partly: Campaign, organiser: User, assessor: User, client: Client
) -> None:
    client.force_login(organiser)
    address = reverse("stop-judging", args=[partly.slug])
    page = page_of(client.get(address))
    assert "Judge instances: 1 assignment not done, 1 of 2 left to judge" in page
    assert client.post(address, {"reason": "", "do": "stop"}).status_code == 422
    quoting = f'"Stop" was said. {REASON}'
    said = page_of(client.post(address, {"reason": quoting, "do": "stop", "stage": "instances"}, follow=True))
    assert "Judging is stopped: 1 assignment ended." in said
    assert states(partly) == {"instances": "stopped", "nuggets": "open"}
    overview = page_of(client.get(reverse("overview", args=[partly.slug])))
    assert (
        f"by organiser. 1 assignment ended with 1 item not judged. The reason: “‘Stop’ was said. {REASON}”" in overview
    )
    assert "Open it again" in overview
    Campaign.objects.filter(pk=partly.pk).update(state="frozen")
    assert "Open it again" not in page_of(client.get(reverse("overview", args=[partly.slug]))), "it can't be"
    Campaign.objects.filter(pk=partly.pk).update(state="judging")
    client.post(address, {"do": "resume"})
    assert states(partly) == {"instances": "started", "nuggets": "open"}
    call = reverse("api-campaign-stop", args=[partly.slug])
    said = client.post(call, {"reason": REASON}, content_type="application/json")
    assert (said.status_code, said.json()) == (200, {"pieces": 2})
    assert client.post(call, {}, content_type="application/json").status_code == 422
    with pytest.raises(CommandError, match="nothing to stop"):
        call_command("call", "stop", partly.slug, f"reason={REASON}")
    call_command("call", "resume", partly.slug, "topics=1.1", stdout=StringIO())
    assert states(partly) == {"instances": "started", "nuggets": "stopped"}
    client.force_login(assessor)
    work = page_of(client.get(reverse("work", args=[partly.slug])))
    assert "0 done, 1 stopped" in work
    stopped = partly.assignments.get(stage="nuggets")
    assert client.get(reverse("workbench", args=[partly.slug, stopped.pk])).status_code == 409


def test_whoever_opens_stopped_work_reads_why_and_where_to_go_on(
    partly: Campaign, organiser: User, assessor: User, client: Client
) -> None:
    """The reason stands there without the names of teams and runs, which nobody who judges may learn."""
    reason = f"“The budget” of AMBER is used up by {partly.runs.get().tag}."
    stop_judging(actor=organiser, campaign=partly, reason=reason, stages=["instances"])
    work = partly.assignments.get(stage="instances")
    client.force_login(assessor)
    page = page_of(client.get(reverse("workbench", args=[partly.slug, work.pk])))
    assert "Judging was stopped here" in page
    assert "The reason: <q" in page
    assert ">‘The budget’ of a team is used up by a run.</q>" in page, "the element puts quotation marks around it"
    assert "1 of 2 instances are done. What you judged is kept and counts." in page
    other = partly.assignments.get(stage="nuggets")
    assert reverse("workbench", args=[partly.slug, other.pk]) in page, "the work that is open still"
    call = f"/api/v1/campaigns/{partly.slug}/assignments/{work.pk}/open/"
    said = client.post(call).json()
    assert said["code"] == "stopped"
    assert "The reason: “‘The budget’ of a team is used up by a run.”" in said["detail"]
    stop_judging(actor=organiser, campaign=partly, reason="Enough.")
    freeze_campaign(actor=organiser, campaign=partly)
    page = page_of(client.get(reverse("workbench", args=[partly.slug, other.pk])))
    assert "Enough." in page
    assert 'data-key="n"' not in page, "nothing is open in a frozen campaign"


def test_the_release_says_why_and_what_and_its_copy_does_too(partly: Campaign, organiser: User, tmp_path: Path) -> None:
    stop_judging(actor=organiser, campaign=partly, reason=REASON)
    freeze_campaign(actor=organiser, campaign=partly)
    unpack_release(make_release(actor=organiser, campaign=partly), tmp_path / "release")
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    (said,) = manifest["stopped"]
    assert (said["works"], said["left"]) == ([1, 2], [1, 1])
    assert "Amber" not in said["reason"], "no name of a team goes into a release"
    assert "Judging was stopped in 2 assignments" in (tmp_path / "release" / "README.md").read_text()
    organiser.is_superuser = True
    copy = import_release(actor=organiser, path=tmp_path / "release", slug="copy")
    assert states(copy) == {"instances": "stopped", "nuggets": "stopped"}
    (stop,) = stops_in_force(copy)
    assert (stop.reason, stop.pieces, stop.left) == (said["reason"], 2, 2)


def test_a_copy_takes_no_string_as_looked_at_that_nobody_had_done_with(
    partly: Campaign, organiser: User, assessor: User, tmp_path: Path
) -> None:
    """Published marks say of no string that it is finished, and then all are; a release says it of each."""
    writing = open_assignment(actor=assessor, assignment=partly.assignments.get(stage="nuggets"))
    nuggets = judging.write_list(writing, cheap="vital")
    finish_assignment(actor=assessor, assignment=writing)
    matching = judging.work(partly, "1.2", "matches", assessor)
    judging.mark(matching, nuggets, 1, judging.CHEAP)
    stop_judging(actor=organiser, campaign=partly, reason=REASON)
    freeze_campaign(actor=organiser, campaign=partly)
    unpack_release(make_release(actor=organiser, campaign=partly), tmp_path / "release")
    organiser.is_superuser = True
    copy = import_release(actor=organiser, path=tmp_path / "release", slug="copy")
    assert states(copy)["matches"] == "stopped"
    assert not ItemReview.objects.filter(assignment__campaign=copy).exists()


@pytest.mark.parametrize(
    ("works", "left", "wrong"),
    [([1, 1], [1, 1], "or twice"), ([1, 9], [1, 1], "line 9"), ([1], [1, 1], "for each"), (["1"], [1], "must have")],
)
def test_a_release_names_no_other_work_as_stopped(
    partly: Campaign, organiser: User, tmp_path: Path, works: Any, left: Any, wrong: str
) -> None:
    stop_judging(actor=organiser, campaign=partly, reason=REASON)
    freeze_campaign(actor=organiser, campaign=partly)
    unpack_release(make_release(actor=organiser, campaign=partly), tmp_path / "release")
    with open_release(tmp_path / "release") as release:
        assert [words for name, words in follow(release) if name == MANIFEST] == [""]
        release.manifest["stopped"] = [{"reason": REASON, "works": works, "left": left}]
        assert [words for name, words in follow(release) if name == MANIFEST and wrong in str(words)]


def test_what_is_missing_stands_beside_start_judging(partly: Campaign, organiser: User, client: Client) -> None:
    Campaign.objects.filter(pk=partly.pk).update(state="setup")
    partly.refresh_from_db()
    partly.pools.all().delete()
    Assignment.objects.update(state="returned")
    partly.memberships.filter(role="assessor").delete()
    said = [(step.text, step.page) for step in lacking_to_judge(partly, campaign_counts(partly))]
    assert said == [("The pool is not built for rigid, squishy.", "pool"), ("Nobody judges yet.", "people")]
    client.force_login(organiser)
    page = page_of(client.get(reverse("campaign-state", args=[partly.slug])))
    assert "Missing before judging starts:" in page
    assert "The pool is not built for rigid, squishy." in page


def test_a_deadline_set_while_judging_says_what_it_does(partly: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    form = {"deadline-due": "2099-01-01T12:00", "deadline-due_zone": "UTC", "deadline-time_zone": "UTC"}
    page = page_of(client.post(reverse("settings-deadline", args=[partly.slug]), form, follow=True))
    assert "It changes nothing now: judging has begun, and participants submit only before that." in page


def test_a_release_that_is_made_is_not_to_be_made_again(partly: Campaign, organiser: User) -> None:
    Campaign.objects.filter(pk=partly.pk).update(state=Campaign.State.FROZEN)
    partly.refresh_from_db()
    assert [step.action for step in next_steps(partly, campaign_counts(partly))] == ["Make a release"]
    factories.release(partly, organiser, as_of=frozen_point(partly) - 1)
    assert [step.action for step in next_steps(partly, campaign_counts(partly))] == ["Make a release"]
    factories.release(partly, organiser, as_of=frozen_point(partly))
    assert [step.action for step in next_steps(partly, campaign_counts(partly))] == ["See the release"]


def test_nothing_is_left_to_do_but_to_freeze(partly: Campaign, organiser: User) -> None:
    stop_judging(actor=organiser, campaign=partly, reason=REASON)
    steps = [(step.text, step.action) for step in next_steps(partly, campaign_counts(partly))]
    assert all("not done yet" not in text for text, _ in steps)
