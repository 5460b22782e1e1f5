"""What assessors do: tasks, their pools, the stages of judging and their scales."""

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
"""Which grades of several people count (`Stage.counts`)."""

RANDOM, POOL, LIKENESS = "random", "pool", "likeness"
"""In what order the items of a stage are judged (`Stage.order`)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Grade:
    """One allowed value of a criterion: stored as ``value``, given by pressing ``key``.

    ``note`` and ``evidence`` say whether it takes a note and snippets: "none", "offered" or "required". ``colour`` is
    the edge of its button: one of those of `static/css/tokens.css`, or "".
    """

    value: int
    key: str
    name: str
    help: str = ""
    note: str = OFFERED
    evidence: str = OFFERED
    colour: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Unsure:
    """What is pressed by somebody who can't tell: kept, and neither scored nor compared."""

    key: str
    name: str


Said = Mapping[str, int | None]
"""What was answered of an item: the key of a criterion -> the value, or None for an answer that is no grade."""

Condition = tuple[tuple[str, tuple[int, ...]], ...]
"""That each of these criteria has one of these values."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Criterion:
    """One question asked of an item, with its scale.

    ``evidence`` says what to select in the document ("the snippet that supports or contradicts the sentence");
    "" asks for none. Each snippet may carry its own grade. ``ranks`` is for picking: no grades, the value is the
    place, from 1. A criterion with ``setting`` is asked only where that settings field is true; one with ``scale``
    has the grades that this function gives for the campaign's settings. ``note`` asks for what a note should say,
    ``labels`` are those that a snippet may carry. One with ``asked_if`` is asked where one of these conditions holds.
    ``is_shuffled``: its grades stand in another order for each person and item, and the order is recorded.
    ``answer`` is "grade", "several" of the grades (``least`` to ``most``), a "rank" of so many, a "text" (of ``words``
    at most), a "number".
    """

    key: str
    question: str
    grades: tuple[Grade, ...] = ()
    help: str = ""
    level: str = "nominal"  # nominal, ordinal, interval: which agreement measures make sense
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
        """Whether it says more of notes than that they may be written."""
        return bool(self.note) or any(grade.note != OFFERED for grade in self.grades)

    @property
    def keys(self) -> list[str]:
        """The keys by which it is answered."""
        return [grade.key for grade in self.grades] + ([self.unsure.key] if self.unsure is not None else [])

    def as_shown(self, seed: int, item: int) -> Criterion:
        """The criterion with its grades as they stand at the bench of work with this seed, of this item (an id)."""
        if not self.is_shuffled:
            return self
        drawn = Random(f"{seed} {item} {self.key}")  # noqa: S311 (an order, which protects nothing)
        return replace(self, grades=tuple(drawn.sample(self.grades, len(self.grades))))

    def is_asked(self, settings: Any) -> bool:
        """Whether it is asked under these settings."""
        return not self.setting or bool(getattr(settings, self.setting))

    def with_scale(self, settings: Any) -> Criterion:
        """The criterion with the grades that it has under these settings."""
        return self if self.scale is None else replace(self, grades=self.scale(settings))

    def grade(self, value: int) -> Grade | None:
        """The grade with this value, or None where the scale has no such value."""
        return next((grade for grade in self.grades if grade.value == value), None)

    def allows(self, value: int) -> bool:
        """Whether the value is on the scale: one of the grades, or a place that may be given."""
        if self.answer != "grade":
            return False
        return self.grade(value) is not None or 1 <= value <= self.ranks


def asked_criteria(criteria: Sequence[Criterion], said: Said) -> list[Criterion]:
    """Return the criteria that are asked of an item of which this was said, those already answered included.

    A condition names criteria that stand before its own, and holds only where these are asked themselves.
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
    """Whether each of these is asked of every item, and has to be answered."""
    return all(each.required and not each.asked_if for each in criteria)


@dataclass(frozen=True, kw_only=True, slots=True)
class Needs:
    """Only items that cite, in some run, an item of ``kind`` whose official ``criterion`` is at least ``setting``.

    The least value is the settings field of that name: responses with at least one relevant passage. ``last`` gives,
    for the campaign's settings, the ordinal of the last citation of a segment that counts; None: all of them.
    """

    kind: str
    criterion: str
    setting: str
    last: Callable[[Any], int | None] = lambda settings: None


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """What a stage asks people to do: the options of a kind of work, which has a record of its own over this one
    (`assess.protocol.work`, `nuggets.options`), whose ``key`` names it.

    Work of every kind may have ``criteria``, the questions that it asks, and ``needs``, which items alone it is about;
    with ``may_add`` assessors may add what no run returned.
    """

    key: ClassVar[str]

    criteria: tuple[Criterion, ...] = ()
    needs: Needs | None = None
    may_add: bool = False

    @property
    def judged(self) -> frozenset[str]:
        """The keys of the criteria of which something is said in this work."""
        return frozenset(each.key for each in self.criteria)


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownAnswer:
    """The values that are right of an item, by criterion, and why; ``named_by`` "key", "docno" or "text"."""

    topic: str
    named_by: str
    item: str
    expected: tuple[tuple[str, int], ...]
    reason: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Practice:
    """Items that are answered before work is taken up, with a word back after each: ``passed`` is the share of them
    that has to be right, in one of so many ``tries``.
    """

    answers: tuple[KnownAnswer, ...]
    passed: float
    tries: int


