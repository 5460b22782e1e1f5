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
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from assess.base import write_ahead_log
from assess.base.errors import Conflict, Refused
from assess.management.command import acting_organiser
from assess.models import Activity, Assignment, Campaign, Item, Judgment
from assess.people.domain.acting_for import rename_member
from assess.people.domain.erasing import erase_person
from assess.people.domain.invitations import accept_invitation, create_invitation
from assess.people.domain.members import remove_member
from assess.people.domain.tokens import create_token
from tests import factories
from tests.assess import judged_campaign as judging
from tests.pages import page_of

pytestmark = pytest.mark.django_db
FORMER, NAME, DISPLAY, MAIL, NOTE = "first-name", "ada.l", "Ada Lovelace", "ada@example.org", "Ada, by mail"


@pytest.fixture
def ada(campaign: Campaign, organiser: User, rigid_items: list[Item]) -> User:
    """Somebody who came by an invitation, was renamed, logged in, made a token and judged."""
    person = factories.user(FORMER, email=MAIL)
    token = create_invitation(actor=organiser, campaign=campaign, role="assessor", note=NOTE)[1]
    accept_invitation(actor=person, token=token)
    for password in (factories.PASSWORD, "wrong"):
        Client().post(reverse("login"), {"username": FORMER, "password": password})
    rename_member(actor=organiser, campaign=campaign, user=person, name=NAME, display_name=DISPLAY)
    Client().post(reverse("login"), {"username": NAME, "password": factories.PASSWORD})
    Client().post(reverse("login"), {"username": NAME, "password": "wrong"})
    factories.api_token(person)
    create_token(actor=person, name=f"{DISPLAY}'s laptop", scopes=["read"], days=30)
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


def edit_in_admin(person: User) -> None:
    """A superuser saves the account in the admin site, which writes its history."""
    keeper, address = Client(), reverse("admin:auth_user_change", args=[person.pk])
    keeper.force_login(User.objects.create_superuser("keeper"))
    keeper.post(
        address,
        {
            "first_name": DISPLAY,
            "email": MAIL,
            "date_joined_0": "2026-01-01",
            "date_joined_1": "12:00:00",
            "is_active": "on",
        },
    )
    assert LogEntry.objects.get().object_repr == person.username


