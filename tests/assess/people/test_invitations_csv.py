"""Inviting the people of a list: all rows are checked, all or none are invited, links are shown once."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from assess.base.errors import BadFile, Conflict
from assess.base.file_issues import Collector
from assess.models import Activity, Assignment, Campaign, Invitation, Membership
from assess.people.domain.invitations import accept_invitation, check_invitations, invite_many, read_invitations
from assess.people.domain.members import change_role
from tests import factories
from tests.assess import judged_campaign as judging
from tests.pages import page_of

pytestmark = pytest.mark.django_db

KEY = UUID(int=7)
LIST = "role,team,note\nassessor,,Ada Lind\n\nadjudicator,,\nparticipant, Harbor ,captain@harbor.example\n"


def issues_of(campaign: Campaign, content: str | bytes) -> list[tuple[int | str, str]]:
    problems = Collector(limit=None, each=True)
    stream = io.BytesIO(content if isinstance(content, bytes) else content.encode())
    check_invitations(campaign, read_invitations(stream, report=problems), report=problems)
    return [(issue.where, issue.code) for issue in problems.report().issues]


def invite(campaign: Campaign, organiser: User, content: str, *, key: UUID = KEY) -> list[tuple[str, str, str, str]]:
    problems = Collector()
    rows = read_invitations(io.BytesIO(content.encode()), report=problems)
    made = invite_many(actor=organiser, campaign=campaign, rows=rows, client_key=key)
    return [(row.role, row.team, row.note, token) for row, token in made]


def test_each_row_becomes_an_invitation_whose_token_is_kept_as_a_digest_alone(
    campaign: Campaign, organiser: User, stranger: User
) -> None:
    made = invite(campaign, organiser, LIST)
    assert [row[:3] for row in made] == [
        ("assessor", "", "Ada Lind"),
        ("adjudicator", "", ""),
        ("participant", "Harbor", "captain@harbor.example"),
    ]
    kept = list(Invitation.objects.values_list("token_sha256", flat=True))
    assert len(set(kept)) == 3
    assert not any(token in digest for *_, token in made for digest in kept)
    joined = accept_invitation(actor=stranger, token=made[2][3])
    assert (joined.role, joined.team) == ("participant", "Harbor")


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("assessor,,a\nboss,,b\n", [(2, "role")]),
        ("participant,,a\n", [(1, "team")]),
        ("assessor,Harbor,a\n", [(1, "team")]),
        ("assessor,,a,b\n", [(1, "fields")]),
        ("role,name,e-mail\nparticipant,Ann,ann@x.example\n", [(1, "fields")]),
        ("assessor,,a\nassessor,,a\n", [(2, "twice")]),
        (f"assessor,,{'x' * 201}\n", [(1, "note")]),
        (f"participant,{'x' * 51},\n", [(1, "team")]),
        ("assessor,,a\x00b\n", [(1, "characters")]),
        ("assessor,,\x1b[1m\n", [(1, "characters")]),
        (b"assessor,,a\nassessor,,\xff\n", [(2, "encoding")]),
        ("", [("", "empty")]),
        ("role,team,note\n", [("", "empty")]),
        ('assessor,,"open\n', [(1, "csv")]),
        ('assessor,,"a\nb"\nboss,,\n', [(3, "role")]),
        ("1 0 a 1\n1 0 b 0\n", [("", "other-file")]),
        ("<top>\n<num> 301\n</top>\n", [("", "other-file")]),
        ("assessor\nassessor\nadjudicator\n", []),
        ("\nassessor;;Lind, Ada, M.A.\n", []),
        ("assessor,,\n" * 2001, [(2001, "too-many")]),
        ("assessor,,x\n" + "x" * 1_000_000, [("", "too-large")]),
    ],
)
def test_what_is_wrong_is_said_by_line_and_field(
    campaign: Campaign, content: str | bytes, found: list[tuple[int | str, str]]
) -> None:
    assert issues_of(campaign, content) == found


def test_semicolons_separate_as_well_and_roles_may_be_in_capitals(campaign: Campaign, organiser: User) -> None:
    made = invite(campaign, organiser, "\ufeffRole;Team;Note\nAssessor;;Ada, of Harbor\n")
    assert [row[:3] for row in made] == [("assessor", "", "Ada, of Harbor")]


def test_one_bad_row_and_nobody_is_invited(campaign: Campaign, organiser: User) -> None:
    with pytest.raises(BadFile) as refused:
        invite(campaign, organiser, "assessor,,a\nboss,,b\n")
    assert [issue.where for issue in refused.value.issues] == [2]
    assert Invitation.objects.count() == 0
    assert Activity.objects.count() == 0


def test_whoever_has_an_open_invitation_is_not_invited_again(campaign: Campaign, organiser: User) -> None:
    invite(campaign, organiser, "assessor,,Ada Lind\n")
    assert issues_of(campaign, "assessor,,Ada Lind\nadjudicator,,Ada Lind\n") == [(1, "invited")]
    Invitation.objects.update(expires_at="2020-01-01T00:00Z")
    assert issues_of(campaign, "assessor,,Ada Lind\n") == []


def test_the_same_list_sent_twice_invites_once(campaign: Campaign, organiser: User) -> None:
    invite(campaign, organiser, "assessor,,\n")
    with pytest.raises(Conflict, match="invited already"):
        invite(campaign, organiser, "assessor,,\n")
    assert Invitation.objects.count() == 1


def test_the_page_shows_what_the_list_says_and_then_gives_the_links_once(
    client: Client, campaign: Campaign, organiser: User, stranger: User
) -> None:
    client.force_login(organiser)
    address = reverse("invitations-list", args=[campaign.slug])
    page = client.post(address, {"file": SimpleUploadedFile("people.csv", LIST.encode())})
    shown = page_of(page)
    assert "people.csv invites 3 people: 1 as assessor, 1 as adjudicator, 1 as participant" in shown
    assert Invitation.objects.count() == 0
    form = page.context["sure"]
    fields = {"rows": form.initial["rows"], "client_key": str(form.initial["client_key"])}
    make = reverse("invitations-make", args=[campaign.slug])
    answer = client.post(make, fields)
    assert answer["Content-Disposition"].startswith("attachment")
    assert "no-store" in answer["Cache-Control"]
    rows = list(csv.reader(io.StringIO(answer.getvalue().decode())))  # type: ignore[attr-defined]
    assert rows[0] == ["role", "team", "note", "link"]
    assert [row[0] for row in rows[1:]] == ["assessor", "adjudicator", "participant"]
    assert client.post(make, fields).status_code == 409
    client.force_login(stranger)
    assert client.get(rows[1][3]).status_code == 200


def test_the_page_says_what_is_wrong_and_invites_nobody(client: Client, campaign: Campaign, organiser: User) -> None:
    client.force_login(organiser)
    address = reverse("invitations-list", args=[campaign.slug])
    page = client.post(address, {"file": SimpleUploadedFile("people.csv", b"assessor,,a\nboss,,<b>\n")})
    assert page.status_code == 422
    assert "boss is not a role. Use one of: organiser, assessor, adjudicator, participant." in page_of(page)
    assert Invitation.objects.count() == 0


def test_the_page_reads_a_packed_list_as_the_command_does(client: Client, campaign: Campaign, organiser: User) -> None:
    client.force_login(organiser)
    address = reverse("invitations-list", args=[campaign.slug])
    packed = gzip.compress(b"assessor,,Ann\n")
    page = client.post(address, {"file": SimpleUploadedFile("people.csv.gz", packed)})
    assert page.status_code == 200 and page.context["sure"].initial["rows"] == "assessor,,Ann\n"
    cut = client.post(address, {"file": SimpleUploadedFile("people.csv.gz", packed[:-9])})
    assert cut.status_code == 422 and "The file cannot be read to its end" in page_of(cut)


def test_what_the_preview_posts_is_checked_again(client: Client, campaign: Campaign, organiser: User) -> None:
    client.force_login(organiser)
    make = reverse("invitations-make", args=[campaign.slug])
    for rows in ("boss,,b\n", "assessor,,a,b\n", ""):
        assert client.post(make, {"rows": rows, "client_key": str(uuid4())}).status_code == 422
    assert Invitation.objects.count() == 0


def test_a_formula_in_a_note_does_not_reach_a_spreadsheet(client: Client, campaign: Campaign, organiser: User) -> None:
    client.force_login(organiser)
    make = reverse("invitations-make", args=[campaign.slug])
    answer = client.post(make, {"rows": "assessor,,=1+1\n", "client_key": str(uuid4())})
    assert b",'=1+1," in answer.getvalue()  # type: ignore[attr-defined]


def test_the_command_prints_a_link_for_each(campaign: Campaign, organiser: User, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text(LIST)
    said = io.StringIO()
    call_command("invite", campaign.slug, str(file), "--site", "https://assay.example.org/", stdout=said)
    lines = [line.split("\t") for line in said.getvalue().splitlines()]
    assert [line[:3] for line in lines] == [
        ["assessor", "", "Ada Lind"],
        ["adjudicator", "", ""],
        ["participant", "Harbor", "captain@harbor.example"],
    ]
    assert all(line[3].startswith("https://assay.example.org/invitation/") for line in lines)


def test_the_command_says_what_is_wrong_by_line(campaign: Campaign, organiser: User, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("assessor,,a\nboss,,b\n")
    errors = io.StringIO()
    with pytest.raises(CommandError) as refused:
        call_command("invite", campaign.slug, str(file), stderr=errors)
    assert refused.value.returncode == 1
    assert errors.getvalue().startswith("2\terror\trole\tboss is not a role")
    assert Invitation.objects.count() == 0


def test_the_api_invites_a_list(client: Client, campaign: Campaign, organiser: User) -> None:
    client.force_login(organiser)
    body = {"client_key": str(KEY), "invitations": [{"role": "assessor", "note": "Ada"}, {"role": "adjudicator"}]}
    address = f"/api/v1/campaigns/{campaign.slug}/invitations/many/"
    answer = client.post(address, body, content_type="application/json")
    assert answer.status_code == 201
    assert [row["role"] for row in answer.json()] == ["assessor", "adjudicator"]
    links = [row["url"] for row in answer.json()]
    assert links == [f"http://testserver{reverse('invitation', args=[row['token']])}" for row in answer.json()]
    assert all(Client().get(each).status_code == 200 for each in links)
    body["invitations"] = [{"role": "assessor", "note": "Bea"}, {"role": "boss"}]
    refused = client.post(address, {**body, "client_key": str(uuid4())}, content_type="application/json")
    assert refused.status_code == 422
    assert [issue["where"] for issue in refused.json()["issues"]] == ["2"]
    assert Invitation.objects.count() == 2


def test_a_member_gets_another_role_and_keeps_what_they_did(
    client: Client, campaign: Campaign, organiser: User, assessor: User, grading: Assignment
) -> None:
    changed = change_role(actor=organiser, campaign=campaign, user=assessor, role="assessor", to="adjudicator")
    assert changed.role == "adjudicator"
    with pytest.raises(Conflict, match="still has 1 assignment"):
        change_role(actor=organiser, campaign=campaign, user=assessor, role="adjudicator", to="organiser")
    assert list(Membership.objects.filter(user=assessor).values_list("role", flat=True)) == ["adjudicator"]
    with pytest.raises(Conflict, match="last organiser"):
        change_role(actor=organiser, campaign=campaign, user=organiser, role="organiser", to="assessor")
    member = campaign.memberships.get(user=assessor)
    client.force_login(organiser)
    address = reverse("member-role", args=[campaign.slug, member.pk])
    assert client.post(address, {"to": "participant"}).status_code == 422
    assert client.post(address, {"to": "assessor"}).status_code == 302
    assert campaign.memberships.get(user=assessor).role == "assessor"


def test_many_invitations_are_paged(client: Client, campaign: Campaign, organiser: User) -> None:
    invite(campaign, organiser, "".join(f"assessor,,person {number}\n" for number in range(120)))
    client.force_login(organiser)
    page = page_of(client.get(reverse("people", args=[campaign.slug])))
    assert page.count("person 1") < 25
    page = page_of(client.get(reverse("invitations", args=[campaign.slug])))
    assert "1–50 of 120" in page


def test_members_are_listed_with_what_they_did(
    client: Client, campaign: Campaign, organiser: User, grading: Assignment
) -> None:

    judging.judge(grading, "blue bicycle", 1)
    judging.judge(grading, "red bicycle", 1)
    factories.member(campaign, "idle", "assessor")
    client.force_login(organiser)
    rows = client.get(reverse("people", args=[campaign.slug]) + "?format=csv").getvalue().decode()  # type: ignore[attr-defined]
    assert "assessor,,assessor,,,1,0,yes,2\n" in rows
    assert "idle,,assessor,,,0,0,yes,0\n" in rows


@pytest.mark.parametrize(("command", "option"), [("invite", ()), ("plant", ("--stage", "instances", "--file"))])
def test_a_packed_list_that_is_cut_off_is_told_by_its_name(
    campaign: Campaign, tmp_path: Path, command: str, option: tuple[str, ...]
) -> None:
    file = tmp_path / "list.gz"
    file.write_bytes(gzip.compress(LIST.encode())[:-9])
    with pytest.raises(CommandError, match=r"list.gz cannot be read to its end: it is cut off after \d+ bytes") as told:
        call_command(command, campaign.slug, *option, str(file))
    assert told.value.returncode == 1


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_list_in_two_bytes_a_letter_is_told_once(campaign: Campaign, codec: str) -> None:
    assert issues_of(campaign, LIST.encode(codec)) == [(1, "encoding-utf16")]


def test_a_line_that_names_the_separator_is_told_as_such(campaign: Campaign) -> None:
    assert issues_of(campaign, "sep=;\nrole;team;note\nassessor;;Ann\n") == [("", "other-file")]


@pytest.mark.parametrize(
    "content",
    [
        "role,note,team\nparticipant,Ann,Harbor\n",
        "Note;Team;Role\nAnn;Harbor;participant\n",
        "participant\tHarbor\tAnn\n",
    ],
)
def test_columns_are_those_that_the_first_line_names(campaign: Campaign, organiser: User, content: str) -> None:
    assert [row[:3] for row in invite(campaign, organiser, content)] == [("participant", "Harbor", "Ann")]


def test_lines_may_end_as_old_spreadsheets_end_them(campaign: Campaign, organiser: User) -> None:
    made = invite(campaign, organiser, "role,team,note\rassessor,,Ann\radjudicator,,Bo\r")
    assert [row[:3] for row in made] == [("assessor", "", "Ann"), ("adjudicator", "", "Bo")]


def test_a_packed_list_is_told_as_what_it_is() -> None:
    found: list[str] = []
    assert (
        read_invitations(io.BytesIO(gzip.compress(b"assessor,,\n")), report=lambda issue: found.append(issue.message))
        == []
    )
    assert found == [
        "This is a file that is packed by gzip, not people to invite. Unpack it first, and give what is in it."
    ]
