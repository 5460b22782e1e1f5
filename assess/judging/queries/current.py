"""Current and official judgments: the current row is the newest per item, criterion and assessor, ordered by id."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db.models import (
    BigIntegerField,
    Case,
    Count,
    Exists,
    F,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
    Window,
)
from django.db.models.functions import Coalesce, RowNumber

from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import live_at
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.items.queries import COUNTED
from assess.judging.models import Judgment
from assess.judging.queries.judged import ANSWERED
from assess.judging.queries.picked import counting_picks
from assess.judging.snapshots import Snapshot
from assess.ledger.newest import newest_rows
from assess.protocol import MAJORITY, Criterion, asked_criteria
from assess.topics.models import Topic

ADJUDICATOR, PRIMARY, SECOND = Assignment.Role.ADJUDICATOR, Assignment.Role.PRIMARY, Assignment.Role.SECOND


NUMBER = BigIntegerField()
EVERY_ROW, NO_ROW = ~Q(pk__in=[]), Q(pk__in=[])

SETTLED = 1 << 62
"""A number added to the ids of adjudicators' rows, so that the row that counts has the largest number."""

NO_ID = Value(0, output_field=NUMBER)


def current_judgments(snapshot: Snapshot) -> QuerySet[Judgment]:
    """Return every person's and machine's newest judgment of each item and criterion, if it has a value.

    All roles are included, whatever judgments the snapshot counts; only its campaign and point are used. Answers to
    questions that no longer apply, given the same assessor's other answers, are left out. So are judgments of control
    items (`ControlItem`), which only measure how people judge, and of dropped topics.
    """
    rows = Judgment.objects.filter(COUNTED, item__topic__campaign=snapshot.campaign, item__repeats=None)
    newest = _newest(rows, as_of=snapshot.as_of).filter(value__isnull=False)
    return newest.exclude(_unasked_of_person(snapshot.campaign, as_of=snapshot.as_of))


def current_judgments_of(topic: Topic, *, assessor: User | None = None) -> QuerySet[Judgment]:
    """Return the current judgments of one topic, or of one assessor in it, including answers without a grade."""
    rows = Judgment.objects.filter(item__topic=topic)
    if assessor is not None:
        rows = rows.filter(assessor=assessor)
    return _newest(rows, as_of=None)


def judgments_in_topics(campaign: Campaign, topics: Iterable[int], *, as_of: int | None = None) -> QuerySet[Judgment]:
    """Return all assessors' current judgments in some topics (ids), including answers without a grade.

    Items that repeat others are left out, and so are answers to questions that no longer apply.
    """
    rows = Judgment.objects.filter(item__topic__in=list(topics), item__repeats__isnull=True)
    return _newest(rows, as_of=as_of).exclude(_unasked_of_person(campaign, as_of=as_of)).order_by()


def _conditional(campaign: Campaign) -> Iterator[tuple[Criterion, Mapping[str, Criterion]]]:
    """Yield each criterion that has a condition, with the criteria of its stage by key."""
    for task in track_of(campaign).tasks:
        for stage in task.stages:
            yield from ((each, {one.key: one for one in stage.criteria}) for each in stage.criteria if each.asked_if)


def _unasked_of_person(campaign: Campaign, *, as_of: int | None) -> Q:
    """Return the condition for answers to questions that do not apply, given the same assessor's other answers.

    If the assessor did not answer a criterion of the condition, somebody before them did, and the answer is trusted.
    """
    unasked = NO_ROW
    for criterion, known in _conditional(campaign):
        unasked |= Q(criterion=criterion.key) & ~_asked_of_person(criterion, known, as_of)
    return unasked


