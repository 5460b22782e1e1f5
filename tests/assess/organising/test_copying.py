"""Campaigns copied, and saved as designs: by page, API and command."""

from __future__ import annotations

import json
import tomllib
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from assess.base.errors import Conflict, Invalid
from assess.campaigns.designs import text_of_design
from assess.campaigns.domain import create_campaign, publish_guideline
from assess.campaigns.queries import registered_tracks
from assess.documents.domain.copying import copy_documents
from assess.documents.models import DocumentBody, DocumentWords
from assess.jobs.background import do_job
from assess.jobs.models import Job
from assess.models import Campaign, Item, Judgment
from assess.organising.copying import copy_campaign, save_as_design
from assess.organising.domain import change_settings
from assess.people.domain.members import add_member
from tests import factories
from tests.design_text import DESIGN
from tests.pages import page_of
from tests.remembered import remembered
from tests.tracks.designs.campaigns import DESIGNS

pytestmark = pytest.mark.django_db


@pytest.fixture
@remembered
def made(organiser: User, settings: Any, tmp_path: Path) -> Campaign:
    """A frozen campaign with what is copied and what is not."""
    settings.DATA_DIR = tmp_path
    campaign = create_campaign(actor=organiser, slug="own", title="Own", design=DESIGN)
    change_settings(actor=organiser, campaign=campaign, values={"pool_depth": 7, "judged_topics": ["1"]})
    publish_guideline(actor=organiser, campaign=campaign, text="Read it twice.")
    factories.member(campaign, "anna", "assessor")
    tired = factories.member(campaign, "tired", "adjudicator")
    campaign.memberships.filter(user=tired).update(takes_work=False)
    factories.member(campaign, "team", "participant", team="moss")
    campaign.memberships.create(user=User.objects.create(username="judge-x"), role="assessor", is_machine=True)
    left = factories.member(campaign, "left", "assessor")
    User.objects.filter(pk=left.pk).update(is_active=False)
    for docno in ("A", "B"):
        document = factories.document(campaign, docno, f"Bees live in {docno}.")
        DocumentWords.objects.get_or_create(document=document, defaults={"words": f"bees {docno}"})
    factories.topic(campaign, "1", "bees", task="ranking")
    Campaign.objects.filter(pk=campaign.pk).update(lease_hours=5, takes_primary=True, state="frozen")
    return Campaign.objects.get(pk=campaign.pk)


def test_a_copy_has_the_evaluation_its_rules_people_and_documents_and_nothing_judged(
    made: Campaign, organiser: User
) -> None:
    copy = copy_campaign(actor=organiser, campaign=made, slug="next", title="Next")
    assert (copy.state, copy.track, copy.design, text_of_design(copy.design)) == (
        "setup", made.track, made.design, DESIGN,
    )  # fmt: skip
    assert (copy.settings["pool_depth"], copy.settings["judged_topics"]) == (7, [])
    assert (copy.lease_hours, copy.takes_primary, copy.runs_due) == (5, True, None)
    assert list(copy.guidelines.values_list("version", "text")) == [(1, "Read it twice.")]
    people = copy.memberships.values_list("user__username", "role", "takes_work", "is_machine")
    assert set(people) == {
        ("organiser", "organiser", True, False),
        ("anna", "assessor", True, False),
        ("tired", "adjudicator", False, False),
    }  # fmt: skip
    assert not copy.topics.exists() and not copy.runs.exists()
    assert not Judgment.objects.filter(assignment__campaign=copy).exists()
    job = copy.jobs.get()
    do_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.message) == (Job.State.DONE, "2 documents copied, 0 stored before.")
    for table, column in ((DocumentBody, "text"), (DocumentBody, "raw"), (DocumentWords, "words")):
        stored = [
            {docno: bytes(value) if column == "raw" else value for docno, value in rows}
            for rows in (
                table.objects.filter(document__campaign=each).values_list("document__docno", column)
                for each in (made, copy)
            )
        ]
        assert stored[0] == stored[1] and len(stored[0]) == 2
    assert copy.documents.get(docno="A").sha256 == made.documents.get(docno="A").sha256
    assert made.documents.count() == 2
    told = copy.activities.filter(action="campaign.copy").get()
    assert told.data == {"from": "own", "people": True, "documents": True}


