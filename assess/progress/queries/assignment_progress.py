"""How far judging is, by assignment, topic, stage and assessor, with the pace in active seconds.

Active seconds are measured on the assessor's page: a pause counts as at most a minute, and a hidden page not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Count, QuerySet, Sum

from assess.assignments.models import Assignment
from assess.assignments.queries.waiting import ENDED, work_with_nothing
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.judging.models import Judgment
from assess.kinds.base import Tally, work_kind
from assess.progress.queries.counted import Counts, DayCount
from assess.topics.models import Topic
from assess.topics.queries import tree_order
from scoring.uncollected import uncollected


@dataclass(frozen=True, kw_only=True, slots=True)
class AssignmentProgress:
    """An assignment and its progress. ``pace`` is in active seconds per judgment, or None if nothing was timed.

    ``last_at`` is the time of the last recorded act; it is None if there was none, or without counts. ``is_empty``
    means that it is not done but has nothing to do (`work_with_nothing`).
    """

    assignment: Assignment
    stage_label: str
    tally: Tally
    seconds: float
    timed: int
    last_at: datetime | None = None
    is_empty: bool = False

    @property
    def pace(self) -> float | None:
        """The active seconds per judgment; None if nothing was timed."""
        return self.seconds / self.timed if self.timed else None

    @property
    def state(self) -> str:
        """The state that is shown: `Assignment.shown_state`, or "empty" if it is not done but has nothing to do."""
        return "empty" if self.is_empty else self.assignment.shown_state

    @property
    def is_finished(self) -> bool:
        """Whether nobody needs to do anything more in the assignment."""
        return self.is_empty or self.assignment.state in ENDED


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """The assignments of a topic, a stage or an assessor, taken together. ``done`` + ``left`` = ``total`` items.

    ``given_up`` is the number of items left in finished assignments, in which judging was stopped.
    """

    label: str
    pieces: int
    finished: int
    done: int
    total: int
    seconds: float
    timed: int
    given_up: int = 0

    @property
    def left(self) -> int:
        """The number of items that are not done."""
        return max(self.total - self.done, 0)

    @property
    def pace(self) -> float | None:
        """The active seconds per judgment; None if nothing was timed."""
        return self.seconds / self.timed if self.timed else None

    @property
    def hours_left(self) -> float | None:
        """The active hours that the rest takes at this pace; None if the pace is unknown."""
        return (self.left - self.given_up) * self.pace / 3600 if self.pace is not None else None


@uncollected()
def progress_of_assignments(
    campaign: Campaign, assignments: QuerySet[Assignment] | None = None, counts: Counts | None = None
) -> list[AssignmentProgress]:
    """Return the given live assignments with their tallies; by default all but those of machine judges.

    Four queries, and a few for each kind of work. With complete ``counts``, none of them reads every judgment.
    """
    asked = assignments if assignments is not None else campaign.assignments.exclude(role=Assignment.Role.MACHINE)
    live = asked.filter(topic__dropped=False).exclude(state=Assignment.State.RETURNED)
    found = list(live.order_by(*tree_order("topic__"), "id"))
    _fill_in_topics_and_people(live, found)
    stages = {stage.key: stage for task in track_of(campaign).tasks for stage in task.stages}
    place = {assignment.topic_id: number for number, assignment in enumerate(reversed(found))}
    rank = {key: number for number, key in enumerate(stages)}
    found.sort(key=lambda assignment: (-place[assignment.topic_id], rank[assignment.stage]))
    for assignment in found:
        assignment.campaign = campaign
    tallies = tallies_of(campaign, found, counts)
    empty = work_with_nothing(found, tallies)
    timed = _timed(campaign, found, counts)
    nothing, no_items = DayCount(), Tally(done=0, total=0, unit="items")
    return [
        AssignmentProgress(
            assignment=assignment,
            stage_label=stages[assignment.stage].label,
            tally=tallies.get(assignment.pk, no_items),
            seconds=spent.seconds,
            timed=spent.timed,
            last_at=spent.last_at,
            is_empty=assignment.pk in empty,
        )
        for assignment in found
        for spent in (timed.get(assignment.pk, nothing),)
    ]


def _fill_in_topics_and_people(live: QuerySet[Assignment], found: Sequence[Assignment]) -> None:
    """Give each assignment its topic and its assessor, which are read once and not once an assignment.

    Two queries, none without assignments. What another request has changed in between is read when it is asked for.
    """
    if not found:
        return
    topics = Topic.objects.filter(pk__in=live.order_by().values("topic")).select_related("parent").in_bulk()
    people = User.objects.filter(pk__in=live.order_by().values("assessor")).in_bulk()
    for assignment in found:
        if (topic := topics.get(assignment.topic_id)) is not None:
            assignment.topic = topic
        if (person := people.get(assignment.assessor_id)) is not None:
            assignment.assessor = person


def tallies_of(campaign: Campaign, found: list[Assignment], counts: Counts | None) -> dict[int, Tally]:
    """Return the tally of each of these assignments of the campaign, by id; a few queries for each kind of work.

    With complete ``counts``, none of them reads every judgment.
    """
    works = {stage.key: stage.work.key for task in track_of(campaign).tasks for stage in task.stages}
    by_work: dict[str, list[Assignment]] = {}
    for assignment in found:
        by_work.setdefault(works[assignment.stage], []).append(assignment)
    tallies: dict[int, Tally] = {}
    for work, group in sorted(by_work.items()):
        kind = work_kind(work)
        if counts is not None and counts.is_complete and kind.counted is not None:
            tallies.update(kind.counted(group, counts))
        else:
            tallies.update(kind.tally(group))
    return tallies


def summed(pieces: Sequence[AssignmentProgress], label: Callable[[AssignmentProgress], str]) -> list[Share]:
    """Return the assignments taken together by label, in the order in which the labels first occur."""
    groups: dict[str, list[AssignmentProgress]] = {}
    for piece in pieces:
        groups.setdefault(label(piece), []).append(piece)
    return [_sum(name, group) for name, group in groups.items()]


def _sum(label: str, pieces: Sequence[AssignmentProgress]) -> Share:
    finished = [piece for piece in pieces if piece.is_finished]
    return Share(
        label=label,
        pieces=len(pieces),
        finished=len(finished),
        done=sum(piece.tally.done for piece in pieces),
        total=sum(piece.tally.total for piece in pieces),
        seconds=sum(piece.seconds for piece in pieces),
        timed=sum(piece.timed for piece in pieces),
        given_up=sum(piece.tally.left for piece in finished),
    )


def _timed(campaign: Campaign, found: list[Assignment], counts: Counts | None) -> dict[int, DayCount]:
    """Return the active seconds and the number of timed judgments by assignment; those without any may be missing."""
    if counts is not None and counts.is_complete:
        places = {each.pk: (each.topic_id, each.stage, each.assessor_id) for each in found}
        return {pk: counts.pieces[place] for pk, place in places.items() if place in counts.pieces}
    rows = (
        Judgment.objects.filter(assignment__campaign=campaign, seconds__isnull=False)
        .order_by()
        .values("assignment_id")
        .annotate(seconds=Sum("seconds"), timed=Count("id"))
    )
    return {row["assignment_id"]: DayCount(seconds=row["seconds"], timed=row["timed"]) for row in rows}