def _asked_of_person(criterion: Criterion, known: Mapping[str, Criterion], as_of: int | None) -> Q:
    asked = NO_ROW
    for condition in criterion.asked_if:
        holds = EVERY_ROW
        for key, values in condition:
            said = Judgment.objects.filter(item=OuterRef("item"), assessor=OuterRef("assessor"), criterion=key)
            newest = newest_rows(said, "item_id", "criterion", "assessor_id", as_of=as_of)
            holds &= ~Q(Exists(newest.filter(Q(value__isnull=True) | ~Q(value__in=values))))
            if known[key].asked_if:
                holds &= _asked_of_person(known[key], known, as_of)
        asked |= holds
    return asked


def _asked_of_item(criterion: Criterion, known: Mapping[str, Criterion], official: QuerySet[Judgment]) -> Q:
    """Return the condition for items to which a criterion applies, given the official answers to the other criteria."""
    asked = NO_ROW
    for condition in criterion.asked_if:
        holds = EVERY_ROW
        for key, values in condition:
            holds &= Q(item__in=official.filter(criterion=key, value__in=values).values("item"))
            if known[key].asked_if:
                holds &= _asked_of_item(known[key], known, official)
        asked |= holds
    return asked


def _newest(rows: QuerySet[Judgment], *, as_of: int | None) -> QuerySet[Judgment]:
    newest = newest_rows(rows, "item_id", "criterion", "assessor_id", as_of=as_of, whole_groups=True)
    return newest.filter(ANSWERED)


def official_judgments(snapshot: Snapshot, *, topics: Iterable[int] | None = None) -> QuerySet[Judgment]:
    """Return the one judgment that counts for each item and criterion: the adjudicator's or the primary assessor's.

    An adjudicator's replaces a primary assessor's; a second assessor's is never among them. If an assignment went from
    one primary assessor to another, the newest judgment counts. A list of picks counts as a whole (`counting_picks`).
    Control items, answers of "can't tell", and criteria that do not apply, given the other answers, are left out.
    ``topics`` (ids) narrows the search, which makes it fast.

    If the snapshot counts another set of judgments, the same rule applies to that set. In stages where the most
    frequent grade counts (`Stage.counts`), the row is the primary assessor's if they gave that grade, otherwise that of
    the judge who got the assignment last.
    """
    rows = Judgment.objects.filter(COUNTED, item__topic__campaign=snapshot.campaign, item__repeats=None)
    if topics is not None:
        rows = rows.filter(item__topic__in=list(topics))
    if snapshot.as_of is not None:
        rows = rows.filter(id__lte=snapshot.as_of)
    newest = rows.order_by().values("item_id", "criterion", "assessor_id").annotate(newest=Max("id")).values("newest")
    chosen = Judgment.objects.filter(ANSWERED, pk__in=newest, **snapshot.counting.where("assignment__role", "assessor"))
    rank = Case(When(assignment__role=ADJUDICATOR, then=F("id") + SETTLED), default=F("id"), output_field=NUMBER)
    best = Max(rank, output_field=NUMBER) % Value(SETTLED, output_field=NUMBER)
    groups = chosen.order_by().values("item_id", "criterion").annotate(best=best)
    official = Judgment.objects.filter(pk__in=groups.values("best"), value__isnull=False)
    picks = counting_picks(snapshot, topics=topics)
    in_lists = Q(pk__in=[pk for ids in picks.values() for pk in ids])
    if picks:
        others = groups.exclude(criterion__in=list(picks))
        official = Judgment.objects.filter(in_lists | Q(pk__in=others.values("best")), value__isnull=False)
    if snapshot.counting.is_official and (counted := _criteria_counted_by(snapshot.campaign, MAJORITY)):
        stale = _stale(snapshot, newest, counted)
        said_most = majority_rows(rows.filter(criterion__in=counted), at=snapshot, without=stale)
        official = Judgment.objects.filter(
            Q(pk__in=groups.exclude(criterion__in=[*counted, *picks]).values("best"))
            | Q(pk__in=said_most.values("pk"))
            | in_lists,
            value__isnull=False,
        )
        return official.exclude(pk__in=_unasked_of(snapshot.campaign, official))
    unasked = NO_ROW
    for criterion, known in _conditional(snapshot.campaign):
        unasked |= Q(criterion=criterion.key) & ~_asked_of_item(criterion, known, official.order_by())
    return official.exclude(unasked)


