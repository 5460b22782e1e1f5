"""Machine judges: automatic judges whose labels are kept beside people's and sealed from them, for comparison.

A machine is an account that nobody can log in to, a member marked as a machine, with assignments of its own role, one
for each topic and stage. Its judgments are in the same ledgers, but never official and never part of anybody's
progress.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any
from unicodedata import combining, normalize

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_noop as noop

from assess.assignments.domain.assignments import add_assignments, new_assignment
from assess.assignments.domain.held_work import require_judging
from assess.assignments.models import Assignment
from assess.base.errors import Conflict, Invalid
from assess.base.file_issues import Collector
from assess.base.numbers import grouped
from assess.base.sentences import Sentence
from assess.campaigns.activity import hold_work, lock_open, record_activity, set_state_within
from assess.campaigns.designs import campaign_at, values_now
from assess.campaigns.models import Activity, Campaign, Drafts, Membership, Role
from assess.campaigns.queries import ledger_point, rows_since, stage_of, track_of
from assess.jobs.progress import JobProgress, ReportProgress, no_report
from assess.kinds.base import PlacedAct, work_kind
from assess.machines.files import read_files
from assess.people.domain.accounts import closed_account
from assess.protocol import Stage
from assess.topics.models import Topic
from assess.topics.queries import judged_topics
from scoring.reading.opening import split_issues
from scoring.reading.plain_names import KnownNames
from scoring.records import Issue
from scoring.release.recorded_acts import Judged

MACHINE = Assignment.Role.MACHINE

AT_ONCE = 2_000
"""The least number of judgments in one transaction, unless fewer are left. A transaction records whole topics."""


NAME_LIMIT = 100


SHOWN = 25


SEED_LIMIT = 1_000_000


Report = Callable[[Issue], None]


REASONS = {
    "unknown-topic": gettext_noop("unknown topic"),
    "no-stage": gettext_noop("nothing that a machine can say"),
    "unknown-item": gettext_noop("unknown item"),
    "draft-lists": gettext_noop("list that cannot be offered"),
    "invalid": gettext_noop("value that is not allowed"),
    "conflict": gettext_noop("conflict with what is recorded"),
}
"""Why a line was passed over, by the code of its issue."""


def reason_of(code: str) -> str:
    """Return the English phrase for the code of an issue. The catalogue has its translation."""
    return REASONS.get(code, code.replace("-", " "))


@dataclass(frozen=True, kw_only=True, slots=True)
class MachineImport:
    """The result of an import. ``passed_over`` counts by reason what could not be recorded.

    ``issues`` are notes on the files, and then on the first entries that were skipped.
    """

    machine: User
    lines: int
    added: int
    passed_over: dict[str, int] = field(default_factory=dict)
    issues: tuple[Issue, ...] = ()


def import_machine_judge(
    *,
    actor: User,
    campaign: Campaign,
    name: str,
    paths: Sequence[Path],
    kind: str = "",
    criterion: str = "",
    in_setup: bool = False,
    brought_at: int | None = None,
    progress: ReportProgress = no_report,
) -> MachineImport:
    """Record the judgments of a machine judge with this name, which is made if it does not exist.

    ``kind`` is one of `files.kinds_of`, or "" to recognise it. Importing the same file again adds nothing; a changed
    value counts from now on. Judgments of unknown topics, items, nuggets or grades are counted by reason and skipped.
    ``in_setup`` accepts judgments that come with the data of a campaign before judging is open. ``brought_at`` is
    the ledger point at which they came with the design (`suggested_answers`): they are read by the design of that
    point, and values that later versions moved are moved.

    Whole topics are recorded, some thousand judgments in one transaction, so that assessors wait for one transaction at
    most. ``progress`` is called before each, and may stop the import by raising. If it does, or if judging ends
    meanwhile, what was recorded before stays, and the same files add the rest.

    Refused: a campaign that is not being judged, what `read_files` and `machine_account` refuse, a file with lines that
    can't be read (`BadFile`) or with none, and judgments of several judges in one file.
    """
    campaign.refresh_from_db(fields=["state"])
    if not (in_setup and campaign.state == Campaign.State.SETUP):
        require_judging(campaign)
    problems = Collector()
    read = read_files(campaign_at(campaign, brought_at), paths, kind=kind, criterion=criterion)
    acts: list[PlacedAct] = list(split_issues(read, problems))
    if brought_at is not None:
        acts = list(_moved_since(campaign, brought_at, acts))
    if not acts and not problems.errors:
        message = "Nothing is labelled in it. Check that the right file was chosen."
        problems(Issue(where="", code="empty-file", message=message))
    report = problems.refuse_errors(name=", ".join(path.name for path in paths)[:200])
    passed, added, done = _Passed(), 0, 0
    for piece in _pieces(acts):
        progress(JobProgress(done=done, total=len(acts), unit="lines", note=noop("adding the lines")))
        began = time.monotonic()
        machine, new = _record_piece(
            actor, campaign, name, piece, passed, in_setup=in_setup, is_brought=brought_at is not None
        )
        added, done = added + new, done + len(piece)
        if done < len(acts) and not connection.in_atomic_block:
            time.sleep((time.monotonic() - began) / 5)  # those who wait for the locks get them before the next piece
    return MachineImport(
        machine=machine,
        lines=len(acts),
        added=added,
        passed_over=dict(passed.counts),
        issues=(*report.issues, *passed.first),
    )


def _moved_since(campaign: Campaign, point: int, acts: Iterable[PlacedAct]) -> Iterator[PlacedAct]:
    """Yield acts of a ledger point with the values that later versions of the design gave them."""
    value_now = values_now(campaign)
    for where, act in acts:
        if isinstance(act, Judged):
            now = partial(value_now, point, act.criterion)
            snippets = (
                replace(each, value=now(each.value)) if each.value is not None else each for each in act.evidence
            )
            value = act.value if act.value is None else now(act.value)
            act = replace(act, value=value, evidence=tuple(snippets))
        yield where, act


def _pieces(acts: Sequence[PlacedAct]) -> Iterator[list[PlacedAct]]:
    """Yield pieces of at least `AT_ONCE` acts (the last may have fewer), each with whole topics."""
    by_topic: dict[str, list[PlacedAct]] = {}
    for each in acts:
        by_topic.setdefault(each[1].topic, []).append(each)
    piece: list[PlacedAct] = []
    for said in by_topic.values():
        piece += said
        if len(piece) >= AT_ONCE:
            yield piece
            piece = []
    if piece:
        yield piece


def _record_piece(
    actor: User,
    campaign: Campaign,
    name: str,
    acts: Sequence[PlacedAct],
    passed: _Passed,
    *,
    in_setup: bool,
    is_brought: bool,
) -> tuple[User, int]:
    """Record these acts in one transaction. Return the machine's account and the number of rows added to ledgers.

    Raises `Conflict` if the campaign is not being judged (with ``in_setup``, it may also be in setup), and what
    `machine_account` raises.
    """
    before_piece = passed.counts.copy()
    with transaction.atomic():
        locked = hold_work(campaign)[0]
        if campaign.design == locked.design:
            campaign.settings = locked.settings
        is_set_up = in_setup and locked.state == Campaign.State.SETUP
        if is_set_up:
            set_state_within(campaign, Campaign.State.JUDGING)
        else:
            require_judging(locked)
        machine = machine_account(actor=actor, campaign=campaign, name=name)
        before = ledger_point(campaign)
        offering = _record(actor, campaign, machine, acts, passed)
        activities = Activity.objects.filter(id__gt=before, campaign=campaign).count()
        added = rows_since(campaign, before) - activities
        if added:
            passed_over = dict(passed.counts - before_piece)
            data = {"machine": machine.pk, "lines": len(acts), "rows": added, "passed over": passed_over}
            data |= {"brought": True} if is_brought else {"name": machine.first_name}
            data |= {"offered": offering} if offering else {}
            record_activity(actor=actor, action="machine.import", campaign=campaign, data=data)
        if is_set_up:
            set_state_within(campaign, Campaign.State.SETUP)
    return machine, added


def machine_account(*, actor: User, campaign: Campaign, name: str) -> User:
    """Return the account of the campaign's machine judge with this name; make it, and its seat, if necessary. Nobody
    can log in to it.

    Names that differ only in case, accents and punctuation, or in how many spaces separate words, are one judge.
    Refused: a name without letters and digits, one that is too long, and one whose account is a person's or judges here
    as a person.
    """
    name = " ".join(name.split())
    slug = slugify("".join(letter for letter in normalize("NFKD", name) if not combining(letter)), allow_unicode=True)
    if not slug or len(name) > NAME_LIMIT:
        raise Invalid(
            Sentence(
                "Give the machine judge a name of letters and digits, at most %(name_limit)s characters.",
                name_limit=NAME_LIMIT,
            )
        )
    username = f"machine-{slug}@{campaign.slug}"[:150]
    machine = closed_account(username, first_name=name)
    if machine is None:
        raise Conflict(
            Sentence("%(username)s is a person's account. Give the machine judge another name.", username=username)
        )
    seat, joined = Membership.objects.get_or_create(
        campaign=campaign, user=machine, role=Role.ASSESSOR, defaults={"is_machine": True}
    )
    if not seat.is_machine:
        raise Conflict(
            Sentence("%(username)s judges here as a person. Give the machine judge another name.", username=username)
        )
    if joined:
        data = {"user": machine.pk, "name": name}
        record_activity(actor=actor, action="machine.add", campaign=campaign, about=seat, data=data)
    return machine


def machine_assignment(*, actor: User, campaign: Campaign, topic: Topic, stage: Stage, machine: User) -> Assignment:
    """Return the machine's own assignment in a stage of a topic; make it if necessary. It waits for no other stage."""
    topic.campaign = campaign
    found = topic.assignments.filter(stage=stage.key, assessor=machine, role=MACHINE).first()
    if found is None:
        found = new_assignment(
            campaign=campaign,
            topic=topic,
            stage=stage.key,
            assessor=machine,
            role=MACHINE,
            is_started=True,
        )
        add_assignments(actor=actor, campaign=campaign, assignments=[found])
    found.campaign, found.topic = campaign, topic
    return found