def test_copying_documents_goes_on_and_links_items(made: Campaign, organiser: User) -> None:
    copy = copy_campaign(actor=organiser, campaign=made, slug="next", title="Next", people=False, documents=False)
    assert not copy.jobs.exists() and copy.memberships.count() == 1
    topic = factories.topic(copy, "1", "bees", task="ranking")
    item = Item.objects.create(topic=topic, kind="document", key="B", docno="B")
    factories.document(copy, "A", "Its own.")
    for docno in ("A", "B"):
        made.translations.create(docno=docno, language="de", tool="NLLB", sha256=docno, text="Bienen.")
    copied = copy_documents(actor=organiser, campaign=copy, source=made, should_stop=lambda: True)
    assert (copied.stored, copied.stopped) == (0, True)
    copied = copy_documents(actor=organiser, campaign=copy, source=made)
    assert copied.sentence() == "1 document copied, 1 stored before."
    assert list(copy.translations.values_list("docno", "language", "tool", "sha256", "text")) == [
        ("B", "de", "NLLB", "B", "Bienen.")
    ]
    assert copy.documents.get(docno="A").body.text.strip() == "Its own."
    item.refresh_from_db()
    assert item.document is not None and item.document.campaign == copy
    Campaign.objects.filter(pk=copy.pk).update(state="frozen")
    with pytest.raises(Conflict):
        copy_documents(actor=organiser, campaign=Campaign.objects.get(pk=copy.pk), source=made)


def test_page_api_and_command_copy_and_refuse_alike(made: Campaign, organiser: User, client: Client) -> None:
    page, api = reverse("campaign-copy", args=["own"]), reverse("api-campaign-copy", args=["own"])
    client.force_login(organiser)
    for address in (page, api):  # who may not make campaigns copies none
        assert client.post(address, {"title": "Next", "slug": "next", "new_slug": "next"}).status_code == 404
    User.objects.filter(pk=organiser.pk).update(is_staff=True)
    assert page in client.get(reverse("settings", args=["own"])).content.decode()
    told = "There is a campaign “own” already. Choose another short name."
    answer = client.post(page, {"title": "Next", "slug": "own"})
    assert (answer.status_code, told in page_of(answer)) == (422, True)
    answer = client.post(api, {"title": "Next", "new_slug": "own"}, content_type="application/json")
    assert (answer.status_code, told in answer.json()["detail"]) == (409, True)
    assert Campaign.objects.count() == 1
    assert client.post(page, {"title": "Next", "slug": "by-page", "people": "on"}).status_code == 302
    answer = client.post(api, {"title": "Next", "new_slug": "by-api"}, content_type="application/json")
    assert (answer.status_code, answer.json()["slug"]) == (201, "by-api")
    out = StringIO()
    call_command("call", "copy", "own", "new_slug=by-call", "title=Next", stdout=out)
    counted = {each.slug: (each.memberships.count(), each.jobs.count()) for each in Campaign.objects.all()}
    assert counted == {"own": (6, 0), "by-page": (3, 0), "by-api": (3, 1), "by-call": (3, 1)}


def test_a_campaign_is_saved_as_a_design_with_its_settings(made: Campaign, organiser: User, client: Client) -> None:
    saved = save_as_design(made)
    changed = DESIGN.replace("depth = 20", "depth = 7").replace("[runs]", '[topics]\njudged = ["1"]\n\n[runs]')
    unsaid = ["work goes back after 5 hours: a design says whole days"]
    assert (json.loads(json.dumps(saved.unsaid)), sorted(saved.text.split())) == (unsaid, sorted(changed.split()))
    client.force_login(organiser)
    answer = client.get(reverse("design", args=["own"]), {"saved": ""})
    assert answer.content.decode() == saved.text
    assert client.get(reverse("api-design-saved", args=["own"])).json() == {"design": saved.text, "unsaid": unsaid}


