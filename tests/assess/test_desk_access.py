"""Who may open which page of the desk. Forbidden and absent look the same; nobody else sees runs or scores."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.models import Assignment, Campaign, HelpRequest, Job, Topic
from tests import factories
from tests.assess.submitted_run import harbor_run
from tests.pages import page_of

CAST = ("organiser", "superuser", "participant", "assessor", "adjudicator", "stranger")
ORGANISER = {**dict.fromkeys(CAST, 404), "organiser": 200, "superuser": 200}
MEMBERS = {**ORGANISER, "participant": 200}
POST_ONLY = dict.fromkeys(CAST, 405)

PAGES = {
    "overview": {**ORGANISER, "participant": 302, "assessor": 302, "adjudicator": 302},
    "campaign-new": {**ORGANISER, "organiser": 404},
    "campaign-state": ORGANISER,
    "topics": MEMBERS,
    "topics-load": POST_ONLY,
    "topic": MEMBERS,
    "topics-file": MEMBERS,
    "documents": ORGANISER,
    "documents-load": POST_ONLY,
    "documents-records": ORGANISER,
    "documents-take-out": ORGANISER,
    "translations-load": POST_ONLY,
    "translations-take-out": POST_ONLY,
    "docnos-load": POST_ONLY,
    "docnos-empty": POST_ONLY,
    "document-list-load": POST_ONLY,
    "documents-package": MEMBERS,
    "document-list-file": MEMBERS,
    "works": ORGANISER,
    "work-stop": POST_ONLY,
    "work-restart": POST_ONLY,
    "runs": MEMBERS,
    "run-new": MEMBERS,
    "run": MEMBERS,
    "run-file": MEMBERS,
    "run-report": MEMBERS,
    "run-withdraw": MEMBERS,
    "run-check": dict.fromkeys(MEMBERS, 302) | {who: code for who, code in MEMBERS.items() if code == 404},
    "run-repaired": MEMBERS,
    "run-repaired-file": MEMBERS,
    "run-repaired-submit": POST_ONLY,
    "pool": ORGANISER,
    "pool-build": ORGANISER,
    "pool-plan": ORGANISER,
    "pool-plan-plot": ORGANISER,
    "pool-quality": ORGANISER,
    "pool-quality-plot": ORGANISER,
    "people": ORGANISER,
    "member-add": POST_ONLY,
    "member-takes-work": POST_ONLY,
    "member-remove": ORGANISER,
    "invitation-create": POST_ONLY,
    "invitation-withdraw": POST_ONLY,
    "assignments": ORGANISER,
    "assignments-hand-out": POST_ONLY,
    "assignments-balance": ORGANISER,
    "assignment-return": ORGANISER,
    "progress": ORGANISER,
    "questions": ORGANISER,
    "question": ORGANISER,
    "scores": ORGANISER,
    "score-plot": ORGANISER,
    "score-topics": ORGANISER,
    "score-explain": ORGANISER,
    "exports": ORGANISER,
    "exports-zip": ORGANISER,
    "export-file": ORGANISER,
    "settings": ORGANISER,
    "settings-deadline": POST_ONLY,
    "settings-time-zone": POST_ONLY,
    "settings-release-dates": POST_ONLY,
    "user-agreement": MEMBERS,
    "user-agreement-accept": POST_ONLY,
    "user-agreement-edit": POST_ONLY,
    "guidelines-edit": ORGANISER,
    "guideline-version": ORGANISER,
    "activity": ORGANISER,
    "analysis": ORGANISER,
    "analysis-plot": ORGANISER,
}


@pytest.fixture
def addresses(
    campaign: Campaign, organiser: User, assessor: User, participant: User, grading: Assignment, settings, tmp_path
) -> dict[str, str]:
    """Name -> an address that exists in the campaign, with a run of the participant's team."""
    settings.DATA_DIR = tmp_path
    run = harbor_run(campaign, participant)
    request = HelpRequest.objects.create(
        assignment=grading, text="Which one?", client_key="00000000-0000-0000-0000-000000000001"
    )
    work = Job.objects.create(campaign=campaign, kind="documents", started_by=organiser)
    invitation = campaign.invitations.create(
        role="assessor", token_sha256="0" * 64, expires_at="2036-01-01T00:00Z", created_by=organiser
    )
    member = campaign.memberships.get(user=assessor)
    arguments: dict[str, list[object]] = {
        "topic": ["1.1"],
        "topics-file": ["questions"],
        "work-stop": [work.pk],
        "work-restart": [work.pk],
        "run": [run.pk],
        "run-file": [run.pk],
        "run-report": [run.pk],
        "run-withdraw": [run.pk],
        "run-check": [run.pk],
        "run-repaired": [run.pk],
        "run-repaired-file": [run.pk],
        "run-repaired-submit": [run.pk],
        "pool-build": ["rigid"],
        "pool-plan": ["rigid"],
        "pool-plan-plot": ["rigid"],
        "pool-quality": ["rigid"],
        "pool-quality-plot": ["rigid"],
        "member-remove": [member.pk],
        "member-takes-work": [member.pk],
        "invitation-withdraw": [invitation.pk],
        "assignment-return": [grading.pk],
        "question": [request.pk],
        "guideline-version": [1],
        "export-file": ["judgments.jsonl"],
    }
    query = {"score-topics": "?run=Harbor1", "score-explain": "?run=Harbor1&topic=all&measure=combined"}
    return {
        name: reverse(name, args=[] if name == "campaign-new" else [campaign.slug, *arguments.get(name, [])])
        + query.get(name, "")
        for name in PAGES
    }


