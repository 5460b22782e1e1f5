"""Loading the list of valid docnos: millions of lines, kept in the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from django.contrib.auth.models import User
from django.db import transaction

from assess.domain.activity import record_activity
from assess.domain.bulk import add_new_docnos
from assess.domain.campaigns.campaigns import require_changeable
from assess.domain.campaigns.closed import lock_open
from assess.domain.jobs.progress import Progress, quiet
from assess.domain.reports import Collector, Report
from assess.models import Campaign
from scoring.reading import excerpt_of, split_issues, text_lines
from scoring.records import Issue

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
