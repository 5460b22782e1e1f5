"""Check run files, before and when they are submitted, and show how they are read; the same for all surfaces."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, BinaryIO

from django.contrib.auth.models import User
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as noop

from assess.base.errors import Invalid, NotFound
from assess.base.file_issues import SHOWN, Report, collect
from assess.base.files import open_file, stored_path
from assess.base.numbers import grouped
from assess.base.one_at_a_time import TakesLonger, hurry, one_at_a_time
from assess.campaigns.models import Campaign
from assess.campaigns.queries import read_by, settings_of, track_of
from assess.documents.queries.documents import document_text, unknown_docnos
from assess.jobs.progress import ReportProgress, Stopped, no_report, open_watched
from assess.protocol import CheckContext, RunContent, RunForm, Submission
from assess.protocol.records import without_time_limit
from assess.runs.domain.kept_rankings import KeptContent
from assess.runs.domain.repaired import repaired_file
from assess.runs.domain.run_form import complete_form, form_of
from assess.runs.domain.stored_answers import StoredAnswers
from assess.runs.models import Run
from assess.topics.queries import answerable_topics
from scoring.reading.unpacking import damage_errors

RUN_LIMIT = 500 * 1024 * 1024
"""The most bytes of a run file."""

WHOLE_LIMIT = 64 * 1024 * 1024
"""The most bytes of a run file that is read as one piece (JSON), which takes ten times as much memory."""

AT_ONCE = 8 * 1024 * 1024
"""The most bytes of a run file that is checked while the caller waits: a second or two. The worker checks others."""


def submission_of(campaign: Campaign, key: str = "") -> Submission:
    """Return the kind of run file with this key; without a key, the first of the track. An unknown key is refused."""
    submissions = track_of(campaign).submissions
    found = next((each for each in submissions if each.key == key or not key), None)
    if found is None:
        known = ", ".join(each.key for each in submissions)
        raise Invalid(
            gettext("There is no kind of run “%(key)s”. Use one of: %(known)s.") % {"key": key, "known": known}
        )
    return found.under(settings_of(campaign))


def check_context(
    campaign: Campaign,
    form: RunForm | None = None,
    *,
    any_tag: bool = False,
    pace: Callable[[], None] = without_time_limit,
) -> CheckContext:
    """Return everything that a checker of this campaign's runs may know.

    ``any_tag`` means that the run was published, and keeps its tag.
    """
    topics, dropped = answerable_topics(campaign)
    return CheckContext(
        topics=topics,
        dropped=dropped,
        settings=settings_of(campaign),
        unknown_docnos=unknown_docnos(campaign),
        form=form,
        document_text=document_text(campaign),
        any_tag=any_tag,
        pace=pace,
    )


def check_run(
    *,
    campaign: Campaign,
    stream: BinaryIO,
    submission: str = "",
    form: RunForm | None = None,
    limit: int | None = SHOWN,
    each: bool = False,
    published: bool = False,
    pace: Callable[[], None] = without_time_limit,
) -> Report:
    """Check a run file without storing anything.

    The report has the first ``limit`` errors and warnings (None: all). Equal messages are combined unless ``each`` is
    set. Refuses an unknown kind of run, and a file larger than its kind allows (`size_limit`). ``pace`` may end the
    check by raising.
    """
    found = submission_of(campaign, submission)
    require_size(stream, found)
    complete = complete_form(found, stream, form) if form is not None else None
    context = check_context(campaign, complete, any_tag=published or found.for_organisers, pace=pace)
    start = stream.tell() if stream.seekable() else 0
    return _report(found, partial(_read_from, stream, start), context, limit=limit, each=each)


def _report(
    submission: Submission,
    opened: Callable[[], AbstractContextManager[BinaryIO]],
    context: CheckContext,
    *,
    limit: int | None = SHOWN,
    each: bool = False,
) -> Report:
    """Return what is wrong with a run. A valid run may answer dropped topics or leave them out.

    So if topics were dropped and the run breaks a rule about topics, it is read again as if these topics did not exist.
    The better of the two reports is returned.
    """
    with opened() as file:
        report = collect(submission.issues(file, context), limit=limit, each=each)
    if not context.dropped or not any(issue.code in submission.topic_codes for issue in report.issues):
        return report
    counted = tuple(topic for topic in context.topics if topic.number not in context.dropped)
    with opened() as file:
        without = collect(submission.issues(file, replace(context, topics=counted)), limit=limit, each=each)
    return min(report, without, key=lambda each: (each.errors, each.warnings))


@contextmanager
def _read_from(stream: BinaryIO, start: int) -> Iterator[BinaryIO]:
    if stream.seekable():
        stream.seek(start)
    yield stream


def check_while_waiting(
    *, actor: User, campaign: Campaign, stream: BinaryIO, submission: str, form: RunForm | None, published: bool
) -> tuple[Report, Preview | None]:
    """Check a run file for somebody who waits for the answer, and return the report and a preview. Nothing is stored.

    Refuses a file larger than `AT_ONCE` bytes, one that takes longer than `AT_ONCE_SECONDS`, and a second file while
    another one of the same person is being checked. The worker checks large and slow files when they are submitted.
    """
    instead = gettext(
        "Submit it: it is then checked in the background, and with errors in it nothing of it is taken in."
    )
    if (size := _size(stream)) is not None and size > AT_ONCE:
        raise Invalid(
            gettext("The file is larger than the %(at_once)s bytes that are checked while you wait. %(instead)s")
            % {"at_once": grouped(AT_ONCE), "instead": instead}
        )
    with one_at_a_time(actor):
        report = check_run(
            campaign=campaign,
            stream=stream,
            submission=submission,
            form=form,
            published=published,
            pace=hurry(
                gettext("Checking the file takes longer than is done while you wait. %(instead)s")
                % {"instead": instead}
            ),
        )
        stream.seek(0)
        shown = preview_run(campaign=campaign, stream=stream, report=report, submission=submission, form=form)
    return report, shown


def report_in_full(*, actor: User, run: Run, limit: int) -> list[dict[str, Any]]:
    """Return the report of a run with up to ``limit`` issues of each severity, from checking its file again.

    If the file is too large to be checked while somebody waits, or is no longer stored, the stored report is returned.
    Refused while another file of the same person is being checked.
    """
    if run.size > AT_ONCE or not stored_path(run.file).is_file():
        return list(run.report)
    was_published = not submission_of(run.campaign, run.submission).tags.allows(run.tag)
    with one_at_a_time(actor), open_file(run.file) as stream:
        try:
            report = check_run(
                campaign=run.campaign,
                stream=stream,
                submission=run.submission,
                form=form_of(run),
                limit=limit,
                each=True,
                published=was_published,
                pace=hurry(gettext("The report takes longer than is done while you wait.")),
            )
        except TakesLonger:
            return list(run.report)
    return report.as_rows()


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckedRun:
    """The result of examining a run's file: the report, its content, and a better file if it can be repaired."""

    report: Report
    content: RunContent
    repaired: str = ""
    repairs: tuple[dict[str, Any], ...] = ()


