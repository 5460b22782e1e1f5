"""Replay recorded judgments (judgments.jsonl) through the functions that pages call."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import BinaryIO

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext_noop as noop

from assess.assignments.domain.held_work import require_judging
from assess.assignments.models import Assignment
from assess.base.errors import Conflict
from assess.base.file_issues import Collector
from assess.base.sentences import Sentence
from assess.campaigns.activity import hold_work, record_activity, set_state_within
from assess.campaigns.designs import MOVED_MEANWHILE, MOVED_SINCE_SENT, criteria_of_versions, require_same_scale
from assess.campaigns.grown_work import rechecked_together
from assess.campaigns.models import Campaign
from assess.campaigns.queries import ledger_point, rows_since, track_of
from assess.jobs.progress import JobProgress, ReportProgress, no_report
from assess.protocol import Stage
from assess.replay.kept_lines import HeldLines, KeptLines, pieces_of
from assess.replay.one_topic import replay_topic, stage_by_stage
from assess.replay.parts import Grouped, Part, can_be_parted, parts_of
from assess.replay.session import UNKNOWN, Anchors, Lines, ReplayLine, Session
from assess.topics.queries import judged_topics
from scoring.formats.judgments_jsonl import read_numbered_judgments
from scoring.reading.opening import STOPPED, TOO_MANY, split_issues
from scoring.reading.plain_names import KnownNames
from scoring.records import Issue
from scoring.uncollected import uncollected

AT_ONCE = 1_000
"""How many lines are replayed in one transaction, of any number of topics."""

PART = 1_000
"""How many lines of one topic are replayed in one transaction, if they can be separated, however slow the site is."""

HELD = 0.45
"""The longest time, in seconds, that one transaction should take. More than `PART` lines are replayed in one if the
last transaction was fast enough for that, as trials usually are.
"""

AT_MOST = 6_000
"""The largest number of lines of one topic in one transaction."""

READ_AT_ONCE = 1_000
"""How many lines are in memory while a file is read."""

NAMED = 100
"""How many names of unknown people or topics a refusal gives."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Replayed:
    """The result of a replay: the number of lines read, and of ledger rows added (0 if they were replayed before)."""

    lines: int
    added: int


def import_judgments(
    *,
    actor: User,
    campaign: Campaign,
    stream: BinaryIO,
    people: Mapping[str, User],
    name: str = "The file of judgments",
    progress: ReportProgress = no_report,
) -> Replayed:
    """Replay a file of recorded judgments. ``people`` maps each pseudonym to a member who judges.

    Work is handed out and started, and finished if nothing is missing. Replaying the same lines again adds nothing. If
    any line can't be read or is refused by the site, nothing is added, and `BadFile` names the first issues by line. A
    campaign that is not being judged is refused.

    If somebody marked nuggets, but no line says which strings are finished or which nuggets are absent, all pooled
    strings of that topic count as finished. For a long file, call it outside any transaction: `replay_lines` says why,
    and when a part of the file stays. Memory holds the lines of one topic.
    """
    problems = Collector()
    with tempfile.TemporaryFile() as kept:
        lines = KeptLines(kept)
        acts = split_issues(read_numbered_judgments(stream), problems)
        with uncollected():
            while block := list(islice(acts, READ_AT_ONCE)):
                lines.add(block)
        if not len(lines) and not problems.errors:
            problems(
                Issue(where="", code="empty-file", message="The file is empty. Check that the right file was chosen.")
            )
        problems.refuse_errors(name=name)
        return replay_lines(actor=actor, campaign=campaign, lines=lines, people=people, name=name, progress=progress)


def replay_published(
    *, actor: User, campaign: Campaign, lines: Sequence[ReplayLine], people: Mapping[str, User], name: str
) -> Replayed:
    """Replay what an evaluation published, whether or not judging is open, and leave that state as it is.

    For the replay alone, a campaign in set-up counts as being judged. This is done within each transaction, so nobody
    else ever sees it open, nothing is recorded about it, and no lease starts. Refuses a campaign that is neither in
    set-up nor being judged, and what `import_judgments` refuses.
    """
    held = HeldLines(lines)
    return replay_lines(actor=actor, campaign=campaign, lines=held, people=people, name=name, in_setup=True)


