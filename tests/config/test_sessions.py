"""A session is found as Django finds it: until it ends, and by no key that anybody chose."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from config.sessions import PasswordBackend, PersonMiddleware, SessionStore

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


@pytest.mark.parametrize("key", ["chosen" * 6, "nul\0" * 8, ""])
def test_a_key_that_nobody_was_given_is_forgotten(key: str) -> None:
    store = SessionStore(key)
    assert (store.load(), store.session_key) == ({}, None)


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


def test_who_is_logged_in_costs_one_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    person = User.objects.create_user("assessor", email="a@example.org")
    with django_assert_num_queries(1):
        found = PasswordBackend().get_user(person.pk)
    assert (found, found and found.email) == (person, "a@example.org")


def test_it_costs_one_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    kept = SessionStore()
    kept["seen"] = "guide"
    kept.save()
    with django_assert_num_queries(1):
        assert SessionStore(kept.session_key).load() == {"seen": "guide"}


def test_it_is_read_with_the_person_from_the_second_time_on(
    client_of_session: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    assessor = User.objects.get()
    for queries in (2, 1, 1):
        request = RequestFactory().get("/")
        request.session = SessionStore(client_of_session.cookies["sessionid"].value)
        PersonMiddleware(lambda _: HttpResponse()).process_request(request)
        with django_assert_num_queries(queries):
            assert request.user == assessor


def test_who_is_logged_in_is_whom_the_session_names_now(client_of_session: Client) -> None:
    assert is_logged_in(client_of_session)
    store = SessionStore(client_of_session.cookies["sessionid"].value)
    other = User.objects.create_user("other")
    store[SESSION_KEY], store[HASH_SESSION_KEY] = str(other.pk), other.get_session_auth_hash()
    store.save()
    assert "other" in client_of_session.get("/profile/").content.decode()


def test_what_a_request_changes_in_it_is_not_kept_for_others() -> None:
    store = SessionStore()
    store["seen"] = ["guide"]
    store.save()
    for _ in range(2):
        found = SessionStore(store.session_key)
        assert found["seen"] == ["guide"]
        found["seen"].append("glossary")


def test_a_text_that_the_site_did_not_sign_holds_nothing(settings) -> None:
    text = SessionStore().encode({"seen": "guide"})
    assert SessionStore().decode(text) == {"seen": "guide"}
    assert SessionStore().decode(text[:-1] + ("a" if text[-1] != "a" else "b")) == {}
    settings.SECRET_KEY = "another"
    assert SessionStore().decode(text) == {}
    settings.SECRET_KEY_FALLBACKS = ["unused"]
    assert SessionStore().decode(text) == {}
