"""How consistently assessors judge repeats and gold items, and how that changes over time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from django.db.models import Q

from assess.assignments.models import Assignment, ControlItem
from assess.campaigns.designs import values_now
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.items.queries import COUNTED
from assess.judging.models import Judgment
from scoring.statistics.agreement_report import ReportOptions, report_agreement
from scoring.statistics.intervals import Interval, Sampling

TENTHS = 10
LEAST_FOR_KAPPA = 10
"""The fewest repeats for which kappa is meaningful."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """One criterion of one control item that its assessor judged. ``row`` is the id of that judgment.

    ``expected`` is the value that the assessor gave the item first or, for a gold item, the known value.
    """

    assessor: int
    topic: str
    criterion: str
    kind: str
    row: int
    expected: int
    said: int

    @property
    def is_right(self) -> bool:
        """Whether the assessor gave the expected value."""
        return self.said == self.expected


@dataclass(frozen=True, kw_only=True, slots=True)
class Consistency:
    """One assessor's consistency on one criterion.

    ``agreed`` of ``repeats`` were judged the same, and ``right`` of ``gold`` items correctly. ``kappa`` is Cohen's
    kappa between the first judgments and the second; None if it is undefined or there are too few repeats.
    """

    assessor: int
    name: str
    criterion: str
    repeats: int
    agreed: int
    gold: int
    right: int
    kappa: float | None = None
    interval: Interval | None = None

    @property
    def share(self) -> float | None:
        """The share of repeats that were judged the same; None without repeats."""
        return self.agreed / self.repeats if self.repeats else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Tenth:
    """A tenth of an assessor's judgments, in the order in which they were made: how many are of control items, how many
    of these are as expected, and the median of the seconds that a judgment took.
    """

    number: int
    judgments: int
    checked: int
    right: int
    seconds: float | None

    @property
    def share(self) -> float | None:
        """The share of control items judged as expected; None if there were none."""
        return self.right / self.checked if self.checked else None


def checked_control_items(campaign: Campaign, *, assessor: int | None = None) -> list[Checked]:
    """Return every judgment of a control item for which a value is expected, in ledger order. Three queries, and two
    for a campaign with a design of its own.

    The expected value is the gold one or, for a repeat, that of the original. Of a repeat and its original, the first
    judgments are compared, even if the assessor corrected one later. Values that a later version of the design moved
    are compared as what they became. ``assessor`` (an id) limits the search.
    """
    control_items = ControlItem.objects.filter(
        assignment__campaign=campaign, assignment__topic__dropped=False
    ).select_related("item", "assignment__topic")
    if assessor is not None:
        control_items = control_items.filter(assignment__assessor=assessor)
    controls = {control_item.item_id: control_item for control_item in control_items.order_by("id")}
    again = _firsts(controls)
    before = _firsts(
        {control_item.item.repeats_id for control_item in controls.values() if control_item.item.repeats_id is not None}
    )
    now = values_now(campaign)
    found: list[Checked] = []
    for (item, criterion, person), (row, said) in again.items():
        control_item = controls[item]
        if person != control_item.assignment.assessor_id:
            continue
        if control_item.kind == ControlItem.Kind.GOLD:
            expected = control_item.expected.get(criterion)
        else:
            first = before.get((control_item.item.repeats_id or 0, criterion, person))
            expected = now(first[0], criterion, first[1]) if first is not None else None
        if expected is not None:
            found.append(
                Checked(
                    assessor=person,
                    topic=control_item.assignment.topic.number,
                    criterion=criterion,
                    kind=control_item.kind,
                    row=row,
                    expected=int(expected),
                    said=now(row, criterion, said),
                )
            )
    return sorted(found, key=lambda each: each.row)


def consistency_by_assessor(campaign: Campaign) -> list[Consistency]:
    """Return the consistency of every assessor who judged control items, by name and in the order of criteria."""
    groups: dict[tuple[int, str], list[Checked]] = {}
    for each in checked_control_items(campaign):
        groups.setdefault((each.assessor, each.criterion), []).append(each)
    people = {person for person, _ in groups}
    names = dict(campaign.assignments.filter(assessor__in=people).values_list("assessor_id", "assessor__username"))
    order = _criteria(campaign)
    rows = [_steady(names[person], person, key, found) for (person, key), found in groups.items()]
    return sorted(rows, key=lambda row: (row.name, order.get(row.criterion, len(order)), row.criterion))


def drift(campaign: Campaign, assessor: int) -> list[Tenth]:
    """Return an assessor's judgments in the campaign in ten parts, in order; fewer if there are fewer judgments.

    Four queries.
    """
    given = Judgment.objects.filter(COUNTED, assignment__campaign=campaign, assessor=assessor, value__isnull=False)
    rows = list(given.order_by("id").values_list("id", "seconds"))
    checked: dict[int, list[bool]] = {}
    for each in checked_control_items(campaign, assessor=assessor):
        checked.setdefault(each.row, []).append(each.is_right)
    parts = min(TENTHS, len(rows))
    tenths = []
    for number in range(parts):
        part = rows[len(rows) * number // parts : len(rows) * (number + 1) // parts]
        seconds = [taken for _, taken in part if taken is not None]
        right = [is_right for row, _ in part for is_right in checked.get(row, ())]
        tenths.append(
            Tenth(
                number=number + 1,
                judgments=len(part),
                checked=len(right),
                right=sum(right),
                seconds=median(seconds) if seconds else None,
            )
        )
    return tenths


def control_item_totals(campaign: Campaign) -> tuple[int, int]:
    """Return (control items, judged control items) of the whole campaign. Two queries.

    Items that were still open when an assignment was given back or handed over are not counted, since nobody can judge
    them there any more.
    """
    control_items = ControlItem.objects.filter(assignment__campaign=campaign, assignment__topic__dropped=False)
    judged = Q(item__judgments__value__isnull=False)
    counted = control_items.filter(judged | ~Q(assignment__state=Assignment.State.RETURNED))
    return counted.distinct().count(), control_items.filter(judged).distinct().count()


def assessor_names(campaign: Campaign) -> dict[int, str]:
    """Return the names of all people with an assignment in the campaign, by id, without machines."""
    human = campaign.assignments.exclude(role=Assignment.Role.MACHINE).order_by("assessor__username")
    return dict(human.values_list("assessor_id", "assessor__username").distinct())


def _firsts(items: Iterable[int]) -> dict[tuple[int, str, int], tuple[int, int]]:
    """Return (item, criterion, assessor) -> (row, value) of each person's first judgment of these items. One query."""
    rows = Judgment.objects.filter(item__in=list(items), value__isnull=False).order_by("-id")
    return {
        (item, criterion, person): (row, value)
        for row, item, criterion, person, value in rows.values_list(
            "id", "item_id", "criterion", "assessor_id", "value"
        )
        if value is not None
    }


