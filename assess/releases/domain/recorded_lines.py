"""The recorded judgments of a release, which are checked as they are read and stored for replay topic by topic."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby, islice, starmap
from typing import IO

from django.utils.translation import gettext_noop as noop

from assess.assignments.queries.pseudonyms import MACHINE_PREFIX
from assess.base.file_issues import Collector
from assess.documents.domain.adding_items import DOCNO_LIMIT
from assess.jobs.progress import ReportProgress, report_progress
from assess.replay.session import ReplayLine
from scoring.formats.judgments_jsonl import read_numbered_judgments
from scoring.reading.opening import excerpt_of, split_issues
from scoring.release.kept_acts import KeptActs
from scoring.release.recorded_acts import AnswerFound
from scoring.release.releases import JUDGMENTS, BadRelease, Release

PERSON = rf"assessor-[1-9][0-9]{{0,8}}|{MACHINE_PREFIX}[A-Z]{{1,6}}"
AT_ONCE = 1_000
"""How many lines are in memory while they are checked."""


class RecordedLines:
    """The lines of judgments.jsonl, checked as they are read and stored on disk by topic (`KeptActs`).

    Refused: a line that can't be read, one whose author is not a pseudonym, and a docno that is too long to store.
    """

    def __init__(self, release: Release, kept: IO[bytes], progress: ReportProgress) -> None:
        self._kept = KeptActs(kept)
        if JUDGMENTS not in release.files:
            raise BadRelease(f"it has no {JUDGMENTS}, so nobody can tell who said what")
        self.people: dict[str, None] = {}
        self.docnos: set[str] = set()
        self._count = 0
        problems, wrong = Collector(), ""
        with release.path(JUDGMENTS).open("rb") as file:
            acts = split_issues(read_numbered_judgments(file), problems)
            lines = report_progress(
                starmap(ReplayLine, acts), progress, unit="lines", note=noop("checking %(name)s"), name=JUDGMENTS
            )
            for topic, same in groupby(lines, key=lambda line: line.act.topic):
                while block := list(islice(same, AT_ONCE)):
                    self._kept.add(topic, ((int(line.number), line.act) for line in block))
                    for line in block:
                        wrong = wrong or self._add(line)
        problems.refuse_errors(name=JUDGMENTS)
        if wrong:
            raise BadRelease(wrong)

    def _add(self, line: ReplayLine) -> str:
        """Count a line and remember its author. Return what is wrong with it, or ""."""
        act = line.act
        self._count += 1
        if act.by not in self.people:
            self.people[act.by] = None
            if not re.fullmatch(PERSON, act.by):
                shown = excerpt_of(act.by)
                return f"{JUDGMENTS}: line {line.number}: “by” must be like assessor-1, or machine-A; it is {shown}"
        if isinstance(act, AnswerFound) and act.docno:
            self.docnos.add(act.docno)
            if len(act.docno) > DOCNO_LIMIT:
                return f"{JUDGMENTS}: line {line.number}: “docno” must have at most {DOCNO_LIMIT} characters"
        return ""

    def __len__(self) -> int:
        return self._count

    @property
    def topics(self) -> Iterable[str]:
        """The numbers of the topics of the lines."""
        return self._kept.topics

    def of_topic(self, number: str) -> list[ReplayLine]:
        """Return the lines of one topic, in order."""
        return list(starmap(ReplayLine, self._kept.of_topic(number)))
