"""An assignment held for one addition to a ledger: its lock, what the addition depends on, and whether it is allowed.

Everything that is recorded under an assignment, grades and marks and lists alike, asks here whether it may be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as noop

from assess.assignments.domain.leases import LIVE, Lapsed
from assess.assignments.models import Assignment
from assess.assignments.queries.stops import stop_of
from assess.assignments.queries.waiting import PEERS, is_round_in_force, waiting_reasons
from assess.base.errors import Conflict, NotAllowed
from assess.base.plain_reads import first_row
from assess.base.wording import inside_quotes
from assess.campaigns.designs import require_design_in_force
from assess.campaigns.grown_work import recheck_done_work
from assess.campaigns.models import Campaign
from assess.campaigns.queries import lease_end, stage_of
from assess.campaigns.track_texts import in_language
from assess.items.models import Item
from assess.items.queries import are_pooled
from assess.protocol import Stage
from assess.runs.queries import without_names
from assess.topics.models import Topic

IN_FORCE = """
(SELECT id FROM assess_guideline WHERE campaign_id = campaign.id ORDER BY version DESC LIMIT 1),
(SELECT max(id) FROM assess_pool WHERE campaign_id = campaign.id AND task = {task} AND NOT unfinished),
EXISTS (SELECT 1 FROM assess_assignment WHERE topic_id = topic.id AND role = 'machine')
"""
"""SQL expressions to select beside a campaign and a topic: the ids of its current guidelines and of the task's current
pool, and whether a machine judged anything in the topic.
"""
AFTER_LOCK = f"""
SELECT campaign.state, topic.dropped, {IN_FORCE.format(task="topic.task")}
FROM assess_topic AS topic JOIN assess_campaign AS campaign ON campaign.id = topic.campaign_id WHERE topic.id = %s
"""


@dataclass(frozen=True, slots=True)
class HeldWork:
    """An assignment whose row is locked for one addition to a ledger, and what that addition depends on.

    ``assignment`` was read with the lock. The state of its campaign, whether its topic is dropped, ``guideline`` (the
    id of the current guidelines), ``pool`` (the id of the current pool) and ``has_machine`` (whether a machine judged
    anything in the topic) were read after it: on PostgreSQL, a statement that waits for a lock sees all other rows as
    they were before the wait (docs/decisions/0006). ``item`` is the item for which the assignment is held, if any, and
    ``is_pooled`` says whether that pool contains it; they were read after the lock, too.
    """

    assignment: Assignment
    stage: Stage
    guideline: int | None
    pool: int | None
    has_machine: bool
    item: Item | None = None
    is_pooled: bool = False

    @classmethod
    def of(cls, locked: Assignment) -> HeldWork:
        """Return a locked assignment with what a write under it depends on, read now. One short statement.

        The assignment's campaign and topic get the state that they have now.
        """
        found = first_row(AFTER_LOCK, [locked.topic_id])
        locked.campaign.state, locked.topic.dropped, guideline, pool, has_machine = found or ("", True, None, None, 0)
        return cls(locked, stage_of(locked.campaign, locked.stage)[1], guideline, pool, bool(has_machine))

    def are_pooled(self, items: Sequence[Item]) -> bool:
        """Return whether all these items, each given once, are in the current pool.

        No query for the item for which the assignment is held.
        """
        return (self.is_pooled and list(items) == [self.item]) or are_pooled(self.pool, items)


@contextmanager
def hold(assignment: Assignment) -> Iterator[HeldWork]:
    """Lock an assignment for one addition to a ledger. The block is a transaction or savepoint of its own, which
    `add_once` may undo.
    """
    with transaction.atomic():
        yield HeldWork.of(lock_assignment(assignment))


def lock_assignment(assignment: Assignment) -> Assignment:
    """Lock the assignment until the transaction ends, so that writes under it take turns; return it as it is now.

    Its campaign and assessor are those of ``assignment`` and are not read again.
    """
    rows = Assignment.objects.select_related("topic").select_for_update(no_key=True, of=("self",))
    locked = rows.get(pk=assignment.pk)
    locked.campaign = locked.topic.campaign = assignment.campaign
    locked.assessor = assignment.assessor
    return locked


# May anything be written under it now? The rules of one kind of work stand in its `record.py`.


CLOSED_FOR_JUDGING = {
    "setup": noop("The campaign has not begun judging, so nothing can be judged now. An organiser can open judging."),
    "frozen": noop("The campaign is frozen, so nothing can be judged now. An organiser can open it again."),
    "released": noop(
        "The campaign is released, so nothing can be judged now. An organiser can open it for a correction."
    ),
}


def require_judging(campaign: Campaign) -> None:
    """Raise `Conflict` if the campaign is not being judged."""
    if campaign.state != Campaign.State.JUDGING:
        raise Conflict(_not_judging(campaign))


def _not_judging(campaign: Campaign) -> str:
    return gettext(CLOSED_FOR_JUDGING[campaign.state])


def require_counted(topic: Topic) -> None:
    """Raise `Conflict` (code "topic-dropped") if the topic was dropped."""
    if topic.dropped:
        raise Conflict(
            gettext("Topic %(topic)s was dropped, so nothing can be judged in it. What was judged in it is kept.")
            % {"topic": topic.number},
            code="topic-dropped",
        )


DONE = noop("This work is marked as done. Take it up again before you change anything.")
NOT_STARTED: dict[str, str] = {
    Assignment.State.OPEN: noop("Open the work before you judge."),
    Assignment.State.DONE: DONE,
    Assignment.State.RETURNED: noop(
        "This work was given back, so nothing more is judged in it. What you judged before that is kept."
    ),
}


def require_open_for_writing(*, actor: User, assignment: Assignment) -> None:
    """Raise what `require_open` raises for a locked assignment, after reading the campaign's state again."""
    states = Campaign.objects.values_list("state", flat=True)
    assignment.campaign.state = states.get(pk=assignment.campaign_id)
    require_open(actor=actor, assignment=assignment)


