"""Loading files of records (JSON, tables, Parquet, WARC) in two steps: a preview, and the load after a confirmation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.utils.translation import gettext

from assess.base.errors import BadFile, Invalid
from assess.base.file_issues import Collector, in_file
from assess.base.files import store_file, stored_path
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign
from assess.documents.domain.document_rows import page_title
from assess.documents.domain.loading import Wanted
from assess.jobs.domain import enqueue_job
from assess.jobs.models import Job
from assess.rendering.processes import RenderJob, RenderPool
from scoring.collections.guesses import Guess, guess_members
from scoring.collections.members import Members, known_presets, members_from, preset_members
from scoring.collections.record_files import read_members
from scoring.formats.document_facts import date_of, kept_fields
from scoring.reading.opening import CannotOpen
from scoring.records import DocumentRecord, Issue

FIRST = 3
ISSUES = 20  # wrong records before the first documents, after which the preview ends
SHOWN = 1_200  # characters of a document's text
SALT = "assay.documents.records"
HOURS = 24
BESIDE = ("title", "url", "date")
"""The fields that a document may have besides docno and text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptFile:
    """A stored file that was not loaded yet, and the name by which people know it."""

    sha256: str
    name: str

    @property
    def path(self) -> Path:
        """The path of the stored file."""
        return stored_path(self.sha256)


@dataclass(frozen=True, kw_only=True, slots=True)
class FirstDocument:
    """A document as it would be stored, with the beginning of its viewable text."""

    docno: str
    title: str
    url: str
    date: str
    media_type: str
    status: str
    note: str
    text: str
    is_cut: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordsPreview:
    """A preview of a file of records read with these members.

    ``names`` are the fields of its first record; ``further`` are those that become further fields of the documents.
    """

    members: Members
    names: tuple[str, ...] = ()
    further: tuple[str, ...] = ()
    preset: str = ""
    documents: tuple[FirstDocument, ...] = ()
    issues: tuple[Issue, ...] = ()


def keep_records(*, campaign: Campaign, file: BinaryIO) -> KeptFile:
    """Store a file that somebody wants to preview before its documents are loaded. Raises `Conflict` for a closed
    campaign, and what `store_file` raises.
    """
    require_changeable(campaign)
    return KeptFile(sha256=store_file(file, may_be_dropped=True).sha256, name=str(file.name))


def token_of(campaign: Campaign, kept: KeptFile) -> str:
    """Return a token that names a stored file in a form. The token is signed, so nobody can name another file."""
    return signing.dumps([campaign.pk, kept.sha256, kept.name], salt=SALT, compress=True)


def stored_file(campaign: Campaign, token: str) -> KeptFile:
    """Return the file that a token names in this campaign. Raises `Invalid` for a token of another campaign or older
    than a day.
    """
    try:
        pk, sha256, name = signing.loads(token, salt=SALT, max_age=HOURS * 3600)
    except signing.BadSignature as error:
        raise Invalid(gettext("The file was chosen too long ago. Choose it again.")) from error
    if pk != campaign.pk:
        raise Invalid(gettext("The file was chosen in another campaign. Choose it again."))
    return KeptFile(sha256=sha256, name=name)


def asked_members(guess: Guess | None, given: Mapping[str, Any]) -> tuple[Members, str]:
    """Return the members to read a file with, and the preset.

    The members are those that the person gave, then those of the preset, then those guessed. Raises `Invalid` for an
    unknown preset.
    """
    preset = str(given.get("preset") or "")
    base = preset_members(preset) if preset else (guess.members if guess is not None else Members(form=""))
    if base is None:
        raise Invalid(
            gettext("There is no preset “%(preset)s”. There are: %(known_presets)s.")
            % {"preset": preset, "known_presets": ", ".join(known_presets())},
            field="preset",
        )
    if preset and guess is not None:
        base = replace(base, **{name: getattr(base, name) or getattr(guess.members, name) for name in BESIDE})
    own = members_from(given)
    named = {name: value for name in own.__slots__ if name != "media_type" and (value := getattr(own, name))}
    if given.get("media_type"):
        named["media_type"] = own.media_type
    if preset and guess is not None and not given.get("form"):
        named["form"] = guess.members.form
    return replace(base, **named), preset or (guess.preset if guess is not None and not named else "")


def preview_records(path: Path, name: str, given: Mapping[str, Any]) -> RecordsPreview:
    """Return the first three documents of a file as they would be stored, with given or guessed members.

    Raises `BadFile` if the file is in none of the forms that can be read, and what `asked_members` raises. Takes as
    long as preparing three documents; nothing is stored.
    """
    guess = _guess(path, name)
    members, preset = asked_members(guess, given)
    records, issues = [], []
    for each in read_members(path, members, name=name):
        if isinstance(each, Issue):
            if each.severity == "error":
                issues.append(in_file(name, each))
        else:
            records.append(each)
        if len(records) == FIRST or len(issues) == ISSUES:
            break
    if not records and not issues:
        issues.append(Issue(where="", code="empty", message="There is no record in the file. Check the file chosen."))
    return RecordsPreview(
        members=members,
        names=guess.names,
        further=tuple(kept_fields(dict.fromkeys(guess.further(members), ""))),
        preset=preset,
        documents=tuple(_first_documents(records)),
        issues=tuple(issues),
    )


def start_records(*, actor: User, campaign: Campaign, kept: KeptFile, wanted: Wanted, given: Mapping[str, Any]) -> Job:
    """Start a job that loads the documents of a stored file, with given or guessed members.

    Raises `BadFile` for a file in none of the forms that can be read and for missing members, `Conflict` for a closed
    campaign and while such a job is under way, and what `asked_members` raises. The job reads the whole file first: if
    one record is wrong, nothing is stored.
    """
    require_changeable(campaign)
    members, _ = asked_members(_guess(kept.path, kept.name), given)
    if missing := members.missing():
        message = gettext("Not every record of %(name)s can be read so. Nothing was stored.") % {"name": kept.name}
        raise BadFile(message, issues=missing, total=len(missing))
    arguments = {
        "files": [{"sha256": kept.sha256, "name": kept.name}],
        "wanted": wanted,
        "members": members.as_values(),
    }
    return enqueue_job(actor=actor, campaign=campaign, kind="documents", arguments=arguments)


def _guess(path: Path, name: str) -> Guess:
    try:
        guess = guess_members(path)
    except CannotOpen as error:
        guess = Issue(where="", code="cannot-open", message=f"The file cannot be read: {error}.")
    if isinstance(guess, Issue):
        collector = Collector()
        collector(in_file(name, guess))
        raise BadFile(f"{name}: {guess.message}", issues=collector.report().issues, total=1)
    return guess


def _first_documents(records: list[DocumentRecord]) -> list[FirstDocument]:
    jobs = [
        RenderJob(key=str(place), raw=each.raw, media_type=each.media_type, charset=each.charset, url=each.url)
        for place, each in enumerate(records)
    ]
    if not jobs:
        return []
    with RenderPool(processes=1, seconds=settings.ASSAY_RENDER_SECONDS) as pool:
        made = [rendering for _, rendering in pool.map(jobs)]
    return [
        FirstDocument(
            docno=record.docno,
            title=page_title(record),
            url=record.url,
            date=date_of(record.fields),
            media_type=record.media_type,
            status=rendering.status,
            note=rendering.note,
            text=rendering.text[:SHOWN],
            is_cut=len(rendering.text) > SHOWN,
        )
        for record, rendering in zip(records, made, strict=True)
    ]
