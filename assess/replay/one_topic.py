"""Replay the recorded lines of one topic: stage by stage and person by person, each in their own assignment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from django.contrib.auth.models import User
from django.utils import timezone

from assess.assignments.domain.assignments import (
    create_assignment,
    mark_done,
    open_assignment,
    waiting_for,
    what_is_missing,
)
from assess.assignments.domain.begun_at_once import begin_at_once, end_at_once
from assess.assignments.models import Assignment
from assess.base.errors import Refused
from assess.kinds.base import work_kind
from assess.machines.domain import machine_account, machine_assignment
from assess.protocol import Stage
from assess.replay.session import Desk, ReplayLine, Session
from assess.topics.models import Topic
from assess.work.domain import hand_over
from scoring.formats.judgments_jsonl import ORDER

MACHINE = Assignment.Role.MACHINE
_PLACES = {kind: place for place, kind in enumerate(ORDER)}
ROLES = {"": Assignment.Role.PRIMARY, "second": Assignment.Role.SECOND, "adjudicator": Assignment.Role.ADJUDICATOR}


def replay_topic(session: Session, *, topic: Topic, stages: Iterable[Stage], lines: list[ReplayLine]) -> None:
    """Replay the lines of one topic, stage by stage in the track's order, and person by person. Lines of no stage, and
    what is refused, become problems of the session.

    A topic that nobody had work on before, and whose finished work nothing can open again, is added to
    `Session.settled`.
    """
    stages = list(stages)
    begun = set(topic.assignments.order_by().values_list("stage", flat=True))
    parted, left = stage_by_stage(session, topic, lines, stages)
    for stage in stages:
        groups = parted[stage.key]
        is_asked = "adjudicator" in {role for role, _ in groups} or any(
            parted[each.key] and stage.key in (each.after, each.first_round) for each in stages
        )
        only_looks, is_new = session.is_trial and not is_asked, stage.key not in begun
        place = _Place(session, topic, stage, is_first=not begun, is_new=is_new, only_looks=only_looks)
        if session.works is not None:
            _replay_recorded(session, topic, stage, groups)
            continue
        for (role, by), said in sorted(groups.items()):  # primary assessors first: others wait for what they freeze
            names = {name for of, name in groups if of == role}
            names |= {name for key, of, name in session.whole if (key, of) == (stage.key, role)}
            authors = {session.people[name].pk for name in names if name in session.people}
            _replay_stage(place, role=role, by=by, lines=said, authors=authors)
    if session.is_held and session.works is None and not begun and _is_settled(stages, parted):
        session.settled.add(topic.pk)
    for line in left:
        session.problem(line, "no-stage", f"Question {topic.number} has no stage in which this is done.")


def _is_settled(stages: Iterable[Stage], parted: dict[str, Groups]) -> bool:
    """Return whether a finished stage stays finished when these stages are replayed."""
    asked = any(stage.work.judged or stage.work.may_add or stage.first_round for stage in stages)
    return not asked and not any(role == "adjudicator" for groups in parted.values() for role, _ in groups)


@dataclass(slots=True)
class _Place:
    """The stage of a topic that is being replayed.

    ``is_first``: nobody had any work in the topic before the replay; ``is_new``: none in this stage. ``only_looks``: in
    a trial, nobody will ask whether it is finished or what was recorded in it. ``given`` are the people (user ids) who
    got some of it in the replay, and ``roles`` their roles.
    """

    session: Session
    topic: Topic
    stage: Stage
    is_first: bool
    is_new: bool
    only_looks: bool
    given: set[int] = field(default_factory=set)
    roles: set[str] = field(default_factory=set)


Groups = dict[tuple[str, str], list[ReplayLine]]
"""The lines by role and person."""


def stage_by_stage(
    session: Session, topic: Topic, lines: list[ReplayLine], stages: list[Stage]
) -> tuple[dict[str, Groups], list[ReplayLine]]:
    """Sort the lines of a topic. Return two things: stage key -> its lines by role and person, and the lines of no
    stage.

    A line belongs to the first stage that takes its verb and criterion. If a release is replayed, it is the first of
    these in which the person has an assignment, if there is one. The lines are in the order of `ORDER`.
    """
    parted: dict[str, Groups] = {stage.key: {} for stage in stages}
    left: list[ReplayLine] = []
    known: dict[tuple[type, str, str], Stage | None] = {}
    for line in sorted(lines, key=lambda line: _PLACES[type(line.act)]):
        act = line.act
        sort = type(act), getattr(act, "criterion", ""), act.by if session.works is not None else ""
        if sort not in known:
            found = [stage for stage in stages if belongs(line, stage)]
            held = (stage for stage in found if session.works is None or _works(session, topic, stage, act.by))
            known[sort] = next(held, found[0] if found else None)
        if (stage := known[sort]) is None:
            left.append(line)
        else:
            parted[stage.key].setdefault((act.role, act.by), []).append(line)
    return parted, left


def _works(session: Session, topic: Topic, stage: Stage, by: str) -> Sequence[Assignment]:
    """Return the assignments that somebody has in a stage of a topic according to a release, in order; () if there are
    none.
    """
    return (session.works or {}).get((topic.pk, stage.key, session.people[by].pk), ())


def _replay_recorded(session: Session, topic: Topic, stage: Stage, groups: Groups) -> None:
    """Write what a release records of a stage into the assignments of its people. A person without one is a problem.

    If a person has several assignments in the stage, the last one is used, preferably one with the same role that was
    not given back. Primary assessors come first, since others depend on what they freeze; among them, those who gave
    the work back.
    """
    found: list[tuple[str, bool, int, Assignment, list[ReplayLine]]] = []
    for (role, by), said in groups.items():
        works = _works(session, topic, stage, by)
        same = [work for work in works if work.role == _role(stage, role)] or works
        live = [work for work in same if work.state != Assignment.State.RETURNED]
        if not same:
            session.problem(said[0], "no-work", f"{by} has no work on “{stage.label}” of topic {topic.number}.")
            continue
        work = (live or same)[-1]
        found.append((role, bool(live), work.pk, work, said))
    for *_, work, said in sorted(found, key=itemgetter(0, 1, 2)):
        work.campaign, work.topic = session.campaign, topic
        _replay_work(Desk(session, work.assessor, work, stage), said)


def belongs(line: ReplayLine, stage: Stage) -> bool:
    """Return whether a line records something that is done in this stage."""
    kind = work_kind(stage.work.key)
    return kind.replay is not None and kind.accepts(stage, line.act)


def _replay_stage(place: _Place, *, role: str, by: str, lines: list[ReplayLine], authors: set[int]) -> None:
    """Hand the stage out to one person, do what their lines say, and finish it if nothing is missing. What can't be
    handed out becomes a problem of the first line.

    ``authors`` are the people (user ids) with lines in the same role: work is handed over from one to the next.
    """
    session, topic, stage = place.session, place.topic, place.stage
    user = session.people.get(by)
    if role == MACHINE:
        _replay_machine(session, topic=topic, stage=stage, user=user, by=by, lines=lines)
        return
    if user is None:
        session.unknown(lines[0], "unknown-person", by[:40])
        return
    group = stage.key, role, by
    goes_on = group in session.goes_on
    trial, whole = (place.only_looks, place.is_first), session.whole.get(group, lines)

    def at_desk(work: Assignment) -> None:
        _replay_work(Desk(session, user, work, stage, *trial, whole, goes_on), lines)

    if (before := _handed_over(place, user)) is not None:
        at_desk(before)
        return
    try:
        new = _begun_at_once(place, user, _role(stage, role))
        assignment = new or _begun(place, user, role, authors)
    except Refused as refused:
        session.problem(lines[0], refused.code, refused.message)
        return
    at_desk(assignment)
    if place.only_looks or goes_on:
        return
    is_last = new is not None or not assignment.handed_over.exists()
    is_open = assignment.state == Assignment.State.STARTED
    if is_last and is_open and not what_is_missing(assignment):
        if new is not None:
            end_at_once(actor=user, work=new)
        else:
            mark_done(actor=user, assignment=assignment)


def _handed_over(place: _Place, user: User) -> Assignment | None:
    """Return the person's last assignment in the stage if they handed it over and did not get the stage again, or else
    None.

    Their lines are stored already, or are refused.
    """
    if place.is_new:
        return None
    own = place.topic.assignments.filter(stage=place.stage.key, assessor=user).order_by("pk")
    last = own.last()
    if last is None or last.state != Assignment.State.RETURNED or not last.handed_over.exists():
        return None
    last.campaign, last.topic, last.assessor = place.session.campaign, place.topic, user
    return last


def _role(stage: Stage, role: str) -> str:
    if role == MACHINE:
        return MACHINE
    return Assignment.Role.SECOND if stage.many and role != "adjudicator" else ROLES[role]


def _begun_at_once(place: _Place, user: User, role: str) -> Assignment | None:
    """Hand out and start an assignment in a stage that nobody had before, in one step.

    Return None if it needs a closer look by `_begun`, which may refuse it.
    """
    session, is_taken = place.session, role == Assignment.Role.PRIMARY and role in place.roles
    if not place.is_new or is_taken or user.pk in place.given or user.pk not in session.free:
        return None
    place.given.add(user.pk)
    if place.stage.own or role not in place.roles:  # else this was found out for somebody before
        of = {"campaign": session.campaign, "topic": place.topic, "stage": place.stage.key, "assessor": user}
        if waiting_for(Assignment(**of, role=role), with_rounds=False):
            return None
    place.roles.add(role)
    return begin_at_once(
        actor=session.actor,
        campaign=session.campaign,
        topic=place.topic,
        stage=place.stage,
        assessor=user,
        role=role,
        is_trial=session.is_trial,
    )


def _begun(place: _Place, user: User, role: str, authors: set[int]) -> Assignment:
    """Return the person's assignment in the stage, handed out and started if that was not done before. Refuses what a
    page would refuse when work is handed out or started.
    """
    session, topic, stage = place.session, place.topic, place.stage
    assignment = _live(topic, stage, user) if stage.many else None
    if assignment is None:
        handed = None if stage.many else _handed_on(session, topic, stage, user, role, authors)
        assignment = handed or create_assignment(
            actor=session.actor,
            campaign=session.campaign,
            topic=topic,
            stage=stage.key,
            assessor=user,
            role=_role(stage, role),
        )
    assignment.campaign, assignment.topic = session.campaign, topic
    return open_assignment(actor=user, assignment=assignment, with_rounds=False)


def _replay_work(desk: Desk, lines: list[ReplayLine]) -> None:
    """Do what the lines of the stage say, by the kind of its work."""
    replay = work_kind(desk.stage.work.key).replay
    if replay is not None:
        replay(desk, lines)


def _handed_on(
    session: Session, topic: Topic, stage: Stage, user: User, role: str, authors: set[int]
) -> Assignment | None:
    """Hand the stage over to a primary assessor from the one whose lines were replayed before, and return the new
    assignment; return None if there was no such assessor.

    If several worked one after the other, the file has only the answers that count, so their order does not matter.
    """
    if ROLES[role] != Assignment.Role.PRIMARY or len(authors) == 1:
        return None
    live = topic.assignments.filter(stage=stage.key, role=Assignment.Role.PRIMARY, assessor__in=authors)
    others = live.exclude(state=Assignment.State.RETURNED).exclude(assessor=user)
    present = others.select_related("assessor").first()
    if present is None:
        return None
    present.topic, present.campaign = topic, session.campaign
    return hand_over(actor=session.actor, assignment=present, to=user, is_recorded=True)


def _replay_machine(
    session: Session, *, topic: Topic, stage: Stage, user: User | None, by: str, lines: list[ReplayLine]
) -> None:
    """Record a machine's judgments in its own assignment, which waits for no other stage. A pseudonym that stands for a
    person, and what is refused, become problems of the first line.
    """
    if user is not None and not session.campaign.memberships.filter(user=user, is_machine=True).exists():
        session.problem(lines[0], "person", f"{by[:40]} is a machine judge, and {user} is a person.")
        return
    try:
        machine = user or machine_account(actor=session.actor, campaign=session.campaign, name=by)
        assignment = machine_assignment(
            actor=session.actor, campaign=session.campaign, topic=topic, stage=stage, machine=machine
        )
    except Refused as refused:
        session.problem(lines[0], refused.code, refused.message)
        return
    started, done = Assignment.State.STARTED, Assignment.State.DONE
    Assignment.objects.filter(pk=assignment.pk).update(state=started, done_at=None)
    assignment.state = started
    _replay_work(Desk(session, machine, assignment, stage), lines)
    Assignment.objects.filter(pk=assignment.pk).update(state=done, done_at=timezone.now())


def _live(topic: Topic, stage: Stage, user: User) -> Assignment | None:
    """Return the person's own live assignment, in any role, in a stage that several people may do; None if they have
    none.
    """
    own = topic.assignments.filter(stage=stage.key, assessor=user)
    return own.exclude(state=Assignment.State.RETURNED).first()