def require_open(*, actor: User, assignment: Assignment) -> None:
    """Raise `NotAllowed` for a write to somebody else's assignment, and `Conflict` for one that is not open.

    It is open if it was begun and is neither done, stopped nor given back, its topic was not dropped, the campaign is
    being judged, and no values of its scale were moved since the write was prepared. In a campaign that is being
    imported, every assignment is open. The campaign's state must have been read after the assignment was locked, as
    `HeldWork` does: then nothing is written after a freeze. A write shows that the assessor is at work, so the lease is
    renewed if it is time. After the commit, done assignments that the write may concern are checked again.
    """
    if assignment.assessor_id != actor.pk:
        raise NotAllowed(gettext("This work belongs to somebody else."))
    if assignment.campaign.state == Campaign.LOADING:
        return  # the imported release was written when the assignment was open
    require_judging(assignment.campaign)
    require_counted(assignment.topic)
    require_design_in_force(assignment.campaign)
    if assignment.state != Assignment.State.STARTED:
        raise _not_started(assignment)
    if assignment.role == Assignment.Role.MACHINE:
        return  # a machine's assignment has no lease, and its judgments reopen nobody's assignment
    renew_lease(assignment)
    transaction.on_commit(lambda: _recheck_beside(actor, assignment), robust=True)  # the write is kept in any case


class Stopped(Conflict):
    """The refusal of a write to a stopped assignment, which an organiser can open again.

    ``reason`` is why it was stopped, without names of runs and teams, and ``at`` is when; they are "" and None if that
    is unknown.
    """

    code = "stopped"

    def __init__(self, assignment: Assignment) -> None:
        act = stop_of(assignment)
        self.at = act.created_at if act is not None else None
        self.reason = without_names(assignment.campaign, act.data["reason"]) if act is not None else ""
        said = [gettext("An organiser stopped the judging of this work.")]
        if self.reason:
            said.append(gettext("The reason: “%(reason)s”.") % {"reason": inside_quotes(self.reason)})
        said.append(gettext("What was judged is kept and counts; an organiser can open the work again."))
        super().__init__(" ".join(said))


def _not_started(assignment: Assignment) -> Conflict:
    if assignment.has_lapsed:
        return Lapsed(assignment)
    if assignment.state == Assignment.State.STOPPED:
        return Stopped(assignment)
    if waits := waiting_reasons([assignment]).get(assignment.pk):
        return Conflict(waits)
    return Conflict(gettext(NOT_STARTED[assignment.state]))


