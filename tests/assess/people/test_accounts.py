"""Accounts: logging in, the invitation's life, and what the admin site lets nobody do."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assess.models import Campaign, Invitation, Membership
from assess.people.domain.invitations import create_invitation
from tests import factories
from tests.pages import page_of

NEW_PASSWORD = "plum and walnut 81"


@pytest.fixture
def token(campaign: Campaign, organiser: User) -> str:
    return create_invitation(actor=organiser, campaign=campaign, role="participant", team="Harbor")[1]


def _sign_up(client: Client, token: str, **fields: str):
    values = {"username": "newcomer", "password": NEW_PASSWORD, "again": NEW_PASSWORD, **fields}
    return client.post(reverse("invitation", args=[token]), values)


def test_logging_in_leads_where_one_was_going(campaign: Campaign, organiser: User, client: Client) -> None:
    wanted = reverse("people", args=[campaign.slug])
    asked = client.get(wanted)["Location"]
    answer = client.post(asked, {"username": "organiser", "password": factories.PASSWORD, "next": wanted})
    assert answer["Location"] == wanted
    assert client.get(wanted).status_code == 200


def test_a_wrong_password_is_refused_in_words(organiser: User, client: Client) -> None:
    answer = client.post(reverse("login"), {"username": "organiser", "password": "wrong"})
    assert answer.status_code == 200
    assert "correct username and password" in page_of(answer)


@pytest.mark.parametrize(("password", "is_told"), [(factories.PASSWORD, True), ("another password", False)])
def test_who_knows_the_password_of_a_closed_account_is_told_that_it_is_closed(
    organiser: User, client: Client, password: str, is_told: bool
) -> None:
    User.objects.filter(pk=organiser.pk).update(is_active=False)
    page = page_of(client.post(reverse("login"), {"username": organiser.username, "password": password}))
    assert ("This account is closed. What you did under it is kept." in page) == is_told
    assert "_auth_user_id" not in client.session


def test_logging_out_needs_a_post(organiser: User, client: Client) -> None:
    client.force_login(organiser)
    assert f'<form method="post" action="{reverse("logout")}">' in page_of(client.get(reverse("profile")))
    assert client.get(reverse("logout")).status_code == 405
    assert client.post(reverse("logout")).status_code == 302
    assert client.get(reverse("profile")).status_code == 302


def test_a_password_is_changed_by_who_knows_it(organiser: User, client: Client) -> None:
    client.force_login(organiser)
    values = {"old_password": factories.PASSWORD, "new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}
    assert client.post(reverse("password_change"), {**values, "old_password": "wrong"}).status_code == 200
    organiser.refresh_from_db()
    assert organiser.check_password(factories.PASSWORD)
    assert client.post(reverse("password_change"), values)["Location"] == reverse("profile")
    organiser.refresh_from_db()
    assert organiser.check_password(NEW_PASSWORD)


def test_an_invitation_says_what_it_is_for(token: str, client: Client) -> None:
    page = client.get(reverse("invitation", args=[token]))
    text = re.sub(r"<[^>]+>|\s+", " ", page_of(page))
    assert "You are invited to Opinions 2008" in text
    assert "participant" in text
    assert "Harbor" in text
    assert "no-store" in page["Cache-Control"]


def test_signing_up_joins_and_logs_in_once(token: str, campaign: Campaign, client: Client) -> None:
    answer = _sign_up(client, token)
    assert answer["Location"] == reverse("overview", args=[campaign.slug])
    person = User.objects.get(username="newcomer")
    membership = Membership.objects.get(user=person)
    assert (membership.campaign, membership.role, membership.team) == (campaign, "participant", "Harbor")
    assert client.get(reverse("runs", args=[campaign.slug])).status_code == 200
    assert _sign_up(Client(), token, username="second").status_code == 404
    assert not User.objects.filter(username="second").exists()


def test_who_has_an_account_joins_with_it(token: str, stranger: User, campaign: Campaign, client: Client) -> None:
    client.force_login(stranger)
    assert client.post(reverse("invitation", args=[token])).status_code == 302
    assert Membership.objects.filter(user=stranger, campaign=campaign, role="participant").exists()
    assert Invitation.objects.get().accepted_by == stranger


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"again": "something else 12"}, "The two passwords are not the same. Write them again."),
        (
            {"password": "short", "again": "short"},
            "This password is too short. It must contain at least 10 characters.",
        ),
        ({"username": "organiser"}, "This name is taken. Choose another, or log in if the account is yours."),
        ({"username": ""}, "Choose a name to log in with."),
        ({"username": "a b"}, "Enter a valid username."),
    ],
)
def test_a_form_filled_in_wrongly_leaves_the_invitation_open(
    fields: dict[str, str], sentence: str, token: str, client: Client
) -> None:
    answer = _sign_up(client, token, **fields)
    assert answer.status_code == 422
    assert sentence in page_of(answer)
    assert Invitation.objects.get().accepted_at is None
    assert User.objects.count() == 1


def test_used_expired_withdrawn_and_unknown_links_look_the_same(
    token: str, campaign: Campaign, organiser: User, client: Client
) -> None:
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    expired = client.get(reverse("invitation", args=[token]))
    unknown = client.get(reverse("invitation", args=["nothing"]))
    assert (expired.status_code, unknown.status_code) == (404, 404)
    sentence = "This invitation is used, expired or unknown. Ask the organiser for a new one."
    assert sentence in page_of(expired)
    assert sentence in page_of(unknown)


def test_the_link_is_shown_once(campaign: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    values = {"role": "assessor", "team": "", "note": "for Ada"}
    made = page_of(client.post(reverse("invitation-create", args=[campaign.slug]), values))
    link = re.search(r"http://testserver(/invitation/[^<]+/)", made)
    assert link is not None
    assert Client().get(link[1]).status_code == 200
    again = page_of(client.get(reverse("people", args=[campaign.slug])))
    assert "for Ada" in again
    assert "/invitation/" not in again


def test_addresses_of_forms_lead_browsers_to_the_page_of_the_form(
    campaign: Campaign, organiser: User, client: Client
) -> None:
    client.force_login(organiser)
    people, browser = reverse("people", args=[campaign.slug]), {"Accept": "text/html,*/*"}
    refused = reverse("member-add", args=[campaign.slug])
    kept = client.post(reverse("language"), {"language": "de", "next": refused})
    assert kept["Location"] == refused
    for address, page in (
        (refused, people),
        (reverse("invitation-create", args=[campaign.slug]), people),
        (reverse("invitation-withdraw", args=[campaign.slug, 7]), f"{people}invitations/"),
        (reverse("token-revoke", args=[7]), reverse("tokens")),
        (reverse("logout"), reverse("home")),
    ):
        answer = client.get(address, headers=browser, follow=True)
        assert (answer.status_code, answer.redirect_chain[-1][0]) == (200, page), address
        assert client.get(address).status_code == 405, "a program is told so"


def test_what_is_shown_once_is_not_lost_by_another_language(
    campaign: Campaign, organiser: User, client: Client
) -> None:
    client.force_login(organiser)
    ann = factories.member(campaign, "ann", "assessor")
    factories.invited(campaign, ann, organiser)
    member = Membership.objects.get(campaign=campaign, user=ann)
    for name, args, page, values in (
        ("invitation-create", [campaign.slug], "people", {"role": "assessor", "note": "Ada"}),
        ("member-password", [campaign.slug, member.pk], "member-password", {}),
        ("tokens", [], "tokens", {"name": "laptop", "scopes": "read", "days": "30"}),
    ):
        made = page_of(client.post(reverse(name, args=args), values))
        assert "shown this once" in made, name
        assert 'name="language"' not in made, name
        args = args if name == page else args[:1]
        assert 'name="language"' in page_of(client.get(reverse(page, args=args))), page


def test_a_withdrawn_invitation_leads_nowhere(token: str, campaign: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    client.post(reverse("invitation-withdraw", args=[campaign.slug, Invitation.objects.get().pk]))
    assert Client().get(reverse("invitation", args=[token])).status_code == 404


def test_campaigns_are_made_by_staff(stranger: User, db: None, client: Client) -> None:
    User.objects.filter(pk=stranger.pk).update(is_staff=True)
    client.force_login(stranger)
    values = {"title": "Kites 2009", "slug": "kites", "track": "tac2008-qa"}
    wrong = client.post(reverse("campaign-new"), {**values, "slug": "Ki tes"})
    assert wrong.status_code == 422
    assert client.post(reverse("campaign-new"), values)["Location"] == reverse("overview", args=["kites"])
    again = client.post(reverse("campaign-new"), values)
    assert "There is a campaign “kites” already. Choose another short name." in page_of(again)


def test_the_admin_site_is_for_superusers_alone(organiser: User, client: Client) -> None:
    User.objects.filter(pk=organiser.pk).update(is_staff=True)
    client.force_login(organiser)
    assert client.get(reverse("admin:index")).status_code == 302
    client.force_login(User.objects.create_superuser("root", password=factories.PASSWORD))
    assert client.get(reverse("admin:index")).status_code == 200
    assert client.get(reverse("admin:assess_judgment_changelist")).status_code == 200


MODELS = [model for app in ("assess", "nuggets") for model in apps.get_app_config(app).get_models()]
SHOWN = [model for model in MODELS if admin.site.is_registered(model)]


@pytest.mark.parametrize("model", SHOWN, ids=lambda model: model.__name__)
def test_nothing_of_a_campaign_is_changed_in_the_admin_site(model, rf, db: None) -> None:
    request = rf.get("/")
    request.user = User.objects.create_superuser("root")
    shown = admin.site.get_model_admin(model)
    allowed = shown.get_model_perms(request)
    assert allowed == {"add": False, "change": False, "delete": False, "view": True}


def test_every_ledger_is_in_the_admin_site() -> None:
    from assess.models import LedgerRow

    assert [model for model in MODELS if issubclass(model, LedgerRow) and model not in SHOWN] == []