@dataclass(frozen=True, kw_only=True, slots=True)
class StageChecks:
    """How the work of a stage is checked, where its track says so: what the site's pages begin with.

    ``repeats`` is the share of an assignment's items that come again, at least ``gap`` items later. Agreement is shown
    by the measures in ``agreement`` first, which are the beginnings of their names
    (`scoring.statistics.agreement_report`), and
    judges should agree to ``floor`` or more by them. For each ``gold_every`` items one whose answer is known (``gold``)
    comes among them; with ``reveals_gold`` whoever has judged such an item reads what is right of it. With
    ``practice`` nobody takes up work before they have passed it.
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
        """Whether judges should agree to the floor or more by this measure."""
        return self.floor is not None and measure.startswith(self.agreement)


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """One step of judging a topic.

    ``work`` is the record of options of a kind of work (`assess.protocol.work`, `nuggets.options`), by whose key the
    site finds its workbench. ``after`` is the key of the stage that must be done for the topic before this one opens.

    ``own``: every assessor works from what they did themselves in the stage ``after`` names (their own nugget list),
    and waits for that alone. ``second``: a second assessor does it too, taken from the stack; where ``people`` says how
    many judge each topic of a ``share`` of them, the others' work is handed out with the authors'.
    ``by_hand``: handed out only where somebody names it, and so left out where all is handed out.
    ``spread_is_weight``: how far people differ is what counts (a pyramid's nugget weighs what votes it has, each
    assessor's scores give figures of their own), so nobody settles it and nothing waits.
    ``counts`` says which grades count where several people judge: MAJORITY, what more of them say than say anything
    else, where only a tie is settled; MEAN, all of them, of which the scores take the mean; "" the author's, or what
    an adjudicator decides, which counts in every case.
    ``without_runs``: who made the topic may begin it before anything is pooled, with what they found themselves, though
    it comes ``after`` another stage; it is finished after that one.

    ``order`` says in what order its items come: RANDOM, another one in each assignment; POOL, those first that some run
    has nearest to its top; LIKENESS, those next to one another that have words in common. What is alike in this stands
    in a random order. ``most_items`` is how many items of the stage one person judges at most; 0: any number.

    ``first_round`` is the key of a stage that an assessor must be done with before they begin this one, and that is
    closed to them from then on, where the settings field ``rounds_setting`` is true.
    """

    key: str
    label: str
    work: Work
    help: str
    item_kind: str = ""
    after: str | None = None
    many: bool = False  # any number of assessors may do it, each on their own (votes)
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
    noun: str = ""  # what one item is called beside its number: "passage"; "" is the kind
    checks: StageChecks = StageChecks()

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """The questions that its work asks."""
        return self.work.criteria

    def criterion(self, key: str) -> Criterion | None:
        """The criterion with this key, or None."""
        return next((criterion for criterion in self.criteria if criterion.key == key), None)

    def asking(self, criteria: Iterable[Criterion]) -> Stage:
        """The same stage whose work asks these questions."""
        return replace(self, work=replace(self.work, criteria=tuple(criteria)))

    def options(self, kind: type[AnyWork]) -> AnyWork:
        """The options of its work, which is of this kind; a stage of another kind is a bug and crashes loudly."""
        if not isinstance(self.work, kind):
            raise TypeError(f"the work of the stage {self.key} is {self.work.key}, not {kind.key}")
        return self.work


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolRecipe:
    """What is judged by default: items of ``kind`` returned by runs of these priorities.

    All that segments, citations or whole responses name; with ``depth_setting``, only the first so many of each run's
    ranking of this kind, or, where runs hold no such ranking, segments up to this ordinal. ``items`` makes those that
    come with the topic itself (its statements, its figures). Items that a file of judgments brought are always pooled.

    ``best_setting`` names the settings field that says how many runs, the best by the measure that ``measure_setting``
    holds, take the place of those of the priorities; 0 there: priorities, as ever.
    """

    kind: str
    priorities_setting: str = "judged_priorities"  # settings field that holds the priorities; "" is all runs
    depth_setting: str = ""  # settings field that holds the depth
    items: Callable[[TopicRecord, Any], Iterable[ItemRecord]] | None = None
    best_setting: str = ""
    measure_setting: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One question type: what is pooled and the stages of judging, in order.

    The one pool of a task holds items of every recipe's kind; a stage judges those of its own ``item_kind``.
    """

    key: str
    label: str
    pooling: tuple[PoolRecipe, ...]
    stages: tuple[Stage, ...]
    topics_setting: str = ""  # settings field with the numbers of the topics to judge; none there: all

    def stage(self, key: str) -> Stage | None:
        """The stage with this key, or None."""
        return next((stage for stage in self.stages if stage.key == key), None)