def _stale(snapshot: Snapshot, newest: QuerySet[Any], counted: Collection[str]) -> list[int]:
    """Return the ids of the newest answers to questions that do not apply, given the same assessor's other answers.

    One query if a criterion has a condition.
    """
    conditional = [criterion.key for criterion, _ in _conditional(snapshot.campaign) if criterion.key in counted]
    if not conditional:
        return []
    answered = Judgment.objects.filter(pk__in=newest, criterion__in=conditional, value__isnull=False).order_by()
    stale = answered.filter(_unasked_of_person(snapshot.campaign, as_of=snapshot.as_of))
    return list(stale.values_list("pk", flat=True))


def _unasked_of(campaign: Campaign, official: QuerySet[Judgment]) -> list[int]:
    """Return the ids of official judgments whose criteria do not apply, given the other official answers.

    They are found in Python, since SQLite can't parse so deeply nested a query. One query if a criterion has a
    condition.
    """
    stages = [stage for task in track_of(campaign).tasks for stage in task.stages]
    conditional = [stage for stage in stages if any(each.asked_if for each in stage.criteria)]
    if not conditional:
        return []
    asking = {each.key for stage in conditional for each in stage.criteria}
    said: dict[int, dict[str, int | None]] = {}
    rows: dict[tuple[int, str], int] = {}
    found = official.filter(criterion__in=asking).order_by()
    for pk, item, criterion, value in found.values_list("pk", "item_id", "criterion", "value"):
        said.setdefault(item, {})[criterion] = value
        rows[item, criterion] = pk
    return [
        rows[item, each.key]
        for stage in conditional
        for item, values in said.items()
        for each in stage.criteria
        if each.key in values and each not in asked_criteria(stage.criteria, values)
    ]


def _criteria_counted_by(campaign: Campaign, counts: str) -> list[str]:
    """Return the keys of the criteria of all stages with this value of `Stage.counts`."""
    stages = [stage for task in track_of(campaign).tasks for stage in task.stages if stage.counts == counts]
    return [criterion.key for stage in stages for criterion in stage.criteria]


def opinions(rows: QuerySet[Judgment], *, at: Snapshot, without: Collection[int] = ()) -> QuerySet[Judgment]:
    """Return, from these rows, each judge's current grade of an item; if an adjudicator graded it, only that grade.

    Machines' grades are left out. Successive primary assessors count as one judge, and so does a chain of hand-overs. A
    second assessor's grade does not count if the assignment was given back for good, unless the same person has the
    topic again: then it is on their bench, and counts. Who had which assignment is asked as of the snapshot's point.
    Rows whose ids are in ``without`` do not count, and no older row replaces them.
    """
    newest = rows.order_by().values("item_id", "criterion", "assessor_id").annotate(newest=Max("id")).values("newest")
    said = (
        Judgment.objects.filter(pk__in=newest, value__isnull=False)
        .exclude(pk__in=without)
        .alias(
            work=Subquery(work_now().values("pk")[:1]),
            chain=Subquery(work_now().values_list(Coalesce("chain_start_id", "pk"))[:1]),
        )
    )
    live = Assignment.objects.filter(live_at(at.campaign, at.as_of))
    continued = live.filter(chain_start=OuterRef("chain"), pk__gt=OuterRef("work"))
    is_live = Q(Exists(live.filter(pk=OuterRef("work")))) | Q(Exists(continued))  # in one, no index would be used
    is_second = Q(assignment__role=SECOND)
    level = Case(When(assignment__role=ADJUDICATOR, then=1), default=0)
    judge = Case(When(is_second, then=F("chain")), default=0, output_field=NUMBER)
    counts = Case(
        When(assignment__role__in=(ADJUDICATOR, PRIMARY), then=F("id")),
        When(is_second & is_live, then=F("id")),
        default=NO_ID,
        output_field=NUMBER,
    )
    of_item = [F("item"), F("criterion")]
    each = said.alias(
        level=level,
        highest=Window(Max(level), partition_by=of_item),
        last=Window(Max("id"), partition_by=[*of_item, F("assignment__role"), judge]),
    ).filter(highest=F("level"), last=counts)
    return Judgment.objects.filter(pk__in=each.order_by().values("pk"))