@dataclass(slots=True)
class _Passed:
    """Collects what was skipped: counts by reason, and the first issues."""

    counts: Counter[str] = field(default_factory=Counter)
    first: list[Issue] = field(default_factory=list)

    def __call__(self, issue: Issue) -> None:
        self.counts[issue.code] += 1
        if len(self.first) < SHOWN:
            self.first.append(replace(issue, severity="warning"))


def _record(
    actor: User, campaign: Campaign, machine: User, acts: Sequence[PlacedAct], report: Report
) -> list[list[str]]:
    """Record the acts topic by topic and stage by stage, in the track's order. Return [stage, topic number] for each
    assignment of the machine whose judgments people can be offered as drafts.
    """
    offering: list[list[str]] = []
    topics = {topic.number: topic for topic in judged_topics(campaign)}
    by_topic: dict[str, list[PlacedAct]] = {}
    for where, act in acts:
        if act.topic in topics:
            by_topic.setdefault(act.topic, []).append((where, act))
        else:
            message = KnownNames(topics).lacks("topic", act.topic, "It is not among those that are judged here.")
            report(Issue(where=where, code="unknown-topic", message=message))
    for number, said in by_topic.items():
        topic = topics[number]
        left = said
        task = track_of(campaign).task(topic.task)
        for stage in (stage_of(campaign, each.key)[1] for each in (task.stages if task is not None else ())):
            kind = work_kind(stage.work.key)
            mine = [each for each in left if kind.accepts(stage, each[1])]
            if kind.record_machine is None or not mine:
                continue
            left = [each for each in left if not kind.accepts(stage, each[1])]
            work = machine_assignment(actor=actor, campaign=campaign, topic=topic, stage=stage, machine=machine)
            Assignment.objects.filter(pk=work.pk).update(state=Assignment.State.STARTED, done_at=None)
            work.state = Assignment.State.STARTED
            kind.record_machine(work, stage, mine, report)
            if kind.draft_uses is not None:
                offering.append([stage.key, number])
            Assignment.objects.filter(pk=work.pk).update(state=Assignment.State.DONE, done_at=timezone.now())
        for where, _ in left:
            message = f"Topic {number} has no stage in which a machine can say this."
            report(Issue(where=where, code="no-stage", message=message))
    return offering


