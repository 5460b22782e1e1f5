"""What the desk's forms do and refuse, in plain words; uploads are hostile until read."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from assess.models import (
    Activity,
    Assignment,
    Campaign,
    Guideline,
    HelpRequest,
    Item,
    Job,
    Judgment,
    Membership,
    Pool,
    Run,
    Topic,
)
from tests import factories
from tests.assess import pooling
from tests.assess.worker import run_worker
from tests.pages import page_of

retrieval = pooling.retrieval

QUESTIONS = b"""<?xml version="1.0" encoding="UTF-8"?>
<questions>
<target id="5" text="Kites"><q id="5.1" type="RigidList">Which kites do people like?</q></target>
</questions>
"""


@pytest.fixture
def desk(client: Client, organiser: User, settings, tmp_path: Path) -> Client:
    """The organiser's browser; files are kept in a folder of the test."""
    settings.DATA_DIR = tmp_path
    client.force_login(organiser)
    return client


def at(name: str, campaign: Campaign, *arguments: object) -> str:
    return reverse(name, args=[campaign.slug, *arguments])


def upload(name: str, content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def words(answer) -> str:
    return page_of(answer).replace("&#x27;", "'")


def set_up(campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.State.SETUP)


# ------------------------------------------------------------------ topics


def test_a_file_of_topics_is_loaded_whole(desk: Client, campaign: Campaign) -> None:
    values = {"file_key": "questions", "file": upload("q.xml", QUESTIONS)}
    answer = desk.post(at("topics-load", campaign), values, follow=True)
    assert "q.xml: 2 topics added, 0 changed, 0 unchanged; 3 others kept." in words(answer)
    assert Topic.objects.get(campaign=campaign, number="5.1").text == "Which kites do people like?"


def test_a_file_with_mistakes_is_refused_with_their_lines(desk: Client, campaign: Campaign) -> None:
    broken = QUESTIONS.replace(b"RigidList", b"RigidLust")
    answer = desk.post(at("topics-load", campaign), {"file_key": "questions", "file": upload("q.xml", broken)})
    assert answer.status_code == 422
    assert "q.xml has 1 error, so nothing of it was stored." in words(answer)
    assert "RigidLust" in words(answer)
    assert campaign.topics.count() == 3


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("topics-load", "Choose a file."), ("documents-load", "Choose a file."), ("docnos-load", "Choose a file.")],
)
def test_a_missing_file_is_asked_for(name: str, sentence: str, desk: Client, campaign: Campaign) -> None:
    answer = desk.post(at(name, campaign), {"file_key": "questions", "wanted": "all"})
    assert answer.status_code == 422
    assert sentence in words(answer)


def test_an_empty_file_is_refused(desk: Client, campaign: Campaign) -> None:
    answer = desk.post(at("docnos-load", campaign), {"file": upload("d.txt", b"")})
    assert (answer.status_code, "The file is empty. Check that the right file was chosen." in words(answer)) == (
        422,
        True,
    )


def test_a_file_over_the_limit_is_refused(desk: Client, campaign: Campaign, settings) -> None:
    settings.ASSAY_UPLOAD_MB = 0
    answer = desk.post(at("docnos-load", campaign), {"file": upload("d.txt", b"x" * 2000)})
    assert answer.status_code == 422
    assert "at most 0 MB may be uploaded. Compress or split it." in words(answer)
    assert not Job.objects.exists()


def test_binary_rubbish_is_refused_in_words(desk: Client, campaign: Campaign) -> None:
    values = {"file_key": "questions", "file": upload("../../<b>q.xml", bytes(range(256)) * 10)}
    answer = desk.post(at("topics-load", campaign), values)
    assert answer.status_code == 422
    assert "nothing of it was stored" in words(answer)
    assert "<b>q" not in page_of(answer)


# ------------------------------------------------------------------ documents


def test_an_upload_of_documents_becomes_a_job_once(desk: Client, campaign: Campaign, settings) -> None:
    values = {"wanted": "all", "file": upload("c.trec", b"<DOC>\n</DOC>\n")}
    desk.post(at("documents-load", campaign), values)
    work = Job.objects.get()
    assert (work.kind, work.state, work.arguments["wanted"]) == ("documents", "waiting", "all")
    kept = work.arguments["files"][0]["sha256"]
    assert (Path(settings.DATA_DIR) / "files" / kept[:2] / kept).read_bytes() == b"<DOC>\n</DOC>\n"
    again = desk.post(at("documents-load", campaign), {"wanted": "all", "file": upload("c.trec", b"<DOC>\n</DOC>\n")})
    assert again.status_code == 409
    assert "The same kind of job is under way already." in words(again)


