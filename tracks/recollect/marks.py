"""Marks of nuggets and answer classes, read from the files of a release as `nuggets` reads them from the tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import Literal, NamedTuple

from assess.protocol import TopicRecord
from nuggets.options import ItemGrouping
from scoring.formats.match_labels import MatchLabel
from scoring.own_items import run_of_key
from scoring.records import (
    AnswerClass,
    InstanceJudgment,
    ItemGrade,
    JudgedInstance,
    JudgedResponse,
    NuggetizerLine,
    NuggetPiece,
    OwnedMatch,
    OwnedReview,
    ReturnedSegment,
    TopicMatches,
)
from scoring.release.counting_marks import counting_marks
from scoring.release.derived_records import (
    assigned_nuggets,
    judged_strings,
    labels_of_matches,
    nuggets_of_strings,
    pieces_of_runs,
)
from scoring.release.recorded_acts import AnswerFound, Classed, Matched, RecordedAct, Reviewed, key_of
from tracks.recollect.grades import alone_items, grades, official, returned, said_of_items, topics
from tracks.recollect.lists import WrittenList, frozen_lists, nuggets_of, official_list
from tracks.recollect.recorded import Item, Recorded, as_said
from tracks.recollect.work import ROLES


class _Mark(NamedTuple):
    """A recorded act in the form that `counting_marks` needs."""

    act: Matched
    list_id: str
    item_id: str
    number: int
    part: int
    value: Literal["full", "partial", "none"]
    role: str
    begun_by: int | str


def _value(act: Matched) -> Literal["full", "partial", "none"]:
    if act.is_absent:
        return "none"
    return "partial" if act.is_partial else "full"


def _chain(recorded: Recorded, topic: str, act: RecordedAct) -> int | str:
    held = recorded.held(topic, act)
    return held.chain if held is not None else act.by


def _is_on(act: Matched, official: WrittenList, lists: Sequence[WrittenList]) -> bool:
    """Return whether a mark counts for the official list. The nugget that is marked, which is on the person's own list,
    must have the same number and text on the official list.
    """
    own = next((each for each in lists if (each.by, each.role) == (act.by, ROLES.get(act.role, act.role))), official)
    texts = {each.number: each.text for each in official.nuggets}
    return any(each.number == act.number and texts.get(act.number) == each.text for each in own.nuggets)


def official_marks(recorded: Recorded, topic: str) -> list[_Mark]:
    """Return the marks that count for the list of a topic that counts, or [] if there is no such list. Marks that say
    that a nugget is absent are included.
    """
    lists = frozen_lists(recorded, topic)
    counting = official_list(lists)
    task = recorded.task_of(topic)
    is_own = task is not None and any(stage.work.key == "matches" and stage.own for stage in task.stages)
    if counting is None:
        return []
    words: list[_Mark] = []
    looked: dict[str, int | str] = {}
    settled: set[str] = set()
    works = [(held, said) for held, said in recorded.works(topic, Matched, Reviewed) if said[0][1].role != "second"]
    for held, said in works:
        role = ROLES.get(said[0][1].role, said[0][1].role)
        for _, act in said:
            if not isinstance(act, (Matched, Reviewed)):
                continue
            key = key_of(act)
            if role != "adjudicator":
                looked[key] = held.chain
            elif isinstance(act, Reviewed):
                settled.add(key)
            if isinstance(act, Matched) and (not is_own or _is_on(act, counting, lists)):
                words.append(_Mark(act, topic, key, act.number, act.part, _value(act), role, held.chain))
    if len(works) == 1:  # no other person's mark can replace these
        return list({(word.number, word.part, word.item_id): word for word in words}.values())
    return counting_marks(words, looked=looked, settled=settled)


_FullMarks = tuple[dict[str, tuple[str, str, str]], list[tuple[str, int, int]]]
"""The items of a topic that contain a nugget in full, and these nuggets, as in `TopicMatches`. Items are named by their
keys. The docno and text of a pooled item are its own (`acts`); those of any other item are the ones in its marks.
"""

OF_FULL_MARKS = frozenset({"item_matches", "other_judged"})
"""The collectors that use `full_marks`."""

OF_ALL_MARKS = frozenset({"matches_of", "reviews_of", "assigned", "match_labels", "run_pieces"})
"""The collectors that use all marks of nuggets in items."""


def full_marks(recorded: Recorded, topic: str) -> _FullMarks:
    """Return the marks that count and say that an item contains a nugget in full. They are computed once for each
    topic.
    """

    def found() -> list[_FullMarks]:
        said = _of_only_speaker(recorded, topic)
        if said is None:
            marks = official_marks(recorded, topic)
            said = {(m.item_id, m.number, m.part): (m.value == "full", m.act.answer, m.act.docno) for m in marks}
        full = [name for name, (is_full, _, _) in said.items() if is_full]
        named = {name[0]: said[name] for name in full}
        items = {key: (docno, text, key if run_of_key(key) else "") for key, (_, text, docno) in named.items()}
        return [(items, full)]

    return recorded.found_once("full marks", topic, found)[0]


_Place = tuple[str, int, int]  # item key, nugget number and part


def _of_only_speaker(recorded: Recorded, topic: str) -> dict[_Place, tuple[bool, str, str]] | None:
    """If one person alone marked the topic, and their marks are stored as rows, return (whether the item contains the
    nugget in full, the item's answer, its docno) for each mark. Otherwise return None.

    These are the marks that `official_marks` would find, since no other person's mark can replace them.
    """
    heard, task = recorded.heard(topic), recorded.task_of(topic)
    speaker = heard.only_speaker() if heard is not None else None
    is_own = task is not None and any(stage.work.key == "matches" and stage.own for stage in task.stages)
    if heard is None or speaker is None or is_own or official_list(frozen_lists(recorded, topic)) is None:
        return None
    keys, last = heard.names, dict[_Place, tuple[bool, str, str]]()
    for answer, by, docno, key, number, part, _, role, _, value in heard.marks:
        if (by, role) == speaker:
            place = keys[answer, docno, key], int(number), int(part) if part else 0
            last[place] = not value, answer, docno
    return last


def matches_of(recorded: Recorded, *, role: str = "primary") -> Iterator[OwnedMatch]:
    """Yield the marks of nuggets in items that ``role`` chooses: those that count ("primary"), those of second
    assessors ("second"), or both. A mark that a nugget is absent has the value "none".
    """
    for topic in recorded.topics_of(recorded.tasks_with("matches")):
        if not frozen_lists(recorded, topic):
            continue
        acts = [mark.act for mark in official_marks(recorded, topic)] if role != "second" else []
        if role != "primary":
            said = recorded.said(topic, Matched)
            acts += [act for _, act in said if isinstance(act, Matched) and act.role == "second"]
        items = _marked_items(recorded, topic)
        ordered = sorted(
            acts, key=lambda act: (ROLES.get(act.role, act.role), act.by, key_of(act), act.number, act.part)
        )
        for act in ordered:
            item = _item(items, act)
            yield OwnedMatch(
                by=act.by,
                role=ROLES.get(act.role, act.role),
                topic=topic,
                number=act.number,
                part=act.part,
                key=item.key,
                docno=item.docno,
                text=item.text,
                quote=act.quote,
                value=_value(act),
            )


def _marked_items(recorded: Recorded, topic: str) -> dict[str, Item]:
    return recorded.items(topic, recorded.kind_of(topic, "matches"))


def _item(items: Mapping[str, Item], act: Matched | Reviewed | Classed | AnswerFound) -> Item:
    return as_said(items.get(key_of(act)), key_of(act), act.answer, act.docno)


def reviews_of(recorded: Recorded, *, role: str = "primary") -> Iterator[OwnedReview]:
    """Yield the items that assessors finished. ``role`` chooses the assessors: the primary ones and adjudicators
    ("primary"), second assessors ("second"), or all of them.
    """
    for topic in recorded.topics_of(recorded.tasks_with("matches")):
        items = _marked_items(recorded, topic)
        acts = [act for _, act in recorded.said(topic, Reviewed) if isinstance(act, Reviewed)]
        wanted = {"primary": ("", "adjudicator"), "second": ("second",)}.get(role)
        found = [act for act in acts if wanted is None or act.role in wanted]
        for act in sorted(found, key=lambda each: (ROLES.get(each.role, each.role), each.by, key_of(each))):
            item = _item(items, act)
            yield OwnedReview(
                by=act.by,
                role=ROLES.get(act.role, act.role),
                topic=topic,
                key=item.key,
                docno=item.docno,
                text=item.text,
            )


def assigned(recorded: Recorded, *, kind: str) -> Iterator[NuggetizerLine]:
    """Yield, for each response of this kind, which nuggets of the list that counts it contains."""
    return assigned_nuggets(
        nuggets=nuggets_of(recorded),
        matches=matches_of(recorded),
        reviews=reviews_of(recorded),
        responses=returned(recorded, kind=kind),
        titles={topic.number: topic.text for topic in recorded.topics},
    )


def match_labels(recorded: Recorded) -> Iterator[MatchLabel]:
    """Yield marks that come from published labels, in the form of these labels."""
    return labels_of_matches(nuggets_of(recorded), matches_of(recorded))


def run_pieces(recorded: Recorded, *, kind: str, role: str = "primary") -> Iterator[NuggetPiece]:
    """Yield each nugget that a response contains, or part of one, once for the response."""
    return pieces_of_runs(
        nuggets=nuggets_of(recorded, role=role),
        matches=matches_of(recorded, role=role),
        segments=returned(recorded, kind=kind),
        alone=alone_items(recorded, kind),
        role=role,
    )


def topic_matches(recorded: Recorded) -> Iterator[TopicMatches]:
    """Yield the nuggets that items contain in full, topic by topic."""
    for topic in recorded.topics_of(recorded.tasks_with("matches")):
        yield TopicMatches(topic, *full_marks(recorded, topic))


def other_judged(recorded: Recorded) -> Iterator[JudgedResponse]:
    """Yield the pooled strings of each run's responses, with the nuggets found in them, each once for a response."""
    for topic in recorded.topics_of(recorded.tasks_with("matches")):
        marked: dict[str, list[tuple[int, int]]]
        marked = {key: [] for key in recorded.pooled(topic, recorded.kind_of(topic, "matches"))}
        for key, number, part in full_marks(recorded, topic)[1]:
            if key in marked:
                marked[key].append((number, part))
        for run, rows in groupby(recorded.string_rows(topic), key=itemgetter(0)):
            yield nuggets_of_strings(topic, run, (row[1:] for row in rows), marked)


# Answers and their classes.


def _grade_of(recorded: Recorded, topic: str) -> tuple[str, int] | None:
    """Return (criterion, value) of the items that assessors group in this topic's task. Return None if the task groups
    no items.
    """
    task = recorded.task_of(topic)
    stages = task.stages if task is not None else ()
    return next((stage.work.grade for stage in stages if isinstance(stage.work, ItemGrouping)), None)


def _judged(recorded: Recorded, topic: str, criterion: str) -> dict[str, tuple[int, str, str]]:
    """Return item's key -> (official value on a criterion, docno, text). Docno and text are those in the judgment."""
    found: dict[str, tuple[int, str, str]] = {}
    for key, said in said_of_items(recorded, topic, recorded.kind_of(topic, "classes")).items():
        if (word := official(said).get(criterion)) is not None and word.value is not None:
            found[key] = (word.value, word.act.docno, word.act.answer)
    return found


def _members(recorded: Recorded, topic: str) -> dict[str, Classed | AnswerFound]:
    """Return item's key -> the act that put the item into a class, in the grouping that counts: the adjudicator's, or
    else that of the last primary assessor.
    """
    said = recorded.said(topic, Classed, AnswerFound)
    acts = [act for _, act in said if isinstance(act, Classed | AnswerFound) and act.role != "second"]
    grade = _grade_of(recorded, topic)
    if not acts or grade is None:
        return {}
    last = next((act for act in reversed(acts) if act.role == "adjudicator"), acts[-1])
    chain = _chain(recorded, topic, last)
    values = _judged(recorded, topic, grade[0])
    return {
        key_of(act): act
        for act in acts
        if (act.role == last.role and _chain(recorded, topic, act) == chain)
        and values.get(key_of(act), (None,))[0] == grade[1]
    }


def answer_classes(recorded: Recorded) -> Iterator[AnswerClass]:
    """Yield the final answer sets: each class that holds a correct instance."""
    for topic in recorded.topics_of(recorded.tasks_with("classes")):
        classes: dict[int, list[Classed | AnswerFound]] = {}
        for act in _members(recorded, topic).values():
            classes.setdefault(act.number, []).append(act)
        for number, members in sorted(classes.items()):
            found_by = "assessor" if all(isinstance(act, AnswerFound) for act in members) else ""
            yield AnswerClass(topic=topic, key=str(number), label=members[-1].label, found_by=found_by)


def instance_judgments(recorded: Recorded) -> Iterator[InstanceJudgment]:
    """Yield each instance with an official judgment, and its answer class if it is in one."""
    for topic in recorded.topics_of(recorded.tasks_with("classes")):
        grade = _grade_of(recorded, topic)
        if grade is None:
            continue
        members = _members(recorded, topic)
        items = recorded.items(topic, recorded.kind_of(topic, "classes"))
        for key, (value, docno, answer) in _judged(recorded, topic, grade[0]).items():
            item = as_said(items.get(key), key, answer, docno)
            yield InstanceJudgment(
                topic=topic,
                docno=item.docno,
                text=item.text,
                correctness=value,
                answer_class=str(members[key].number) if key in members else "",
                key=key if run_of_key(key) else "",
            )


def list_judged(recorded: Recorded) -> Iterator[JudgedInstance]:
    """Yield the judged instances of each run. In each class, a run's first instance is the distinct one."""
    for task in recorded.tasks_with("classes"):
        values: dict[tuple[str, str], int] = {}
        classes: dict[tuple[str, str], str] = {}
        for topic in recorded.topics_of([task]):
            grade = _grade_of(recorded, topic)
            judged = _judged(recorded, topic, grade[0]) if grade is not None else {}
            values |= {(topic, key): value for key, (value, _, _) in judged.items()}
            classes |= {(topic, key): str(act.number) for key, act in _members(recorded, topic).items()}
        if values:
            strings = chain.from_iterable(map(recorded.strings, recorded.topics_of([task])))
            yield from judged_strings(strings, values=values, classes=classes)


def judged_responses(
    recorded: Recorded, *, kinds: Sequence[str] = (), classes: bool = False
) -> Iterator[TopicRecord | ReturnedSegment | ItemGrade | AnswerClass | InstanceJudgment]:
    """Yield the topics, then the segments that runs returned, then the grades of items of these kinds and, with
    ``classes``, the answer classes and the instances in them.
    """
    yield from topics(recorded)
    yield from returned(recorded)
    for kind in kinds:
        yield from grades(recorded, kind=kind)
    if classes:
        yield from answer_classes(recorded)
        yield from instance_judgments(recorded)