def require_round(assignment: Assignment, *, is_new: Callable[[], bool] = lambda: False) -> None:
    """Raise `Conflict` for a change in a first round after the assessor began the second. One query if the stage has
    rounds.

    Items that were added after the assignment was done may still be judged; ``is_new`` returns whether this item is one
    of them.
    """
    if (later := _second_round_begun(assignment)) and not (assignment.has_grown and is_new()):
        raise Conflict(_round_closed(assignment, later))


def _round_closed(assignment: Assignment, later: Stage) -> str:
    _, stage = stage_of(assignment.campaign, assignment.stage)
    return gettext(
        "You have begun “%(later)s” of this topic, so “%(stage)s” is closed: it was to be done before. "
        "If something in it is wrong, ask an organiser."
    ) % {"later": in_language(later.label), "stage": in_language(stage.label)}


def _second_round_begun(assignment: Assignment) -> Stage | None:
    """Return the second-round stage that the assessor has begun on the topic, and that therefore closes the stage of
    this assignment. Return None if there is no such stage.

    One query; none if this stage is not a first round.
    """
    task, stage = stage_of(assignment.campaign, assignment.stage)
    second = (each for each in task.stages if each.first_round == stage.key)
    later = next((each for each in second if is_round_in_force(assignment.campaign, each)), None)
    if later is None or assignment.role not in PEERS:
        return None
    begun = Assignment.objects.filter(
        topic=assignment.topic_id,
        stage=later.key,
        assessor=assignment.assessor_id,
        role__in=PEERS,
        started_at__isnull=False,
    )
    return later if begun.exists() else None


def why_closed(assignment: Assignment) -> str:
    """Return a sentence that says why nothing can be recorded in an assignment that its bench shows, or "" if it can.

    The reasons are the campaign's state, a done assignment, and those of `require_round`; for all others the bench is
    not shown at all. One query if the stage has rounds.
    """
    if assignment.campaign.state != Campaign.State.JUDGING:
        return _not_judging(assignment.campaign)
    if assignment.state == Assignment.State.DONE:
        return gettext(DONE)
    later = None if assignment.has_grown else _second_round_begun(assignment)
    return _round_closed(assignment, later) if later is not None else ""


# After a write: the lease goes on, and others' done assignments may have something to do again.

RENEW_BELOW = 0.9  # of the whole lease: a lease of two days is written at most every five hours


def renew_lease(assignment: Assignment, *, now: datetime | None = None) -> None:
    """Restart the lease of an assignment, because its assessor is at work.

    Writes nothing while nine tenths of the lease are left.
    """
    now = now or timezone.now()
    until = lease_end(assignment.campaign, now=now)
    if until is None or assignment.state not in LIVE:
        return
    present = assignment.lease_until
    if present is not None and present - now >= (until - now) * RENEW_BELOW:
        return
    renewed = Assignment.objects.filter(pk=assignment.pk, state__in=LIVE).update(lease_until=until)
    if renewed:
        assignment.lease_until = until


DONE_BESIDE = """
SELECT 1 FROM assess_assignment
WHERE topic_id = %s AND id != %s AND (state = 'done' OR done_at IS NOT NULL) LIMIT 1
"""


def _recheck_beside(actor: User, assignment: Assignment) -> None:
    """Check the topic's other done assignments, since a write under this one may have added something to do there.

    It checks assignments of later stages, which may depend on judgments of this stage, and assignments of stages that
    ask for the same criterion. In the stage itself, adjudicators' assignments are checked, and everybody's if assessors
    may add answers. One short statement if no other assignment of the topic was ever done.
    """
    topic = assignment.topic_id
    if first_row(DONE_BESIDE, [topic, assignment.pk]) is None:
        return
    task, stage = stage_of(assignment.campaign, assignment.stage)
    after = [each.key for each in task.stages[[each.key for each in task.stages].index(stage.key) + 1 :]]
    same = [each.key for each in task.stages if each.key != stage.key and stage.work.judged & each.work.judged]
    in_stage = Q(stage=stage.key)
    only = Q(stage__in={*after, *same}) | (in_stage if stage.work.may_add else in_stage & ~Q(role__in=PEERS))
    recheck_done_work(
        campaign=assignment.campaign, actor=actor, topics=[assignment.topic_id], only=only & ~Q(pk=assignment.pk)
    )
