"""Read recorded acts line by line from judgments.jsonl, written as a release writes it and consistent with its
files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from assess.protocol import Criterion, Stage, Task, given_problem
from nuggets.options import Matching, NuggetWriting
from scoring.reading.opening import excerpt_of
from scoring.release.kept_acts import NumberedAct
from scoring.release.recorded_acts import (
    ITEM_ACTS,
    Judged,
    Matched,
    NonePicked,
    NuggetWritten,
    RecordedAct,
    Voted,
    key_of,
)
from scoring.release.releases import ANCHORS, ITEMS, JUDGMENTS, LEFT_ITEMS, MANIFEST, TOPICS, WORK
from tracks.recollect.heard import Heard, read_acts
from tracks.recollect.lists import frozen_lists, official_list
from tracks.recollect.recorded import KNOWN_WORKS, Recorded
from tracks.recollect.rows import Unlike
from tracks.release_track import criteria_of_release


def check_tables(recorded: Recorded) -> dict[str, set[str]]:
    """Read the tables of a release whole, and return the keys of the items that left the pools, by topic.

    Refuses (`Unlike`) a line that is not written as a release writes it, work on a topic or stage that the release does
    not have, work that continues work which does not come before it, work that the manifest calls stopped and
    work.jsonl does not, and items and pools that contradict each other.
    """
    said = _stopped_lines(recorded.release.manifest.get("stopped", []))
    stopped = Counter(number for number, row in enumerate(recorded.rows(WORK), start=1) if row["state"] == "stopped")
    if said - stopped:
        raise Unlike(
            MANIFEST, f"“stopped” names line {min(said - stopped)} of {WORK}, which is no stopped work, or twice"
        )
    for number, row in enumerate(recorded.rows(WORK), start=1):
        task = recorded.task_of(row["topic"], with_dropped=True)
        if task is None or task.stage(row["stage"]) is None:
            raise Unlike(WORK, f"line {number} is of no stage of a topic of the release")
        if not 0 <= (row.get("after") or 0) < number:
            raise Unlike(WORK, f"line {number} goes on with work that there is not")
    recorded.anchors.execute("SELECT 1 FROM anchor")
    return recorded.check_items()


def _stopped_lines(stops: Any) -> Counter[int]:
    """Return the lines of work.jsonl that the manifest calls stopped. Refuses an entry that names no such lines."""
    lines: Counter[int] = Counter()
    for stop in stops if isinstance(stops, list) else [None]:
        said = stop if isinstance(stop, dict) else {}
        works, left = _listed(said, "works"), _listed(said, "left")
        if not all(type(number) is int and number >= 0 for number in (*works, *left)) or len(works) != len(left):
            raise Unlike(MANIFEST, "“stopped” must have the works that ended, and for each how much is left in it")
        lines.update(works)
    return lines


def _listed(said: dict[str, Any], name: str) -> list[Any]:
    """Return the list that is the member ``name``. If the member is not a list, return [None], which is refused
    later.
    """
    found = said.get(name)
    return found if isinstance(found, list) else [None]


def check_acts(recorded: Recorded, left: dict[str, set[str]]) -> Iterator[str]:
    """Read the acts topic by topic, and yield the number of each topic while its acts are in memory.

    Refuses (`Unlike`) an act that can't have happened and names its line: its topic is unknown, its value is not on its
    scale, its item is another one, or nobody had the work. Refuses an item of ``left`` that no act names.
    """
    taking = criteria_of_release(recorded.release)
    for heard in read_acts(recorded.release):
        recorded.hear(heard)
        task = recorded.task_of(heard.topic)
        if task is None:
            topic = excerpt_of(heard.topic)
            raise Unlike(JUDGMENTS, f"line {heard.first}: {TOPICS} has no topic “{topic}” that is judged")
        _check_topic(recorded, heard, task, _as_taken(task, taking))
        if heard.topic in left:
            left[heard.topic] -= {key_of(act) for _, act in heard.of(*ITEM_ACTS) if isinstance(act, ITEM_ACTS)}
        yield heard.topic
        recorded.forget()
        del heard
    if any(left.values()):
        raise Unlike(LEFT_ITEMS, f"it has items that {JUDGMENTS} says nothing of")


def _as_taken(task: Task, taking: Mapping[str, Criterion]) -> Task:
    """Return a task in which criteria are replaced by those in ``taking`` that have the same key."""
    stages = (stage.asking(taking.get(each.key, each) for each in stage.criteria) for stage in task.stages)
    return replace(task, stages=tuple(stages)) if taking else task


def _check_topic(recorded: Recorded, heard: Heard, task: Task, held: Task) -> None:
    official = official_list(frozen_lists(recorded, heard.topic))
    numbers = {nugget.number for nugget in official.nuggets} if official is not None else set()
    own = {(act.by, act.role, act.number) for _, act in heard.acts if isinstance(act, NuggetWritten)}
    topic_acts = _TopicActs(recorded, heard.topic, task, held, numbers, own)
    acts = heard.acts if topic_acts.are_marks_sound(heard) else heard.of()
    flaws = chain.from_iterable(map(topic_acts.flaws, _by_speaker(acts).values()))
    if first := min(flaws, default=None):
        raise Unlike(JUDGMENTS, f"line {first[0]}: {first[1]}")
    _require_own_places(task, acts)


def _by_speaker(acts: Iterable[NumberedAct]) -> dict[tuple[Any, ...], list[NumberedAct]]:
    """Return the acts grouped by the work in which they were done."""
    speakers: dict[tuple[Any, ...], list[NumberedAct]] = {}
    for each in acts:
        act = each[1]
        speakers.setdefault((type(act), getattr(act, "criterion", None), act.by, act.role), []).append(each)
    return speakers


@dataclass(slots=True)
class _TopicActs:
    """What is needed to check the acts on one topic: ``task`` is the topic's task, ``held`` is the task with criteria
    that accept what any version of the design accepted, and ``numbers`` are those of the topic's nuggets.
    """

    recorded: Recorded
    topic: str
    task: Task
    held: Task
    numbers: Collection[int]
    own: Collection[tuple[str, str, int]]
    named: set[tuple[str, str, str, str]] = field(default_factory=set)
    """The names of items in acts that match items.jsonl; they are cached, since marks name an item many times."""
    names: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    """The answer and docno by which acts name an item, by its kind and key."""

    def flaws(self, acts: list[NumberedAct]) -> Iterator[tuple[int, str]]:
        """Yield (line number, reason) for each act that can't have happened. The acts are of one kind, person, role and
        criterion.
        """
        act = acts[0][1]
        stages = self.recorded.stages_saying(self.task, act)
        stage = next((each for each in stages if self.recorded.work.has(self.topic, each.key, act)), None)
        is_known = any(each.work.key in KNOWN_WORKS for each in stages or self.task.stages)
        of_scale: dict[object, str] = {}
        for number, act in acts:
            scale = scale_of(act)
            if is_known and scale not in of_scale:
                of_scale[scale] = off_scale(act, self.held)
            if words := of_scale.get(scale) or self._flaw(act, number, stages, stage):
                yield number, words

    def are_marks_sound(self, heard: Heard) -> bool:
        """Return whether all marks and finished items that are stored as rows can have happened.

        Only a sample is made into acts and checked: each person's first mark of each nugget with each value. All other
        marks can differ from these only in the names of their items, which are checked separately.
        """
        samples = _by_speaker(heard.samples())
        if any(flaw for acts in samples.values() for flaw in self.flaws(acts)):
            return False
        kinds = {
            stage.item_kind for acts in samples.values() for stage in self.recorded.stages_saying(self.task, acts[0][1])
        }
        if len(kinds) > 1:
            return False
        for kind in kinds:
            pooled, names = self.recorded.pooled_names(self.topic, kind), heard.names
            if len(set(names.values())) < len(names):
                return False
            if any(pooled.get(key, name[:2]) != name[:2] for name, key in names.items()):
                return False
        return True

    def _flaw(self, act: RecordedAct, number: int, stages: list[Stage], stage: Stage | None) -> str:
        if not stages:
            return "no stage of its topic takes such a judgment"
        if stage is None:
            return f"{excerpt_of(act.by)} had no such work in {WORK}"
        if isinstance(act, (Voted, Matched)) and act.number not in self.numbers and not _is_own(act, self.own):
            return f"there is no nugget {act.number} on the list of the topic"
        if not isinstance(act, ITEM_ACTS):
            return ""
        if isinstance(act, Judged):
            _require_anchors(self.recorded, act, number)
        named = (stage.item_kind, act.key, act.answer, act.docno)
        if named not in self.named:
            key, name = key_of(act), (act.answer, act.docno)
            if self.recorded.pooled_names(self.topic, stage.item_kind).get(key, name) != name:
                return f"{ITEMS} says another text or docno of this item"
            if self.names.setdefault((stage.item_kind, key), name) != name:
                return "another line says another text or docno of this item"
            self.named.add(named)
        return ""


def _is_own(act: Voted | Matched, own: Collection[tuple[str, str, int]]) -> bool:
    """Return whether an act is about a nugget that the same person wrote."""
    return (act.by, act.role, act.number) in own


def _require_own_places(task: Task, acts: list[NumberedAct]) -> None:
    """Refuse the picks of one person if two picked items have the same place."""
    ranking = {each.key for stage in task.stages for each in stage.criteria if each.ranks}
    seen: set[tuple[str, str, str, int]] = set()
    for number, act in acts if ranking else ():
        if isinstance(act, Judged) and act.criterion in ranking and act.value is not None:
            place = (act.by, act.role, act.criterion, act.value)
            if place in seen:
                raise Unlike(JUDGMENTS, f"line {number}: {excerpt_of(act.by)} gave the place {act.value} twice")
            seen.add(place)


def _require_anchors(recorded: Recorded, act: Judged, number: int) -> None:
    """Refuse a snippet in judgments.jsonl if it gives its place in the document but is missing in anchors.jsonl."""
    for snippet in act.evidence:
        if snippet.start >= 0 and recorded.around(act.docno, snippet.quote, snippet.start) is None:
            raise Unlike(JUDGMENTS, f"line {number}: {ANCHORS} has no such snippet: {excerpt_of(snippet.quote)}")


# Is an act on the scales of the release's settings?


def scale_of(act: RecordedAct) -> object:
    """Return the part of an act that decides what `off_scale` returns for it. Acts of one kind and criterion with equal
    parts get the same result.
    """
    if isinstance(act, Judged):
        return act.value if not act.given and not act.evidence else act
    if isinstance(act, Matched):
        return act.is_partial
    return act.group if isinstance(act, NuggetWritten) else ""


def off_scale(act: RecordedAct, task: Task) -> str:
    """Return words for what in an act is not on the scales; "" if everything is.

    ``task`` is the task of the act's topic. It has only the criteria that the release's settings ask, on their scales.
    """
    if isinstance(act, (Judged, NonePicked)):
        asked = [each for stage in task.stages for each in stage.criteria if each.key == act.criterion]
        if not asked:
            return f"nothing is judged by “{act.criterion[:80]}” under the settings of the release"
        if isinstance(act, NonePicked):
            return ""
        if act.given and all(given_problem(each, act.given) for each in asked):
            return f"{given_problem(asked[0], act.given)} So say the settings of the release"
        values = [
            *([act.value] if act.value is not None else []),
            *(each.value for each in act.evidence if each.value is not None),
        ]
        off = next((value for value in values if not any(each.allows(value) for each in asked)), None)
        return (
            f"{off} is not on the scale of {act.criterion} under the settings of the release" if off is not None else ""
        )
    works = [stage.work for stage in task.stages]
    if isinstance(act, NuggetWritten) and act.group:
        groups = {key for work in works if isinstance(work, NuggetWriting) for key, _ in work.groups}
        return f"“{act.group[:80]}” is no group of nuggets" if groups and act.group not in groups else ""
    partial = any(isinstance(work, Matching) and work.partial for work in works)
    if isinstance(act, Matched) and act.is_partial and not partial:
        return "nuggets are found here or not, and never in part"
    return ""
