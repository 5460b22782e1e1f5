"""A person is erased: a pseudonym stands in the place of the name, and nothing stored tells whose account it was."""

from __future__ import annotations

import io
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from assess.models import Activity, Assignment, Campaign, Item, Judgment
from assess.people.domain import erasing
from assess.people.domain.acting_for import rename_member
from assess.people.domain.erasing import erase_person
from assess.people.domain.invitations import accept_invitation, create_invitation
from tests import factories
from tests.assess import judged_campaign as judging
from tests.pages import page_of

pytestmark = pytest.mark.django_db
NAME, DISPLAY, MAIL, NOTE = "ada.l", "Ada Lovelace", "ada@example.org", "Ada, by mail"


@pytest.fixture
def ada(campaign: Campaign, organiser: User, rigid_items: list[Item]) -> User:
    """Somebody who came by an invitation, was renamed, logged in, made a token and judged."""
    person = factories.user("first-name", email=MAIL)
    token = create_invitation(actor=organiser, campaign=campaign, role="assessor", note=NOTE)[1]
    accept_invitation(actor=person, token=token)
    rename_member(actor=organiser, campaign=campaign, user=person, name=NAME, display_name=DISPLAY)
    Client().post(reverse("login"), {"username": NAME, "password": factories.PASSWORD})
    Client().post(reverse("login"), {"username": NAME, "password": "wrong"})
    factories.api_token(person)
    EmailAddress.objects.create(user=person, email=MAIL, verified=True, primary=True)
    SocialAccount.objects.create(user=person, provider="provider", uid=MAIL, extra_data={"name": DISPLAY})
    work = factories.assignment(campaign.topics.get(number="1.1"), "instances", person)
    judging.judge(work, "blue bicycle", 1)
    Assignment.objects.filter(pk=work.pk).update(state="done")
    return User.objects.get(pk=person.pk)


def stored() -> str:
    """Every row of every table, as text."""
    models = [model for model in apps.get_models() if model._meta.managed]
    return "\n".join(str(list(model.objects.values())) for model in models)


def found_in_rows(texts: tuple[str, ...]) -> set[str]:
    """Return those of these texts that are stored as whole words; “Ada” inside a random token is no name."""
    rows = stored()
    return {each for each in texts if re.search(rf"\b{re.escape(each)}\b", rows)}


def test_nothing_stored_tells_whose_account_it_was(campaign: Campaign, organiser: User, ada: User) -> None:
    desk, person = Client(), Client()
    desk.force_login(organiser)
    person.force_login(ada)
    said = (NAME, DISPLAY, MAIL, NOTE, "Ada", "first-name")
    before = found_in_rows(said)
    assert before == {NAME, DISPLAY, MAIL, NOTE, "Ada"}, "and no name of before is kept in a ledger"
    judged = Judgment.objects.values_list("pk", "assignment__assessor")
    rows = list(judged)

    address = reverse("member-erase", args=[campaign.slug, ada.memberships.get().pk])
    assert "can't be taken back" in page_of(desk.get(address))
    assert "looks like one that is taken" in page_of(desk.post(address, {"pseudonym": "0rganiser"}))
    assert desk.post(address, {"pseudonym": ""}).status_code == 302
    ada.refresh_from_db()
    assert re.fullmatch(r"person-[0-9a-f]{8}", ada.username)
    assert found_in_rows(said) == set()
    assert list(judged) == rows, "the ledger holds the key"
    assert person.get(reverse("profile")).status_code == 302, "they are logged in nowhere"
    assert (
        Client(headers={"Authorization": "Token a_token_of_ada.l_to_read_judge_submit_organise"})
        .get("/api/v1/campaigns/")
        .status_code
        == 401
    )
    assert ada.username in page_of(desk.get(reverse("people", args=[campaign.slug])))
    act = Activity.objects.get(action="member.erase")
    assert (act.actor, act.campaign, act.data) == (organiser, campaign, {"user": ada.pk})
    assert desk.post(address, {"pseudonym": ""}).status_code == 409, "once"


@pytest.mark.django_db(transaction=True)
def test_no_file_of_the_database_holds_the_name_any_more(organiser: User, ada: User) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("a server keeps its files to itself")
    database = Path(connection.settings_dict["NAME"])
    files = [database, database.with_name(f"{database.name}-wal")]
    assert any(MAIL.encode() in file.read_bytes() for file in files)
    erase_person(actor=User.objects.create_superuser("keeper"), user=ada)
    assert [file.name for file in files if MAIL.encode() in file.read_bytes()] == []


@pytest.mark.django_db(transaction=True)
def test_who_erases_does_not_wait_for_those_who_read(
    organiser: User, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("a server keeps its files to itself")
    later: list[tuple[Any, ...]] = []
    monkeypatch.setattr(erasing, "Timer", lambda *said: SimpleNamespace(start=lambda: later.append(said)))
    database = Path(connection.settings_dict["NAME"])
    log = database.with_name(f"{database.name}-wal")
    with closing(sqlite3.connect(database, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM auth_user").fetchone()
        erase_person(actor=User.objects.create_superuser("keeper"), user=ada)
        (again,) = later
    assert log.stat().st_size
    erasing._empty_log(*again[2])
    assert (log.stat().st_size, len(later)) == (0, 1)


def test_who_has_work_or_rights_of_their_own_is_not_erased_by_an_organiser(
    campaign: Campaign, organiser: User, ada: User, adjudicator: User
) -> None:
    desk = Client()
    desk.force_login(organiser)
    address = reverse("member-erase", args=[campaign.slug, ada.memberships.get().pk])
    factories.assignment(campaign.topics.get(number="1.2"), "nuggets", ada, state="open")
    assert "still has 1 assignment. Take them back first." in page_of(desk.post(address, {"pseudonym": "gone"}))
    elsewhere = factories.campaign(organiser=adjudicator, slug="elsewhere")
    elsewhere.memberships.create(user=ada, role="assessor")
    assert desk.post(address, {"pseudonym": "gone"}).status_code == 403
    assert User.objects.filter(username=NAME).exists()


def test_the_command_erases_anybody_for_a_superuser(ada: User) -> None:
    with pytest.raises(CommandError, match="Only superusers"):
        call_command("erase_person", NAME, actor="organiser")
    User.objects.create_superuser("keeper")
    out = io.StringIO()
    call_command("erase_person", NAME, "--pseudonym", "assessor-a", stdout=out)
    assert out.getvalue() == "assessor-a\n"
    ada.refresh_from_db()
    assert (ada.username, ada.is_active, ada.has_usable_password()) == ("assessor-a", False, False)
