"""Who leaves can't come back by what they left behind: invitations of their own, tokens of an old password."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.base.errors import NotFound
from assess.models import Activity, Campaign, Invitation
from assess.people.domain.invitations import accept_invitation, create_invitation, find_invitation
from assess.people.domain.members import add_member, change_role, remove_member
from assess.topics.domain.changing import drop_topic
from tests import factories
from tests.pages import page_of

pytestmark = pytest.mark.django_db

NEW_PASSWORD = "plum and walnut 81"


def test_nobody_is_made_a_member_whose_account_is_closed(campaign: Campaign, organiser: User, client: Client) -> None:
    closed = User.objects.create_user("closed", is_active=False)
    client.force_login(organiser)
    by_page = client.post(reverse("member-add", args=[campaign.slug]), {"username": "closed", "role": "assessor"})
    body = {"username": "closed", "role": "assessor"}
    address = reverse("api-member-list", args=[campaign.slug])
    by_call = client.post(address, body, content_type="application/json")
    assert "There is no account of this name." in page_of(by_page)
    assert (by_call.status_code, "Nobody here has this user name" in by_call.json()["detail"]) == (404, True)
    assert not campaign.memberships.filter(user=closed).exists()


@pytest.fixture
def leaving(campaign: Campaign) -> User:
    return factories.member(campaign, "leaving", "organiser")


@pytest.mark.parametrize("to", ["", "assessor"])
def test_invitations_of_a_former_organiser_lead_nowhere(
    to: str, campaign: Campaign, organiser: User, leaving: User, stranger: User
) -> None:
    made = [create_invitation(actor=leaving, campaign=campaign, role=role) for role in ("organiser", "assessor")]
    used, token = create_invitation(actor=leaving, campaign=campaign, role="assessor")
    accept_invitation(actor=stranger, token=token)
    others, kept = create_invitation(actor=organiser, campaign=campaign, role="assessor")
    if to:
        change_role(actor=organiser, campaign=campaign, user=leaving, role="organiser", to=to)
    else:
        remove_member(actor=organiser, campaign=campaign, user=leaving, role="organiser")
    for _, link in made:
        with pytest.raises(NotFound):
            accept_invitation(actor=leaving, token=link)
    assert find_invitation(kept) == others
    assert set(Invitation.objects.values_list("pk", flat=True)) == {used.pk, others.pk}
    rows = Activity.objects.filter(action="invitation.withdraw").order_by("id")
    assert [(row.actor, row.data["role"], row.data["made_by"]) for row in rows] == [
        (organiser, role, leaving.pk) for role in ("assessor", "organiser")
    ]


def test_who_loses_another_role_keeps_their_invitations(campaign: Campaign, organiser: User, leaving: User) -> None:
    add_member(actor=organiser, campaign=campaign, user=leaving, role="assessor")
    invitation, token = create_invitation(actor=leaving, campaign=campaign, role="assessor")
    remove_member(actor=organiser, campaign=campaign, user=leaving, role="assessor")
    assert find_invitation(token) == invitation


def test_the_page_says_what_removing_an_organiser_does(
    campaign: Campaign, organiser: User, leaving: User, client: Client
) -> None:
    client.force_login(organiser)
    seat = campaign.memberships.get(user=leaving)
    for name in ("member-remove", "member-role"):
        page = page_of(client.get(reverse(name, args=[campaign.slug, seat.pk])))
        assert "Invitations that they made and nobody has used are withdrawn." in page


@pytest.mark.parametrize("others", [True, False])
def test_the_page_offers_no_removal_that_would_be_refused(
    others: bool, campaign: Campaign, organiser: User, assessor: User, client: Client
) -> None:
    """And says nothing of work in hand to who keeps another role that judges: that work stays theirs."""
    factories.assignment(campaign.topics.get(number="1.1"), "instances", assessor)
    if others:
        add_member(actor=organiser, campaign=campaign, user=assessor, role="adjudicator")
    client.force_login(organiser)
    seat = campaign.memberships.get(user=assessor, role="assessor")
    page = page_of(client.get(reverse("member-remove", args=[campaign.slug, seat.pk])))
    said, offered = "still has 1 assignment. Take it back first." in page, ">Remove assessor<" in page
    assert (said, offered) == (not others, others)
    alone = client.get(reverse("member-remove", args=[campaign.slug, campaign.memberships.get(user=organiser).pk]))
    assert "This is the last organiser." in page_of(alone)


def test_work_of_a_dropped_topic_keeps_nobody(
    campaign: Campaign, organiser: User, assessor: User, client: Client
) -> None:
    """Nobody could take it back: no page of work shows it."""
    factories.assignment(campaign.topics.get(number="1.1"), "instances", assessor)
    drop_topic(actor=organiser, campaign=campaign, number="1.1", reason="It leaked.")
    client.force_login(organiser)
    table = client.get(reverse("people", args=[campaign.slug])).context["table"]
    assert {row.user.username: row.in_hand for row in table.rows}["assessor"] == 0
    remove_member(actor=organiser, campaign=campaign, user=assessor, role="assessor")
    assert not campaign.memberships.filter(user=assessor).exists()


@pytest.mark.parametrize("revoked", [True, False])
def test_a_changed_password_ends_the_token_where_that_is_asked(revoked: bool, organiser: User, client: Client) -> None:
    key = factories.api_token(organiser)
    client.force_login(organiser)
    values = {"old_password": factories.PASSWORD, "new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}
    answer = client.post(reverse("password_change"), {**values, **({"revoke_tokens": "on"} if revoked else {})})
    assert answer["Location"] == reverse("profile")
    organiser.refresh_from_db()
    assert organiser.check_password(NEW_PASSWORD)
    assert client.get(reverse("profile")).status_code == 200  # still logged in here
    program = Client(headers={"Authorization": f"Token {key}"})
    assert program.get("/api/v1/campaigns/").status_code == (401 if revoked else 200)
    actions = list(Activity.objects.order_by("id").values_list("action", flat=True))
    assert actions == ["password.change", "token.revoke" if revoked else "token.use"]
