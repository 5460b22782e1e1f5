"""Derives records of exports from other records, in the same way from the site's tables and from a release's files.

The site reads the source records from its database, and `verify` reads them from the files of a release, so that both
get the same results. Topics, runs and keys are texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Container, Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

from scoring.formats.match_labels import LABELS, MatchLabel
from scoring.own_items import own_key, run_of_key
from scoring.quick_records import quick_record
from scoring.records import (
    AssignedNugget,
    ItemGrade,
    JudgedInstance,
    JudgedResponse,
    NuggetizerLine,
    NuggetPiece,
    OwnedMatch,
    OwnedNugget,
    OwnedReview,
    ReturnedSegment,
    RunGrade,
)

ASSIGNMENTS = {"full": "support", "partial": "partial_support", "none": "not_support", "": ""}
_BEST_LAST = ("", "none", "partial", "full")

Place = tuple[str, str]
"""Topic and key of an item."""
Item = TypeVar("Item", bound=Hashable)
StringRow = tuple[int, Item, str, str]
"""A string of a response: its number, its item, docno and text."""


@quick_record(frozen=True, kw_only=True, slots=True)
class RunResponse:
    """The whole response of a run to a topic; ``key`` is shared by all identical responses."""

    run: str
    topic: str
    key: str


@quick_record(frozen=True, kw_only=True, slots=True)
class RunString:
    """A judged string of a run's response; ``key`` identifies its item within its topic."""

    run: str
    topic: str
    ordinal: int
    key: str
    docno: str
    text: str


def grades_of_runs(
    grades: Callable[[str], Iterable[ItemGrade]],
    *,
    responses: Iterable[RunResponse],
    alone: Mapping[Place, str],
    runs: Collection[str],
) -> Iterator[RunGrade]:
    """Yield the grades of whole responses: first the official values (role ""), then those of second assessors.

    A grade is yielded once for each run that returned the response. ``grades`` is called with "official" and "second",
    and returns the grades of the responses' items. ``alone`` maps the items that belong to a single response to their
    texts; their grades replace those of the item that identical responses share. If such an item has no text and its
    run, one of ``runs``, returned nothing for the topic, the grade is for the empty response.
    """
    of_item: dict[Place, list[str]] = {}
    answered: set[Place] = set()
    for response in sorted(responses, key=lambda each: each.run):
        own = own_key(response.key, response.run)
        key = own if (response.topic, own) in alone else response.key
        of_item.setdefault((response.topic, key), []).append(response.run)
        answered.add((response.topic, response.run))
    for (topic, key), text in alone.items():
        run = run_of_key(key)
        if not text and run in runs and (topic, run) not in answered:
            of_item.setdefault((topic, key), []).append(run)
    for role in ("official", "second"):
        for grade in grades(role):
            for run in of_item.get((grade.topic, grade.key), ()):
                if grade.value is not None:
                    yield RunGrade(
                        topic=grade.topic,
                        run=run,
                        criterion=grade.criterion,
                        value=grade.value,
                        role="second" if role == "second" else "",
                    )


def assigned_nuggets(
    *,
    nuggets: Iterable[OwnedNugget],
    matches: Iterable[OwnedMatch],
    reviews: Iterable[OwnedReview],
    responses: Iterable[ReturnedSegment],
    titles: Mapping[str, str],
) -> Iterator[NuggetizerLine]:
    """Yield a line for each judged response, with all nuggets of its topic's list and how far it contains each.

    A response is judged if anybody marked or finished it. A nugget without a mark is absent from a finished response;
    in any other response its assignment is "". If a nugget has several marks in an item, the best one counts. All
    marks are held in memory, a byte each. Raises KeyError for a topic without a title.
    """
    lists: dict[str, list[OwnedNugget]] = {}
    for nugget in sorted(nuggets, key=lambda nugget: nugget.number):
        lists.setdefault(nugget.topic, []).append(nugget)
    places = {topic: {nugget.number: at for at, nugget in enumerate(own)} for topic, own in lists.items()}
    marks: dict[Place, bytearray] = {}
    for match in matches:
        numbers = places.get(match.topic, {})
        of_item = marks.setdefault((match.topic, match.key), bytearray(len(numbers)))
        if (at := numbers.get(match.number)) is not None:
            of_item[at] = max(of_item[at], _BEST_LAST.index(match.value))
    finished = {(review.topic, review.key) for review in reviews}
    said: dict[tuple[str, int, str], AssignedNugget] = {}  # thousands of lines share them
    for response in responses:
        place = (response.topic, response.key)
        if response.topic not in lists or (place not in marks and place not in finished):
            continue
        own, found = lists[response.topic], []
        unsaid = "none" if place in finished else ""
        for at, best in enumerate(marks.get(place) or bytes(len(own))):
            assignment = ASSIGNMENTS[_BEST_LAST[best] or unsaid]
            each = said.get((response.topic, at, assignment))
            if each is None:
                each = AssignedNugget(text=own[at].text, importance=own[at].importance, assignment=assignment)
                said[response.topic, at, assignment] = each
            found.append(each)
        yield NuggetizerLine(
            topic=response.topic,
            query=titles[response.topic],
            run=response.run,
            answer=response.text,
            nuggets=tuple(found),
        )