def test_several_files_of_documents_become_one_job(desk: Client, campaign: Campaign) -> None:
    files = [upload("a.trec", b"<DOC>\n</DOC>\n"), upload("b.trec", b"<DOC>\n\n</DOC>\n")]
    answer = desk.post(at("documents-load", campaign), {"wanted": "named", "file": files}, follow=True)
    assert "a.trec, b.trec: received completely." in words(answer)
    assert [each["name"] for each in Job.objects.get().arguments["files"]] == ["a.trec", "b.trec"]


LOADING = '<h2 id="load" tabindex="-1">Load documents</h2>'


def test_the_page_of_documents_says_what_is_loaded_first_and_what_more(desk: Client, campaign: Campaign) -> None:
    page = words(desk.get(at("documents", campaign)))
    assert "only the documents that runs or document lists name are stored, unless you choose" in page
    assert page.index(LOADING) < page.index("No documents yet")
    options = re.findall(r"<option value=\"(?:named|all)\"[^>]*>([^<]*)</option>", page)
    assert len(options) == 2 and max(map(len, options)) <= 30, options
    factories.document(campaign, "DOC-1", "Bicycles are fine.")
    page = words(desk.get(at("documents", campaign)))
    assert page.index(LOADING) < page.index("<h2>Stored documents</h2>")


def test_a_job_is_stopped_and_started_again(desk: Client, campaign: Campaign, organiser: User) -> None:
    work = Job.objects.create(campaign=campaign, kind="documents", arguments={}, started_by=organiser)
    desk.post(at("work-stop", campaign, work.pk))
    work.refresh_from_db()
    assert work.state == Job.State.STOPPED
    desk.post(at("work-restart", campaign, work.pk))
    work.refresh_from_db()
    assert work.state == Job.State.WAITING
    fragment = words(desk.get(at("works", campaign), headers={"hx-request": "true"}))
    assert 'hx-trigger="every 2s"' in fragment
    assert "<html" not in fragment
    assert "<html" in words(desk.get(at("works", campaign)))


def test_a_document_list_is_loaded_and_packed(desk: Client, campaign: Campaign, participant: User) -> None:
    factories.document(campaign, "DOC-1", "Bicycles are fine.")
    answer = desk.post(
        at("document-list-load", campaign), {"file": upload("l.txt", b"1 1 DOC-1 2.5\n1 2 DOC-2 1.5\n")}, follow=True
    )
    assert "2 documents listed for 1 target;" in words(answer)
    desk.force_login(participant)
    package = zipfile.ZipFile(io.BytesIO(desk.get(at("documents-package", campaign)).getvalue()))
    assert package.read("001-1/0001-DOC-1.txt") == b"Bicycles are fine."


# ------------------------------------------------------------------ runs

LINE = "1.1 {tag} BLOG06-20060101-000-0000000001 blue bicycle\n1.2 {tag} BLOG06-20060101-000-0000000001 It is light.\n"


def run_values(campaign: Campaign, text: str, **values: str) -> dict[str, object]:
    from assess.runs.domain.checking import submission_of

    asked = {f"field-{field.key}": field.choices[0][0] for field in submission_of(campaign).fields if field.choices}
    named = {"team": "Harbor", "priority": "1", "tag": "", "automatic": "yes", "description": "A program."}
    return {**named, **asked, **values, "file": upload("run.txt", text.encode())}


def test_a_participant_checks_then_submits(desk: Client, campaign: Campaign, participant: User) -> None:
    set_up(campaign)
    desk.force_login(participant)
    text = LINE.format(tag="Harbor1")
    checked = desk.post(at("run-new", campaign), run_values(campaign, text, check="yes"))
    assert (checked.status_code, "The file passes the check" in words(checked), Run.objects.count()) == (200, True, 0)
    answer = desk.post(at("run-new", campaign), run_values(campaign, text), follow=True)
    run = Run.objects.get()
    assert (run.state, run.tag, run.team, run.submitted_by) == ("checking", "Harbor1", "Harbor", participant)
    assert "Harbor1 was received completely and is being checked." in words(answer)
    run_worker()
    run.refresh_from_db()
    assert (run.state, run.responses.count()) == ("accepted", 2)
    assert "No rule is broken." in words(desk.get(at("run", campaign, run.pk)))
    file = desk.get(at("run-file", campaign, run.pk))
    assert file["Content-Disposition"] == 'attachment; filename="run.txt"'
    assert file["X-Content-Type-Options"] == "nosniff"
    assert b"".join(file.streaming_content) == text.encode()