def replay_lines(
    *,
    actor: User,
    campaign: Campaign,
    lines: HeldLines | KeptLines,
    people: Mapping[str, User],
    name: str,
    in_setup: bool = False,
    progress: ReportProgress = no_report,
) -> Replayed:
    """Replay acts that were read before, as `import_judgments` does. ``name`` is that of their file, for messages.

    Up to a thousand lines are one transaction. More lines are replayed some topics at a time, and a topic with very
    many lines in parts (`parts_of`), so that assessors wait for one of these at most. First each group is tried in a
    transaction that is rolled back, which finds all refusals, or the first ten thousand; then each is replayed.

    Others may change something meanwhile, so that a line is refused only then. This ends the replay with `Conflict`.
    What was added before stays, and the same file adds the rest. The same happens if ``progress``, which is called for
    each group, stops it by raising. ``in_setup``: see `replay_published`.
    """
    if not (in_setup and campaign.state == Campaign.State.SETUP):
        require_judging(campaign)
    replay = _Replay(actor=actor, campaign=campaign, lines=lines, people=people, in_setup=in_setup)
    order = judged_topics(campaign).values_list("number", flat=True)
    pieces = list(pieces_of(lines, order=order, at_most=AT_ONCE)) or [[]]
    if len(pieces) > 1 or replay.is_parted(pieces[0]):
        for number, piece in enumerate(pieces):
            progress(JobProgress(done=number, total=2 * len(pieces), unit="pieces", note=noop("trying the lines")))
            for part in replay.parts(piece, is_trial=True):
                replay.attempt_in_turn(piece, part, is_trial=True)
                if len(replay.found) >= TOO_MANY["error"]:
                    _refuse(replay.found, name, tried_of=len(lines))
        _refuse(replay.found, name)
    added = 0
    for done, piece in enumerate(pieces):
        for part in replay.parts(piece):
            progress(
                JobProgress(
                    done=len(pieces) + done, total=2 * len(pieces), unit="pieces", note=noop("adding the lines")
                )
            )
            added += replay.attempt_in_turn(piece, part)
            if replay.found and replay.is_begun:
                first = replay.found[0]
                raise Conflict(
                    Sentence(
                        "Others changed something while %(name)s was replayed, and line %(where)s is refused now: "
                        "%(message)s What was replayed before it is stored. Correct that line, or what was changed, "
                        "and replay the whole file again: what is there already is not added twice.",
                        name=name,
                        where=str(first.where),
                        message=first.message,
                    )
                )
            _refuse(replay.found, name)
            replay.is_begun = True
    return Replayed(lines=len(lines), added=added)


