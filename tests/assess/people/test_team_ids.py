"""The ID of a team is checked where it is given: run tags are made of it."""

from __future__ import annotations

import json
import uuid
from html import unescape
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from assess.base.errors import Invalid
from assess.models import Campaign, Invitation, Membership
from assess.people.domain.invitations import create_invitation
from assess.people.domain.members import add_member, change_role
from tests import factories
from tests.assess.commands import run_command

pytestmark = pytest.mark.django_db

SENTENCE = (
    "“Glasgow Univ” can't be the ID of a team. Write at most 40 of the letters A–Z and a–z, digits, “.”, “_” and “-”, "
    "a letter or digit in front, such as NISTAssessor, since run tags are made of it."
)
GIVEN = {"role": "participant", "team": "Glasgow Univ"}


@pytest.mark.parametrize("team", ["Glasgow Univ", "a" * 41, "-Alps", "Zürich", "a/b"])
def test_an_id_that_no_tag_can_carry_is_refused(campaign: Campaign, organiser: User, stranger: User, team: str) -> None:
    """III: "The run-tag should be the concatenation of the Team ID and the priority of the run"."""
    with pytest.raises(Invalid, match="can't be the ID of a team") as refusal:
        create_invitation(actor=organiser, campaign=campaign, role="participant", team=team)
    assert refusal.value.field == "team"
    with override("de"), pytest.raises(Invalid, match="weil Run-Tags daraus gebildet werden"):
        create_invitation(actor=organiser, campaign=campaign, role="participant", team=team)
    with pytest.raises(Invalid, match="can't be the ID of a team"):
        add_member(actor=organiser, campaign=campaign, user=stranger, role="participant", team=team)


def test_a_member_s_team_is_changed_by_the_same_rule(
    campaign: Campaign, organiser: User, participant: User, assessor: User
) -> None:
    given = {"actor": organiser, "campaign": campaign, "to": "participant"}
    for user, role in ((participant, "participant"), (assessor, "assessor")):
        with pytest.raises(Invalid, match="can't be the ID of a team"):
            change_role(**given, user=user, role=role, team="Glasgow Univ")
    change_role(**given, user=participant, role="participant", team="a" * 40)
    assert Membership.objects.get(user=participant).team == "a" * 40


def test_page_api_and_command_say_so(
    campaign: Campaign, organiser: User, stranger: User, client: Client, tmp_path: Path
) -> None:
    client.force_login(organiser)
    page = client.post(reverse("invitation-create", args=[campaign.slug]), GIVEN)
    assert (page.status_code, SENTENCE in unescape(page.content.decode())) == (422, True)
    page = client.post(reverse("member-add", args=[campaign.slug]), {**GIVEN, "username": stranger.username})
    assert (page.status_code, SENTENCE in unescape(page.content.decode())) == (422, True)
    api = f"/api/v1/campaigns/{campaign.slug}/"
    calls = {
        "invitations/": GIVEN,
        "members/": {**GIVEN, "username": stranger.username},
        "invitations/many/": {"client_key": str(uuid.UUID(int=1)), "invitations": [GIVEN]},
    }
    for path, body in calls.items():
        answer = client.post(api + path, json.dumps(body), content_type="application/json")
        assert (path, answer.status_code, SENTENCE in json.dumps(answer.json(), ensure_ascii=False)) == (
            path,
            422,
            True,
        )
    listed = tmp_path / "people.csv"
    listed.write_text("role,team,note\nparticipant,Glasgow Univ,Iain\n")
    status, _, told = run_command("invite", campaign.slug, listed, "--site", "https://assay.example.org")
    assert (status, SENTENCE in told) == (1, True)
    assert Invitation.objects.count() == 0


def test_where_tags_are_not_made_of_it_any_name_is_a_team_s(organiser: User) -> None:
    other = factories.campaign(organiser=organiser, slug="other", track="biogen2024")
    create_invitation(actor=organiser, campaign=other, role="participant", team="Glasgow Univ")
    assert Invitation.objects.get().team == "Glasgow Univ"
