"""Runs checked by the worker: in line, lost and started again, repaired, and submitted in their repaired form."""

from __future__ import annotations

import io
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.base.files import open_file
from assess.jobs.background import do_job
from assess.jobs.domain import enqueue_job
from assess.jobs.progress import JobProgress, Stopped, Watch
from assess.jobs.queries import shown_jobs
from assess.jobs.workers import holding
from assess.models import Campaign, Job, Response, Run
from assess.organising.queries.overview import campaign_counts, lacking_to_judge, next_steps
from assess.pools.domain.building import build_pool
from assess.runs.domain import checking, submitting
from assess.runs.domain.deciding import check_received, withdraw_run
from assess.runs.domain.submitting import check_again, submit_repaired, submit_run
from assess.runs.queries import newest_check, run_check
from tests import factories
from tests.assess.runs.submitted import GOOD, form, send
from tests.assess.worker import run_worker
from tests.pages import page_of

pytestmark = pytest.mark.django_db

LOOSE = "\ufeff1.1 {tag} D1 blue \r\n\r\n1.2 {tag} D1 They are light.\r\n1.1 {tag} D1 blue\r\n"  # four faults to repair


def check_of(run: Run) -> Job:
    found = newest_check(run)
    assert found is not None
    return found


def states(campaign: Campaign) -> list[tuple[str, str]]:
    return list(campaign.runs.order_by("id").values_list("tag", "state"))


# ------------------------------------------------------------------ in line


def test_a_run_is_checked_by_the_worker_and_counts_for_nothing_before(setup: Campaign, participant: User) -> None:
    run = send(setup, participant)
    counts = campaign_counts(setup)
    assert (run.state, counts.checking, counts.accepted, counts.runs) == ("checking", 1, 0, 1)
    assert (Response.objects.count(), check_of(run).state) == (0, "waiting")
    run_worker()
    run.refresh_from_db()
    assert (run.state, run.responses.count(), check_of(run).state) == ("accepted", 2, "done")
    assert check_of(run).message == "Harbor1 is accepted."


def test_the_overview_says_what_is_still_being_checked_and_loaded(
    setup: Campaign, participant: User, organiser: User
) -> None:
    send(setup, participant)
    job = enqueue_job(actor=organiser, campaign=setup, kind="documents", arguments={})
    said = [
        ("1 run still being checked.", "See the runs", "runs"),
        ("Documents are still being loaded.", "See the documents", "documents"),
    ]
    counts = campaign_counts(setup)
    for steps in (next_steps(setup, counts), lacking_to_judge(setup, counts)):
        assert [(step.text, step.action, step.page) for step in steps if step.page in ("runs", "documents")] == said
    Job.objects.filter(pk=job.pk).update(state="done")
    assert [step.text for step in next_steps(setup, campaign_counts(setup)) if step.page == "documents"] == []


def test_a_run_that_is_being_checked_is_not_pooled(setup: Campaign, participant: User, organiser: User) -> None:
    submit_run(
        actor=organiser,
        campaign=setup,
        form=form(team="Pier"),
        file=io.BytesIO(GOOD.format(tag="Pier1").encode()),
        file_name="p.txt",
    )
    send(setup, participant, GOOD.replace("blue", "red"))
    pool = build_pool(actor=organiser, campaign=setup, task="rigid")
    assert list(pool.pool_items.values_list("item__text", flat=True)) == ["blue"]


def test_several_checks_wait_in_line_and_each_is_done(setup: Campaign, participant: User) -> None:
    sent = [send(setup, participant, priority=number) for number in (1, 2, 3)]
    assert [check_of(run).state for run in sent] == ["waiting"] * 3
    now = timezone.now()
    sentence = "The file was received completely and waits for the checker, 2 jobs before it."
    assert run_check(sent[2], now=now).sentence == sentence
    run_worker()
    assert states(setup) == [("Harbor1", "accepted"), ("Harbor2", "accepted"), ("Harbor3", "accepted")]


def test_a_team_has_so_many_checks_in_line(setup: Campaign, participant: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submitting, "IN_LINE", 1)
    send(setup, participant)
    with pytest.raises(Conflict, match=r"1 runs of Harbor are being checked\. Wait"):
        send(setup, participant, priority=2)


