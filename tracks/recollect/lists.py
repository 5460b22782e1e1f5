"""Nugget lists and votes, read from the files of a release as `nuggets.writing` and `nuggets.votes` read the tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assess.protocol import TopicRecord
from scoring.records import ItemGrade, Nugget, NuggetVote, OwnedNugget
from scoring.release.recorded_acts import Judged, ListFrozen, NonePicked, NuggetWritten, Voted
from tracks.recollect.grades import grades
from tracks.recollect.recorded import Recorded
from tracks.recollect.work import ROLES


@dataclass(frozen=True, kw_only=True, slots=True)
class WrittenList:
    """A frozen nugget list as its owner wrote it."""

    by: str
    role: str
    nuggets: tuple[NuggetWritten, ...]


def frozen_lists(recorded: Recorded, topic: str) -> list[WrittenList]:
    """Return the frozen lists of a topic. They are in the order in which their owners last worked on the topic."""
    written: dict[tuple[str, str], list[NuggetWritten]] = {}
    frozen: dict[tuple[str, str], None] = {}
    for _, act in recorded.said(topic, NuggetWritten, ListFrozen):
        if isinstance(act, NuggetWritten):
            written.setdefault((act.role, act.by), []).append(act)
        elif isinstance(act, ListFrozen):
            frozen[act.role, act.by] = None
    return [
        WrittenList(
            by=by,
            role=ROLES.get(role, role),
            nuggets=tuple(sorted(written.get((role, by), ()), key=lambda each: each.number)),
        )
        for role, by in frozen
    ]


def official_list(lists: Sequence[WrittenList]) -> WrittenList | None:
    """Return the list that counts: the adjudicator's last one, or else the primary assessor's last one; None if there
    is neither.
    """
    for role in ("adjudicator", "primary"):
        if found := [each for each in lists if each.role == role]:
            return found[-1]
    return None


def nuggets_of(recorded: Recorded, *, role: str = "primary") -> Iterator[OwnedNugget]:
    """Yield the nuggets of the lists that ``role`` chooses: for each topic the list that counts, or each second
    assessor's list, or both.
    """
    for task in recorded.track.tasks:
        if not any(stage.work.key in ("nuggets", "matches") for stage in task.stages):
            continue
        for topic in recorded.topics_of([task]):
            made = frozen_lists(recorded, topic)
            official = official_list(made)
            lists = [official] if official is not None and role != "second" else []
            lists += [each for each in made if each.role == "second"] if role != "primary" else []
            for each in sorted(lists, key=lambda one: (one.role, one.by)):
                yield from _owned(each)


def _owned(written: WrittenList) -> Iterator[OwnedNugget]:
    for nugget in written.nuggets:
        yield OwnedNugget(
            by=written.by,
            role=written.role,
            topic=nugget.topic,
            number=nugget.number,
            importance=nugget.importance,
            text=nugget.text,
            group=nugget.group,
            fields=nugget.fields,
            sources=tuple((source.docno, source.quote) for source in nugget.sources),
        )


def counting_lists(recorded: Recorded) -> Iterator[tuple[str, WrittenList]]:
    """Yield the list that counts for each topic whose nuggets are marked."""
    for topic in recorded.topics_of(recorded.tasks_with("matches")):
        if (found := official_list(frozen_lists(recorded, topic))) is not None:
            yield topic, found


def nuggets(recorded: Recorded) -> Iterator[Nugget]:
    """Yield the nuggets of the lists that count. An adjudicator's vote replaces the importance that the author gave."""
    for topic, written in counting_lists(recorded):
        settled = {vote.number: vote.importance for vote in _cast(recorded, topic) if vote.role == "adjudicator"}
        for nugget in written.nuggets:
            importance = settled.get(nugget.number, nugget.importance)
            yield Nugget(topic=topic, number=nugget.number, importance=importance, text=nugget.text)


def votes(recorded: Recorded) -> Iterator[NuggetVote]:
    """Yield all votes that count. The importance that a list's author gave a nugget is the author's vote, unless the
    author also voted on it.
    """
    for topic, written in counting_lists(recorded):
        numbers = {nugget.number for nugget in written.nuggets}
        cast = {(vote.number, vote.by): vote.importance for vote in _cast(recorded, topic) if vote.number in numbers}
        own = {(nugget.number, written.by): nugget.importance for nugget in written.nuggets}
        for (number, by), importance in {**own, **cast}.items():
            yield NuggetVote(topic=topic, number=number, assessor=by, importance=importance)


def _cast(recorded: Recorded, topic: str) -> list[Voted]:
    return [act for _, act in recorded.said(topic, Voted) if isinstance(act, Voted)]


def annotated_topics(
    recorded: Recorded, *, task: str, kind: str = "", criteria: Sequence[str] = ()
) -> Iterator[TopicRecord | ItemGrade | NuggetWritten]:
    """Yield the topics of a task, each with its grades and list, as `nuggets.writing.export` does from the tables."""
    found: dict[str, list[ItemGrade]] = {}
    for grade in grades(recorded, kind=kind, criteria=criteria) if kind else ():
        picker = _picker(recorded, grade.topic, grade.criterion)
        if picker in ("", grade.by):
            found.setdefault(grade.topic, []).append(grade)
    for record in recorded.topics:
        if record.task == task:
            yield record
            yield from found.get(record.number, ())
            if (written := official_list(frozen_lists(recorded, record.number))) is not None:
                yield from written.nuggets


def _picker(recorded: Recorded, topic: str, criterion: str) -> str:
    """Return the person whose picks for a topic and criterion count; "" if nobody picked. All picks that count are one
    person's.
    """
    task = recorded.task_of(topic)
    chosen: tuple[bool, str] = (False, "")
    for _, act in recorded.said(topic, Judged, NonePicked):
        if not isinstance(act, Judged | NonePicked) or act.criterion != criterion or act.role == "second":
            continue
        stage = recorded.stage_saying(task, act) if task is not None else None
        if stage is not None and stage.work.key == "picks":
            settles = act.role == "adjudicator"
            if settles or not chosen[0]:
                chosen = (settles, act.by)
    return chosen[1]
