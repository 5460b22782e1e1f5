"""Hand out work: in bulk, to second assessors, from the stack, and from one assessor to another.

Control items that the track wants (repeats and gold items) are added when the work is handed out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from assess.assignments.domain.assignments import (
    add_assignments,
    create_assignment,
    new_assignment,
    stage_of_topic,
)
from assess.assignments.domain.begun_at_once import ids_who_may_begin
from assess.assignments.domain.handing_out import ToHandOut, create_assignments
from assess.assignments.domain.held_work import require_judging
from assess.assignments.domain.leases import return_lapsed
from assess.assignments.domain.who_takes_work import require_takes_work
from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import in_chains
from assess.assignments.queries.other_roles import handed_on, overtaken, recorded_in_another_role
from assess.assignments.queries.who_can_be_given_work import unwilling_assessors
from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.campaigns.activity import lock_open, record_activity
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import JUDGES, Campaign, Membership
from assess.controls.domain import add_usual_control_items
from assess.topics.models import Topic
from assess.work.queries.balance import balance_plan
from assess.work.queries.double_judging import DoublePlan, Sample, double_plan, double_stages, shared_stages
from assess.work.queries.room import ROLES, Piece, require_room, room_in
from assess.work.queries.stack import author_stack_of, second_stages, stack_of, unfinished_author, unfinished_second


def hand_out(
    *, actor: User, campaign: Campaign, cells: Iterable[str], assessor: User, role: str = Assignment.Role.PRIMARY
) -> list[Assignment]:
    """Give the stages named by ``cells`` ("topic id:stage") to an assessor, or none of them if one is refused.

    Raises `Invalid` if no cell is named, if a cell is malformed, or if its topic is gone; otherwise what
    `hand_out_assignments` raises, for instance because a stage has its primary assessor already.
    """
    require_changeable(campaign)
    wanted = cells_named(cells)
    if not wanted:
        raise Invalid(gettext("Mark at least one cell of the table to hand out."))
    topics = {topic.pk: topic for topic in campaign.topics.filter(pk__in={pk for pk, _ in wanted})}
    if any(pk not in topics for pk, _ in wanted):
        raise Invalid(gettext("One of these topics is gone. Reload the page and try again."))
    pieces = [(topics[pk], stage) for pk, stage in wanted]
    return hand_out_assignments(actor=actor, campaign=campaign, pieces=pieces, assessor=assessor, role=role)


def cells_named(names: Iterable[str]) -> list[tuple[int, str]]:
    """Return the (topic id, stage key) of each cell that a form names as "topic id:stage". Empty names are skipped.

    Raises `Invalid` for anything that no page writes.
    """
    pairs = [tuple(name.split(":", 1)) for name in names if name]
    if any(len(pair) != 2 or not pair[0].isdecimal() or len(pair[0]) > 18 for pair in pairs):
        raise Invalid(gettext("The form was not filled in by this page. Reload it and try again."))
    return [(int(pair[0]), pair[1]) for pair in pairs]


def hand_out_assignments(
    *,
    actor: User,
    campaign: Campaign,
    pieces: Iterable[tuple[Topic, str]],
    assessor: User,
    role: str = Assignment.Role.PRIMARY,
) -> list[Assignment]:
    """Give these (topic, stage key) pairs to an assessor, or none of them if one is refused.

    The stages get the control items that the track asks for. What the assessor has already is returned as it is. Raises
    what `require_may_get` and `create_assignment` raise.
    """
    pieces = list(pieces)
    with transaction.atomic():
        lock_open(campaign)
        named = [(topic.pk, stage) for topic, stage in pieces]
        require_may_get(actor=actor, campaign=campaign, assessor=assessor, pieces=named, role=role)
        wanted = (ToHandOut(topic, stage, assessor, role) for topic, stage in pieces)
        made = create_assignments(actor=actor, campaign=campaign, wanted=wanted)
        add_usual_control_items(actor=actor, campaign=campaign, stages=[each.stage for each in made])
        return made


def require_may_get(*, actor: User, campaign: Campaign, assessor: User, pieces: Iterable[Piece], role: str) -> None:
    """Raise `Conflict` if these pieces are more work than the assessor takes, or more than one person may have.

    That is: they take no more work (`require_takes_work`), or would exceed the limit of items for one person
    (`require_room`). Pieces that they have already don't count. The campaign must be locked.
    """
    held = campaign.assignments.filter(assessor=assessor).exclude(state=Assignment.State.RETURNED)
    there = set(held.values_list("topic", "stage"))
    if new := [piece for piece in pieces if piece not in there]:
        require_takes_work(actor=actor, campaign=campaign, assessor=assessor)
        require_room(campaign, assessor.pk, new, role=role)


def balance_work(*, actor: User, campaign: Campaign) -> list[Assignment]:
    """Hand out every stage that has no primary assessor, as `balance_plan` says, and return the new assignments.

    Work whose lease ran out goes back first, and is handed out with the rest. If the track wants several people to
    judge a share of the topics, second assessors get theirs as well, as far as there are enough people. The stages get
    the control items that the track asks for. The list is empty if there is nothing to hand out. Raises `Conflict`
    while nobody judges in the campaign, or all who do take no more work.
    """
    require_changeable(campaign)
    with transaction.atomic():
        lock_open(campaign)
        return_lapsed(campaign=campaign)
        plan = balance_plan(campaign)
        if not plan.loads:
            if unwilling_assessors(campaign):
                raise Conflict(
                    gettext("All who judge in the campaign take no more work. Invite somebody, or ask one of them.")
                )
            raise Conflict(gettext("The campaign has no assessors yet. Add or invite some first."))
        wanted = (ToHandOut(each.topic, each.stage, each.assessor, each.role) for each in plan.handouts)
        made = create_assignments(actor=actor, campaign=campaign, wanted=wanted)
        for stage in shared_stages(campaign):
            for each in range(2, stage.people + 1):
                seconds = double_plan(campaign, stages=[stage.key], sample=Sample(share=stage.share), each=each)
                made += _hand_out_seconds(actor, campaign, seconds)
        add_usual_control_items(actor=actor, campaign=campaign, stages=[each.stage for each in made])
        return made


def _hand_out_seconds(actor: User, campaign: Campaign, plan: DoublePlan) -> list[Assignment]:
    wanted = [
        ToHandOut(work.topic, stage, work.assessor, Assignment.Role.SECOND)
        for work in plan.handouts
        if work.assessor is not None
        for stage in work.stages
    ]
    return create_assignments(actor=actor, campaign=campaign, wanted=wanted)


# Handing out a sample of the topics, or all of them, to second assessors.


def checked_sample(*, share: float | None = None, number: int | None = None, seed: int = 1) -> Sample:
    """Return the sample of topics. Raise Invalid if both share and number are given, or if either is out of range."""
    if share is not None and number is not None:
        raise Invalid(gettext("Give a share of the topics or a number of them, not both."))
    if share is not None and not 0 < share <= 1:
        raise Invalid(gettext("A share is more than 0 and at most 1 (100 per cent)."))
    if number is not None and number < 1:
        raise Invalid(gettext("At least one topic is needed."))
    return Sample(share=share, number=number, seed=seed)


def plan_double_judging(*, campaign: Campaign, stages: Iterable[str], sample: Sample) -> DoublePlan:
    """Return what `assign_seconds` would do now, without writing. Raise Invalid for an unknown stage or no stage."""
    known = {stage.key for _, stage in double_stages(campaign)}
    chosen = list(dict.fromkeys(stages))
    unknown = [key for key in chosen if key not in known]
    if not chosen or unknown:
        said = (
            gettext("There is no stage “%(unknown)s” for a second assessor.") % {"unknown": unknown[0]}
            if unknown
            else gettext("Choose at least one stage.")
        )
        raise Invalid(
            gettext("%(said)s The stages are: %(known)s.") % {"said": said, "known": ", ".join(sorted(known))}
        )
    return double_plan(campaign, stages=chosen, sample=sample)


def assign_seconds(*, actor: User, campaign: Campaign, stages: Iterable[str], sample: Sample) -> list[Assignment]:
    """Hand the sampled topics out to second assessors, as `double_plan` says, and return the new assignments.

    Work whose lease ran out goes back first. Existing assignments stay: called again with the same sample, it hands out
    only what lacks a second assessor by then. The stages get the control items that the track asks for. Raises what
    `plan_double_judging` raises, and `Conflict` if nobody can be the second assessor of any of the topics.
    """
    require_changeable(campaign)
    with transaction.atomic():
        lock_open(campaign)
        return_lapsed(campaign=campaign)
        plan = plan_double_judging(campaign=campaign, stages=stages, sample=sample)
        if plan.works and not plan.handouts and all(work.why != "has no primary assessor yet" for work in plan.works):
            raise Conflict(
                gettext(
                    "Nobody can be second assessor: add assessors who are not the primary assessors of these topics."
                )
            )
        made = _hand_out_seconds(actor, campaign, plan)
        if made:
            data = {"share": sample.share, "number": sample.number, "seed": sample.seed, "pieces": len(made)}
            record_activity(actor=actor, action="work.double", campaign=campaign, data=data)
            add_usual_control_items(actor=actor, campaign=campaign, stages=[each.stage for each in made])
    return made


# Take the next topic from the stack: as second assessor or, if the campaign allows it, as primary assessor.

SECOND, PRIMARY = Assignment.Role.SECOND, Assignment.Role.PRIMARY


def take_from_stack(*, actor: User, campaign: Campaign, role: str = SECOND) -> list[Assignment]:
    """Give the actor the next topic of a stack, with all its stages that have to be done, and return the assignments.

    As ``second``, it is the next topic that waits for a second assessor. As ``primary``, it is the next topic that has
    stages without a primary assessor. Two people who ask at the same moment get two different topics. Work that went
    back by itself is on the stack again; topics in which runs of the actor's own team are judged are not.

    Refuses an actor who does not judge in the campaign, who takes no more work, who has an unfinished topic of the
    stack, or for whom each topic would exceed the limit of items; a stack that the campaign does not have; a campaign
    that is not being judged; and an empty stack.
    """
    if not Membership.objects.filter(campaign=campaign, user=actor, role__in=JUDGES).exists():
        raise NotAllowed(gettext("Only people who judge in this campaign take work from the stack."))
    if role not in (SECOND, PRIMARY):
        raise Invalid(gettext("Work is taken from the stack as second or as primary assessor."))
    with transaction.atomic():
        locked = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        require_judging(locked)
        require_takes_work(actor=actor, campaign=locked, assessor=actor)
        return_lapsed(campaign=locked)
        topic, stages = _next_second(locked, actor) if role == SECOND else _next_author(locked, actor)
        made = [
            create_assignment(actor=actor, campaign=locked, topic=topic, stage=stage, assessor=actor, role=role)
            for stage in stages
        ]
        add_usual_control_items(actor=actor, campaign=locked, stages=stages)
        return made


def _next_second(campaign: Campaign, actor: User) -> tuple[Topic, list[str]]:
    unfinished = unfinished_second(campaign, actor)
    if unfinished is not None:
        raise Conflict(
            gettext("You have %(number)s from the stack. Finish it before you take the next.")
            % {"number": unfinished.topic.number}
        )
    topics = stack_of(campaign, actor)
    if topics is None:
        raise Conflict(gettext("This campaign has no stack: no stage is done by a second assessor."))
    if not topics:
        raise Conflict(gettext("The stack is empty: no topic waits for you as second assessor."))
    stages = {task: [stage.key for stage in found] for task, found in second_stages(campaign).items()}
    return _first_fitting(campaign, actor, [(topic, stages[topic.task]) for topic in topics])


def _next_author(campaign: Campaign, actor: User) -> tuple[Topic, list[str]]:
    if not campaign.takes_primary:
        raise Conflict(gettext("In this campaign the organiser hands out the primary assessors' work. Ask for some."))
    unfinished = unfinished_author(campaign, actor)
    if unfinished is not None:
        raise Conflict(
            gettext("You are the primary assessor of %(number)s. Finish it before you take the next.")
            % {"number": unfinished.topic.number}
        )
    waiting = author_stack_of(campaign, actor)
    if not waiting:
        raise Conflict(gettext("The stack is empty: every topic that you may judge has its primary assessor."))
    return _first_fitting(campaign, actor, waiting)


def _first_fitting(
    campaign: Campaign, actor: User, waiting: Sequence[tuple[Topic, list[str]]]
) -> tuple[Topic, list[str]]:
    """Return the first of these topics that keeps the actor within the limit of items for one person.

    Raise Conflict if none does.
    """
    room = room_in(campaign)
    for topic, stages in waiting:
        if room.fits(actor.pk, [(topic.pk, stage) for stage in stages]):
            return topic, stages
    raise Conflict(
        gettext("You have as many items as one person judges at most: each topic that waits would be too many.")
    )


# Hand an assignment over from one assessor to another, who continues where the first stopped.


def refused_people(assignment: Assignment) -> set[int]:
    """Return the ids of the people to whom `hand_over` refuses this assignment because of the work that they have or
    had.

    They have its stage, handed over other work of it, or judged it in another role. The present assessor is one of
    them. People who may not judge the topic because of their own team's runs are not included. Three queries.
    """
    of_stage = Assignment.objects.filter(topic=assignment.topic_id, stage=assignment.stage)
    held = of_stage.exclude(state=Assignment.State.RETURNED).values_list("assessor_id", flat=True)
    had = recorded_in_another_role(of_stage, assignment.role).values_list("assessor_id", flat=True)
    others = of_stage.exclude(in_chains([assignment.chain_start_or_own_id]))
    return {assignment.assessor_id, *held, *had, *handed_on(others).values_list("assessor_id", flat=True)}


def hand_over(
    *, actor: User, assignment: Assignment, to: User, is_recorded: bool = False, with_controls: bool = True
) -> Assignment:
    """Hand an assignment over to another assessor, with all its judgments, and return their assignment.

    Judgments of the first assessor stay theirs and official. The new assessor sees them as carried over and may change
    them; a changed judgment replaces the earlier one. The ledgers record only that the hand-over happened, so exports
    stay as they are. Done work can be handed over, and so can work that went back by itself and that nobody has yet.

    Refuses work that was given back or is a machine's, the same assessor, somebody who has the stage already, and
    anybody whom `create_assignment` refuses. Somebody who takes no more work or has reached the limit of items is
    refused unless ``is_recorded``, which means that they did the work elsewhere already. Otherwise the assignment gets
    the control items that the track asks for, unless the caller adds them (``with_controls`` False).
    """
    campaign = assignment.campaign
    require_changeable(campaign)
    if assignment.assessor_id == to.pk:
        raise Conflict(gettext("%(to)s has this work already.") % {"to": to})
    with transaction.atomic():
        lock_open(campaign)
        if not is_recorded:
            require_takes_work(actor=actor, campaign=campaign, assessor=to)
            require_room(campaign, to.pk, [(assignment.topic_id, assignment.stage)], role=assignment.role)
        locked = Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
        if (locked.state == Assignment.State.RETURNED and not locked.has_lapsed) or locked.handed_over.exists():
            raise Conflict(gettext("This work has already been given back or handed over. Assign it anew."))
        if locked.role == Assignment.Role.MACHINE:
            raise Conflict(gettext("This is a machine's work; a person can't go on with it."))
        topic, stage = assignment.topic, assignment.stage
        live = topic.assignments.filter(stage=stage).exclude(state=Assignment.State.RETURNED)
        if live.filter(assessor=to).exists():
            raise Conflict(
                gettext("%(to)s has this stage of %(number)s already, in another role. Choose somebody else.")
                % {"to": to, "number": topic.number}
            )
        is_taken = locked.role == Assignment.Role.PRIMARY and (
            live.filter(role=locked.role).exclude(pk=locked.pk).exists()
            or overtaken(topic.assignments.filter(pk=locked.pk)).exists()
        )
        if is_taken:
            raise Conflict(gettext("Somebody else has this work by now. Hand over theirs."))
        returned = Assignment.State.RETURNED
        Assignment.objects.filter(pk=locked.pk).update(state=returned, done_at=None, lease_until=None)
        role = locked.role
        made = create_assignment(
            actor=actor, campaign=campaign, topic=topic, stage=stage, assessor=to, role=role, taken_over=locked
        )
        if with_controls and not is_recorded:
            add_usual_control_items(actor=actor, campaign=campaign, stages=[stage])
        return made


def hand_over_assignments(
    *, actor: User, campaign: Campaign, assignments: Sequence[Assignment], to: User
) -> list[Assignment]:
    """Hand all of these over to one assessor, or none if one is refused. Return the new assignments in the same order.

    The rules are those of `hand_over`, which is also called for each assignment that is not plainly new to the
    assessor: a stage of a topic that they have or had, or any work if they are a member of a participating team. All
    others are written together, in a few queries. The caller adds control items.
    """
    require_changeable(campaign)
    with transaction.atomic():
        lock_open(campaign)
        require_takes_work(actor=actor, campaign=campaign, assessor=to)
        wanted = [each.pk for each in assignments]
        locked = Assignment.objects.order_by("pk").select_for_update(no_key=True).in_bulk(wanted)
        had = set(campaign.assignments.filter(assessor=to).order_by().values_list("topic_id", "stage"))
        free = ids_who_may_begin(campaign, [to])
        plain, rest = [], []
        for each in assignments:
            now, place = locked[each.pk], (each.topic_id, each.stage)
            is_live = now.state != Assignment.State.RETURNED and now.role != Assignment.Role.MACHINE
            if to.pk in free and place not in had and is_live and not each.topic.dropped:
                stage_of_topic(campaign=campaign, topic=each.topic, stage=each.stage)
                plain.append(each)
            else:
                rest.append(each)
            had.add(place)
        bounded = [(each.topic_id, each.stage) for each in plain if each.role in ROLES]
        require_room(campaign, to.pk, bounded, role=PRIMARY)
        ended = Assignment.objects.filter(pk__in=[each.pk for each in plain])
        ended.update(state=Assignment.State.RETURNED, done_at=None, lease_until=None)
        new = [
            new_assignment(
                campaign=campaign, topic=each.topic, stage=each.stage, assessor=to, role=each.role, taken_over=each
            )
            for each in plain
        ]
        add_assignments(actor=actor, campaign=campaign, assignments=new)
        made = {before.pk: after for before, after in zip(plain, new, strict=True)}
        for each in rest:
            made[each.pk] = hand_over(actor=actor, assignment=each, to=to, with_controls=False)
        return [made[each.pk] for each in assignments]