def test_a_broken_run_keeps_its_report_alone(desk: Client, campaign: Campaign) -> None:
    desk.post(at("run-new", campaign), run_values(campaign, "1.1 Harbor1\n9.9 Harbor1 D x\n"))
    run_worker()
    run = Run.objects.get()
    answer = desk.get(at("run", campaign, run.pk))
    assert (run.state, run.responses.count()) == ("rejected", 0)
    assert run.errors >= 2
    page = words(answer)
    assert "Nothing of the file was taken in." in page
    assert all(issue["code"] in page for issue in run.report)
    table = desk.get(at("run-report", campaign, run.pk)).getvalue().decode()
    assert len(table.splitlines()) == 1 + run.errors + run.warnings


def test_a_participant_can_not_name_another_team(desk: Client, campaign: Campaign, participant: User) -> None:
    set_up(campaign)
    desk.force_login(participant)
    answer = desk.post(at("run-new", campaign), run_values(campaign, LINE.format(tag="Rival1"), team="Rival"))
    assert (answer.status_code, Run.objects.count()) == (422, 0)
    assert "Select a valid choice" in words(answer)


def test_participants_can_only_check_once_judging_began(desk: Client, campaign: Campaign, participant: User) -> None:
    desk.force_login(participant)
    assert "Judging has begun" in words(desk.get(at("run-new", campaign)))
    answer = desk.post(at("run-new", campaign), run_values(campaign, LINE.format(tag="Harbor1")))
    assert answer.status_code == 409
    assert "Judging has begun, so runs can't be submitted or withdrawn any more." in words(answer)


def test_withdrawing_says_what_goes_before_it_goes(
    desk: Client, campaign: Campaign, organiser: User, rigid: Topic, rigid_items: list[Item]
) -> None:
    run = factories.run(campaign, "Harbor1", organiser)
    factories.response(run, rigid, rigid_items)
    asked = words(desk.get(at("run-withdraw", campaign, run.pk)))
    assert "Its 3 strings for 1 topic are taken out" in asked
    assert Run.objects.get().state == "accepted"
    desk.post(at("run-withdraw", campaign, run.pk))
    assert (Run.objects.get().state, run.responses.count()) == ("withdrawn", 0)


# ------------------------------------------------------------------ pool, work


def test_building_a_pool_says_what_it_will_do(
    desk: Client, campaign: Campaign, organiser: User, rigid: Topic, rigid_items: list[Item]
) -> None:
    run = factories.run(campaign, "Harbor1", organiser)
    fresh = factories.item(rigid, "yellow bicycle")
    factories.response(run, rigid, [*rigid_items[:2], fresh])
    asked = words(desk.get(at("pool-build", campaign, "rigid")))
    assert "1 run, 3 different items for 1 topic." in asked
    assert "1 item is new" in asked
    assert "2 items stay" in asked
    assert "1 item leaves" in asked
    desk.post(at("pool-build", campaign, "rigid"))
    newest = Pool.objects.filter(task="rigid").first()
    assert newest is not None
    assert set(newest.pool_items.values_list("item__text", flat=True)) == {
        "blue bicycle",
        "green bicycle",
        "yellow bicycle",
    }


def test_judged_items_leave_a_pool_only_when_told(
    desk: Client, campaign: Campaign, organiser: User, grading: Assignment, rigid: Topic, rigid_items: list[Item]
) -> None:
    factories.response(factories.run(campaign, "Harbor1", organiser), rigid, rigid_items[:2])
    Judgment(
        item=rigid_items[2],
        criterion="correctness",
        value=1,
        assessor=grading.assessor,
        assignment=grading,
        client_key="00000000-0000-0000-0000-000000000009",
        how="key",
    ).save()
    address = at("pool-build", campaign, "rigid")
    assert "1 of them are judged" in words(desk.get(address))
    refused = desk.post(address)
    assert (refused.status_code, "1 judged item would leave the pool" in words(refused)) == (409, True)
    assert desk.post(address, {"drop_judged": "yes"}).status_code == 302


