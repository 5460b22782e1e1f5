"""Export the nuggets found in responses, as recorded acts and in the file formats of tracks and other projects."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from typing import Literal

from django.db.models import Count

from assess.assignments.models import Assignment
from assess.assignments.queries.pseudonyms import pseudonyms
from assess.campaigns.queries import track_of
from assess.exports.queries import alone_items, returned, string_rows, topics_in_turn
from assess.exports.writing import own_keys_of, role_of
from assess.items.models import Item
from assess.items.queries import current_pools
from assess.judging.snapshots import Snapshot
from nuggets.matches.current import Mark, all_marks, finished_reviews, official_marks, recorded_marks
from nuggets.matches.models import NuggetMatch
from nuggets.writing.counting_lists import (
    counting_lists,
    match_tasks,
    numbers_of,
    numbers_of_lists,
    official_lists,
    working_lists,
)
from nuggets.writing.export import SECOND, _require_role, nuggets_of
from nuggets.writing.models import NuggetList
from scoring.formats.match_labels import MatchLabel
from scoring.records import (
    ItemMatch,
    JudgedResponse,
    NuggetizerLine,
    NuggetPiece,
    OwnedMatch,
    OwnedReview,
    TopicMatches,
)
from scoring.release.derived_records import assigned_nuggets, labels_of_matches, nuggets_of_strings, pieces_of_runs
from scoring.release.recorded_acts import TopicMarks

# Each assessor's nuggets, marks and finished items, by role, for measures of agreement.
#
# If a stage is ``own``, all assessors mark the nuggets of their own lists; else all mark the list that counts. A
# track's `Export.collect` names each function, which streams topic by topic. The option ``role`` is "primary" for what
# counts (the adjudicator's marks if there are any, else the author's), "second" for second assessors, or "all".

VALUES: dict[str, Literal["full", "partial", "none"]] = {"full": "full", "partial": "partial", "absent": "none"}
"""The words of records and files for the values in the ledger of marks."""


def matches_of(snapshot: Snapshot, *, role: str = "primary") -> Iterator[OwnedMatch]:
    """Yield the marks of nuggets in items, topic by topic. A mark that says that the nugget is absent has the value
    "none". Raises ValueError for an unknown ``role``.
    """
    _require_role(role)
    names = pseudonyms(snapshot.campaign)
    for topic, number, lists in _by_topic(snapshot):
        items = Item.objects.filter(topic=topic).in_bulk()
        marks = _marks(snapshot, lists, topic=topic, role=role)
        for mark in sorted(marks, key=lambda m: (m.role, names[m.assessor_id], items[m.item_id].key, m.number, m.part)):
            item = items[mark.item_id]
            yield OwnedMatch(
                by=names[mark.assessor_id],
                role=mark.role,
                topic=number,
                number=mark.number,
                part=mark.part,
                key=item.key,
                docno=item.docno,
                text=item.text,
                quote=mark.quote,
                value=VALUES[mark.value],
            )


def reviews_of(snapshot: Snapshot, *, role: str = "primary") -> Iterator[OwnedReview]:
    """Yield the items that assessors finished, topic by topic. An item must be finished under the list that its
    assessor now uses. Raises ValueError for an unknown ``role``.
    """
    _require_role(role)
    names = pseudonyms(snapshot.campaign)
    for topic, number, lists in _by_topic(snapshot):
        items = Item.objects.filter(topic=topic).in_bulk()
        reviews = finished_reviews(lists, as_of=snapshot.as_of)
        found = [each for each in reviews if _is_of(snapshot, role, each.assessor_id, each.role)]
        for review in sorted(found, key=lambda each: (each.role, names[each.assessor_id], items[each.item_id].key)):
            item = items[review.item_id]
            yield OwnedReview(
                by=names[review.assessor_id],
                role=review.role,
                topic=number,
                key=item.key,
                docno=item.docno,
                text=item.text,
            )


def _marks(snapshot: Snapshot, lists: list[NuggetList], *, topic: int, role: str) -> list[Mark]:
    """Return the marks in one topic that an export for this role includes."""
    marks: list[Mark] = []
    if role != "second":
        those = official_lists([topic], at=snapshot).values()
        marks += official_marks(those, at=snapshot, with_absent=True)
    if role != "primary":
        second = (mark for mark in all_marks(lists, as_of=snapshot.as_of) if mark.role == SECOND)
        marks += [mark for mark in second if snapshot.admits_second(mark.assessor_id)]
    return marks


def _by_topic(snapshot: Snapshot) -> Iterator[tuple[int, str, list[NuggetList]]]:
    """Yield (topic's id, topic's number, the lists whose nuggets are marked) for each topic, in the campaign's order of
    topics.
    """
    by_topic: dict[int, list[NuggetList]] = {}
    for nugget_list in working_lists(snapshot):
        by_topic.setdefault(nugget_list.topic_id, []).append(nugget_list)
    for task in match_tasks(snapshot.campaign):
        for topic, number in numbers_of(snapshot.campaign, task).items():
            if topic in by_topic:
                yield topic, number, by_topic[topic]


def _is_of(snapshot: Snapshot, role: str, assessor: int, held: str) -> bool:
    """Return whether an export for ``role`` includes the work of this assessor in the role ``held``."""
    if role == "all":
        return held != Assignment.Role.MACHINE
    if role == "second":
        return held == SECOND and snapshot.admits_second(assessor)
    return snapshot.counting.admits(assessor, held)


# Exports of marks: in nuggetizer's format, as labels, as recorded acts, and by item.


def assigned(snapshot: Snapshot, *, kind: str) -> Iterator[NuggetizerLine]:
    """Yield a line for each judged response of each accepted run, which says how far it contains each nugget.

    The nuggets are those of the list that counts. A response is one segment of this ``kind``. All marks of the campaign
    are held in memory.
    """
    return assigned_nuggets(
        nuggets=nuggets_of(snapshot),
        matches=matches_of(snapshot),
        reviews=reviews_of(snapshot),
        responses=returned(snapshot, kind=kind),
        titles=dict(snapshot.campaign.topics.values_list("number", "text")),
    )


def match_labels(snapshot: Snapshot) -> Iterator[MatchLabel]:
    """Yield the marks that were imported as published labels. Each keeps the batch and the run of its label."""
    return labels_of_matches(nuggets_of(snapshot), matches_of(snapshot))


def matched_acts(snapshot: Snapshot, names: Mapping[int, str]) -> Iterator[TopicMarks]:
    """Yield, topic by topic, the marks on the lists that people use (`recorded_marks`), and the items that were
    finished under these lists.

    If the track has exports of official marks, those that are official are kept for them (`_full_marks`), so that they
    need not read the marks again.
    """
    lists, only = working_lists(snapshot), snapshot.topics
    is_kept = any(export.collect in OF_FULL_MARKS for export in track_of(snapshot.campaign).exports)
    counting = {each.pk for each in counting_lists(snapshot).values()} if is_kept else set()
    topics = {pk: number for pk, number in numbers_of_lists(lists).items() if only is None or number in only}
    for some in _in_turn(each for each in lists if each.topic_id in topics):
        on_lists = Counter(each.topic_id for each in some)
        said = {pk: TopicMarks(topic=topics[pk], items={}, marks=[], finished=[]) for pk in on_lists}
        rows = Item.objects.filter(topic__in=list(said)).order_by()
        found = list(rows.values_list("topic_id", "pk", "key", "text", "docno").iterator(CHUNK))
        keys, texts, docnos = (list(map(itemgetter(place), found)) for place in (2, 3, 4))
        for (topic, pk, _, text, docno), key in zip(found, own_keys_of(keys, texts, docnos), strict=True):
            said[topic].items[pk] = text, docno, key
        roles: dict[tuple[int, str], tuple[str, str]] = {}  # how files name who marked, and in which role
        marks, alone = recorded_marks(some, at=snapshot)
        for _, _, topic, number, part, item, value, quote, assessor, held, _, offered in marks:
            speaker = assessor, held
            by, role = roles.get(speaker) or roles.setdefault(speaker, (names[assessor], role_of(held)))
            draft = VALUES[offered] if offered else ""
            said[topic].marks.append((by, role, item, number, part, VALUES[value], quote, draft))
        for _, item, topic, assessor, held, _ in finished_reviews(some, as_of=snapshot.as_of):
            said[topic].finished.append((names[assessor], role_of(held), item))
        ones = [each for each in some if each.topic_id in alone and on_lists[each.topic_id] == 1]
        _keep_full(snapshot, [each for each in ones if each.pk in counting], marks)
        yield from said.values()


CHUNK = 2000
KEPT = "full marks"
OF_FULL_MARKS = ("item_matches", "other_judged")
"""The collectors that use `_full_marks`."""
FULL = "full"  # a plain string, since it is compared a million times
ITEMS_AT_ONCE = 10_000
MARKS_AN_ITEM = 5
"""How many marks take the memory of an item with its texts."""


def _in_turn(lists: Iterable[NuggetList]) -> Iterator[list[NuggetList]]:
    """Yield the lists in batches. A batch has the lists of some topics, which together have at most `ITEMS_AT_ONCE`
    items, or `MARKS_AN_ITEM` times as many marks; a topic with more is a batch by itself.

    Two queries if there are several topics.
    """
    by_topic: dict[int, list[NuggetList]] = {}
    for nugget_list in lists:
        by_topic.setdefault(nugget_list.topic_id, []).append(nugget_list)
    sizes: dict[int, int] = {}
    if len(by_topic) > 1:
        items = Item.objects.filter(topic__in=list(by_topic)).order_by()
        sizes = dict(items.values_list("topic_id").annotate(size=Count("*")))
        marks = NuggetMatch.objects.filter(assignment__topic__in=list(by_topic)).order_by()
        # `Count("pk")` would have SQLite look at each row, since the index of assignments has no ids of marks
        for topic, number in marks.values_list("assignment__topic_id").annotate(number=Count("*")):
            sizes[topic] = sizes.get(topic, 0) + number // MARKS_AN_ITEM
    some: list[NuggetList] = []
    held = 0
    for topic, found in by_topic.items():
        size = sizes.get(topic, 0)
        if some and held + size > ITEMS_AT_ONCE:
            yield some
            some, held = [], 0
        some += found
        held += size
    if some:
        yield some


FullMarks = tuple["array[int]", "array[int]", "array[int]"]
"""The marks of one list as three columns, to save memory: item ids, nugget numbers, and part numbers."""


def _full_marks(snapshot: Snapshot, lists: Iterable[NuggetList]) -> Iterator[tuple[int, FullMarks]]:
    """Yield (topic's id, marks) for each topic that has one of these lists. The marks are those official marks that say
    that an item contains a nugget in full.

    Topics are read in batches, and only once for all callers with the same snapshot.
    """
    found: dict[int, FullMarks] = snapshot.found_once(KEPT)
    for some in _in_turn(lists):
        if asked := [each for each in some if each.pk not in found]:
            found = _keep_full(snapshot, asked, official_marks(asked, at=snapshot))
        yield from ((each.topic_id, found[each.pk]) for each in some)


def _keep_full(snapshot: Snapshot, lists: Iterable[NuggetList], marks: Iterable[Mark]) -> dict[int, FullMarks]:
    """Return the marks that say that an item contains a nugget in full, by list id: those of these lists, and those
    that earlier calls found. They are kept with the snapshot, so that later calls need not read them again.
    """
    found: dict[int, FullMarks] = snapshot.found_once(KEPT)
    new: dict[int, FullMarks] = {each.pk: (array("q"), array("i"), array("i")) for each in lists}
    for mark in marks if new else ():
        if mark.value == FULL and mark.list_id in new:
            items, numbers, parts = new[mark.list_id]
            items.append(mark.item_id)
            numbers.append(mark.number)
            parts.append(mark.part)
    found.update(new)
    return found


def item_matches(snapshot: Snapshot) -> Iterator[ItemMatch]:
    """Yield the nuggets that items contain in full."""
    for said in topic_matches(snapshot):
        for item, number, part in said.marks:
            docno, text, key = said.items[item]
            yield ItemMatch(said.topic, docno, text, number, part, key)


def topic_matches(snapshot: Snapshot) -> Iterator[TopicMatches]:
    """Yield the nuggets that items contain in full, topic by topic. Exports and scores are made from these."""
    lists = counting_lists(snapshot)
    topics = {nugget_list.topic_id: number for number, nugget_list in lists.items()}
    for topic, marks in _full_marks(snapshot, lists.values()):
        items: dict[int, tuple[str, str, str]] = {}
        if marks[0]:
            rows = Item.objects.filter(topic=topic).order_by().values_list("pk", "docno", "text", "key")
            items = {pk: (docno, text, key) for pk, docno, text, key in rows.iterator(CHUNK)}
        yield TopicMatches(topics[topic], items, list(zip(*marks, strict=True)))


def other_judged(snapshot: Snapshot) -> Iterator[JudgedResponse]:
    """Yield the pooled strings of each accepted run, with the nuggets found in them. A nugget is yielded once for a
    response, at the first string that contains it.

    Topics are read in batches that bound the number of items in memory.
    """
    campaign = snapshot.campaign
    lists = counting_lists(snapshot)
    for task in match_tasks(campaign):
        pools = current_pools(campaign).filter(task=task.key)
        for batch in topics_in_turn(campaign):
            numbers = {pk: record.number for record, pk in batch if record.task == task.key}
            rows = Item.objects.filter(pool_items__pool__in=pools, topic__in=list(numbers)).order_by()
            marked: dict[int, list[tuple[int, int]]] = {pk: [] for pk in rows.values_list("pk", flat=True)}
            asked = [each for each in lists.values() if each.topic_id in numbers]
            for _, marks in _full_marks(snapshot, asked):
                for item, number, part in zip(*marks, strict=True):
                    if item in marked:
                        marked[item].append((number, part))
            for run, topic, strings in string_rows(campaign, task, list(numbers)):
                yield nuggets_of_strings(topic, run, strings, marked)


def run_pieces(snapshot: Snapshot, *, kind: str, role: str = "primary") -> Iterator[NuggetPiece]:
    """Yield the nuggets, and parts of nuggets, that each response contains in full.

    Each is yielded once for a response, at the first string that contains it. ``kind`` is the kind of the strings'
    items. Raises ValueError for a ``role`` that `nuggets_of` does not accept.
    """
    return pieces_of_runs(
        nuggets=nuggets_of(snapshot, role=role),
        matches=matches_of(snapshot, role=role),
        segments=returned(snapshot, kind=kind),
        alone=alone_items(snapshot.campaign, kind),
        role=role,
    )
