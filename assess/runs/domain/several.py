"""Submit several runs at once, as files or in a zip: all of them, or none."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import BinaryIO, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from assess.base.errors import BadFile, Invalid, Refused
from assess.base.files import StoredFile, store_file
from assess.base.unpacked import open_unpacked
from assess.campaigns.models import Campaign
from assess.protocol import RunForm, Submission
from assess.runs.domain.checking import AT_ONCE, size_limit, submission_of
from assess.runs.domain.run_form import Incomplete, asks_file
from assess.runs.domain.space import dropped_if_refused
from assess.runs.domain.submission_rules import require_window
from assess.runs.domain.submitting import IN_LINE, submit_run
from assess.runs.models import Run
from scoring.reading.bounded_files import directory_flaw, zip_flaw
from scoring.reading.opening import excerpt_of
from scoring.reading.unpacking import damage_errors, damage_issue, is_leftover

MOST = IN_LINE
"""The most files in one form: as many as may wait for the worker at once."""
NAME_LIMIT = 255
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True, kw_only=True, slots=True)
class SentFile:
    """One of several submitted files: its name and its bytes."""

    name: str
    stream: BinaryIO


def is_zip(stream: BinaryIO) -> bool:
    """Return whether a file begins as a zip does. The stream is rewound."""
    start = stream.read(4)
    stream.seek(0)
    return start in (b"PK\x03\x04", b"PK\x05\x06")


def submit_several(
    *,
    actor: User,
    campaign: Campaign,
    form: RunForm,
    files: Sequence[SentFile],
    submission: str,
    published: bool = False,
    replace: bool = False,
) -> list[Run]:
    """Submit each of the files, or each file in the one zip, and return the runs; all or none.

    The worker checks them, as it does for `submit_run`. The form applies to all of them. The tag is read from the file
    if its kind has one; otherwise it is the file's name without its extension. The first run has the form's priority,
    and each further run has the next number.

    Refuses what `submit_run` refuses, and names the file. That includes another file under a tag that is taken, unless
    ``replace`` says that each file may replace the team's run with its tag. Also refuses a form that has a tag, more
    than `MOST` files, two with one name, and a zip that is damaged, contains anything encrypted, a path outside it or
    another zip, or unpacks to more than may be uploaded.
    """
    require_window(actor=actor, campaign=campaign)
    if form.tag:
        raise Invalid(
            gettext("Several runs can't have one tag. Leave it out: it is read from each file, or is the file's name."),
            field="tag",
        )
    found = submission_of(campaign, submission)
    kept: list[StoredFile] = []
    with dropped_if_refused(kept):
        with _unzipped(files) as sent:
            _require_names([each.name for each in sent])
            for each in sent:
                with _named(each.name):
                    kept.append(_stored_upload(each, found, actor))
        names = [each.name for each in sent]
        runs = []
        with transaction.atomic():
            for place, (name, stored) in enumerate(zip(names, kept, strict=True)):
                with _named(name):
                    run = submit_run(
                        actor=actor,
                        campaign=campaign,
                        form=_form_of_file(form, found, name, stored, place),
                        file=stored,
                        file_name=name,
                        submission=found.key,
                        published=published,
                        replace=replace,
                        in_place=False,
                    )
                runs.append(run)
    return runs


def _form_of_file(form: RunForm, submission: Submission, name: str, stored: StoredFile, place: int) -> RunForm:
    if submission.priorities and form.priority is not None:
        return replace(form, tag="", priority=form.priority + place)
    is_asked = asks_file(submission, replace(form, tag="")) and stored.size <= AT_ONCE
    return replace(form, tag="" if is_asked else PurePosixPath(name).name.split(".")[0])


def _stored_upload(sent: SentFile, submission: Submission, actor: User) -> StoredFile:
    limit = size_limit(submission)
    with open_unpacked(sent.stream, name=sent.name, limit=limit, person=actor) as opened:
        try:
            return store_file(opened.stream, limit, may_be_dropped=True)
        except zipfile.BadZipFile as error:
            raise Invalid(gettext("It can't be taken out of the zip, which is damaged. Pack it again.")) from error
        except damage_errors() as error:
            if isinstance(error, OSError):
                raise  # for instance, the disk is full
            issue = damage_issue(error)
            raise BadFile(issue.message, issues=(issue,), total=1) from error


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Add the name of the file to the message of any refusal in the block. The kind of refusal and its other values
    stay the same.
    """
    try:
        yield
    except Refused as refused:
        message = gettext("%(name)s: %(message)s None of the files was taken in.")
        refused.message = message % {"name": excerpt_of(name), "message": refused.message}
        if isinstance(refused, Incomplete):  # whose fields are those of one file among several
            raise Invalid(refused.message) from refused
        raise