def examine_run(
    run: Run, *, progress: ReportProgress = no_report, pace: Callable[[], None] = without_time_limit
) -> CheckedRun:
    """Check the file of a run, and store a repaired file if it has faults that can be repaired.

    The run itself is not changed. ``progress`` is called during the check; it and ``pace`` may stop it by raising.
    """
    found = submission_of(run.campaign, run.submission)
    was_published = not found.tags.allows(run.tag)
    context = check_context(run.campaign, form_of(run), any_tag=was_published, pace=pace)
    report = _report(found, partial(open_watched, run.file, progress=progress), context)
    repaired = repaired_file(submission=found, context=context, sha256=run.file, report=report, progress=progress)
    content = RunContent(submission=found, open=partial(open_file, run.file), context=context, run=run.tag)
    if repaired is None:
        return CheckedRun(report=report, content=content)
    return CheckedRun(report=report, content=content, repaired=repaired.sha256, repairs=repaired.rows)


def size_limit(submission: Submission) -> int:
    """Return the most bytes of a run file of this kind, unpacked."""
    return min(RUN_LIMIT, WHOLE_LIMIT) if submission.is_whole else RUN_LIMIT


def require_size(stream: BinaryIO, submission: Submission) -> int:
    """Return the most bytes of a run file of this kind. A larger file is refused.

    A stream that can't be measured comes from the command line, and may have any size.
    """
    limit = size_limit(submission)
    if (size := _size(stream)) is not None and size > limit:
        raise Invalid(
            gettext("The file is larger than the %(limit)s bytes that a run may have. Is it the right file?")
            % {"limit": grouped(limit)}
        )
    return limit