def test_the_same_file_again_is_the_run_that_is_checked_already(setup: Campaign, participant: User) -> None:
    first = send(setup, participant)
    assert send(setup, participant).pk == first.pk
    run_worker()
    assert send(setup, participant).pk == first.pk
    assert (Run.objects.count(), Job.objects.count()) == (1, 1)


# ------------------------------------------------------------------ one tag, two runs


def test_of_two_runs_with_one_tag_the_later_counts_in_either_order(setup: Campaign, participant: User) -> None:
    earlier = send(setup, participant)
    later = send(setup, participant, GOOD.replace("blue", "red"), replace=True)
    for run in (later, earlier):
        do_job(check_of(run).pk)
    assert states(setup) == [("Harbor1", "withdrawn"), ("Harbor1", "accepted")]
    third = send(setup, participant, GOOD.replace("blue", "green"), replace=True)
    run_worker()
    later.refresh_from_db()
    third.refresh_from_db()
    assert (later.state, third.state) == ("withdrawn", "accepted")


def test_another_team_can_not_take_a_tag_that_is_being_checked(
    setup: Campaign, organiser: User, participant: User
) -> None:
    send(setup, participant)
    with pytest.raises(
        Conflict, match=r"The tag Harbor1 is taken by a run that is being checked\. Choose another; if the file"
    ):
        send(setup, organiser, team="Pier", tag="Harbor1")


def test_what_was_taken_meanwhile_rejects_the_run_with_the_reason_first(
    setup: Campaign, organiser: User, participant: User
) -> None:
    run = send(setup, participant)
    factories.run(setup, "Other1", organiser, team="Harbor", priority=1)
    run_worker()
    run.refresh_from_db()
    assert (run.state, run.errors) == ("rejected", 1)
    assert "Harbor has given priority 1 to Other1." in run.report[0]["message"]
    assert run.report[0]["code"] == "refused"


def test_a_run_that_came_in_time_is_accepted_after_the_deadline(setup: Campaign, participant: User) -> None:
    run = send(setup, participant)
    setup.runs_due = timezone.now() - timedelta(seconds=1)
    setup.save()
    run_worker()
    run.refresh_from_db()
    assert run.state == "accepted"


def test_a_frozen_campaign_takes_in_nothing_until_it_is_opened_again(setup: Campaign, participant: User) -> None:
    run = send(setup, participant)
    Campaign.objects.update(state=Campaign.State.FROZEN)
    run_worker()
    run.refresh_from_db()
    told = run_check(run, now=timezone.now())
    assert (run.state, told.is_stuck, told.sentence) == (
        "checking",
        True,
        "The campaign is frozen; nothing in it can be changed.",
    )
    Campaign.objects.update(state=Campaign.State.SETUP)
    check_again(actor=participant, run=run)
    run_worker()
    run.refresh_from_db()
    assert run.state == "accepted"


# ------------------------------------------------------------------ withdrawn, lost, failed


def test_a_run_is_withdrawn_while_it_is_checked(setup: Campaign, participant: User) -> None:
    run = send(setup, participant)
    withdraw_run(actor=participant, run=run)
    assert check_of(run).state == "stopped"
    run_worker()
    run.refresh_from_db()
    assert (run.state, run.responses.count()) == ("withdrawn", 0)


def test_a_check_that_ends_after_the_run_was_withdrawn_changes_nothing(setup: Campaign, participant: User) -> None:
    run = send(setup, participant)
    Run.objects.filter(pk=run.pk).update(state=Run.State.WITHDRAWN)  # while the worker holds what it read before
    ended = check_received(actor=participant, run=run)
    run.refresh_from_db()
    assert (ended, run.state) == ("Harbor1 is withdrawn already.", "withdrawn")


