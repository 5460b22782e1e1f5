"""Handing out assignments, opening them, finishing them and giving them back."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Model, Q
from django.utils import timezone
from django.utils.translation import gettext

from assess.assignments.domain.held_work import (
    Stopped,
    lock_assignment,
    renew_lease,
    require_counted,
    require_judging,
    require_open_for_writing,
    require_round,
)
from assess.assignments.domain.leases import restart_waiting
from assess.assignments.models import Assignment
from assess.assignments.own_teams import require_other_teams
from assess.assignments.queries.handoffs import in_chains
from assess.assignments.queries.other_roles import followed, handed_on, overtaken, recorded_in_another_role
from assess.assignments.queries.waiting import waiting_reasons
from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.campaigns.activity import lock_open, record_activities, record_activity
from assess.campaigns.grown_work import recheck_done_work
from assess.campaigns.models import JUDGES, Campaign, Membership, Role
from assess.campaigns.queries import lease_end, stage_of, track_of
from assess.campaigns.track_texts import in_language
from assess.kinds.base import work_kind
from assess.practice.queries import require_practised
from assess.protocol import Stage, Task
from assess.topics.models import Topic

Act = tuple[User, str, Model, dict[str, Any]]
PEOPLES_ROLES = tuple(role for role in Assignment.Role.values if role != Assignment.Role.MACHINE)


def create_assignment(
    *,
    actor: User,
    campaign: Campaign,
    topic: Topic,
    stage: str,
    assessor: User,
    role: str = Assignment.Role.PRIMARY,
    taken_over: Assignment | None = None,
) -> Assignment:
    """Give one stage of one topic to an assessor, and record it. Doing it again returns the existing assignment.

    Work that they gave back or that was taken from them is theirs again, with all that they did in it, unless another
    primary assessor recorded something in the stage since. If they handed it over and that work was given back, too,
    the new assignment continues it. ``taken_over`` is the ended assignment that this one continues.

    Raises `Invalid` for a stage that the topic's task does not have, an unknown role, and a person who does not judge
    in this campaign. Raises `Conflict` for a closed campaign, a dropped topic, and a second primary assessor of the
    stage. Raises `Conflict`, too, for a person who has the stage in another role, handed it over to somebody who has it
    (`handed_on`), or recorded something in it (`recorded_in_another_role`, `overtaken`); and what `require_other_teams`
    raises.
    """
    _, found = stage_of_topic(campaign=campaign, topic=topic, stage=stage)
    if role not in PEOPLES_ROLES:
        raise Invalid(gettext("%(role)s is not a role. Use primary, second or adjudicator.") % {"role": role})
    require_counted(topic)
    try:
        with transaction.atomic():
            lock_open(campaign)  # no member can leave until this is written
            _require_judge(campaign=campaign, assessor=assessor)
            live = topic.assignments.filter(stage=found.key).exclude(state=Assignment.State.RETURNED)
            mine = live.filter(assessor=assessor).first()
            if mine is not None:
                if mine.role != role:
                    named = f"{found.label} of {topic.number}, as {mine.get_role_display()}"
                    raise Conflict(gettext("%(user)s already has %(named)s.") % {"user": assessor, "named": named})
                return mine
            require_other_teams(actor=actor, campaign=campaign, topic=topic, assessor=assessor)
            own = topic.assignments.filter(stage=found.key, assessor=assessor)
            named_work = {"user": assessor, "label": in_language(found.label), "number": topic.number}
            if (before := recorded_in_another_role(own, role).first()) is not None:
                raise Conflict(
                    gettext("%(user)s judged %(label)s of %(number)s as %(role)s. Choose somebody else for this role.")
                    % {**named_work, "role": before.get_role_display()}
                )
            if handed_on(own).exists():
                raise Conflict(
                    gettext(
                        "%(user)s handed over %(label)s of %(number)s, and somebody else goes on with it. "
                        "Choose somebody else."
                    )
                    % named_work
                )
            if role == Assignment.Role.PRIMARY and taken_over is None and overtaken(own).exists():
                raise Conflict(
                    gettext(
                        "Somebody else judged %(label)s of %(number)s after %(user)s, and that counts. "
                        "Choose somebody else."
                    )
                    % named_work
                )
            if taken_over is None and (before := own.filter(role=role).order_by("pk").last()) is not None:
                last = Assignment.objects.filter(in_chains([before.chain_start_or_own_id])).latest("pk")
                if last != before:
                    taken_over = last if last.state == Assignment.State.RETURNED else None
                elif not followed(own.filter(pk=before.pk)).exists():
                    return _given_again(actor=actor, campaign=campaign, assignment=before)
            made = new_assignment(
                campaign=campaign,
                topic=topic,
                stage=found.key,
                assessor=assessor,
                role=role,
                taken_over=taken_over,
            )
            add_assignments(actor=actor, campaign=campaign, assignments=[made])
            return made
    except IntegrityError as error:
        raise Conflict(
            gettext("%(label)s of %(number)s already has its primary assessor. Hand it out to a second assessor.")
            % {"label": in_language(found.label), "number": topic.number}
        ) from error


def _given_again(*, actor: User, campaign: Campaign, assignment: Assignment) -> Assignment:
    """Give returned work to its assessor again, and return it."""
    assignment.campaign = campaign
    assignment.state = Assignment.State.STARTED if assignment.started_at else Assignment.State.OPEN
    assignment.lease_until = lease_end(campaign)
    assignment.save(update_fields=["state", "lease_until"])
    record_activities(campaign=campaign, acts=[_handed_out(actor, assignment)])
    return assignment


def _require_judge(*, campaign: Campaign, assessor: User) -> None:
    """Raise `Invalid` for somebody who does not judge in the campaign, and for machines. One query."""
    seats = Membership.objects.filter(campaign=campaign, user=assessor, role__in=JUDGES)
    machine = seats.values_list("is_machine", flat=True).first()
    if machine is None:
        raise Invalid(
            gettext("%(assessor)s does not judge in this campaign. Add them as assessor first.")
            % {"assessor": assessor}
        )
    if machine:
        message = gettext("%(assessor)s is a machine judge. Import its labels instead of handing it work.")
        raise Invalid(message % {"assessor": assessor})


def new_assignment(
    *,
    campaign: Campaign,
    topic: Topic,
    stage: str,
    assessor: User,
    role: str,
    is_started: bool = False,
    taken_over: Assignment | None = None,
) -> Assignment:
    """Return an assignment that is not stored yet. Its lease begins now, except that a machine's has none.

    One that continues another shows its items in the same order, and belongs to the same chain.
    """
    return Assignment(
        campaign=campaign,
        topic=topic,
        stage=stage,
        assessor=assessor,
        role=role,
        seed=taken_over.seed if taken_over is not None else secrets.randbits(63),
        state=Assignment.State.STARTED if is_started else Assignment.State.OPEN,
        started_at=timezone.now() if is_started else None,
        lease_until=lease_end(campaign) if role != Assignment.Role.MACHINE else None,
        taken_over=taken_over,
        chain_start_id=taken_over.chain_start_or_own_id if taken_over is not None else None,
    )


def add_assignments(*, actor: User, campaign: Campaign, assignments: Sequence[Assignment]) -> None:
    """Store new assignments and record an activity for each, and another one if it continues an ended assignment.

    The caller makes all checks and takes the locks. Raises `Conflict` in a closed campaign.
    """
    Assignment.objects.bulk_create(assignments, batch_size=500)
    acts: list[Act] = []
    for each in assignments:
        acts.append(_handed_out(actor, each))
        if (before := each.taken_over) is not None:
            over = {"from": before.assessor_id, "to": each.assessor_id, "before": before.pk}
            acts.append((actor, "assignment.hand_over", each, over))
    record_activities(campaign=campaign, acts=acts)


def _handed_out(actor: User, assignment: Assignment) -> Act:
    data = {"topic": assignment.topic.number, "stage": assignment.stage, "assessor": assignment.assessor_id}
    return actor, "assignment.create", assignment, data | {"role": assignment.role}


def stage_of_topic(*, campaign: Campaign, topic: Topic, stage: str) -> tuple[Task, Stage]:
    """Return the task and the stage with this key. Raises `Invalid` if the topic's task does not have it."""
    found = track_of(campaign).stage(stage)
    if found is None or found[0].key != topic.task:
        task = track_of(campaign).task(topic.task)
        known = ", ".join(each.key for each in task.stages) if task is not None else "none"
        raise Invalid(
            gettext("Topic %(number)s has no stage “%(stage)s”. Its stages are: %(known)s.")
            % {"number": topic.number, "stage": stage, "known": known}
        )
    return found


