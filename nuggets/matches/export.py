"""Nuggets found in responses, as acts and as the files of tracks and of other projects have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Literal

from assess.assignments.models import Assignment
from assess.assignments.queries.pseudonyms import pseudonyms
from assess.exports.queries import alone_items, returned, strings_of
from assess.exports.writing import named_item, role_of
from assess.items.models import Item
from assess.items.queries import current_pools
from assess.judging.snapshots import Counting, Snapshot
from nuggets.matches.current import Mark, all_marks, finished_reviews, official_marks
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
from scoring.formats.match_labels import LABELS, MatchLabel
from scoring.own_items import own_key, run_of_key
from scoring.recorded_acts import Matched, RecordedAct, Reviewed
from scoring.records import (
    AssignedNugget,
    ItemMatch,
    NuggetizerLine,
    NuggetPiece,
    OwnedMatch,
    OwnedNugget,
    OwnedReview,
    ResponseItem,
    RunMatch,
)

# Nuggets, marks and finished items as each assessor said them, by role: what measures of agreement read.
#
# Where a stage says ``own``, everybody marks the nuggets of their own list; else all mark those of the list that
# counts. Each function is named by a track's `Export.collect` and streams, topic by topic. Its option ``role`` is
# "primary" for what counts (an adjudicator's, where there is one, else the author's), "second" for second assessors, or
# "all".

VALUES: dict[str, Literal["full", "partial", "none"]] = {"full": "full", "partial": "partial", "absent": "none"}
"""Values of the ledger of marks, as records and files have them."""


def matches_of(snapshot: Snapshot, *, role: str = "primary") -> Iterator[OwnedMatch]:
    """What was said of nuggets in items, "none" included where it was said expressly."""
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
    """The items that assessors finished under the list that they work from."""
    _require_role(role)
    names = pseudonyms(snapshot.campaign)
    for _, number, lists in _by_topic(snapshot):
        reviews = finished_reviews(lists, as_of=snapshot.as_of)
        found = [each for each in reviews if _is_of(snapshot.counting, role, each.assessor_id, each.assignment.role)]
        for review in sorted(found, key=lambda each: (each.assignment.role, names[each.assessor_id], each.item.key)):
            item = review.item
            yield OwnedReview(
                by=names[review.assessor_id],
                role=review.assignment.role,
                topic=number,
                key=item.key,
                docno=item.docno,
                text=item.text,
            )


def _marks(snapshot: Snapshot, lists: list[NuggetList], *, topic: int, role: str) -> list[Mark]:
    """The marks of one topic that a role asks for."""
    marks: list[Mark] = []
    if role != "second":
        those = official_lists([topic], at=snapshot).values()
        marks += official_marks(those, at=snapshot, with_absent=True)
    if role != "primary":
        marks += [mark for mark in all_marks(lists, as_of=snapshot.as_of) if mark.role == SECOND]
    return marks


def _by_topic(snapshot: Snapshot) -> Iterator[tuple[int, str, list[NuggetList]]]:
    """The lists that each topic's marks are made on, topics in the campaign's order: id, number, lists."""
    by_topic: dict[int, list[NuggetList]] = {}
    for nugget_list in working_lists(snapshot):
        by_topic.setdefault(nugget_list.topic_id, []).append(nugget_list)
    for task in match_tasks(snapshot.campaign):
        for topic, number in numbers_of(snapshot.campaign, task).items():
            if topic in by_topic:
                yield topic, number, by_topic[topic]


def _is_of(counting: Counting, role: str, assessor: int, held: str) -> bool:
    """Whether what a person said in the role they held is among what an export asks for."""
    if role == "all":
        return held != Assignment.Role.MACHINE
    return held == SECOND if role == "second" else counting.admits(assessor, held)


# What exports take of marks: in nuggetizer's form, as labels, as recorded acts, and by item.

ASSIGNMENTS = {"full": "support", "partial": "partial_support", "none": "not_support"}


_BEST_FIRST = ("full", "partial", "none")


def assigned(snapshot: Snapshot, *, kind: str) -> Iterator[NuggetizerLine]:
    """What each accepted run's responses of this kind hold of the list that counts; only those that were judged.

    A response is one segment. Holds all marks of the campaign in memory.
    """
    lists: dict[str, list[OwnedNugget]] = {}
    for nugget in nuggets_of(snapshot):
        lists.setdefault(nugget.topic, []).append(nugget)
    marks: dict[tuple[str, str], dict[int, str]] = {}
    for match in matches_of(snapshot):
        of_item = marks.setdefault((match.topic, match.key), {})
        of_item[match.number] = min(of_item.get(match.number, "none"), match.value, key=_BEST_FIRST.index)
    finished = {(review.topic, review.key) for review in reviews_of(snapshot)}
    titles = dict(snapshot.campaign.topics.values_list("number", "text"))
    for response in returned(snapshot, kind=kind):
        place = (response.topic, response.key)
        if response.topic not in lists or (place not in marks and place not in finished):
            continue
        said = {number: ASSIGNMENTS[value] for number, value in marks.get(place, {}).items()}
        unsaid = "not_support" if place in finished else ""
        yield NuggetizerLine(
            topic=response.topic,
            query=titles[response.topic],
            run=response.run,
            answer=response.text,
            nuggets=tuple(
                AssignedNugget(
                    text=nugget.text,
                    importance=nugget.importance,
                    assignment=said.get(nugget.number, unsaid),
                )
                for nugget in sorted(lists[response.topic], key=lambda nugget: nugget.number)
            ),
        )


def match_labels(snapshot: Snapshot) -> Iterator[MatchLabel]:
    """What was said of the nuggets that were labelled elsewhere, under the batch and the run of the label."""
    labels = {
        (nugget.topic, nugget.number, key): label
        for nugget in nuggets_of(snapshot)
        for key, label in nugget.fields.get(LABELS, {}).items()
    }
    for match in matches_of(snapshot):
        if (label := labels.get(_place(match))) is not None:
            batch, run = label
            is_match = match.value == "full"
            yield MatchLabel(batch=batch, topic=match.topic, number=match.number, run=run, is_match=is_match)


def _place(match: OwnedMatch) -> tuple[str, int, str]:
    return match.topic, match.number, match.key


def matched_acts(snapshot: Snapshot, names: Mapping[int, str]) -> Iterator[RecordedAct]:
    """Marks on the lists that people work from, and the strings finished under them, of every assessor."""
    lists = working_lists(snapshot)
    topics = numbers_of_lists(lists)
    items = Item.objects.filter(topic__in=list(topics)).in_bulk()
    for mark in all_marks(lists, as_of=snapshot.as_of):
        yield Matched(
            by=names[mark.assessor_id],
            topic=topics[mark.topic_id],
            number=mark.number,
            part=mark.part,
            quote=mark.quote,
            is_partial=mark.value == NuggetMatch.Value.PARTIAL,
            is_absent=mark.value == NuggetMatch.Value.ABSENT,
            role=role_of(mark.role),
            **named_item(items[mark.item_id]),
        )
    for review in finished_reviews(lists, as_of=snapshot.as_of):
        yield Reviewed(
            by=names[review.assessor_id],
            topic=topics[review.item.topic_id],
            role=role_of(review.assignment.role),
            **named_item(review.item),
        )


CHUNK = 2000


def item_matches(snapshot: Snapshot) -> Iterator[ItemMatch]:
    """The nuggets that items contain in full."""
    lists = counting_lists(snapshot)
    numbers = {nugget_list.topic_id: number for number, nugget_list in lists.items()}
    marks = [mark for mark in official_marks(lists.values(), at=snapshot) if mark.value == NuggetMatch.Value.FULL]
    items = Item.objects.filter(topic__in=list(numbers)).values_list("pk", "docno", "text", "key")
    texts = {pk: (docno, text, key if run_of_key(key) else "") for pk, docno, text, key in items.iterator(CHUNK)}
    for mark in marks:
        docno, text, key = texts[mark.item_id]
        topic = numbers[mark.topic_id]
        yield ItemMatch(topic=topic, docno=docno, text=text, number=mark.number, part=mark.part, key=key)


def other_judged(snapshot: Snapshot) -> Iterator[ResponseItem | RunMatch]:
    """The pooled strings of every accepted run, and each nugget once in a response, at its first string."""
    campaign = snapshot.campaign
    lists = counting_lists(snapshot)
    marked: dict[int, list[tuple[int, int]]] = {}
    for mark in official_marks(lists.values(), at=snapshot):
        if mark.value == NuggetMatch.Value.FULL:
            marked.setdefault(mark.item_id, []).append((mark.number, mark.part))
    for task in match_tasks(campaign):
        numbers = numbers_of(campaign, task)
        pools = current_pools(campaign).filter(task=task.key)
        pooled = set(Item.objects.filter(pool_items__pool__in=pools).values_list("pk", flat=True))
        counted: set[tuple[str, int, int, int]] = set()
        for run, topic, ordinal, item, docno, text in strings_of(campaign, task):
            if item not in pooled:
                continue
            yield ResponseItem(topic=numbers[topic], run=run, item=ordinal, docno=docno, text=text)
            for number, part in sorted(marked.get(item, ())):
                if (run, topic, number, part) not in counted:
                    counted.add((run, topic, number, part))
                    yield RunMatch(topic=numbers[topic], run=run, item=ordinal, number=number, part=part)


def run_pieces(snapshot: Snapshot, *, kind: str, role: str = "primary") -> Iterator[NuggetPiece]:
    """Each nugget, or part of one, once in a response: at its first string that holds it in full.

    ``kind`` is that of the strings' items, ``role`` as in `nuggets_of`. Where several second assessors wrote lists
    for a topic, the marks are those of the first by pseudonym, whose list `nuggets_of` gives first. Where a string has
    an item for this response alone, that counts, and not what was said of all that are identical.
    """
    owners: dict[str, str] = {}
    for nugget in nuggets_of(snapshot, role=role):
        owners.setdefault(nugget.topic, nugget.by)
    marks: dict[tuple[str, str], list[tuple[int, int, str]]] = {}
    for match in matches_of(snapshot, role=role):
        if match.value == "full" and (role == "primary" or match.by == owners.get(match.topic)):
            marks.setdefault((match.topic, match.key), []).append((match.number, match.part, match.quote))
    alone = alone_items(snapshot.campaign, kind)
    places: Counter[tuple[str, str, str]] = Counter()
    counted: set[tuple[str, str, int, int]] = set()
    for segment in returned(snapshot, kind=kind):
        key = segment.key
        if alone:
            places[segment.run, segment.topic, key] += 1
            own = own_key(key, segment.run, places[segment.run, segment.topic, key])
            key = own if (segment.topic, own) in alone else key
        for number, part, quote in sorted(marks.get((segment.topic, key), ())):
            place = (segment.run, segment.topic, number, part)
            if place not in counted:
                counted.add(place)
                yield NuggetPiece(
                    topic=segment.topic,
                    run=segment.run,
                    item=segment.ordinal,
                    number=number,
                    part=part,
                    docno=segment.docno,
                    no_docno=segment.no_docno,
                    text=quote or segment.text,
                )
