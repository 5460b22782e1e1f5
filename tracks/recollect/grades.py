"""Grades and runs, read from the files of a release as `assess.exports.queries` reads them from the tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assess.protocol import MAJORITY, Task, TopicRecord, asked_criteria
from nuggets.options import ItemGrouping
from scoring.own_items import run_of_key
from scoring.records import ItemGrade, ReturnedSegment, RunGrade
from scoring.release.derived_records import RunResponse, grades_of_runs
from scoring.release.recorded_acts import AnswerFound, Evidence, Judged, key_of
from tracks.recollect.recorded import Recorded, as_said
from tracks.recollect.work import Held


def topics(recorded: Recorded) -> Iterator[TopicRecord]:
    """Yield each topic, followed by the topics that it groups."""
    yield from recorded.topics


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """One person's judgment of one item on one criterion."""

    act: Judged | AnswerFound
    criterion: str
    value: int | None
    held: Held | None = None


def said_of_items(recorded: Recorded, topic: str, kind: str) -> dict[str, list[Said]]:
    """Return item's key -> people's judgments, for the items of a kind. The judgment of the person who worked last
    comes last.

    An answer that a person found counts as judged by them, with the grade whose items are grouped, unless they judged
    it explicitly.
    """
    task = recorded.task_of(topic)
    found: dict[tuple[str, str, str], Said] = {}
    for _, act in recorded.said(topic, Judged, AnswerFound):
        stage = recorded.stage_saying(task, act) if task is not None else None
        if stage is None or stage.item_kind != kind:
            continue
        if isinstance(act, Judged):
            place = (key_of(act), act.criterion, act.by)
            found.pop(place, None)
            held = recorded.held(topic, act)
            found[place] = Said(act=act, criterion=act.criterion, value=act.value, held=held)
        elif isinstance(act, AnswerFound) and isinstance(stage.work, ItemGrouping):
            criterion, value = stage.work.grade
            found.setdefault((key_of(act), criterion, act.by), Said(act=act, criterion=criterion, value=value))
    of_items: dict[str, list[Said]] = {}
    for (key, _, _), each in found.items():
        of_items.setdefault(key, []).append(each)
    return of_items


def opinions(said: Iterable[Said]) -> list[Said]:
    """Return the current grades of an item, one for each judge and criterion. On a criterion that an adjudicator
    decided, return only the adjudicator's. Grades of second assessors whose work was taken back are left out.

    The rule is the same as in `assess.judging.queries.current.opinions`.
    """
    of_each: dict[tuple[str, str, int | str], Said] = {}
    for each in said:
        role = each.act.role
        if each.value is not None and (role != "second" or each.held is None or each.held.is_live):
            chain = each.held.chain if role == "second" and each.held is not None else ""
            of_each[each.criterion, role, chain] = each
    decided = {criterion for criterion, role, _ in of_each if role == "adjudicator"}
    return [each for each in of_each.values() if each.act.role == "adjudicator" or each.criterion not in decided]


def said_by_most(said: Iterable[Said]) -> dict[str, Said]:
    """Return, for each criterion, an opinion with the most frequent grade. In a tie it is the primary assessor's
    opinion, or else the latest one.
    """
    each_said = opinions(said)
    numbers = Counter((each.criterion, each.value) for each in each_said)

    def rank(each: Said) -> tuple[int, bool, int]:
        return numbers[each.criterion, each.value], not each.act.role, each.held.place if each.held is not None else 0

    return {each.criterion: each for each in sorted(each_said, key=rank)}


def official(said: Iterable[Said], by_most: Collection[str] = ()) -> dict[str, Said]:
    """Return, for each criterion, the judgment that counts: the adjudicator's last one, or else the primary assessor's
    last one.

    A value of None means that the assessor can't tell. On the criteria ``by_most``, the most frequent value counts.
    """
    if by_most:
        said = list(said)
        others = official([each for each in said if each.criterion not in by_most])
        return {**others, **said_by_most([each for each in said if each.criterion in by_most])}
    chosen: dict[str, Said] = {}
    for each in said:
        settles = each.act.role == "adjudicator"
        if not settles and each.act.role:
            continue
        before = chosen.get(each.criterion)
        if before is None or settles or before.act.role != "adjudicator":
            chosen[each.criterion] = each
    return chosen


def grades(
    recorded: Recorded, *, kind: str, criteria: Sequence[str] = (), role: str = "official", unjudged: bool = False
) -> Iterator[ItemGrade]:
    """Yield the grades of the items of a kind, as `assess.exports.queries.grades` does, on these criteria or, if none
    are named, on all.

    ``role`` chooses the grades: those that count ("official"), one of each judge ("each"), those of second assessors
    ("second"), or everybody's (any other word). With ``unjudged``, a pooled item that lacks a grade is yielded with the
    value None.
    """
    rank = {criterion: place for place, criterion in enumerate(criteria)}
    for record in recorded.topics:
        task = recorded.task_of(record.number)
        if task is None:
            continue
        items = recorded.items(record.number, kind)
        said = said_of_items(recorded, record.number, kind)
        wanted = _asked(task, kind, criteria) if unjudged else []
        by_most = {each.key for stage in task.stages if stage.counts == MAJORITY for each in stage.criteria}
        keys = set(said)
        keys |= {key for key, item in items.items() if item.pooled} if unjudged else set()
        for key in sorted(keys):
            words = _of_role(said.get(key, ()), role, by_most)
            counting = official(said.get(key, ()), by_most)
            unasked = _unasked(task, kind, counting) if role == "official" else frozenset()
            words = [
                each
                for each in words
                if each.value is not None and each.criterion not in unasked and (not criteria or each.criterion in rank)
            ]
            words.sort(key=lambda each: (rank.get(each.criterion, 0), each.criterion, len(each.act.by), each.act.by))
            act = words[0].act if words else None
            said_item = (act.answer, act.docno) if act is not None else ("", "")
            item = as_said(items.get(key), key, *said_item)
            about: dict[str, Any] = {"topic": record.number, "kind": kind, "key": key}
            about |= {"docno": item.docno, "text": item.text, "fields": item.fields}
            for each in words:
                yield _grade(recorded, each, about)
            missing = set(wanted) - {each.criterion for each in words} - unasked if item.pooled else set()
            for criterion in wanted:
                if criterion in missing:
                    yield ItemGrade(**about, criterion=criterion, value=None)