def majority_rows(rows: QuerySet[Judgment], *, at: Snapshot, without: Collection[int] = ()) -> QuerySet[Judgment]:
    """Return from these rows one for each item and criterion: a row that holds the most frequent grade.

    If several grades are equally frequent, the one that the primary assessor gave wins; if they gave none of them, that
    of the judge who got the assignment last. Of several rows with the winning grade, the primary assessor's is
    returned, or else the newest.
    """
    each = opinions(rows, at=at, without=without).alias(work=Subquery(work_now().values("pk")[:1]))
    authors = Q(assignment__role=PRIMARY)
    order = Window(
        RowNumber(),
        partition_by=[F("item_id"), F("criterion")],
        order_by=[Count("pk").desc(), Count("pk", filter=authors).desc(), Max("work").desc()],
    )
    grades = each.order_by().values("item_id", "criterion", "value")
    best = Coalesce(Max("id", filter=authors), Max("id"))
    return Judgment.objects.filter(pk__in=grades.annotate(best=best).alias(order=order).filter(order=1).values("best"))


def work_now() -> QuerySet[Assignment]:
    """Return a subquery, newest first, of the assignments on whose bench a judgment of the outer query is shown.

    These are all assignments that the judge has had for the same topic and stage in the same role.
    """
    return Assignment.objects.filter(
        topic=OuterRef("assignment__topic"),
        stage=OuterRef("assignment__stage"),
        assessor=OuterRef("assessor"),
        role=OuterRef("assignment__role"),
    ).order_by("-pk")


def unsure_counts(campaign: Campaign) -> list[tuple[Criterion, int]]:
    """Return each criterion that allows "can't tell", with the number of current answers that say so.

    One query, or none if no criterion allows it.
    """
    stages = [stage for task in track_of(campaign).tasks for stage in task.stages]
    asking = {each.key: each for stage in stages for each in stage.criteria if each.unsure is not None}
    if not asking:
        return []
    rows = Judgment.objects.filter(COUNTED, item__topic__campaign=campaign, item__repeats=None)
    rows = rows.filter(criterion__in=list(asking)).exclude(assignment__role=Assignment.Role.MACHINE)
    unsure = _newest(rows, as_of=None).filter(given__unsure=True).exclude(_unasked_of_person(campaign, as_of=None))
    numbers = dict(unsure.order_by().values_list("criterion").annotate(number=Count("pk")))
    return [(each, numbers.get(key, 0)) for key, each in asking.items()]


def superseded_judgments(topics: Iterable[int], *, as_of: int | None = None) -> list[int]:
    """Return the ids of current judgments in these topics that a later judge in the same role has replaced.

    Of second assessors, only those in one chain of hand-overs replace one another. One query.
    """
    rows = Judgment.objects.filter(
        item__topic__in=list(topics), item__repeats=None, assignment__role__in=(PRIMARY, SECOND, ADJUDICATOR)
    )
    chain = Subquery(work_now().values_list(Coalesce("chain_start_id", "pk"))[:1])
    judge = Case(When(assignment__role=SECOND, then=chain), default=0, output_field=NUMBER)
    newest = newest_rows(rows, "item_id", "criterion", "assessor_id", as_of=as_of).filter(ANSWERED)
    ordered = newest.annotate(judge=judge).order_by("id")
    last: dict[tuple[int, str, str, int], int] = {}
    old: list[int] = []
    fields = ("id", "item_id", "criterion", "assignment__role", "judge")
    for row, item, criterion, role, chain_of in ordered.values_list(*fields):
        place = (item, criterion, role, chain_of)
        if place in last:
            old.append(last[place])
        last[place] = row
    return old