@dataclass(kw_only=True, slots=True)
class _Replay:
    """Lines that are replayed topic by topic. ``found`` holds the refusals so far. ``settled`` holds the topics that
    `Session.settled` had after their first part. ``in_time`` is the number of lines that would take `HELD` seconds at
    the speed of the last transaction, and of the last trial (key True). ``is_begun`` means that something was added.
    """

    actor: User
    campaign: Campaign
    lines: HeldLines | KeptLines
    people: Mapping[str, User]
    in_setup: bool
    found: list[Issue] = field(default_factory=list)
    settled: set[int] = field(default_factory=set)
    in_time: dict[bool, int] = field(default_factory=dict)
    is_begun: bool = False

    def is_parted(self, numbers: Sequence[str]) -> bool:
        """Return whether the lines of these topics are replayed in several parts."""
        return len(list(islice(self.parts(numbers), 2))) > 1

    def parts(self, numbers: Sequence[str], *, is_trial: bool = False) -> Iterator[Part | None]:
        """Yield the parts (`parts_of`) of a single topic with very many lines, if they can be separated
        (`can_be_parted`). Otherwise yield None once, which stands for all lines of these topics.
        """
        at_most = min(max(PART, self.in_time.get(is_trial, 0)), AT_MOST)
        if len(numbers) != 1 or self.lines.topics[numbers[0]] <= at_most:
            yield None
            return
        grouped, stages = self.grouped(numbers[0])
        for most in (at_most, AT_MOST) if grouped else ():  # in a trial, more if others' lines must be tried with it
            if (parts := parts_of(grouped, stages, at_most=most, is_trial=is_trial)) is not None:
                yield from parts
                return
        yield None

    def grouped(self, number: str) -> tuple[Grouped, list[Stage]]:
        """Return a topic's lines in the order of the replay, and its stages; no lines if they can't be separated."""
        topic = judged_topics(self.campaign).filter(number=number).first()
        task = track_of(self.campaign).task(topic.task) if topic is not None else None
        if topic is None or task is None:
            return {}, []
        session = Session(actor=self.actor, campaign=self.campaign, people=self.people, report=self.found.append)
        by_stage, left = stage_by_stage(session, topic, self.lines.of_topic(number), list(task.stages))
        grouped = {
            (stage.key, role, by): by_stage[stage.key][role, by]
            for stage in task.stages
            for role, by in sorted(by_stage[stage.key])
        }
        is_known = not left and all(by in self.people for *_, by in grouped)
        return (grouped if is_known and can_be_parted(grouped, task.stages) else {}), list(task.stages)

    def _report_own(self, part: Part) -> Callable[[Issue], None]:
        """Return a function that reports issues, but not those of lines that another part reports."""

        def report(issue: Issue) -> None:
            if issue.where not in part.besides:
                self.found.append(issue)

        return report

    def attempt_in_turn(self, numbers: Sequence[str], part: Part | None, *, is_trial: bool = False) -> int:
        """Call `attempt`, note how many lines it would do in `HELD` seconds, wait for a fifth of the time it took, and
        return what it returned.

        On a busy machine, a replay that asks for the locks again at once would get them before those who wait for them
        wake up.
        """
        began = time.monotonic()
        with uncollected():
            added = self.attempt(numbers, part, is_trial=is_trial)
        seconds = time.monotonic() - began
        lines = len(part.lines) if part is not None else sum(self.lines.topics[number] for number in numbers)
        self.in_time[is_trial] = int(lines / seconds * HELD)
        time.sleep(seconds / 5)
        return added

    def attempt(self, numbers: Sequence[str], part: Part | None, *, is_trial: bool = False) -> int:
        """Replay these topics, or a part of one, in one transaction, and return the number of rows added.

        It is rolled back in a trial or if something is refused (`found`); otherwise an activity records the import.
        Refuses a campaign that is no longer being judged, or in which values were moved on a scale meanwhile.
        """
        campaign, refused = self.campaign, len(self.found)
        session = Session(actor=self.actor, campaign=campaign, people=self.people, report=self.found.append)
        session.is_trial, session.is_held = is_trial, True
        session.settled = set() if is_trial else self.settled
        lines: HeldLines | KeptLines = self.lines
        if part is not None:
            lines = HeldLines(part.lines)
            session.whole, session.goes_on, session.report = part.whole, part.goes_on, self._report_own(part)
        with rechecked_together(campaign=campaign, actor=self.actor) as changed:
            with transaction.atomic():
                locked = hold_work(campaign)[0]  # before the first row is added, so that assessors wait meanwhile
                campaign.state = locked.state
                require_same_scale(locked, campaign.design, MOVED_MEANWHILE if self.is_begun else MOVED_SINCE_SENT)
                if campaign.design == locked.design:
                    campaign.settings = locked.settings
                is_set_up = self.in_setup and locked.state == Campaign.State.SETUP
                if is_set_up:
                    set_state_within(campaign, Campaign.State.JUDGING)
                require_judging(campaign)
                before = ledger_point(campaign)
                added = 0
                try:
                    _replay(session, lines, numbers)
                    if not is_trial and (added := rows_since(campaign, before)):
                        data = {"lines": sum(lines.topics[number] for number in numbers), "rows": added}
                        record_activity(actor=self.actor, action="judgments.import", campaign=campaign, data=data)
                finally:
                    if is_set_up:
                        campaign.state = Campaign.State.SETUP
                if is_set_up:
                    set_state_within(campaign, Campaign.State.SETUP)
                if is_trial or len(self.found) > refused:
                    transaction.set_rollback(True)
                    changed.clear()
            changed -= session.settled
        return added


