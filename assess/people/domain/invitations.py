"""Invitations, with which people become members: one by one, or all the people in a file or none of them."""

from __future__ import annotations

import csv
import hashlib
import io
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from assess.base.errors import Conflict, Invalid, NotFound, Refused
from assess.base.file_issues import Collector
from assess.base.files import Readable
from assess.campaigns.activity import record_activity
from assess.campaigns.models import Activity, Campaign, Membership, Role
from assess.people.domain.members import add_member, check_role, withdraw
from assess.people.models import Invitation
from scoring.file_kinds import COLUMNS as LINES
from scoring.file_kinds import Kind, LineLayout, of_another_kind, recognise
from scoring.formats.separated import list_separator
from scoring.reading.opening import wide_file
from scoring.records import Issue

INVITATION_DAYS = 14
COLUMNS = ("role", "team", "note")
ROWS_LIMIT = 2_000
_ROLES = "|".join((COLUMNS[0], *Role))
_LIST = LineLayout(layout="role,team,note", form=re.compile(rf"\W*(?:{_ROLES})\b.*", re.IGNORECASE))
FILE_LIMIT = 1_000_000  # bytes
TEAM_LIMIT, NOTE_LIMIT = 50, 200


def create_invitation(
    *, actor: User, campaign: Campaign, role: str, team: str = "", note: str = ""
) -> tuple[Invitation, str]:
    """Make an invitation and return it with its token, which is shown once and stored only as a digest. What
    `check_role` refuses is refused. A note is cut to `NOTE_LIMIT`.
    """
    check_role(campaign=campaign, role=role, team=team)
    token, digest = _new_token()
    with transaction.atomic():
        invitation = Invitation.objects.create(
            campaign=campaign,
            role=role,
            team=team,
            note=note[:NOTE_LIMIT],
            token_sha256=digest,
            expires_at=timezone.now() + timedelta(days=INVITATION_DAYS),
            created_by=actor,
        )
        data = {"role": role, "team": team}
        record_activity(actor=actor, action="invitation.create", campaign=campaign, about=invitation, data=data)
    return invitation, token


def find_invitation(token: str) -> Invitation:
    """Return the open invitation with this token. Used, expired and unknown invitations look the same: NotFound."""
    invitation = (
        Invitation.objects.select_related("campaign")
        .filter(token_sha256=_digest(token), accepted_at=None, expires_at__gt=timezone.now())
        .first()
    )
    if invitation is None:
        raise NotFound(gettext("This invitation is used, expired or unknown. Ask the organiser for a new one."))
    return invitation


def accept_invitation(*, actor: User, token: str) -> Membership:
    """Make the actor a member of the campaign, with the role in the token's invitation. It works once.

    Refused: what `find_invitation` refuses, and an actor who takes part for another team.
    """
    with transaction.atomic():
        invitation = find_invitation(token)
        used = Invitation.objects.filter(pk=invitation.pk, accepted_at=None).update(
            accepted_by=actor, accepted_at=timezone.now()
        )
        if not used:
            raise NotFound
        record_activity(actor=actor, action="invitation.accept", campaign=invitation.campaign, about=invitation)
        return add_member(
            actor=actor, campaign=invitation.campaign, user=actor, role=invitation.role, team=invitation.team
        )


def withdraw_invitation(*, actor: User, invitation: Invitation) -> None:
    """Withdraw an unused invitation. Refuse one that was accepted."""
    if invitation.accepted_at is not None:
        raise Conflict(gettext("This invitation was accepted already. Remove the member instead."))
    with transaction.atomic():
        withdraw(actor=actor, invitation=invitation)


@dataclass(frozen=True, kw_only=True, slots=True)
class InvitedPerson:
    """A row of the list: a person's role, team and note. ``line`` is its line in the file; ``note`` is a name or an
    e-mail address.
    """

    line: int
    role: str
    team: str
    note: str


def read_invitations(stream: Readable, *, report: Callable[[Issue], None]) -> list[InvitedPerson]:
    """Return the rows of a CSV file ``role,team,note`` in UTF-8. Its first row may name the columns, and ";" may stand
    for ",".

    Problems are passed to ``report``, by line where they have one: a file that is too large or of another kind, bytes
    that are not text, too many rows, and rows of the wrong length. `check_invitations` checks the content of the rows.
    """
    content = stream.read(FILE_LIMIT + 1)
    if len(content) > FILE_LIMIT:
        report(_issue(0, "too-large", f"The file has more than {FILE_LIMIT:,} bytes. Split it."))
        return []
    kind = recognise(io.BytesIO(content))
    kinds: tuple[Kind, ...] = ("people",)
    is_list = _LIST.may_fit(kind.shape) and not kind.shape.text.startswith("sep=")
    if not is_list and (issue := of_another_kind(kind, kinds, forms=LINES)) is not None:
        report(issue)
        return []
    if kind.shape.is_wide:
        report(wide_file(kind.shape.encoding))
        return []
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        report(_issue(line, "encoding", "This line is not UTF-8. Save the file as “CSV UTF-8”."))
        return []
    found: list[InvitedPerson] = []
    faults = 0

    def fault(issue: Issue) -> None:
        nonlocal faults
        faults += 1
        report(issue)

    for line, cells in _rows(text, fault):
        if len(found) >= ROWS_LIMIT:
            report(_issue(line, "too-many", f"The file has more than {ROWS_LIMIT:,} rows. Split it."))
            break
        if len(cells) > len(COLUMNS):
            message = (
                f"This row has {len(cells)} fields; there are three: {', '.join(COLUMNS)}. Quote commas in a note."
            )
            fault(_issue(line, "fields", message))
            continue
        role, team, note = (*cells, "", "")[:3]
        found.append(InvitedPerson(line=line, role=role.casefold(), team=team, note=note))
    if not found and not faults:
        report(_issue(0, "empty", "The file invites nobody. Write one row for each person: role,team,note."))
    return found


