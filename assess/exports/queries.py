"""The records of a campaign's exports: topics, grades of items and of responses, and what runs returned."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Literal

from django.db.models import Case, Count, Q, QuerySet, TextField, When
from django.db.models.functions import Cast

from assess.assignments.models import Assignment
from assess.assignments.queries.pseudonyms import pseudonyms
from assess.campaigns.models import Campaign
from assess.campaigns.queries import stage_of, track_of
from assess.items.models import Item
from assess.items.queries import pooled_at
from assess.judging.models import Judgment
from assess.judging.queries.current import current_judgments, official_judgments, opinions
from assess.judging.snapshots import Snapshot
from assess.protocol import Stage, Task, TopicRecord, asked_criteria
from assess.runs.models import Citation, Response, Segment
from assess.runs.queries import accepted_runs
from assess.topics.queries import topic_records
from scoring.own_items import run_of_key
from scoring.records import ItemGrade, ReturnedSegment, RunGrade
from scoring.release.derived_records import RunResponse, RunString, StringRow, grades_of_runs

# A track names them by these keys in `Export.collect` and adds `Export.options`:
#
#     topics      TopicRecord; no options
#     grades      ItemGrade; kind, criteria, role, unjudged
#     returned    ReturnedSegment; kind
#
# All stream, in the order of the topics; questions to the organiser are not read.

CHUNK = 2_000
NONE = "{}"
TOPICS_AT_ONCE = 50
ITEMS_AT_ONCE = 10_000
RUNS_AT_ONCE = 5

WhoseRole = Literal["official", "second", "all", "each"]
ROLES: dict[str, str] = {Assignment.Role.PRIMARY: ""}  # acts write "" for this role, and other roles by name


def topics(snapshot: Snapshot) -> Iterator[TopicRecord]:
    """Yield every topic that was not dropped, followed by the topics that it groups.

    Topics are in no ledger, so they are read in their current state.
    """
    yield from topic_records(snapshot.campaign)


def grades(
    snapshot: Snapshot, *, kind: str, criteria: Sequence[str] = (), role: WhoseRole = "official", unjudged: bool = False
) -> Iterator[ItemGrade]:
    """Yield the judgments of all items of one kind, by topic, key, criterion and assessor.

    ``criteria`` are those wanted, in their order (default: all, by name). ``role`` "official" gives the one value that
    counts for each item and criterion, "second" the current values of second assessors, "all" every person's, "each"
    those of `opinions`: everybody who judges the item now, or only the adjudicator. ``unjudged`` adds a record without
    a value for every pooled item and wanted criterion that applies to it and has no value yet; without ``criteria``,
    for the criteria that the topic's stages ask for. Topics are read in batches of at most 50 topics or 10,000 items,
    or one by one if they are larger. Each batch takes two queries, and a few more with ``unjudged``; memory holds no
    more than one batch.
    """
    campaign = snapshot.campaign
    names = pseudonyms(campaign)
    asked = _criteria_by_task(campaign, kind, criteria)
    for batch in topics_in_turn(campaign, snapshot.topics):
        found = _values(snapshot, [pk for _, pk in batch], names, kind=kind, criteria=criteria, role=role)
        pooled = _pooled(snapshot, [pk for _, pk in batch], kind) if unjudged else set()
        unasked = (_Unasked(snapshot, [pk for _, pk in batch], kind) or None) if unjudged else None
        by_topic: dict[int, list[Any]] = {}
        items = Item.objects.filter(topic__in=[pk for _, pk in batch], kind=kind).order_by()
        rows = items.values_list("pk", "topic_id", "key", "docno", "text", as_text("fields"))
        for item in rows.iterator(CHUNK):
            if item[0] in found or item[0] in pooled:
                by_topic.setdefault(item[1], []).append(item)
        for record, topic in batch:
            of_task = asked.get(record.task, ())
            for pk, _, *item in sorted(by_topic.get(topic, ()), key=BY_KEY):
                wanted: Sequence[str] = of_task if pk in pooled else ()
                if wanted and unasked is not None:
                    wanted = unasked.left_out(record.task, pk, wanted)
                yield from _grades_of(record.number, kind, item, found.get(pk, ()), wanted, names)


def returned(snapshot: Snapshot, *, kind: str = "") -> Iterator[ReturnedSegment]:
    """Yield the segments of accepted runs by run tag, topic and place; with ``kind``, only those judged as that kind.

    Runs are in no ledger, so they are read in their current state. Runs are read five at a time, with three queries for
    each five.
    """
    campaign = snapshot.campaign
    numbers = dict(campaign.topics.values_list("number", "pk"))
    place = {numbers[record.number]: (rank, record.number) for rank, record in enumerate(topic_records(campaign))}
    runs = iter(list(accepted_runs(campaign).values_list("pk", "tag")))
    while batch := list(islice(runs, RUNS_AT_ONCE)):
        segments = Segment.objects.filter(response__run__in=[pk for pk, _ in batch], response__topic__dropped=False)
        if kind:
            segments = segments.filter(item__kind=kind)
        cited = _citations(segments)
        by_run: dict[int, list[tuple[Any, ...]]] = {}
        fields = (
            "response__run_id",
            "response__topic_id",
            "ordinal",
            "pk",
            "text",
            "docno",
            "item__kind",
            "item__key",
            "no_docno",
        )
        for row in segments.order_by().values_list(*fields, "response__item__key").iterator(CHUNK):
            by_run.setdefault(row[0], []).append(row)
        for run, tag in batch:
            for row in sorted(by_run.pop(run, ()), key=lambda row: (place[row[1]], row[2])):
                yield ReturnedSegment(
                    run=tag,
                    topic=place[row[1]][1],
                    ordinal=row[2],
                    text=row[4],
                    docno=row[5],
                    kind=row[6] or "",
                    key=row[7] or "",
                    citations=tuple(cited.get(row[3], ())),
                    response_key=row[9] or "",
                    no_docno=row[8],
                )


def topics_in_turn(campaign: Campaign, only: Collection[str] | None = None) -> Iterator[list[tuple[TopicRecord, int]]]:
    """Yield the judged topics with their ids in order, in batches whose items fit into memory. Three queries.

    ``only`` limits them to topics with these numbers.
    """
    topics = campaign.topics if only is None else campaign.topics.filter(number__in=list(only))
    numbers = dict(topics.values_list("number", "pk"))
    items = Item.objects.filter(topic__in=list(numbers.values())).order_by()
    sizes = dict(items.values_list("topic_id").annotate(size=Count("pk")))
    batch: list[tuple[TopicRecord, int]] = []
    held = 0
    for record in topic_records(campaign):
        if not record.task or record.number not in numbers:
            continue
        topic = numbers[record.number]
        size = sizes.get(topic, 0)
        if batch and (len(batch) == TOPICS_AT_ONCE or held + size > ITEMS_AT_ONCE):
            yield batch
            batch, held = [], 0
        batch.append((record, topic))
        held += size
    if batch:
        yield batch


def _criteria_by_task(campaign: Campaign, kind: str, criteria: Sequence[str]) -> dict[str, list[str]]:
    """Return task -> the wanted criteria that its stages ask of items of this kind."""
    asked: dict[str, list[str]] = {}
    for task in track_of(campaign).tasks:
        stages = [stage_of(campaign, stage.key)[1] for stage in task.stages if stage.item_kind == kind]
        keys = dict.fromkeys(criterion.key for stage in stages for criterion in stage.criteria)
        asked[task.key] = [key for key in keys if not criteria or key in criteria]
    return asked


class _Unasked:
    """The criteria that don't apply to an item, given the other answers about it, for all items of some topics. One
    query, or none.
    """

    def __init__(self, snapshot: Snapshot, topics: list[int], kind: str) -> None:
        self._stages: dict[str, list[Stage]] = {}
        for task in track_of(snapshot.campaign).tasks:
            stages = [stage_of(snapshot.campaign, stage.key)[1] for stage in task.stages if stage.item_kind == kind]
            found = [stage for stage in stages if any(each.asked_if for each in stage.criteria)]
            if found:
                self._stages[task.key] = found
        self._said: dict[int, dict[str, int | None]] = {}
        if self._stages:
            rows = official_judgments(snapshot, topics=topics).filter(item__kind=kind).order_by()
            for item, criterion, value in rows.values_list("item_id", "criterion", "value").iterator(CHUNK):
                self._said.setdefault(item, {})[criterion] = value

    def __bool__(self) -> bool:
        return bool(self._stages)

    def left_out(self, task: str, item: int, wanted: Sequence[str]) -> Sequence[str]:
        """Return the wanted criteria without those that don't apply to this item."""
        for stage in self._stages.get(task, ()):
            asked = {each.key for each in asked_criteria(stage.criteria, self._said.get(item, {}))}
            unasked = {each.key for each in stage.criteria} - asked
            wanted = [key for key in wanted if key not in unasked]
        return wanted


