"""The questions on which judges can be compared: those that several people or machines answer about the same things.

Each kind of work brings sources of its answers (`WorkKind.questions`). A source returns its questions, and each judge's
values by the keys of `assess.judging.queries.judges`. So the pages of agreement need not know the kinds of work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from assess.kinds.base import kinds

if TYPE_CHECKING:
    from assess.campaigns.models import Campaign
    from assess.judging.snapshots import Snapshot

Level = Literal["nominal", "ordinal", "interval"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")

Thing = tuple[str, str]
"""(topic number, the name of one thing in that topic)."""

Values = Mapping[Thing, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """One question on which judges are compared, with its scale: (value, name) in order.

    ``asked`` is the question alone, ``label`` the question with its stage. ``relevant`` is the lowest value that counts
    as relevant; on a scale without order (``level`` nominal), it is the only such value; None means that no value does.
    ``note`` says what is compared if that is not obvious.
    """

    stage: str
    criterion: str
    label: str
    asked: str
    level: Level
    scale: tuple[tuple[float, str], ...]
    relevant: float | None
    note: str = ""

    def name(self, value: float) -> str:
        """Return a value's name on the scale, or the number itself if the scale has none."""
        return dict(self.scale).get(value, f"{value:g}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """A compared thing as people read it: its text, its document and its context; "" where it has none."""

    text: str
    docno: str = ""
    about: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ValueSource:
    """A source of some questions and of the judges' values for them.

    ``questions(campaign)`` returns the questions. ``values(snapshot, question, judge)`` returns one judge set's values,
    only for the snapshot's topics if it names some; they are `GridValues` if finished assignments imply values that
    were not recorded. ``shown(campaign, question, things)`` returns the texts of things, in a bounded number of
    queries. ``conditions(campaign, topics)`` divides topics by how the bench shows the work there, such as the order of
    a list: name -> topics.
    """

    key: str
    questions: Callable[[Campaign], Iterable[Question]]
    values: Callable[[Snapshot, Question, str], Values]
    shown: Callable[[Campaign, Question, Sequence[Thing]], dict[Thing, Shown]]
    conditions: Callable[[Campaign, Sequence[str]], Mapping[str, Sequence[str]]] | None = None


def questions_of(campaign: Campaign) -> list[Question]:
    """Return all questions of a campaign, grouped by source."""
    return [question for source in _sources() for question in source.questions(campaign)]


def source_of(campaign: Campaign, stage: str, criterion: str) -> tuple[ValueSource, Question] | None:
    """Return the question with these keys and its source, or None if there is no such question."""
    for source in _sources():
        for question in source.questions(campaign):
            if (question.stage, question.criterion) == (stage, criterion):
                return source, question
    return None


def _sources() -> list[ValueSource]:
    """Return the sources of all kinds of work, in the order of the kinds."""
    return [source for kind in kinds().values() for source in kind.questions]