def waiting_for(assignment: Assignment, *, with_rounds: bool = True) -> str:
    """Return a sentence that says why the assignment is not open yet, or "" if it is open."""
    return waiting_reasons([assignment], with_rounds=with_rounds).get(assignment.pk, "")


def open_assignment(*, actor: User, assignment: Assignment, with_rounds: bool = True) -> Assignment:
    """Open an assignment for the first time. If it is open already, only renew its lease, if it is time.

    Opening records an activity and prepares the bench (`WorkKind.begin`). A done or returned assignment is returned as
    it is. Raises `NotAllowed` for anybody but its assessor; `Stopped`; `Conflict` if the campaign is not being judged,
    the topic was dropped, or the assignment waits (`waiting_for`); and what `require_other_teams` and
    `require_practised` raise. In replays, ``with_rounds`` is false, since judgments from elsewhere may not have kept
    the order of rounds.
    """
    if assignment.assessor_id != actor.pk:
        raise NotAllowed(gettext("This work belongs to somebody else."))
    require_other_teams(actor=actor, campaign=assignment.campaign, topic=assignment.topic, assessor=actor)
    if assignment.state == Assignment.State.STOPPED:
        raise Stopped(assignment)
    renew_lease(assignment)
    if assignment.state != Assignment.State.OPEN:
        return assignment
    require_judging(assignment.campaign)
    require_counted(assignment.topic)
    if reason := waiting_for(assignment, with_rounds=with_rounds):
        raise Conflict(reason)
    if with_rounds and assignment.role in (Assignment.Role.PRIMARY, Assignment.Role.SECOND):
        require_practised(assignment.campaign, stage_of(assignment.campaign, assignment.stage)[1], actor)
    with transaction.atomic():
        opened = Assignment.objects.filter(pk=assignment.pk, state=Assignment.State.OPEN).update(
            state=Assignment.State.STARTED, started_at=timezone.now()
        )
        if opened:
            record_activity(actor=actor, action="assignment.open", campaign=assignment.campaign, about=assignment)
            _, stage = stage_of(assignment.campaign, assignment.stage)
            if (begin := work_kind(stage.work.key).begin) is not None:
                assignment.state = Assignment.State.STARTED
                begin(actor, assignment)
    assignment.state = Assignment.State.STARTED
    return assignment