MORE_FIELDS = Case(When(~Q(fields={}), then="fields"))
"""The fields of an item, or NULL if it has none, which avoids parsing a hundred thousand empty JSON objects."""


_Item = list[Any]  # key, docno, text, fields as JSON
BY_KEY = itemgetter(2)


def as_text(field: str | Case) -> Cast:
    """Return a JSON field as its text. If any column is JSON, Django passes each row through a function, which takes as
    long as reading the row.
    """
    return Cast(field, TextField())


def fields_in(text: str) -> dict[str, Any]:
    """Return the fields of an item that were read `as_text`."""
    fields: dict[str, Any] = json.loads(text)
    return fields


_Value = tuple[int, str, int, str, str | None, int, str]
"""Item, criterion, value, note, evidence as JSON, assessor and role."""


def _values(
    snapshot: Snapshot,
    topic_ids: list[int],
    names: Mapping[int, str],
    *,
    kind: str,
    criteria: Sequence[str],
    role: str,
) -> dict[int, list[_Value]]:
    """Return item id -> the judgments of it, in order."""
    rows: QuerySet[Judgment]
    if role == "official":
        rows = official_judgments(snapshot, topics=topic_ids)
    elif role == "each" and snapshot.counting.is_official:
        rows = opinions(current_judgments(snapshot).filter(item__topic__in=topic_ids), at=snapshot)
    elif role == "each":
        rows = official_judgments(snapshot, topics=topic_ids)
    else:
        rows = current_judgments(snapshot).filter(item__topic__in=topic_ids)
        rows = rows.exclude(assignment__role=Assignment.Role.MACHINE)
    rows = rows.filter(item__kind=kind)
    if role == "second":
        rows = rows.filter(assignment__role=Assignment.Role.SECOND)
    if criteria:
        rows = rows.filter(criterion__in=list(criteria))
    rank = {criterion: place for place, criterion in enumerate(criteria)}
    fields = ("item_id", "criterion", "value", "note", as_text("evidence"), "assessor_id", "assignment__role")
    found: dict[int, list[_Value]] = {}
    for said in rows.order_by("id").values_list(*fields).iterator(CHUNK):
        if role != "second" or snapshot.admits_second(said[5]):
            found.setdefault(said[0], []).append(said)
    for values in (each for each in found.values() if len(each) > 1):
        values.sort(key=lambda value: (rank.get(value[1], 0), value[1], len(names[value[5]]), names[value[5]]))
    return found


