"""No new account looks like another's, by whatever way it is made; accounts of before go on as they were."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse

from assess.base.errors import Invalid
from assess.models import AccountName, Campaign
from assess.people.domain.accounts import sign_up
from assess.people.domain.invitations import create_invitation
from assess.people.domain.names import looks
from tests.assess.commands import run_command
from tests.pages import page_of

pytestmark = pytest.mark.django_db

PASSWORD = "plum and walnut 81"
ALIKE = ["ORGANISER", "Organiser", "0rganiser", "organ1ser", "organlser", "ORGANlSER"]
FOREIGN = ["оrganiser", "ｏｒｇａｎｉｓｅｒ", "orga\u200bniser", "organiser\u0301", "οrganiser", "анна", "josé"]


@pytest.fixture
def token(campaign: Campaign, organiser: User) -> str:
    return create_invitation(actor=organiser, campaign=campaign, role="assessor")[1]


@pytest.mark.parametrize("name", ALIKE)
def test_nobody_signs_up_under_a_name_that_looks_like_anothers(name: str, token: str) -> None:
    values = {"username": name, "password": PASSWORD, "again": PASSWORD}
    answer = Client().post(reverse("invitation", args=[token]), values)
    assert answer.status_code == 422
    assert "This name looks like one that is taken." in page_of(answer)
    assert [user.username for user in User.objects.all()] == ["organiser"]


@pytest.mark.parametrize("name", FOREIGN)
def test_names_of_new_accounts_are_of_plain_letters(name: str, token: str) -> None:
    with pytest.raises(Invalid, match=r"letters a to z|Enter a valid username"):
        sign_up(token=token, username=name, password=PASSWORD)
    assert [user.username for user in User.objects.all()] == ["organiser"]


@pytest.mark.parametrize("name", [*ALIKE, *FOREIGN])
def test_the_command_line_and_the_admin_site_refuse_it_too(name: str, organiser: User, client: Client) -> None:
    status, _, error = run_command("createsuperuser", "--no-input", "--username", name, "--email", "")
    assert status != 0
    assert any(words in error for words in ("is taken", "letters a to z", "Enter a valid username"))
    client.force_login(User.objects.create_superuser("boss", password=PASSWORD))
    values = {"username": name, "password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"}
    answer = client.post("/admin/auth/user/add/", values)
    assert answer.status_code == 200
    assert {user.username for user in User.objects.all()} == {"organiser", "boss"}


def test_the_admin_site_makes_accounts_and_leaves_their_names(client: Client) -> None:
    client.force_login(User.objects.create_superuser("boss", password=PASSWORD))
    values = {"username": "anna", "password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"}
    assert client.post("/admin/auth/user/add/", values).status_code == 302
    person = User.objects.get(username="anna")
    page = client.get(f"/admin/auth/user/{person.pk}/change/")
    assert page.status_code == 200
    assert 'name="username"' not in page_of(page)


def test_names_that_differ_are_taken(token: str) -> None:
    person, _ = sign_up(token=token, username="organiser-2", password=PASSWORD)
    assert AccountName.objects.get(user=person).looks_like == "organlser-2"


def test_the_database_holds_one_account_a_look(organiser: User) -> None:
    other = User.objects.create(username="closed", is_active=False)
    with pytest.raises(IntegrityError):
        AccountName.objects.create(user=other, looks_like=looks("ORGANISER"))


def test_accounts_that_nobody_logs_in_to_may_be_named_by_files(organiser: User) -> None:
    User.objects.create(username="A1@pilot", is_active=False)
    User.objects.create(username="AI@pilot", is_active=False)
    User.objects.create(username="Ωmega@pilot", is_active=False)
    assert AccountName.objects.count() == 1


def test_a_name_that_is_taken_to_the_letter_is_said_to_be(token: str, client: Client) -> None:
    values: dict[str, Any] = {"username": "organiser", "password": PASSWORD, "again": PASSWORD}
    answer = page_of(client.post(reverse("invitation", args=[token]), values))
    assert "This name is taken. Choose another, or log in if the account is yours." in answer


@pytest.mark.parametrize("name", [".", "..", "-a", "@", "root", "Root", "nobody"])
def test_names_of_nobody_are_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        User.objects.create_user(name, password=PASSWORD)
    assert not User.objects.filter(username=name).exists()
