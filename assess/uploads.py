"""Files that people uploaded for a job to read: how much they hold, and their removal once nothing needs them.

When such a job is done, what counts of its files is in the database: documents, docnos, translations, judgments. The
files stay for `ASSAY_UPLOADS_DAYS` days as evidence of what was loaded; their names and sha256 stay in the job's row.
Files of runs are none of these: they are kept for good. What runs rank, gathered for pools, is removed likewise.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from assess.base.files import drop_file, droppable_files, kept_size
from assess.jobs.kinds import job_kinds
from assess.jobs.models import Job
from assess.pools.domain.rankings_file import gathered_files
from assess.releases.models import SiteJob
from assess.runs.models import Run

UNUSED_AFTER = 48 * 3600.0
"""The age in seconds from which a file that no row names is abandoned. A previewed file may be loaded for a day
(`assess.documents.domain.records.HOURS`).
"""
UNUSED = "no job or run"
RANKINGS = "rankings"
"""The use of files with the gathered rankings of a pool's runs, which can be made again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HeldUploads:
    """How many files one kind of job holds, their size in bytes, and the size of those that will be removed."""

    use: str
    files: int
    size: int
    removable: int


def drop_unneeded_uploads() -> int:
    """Remove the files of jobs that were done long enough ago, and those that no row names; return their number.

    Only files that were stored once, and to be removed some day, are removed (`drop_file`). A file that another job or
    a run needs stays. Without such files there is no query.
    """
    marked = set(droppable_files(before=time.time() - UNUSED_AFTER))
    if not marked:
        return 0
    return sum(drop_file(sha256) for sha256 in sorted(marked - _needed(marked)))


def held_uploads() -> list[HeldUploads]:
    """Return what the files of jobs hold, by kind of job, and at last what the files hold that no row names. A file
    that several kinds of jobs read counts for the first.
    """
    marked = set(droppable_files(before=time.time()))
    uses: dict[str, str] = {}
    for kind, digests in _files_of_jobs():
        for sha256 in digests:
            uses.setdefault(sha256, kind)
    uses |= dict.fromkeys(gathered_files() - uses.keys(), RANKINGS)
    uses |= dict.fromkeys(marked - uses.keys() - _of_runs_and_imports(marked), UNUSED)
    files: dict[str, list[str]] = defaultdict(list)
    for sha256, use in uses.items():
        if kept_size(sha256):
            files[use].append(sha256)
    return [
        HeldUploads(
            use=use,
            files=len(found),
            size=sum(map(kept_size, found)),
            removable=sum(kept_size(sha256) for sha256 in found if sha256 in marked),
        )
        for use, found in sorted(files.items(), key=lambda each: (each[0] == UNUSED, each[0]))
    ]


def _needed(marked: set[str]) -> set[str]:
    """Return those of the files that a run, an import of a release or a job needs."""
    days = settings.ASSAY_UPLOADS_DAYS
    long_done = Q(state=Job.State.DONE, updated_at__lt=timezone.now() - timedelta(days=days)) if days else Q(pk=None)
    needed = _of_runs_and_imports(marked) | gathered_files()
    for _, digests in _files_of_jobs(~long_done):
        needed |= digests
    return needed


def _of_runs_and_imports(marked: set[str]) -> set[str]:
    runs = Run.objects.filter(Q(file__in=marked) | Q(repaired__in=marked)).values_list("file", "repaired")
    imports = SiteJob.objects.filter(arguments__has_key="sha256").values_list("arguments", flat=True)
    return {sha256 for pair in runs for sha256 in pair} | {str(each["sha256"]) for each in imports}


def _files_of_jobs(which: Q | None = None) -> Iterator[tuple[str, set[str]]]:
    """Yield the kind of each job with the files that the kind says the job reads. A job of a kind that this version of
    the site does not have can't be done, so nothing stays for it.
    """
    kinds = job_kinds()
    jobs = Job.objects.filter(which or Q(), kind__in=kinds).order_by("id").values_list("kind", "arguments")
    for kind, arguments in jobs.iterator():
        if found := set(kinds[kind].files(arguments)):
            yield kind, found