@contextmanager
def _unzipped(files: Sequence[SentFile]) -> Iterator[list[SentFile]]:
    if len(files) != 1 or not is_zip(files[0].stream):
        yield list(files)
        return
    stream = files[0].stream
    if directory_flaw(stream, members=10 * MOST) is not None:
        raise _bad_zip(_too_many())
    with ExitStack() as opened:
        try:
            archive = opened.enter_context(zipfile.ZipFile(stream))
            entries = _entries(archive, packed=stream.seek(0, 2))
            sent = [SentFile(name=each.filename, stream=cast(BinaryIO, archive.open(each))) for each in entries]
        except (zipfile.BadZipFile, NotImplementedError, UnicodeError) as error:
            raise _bad_zip(gettext("it is cut off or damaged")) from error
        yield sent


def _entries(archive: zipfile.ZipFile, *, packed: int) -> list[zipfile.ZipInfo]:
    """Return the files of a zip to read. Refuse the zip if one of them may not be read; raise BadZipFile if it is
    damaged.
    """
    if not archive.infolist():
        raise _bad_zip(gettext("it holds no file"))
    if any(each.header_offset < 0 for each in archive.infolist()):
        raise zipfile.BadZipFile
    flaw = zip_flaw(archive, packed=packed, members=10 * MOST, is_read=_is_read)
    if flaw is not None:
        raise _bad_zip(_flaw_words(flaw[0]))
    entries = [each for each in archive.infolist() if _is_read(each)]
    for each in entries:
        name = excerpt_of(each.filename)
        path = PurePosixPath(each.orig_filename.replace("\\", "/"))
        leads_out = path.is_absolute() or ".." in path.parts or ":" in "".join(path.parts[:1])
        if leads_out or len(each.orig_filename) > NAME_LIMIT:
            raise _bad_zip(gettext("the name “%(name)s” leads out of it or is too long") % {"name": name})
        if each.flag_bits & 0x1:
            raise _bad_zip(gettext("“%(name)s” is encrypted") % {"name": name})
        if each.compress_type not in METHODS:
            raise _bad_zip(gettext("“%(name)s” is packed in a way that is not read here") % {"name": name})
        try:
            with archive.open(each) as member:
                start = member.read(4)
        except (zlib.error, EOFError) as error:
            raise zipfile.BadZipFile from error
        if start == b"PK\x03\x04":
            raise _bad_zip(gettext("“%(name)s” is a zip again") % {"name": name})
    if sum(each.file_size for each in entries) > settings.ASSAY_UPLOAD_MB * 1024 * 1024:
        raise _bad_zip(
            gettext("it unpacks to more than the %(mb)s MB that may be uploaded") % {"mb": settings.ASSAY_UPLOAD_MB}
        )
    return entries


def _bad_zip(why: str) -> Invalid:
    return Invalid(
        gettext("Nothing of the zip was taken in: %(why)s. Pack the run files alone, without a password.")
        % {"why": why}
    )


def _flaw_words(code: str) -> str:
    """Return the clause for a code of `zip_flaw` in the reader's language."""
    if code == "zip-too-many":
        return _too_many()
    if code == "zip-overlap":
        return gettext("two of its files lie at the same place")
    return gettext("it would unpack to far more than run files do")


def _too_many() -> str:
    return gettext(
        "it holds more than %(read)s files, or its directory is too long; at most %(most)s runs are sent in at once"
    ) % {"read": 10 * MOST, "most": MOST}


def _is_read(entry: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(entry.filename.replace("\\", "/"))
    return not (not path.name or entry.is_dir() or is_leftover(path))


def _require_names(names: Sequence[str]) -> None:
    if not names:
        raise _bad_zip(gettext("it holds no file"))
    if len(names) > MOST:
        raise Invalid(
            gettext("There are %(count)s files; at most %(most)s are sent in at once. Send in the others afterwards.")
            % {"count": len(names), "most": MOST}
        )
    stems = [PurePosixPath(name).name for name in names]
    twice = next((name for name in stems if stems.count(name) > 1), None)
    if twice is not None:
        raise Invalid(
            gettext("Two files are called “%(name)s”. Give each a name of its own.") % {"name": excerpt_of(twice)}
        )
