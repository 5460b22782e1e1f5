"""Who is logged in without a form is logged in as by Django."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from assess.people.models import AccountName
from tests import factories
from tests.logged_in import by_django, log_in

pytestmark = pytest.mark.django_db


def test_the_session_is_the_one_that_django_leaves() -> None:
    person = factories.user("assessor")
    mine, djangos = Client(), Client()
    log_in(mine, person)
    by_django(djangos, person)
    assert dict(mine.session) == dict(djangos.session)
    cookies = [client.cookies["sessionid"] for client in (mine, djangos)]
    assert dict(cookies[0]) == dict(cookies[1])
    assert cookies[0].value != cookies[1].value
    assert [client.get("/profile/").status_code for client in (mine, djangos, Client())] == [200, 200, 302]


def test_who_has_a_session_is_logged_in_anew() -> None:
    client = Client()
    for name in ("assessor", "adjudicator"):
        client.force_login(factories.user(name))
    assert client.get("/profile/").context["user"].username == "adjudicator"


def test_an_account_of_tests_is_stored_as_any_other() -> None:
    made, other = factories.user("assessor-1"), User.objects.create(username="other-1", password="x")
    rows = [User.objects.filter(pk=each.pk).values().get() for each in (made, other)]
    assert {name for name in rows[0] if rows[0][name] != rows[1][name]} == {"id", "username", "password", "date_joined"}
    assert [*AccountName.objects.order_by("user").values_list("looks_like", flat=True)] == ["assessor-l", "other-l"]
