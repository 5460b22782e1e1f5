"""Loading the list of valid docnos: millions of lines, kept in the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from django.contrib.auth.models import User
from django.db import connection, transaction

from assess.base.bulk import _check_texts, _copy
from assess.base.reports import Collector, Report
from assess.campaigns.activity import record_activity
from assess.campaigns.closed import lock_open
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign
from assess.documents.models import ValidDocno
from assess.jobs.progress import Progress, quiet
from scoring.reading import excerpt_of, split_issues, text_lines
from scoring.records import Issue


def add_new_docnos(campaign_id: int, docnos: Sequence[str]) -> int:
    """Add those docnos that the campaign's list does not have yet; how many they were. Needs a transaction."""
    _check_texts(ValidDocno, ["docno"], [(docno,) for docno in docnos])
    if connection.vendor == "postgresql":
        return _copy(campaign_id, docnos)
    statement = "INSERT OR IGNORE INTO assess_validdocno (campaign_id, docno) VALUES (%s, %s)"
    with connection.cursor() as cursor:
        cursor.execute("SELECT total_changes()")
        (before,) = cursor.fetchone()
        cursor.executemany(statement, [(campaign_id, docno) for docno in docnos])
        cursor.execute("SELECT total_changes()")
        (after,) = cursor.fetchone()
    return int(after) - int(before)


BATCH = 50_000  # rows of one short transaction, so that nobody waits long for the database


LONGEST = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadedDocnos:
    """What loading a list of docnos did: docnos read, those new to the campaign, the lines passed over."""

    read: int
    added: int
    report: Report
    stopped: bool

    def sentence(self) -> str:
        """What was done, in words."""
        ending = " Stopped; start again to go on." if self.stopped else ""
        return f"{self.read:,} docnos read, {self.added:,} of them new.{ending}"


def load_docnos(
    *,
    actor: User,
    campaign: Campaign,
    stream: BinaryIO,
    name: str,
    progress: Callable[[Progress], None] = quiet,
    should_stop: Callable[[], bool] = lambda: False,
) -> LoadedDocnos:
    """Add the docnos of a file, one a line, to the campaign's list. The same file again adds nothing.

    A line that is no docno is reported and passed over; the rest is kept. Rows are added in batches of
    50,000, so a load that was stopped can simply be started again. Costs about 7 seconds a million.
    """
    require_changeable(campaign)
    collector = Collector()
    docnos = _docnos(stream, collector)
    read = added = 0
    stopped = False
    while batch := list(islice(docnos, BATCH)):
        with transaction.atomic():
            lock_open(campaign)
            added += add_new_docnos(campaign.pk, batch)
        read += len(batch)
        progress(Progress(done=read, unit="docnos"))
        if stopped := should_stop():
            break
    if added:
        data = {"file": name, "read": read, "added": added}
        with transaction.atomic():
            record_activity(actor=actor, action="docnos.load", campaign=campaign, data=data)
    return LoadedDocnos(read=read, added=added, report=collector.report(), stopped=stopped)


def _docnos(stream: BinaryIO, report: Callable[[Issue], None]) -> Iterator[str]:
    for number, text in split_issues(text_lines(stream, limit=4096), report):
        docno = text.strip()
        if not docno:
            continue
        if len(docno) > LONGEST or len(docno.split()) > 1:
            message = "A line holds one docno: no white space inside, at most 200 characters. The line was passed over."
            report(Issue(where=number, code="docno-form", message=message, excerpt=excerpt_of(docno)))
            continue
        yield docno