def _unasked(task: Task, kind: str, counting: Mapping[str, Said]) -> frozenset[str]:
    """Return the criteria that are not asked about an item, given the judgments of it that count."""
    values = {key: each.value for key, each in counting.items()}
    unasked: set[str] = set()
    for stage in task.stages:
        if stage.item_kind == kind and any(each.asked_if for each in stage.criteria):
            asked = {each.key for each in asked_criteria(stage.criteria, values)}
            unasked |= {each.key for each in stage.criteria if each.key not in asked}
    return frozenset(unasked)


def _of_role(said: Sequence[Said], role: str, by_most: Collection[str]) -> list[Said]:
    if role == "official":
        return list(official(said, by_most).values())
    if role == "each":
        return opinions(said)
    return [each for each in said if role != "second" or each.act.role == "second"]


def _asked(task: Task, kind: str, criteria: Sequence[str]) -> list[str]:
    """Return those of ``criteria`` that the task's stages ask about items of this kind."""
    stages = [stage for stage in task.stages if stage.item_kind == kind]
    keys = dict.fromkeys(criterion.key for stage in stages for criterion in stage.criteria)
    return [key for key in keys if not criteria or key in criteria]


def _grade(recorded: Recorded, said: Said, about: dict[str, Any]) -> ItemGrade:
    act = said.act
    note, evidence = (act.note, act.evidence) if isinstance(act, Judged) else ("", ())
    snippets = tuple(_snippet(recorded, about["docno"], each) for each in evidence)
    return ItemGrade(
        **about,
        criterion=said.criterion,
        value=said.value,
        note=note,
        evidence=snippets,
        by=act.by,
        role=act.role,
    )


def _snippet(recorded: Recorded, docno: str, snippet: Evidence) -> dict[str, Any]:
    """Return a snippet as it is stored, with the text around it in its document."""
    is_placed = snippet.start >= 0
    empty = {"prefix": "", "suffix": "", "digest": ""}
    return {
        "quote": snippet.quote,
        "start": snippet.start,
        "end": snippet.start + len(snippet.quote) if is_placed else -1,
        **((recorded.around(docno, snippet.quote, snippet.start) if is_placed else None) or empty),
        "value": snippet.value,
        **({"label": snippet.label} if snippet.label else {}),
    }


def returned(recorded: Recorded, *, kind: str = "") -> Iterator[ReturnedSegment]:
    """Yield the segments of all runs, sorted by run, topic and place. With ``kind``, only segments that are judged as
    items of this kind are yielded.
    """
    place = {record.number: rank for rank, record in enumerate(recorded.topics)}
    for run in recorded.runs:
        wholes = {each.topic: each.key for each in run.responses()}
        found = [each for each in run.segments() if each.topic in place]
        for segment in sorted(found, key=lambda each: (place[each.topic], each.ordinal)):
            is_judged = bool(segment.item_key)
            if kind and not (is_judged and segment.item_kind == kind):
                continue
            yield ReturnedSegment(
                run=run.run,
                topic=segment.topic,
                ordinal=segment.ordinal,
                text=segment.text,
                docno=segment.docno,
                kind=segment.item_kind if is_judged else "",
                key=segment.item_key,
                citations=tuple(
                    (each.docno, each.item_kind if each.item_key else "", each.item_key) for each in segment.citations
                ),
                response_key=wholes.get(segment.topic, ""),
                no_docno=segment.no_docno,
            )


def run_grades(recorded: Recorded, *, kind: str, criteria: Sequence[str]) -> Iterator[RunGrade]:
    """Yield the grades of whole responses, one for each run that returned the response, as
    `assess.exports.queries.run_grades` does.
    """
    responses = [
        RunResponse(run=run.run, topic=each.topic, key=each.key)
        for run in recorded.runs
        for each in run.responses()
        if each.kind == kind
    ]
    return grades_of_runs(
        lambda role: grades(recorded, kind=kind, criteria=criteria, role=role),
        responses=responses,
        alone=alone_items(recorded, kind),
        runs={run.run for run in recorded.runs},
    )


def alone_items(recorded: Recorded, kind: str) -> dict[tuple[str, str], str]:
    """Return (topic, key) -> text, for the items of one response alone that no run returned."""
    return {place: text for place, text in recorded.given_alone(kind).items() if run_of_key(place[1])}