def begun_too_early(assignment: Assignment) -> str:
    """Return a sentence that says why an assignment begun before there were runs can't be finished yet, or ""."""
    _, stage = stage_of(assignment.campaign, assignment.stage)
    return waiting_reasons([assignment], to_finish=True).get(assignment.pk, "") if stage.without_runs else ""


def finish_assignment(*, actor: User, assignment: Assignment) -> Assignment:
    """Mark an assignment as done. Doing it again changes nothing.

    Raises `Conflict` while something is missing, with a sentence that says what, and what `require_open` raises.
    Looking for what is missing may let a pool grow; its new items are then missing, too.
    """
    if assignment.state == Assignment.State.DONE:
        return assignment
    require_open_for_writing(actor=actor, assignment=assignment)
    if reason := what_is_missing(assignment):
        raise Conflict(reason)
    return mark_done(actor=actor, assignment=assignment)


def what_is_missing(assignment: Assignment) -> str:
    """Return a sentence that says why an assignment can't be finished yet, or "". The call may extend a pool."""
    _, stage = stage_of(assignment.campaign, assignment.stage)
    return begun_too_early(assignment) or work_kind(stage.work.key).missing(assignment)


def mark_done(*, actor: User, assignment: Assignment) -> Assignment:
    """Mark an assignment as done, as `finish_assignment` does, but without looking for what is missing.

    The leases of the topic's unopened assignments restart. After the commit, the assignment is reopened if items were
    added meanwhile. Raises what `require_open` raises, also for one that is done.
    """
    with transaction.atomic():
        beside = Assignment.objects.filter(topic=assignment.topic_id).order_by("pk").select_for_update(no_key=True)
        assignment.state = dict(beside.values_list("pk", "state"))[assignment.pk]  # locks those that wait for it, too
        require_open_for_writing(actor=actor, assignment=assignment)
        restart_waiting(assignment)
        own = Q(pk=assignment.pk)  # the check after the commit finds what was added since the caller looked
        campaign, topics = assignment.campaign, [assignment.topic_id]
        transaction.on_commit(lambda: recheck_done_work(campaign=campaign, topics=topics, only=own), robust=True)
        return _move(actor=actor, assignment=assignment, state=Assignment.State.DONE, action="assignment.done")