@pytest.mark.parametrize("who", CAST)
def test_each_page_opens_for_who_may_and_for_nobody_else(
    who: str, addresses: dict[str, str], adjudicator: User, stranger: User, client: Client
) -> None:
    person = (
        User.objects.create_superuser("superuser", password=factories.PASSWORD)
        if who == "superuser"
        else User.objects.get(username=who)
    )
    client.force_login(person)
    answers = {name: client.get(address).status_code for name, address in addresses.items()}
    assert answers == {name: expected[who] for name, expected in PAGES.items()}


def test_who_is_not_logged_in_is_asked_to(addresses: dict[str, str], client: Client) -> None:
    for name, address in addresses.items():
        answer = client.get(address)
        assert (name, answer.status_code) == (name, 302)
        assert answer["Location"].startswith(reverse("login"))


def test_another_campaign_is_not_there_for_its_strangers(
    campaign: Campaign, organiser: User, stranger: User, client: Client
) -> None:
    client.force_login(stranger)
    absent = client.get(reverse("overview", args=["no-such-campaign"]))
    forbidden = client.get(reverse("overview", args=[campaign.slug]))
    assert (absent.status_code, forbidden.status_code) == (404, 404)
    own = _without_tokens(forbidden.content).replace(f"/c/{campaign.slug}/".encode(), b"/c/no-such-campaign/")
    assert own == _without_tokens(absent.content)  # but for the address, which choosing a language comes back to


def _without_tokens(page: bytes) -> bytes:
    """The page without its tokens against forgery, which differ each time."""
    return re.sub(rb'(X-CSRFToken": |value=)"[A-Za-z0-9]{64}"', b"", page)


@pytest.mark.parametrize("name", ["run", "run-file", "run-report", "run-withdraw"])
def test_a_participant_never_sees_another_teams_run(
    name: str, campaign: Campaign, organiser: User, participant: User, client: Client
) -> None:
    other = factories.run(campaign, "Rival1", organiser)
    client.force_login(participant)
    assert client.get(reverse(name, args=[campaign.slug, other.pk])).status_code == 404


def test_a_participants_list_names_their_own_runs_alone(
    campaign: Campaign, organiser: User, participant: User, client: Client
) -> None:
    factories.run(campaign, "Rival1", organiser)
    factories.run(campaign, "Harbor1", participant)
    client.force_login(participant)
    page = client.get(reverse("runs", args=[campaign.slug])).content.decode()
    table = client.get(reverse("runs", args=[campaign.slug]) + "?format=csv").getvalue().decode()
    assert "Harbor1" in page
    assert "Rival" not in page + table


def test_an_overview_sends_the_others_to_their_own_first_page(
    campaign: Campaign, assessor: User, participant: User, client: Client
) -> None:
    client.force_login(assessor)
    assert client.get(reverse("overview", args=[campaign.slug]))["Location"] == reverse("work", args=[campaign.slug])
    client.force_login(participant)
    assert client.get(reverse("overview", args=[campaign.slug]))["Location"] == reverse("runs", args=[campaign.slug])


def test_the_topic_of_a_participant_shows_no_runs(
    campaign: Campaign, rigid: Topic, organiser: User, participant: User, client: Client
) -> None:
    run = factories.run(campaign, "Rival1", organiser)
    factories.response(run, rigid, [])
    client.force_login(participant)
    page = page_of(client.get(reverse("topic", args=[campaign.slug, "1.1"])))
    assert "Which colours do people like?" in page
    assert "Rival" not in page
