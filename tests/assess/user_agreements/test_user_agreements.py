"""User agreements: the text, which team accepted which version when, and what stays closed until then.

"Participants who would like to receive the text of the top 50 documents must submit or have already submitted to NIST a
signed user agreement form for the Blog06 collection" (TAC 2008 QA guidelines, II).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.campaigns.seats import access_seat
from assess.models import Acceptance, Activity, Campaign, Part
from assess.runs.domain.submission_rules import require_may_submit
from assess.user_agreements.access import is_open_to
from assess.user_agreements.domain import accept_user_agreement, set_user_agreement
from assess.user_agreements.queries import agreement_in_force
from tests import factories
from tests.assess.commands import run_command
from tests.pages import page_of

pytestmark = pytest.mark.django_db

TEXT = "We keep the documents to ourselves."


@pytest.fixture
def agreed(campaign: Campaign, organiser: User) -> Campaign:
    """A campaign whose package is behind an agreement."""
    return set_user_agreement(actor=organiser, campaign=campaign, text=TEXT, parts=["package"])


@pytest.fixture
def rival(campaign: Campaign) -> User:
    return factories.member(campaign, "rival", "participant", team="Pier")


def opened(person: User, campaign: Campaign) -> list[str]:
    seat = access_seat(person, campaign.slug)
    return [part.value for part in Part if is_open_to(seat, part)]


def test_the_package_is_closed_to_a_team_until_it_has_accepted(
    agreed: Campaign, organiser: User, participant: User, rival: User, assessor: User
) -> None:
    assert opened(participant, agreed) == ["topics", "lists"]
    made = accept_user_agreement(actor=participant, campaign=agreed, version=1)
    assert (made.team, made.accepted_by, made.agreement.version) == ("Harbor", participant, 1)
    assert accept_user_agreement(actor=participant, campaign=agreed, version=1) == made
    everything = ["topics", "lists", "package"]
    assert [opened(each, agreed) for each in (organiser, participant, assessor)] == [everything] * 3
    assert opened(rival, agreed) == ["topics", "lists"]
    (told,) = Activity.objects.filter(action="agreement.accept")
    assert (told.actor, told.data) == (participant, {"team": "Harbor", "version": 1, "note": ""})


def test_what_needs_what_is_closed_is_closed_too(campaign: Campaign, organiser: User, participant: User) -> None:
    set_user_agreement(actor=organiser, campaign=campaign, text=TEXT, parts=["topics"])
    assert opened(participant, campaign) == []
    Campaign.objects.filter(pk=campaign.pk).update(state="setup")
    campaign.refresh_from_db()
    with pytest.raises(NotAllowed) as refusal:
        require_may_submit(actor=participant, campaign=campaign, team="Harbor")
    assert refusal.value.code == "user-agreement"
    accept_user_agreement(actor=participant, campaign=campaign, version=1)
    require_may_submit(actor=participant, campaign=campaign, team="Harbor")
    set_user_agreement(actor=organiser, campaign=campaign, text=TEXT, parts=[])
    assert opened(factories.member(campaign, "late", "participant", team="Cape"), campaign) == [*Part.values]


def test_another_text_is_a_version_that_every_team_accepts_anew(
    agreed: Campaign, organiser: User, participant: User
) -> None:
    accept_user_agreement(actor=participant, campaign=agreed, version=1)
    set_user_agreement(actor=organiser, campaign=agreed, text=f"{TEXT} For ever.", parts=["package"])
    set_user_agreement(actor=organiser, campaign=agreed, text=f"{TEXT} For ever.", parts=["package"])
    newest = agreement_in_force(agreed)
    assert newest is not None
    assert (newest.version, opened(participant, agreed)) == (2, ["topics", "lists"])
    with pytest.raises(Conflict, match="Version 2 of the user agreement is in force now"):
        accept_user_agreement(actor=participant, campaign=agreed, version=1)
    accept_user_agreement(actor=participant, campaign=agreed, version=2)
    assert list(Acceptance.objects.order_by("agreement__version").values_list("agreement__version", "team")) == [
        (1, "Harbor"),
        (2, "Harbor"),
    ]
    assert Activity.objects.filter(action="agreement.publish").count() == 2


def test_organisers_write_down_what_was_signed_on_paper(
    agreed: Campaign, organiser: User, participant: User, rival: User
) -> None:
    """ "Participating teams that have already obtained the Blog06 collection … should fax to NIST their existing
    (signed) Blog06 organization agreement."
    """
    given = {"campaign": agreed, "version": 1, "team": "Pier"}
    with pytest.raises(NotAllowed, match="for your own team only"):
        accept_user_agreement(actor=participant, **given)
    with pytest.raises(Invalid, match="Nobody takes part for the team “Nobody”"):
        accept_user_agreement(actor=organiser, campaign=agreed, version=1, team="Nobody")
    made = accept_user_agreement(actor=organiser, **given, note="fax of 12 June")
    assert (made.accepted_by, made.note, opened(rival, agreed)) == (organiser, "fax of 12 June", [*Part.values])


def test_nothing_waits_for_a_text_that_is_not_there(campaign: Campaign, organiser: User, participant: User) -> None:
    with pytest.raises(Invalid, match="Write the agreement's text"):
        set_user_agreement(actor=organiser, campaign=campaign, text=" ", parts=["lists"])
    with pytest.raises(Invalid, match="Use: topics, lists, package"):
        set_user_agreement(actor=organiser, campaign=campaign, text=TEXT, parts=["runs"])
    with pytest.raises(Conflict, match="nothing to accept"):
        accept_user_agreement(actor=participant, campaign=campaign, version=0)


def test_it_is_accepted_when_the_campaign_is_frozen(agreed: Campaign, participant: User) -> None:
    Campaign.objects.filter(pk=agreed.pk).update(state="frozen")
    agreed.refresh_from_db()
    assert accept_user_agreement(actor=participant, campaign=agreed, version=1).team == "Harbor"


def test_by_page(campaign: Campaign, organiser: User, participant: User, rival: User, client: Client) -> None:
    page = reverse("user-agreement", args=[campaign.slug])
    accept = reverse("user-agreement-accept", args=[campaign.slug])
    edit = reverse("user-agreement-edit", args=[campaign.slug])
    client.force_login(organiser)
    assert client.post(edit, {"text": "", "parts": ["lists"]}).status_code == 422
    answer = client.post(edit, {"text": TEXT, "parts": ["lists", "package"]}, follow=True)
    assert "Closed to a team until it has accepted: document lists, package of documents." in page_of(answer)
    client.force_login(participant)
    closed = [reverse(name, args=[campaign.slug]) for name in ("document-list-file", "documents-package")]
    refused = [client.get(address) for address in closed]
    assert [answer.status_code for answer in refused] == [403, 403]
    assert "yours has not yet" in page_of(refused[0])
    assert "once your team has accepted" in page_of(client.get(reverse("topics", args=[campaign.slug])))
    shown = client.get(page).content.decode()
    assert TEXT in shown
    assert "Accept for the team Harbor" in shown
    answer = client.post(accept, {"version": "1", "team": "Pier"}, follow=True)
    assert "Harbor has accepted the user agreement." in page_of(answer)
    assert "Pier" not in page_of(answer)
    assert [client.get(address).status_code for address in closed] == [200, 200]
    client.force_login(organiser)
    shown = page_of(client.get(page))
    assert ("Pier</th> <td>not yet" in shown, "<td>participant</td>" in shown) == (True, True)
    client.post(accept, {"version": "1", "team": "Pier", "note": "fax"})
    assert Acceptance.objects.get(team="Pier").note == "fax"


def test_by_api(campaign: Campaign, organiser: User, participant: User, rival: User, client: Client) -> None:
    address = f"/api/v1/campaigns/{campaign.slug}/user-agreement/"
    client.force_login(organiser)
    body = json.dumps({"text": TEXT, "parts": ["lists"]})
    made = client.post(address, body, content_type="application/json")
    assert (made.status_code, made.json()) == (
        201,
        {"version": 1, "text": TEXT, "closed": ["lists", "package"], "acceptances": []},
    )
    client.force_login(rival)
    refused = client.get(f"/api/v1/campaigns/{campaign.slug}/document-lists-file/")
    assert (refused.status_code, refused.json()["code"]) == (403, "user-agreement")
    accepted = client.post(f"{address}accept/", json.dumps({"version": 1}), content_type="application/json")
    assert (accepted.status_code, accepted.json()["team"]) == (200, "Pier")
    assert client.get(f"/api/v1/campaigns/{campaign.slug}/document-lists-file/").status_code == 200
    client.force_login(participant)
    assert client.get(address).json()["acceptances"] == []
    client.force_login(organiser)
    assert [each["team"] for each in client.get(address).json()["acceptances"]] == ["Pier"]


def test_by_command(campaign: Campaign, organiser: User, participant: User, tmp_path: Path) -> None:
    text = tmp_path / "agreement.txt"
    text.write_text(TEXT)
    status, out, _ = run_command("call", "user_agreement_create", campaign.slug, f"text=@{text}", "parts=package")
    assert (status, f"text\t{' '.join(TEXT.split())}" in out) == (0, True)
    assert opened(participant, campaign) == ["topics", "lists"]
    accept = ("call", "user_agreement_accept", campaign.slug, "version=1")
    status, out, _ = run_command(*accept, "team=Harbor", "note=fax")
    assert (status, "team\tHarbor" in out) == (0, True)
    status, _, told = run_command(*accept, "team=Nobody")
    assert (status, "Nobody takes part for the team" in told) == (1, True)