def test_what_was_set_of_work_and_of_machines_is_saved_with_a_design(
    organiser: User, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    answers = '{"topic": "1", "text": "Bees.", "truth": "says just that"}'
    tables = f"hand_out = {{ most = 9, days = 3 }}\ncontrol = {{ answers = '{answers}', tell = \"after\" }}\n"
    tables += "practice = { items = 1, tries = 2 }\n"
    claims = (DESIGNS / "claims.toml").read_text().replace('work = "grade"\n', f'work = "grade"\n{tables}')
    text = claims.replace(
        'text = "claim"\n', 'text = "claim"\nsuggest = "machine.jsonl"\nsuggest_shown = "to no one"\n'
    )
    campaign = create_campaign(actor=organiser, slug="own", title="Own", design=text)
    assert save_as_design(campaign).text == text
    for hours, days in ((48, "days = 2"), (None, "")):
        Campaign.objects.filter(pk=campaign.pk).update(lease_hours=hours, drafts="after")
        saved = save_as_design(Campaign.objects.get(pk=campaign.pk))
        expected = (
            text.replace("to no one", "after one's own judgment").replace("days = 3", days).replace("9,  }", "9 }")
        )
        assert (tomllib.loads(saved.text), saved.unsaid) == (tomllib.loads(expected.replace("9, }", "9 }")), ())
    copy = copy_campaign(actor=organiser, campaign=Campaign.objects.get(pk=campaign.pk), slug="next", title="Next")
    assert (copy.drafts, copy.lease_hours, save_as_design(copy).text) == ("after", None, saved.text)


def test_a_campaign_of_each_track_is_copied_with_its_settings(organiser: User, settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    for key in registered_tracks():
        campaign = create_campaign(actor=organiser, slug=key, title="Own", track=key)
        name = next(each for each, value in campaign.settings.items() if isinstance(value, bool))
        change_settings(actor=organiser, campaign=campaign, values={name: not campaign.settings[name]})
        publish_guideline(actor=organiser, campaign=campaign, text=f"Read {key} twice.")
        factories.member(campaign, f"anna-{key}", "assessor")
        factories.document(campaign, "A")
        copy = copy_campaign(actor=organiser, campaign=campaign, slug=f"{key}-2", title="Next")
        assert (copy.track, copy.settings, copy.state) == (key, Campaign.objects.get(pk=campaign.pk).settings, "setup")
        assert [each.text for each in copy.guidelines.all()] == [f"Read {key} twice."]
        assert (copy.memberships.count(), copy.jobs.count(), copy.topics.count()) == (2, 1, 0)


def test_choices_for_single_topics_are_not_copied(organiser: User, settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    campaign = create_campaign(actor=organiser, slug="claims", title="Claims", track="context25")
    campaign.settings["claims_chosen"] = ["c2=first"]
    campaign.save()
    copy = copy_campaign(actor=organiser, campaign=campaign, slug="next", title="Next")
    assert copy.settings["claims_chosen"] == []


def test_an_installed_track_is_saved_as_what_a_design_can_say(
    organiser: User, settings: Any, tmp_path: Path, client: Client
) -> None:
    settings.DATA_DIR = tmp_path
    given = {"pool_depth": 3, "highest_grade": 2, "relevant_from": 2, "tag_length": 9}
    campaign = create_campaign(actor=organiser, slug="ad", title="Ad", track="adhoc", settings=given)
    saved = save_as_design(campaign)
    assert [line for line in saved.text.splitlines() if line.startswith(("key = ", "highest", "relevant_from"))] == [
        'key = "ad"',
        'key = "documents"',
        'key = "relevance"',
        "highest = 2",
        "relevant_from = 2",
        "relevant_from_setting = true",
    ]
    assert saved.unsaid == ("settings.tag_length: 9",)
    again = create_campaign(actor=organiser, slug="again", title="Again", design=saved.text)
    assert (again.track, again.settings) == ("ad", {**campaign.settings, "tag_length": 20})
    client.force_login(organiser)
    answer = client.get(reverse("design", args=["ad"]))
    assert "What no design can say of it" in page_of(answer) and "?saved" in answer.content.decode()
    own = create_campaign(actor=organiser, slug="qa", title="QA", track="tac2008-qa")
    assert save_as_design(own).text == ""
    with pytest.raises(Invalid):
        copy_campaign(actor=organiser, campaign=own, slug="-", title="X")
    copy = copy_campaign(actor=organiser, campaign=own, slug="qa-2", title="QA 2")
    assert (copy.track, copy.settings) == (own.track, own.settings)
    assert not copy.jobs.exists()
    add_member(actor=organiser, campaign=copy, user=organiser, role="organiser")
