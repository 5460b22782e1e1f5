"""What assessors do: tasks, their pools, the stages of judging, and their scales."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, ClassVar, TypeVar

from assess.protocol.records import ItemRecord, TopicRecord

AnyWork = TypeVar("AnyWork", bound="Work")

NONE, OFFERED, REQUIRED = "none", "offered", "required"
"""Whether a grade takes a note or snippets, and whether it needs them."""

MAJORITY, MEAN = "majority", "mean"
"""Which grades count if several people judge (`Stage.counts`)."""

RANDOM, POOL, LIKENESS = "random", "pool", "likeness"
"""The order in which the items of a stage are judged (`Stage.order`)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Grade:
    """An allowed value of a criterion, stored as ``value`` and given by pressing ``key``.

    ``note`` and ``evidence`` say whether it takes a note and snippets: "none", "offered" or "required". ``colour`` is
    that of its button's edge: one of those in `static/css/tokens.css`, or "".
    """

    value: int
    key: str
    name: str
    help: str = ""
    note: str = OFFERED
    evidence: str = OFFERED
    colour: str = ""


def scale(*grades: tuple[str, str], first_key: int = 0) -> tuple[Grade, ...]:
    """Return grades with the values 0, 1, 2, …, given as names and helps. The keys to press are numbers from
    ``first_key`` up.
    """
    return tuple(
        Grade(value=value, key=str(value + first_key), name=name, help=text)
        for value, (name, text) in enumerate(grades)
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Unsure:
    """The answer of an assessor who can't tell. It is stored, but neither scored nor compared."""

    key: str
    name: str


Said = Mapping[str, int | None]
"""The answers about an item: the value by the key of a criterion, or None for an answer that is no grade."""

Condition = tuple[tuple[str, tuple[int, ...]], ...]
"""A condition that each of these criteria has one of these values."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Criterion:
    """A question about an item, with its scale.

    ``evidence`` says what to select in the document ("the snippet that supports or contradicts the sentence"), or is ""
    if nothing is to be selected. Each snippet may have its own grade. ``ranks`` is for picking: there are no grades,
    and the value is the place, from 1. A criterion with ``setting`` is asked only if that settings field is true; one
    with ``scale`` has the grades that this function gives for the campaign's settings. ``note`` says what a note should
    contain, and ``labels`` are those that a snippet may have. A criterion with ``asked_if`` is asked only if one of
    these conditions holds. With ``is_shuffled``, its grades are in a different order for each person and item, and the
    order is recorded. ``answer`` is "grade", "several" of the grades (``least`` to ``most``), a "rank" of that many, a
    "text" (of at most ``words``), or a "number".
    """

    key: str
    question: str
    grades: tuple[Grade, ...] = ()
    help: str = ""
    level: str = "nominal"  # nominal, ordinal or interval: decides which agreement measures make sense
    evidence: str = ""
    evidence_for: tuple[int, ...] = ()  # the values that should come with a snippet
    ranks: int = 0  # the highest place that may be given
    setting: str = ""
    scale: Callable[[Any], tuple[Grade, ...]] | None = None
    note: str = ""
    labels: tuple[str, ...] = ()
    unsure: Unsure | None = None
    asked_if: tuple[Condition, ...] = ()
    required: bool = True
    answer: str = "grade"
    is_shuffled: bool = False
    words: int = 0
    least: int = 0
    most: int = 0

    @property
    def has_own_note(self) -> bool:
        """Whether the criterion has a rule about notes, apart from the default that they may be written."""
        return bool(self.note) or any(grade.note != OFFERED for grade in self.grades)

    @property
    def keys(self) -> list[str]:
        """The keys that answer the criterion: those of its grades, and that of "can't tell"."""
        return [grade.key for grade in self.grades] + ([self.unsure.key] if self.unsure is not None else [])

    def as_shown(self, seed: int, item: int) -> Criterion:
        """Return the criterion with its grades in the order shown at the bench, for this seed and this item id."""
        if not self.is_shuffled:
            return self
        drawn = Random(f"{seed} {item} {self.key}")  # noqa: S311 (an order, which protects nothing)
        return replace(self, grades=tuple(drawn.sample(self.grades, len(self.grades))))

    def is_asked(self, settings: Any) -> bool:
        """Return whether the criterion is asked under these settings."""
        return not self.setting or bool(getattr(settings, self.setting))

    def with_scale(self, settings: Any) -> Criterion:
        """Return the criterion with the grades that it has under these settings."""
        return self if self.scale is None else replace(self, grades=self.scale(settings))

    def grade(self, value: int) -> Grade | None:
        """Return the grade with this value, or None if the scale lacks it."""
        return next((grade for grade in self.grades if grade.value == value), None)

    def allows(self, value: int) -> bool:
        """Return whether the value is on the scale: it is one of the grades, or an allowed place."""
        if self.answer != "grade":
            return False
        return self.grade(value) is not None or 1 <= value <= self.ranks


def asked_criteria(criteria: Sequence[Criterion], said: Said) -> list[Criterion]:
    """Return the criteria that are asked about an item with these answers, including those already answered.

    A condition refers to earlier criteria, and holds only if these are asked themselves.
    """
    asked: list[Criterion] = []
    known: set[str] = set()
    for each in criteria:
        if not each.asked_if or any(
            all(key in known and said.get(key) in values for key, values in condition) for condition in each.asked_if
        ):
            asked.append(each)
            known.add(each.key)
    return asked


def is_plain(criteria: Sequence[Criterion]) -> bool:
    """Return whether each of these criteria is asked about every item and must be answered."""
    return all(each.required and not each.asked_if for each in criteria)


@dataclass(frozen=True, kw_only=True, slots=True)
class Needs:
    """Limits a stage to some items, for example to responses that cite a relevant passage.

    In some run, the item must cite an item of ``kind`` with a high enough official value of ``criterion``. ``setting``
    names the settings field with the lowest value that is enough. ``last`` gives, for the campaign's settings, the
    ordinal of a segment's last citation that counts; None means all of them.
    """

    kind: str
    criterion: str
    setting: str
    last: Callable[[Any], int | None] = lambda settings: None


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """What a stage asks people to do: the options of a kind of work.

    Each kind has a subclass of its own (`assess.protocol.work`, `nuggets.options`) with its ``key``. Work of every kind
    may have ``criteria``, which are its questions, and ``needs``, which limits its items. With ``may_add``, assessors
    may add items that no run returned.
    """

    key: ClassVar[str]

    criteria: tuple[Criterion, ...] = ()
    needs: Needs | None = None
    may_add: bool = False

    @property
    def judged(self) -> frozenset[str]:
        """The keys of the criteria that this work answers."""
        return frozenset(each.key for each in self.criteria)


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownAnswer:
    """The right values for an item, by criterion, and the reason. ``named_by`` is "key", "docno" or "text"."""

    topic: str
    named_by: str
    item: str
    expected: tuple[tuple[str, int], ...]
    reason: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Practice:
    """Items that an assessor answers before the work begins, with feedback after each.

    To pass, the share ``passed`` of them must be right in one of at most ``tries`` attempts.
    """

    answers: tuple[KnownAnswer, ...]
    passed: float
    tries: int


@dataclass(frozen=True, kw_only=True, slots=True)
class StageChecks:
    """How the work of a stage is checked, if its track says so; these are the initial values of the site's pages.

    ``repeats`` is the share of an assignment's items that are shown again, at least ``gap`` items later. ``agreement``
    names the measures shown first, by the beginnings of their names (`scoring.statistics.agreement_report`); judges
    should reach at least ``floor`` by them. Among every ``gold_every`` items there is one with a known answer
    (``gold``); with ``reveals_gold``, an assessor who has judged it is shown the right answer. With ``practice``,
    nobody starts work before passing it.
    """

    repeats: float = 0.0
    gap: int = 10
    agreement: tuple[str, ...] = ()
    floor: float | None = None
    gold: tuple[KnownAnswer, ...] = ()
    gold_every: int = 0
    reveals_gold: bool = False
    practice: Practice | None = None

    def asks_for(self, measure: str) -> bool:
        """Return whether judges should reach the floor by this measure."""
        return self.floor is not None and measure.startswith(self.agreement)


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """One step in judging a topic.

    ``work`` is the record of options of a kind of work (`assess.protocol.work`, `nuggets.options`), whose key leads to
    its workbench. ``after`` is the key of the stage that must be done for the topic before this one opens.

    ``own``: every assessor continues their own work in the stage ``after`` (their own nugget list), and waits only for
    that. ``second``: a second assessor does it, too, taken from the stack. If ``people`` says how many judge each topic
    of a ``share`` of them, the second assessors' work is handed out with the primary assessors'. ``by_hand``: it is
    handed out only by name, and left out when everything is handed out. ``spread_is_weight``: differences between
    people are the result (a pyramid's nugget weighs as much as it has votes; each assessor's scores give separate
    figures), so nobody adjudicates them and nothing waits. ``counts`` says which grades count if several people judge.
    With MAJORITY, it is the most frequent grade, and only ties are adjudicated; with MEAN, all grades count and the
    scores use their mean; with "", it is the primary assessor's grade. An adjudicator's decision counts in every case.
    ``without_runs``: the person who made the topic may begin before anything is pooled, with their own finds, although
    the stage comes ``after`` another; it is finished after that one.

    ``order`` is the order of the items. With RANDOM, it differs between assignments; with POOL, items that some run
    ranks nearest to its top come first; with LIKENESS, items that share words are next to one another. Ties are in
    random order. ``most_items`` is the most items of the stage for one person; 0 means any number.

    ``first_round`` is the key of a stage that an assessor must finish before starting this one, and that is closed to
    them afterwards, if the settings field ``rounds_setting`` is true.
    """

    key: str
    label: str
    work: Work
    help: str
    item_kind: str = ""
    after: str | None = None
    many: bool = False  # any number of assessors may do it independently (votes)
    own: bool = False
    second: bool = False
    people: int = 0
    share: float = 1.0
    by_hand: bool = False
    first_round: str = ""
    rounds_setting: str = ""
    spread_is_weight: bool = False
    counts: str = ""
    without_runs: bool = False
    order: str = RANDOM
    most_items: int = 0
    noun: str = ""  # the noun for an item beside its number: "passage"; "" is the kind
    checks: StageChecks = StageChecks()

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """The questions of its work."""
        return self.work.criteria

    def criterion(self, key: str) -> Criterion | None:
        """Return the criterion with this key, or None."""
        return next((criterion for criterion in self.criteria if criterion.key == key), None)

    def asking(self, criteria: Iterable[Criterion]) -> Stage:
        """Return the stage with these questions in its work."""
        return replace(self, work=replace(self.work, criteria=tuple(criteria)))

    def options(self, kind: type[AnyWork]) -> AnyWork:
        """Return the stage's work as options of this kind. Work of another kind is a bug and raises `TypeError`."""
        if not isinstance(self.work, kind):
            raise TypeError(f"the work of the stage {self.key} is {self.work.key}, not {kind.key}")
        return self.work


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolRecipe:
    """What is pooled by default: items of ``kind`` that runs of these priorities returned.

    They are all items in segments, citations or whole responses. With ``depth_setting``, they are only the top of each
    run's ranking of this kind or, if runs have no such ranking, segments up to this ordinal. ``items`` makes the items
    that a topic itself gives (its statements, its figures). Items from files of judgments are always pooled.

    ``best_setting`` names a settings field with a number of runs. If it is not 0, that many of the best runs, by the
    measure in ``measure_setting``, are used instead of those of the priorities.
    """

    kind: str
    priorities_setting: str = "judged_priorities"  # settings field with the priorities; "" means all runs
    depth_setting: str = ""  # settings field with the depth
    items: Callable[[TopicRecord, Any], Iterable[ItemRecord]] | None = None
    best_setting: str = ""
    measure_setting: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """A question type: what is pooled, and the stages of judging in order.

    The one pool of a task holds items of every recipe's kind; a stage judges those of its own ``item_kind``.
    """

    key: str
    label: str
    pooling: tuple[PoolRecipe, ...]
    stages: tuple[Stage, ...]
    topics_setting: str = ""  # settings field with the numbers of the topics to judge; empty: all

    def stage(self, key: str) -> Stage | None:
        """Return the stage with this key, or None."""
        return next((stage for stage in self.stages if stage.key == key), None)