def test_nothing_stored_tells_whose_account_it_was(campaign: Campaign, organiser: User, ada: User) -> None:
    desk, person = Client(), Client()
    desk.force_login(organiser)
    person.force_login(ada)
    edit_in_admin(ada)
    said = (NAME, DISPLAY, MAIL, NOTE, "Ada", FORMER)
    before = found_in_rows(said)
    assert before == {NAME, DISPLAY, MAIL, NOTE, "Ada"}, "and no name of before is kept in a ledger"
    judged = Judgment.objects.values_list("pk", "assignment__assessor")
    rows = list(judged)

    address = reverse("member-erase", args=[campaign.slug, ada.memberships.get().pk])
    assert "can't be undone" in page_of(desk.get(address))
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
    monkeypatch.setattr(write_ahead_log, "Timer", lambda *said: SimpleNamespace(start=lambda: later.append(said)))
    database = Path(connection.settings_dict["NAME"])
    log = database.with_name(f"{database.name}-wal")
    with closing(sqlite3.connect(database, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM auth_user").fetchone()
        erase_person(actor=User.objects.create_superuser("keeper"), user=ada)
        (again,) = later
    assert log.stat().st_size
    write_ahead_log.empty_write_ahead_log(*again[2])
    assert (log.stat().st_size, len(later)) == (0, 1)


def test_who_has_work_or_rights_of_their_own_is_not_erased_by_an_organiser(
    campaign: Campaign, organiser: User, ada: User, adjudicator: User
) -> None:
    desk = Client()
    desk.force_login(organiser)
    address = reverse("member-erase", args=[campaign.slug, ada.memberships.get().pk])
    factories.assignment(campaign.topics.get(number="1.2"), "nuggets", ada, state="open")
    assert "still has 1 assignment (opinions). Take them back first." in page_of(
        desk.post(address, {"pseudonym": "gone"})
    )
    elsewhere = factories.campaign(organiser=adjudicator, slug="elsewhere")
    elsewhere.memberships.create(user=ada, role="assessor")
    assert desk.post(address, {"pseudonym": "gone"}).status_code == 403
    assert User.objects.filter(username=NAME).exists()


def test_the_command_erases_anybody_for_a_superuser(ada: User) -> None:
    with pytest.raises(CommandError, match="organiser is no superuser"):
        call_command("erase_person", NAME, actor="organiser")
    with pytest.raises(CommandError, match="Only a superuser erases people here, and this site has none"):
        call_command("erase_person", NAME)
    User.objects.create_superuser("keeper")
    out = io.StringIO()
    call_command("erase_person", NAME, "--pseudonym", "assessor-a", stdout=out)
    assert out.getvalue() == "assessor-a\n"
    ada.refresh_from_db()
    assert (ada.username, ada.is_active, ada.has_usable_password()) == ("assessor-a", False, False)
    with pytest.raises(CommandError, match="assessor-a is erased already"):
        call_command("erase_person", "assessor-a")


def test_each_campaign_records_it_as_the_act_of_who_erased(campaign: Campaign, organiser: User, ada: User) -> None:
    keeper = User.objects.create_superuser("keeper")
    elsewhere = factories.campaign(organiser=keeper, slug="elsewhere")
    elsewhere.memberships.create(user=ada, role="organiser")
    link = create_invitation(actor=ada, campaign=elsewhere, role="organiser")[0]
    erase_person(actor=keeper, user=ada)
    acts = Activity.objects.filter(action__in=("token.revoke", "member.erase", "invitation.withdraw"))
    assert {(each.action, each.actor, each.campaign) for each in acts} == {
        ("token.revoke", keeper, None),
        ("member.erase", keeper, campaign),
        ("member.erase", keeper, elsewhere),
        ("invitation.withdraw", keeper, elsewhere),
    }
    assert not type(link).objects.filter(pk=link.pk).exists(), "they may know its address"


def test_the_last_organiser_with_an_open_account_is_not_erased(campaign: Campaign, organiser: User) -> None:
    keeper, closed = User.objects.create_superuser("keeper"), factories.user("closed", is_active=False)
    campaign.memberships.create(user=closed, role="organiser")
    said = f"organiser is the last organiser of {campaign.slug}. Make somebody else organiser there first."
    with pytest.raises(Conflict, match=re.escape(said)):
        erase_person(actor=keeper, user=organiser)
    with pytest.raises(Conflict, match="last organiser"):
        remove_member(actor=organiser, campaign=campaign, user=organiser, role="organiser")
    remove_member(actor=organiser, campaign=campaign, user=closed, role="organiser")
    campaign.memberships.create(user=keeper, role="organiser")
    assert erase_person(actor=keeper, user=organiser, pseudonym="org-x").username == "org-x"


def test_who_is_erased_has_no_names_to_change(campaign: Campaign, organiser: User, ada: User) -> None:
    seat = ada.memberships.get().pk
    erase_person(actor=organiser, user=ada, campaign=campaign, pseudonym="assessor-a")
    desk = Client()
    desk.force_login(organiser)
    address = reverse("member-name", args=[campaign.slug, seat])
    assert address not in page_of(desk.get(reverse("people", args=[campaign.slug])))
    assert "is erased already." in page_of(desk.get(address))


@pytest.mark.parametrize("name", ["organiser", "0rganiser", "x" * 151, "nobody"])
def test_a_pseudonym_that_can_be_no_name_is_refused(ada: User, name: str) -> None:
    with pytest.raises(Refused) as refused:
        erase_person(actor=User.objects.create_superuser("keeper"), user=ada, pseudonym=name)
    assert (refused.value.field, "log in if" in refused.value.message) == ("pseudonym", False)


def test_commands_act_as_nobody_whose_account_is_closed(campaign: Campaign, organiser: User) -> None:
    organiser.is_active = False
    organiser.save()
    with pytest.raises(CommandError, match="Nobody can act as organiser: name one with --organiser"):
        acting_organiser(campaign, "")
    with pytest.raises(CommandError, match="The account “organiser” is closed, so nobody can act under it"):
        acting_organiser(campaign, "organiser")
    with pytest.raises(CommandError, match="closed, so no token would work"):
        call_command("tokens", "organiser", "--make", "x", "--scope", "read")
    keeper = User.objects.create_superuser("keeper")
    assert acting_organiser(campaign, "") == keeper
    second = factories.user("second")
    campaign.memberships.create(user=second, role="organiser")
    assert acting_organiser(campaign, "") == second