def labels_of_matches(nuggets: Iterable[OwnedNugget], matches: Iterable[OwnedMatch]) -> Iterator[MatchLabel]:
    """Yield, for matches that came from published labels, a label with the batch and the run of the published one."""
    labels = {
        (nugget.topic, nugget.number, key): label
        for nugget in nuggets
        for key, label in nugget.fields.get(LABELS, {}).items()
    }
    for match in matches:
        if (label := labels.get((match.topic, match.number, match.key))) is not None:
            batch, run = label
            is_match = match.value == "full"
            yield MatchLabel(batch=batch, topic=match.topic, number=match.number, run=run, is_match=is_match)


def pieces_of_runs(
    *,
    nuggets: Iterable[OwnedNugget],
    matches: Iterable[OwnedMatch],
    segments: Iterable[ReturnedSegment],
    alone: Container[Place],
    role: str,
) -> Iterator[NuggetPiece]:
    """Yield each nugget, or part of one, once for each response: at the first string that contains it in full.

    Unless the ``role`` is "primary", several assessors may have written lists for a topic. Then only the marks of the
    assessor count whose nuggets come first for the topic.

    If a string has an item for this response alone (``alone``), its marks count instead of those of the item that
    identical strings share.
    """
    owners: dict[str, str] = {}
    for nugget in nuggets:
        owners.setdefault(nugget.topic, nugget.by)
    marks: dict[Place, list[tuple[int, int, str]]] = {}
    shared: dict[tuple[int, int, str], tuple[int, int, str]] = {}  # so that equal marks, mostly without quotes, are one
    for match in matches:
        if match.value == "full" and (role == "primary" or match.by == owners.get(match.topic)):
            said = match.number, match.part, match.quote
            marks.setdefault((match.topic, match.key), []).append(shared.setdefault(said, said))
    places: Counter[tuple[str, str, str]] = Counter()
    counted: set[tuple[str, str, int, int]] = set()
    for segment in segments:
        places[segment.run, segment.topic, segment.key] += 1
        own = own_key(segment.key, segment.run, places[segment.run, segment.topic, segment.key])
        key = own if (segment.topic, own) in alone else segment.key
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


def judged_strings(
    strings: Iterable[RunString], *, values: Mapping[Place, int], classes: Mapping[Place, str]
) -> Iterator[JudgedInstance]:
    """Yield the judged strings of runs. A run's first string in each answer class is the distinct one.

    ``values`` maps an item to its judgment, and ``classes`` to the key of its answer class.
    """
    counted: set[tuple[str, str, str]] = set()
    for each in strings:
        place = (each.topic, each.key)
        if place not in values:
            continue
        key = (each.run, each.topic, classes.get(place, ""))
        distinct = key[2] != "" and key not in counted
        counted.add(key)
        yield JudgedInstance(
            topic=each.topic,
            run=each.run,
            docno=each.docno,
            correctness=values[place],
            distinct=distinct,
            text=each.text,
        )


def nuggets_of_strings(
    topic: str, run: str, strings: Iterable[StringRow[Item]], marked: Mapping[Item, Iterable[tuple[int, int]]]
) -> JudgedResponse:
    """Return the judged strings of a response, in their order, with the nuggets found in them. A string is judged if
    its item is in ``marked``, even without any nugget.

    Each nugget is named once for a response, at the first string that contains it.
    """
    found = [row for row in strings if row[1] in marked]
    counted: set[tuple[int, int]] = set()
    nuggets: list[tuple[int, int, int]] = []
    for ordinal, item, _, _ in found:
        for nugget in sorted(marked[item]):
            if nugget not in counted:
                counted.add(nugget)
                nuggets.append((ordinal, *nugget))
    judged = tuple((ordinal, docno, text) for ordinal, _, docno, text in found)
    return JudgedResponse(topic=topic, run=run, strings=judged, nuggets=tuple(nuggets))