def test_a_check_stops_where_it_is_asked_to(
    setup: Campaign, participant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = send(setup, participant)

    def stop(progress: JobProgress) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        check_received(actor=participant, run=run, progress=stop)
    with monkeypatch.context() as stopping:
        stopping.setattr(Watch, "should_stop", lambda watch: True)
        run_worker()
    run.refresh_from_db()
    told = run_check(run, now=timezone.now())
    assert (run.state, told.is_stuck) == ("checking", True)
    assert told.sentence == "The check was stopped. Nothing was decided; start it again to check the run."
    check_again(actor=participant, run=run)
    run_worker()
    run.refresh_from_db()
    assert run.state == "accepted"


def test_a_withdrawn_run_leaves_no_lost_check_behind(setup: Campaign, participant: User) -> None:
    run = send(setup, participant)
    check = Job.objects.filter(pk=check_of(run).pk)
    check.update(state="running", updated_at=timezone.now() - timedelta(minutes=6))
    withdraw_run(actor=participant, run=run)
    assert check_of(run).state == "stopped"


def test_a_check_lost_after_its_run_was_withdrawn_is_shown_with_the_jobs(setup: Campaign, participant: User) -> None:
    run = send(setup, participant)
    check = Job.objects.filter(pk=check_of(run).pk)
    check.update(state="running", updated_at=timezone.now())
    with holding(check_of(run).pk):
        withdraw_run(actor=participant, run=run)
        assert (check_of(run).state, check_of(run).asked_to_stop, shown_jobs(setup)) == ("running", True, [])
    assert shown_jobs(setup) == list(check)


def test_a_lost_worker_s_check_is_started_again_by_the_team(
    setup: Campaign, participant: User, organiser: User
) -> None:
    run = send(setup, participant)
    work = check_of(run)
    Job.objects.filter(pk=work.pk).update(state="running", updated_at=timezone.now() - timedelta(minutes=6))
    told = run_check(run, now=timezone.now())
    assert (told.is_stuck, told.is_busy) == (True, True)  # the next worker goes on with it; the page looks again
    assert told.sentence.startswith("The worker that checked it was lost. The next one goes on by itself.")
    other = factories.member(setup, "other", "participant", team="Pier")
    with pytest.raises(NotAllowed):
        check_again(actor=other, run=run)
    check_again(actor=participant, run=run)
    run_worker()
    run.refresh_from_db()
    assert run.state == "accepted"
    with pytest.raises(Conflict, match="is accepted, so it is not checked again"):
        check_again(actor=organiser, run=run)


def test_a_check_that_goes_on_is_not_started_twice(setup: Campaign, participant: User) -> None:
    run = send(setup, participant)
    with pytest.raises(Conflict, match="waiting"):
        check_again(actor=participant, run=run)


def test_the_page_says_when_nobody_takes_up_the_check(setup: Campaign, participant: User) -> None:
    run = send(setup, participant)
    Job.objects.update(updated_at=timezone.now() - timedelta(minutes=2))
    assert "nobody has taken up the check for 2 minutes" in run_check(run, now=timezone.now()).sentence


# ------------------------------------------------------------------ repaired


def test_a_rejected_run_gets_a_repaired_file_where_that_is_better(setup: Campaign, participant: User) -> None:
    run = send(setup, participant, LOOSE)
    run_worker()
    run.refresh_from_db()
    assert run.state == "rejected"
    with open_file(run.repaired) as file:
        assert file.read().decode() == GOOD.format(tag="Harbor1")
    assert [(row["code"], row["count"]) for row in run.repairs] == [
        ("byte-order-mark", 1),
        ("line-ends", 4),
        ("blank-lines", 1),
        ("outer-white-space", 1),
        ("repeated-lines", 1),
        ("left", 0),
    ]
    assert run.repairs[-1]["message"] == "The repaired file has 0 errors and 0 warnings."


def test_the_repaired_file_becomes_a_run_of_its_own(setup: Campaign, participant: User) -> None:
    run = send(setup, participant, LOOSE)
    run_worker()
    run.refresh_from_db()
    made = submit_repaired(actor=participant, run=run)
    run_worker()
    made.refresh_from_db()
    assert (made.state, made.file, made.file_name) == ("accepted", run.repaired, "repaired-run.txt")
    assert states(setup) == [("Harbor1", "rejected"), ("Harbor1", "accepted")]
    with pytest.raises(Invalid, match="There is no repaired file"):
        submit_repaired(actor=participant, run=made)


def test_no_file_is_kept_where_repairing_makes_nothing_better(setup: Campaign, participant: User) -> None:
    broken = send(setup, participant, "1.1 {tag}\n9.9 {tag} D1 x\n")
    sound = send(setup, participant, priority=2)
    run_worker()
    for run in (broken, sound):
        run.refresh_from_db()
    assert [(run.state, run.repaired, run.repairs) for run in (broken, sound)] == [
        ("rejected", "", []),
        ("accepted", "", []),
    ]


def test_what_is_left_is_said_and_the_rest_never_accepted(setup: Campaign, participant: User) -> None:
    run = send(setup, participant, LOOSE + "9.9 {tag} D1 x\r\n")
    run_worker()
    run.refresh_from_db()
    assert run.repairs[-1] == {
        "code": "left",
        "count": 1,
        "message": "The repaired file has 1 error and 0 warnings.",
    }
    made = submit_repaired(actor=participant, run=run)
    run_worker()
    made.refresh_from_db()
    assert made.state == "rejected"


# ------------------------------------------------------------------ pages and API


@pytest.fixture
def desk(client: Client, setup: Campaign, participant: User) -> Client:
    client.force_login(participant)
    return client


def at(name: str, *arguments: object) -> str:
    return reverse(name, args=["opinions", *arguments])


def values(text: str, **more: object) -> dict[str, object]:
    given = {"team": "Harbor", "priority": "1", "tag": "", "automatic": "yes", "field-documents": "collection"}
    return {**given, "file": SimpleUploadedFile("run.txt", text.format(tag="Harbor1").encode()), **more}


def test_the_page_of_a_run_looks_again_until_it_is_checked(desk: Client) -> None:
    page = page_of(desk.post(at("run-new"), values(GOOD), follow=True))
    run = Run.objects.get()
    assert f'hx-get="{at("run-check", run.pk)}"' in page
    assert "The file was received completely and waits for the checker." in page
    fragment = desk.get(at("run-check", run.pk), headers={"HX-Request": "true"})
    assert (fragment.status_code, "<html" in page_of(fragment)) == (200, False)
    assert desk.get(at("run-check", run.pk)).status_code == 302  # without scripts: the page itself
    run_worker()
    done = desk.get(at("run-check", run.pk), headers={"HX-Request": "true"})
    assert (done.status_code, done["HX-Trigger"]) == (204, "job-ended")
    page = page_of(desk.get(at("run", run.pk)))
    assert ("hx-trigger" in page, "No rule is broken." in page) == (False, True)


def test_the_page_offers_the_repaired_file_with_what_differs(desk: Client) -> None:
    desk.post(at("run-new"), values(LOOSE))
    run_worker()
    run = Run.objects.get()
    page = page_of(desk.get(at("run", run.pk)))
    assert "Submit the repaired file" in page
    assert 'blank lines left out: <span class="number">1</span>' in page
    diff = page_of(desk.get(at("run-repaired", run.pk)))
    assert "<code>‹BOM›1.1 Harbor1 D1 blue·‹CR›</code>" in diff
    assert "<code>@@ -1,4 +1,2 @@</code>" in diff
    file = desk.get(at("run-repaired-file", run.pk))
    assert file["Content-Disposition"] == 'attachment; filename="repaired-run.txt"'
    assert b"".join(file.streaming_content) == GOOD.format(tag="Harbor1").encode()
    answer = desk.post(at("run-repaired-submit", run.pk), follow=True)
    assert "The repaired file of Harbor1 is submitted." in page_of(answer)
    run_worker()
    assert states(run.campaign) == [("Harbor1", "rejected"), ("Harbor1", "accepted")]
    accepted = Run.objects.get(state="accepted")
    assert desk.get(at("run-repaired", accepted.pk)).status_code == 404


def test_a_long_difference_comes_in_pages(desk: Client) -> None:
    text = "".join(
        f"1.1 Harbor1 D{number} colour {number}{' ' if number % 10 == 0 else ''}\n" for number in range(1, 601)
    )
    desk.post(at("run-new"), values(text + "1.2 Harbor1 D1 x\r\n1.2 Harbor1 D1 y"))
    run_worker()
    run = Run.objects.get()
    first = page_of(desk.get(at("run-repaired", run.pk)))
    third = page_of(desk.get(at("run-repaired", run.pk), {"page": "3"}))
    assert "Page 1: places 1 to 25." in first
    assert "Page 3: places 51 to 60, the last." in third
    for page in ("9" * 50, "0" * 5 + "1" + "9" * 30, "0", "-1", "²"):
        hostile = desk.get(at("run-repaired", run.pk), {"page": page})
        assert "Page 1: places" in page_of(hostile), page


def test_what_is_wrong_in_the_form_stands_beside_its_field_and_what_was_written_stays(desk: Client) -> None:
    given = values(GOOD, tag=".hidden tag", description="BM25 with <b>care</b>")
    answer = desk.post(at("run-new"), given)
    page = page_of(answer)
    assert (answer.status_code, Run.objects.count()) == (422, 0)
    field = page.split('id="id_tag"')[1].split('class="field')[0]
    assert "The run tag is “.hidden tag”. Give it another form: the team&#x27;s ID" in field
    assert "BM25 with &lt;b&gt;care&lt;/b&gt;" in page
    assert 'value=".hidden tag"' in page


@pytest.mark.parametrize("tag", ["a" * 21, ".dot", "Zürich1", "a b", "a/b", "tag\u202e", "ａ"])
def test_tags_keep_their_rule_but_for_published_runs(
    setup: Campaign, organiser: User, participant: User, tag: str
) -> None:
    for actor in (organiser, participant):
        with pytest.raises(Invalid, match="Give it another form: the team's ID"):
            send(setup, actor, tag=tag)


def test_published_runs_keep_their_tags_and_only_organisers_bring_them(
    setup: Campaign, organiser: User, participant: User
) -> None:
    def bring(actor: User) -> Run:
        return submit_run(
            actor=actor,
            campaign=setup,
            form=form(tag="Harbor.the-longest-of-all-tags"),
            file=io.BytesIO(GOOD.encode()),
            file_name="run.txt",
            published=True,
        )

    assert bring(organiser).tag == "Harbor.the-longest-of-all-tags"
    with pytest.raises(NotAllowed, match="Only organisers bring in published runs"):
        bring(participant)


def test_replacing_says_what_happens_and_fills_in_the_form(desk: Client) -> None:
    desk.post(at("run-new"), values(GOOD, description="First."))
    run_worker()
    run = Run.objects.get()
    assert f"?replace={run.pk}" in page_of(desk.get(at("run", run.pk)))
    page = page_of(desk.get(at("run-new"), {"replace": run.pk}))
    assert "A file under the tag Harbor1 takes the place of" in page
    assert "First.</textarea>" in page
    assert 'value="Harbor1"' in page
    assert desk.get(at("run-new"), {"replace": "x"}).status_code == 200
    assert f'<input type="hidden" name="replace" value="{run.pk}">' in page
    meant = values(GOOD.replace("blue", "red"), replace=run.pk)
    page = page_of(desk.post(at("run-new"), meant, follow=True))
    assert "If the file passes, it takes the place of" in page
    run_worker()
    assert states(run.campaign) == [("Harbor1", "withdrawn"), ("Harbor1", "accepted")]


def test_large_files_are_not_checked_while_somebody_waits(desk: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    from assess.runs.views import pages as views

    for module in (checking, submitting, views):
        monkeypatch.setattr(module, "AT_ONCE", 10)
    answer = desk.post(at("run-new"), values(GOOD, check="yes"))
    assert (
        answer.status_code,
        "larger than the 10 bytes that are checked while you wait" in page_of(answer),
    ) == (
        422,
        True,
    )
    given = {"team": "Harbor", "priority": 1, "fields.documents": "collection"}
    file = SimpleUploadedFile("run.txt", GOOD.format(tag="Harbor1").encode())
    told = desk.post(at("api-run-list"), {**given, "file": file})
    assert (told.status_code, told.json()["state"]) == (202, "checking")
    assert told.json()["check"] == "The file was received completely and waits for the checker."
    run_worker()
    told = desk.get(at("api-run-detail", told.json()["id"])).json()
    assert (told["state"], told["check"]) == ("accepted", "")
    report = desk.get(at("run-report", told["id"])).getvalue().decode()
    assert report == "line,severity,rule,message,text\n"


def test_the_api_offers_the_repaired_file(desk: Client) -> None:
    given = {"team": "Harbor", "priority": 1, "fields.documents": "collection"}
    file = SimpleUploadedFile("run.txt", LOOSE.format(tag="Harbor1").encode())
    told = desk.post(at("api-run-list"), {**given, "file": file}).json()
    assert (told["state"], told["repairs"][-1]["code"]) == ("rejected", "left")
    repaired = desk.get(at("api-run-repaired", told["id"]))
    assert b"".join(repaired.streaming_content) == GOOD.format(tag="Harbor1").encode()
    made = desk.post(at("api-run-submit-repaired", told["id"]), content_type="application/json")
    assert (made.status_code, made.json()["state"]) == (202, "checking")
    assert desk.post(at("api-run-check-again", made.json()["id"])).status_code == 409
    run_worker()
    assert desk.get(at("api-run-detail", made.json()["id"])).json()["state"] == "accepted"
    assert desk.get(at("api-run-repaired", made.json()["id"])).status_code == 404