# When assessors see machine judgments: never, after judging an item themselves, or at once.


def change_drafts(
    *, actor: User, campaign: Campaign, drafts: str, share: float | None = None, seed: int | None = None
) -> Campaign:
    """Set when machine judgments are shown. Each judgment made before keeps the record of what was in sight then.

    In ``share`` of the topics, drawn with ``seed``, they are never shown. None leaves a value as it is; setting a share
    when there is no seed yet draws one. Refused: a value that is none of `Drafts`, a share or a seed out of bounds, and
    a frozen campaign.
    """
    if drafts not in Drafts.values:
        raise Invalid(
            gettext("%(drafts)s is none of: %(values)s.") % {"drafts": drafts[:20], "values": ", ".join(Drafts.values)}
        )
    if share is not None and not 0 <= share <= 1:
        raise Invalid(
            gettext("The share of topics without drafts must be a number from 0 to 1, such as 0.2."), field="share"
        )
    if seed is not None and not 0 <= seed <= SEED_LIMIT:
        raise Invalid(
            gettext("The seed must be a whole number from 0 to %(seed_limit)s.") % {"seed_limit": grouped(SEED_LIMIT)},
            field="seed",
        )
    with transaction.atomic():
        before = _drafts_values(lock_open(campaign))
        campaign.drafts = drafts
        campaign.draftless_share = before["share"] if share is None else share
        campaign.draftless_seed = before["seed"] if seed is None else seed
        if campaign.draftless_share and not campaign.draftless_seed:
            campaign.draftless_seed = 1 + secrets.randbelow(SEED_LIMIT)
        after = _drafts_values(campaign)
        if before != after:
            campaign.save(update_fields=["drafts", "draftless_share", "draftless_seed"])
            changed = {name: {"from": before[name], "to": after[name]} for name in after if before[name] != after[name]}
            data = changed.pop("drafts", {"from": drafts, "to": drafts}) | changed
            data |= {"offered": offering} if (offering := _offering(campaign)) else {}
            record_activity(actor=actor, action="campaign.drafts", campaign=campaign, about=campaign, data=data)
    return campaign


def _drafts_values(campaign: Campaign) -> dict[str, Any]:
    return {"drafts": campaign.drafts, "share": campaign.draftless_share, "seed": campaign.draftless_seed}


def _offering(campaign: Campaign) -> list[list[str]]:
    """Return (stage, topic number) for each topic in which drafts of machines can be accepted; empty if drafts are not
    open.
    """
    if campaign.drafts != Drafts.OPEN:
        return []
    stages = [
        stage.key for task in track_of(campaign).tasks for stage in task.stages if work_kind(stage.work.key).draft_uses
    ]
    held = campaign.assignments.filter(role=MACHINE, stage__in=stages, topic__dropped=False)
    return sorted(map(list, held.order_by().values_list("stage", "topic__number").distinct()))