def test_work_is_handed_out_by_hand_all_or_nothing(
    desk: Client, campaign: Campaign, rigid: Topic, assessor: User, second_assessor: User
) -> None:
    address = at("assignments-hand-out", campaign)
    cells = [f"{rigid.pk}:instances", f"{rigid.pk}:classes"]
    desk.post(address, {"assessor": assessor.pk, "role": "primary", "cell": cells})
    assert Assignment.objects.filter(assessor=assessor).count() == 2
    again = desk.post(address, {"assessor": second_assessor.pk, "role": "primary", "cell": cells})
    assert again.status_code == 422
    assert "already has its primary assessor. Hand it out to a second assessor." in words(again)
    nothing = desk.post(address, {"assessor": second_assessor.pk, "role": "second"})
    assert "Mark at least one cell of the table to hand out." in words(nothing)
    hostile = desk.post(address, {"assessor": assessor.pk, "role": "primary", "cell": ["x"]})
    assert "The form was not filled in by this page." in words(hostile)
    assert Assignment.objects.count() == 2


def test_work_is_taken_back_and_can_go_to_somebody_else(
    desk: Client, campaign: Campaign, grading: Assignment, second_assessor: User, rigid: Topic
) -> None:
    asked = words(desk.get(at("assignment-return", campaign, grading.pk)))
    assert "0 of 3 instances are done." in asked
    desk.post(at("assignment-return", campaign, grading.pk))
    grading.refresh_from_db()
    assert grading.state == Assignment.State.RETURNED
    values = {"assessor": second_assessor.pk, "role": "primary", "cell": [f"{rigid.pk}:instances"]}
    assert desk.post(at("assignments-hand-out", campaign), values).status_code == 302
    assert desk.get(at("assignment-return", campaign, grading.pk)).status_code == 404


def test_a_question_is_answered_and_the_item_excused(
    desk: Client, campaign: Campaign, organiser: User, grading: Assignment, rigid_items: list[Item]
) -> None:
    asked = HelpRequest.objects.create(
        assignment=grading, item=rigid_items[0], text="Is <b>blue</b> a colour?", client_key=campaign_key(1)
    )
    page = page_of(desk.get(at("question", campaign, asked.pk)))
    assert "Is &lt;b&gt;blue&lt;/b&gt; a colour?" in page
    empty = desk.post(at("question", campaign, asked.pk), {"answer": " "})
    assert "Write an answer: the assessor waits for it." in words(empty)
    desk.post(at("question", campaign, asked.pk), {"answer": "Yes.", "excuse": "on"})
    asked.refresh_from_db()
    assert (asked.answer, asked.excused, asked.answered_by) == ("Yes.", True, organiser)


def campaign_key(number: int) -> str:
    return f"00000000-0000-0000-0000-{number:012}"


# ------------------------------------------------------------------ people, settings, state


def test_members_are_added_and_removed(desk: Client, campaign: Campaign, stranger: User) -> None:
    address = at("member-add", campaign)
    unknown = desk.post(address, {"username": "nobody", "role": "assessor"})
    assert "There is no account of this name. Invite the person by a link instead." in words(unknown)
    teamless = desk.post(address, {"username": "stranger", "role": "participant"})
    assert "A participant needs a team." in words(teamless)
    added = desk.post(address, {"username": "stranger", "role": "assessor"}, follow=True, HTTP_ACCEPT_LANGUAGE="de")
    assert "stranger hat jetzt die Rolle Annotation." in words(added)
    member = Membership.objects.get(user=stranger)
    desk.post(at("member-remove", campaign, member.pk))
    assert not Membership.objects.filter(user=stranger).exists()


def test_the_last_organiser_stays(desk: Client, campaign: Campaign, organiser: User) -> None:
    member = campaign.memberships.get(user=organiser)
    answer = desk.post(at("member-remove", campaign, member.pk))
    assert (answer.status_code, "This is the last organiser." in words(answer)) == (409, True)


def test_help_in_several_lines_is_what_describes_its_field(desk: Client) -> None:
    """A list can't stand in a paragraph: browsers end it before the list, and readers aloud are told nothing."""
    page = desk.get(reverse("password_change")).content.decode()
    helped = re.search(r'<(\w+) class="help" id="id_new_password1_helptext">(.*?)</\1>', page, re.DOTALL)
    assert helped is not None
    assert (helped[1], helped[2].count("<li>") > 1) == ("div", True)


def test_settings_are_checked_field_by_field(desk: Client, campaign: Campaign) -> None:
    from assess.campaigns.queries import settings_of

    values = {key: str(value) for key, value in settings_of(campaign).as_mapping().items() if value is not False}
    values["judged_priorities"] = "1, 2, 3"
    wrong = desk.post(at("settings", campaign), {**values, "beta": "three"})
    assert wrong.status_code == 422
    assert "'three' is not a number." in words(wrong)
    assert desk.post(at("settings", campaign), {**values, "beta": "2"}).status_code == 302
    campaign.refresh_from_db()
    kept = settings_of(campaign)
    assert (kept.beta, kept.judged_priorities, kept.single_assessor) == (2.0, (1, 2, 3), False)


