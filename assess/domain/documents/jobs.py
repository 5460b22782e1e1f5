"""Asking for documents and lists of docnos to be loaded in the background."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from django.contrib.auth.models import User

from assess.domain.campaigns.campaigns import require_changeable
from assess.domain.documents.loading import Wanted
from assess.domain.files import store_file
from assess.domain.jobs.works import enqueue_work
from assess.models import Campaign, Work


def start_documents(*, actor: User, campaign: Campaign, files: Iterable[BinaryIO], wanted: Wanted) -> Work:
    """Keep the files, each under its name, and have their documents loaded, as one job: see `load_documents`.

    Refused: a campaign that can't be changed any more, and a second such job while one is under way.
    """
    require_changeable(campaign)
    kept = [{"sha256": store_file(file).sha256, "name": file.name} for file in files]
    arguments = {"files": kept, "wanted": wanted}
    return enqueue_work(actor=actor, campaign=campaign, kind="documents", arguments=arguments)


def start_docnos(*, actor: User, campaign: Campaign, file: BinaryIO) -> Work:
    """Keep the list of docnos and have it loaded. Refused as `start_documents` is."""
    require_changeable(campaign)
    arguments = {"sha256": store_file(file).sha256, "name": file.name}
    return enqueue_work(actor=actor, campaign=campaign, kind="docnos", arguments=arguments)