def check_invitations(
    campaign: Campaign, rows: Iterable[InvitedPerson], *, report: Callable[[Issue], None]
) -> list[InvitedPerson]:
    """Return the rows without a fault. Every fault is passed to ``report`` with its line, a code and what to do. One
    query.
    """
    unused = campaign.invitations.filter(accepted_at=None, expires_at__gt=timezone.now())
    waiting = {found for found in unused.values_list("role", "team", "note") if found[2]}
    seen: dict[tuple[str, str, str], int] = {}
    good = []
    for row in rows:
        problems = [*_problems(campaign, row), *_doubles(row, seen, waiting)]
        for code, message in problems:
            report(_issue(row.line, code, message))
        if not problems:
            good.append(row)
    return good


def invite_many(
    *, actor: User, campaign: Campaign, rows: Sequence[InvitedPerson], client_key: UUID, name: str = "The list"
) -> list[tuple[InvitedPerson, str]]:
    """Invite everybody, and return each row with its token. Only digests of the tokens are stored.

    All are invited or none: any fault raises `BadFile` with the faults by line, and an empty list is refused. A
    ``client_key`` that was used before is refused, so that a page sent twice invites nobody twice.
    """
    expires = timezone.now() + timedelta(days=INVITATION_DAYS)
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        done = Activity.objects.filter(campaign=campaign, action="invitation.list", data__key=str(client_key))
        if done.exists():
            raise Conflict(
                gettext(
                    "These people are invited already, and their links were shown then. Where a link is "
                    "lost, withdraw the invitation and make another."
                )
            )
        problems = Collector()
        good = check_invitations(campaign, rows, report=problems)
        problems.refuse_errors(name=name)
        if not good:
            raise Invalid(gettext("The list invites nobody. Write one row for each person: role,team,note."))
        made = []
        for row in good:
            token, digest = _new_token()
            invitation = Invitation(
                campaign=campaign,
                role=row.role,
                team=row.team,
                note=row.note,
                token_sha256=digest,
                expires_at=expires,
                created_by=actor,
            )
            made.append((row, token, invitation))
        Invitation.objects.bulk_create([invitation for _, _, invitation in made])
        data = {"key": str(client_key), "invited": len(made)}
        record_activity(actor=actor, action="invitation.list", campaign=campaign, data=data)
    return [(row, token) for row, token, _ in made]


def _rows(text: str, report: Callable[[Issue], None]) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, trimmed fields) for each row that is not empty. Below a header the fields are put in the order of
    `COLUMNS`; if it has another name, this is reported and no row is yielded.
    """
    shown = io.StringIO(text.replace("\0", "\N{REPLACEMENT CHARACTER}"), newline=None)  # any program's ends of lines
    reader = csv.reader(shown, delimiter=list_separator(text), strict=True)
    names, is_first, line = list[str](), True, 1
    try:
        for cells in reader:
            at, line = line, reader.line_num + 1
            values = [" ".join(cell.split()) for cell in cells]
            if is_first and COLUMNS[0] in (found := [value.casefold() for value in values]):
                names = found
                if strange := next((name for name in names if name and name not in COLUMNS), ""):
                    message = f"A list has no column “{strange}”. Call the columns {', '.join(COLUMNS)}."
                    report(_issue(at, "fields", message))
                    return
            elif any(values):
                named = dict(zip(names, values, strict=False))
                yield at, [*(named.get(name, "") for name in COLUMNS), *values[len(names) :]] if names else values
            is_first = False
    except csv.Error as error:
        report(_issue(line, "csv", f"This row can't be read: {error}. Quote a field with “\"” on both sides."))


def _problems(campaign: Campaign, row: InvitedPerson) -> Iterator[tuple[str, str]]:
    try:
        check_role(campaign=campaign, role=row.role, team=row.team)
    except Refused as refused:
        yield ("team" if row.role == "participant" or row.team else "role"), refused.message
    else:
        if len(row.team) > TEAM_LIMIT:
            yield "team", f"The team has {len(row.team)} characters; {TEAM_LIMIT} are allowed. Shorten it."
    if len(row.note) > NOTE_LIMIT:
        yield "note", f"The note has {len(row.note)} characters; {NOTE_LIMIT} are allowed. Shorten it."
    if not (row.team + row.note).isprintable() or "\N{REPLACEMENT CHARACTER}" in row.team + row.note:
        yield "characters", "A field holds characters that can't be shown. Type it again."


def _doubles(
    row: InvitedPerson, seen: dict[tuple[str, str, str], int], waiting: set[tuple[str, str, str]]
) -> Iterator[tuple[str, str]]:
    """Yield a fault for a person who is listed twice or has an open invitation. Rows without a note may repeat."""
    place = (row.role, row.team, row.note)
    if not row.note:
        return
    if place in seen:
        yield "twice", f"“{row.note}” is on line {seen[place]} in this role already. Leave one of the lines out."
    elif place in waiting:
        yield "invited", f"“{row.note}” has an open invitation in this role. Withdraw it, or leave this line out."
    seen.setdefault(place, row.line)


def _issue(line: int, code: str, message: str) -> Issue:
    return Issue(where=line or "", code=code, message=message)


def _new_token() -> tuple[str, str]:
    """Return a token for a link, and its digest, which alone is stored."""
    token = secrets.token_urlsafe(24)
    return token, _digest(token)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