def _steady(name: str, person: int, criterion: str, found: Sequence[Checked]) -> Consistency:
    repeats = [each for each in found if each.kind == ControlItem.Kind.REPEAT]
    gold = [each for each in found if each.kind == ControlItem.Kind.GOLD]
    kappa, interval = _kappa(repeats)
    return Consistency(
        assessor=person,
        name=name,
        criterion=criterion,
        repeats=len(repeats),
        agreed=sum(each.is_right for each in repeats),
        gold=len(gold),
        right=sum(each.is_right for each in gold),
        kappa=kappa,
        interval=interval,
    )


def _kappa(repeats: Sequence[Checked]) -> tuple[float | None, Interval | None]:
    if len(repeats) < LEAST_FOR_KAPPA:
        return None, None
    first = {(each.topic, str(each.row)): float(each.expected) for each in repeats}
    again = {(each.topic, str(each.row)): float(each.said) for each in repeats}
    options = ReportOptions(sampling=Sampling(over="items"), only=frozenset({"cohen_kappa"}))
    estimate = report_agreement([first, again], options).estimates[0]
    return estimate.value, estimate.interval


def _criteria(campaign: Campaign) -> dict[str, int]:
    keys = [criterion.key for task in track_of(campaign).tasks for stage in task.stages for criterion in stage.criteria]
    return {key: place for place, key in enumerate(dict.fromkeys(keys))}
