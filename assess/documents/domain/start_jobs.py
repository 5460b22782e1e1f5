"""Starting the long jobs of documents: loading them, loading lists of docnos, and removing documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import BinaryIO

from django.contrib.auth.models import User
from django.utils.translation import gettext

from assess.base.errors import Conflict
from assess.base.file_issues import Collector, in_file
from assess.base.files import store_file, stored_path
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.documents.domain.lists import require_docnos
from assess.documents.domain.loading import Wanted
from assess.documents.domain.taking_out import require_loose
from assess.documents.queries.documents import loaded_from
from assess.jobs.domain import enqueue_job
from assess.jobs.kinds import TAKE_OUT, TRANSLATIONS
from assess.jobs.models import Job
from scoring.collections.bundle import looks_like_bundle, unfit_bundle
from scoring.formats.unfit_files import unfit_document_file
from scoring.reading.opening import CannotOpen
from scoring.records import Issue


def start_documents(*, actor: User, campaign: Campaign, files: Iterable[BinaryIO], wanted: Wanted) -> Job:
    """Store the files under their names and start one job that loads their documents (`load_documents`).

    Raises `Conflict` for a closed campaign and while such a job is under way, `BadFile` if none of the track's readers
    fits a file (then no file is loaded), and what `store_file` raises.
    """
    require_changeable(campaign)
    kept = [{"sha256": store_file(file, may_be_dropped=True).sha256, "name": str(file.name)} for file in files]
    _require_fit(campaign, kept)
    arguments = {"files": kept, "wanted": wanted}
    return enqueue_job(actor=actor, campaign=campaign, kind="documents", arguments=arguments)


def start_docnos(*, actor: User, campaign: Campaign, file: BinaryIO, list_name: str = "") -> Job:
    """Store the list of docnos and start a job that loads it under a name (by default the file's).

    Raises what `start_documents` raises, and `BadFile` at once for a file of another kind.
    """
    require_changeable(campaign)
    require_docnos(file, name=file.name)
    arguments = {"sha256": store_file(file, may_be_dropped=True).sha256, "name": file.name, "list": list_name}
    return enqueue_job(actor=actor, campaign=campaign, kind="docnos", arguments=arguments)


def start_translations(*, actor: User, campaign: Campaign, file: BinaryIO, language: str = "", tool: str = "") -> Job:
    """Store a file of translations and start one job that loads it (`load_translations`).

    Raises `Conflict` for a closed campaign and while such a job is under way, and what `store_file` raises.
    """
    require_changeable(campaign)
    kept = store_file(file, may_be_dropped=True)
    arguments = {"sha256": kept.sha256, "name": file.name, "language": language, "tool": tool}
    return enqueue_job(actor=actor, campaign=campaign, kind=TRANSLATIONS, arguments=arguments)


def start_taking_out(*, actor: User, campaign: Campaign, source: str) -> Job:
    """Start one job that removes the documents that were loaded from a file or folder.

    Raises what `take_out_documents` raises, before anything is done, and `Conflict` while documents are being loaded.
    """
    require_changeable(campaign)
    if campaign.jobs.filter(kind="documents", state__in=Job.UNDER_WAY).exists():
        raise Conflict(gettext("Documents are being loaded. Wait until that is done, or stop it first."))
    require_loose(loaded_from(campaign, source))
    return enqueue_job(actor=actor, campaign=campaign, kind=TAKE_OUT, arguments={"source": source})


def _require_fit(campaign: Campaign, kept: Sequence[dict[str, str]]) -> None:
    """Raise `BadFile` for files that could not be read, or would be read as something else."""
    collector = Collector()
    for each in kept:
        try:
            path = stored_path(each["sha256"])
            is_bundle = looks_like_bundle(path)
            track = track_of(campaign)
            if track.documents_in is not None and track.documents_in(path) is not None:
                continue
            formats = track.document_formats
            issue = unfit_bundle(path) if is_bundle else unfit_document_file(path, formats)
        except CannotOpen as error:
            issue = Issue(where="", code="cannot-open", message=f"The file cannot be read: {error}.")
        if issue is not None:
            collector(in_file(each["name"], issue))
    collector.refuse_errors(name=", ".join(each["name"] for each in kept))