def replay_release(
    *,
    actor: User,
    campaign: Campaign,
    lines: Lines,
    people: Mapping[str, User],
    name: str,
    anchors: Anchors,
    works: Mapping[tuple[int, str, int], Sequence[Assignment]],
    lacks_left_items: bool,
    progress: ReportProgress,
) -> None:
    """Write a release's lines into a campaign that is being loaded, in transactions of at most some hundred rows.

    Call it outside any transaction. It refuses what `import_judgments` refuses, but rows that were added before stay,
    also if ``progress`` raises. For ``anchors``, ``works`` and ``lacks_left_items`` see `Session`.
    """
    found: list[Issue] = []
    session = Session(actor=actor, campaign=campaign, people=people, report=found.append, works=works)
    session.documents_apart, session.anchors, session.is_held = True, anchors, True
    session.taking, session.lacks_left_items = criteria_of_versions(campaign), lacks_left_items
    _replay(session, lines, list(lines.topics), progress)
    _refuse(found, name)


def _refuse(found: list[Issue], name: str, *, tried_of: int = 0) -> None:
    """Raise `BadFile` if anything was refused. ``tried_of`` is the number of all lines if the rest was not tried."""
    problems = Collector()
    issues = [issue for issue in found if issue.code not in UNKNOWN]
    for code, sentence in UNKNOWN.items():  # all names in one sentence, so that nobody corrects them one by one
        if unknown := sorted((issue for issue in found if issue.code == code), key=_place):
            names = list(dict.fromkeys(issue.excerpt for issue in unknown))
            more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
            issues.append(replace(unknown[0], message=sentence.format(", ".join(names[:NAMED]) + more), excerpt=""))
    for issue in sorted(issues, key=_place):
        problems(issue)
    if tried_of:
        message = (
            f"So many of the {tried_of:,} lines are refused that the rest was not tried. Correct these first, and "
            "check that it is the right file."
        )
        problems(Issue(where="", code=STOPPED, message=message))
    problems.refuse_errors(name=name)


def _place(issue: Issue) -> tuple[str, int]:
    """Return a sort key for an issue: the file, if there are several, and the line."""
    file, _, line = str(issue.where).rpartition(":")
    return file, int(line) if line.isdecimal() else 0


def _replay(session: Session, lines: Lines, numbers: Collection[str], progress: ReportProgress = no_report) -> None:
    """Replay these topics one by one. Lines of topics that the campaign does not judge become problems."""
    done = 0
    said = set(numbers)
    judged = judged_topics(session.campaign)
    some = judged.filter(number__in=said) if len(said) <= AT_ONCE else judged
    topics = {topic.number: topic for topic in some}
    known = KnownNames(judged.values_list("number", flat=True))
    for unknown in (number for number in numbers if number not in topics):
        session.unknown(lines.of_topic(unknown)[0], "unknown-topic", known.listed(unknown))
    track = track_of(session.campaign)
    for number, topic in topics.items():
        task = track.task(topic.task)
        if number in said and task is not None:
            topic.campaign = session.campaign
            own = lines.of_topic(number)
            progress(
                JobProgress(
                    done=done, total=len(lines), unit="lines", note=noop("topic %(topic)s"), values={"topic": number}
                )
            )
            for line in own:
                session.check_version(line)
            with uncollected():  # for one topic only, since reference cycles take memory
                replay_topic(session, topic=topic, stages=task.stages, lines=own)
            done += len(own)