def _pooled(snapshot: Snapshot, topic_ids: list[int], kind: str) -> set[int]:
    pooled = pooled_at(snapshot.campaign, snapshot.as_of).filter(item__topic__in=topic_ids, item__kind=kind)
    return set(pooled.order_by().values_list("item_id", flat=True))


def _grades_of(
    topic: str, kind: str, item: _Item, values: Sequence[_Value], wanted: Sequence[str], names: dict[int, str]
) -> Iterator[ItemGrade]:
    """Yield the values of one item, and then a record without a value for each wanted criterion that has none."""
    key, docno, text, more = item
    fields = fields_in(more) if more != NONE else {}
    for _, criterion, value, note, evidence, assessor, role in values:
        yield ItemGrade(
            topic=topic,
            kind=kind,
            key=key,
            docno=docno,
            text=text,
            fields=fields,
            criterion=criterion,
            value=value,
            note=note,
            evidence=tuple(json.loads(evidence) or ()) if evidence else (),
            by=names.get(assessor, ""),
            role=ROLES.get(role, role),
        )
    for criterion in wanted:
        if not any(value[1] == criterion for value in values):
            yield ItemGrade(
                topic=topic, kind=kind, key=key, docno=docno, text=text, fields=fields, criterion=criterion, value=None
            )


