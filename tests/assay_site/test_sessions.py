"""A session is found as Django finds it: until it ends, and by no key that anybody chose."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def client_of_session(client: Client) -> Client:
    client.force_login(User.objects.create_user("assessor"))
    return client


def is_logged_in(client: Client) -> bool:
    return client.get("/profile/").status_code == 200


def test_it_holds_until_it_ends(client_of_session: Client) -> None:
    assert is_logged_in(client_of_session)
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert not is_logged_in(client_of_session)


def test_who_has_logged_out_elsewhere_is_out_at_once(client_of_session: Client) -> None:
    assert is_logged_in(client_of_session)
    other = Client()
    other.cookies.update(client_of_session.cookies)
    other.post("/logout/")
    assert not is_logged_in(client_of_session)


def test_whose_account_is_closed_is_out_at_once(client_of_session: Client) -> None:
    assert is_logged_in(client_of_session)
    User.objects.update(is_active=False)
    assert not is_logged_in(client_of_session)
    User.objects.update(is_active=True)
    assert is_logged_in(client_of_session)
    User.objects.all().delete()
    assert not is_logged_in(client_of_session)


def test_whose_password_is_another_is_out_at_once(client_of_session: Client) -> None:
    assert is_logged_in(client_of_session)
    person = User.objects.get()
    person.set_password("another pass phrase")
    person.save()
    assert not is_logged_in(client_of_session)


def test_a_token_opens_the_api_to_its_person_as_long_as_the_account_is_open(client: Client) -> None:
    person = User.objects.create_user("assessor")
    key = factories.api_token(person)

    def answer(given: str) -> tuple[int, object]:
        told = client.get("/api/v1/campaigns/", headers={"Authorization": f"Token {given}"})
        return told.status_code, told.json().get("detail")

    assert answer(key) == (200, None)
    assert answer("f" * 40) == (401, "Invalid token.")
    User.objects.update(is_active=False)
    assert answer(key) == (401, "User inactive or deleted.")