def reopen_assignment(*, actor: User, assignment: Assignment) -> Assignment:
    """Reopen a done assignment so that its assessor can change something; the assessor or an organiser may do it.

    An assignment that is open, or was given back, stays as it is. Raises `NotAllowed` for anybody else; `Conflict` for
    a machine's assignment, a dropped topic, a campaign that is not being judged, and a first round of which the second
    has begun; `Stopped` for a stopped one, which is opened again by undoing the stop; and what `require_other_teams`
    raises.
    """
    if assignment.assessor_id != actor.pk and not _organises(actor, assignment.campaign):
        raise NotAllowed(gettext("This work belongs to somebody else."))
    if assignment.role == Assignment.Role.MACHINE:
        raise Conflict(gettext("This is a machine's work. Import its labels again instead."))
    require_judging(assignment.campaign)
    require_counted(assignment.topic)
    if assignment.state == Assignment.State.STOPPED:
        raise Stopped(assignment)
    if assignment.state != Assignment.State.DONE:
        return assignment
    require_round(assignment)
    require_other_teams(actor=actor, campaign=assignment.campaign, topic=assignment.topic, assessor=assignment.assessor)
    with transaction.atomic():
        assignment.state = lock_assignment(assignment).state
        if assignment.state != Assignment.State.DONE:  # taken away or reopened at this moment
            return assignment
        return _move(actor=actor, assignment=assignment, state=Assignment.State.STARTED, action="assignment.reopen")


def _organises(actor: User, campaign: Campaign) -> bool:
    return actor.is_superuser or campaign.memberships.filter(user=actor, role=Role.ORGANISER).exists()


def return_assignment(*, actor: User, assignment: Assignment) -> Assignment:
    """Give an assignment back as its assessor, or take it away as organiser. Its judgments stay in the ledger.

    Doing it again changes nothing. Raises `Stopped` for a stopped assignment unless the actor is an organiser: if its
    assessor gave it back, it would wait for somebody again. Raises `Conflict` in a closed campaign. The caller must
    check that the actor is the assessor or an organiser.
    """
    with transaction.atomic():
        locked = lock_assignment(assignment)
        assignment.state, assignment.lease_until = locked.state, locked.lease_until
        if assignment.state == Assignment.State.RETURNED and not assignment.has_lapsed:
            return assignment
        if assignment.state == Assignment.State.STOPPED and not _organises(actor, assignment.campaign):
            raise Stopped(assignment)
        return _move(actor=actor, assignment=assignment, state=Assignment.State.RETURNED, action="assignment.return")


def _move(*, actor: User, assignment: Assignment, state: str, action: str) -> Assignment:
    with transaction.atomic():
        move_assignments(
            actor=actor, campaign=assignment.campaign, assignments=[assignment], state=state, action=action
        )
    return assignment


def move_assignments(
    *, actor: User, campaign: Campaign, assignments: Sequence[Assignment], state: str, action: str
) -> None:
    """Give assignments a state, with the lease that belongs to it, and record an activity for each.

    The caller makes all checks and begins the transaction. Raises `Conflict` in a closed campaign.
    """
    done_at = timezone.now() if state == Assignment.State.DONE else None
    until = lease_end(campaign) if state == Assignment.State.STARTED else None
    moved = Assignment.objects.filter(pk__in=[each.pk for each in assignments])
    moved.update(state=state, done_at=done_at, lease_until=until)
    record_activities(campaign=campaign, acts=[(actor, action, each, {}) for each in assignments])
    for each in assignments:
        each.state, each.done_at, each.lease_until = state, done_at, until