def _citations(segments: QuerySet[Segment]) -> dict[int, list[tuple[str, str, str]]]:
    """Return segment id -> what it cites, in order."""
    found: dict[int, list[tuple[str, str, str]]] = {}
    rows = Citation.objects.filter(segment__in=segments.order_by()).order_by("segment_id", "ordinal")
    for segment, docno, kind, key in rows.values_list("segment_id", "docno", "item__kind", "item__key").iterator(CHUNK):
        found.setdefault(segment, []).append((docno, kind or "", key or ""))
    return found


# The judgments of whole responses, run by run, for tracks whose files name runs and not items.
#
# If identical responses are judged once, a judgment of one run's own response takes precedence for that run:
# published judgments of identical responses may differ, and are stored on items of their own (`scoring.own_items`).


def run_grades(snapshot: Snapshot, *, kind: str, criteria: Sequence[str]) -> Iterator[RunGrade]:
    """Yield the official value (role "") and second assessors' values of each accepted run's response to each topic.

    ``kind`` is the kind of the items of whole responses. Identical responses that were judged once have the same
    values. If a run returned nothing for a topic and was judged anyway, that judgment is its value. The order is that
    of the grades: official values first, then by topic, item and criterion, and the runs of each grade by name.
    """
    campaign = snapshot.campaign
    found = Response.objects.filter(run__in=accepted_runs(campaign), item__kind=kind).order_by()
    rows = found.values_list("run__tag", "topic__number", "item__key").iterator(CHUNK)
    return grades_of_runs(
        partial(_grades_by_role, snapshot, kind, criteria),
        responses=[RunResponse(run=tag, topic=topic, key=key) for tag, topic, key in rows],
        alone=alone_items(campaign, kind),
        runs=set(accepted_runs(campaign).values_list("tag", flat=True)),
    )


def _grades_by_role(snapshot: Snapshot, kind: str, criteria: Sequence[str], role: WhoseRole) -> Iterator[ItemGrade]:
    return grades(snapshot, kind=kind, criteria=criteria, role=role)


def alone_items(campaign: Campaign, kind: str) -> dict[tuple[str, str], str]:
    """Return the texts of the items that stand for one run's own response although no run returned them. Texts are by
    (topic number, key). One query.
    """
    given = Item.objects.filter(topic__campaign=campaign, kind=kind, given=True, repeats=None).order_by()
    rows = given.filter(key__contains="@").values_list("topic__number", "key", "text")
    return {(topic, key): text for topic, key, text in rows.iterator(CHUNK) if run_of_key(key)}


# What accepted runs returned, string by string.


def strings_of(campaign: Campaign, task: Task) -> Iterator[RunString]:
    """Yield the judged strings that accepted runs returned for a task's questions, by run tag, topic and place."""
    segments = _judged_segments(campaign, task)
    fields = ("response__run__tag", "response__topic__number", "ordinal", "item__key", "docno", "text")
    ordered = segments.order_by("response__run__tag", "response__topic_id", "ordinal")
    for run, topic, ordinal, key, docno, text in ordered.values_list(*fields).iterator(CHUNK):
        yield RunString(run=run, topic=topic, ordinal=ordinal, key=key, docno=docno, text=text)


def string_rows(
    campaign: Campaign, task: Task, topics: Collection[int]
) -> Iterator[tuple[str, str, list[StringRow[int]]]]:
    """Yield what `strings_of` yields, one response at a time, in no particular order: the run tag, the topic number,
    and plain values with the item's id.

    The rows are not sorted, since every caller sorts them anyway.
    """
    segments = _judged_segments(campaign, task).filter(response__topic__in=topics)
    responses = Response.objects.filter(run__in=accepted_runs(campaign), topic__in=topics).order_by()
    of = {pk: names for pk, *names in responses.values_list("pk", "run__tag", "topic__number").iterator(CHUNK)}
    rows = segments.order_by("response_id", "ordinal").values_list("response_id", "ordinal", "item_id", "docno", "text")
    for response, strings in groupby(rows.iterator(CHUNK), key=itemgetter(0)):
        run, topic = of[response]
        yield run, topic, [row[1:] for row in strings]


def _judged_segments(campaign: Campaign, task: Task) -> QuerySet[Segment]:
    return Segment.objects.filter(
        response__run__in=accepted_runs(campaign),
        response__topic__task=task.key,
        response__topic__dropped=False,
        item__isnull=False,
    )