def test_guidelines_get_versions_and_keep_them(desk: Client, campaign: Campaign) -> None:
    address = at("guidelines-edit", campaign)
    desk.post(address, {"text": "Judge with more care.\r\nAlways."})
    desk.post(address, {"text": "Judge with more care.\r\nAlways."})
    assert list(Guideline.objects.values_list("version", "text")) == [
        (2, "Judge with more care.\nAlways."),
        (1, "Judge with care."),
    ]
    assert "Judge with care." in words(desk.get(at("guideline-version", campaign, 1)))
    assert "Write something." in words(desk.post(address, {"text": ""}))


def test_the_state_moves_one_step_and_says_what_that_means(
    desk: Client, campaign: Campaign, grading: Assignment
) -> None:
    page = words(desk.get(at("campaign-state", campaign)))
    assert "0 of 1 assignment is done; <strong>1 is not" in page
    assert "machine judges’ work and work given back are not" in page
    assert f'href="{at("freeze", campaign)}"' in page
    refused = desk.post(at("campaign-state", campaign), {"state": "released"})
    assert (refused.status_code, "can't become released" in words(refused)) == (409, True)
    unfinished = desk.post(at("campaign-state", campaign), {"state": "frozen"})
    assert (unfinished.status_code, "can't be frozen yet" in words(unfinished)) == (409, True)
    Campaign.objects.filter(pk=campaign.pk).update(state="frozen")
    changed = desk.post(at("topics-load", campaign), {"file_key": "questions", "file": upload("q.xml", QUESTIONS)})
    assert (changed.status_code, "nothing in it can be changed" in words(changed)) == (409, True)
    assert f'href="{at("unfreeze", campaign)}"' in words(desk.get(at("campaign-state", campaign)))


# ------------------------------------------------------------------ exports


def test_exports_are_the_same_bytes_for_the_same_point(desk: Client, campaign: Campaign, grading: Assignment) -> None:
    first = b"".join(desk.get(at("exports-zip", campaign) + "?as_of=0").streaming_content)
    second = b"".join(desk.get(at("exports-zip", campaign) + "?as_of=0").streaming_content)
    assert first == second
    assert "manifest.json" in zipfile.ZipFile(io.BytesIO(first)).namelist()
    assert Activity.objects.filter(action="export.write").count() == 2
    file = desk.get(at("export-file", campaign, "nuggets.tsv"))
    assert file["Content-Disposition"] == 'attachment; filename="nuggets.tsv"'


@pytest.mark.parametrize("point", ["-1", "x", "999999", "9" * 40])
def test_a_point_that_was_not_reached_is_refused(point: str, desk: Client, campaign: Campaign) -> None:
    answer = desk.get(at("exports", campaign) + f"?as_of={point}")
    assert answer.status_code == 422
    assert "no ledger point" in words(answer)


@pytest.mark.parametrize("name", ["manifest.json", "..", "secret-key"])
def test_only_the_tracks_own_files_are_exported(name: str, desk: Client, campaign: Campaign) -> None:
    assert desk.get(at("export-file", campaign, "x").replace("/x/", f"/{name}/")).status_code == 404


def test_withdrawing_a_ranked_run_speaks_of_documents(retrieval: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    run = retrieval.runs.get(tag="alp1")
    page = page_of(client.get(reverse("run-withdraw", args=[retrieval.slug, run.pk])))
    assert "The documents that it ranks for 2 topics are taken out" in page and "0 strings" not in page


@pytest.mark.parametrize("slug", ["Tac 2008", "-tac", "tac_2008"])
def test_a_short_name_that_can_not_be_is_said_at_its_field_and_above(
    organiser: User, client: Client, slug: str
) -> None:
    organiser.is_staff = True
    organiser.save()
    client.force_login(organiser)
    answer = client.post(reverse("campaign-new"), {"title": "TAC", "slug": slug, "track": "adhoc"})
    page = " ".join(page_of(answer).split())
    assert answer.status_code == 422
    assert "Enter a valid value" not in page and "slug:" not in page
    assert f'<a href="#id_slug">Short name</a>: “{slug}” can&#x27;t be a short name' in page
    assert re.search(r'<input [^>]*name="slug"[^>]*aria-describedby="id_slug_helptext id_slug_error"', page)
    assert re.search(r'<ul class="errorlist" id="id_slug_error"><li>“[^<]* digits and hyphens', page)