def _size(stream: BinaryIO) -> int | None:
    """Return how many bytes are left to read; None if unknown, because the stream is truncated or can't be rewound."""
    if not stream.seekable():
        return None
    start = stream.tell()
    try:
        return stream.seek(0, os.SEEK_END) - start
    except damage_errors():
        return None
    finally:
        stream.seek(start)


# How a run file was read, shown to its submitter before anything is stored.

PREVIEWED = 200
"""How many rows of a preview are shown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    """The first (topic, what, text) rows, and whether there are more."""

    rows: tuple[tuple[str, str, str], ...]
    is_cut: bool


def preview_run(
    *,
    campaign: Campaign,
    stream: BinaryIO,
    report: Report,
    submission: str = "",
    form: RunForm | None = None,
    limit: int | None = PREVIEWED,
) -> Preview | None:
    """Return how a file is read: its first ``limit`` rows (None: all). Nothing is stored.

    ``report`` is the result of `check_run`. The preview is None if the file has errors or its kind has no preview.
    """
    found = submission_of(campaign, submission)
    if found.preview is None or not report.is_clean:
        return None
    rows = found.preview(stream, check_context(campaign, form))
    shown = tuple(rows) if limit is None else tuple(islice(rows, limit))
    return Preview(rows=shown, is_cut=next(iter(rows), None) is not None)


def run_content(
    campaign: Campaign, run: Run, context: CheckContext | None = None, topics: frozenset[str] | None = None
) -> RunContent:
    """Return what a run returned, read from its file as it was submitted.

    For an accepted run whose texts were cut (`Submission.is_cut`), it is what was stored then instead; of that, only
    ``topics`` are read, if they are given. A caller who reads several runs passes ``context``, the `reading_context`,
    which holds all topics. Raises `NotFound` if the track no longer has this kind of run file.
    """
    submission = track_of(campaign).submission(run.submission)
    if submission is None:
        raise NotFound(
            gettext("The track no longer has a kind of run “%(submission)s”.") % {"submission": run.submission}
        )
    opened, context = partial(open_file, run.file), context or reading_context(campaign)
    if submission.is_cut and run.state == Run.State.ACCEPTED:
        return StoredAnswers(
            submission=submission, open=opened, context=context, run=run.tag, run_id=run.pk, topics=topics
        )
    return KeptContent(
        submission=submission,
        open=opened,
        context=context,
        run=run.tag,
        sha256=run.file,
        read_by=read_by(campaign),
    )


def keep_rankings(campaign: Campaign, run: Run, progress: ReportProgress = no_report) -> None:
    """Read and cache what an accepted run ranks and the lengths of its strings, for later scoring.

    If ``progress`` stops it, nothing is raised, and what was cached so far stays.
    """
    note = noop("keeping what the run ranks: %(lines)s lines read")
    opened = partial(open_watched, run.file, progress=progress, note=note)
    content = replace(run_content(campaign, run), open=opened)
    with suppress(Stopped):
        for ranking in content.submission.rankings:
            content.rankings(ranking.kind)
        if content.submission.lengths is not None:
            content.lengths()


def reading_context(campaign: Campaign) -> CheckContext:
    """Return what the runs of a campaign are read with: its topics and settings. Its queries are those of
    `answerable_topics`.
    """
    topics, dropped = answerable_topics(campaign)
    return CheckContext(
        topics=topics,
        dropped=dropped,
        settings=settings_of(campaign),
        document_text=document_text(campaign),
    )
