"""The record of a kind of background job. The setting ASSAY_JOBS names the one list of all kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, cast

from django.conf import settings
from django.utils.module_loading import import_string

from assess.base.file_issues import Report
from assess.jobs.models import Job
from assess.jobs.progress import Watch
from assess.jobs.workers import LONG, SHORT


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """How a job ended: a sentence for the person, and the problems found."""

    message: str
    report: Report = field(default_factory=Report)
    stopped: bool = False


def no_files(arguments: Mapping[str, Any]) -> Iterable[str]:
    """Return no stored files: the job only reads the database."""
    del arguments
    return ()


@dataclass(frozen=True, kw_only=True, slots=True)
class JobKind:
    """A kind of job: the function that does it, and the message if it was stopped between two steps.

    ``files`` returns the sha256 of each stored file that a job with these arguments reads. Uploads that no job and no
    run names are removed (`assess.uploads`), so a kind that reads some names them here. With ``in_line``, several jobs
    of the kind may wait at once.
    """

    do: Callable[[Job, Watch], Outcome]
    stopped: str = ""
    files: Callable[[Mapping[str, Any]], Iterable[str]] = no_files
    in_line: bool = False

    @property
    def queue(self) -> str:
        """The queue of the job: the short one for kinds of which several may wait, since people wait for these."""
        return SHORT if self.in_line else LONG


@lru_cache(maxsize=1)
def job_kinds() -> Mapping[str, JobKind]:
    """Return every kind of job by its key.

    In the layers, the list is above everything that jobs do, so it is looked up and never imported.
    """
    return cast(Mapping[str, JobKind], import_string(settings.ASSAY_JOBS))


# The keys of kinds of jobs that other folders request.

TAKE_OUT = "documents-out"


TRANSLATIONS = "translations"
"""The kind of background job that loads translations of documents."""


COPY_DOCUMENTS = "documents-copy"
"""The kind of background job that copies the documents of another campaign."""


PREPARE = "pages"
"""The kind of background job that prepares pages again."""


CLUSTERS = "clusters"
"""The kind of background job that finds near-identical documents."""


CHECK = "check-run"
"""The kind of background job that checks a run."""


EXPORTS = "exports"
"""The kind of background job that makes the files of all exports."""


SCORES = "scores"
"""The kind of background job that computes scores."""


AGREEMENT = "agreement"
"""The kind of background job that compares judges."""


DRAFT_USES = "draft-uses"
"""The kind of background job that counts what became of machines' drafts."""


POOL_COUNTS = "pool-counts"
"""The kind of background job that counts the items of a large pool."""


POOL_QUALITY = "pool-quality"
"""The kind of background job that computes the quality of a large pool."""


JUDGMENTS = "judgments"
"""The kind of background job that replays a file of recorded judgments."""


MACHINE = "machine-judge"
"""The kind of background job that imports a machine judge's labels."""
