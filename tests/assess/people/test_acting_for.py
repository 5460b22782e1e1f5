"""What an organiser changes of somebody's account: names, and a link for a new password; and for whom they may."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assay_site.logs import PlainFormatter
from assess.base.errors import Conflict, Invalid, NotAllowed, NotFound, Refused
from assess.models import Activity, Campaign, Invitation, Membership, PasswordLink
from assess.people.domain.accounts import change_password
from assess.people.domain.acting_for import (
    create_password_link,
    find_password_link,
    rename_member,
    set_password_by_link,
)
from assess.people.domain.members import add_member
from assess.people.domain.names import keep_name
from tests import factories
from tests.assess.pages import csv_rows, page_text
from tests.pages import page_of

pytestmark = pytest.mark.django_db
NEW = "plum and walnut 81"


@pytest.fixture
def desk(organiser: User) -> Client:
    client = Client()
    client.force_login(organiser)
    return client


@pytest.fixture(autouse=True)
def invited(campaign: Campaign, organiser: User, assessor: User) -> Invitation:
    return factories.invited(campaign, assessor, organiser)


@pytest.fixture
def elsewhere(db: None) -> Campaign:
    """A campaign of somebody else."""
    return factories.campaign(organiser=factories.user("other_organiser"), slug="elsewhere")


def _staff(user: User, elsewhere: Campaign) -> None:
    User.objects.filter(pk=user.pk).update(is_staff=True)


def _superuser(user: User, elsewhere: Campaign) -> None:
    User.objects.filter(pk=user.pk).update(is_superuser=True)


def _closed(user: User, elsewhere: Campaign) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def _colleague(user: User, elsewhere: Campaign) -> None:
    Membership.objects.create(campaign=user.memberships.get().campaign, user=user, role="organiser")


def _organises(user: User, elsewhere: Campaign) -> None:
    Membership.objects.create(campaign=elsewhere, user=user, role="organiser")


def _belongs(user: User, elsewhere: Campaign) -> None:
    Membership.objects.create(campaign=elsewhere, user=user, role="participant", team="Pier")


def _leaves(user: User, elsewhere: Campaign) -> None:
    user.memberships.all().delete()


def _machine(user: User, elsewhere: Campaign) -> None:
    user.memberships.update(is_machine=True)


STANDINGS: list[tuple[Callable[[User, Campaign], None], type[Refused]]] = [
    (_staff, NotAllowed),
    (_superuser, NotAllowed),
    (_colleague, NotAllowed),
    (_organises, NotAllowed),
    (_belongs, NotAllowed),
    (_closed, Conflict),
    (_leaves, NotFound),
    (_machine, NotFound),
]


@pytest.mark.parametrize(("standing", "refusal"), STANDINGS, ids=lambda each: each.__name__.strip("_"))
def test_an_organiser_changes_no_account_with_rights_that_they_have_not(
    standing: Callable[[User, Campaign], None],
    refusal: type[Refused],
    campaign: Campaign,
    organiser: User,
    assessor: User,
    elsewhere: Campaign,
    desk: Client,
) -> None:
    _, token = create_password_link(actor=organiser, campaign=campaign, user=assessor)
    member = assessor.memberships.get().pk
    standing(assessor, elsewhere)
    assessor.refresh_from_db()
    password = assessor.password
    with pytest.raises(refusal):
        create_password_link(actor=organiser, campaign=campaign, user=assessor)
    with pytest.raises(refusal):
        rename_member(actor=organiser, campaign=campaign, user=assessor, name="mine", display_name="")
    for name in ("member-name", "member-password"):
        address = reverse(name, args=[campaign.slug, member])
        assert {desk.get(address).status_code, desk.post(address).status_code} == {refusal.status}
    with pytest.raises(NotFound):
        set_password_by_link(token=token, password=NEW)  # a link made before is void as well
    assessor.refresh_from_db()
    assert (assessor.username, assessor.password) == ("assessor", password)
    assert Client().get(reverse("new-password", args=[token])).status_code == 404


def test_whoever_organises_all_campaigns_of_somebody_may_and_so_may_a_superuser(
    campaign: Campaign, organiser: User, assessor: User, elsewhere: Campaign, stranger: User
) -> None:
    _belongs(assessor, elsewhere)
    Membership.objects.create(campaign=elsewhere, user=organiser, role="organiser")
    assert create_password_link(actor=organiser, campaign=campaign, user=assessor)
    _organises(assessor, elsewhere)
    keeper = User.objects.create_superuser("keeper", password=factories.PASSWORD)
    assert create_password_link(actor=keeper, campaign=campaign, user=assessor)
    for nobody in (stranger, assessor, factories.member(campaign, "judge", "adjudicator")):
        with pytest.raises(Refused):
            create_password_link(actor=nobody, campaign=campaign, user=assessor)


def test_no_link_opens_the_account_of_somebody_who_was_added_by_name(
    campaign: Campaign, organiser: User, assessor: User, stranger: User, desk: Client, elsewhere: Campaign
) -> None:
    """Whoever makes campaigns could take any account that belongs to none, by adding it to theirs."""
    added = add_member(actor=organiser, campaign=campaign, user=stranger, role="assessor")
    factories.invited(elsewhere, stranger, User.objects.get(username="other_organiser"))  # no campaign of theirs
    with pytest.raises(NotAllowed, match="accepted no invitation to your campaigns"):
        create_password_link(actor=organiser, campaign=campaign, user=stranger)
    address = reverse("member-password", args=[campaign.slug, added.pk])
    page = desk.get(reverse("people", args=[campaign.slug])).content.decode()
    assert address not in page, "what is refused is not offered"
    assert [desk.get(address).status_code, desk.post(address).status_code] == [403, 403]
    call = reverse("api-member-password-link", args=[campaign.slug])
    assert desk.post(call, {"username": stranger.username}, content_type="application/json").status_code == 403
    assert not PasswordLink.objects.exists()
    keeper = User.objects.create_superuser("keeper", password=factories.PASSWORD)
    assert create_password_link(actor=keeper, campaign=campaign, user=stranger)


def test_a_link_sets_a_password_once_and_is_kept_and_logged_nowhere(
    desk: Client, campaign: Campaign, organiser: User, assessor: User, caplog: pytest.LogCaptureFixture
) -> None:
    program = Client(headers={"Authorization": f"Token {factories.api_token(assessor)}"})
    elsewhere = Client()
    elsewhere.force_login(assessor)
    member = assessor.memberships.get().pk
    address = reverse("member-password", args=[campaign.slug, member])
    assert "24 hours" in page_of(desk.get(address)) and not PasswordLink.objects.exists()
    first, second = (re.search(r"/password/([^/]+)/", page_of(desk.post(address))) for _ in range(2))
    assert first is not None and second is not None
    assert Client().get(reverse("new-password", args=[first[1]])).status_code == 404, "a new link voids the old one"
    page = reverse("new-password", args=[second[1]])
    person = Client()
    assert "assessor" in page_of(person.get(page))
    assert person.post(page, {"password": "short", "again": "short"}).status_code == 422
    assert person.post(page, {"password": NEW, "again": "else"}).status_code == 422
    assert person.post(page, {"password": NEW, "again": NEW}).status_code == 302
    assessor.refresh_from_db()
    assert assessor.check_password(NEW) and program.get("/api/v1/campaigns/").status_code == 401
    assert person.get(reverse("home")).status_code == 200, "they are logged in"
    assert elsewhere.get(reverse("home")).status_code == 302, "and nowhere else any more"
    assert person.post(page, {"password": NEW, "again": NEW}).status_code == 404
    kept = str(list(PasswordLink.objects.values())) + str(list(Activity.objects.values()))
    assert second[1] not in kept
    acts = Activity.objects.filter(action__startswith="member.password").order_by("id")
    assert [(row.action, row.actor) for row in acts] == [
        *[("member.password_link", organiser)] * 2,
        ("member.password", assessor),
    ]
    lines = [PlainFormatter().format(record) for record in caplog.records if record.name == "django.request"]
    assert any("/password/…/" in line for line in lines)
    assert not any(second[1] in line for line in lines)


def test_a_link_works_for_a_day(campaign: Campaign, organiser: User, assessor: User) -> None:
    link, token = create_password_link(actor=organiser, campaign=campaign, user=assessor)
    assert timedelta(hours=23) < link.expires_at - timezone.now() <= timedelta(hours=24)
    PasswordLink.objects.update(expires_at=timezone.now())
    with pytest.raises(NotFound):
        find_password_link(token)


def test_a_link_is_void_once_the_person_chose_a_password_or_who_made_it_is_gone(
    campaign: Campaign, organiser: User, assessor: User
) -> None:
    _, token = create_password_link(actor=organiser, campaign=campaign, user=assessor)
    assert find_password_link(token).user == assessor
    change_password(actor=assessor, password=NEW)
    with pytest.raises(NotFound):
        find_password_link(token)
    _, later = create_password_link(actor=organiser, campaign=campaign, user=assessor)
    assert find_password_link(later).user == assessor
    User.objects.filter(pk=organiser.pk).update(is_active=False)
    with pytest.raises(NotFound):
        find_password_link(later)


def test_no_token_of_an_invitation_is_logged_either() -> None:
    record = logging.LogRecord("django.request", 30, "", 0, "%s: %s", ("Unprocessable", "/invitation/s3cret/"), None)
    assert "s3cret" not in PlainFormatter().format(record)


def test_an_account_gets_other_names_and_keeps_its_work(
    desk: Client, campaign: Campaign, organiser: User, assessor: User, second_assessor: User
) -> None:
    Invitation.objects.create(
        campaign=campaign,
        role="assessor",
        note="Anna, by mail",
        token_sha256="x",
        expires_at=timezone.now(),
        created_by=organiser,
        accepted_by=assessor,
        accepted_at=timezone.now(),
    )
    address = reverse("member-name", args=[campaign.slug, assessor.memberships.get().pk])
    assert desk.post(address, {"name": "anna", "display_name": "Anna  Ångström"}).status_code == 302
    assessor.refresh_from_db()
    assert (assessor.username, assessor.first_name) == ("anna", "Anna Ångström")
    assert assessor.memberships.get().campaign == campaign
    entered = Client().post(reverse("login"), {"username": "anna", "password": factories.PASSWORD})
    assert entered.status_code == 302
    page = page_text(desk, campaign, name="people")
    assert "Anna Ångström" in page and "Anna, by mail" in page, "the note of the invitation stays"
    (row,) = [row for row in csv_rows(desk, campaign, "?format=csv&q=Ångström", name="people") if row["Name"] == "anna"]
    assert (row["Display name"], row["Note"]) == ("Anna Ångström", "Anna, by mail")
    told = Activity.objects.get(action="member.name")
    assert told.data == {"user": assessor.pk, "changed": ["name", "display_name"]}, "no name is kept for ever"
    member = Client()
    member.force_login(second_assessor)
    for name in ("home", "work"):
        where = reverse(name, args=[] if name == "home" else [campaign.slug])
        assert "Ångström" not in page_of(member.get(where))


@pytest.mark.parametrize(
    ("name", "refusal"),
    [("second_assessor", Conflict), ("SECOND_assess0r", Conflict), ("Änne", Invalid), ("x" * 151, Invalid)],
)
def test_a_name_that_is_no_name_is_refused(
    name: str, refusal: type[Refused], campaign: Campaign, organiser: User, assessor: User, second_assessor: User
) -> None:
    for each in (assessor, second_assessor):
        keep_name(each)
    with pytest.raises(refusal) as refused:
        rename_member(actor=organiser, campaign=campaign, user=assessor, name=name, display_name="")
    assert refused.value.field == "name"
    assessor.refresh_from_db()
    assert assessor.username == "assessor" and not Activity.objects.filter(action="member.name").exists()
    again = rename_member(actor=organiser, campaign=campaign, user=assessor, name="Assessor", display_name="")
    assert again.username == "Assessor", "one's own name in other letters is nobody else's"
