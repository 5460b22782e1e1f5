"""What judges can be compared on: questions that several people or machines answer of the same things.

Each kind of work brings sources for what is said in it (`WorkKind.questions`). A source is asked for its questions, and
for each judge's values by the keys of `assess.judging.queries.judges`. So the pages of agreement need not know which
kinds there are.
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
"""(topic number, the name of one thing in it)."""

Values = Mapping[Thing, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """One question with its scale: (value, name) in order. ``asked`` is the question alone, ``label`` with its stage.

    ``relevant`` is the value from which on a thing counts as relevant, or the one value that does where values have no
    order (``level`` nominal); None where nothing does. ``note`` says what is compared, where that is not plain.
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
        """Return a value's name: that of the scale, else the number itself."""
        return dict(self.scale).get(value, f"{value:g}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """A thing as people read it: its text, the document it came from, and what else it is about; "" where nothing."""

    text: str
    docno: str = ""
    about: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ValueSource:
    """Where the values of some questions come from.

    ``questions(campaign)`` are those it answers; ``values(snapshot, question, judge)`` what one judge set said, of the
    snapshot's topics where it names some; where something is implied of all that was finished, as `GridValues`.
    ``shown(campaign, question, things)`` the things to read, in a bounded number of queries.
    """

    key: str
    questions: Callable[[Campaign], Iterable[Question]]
    values: Callable[[Snapshot, Question, str], Values]
    shown: Callable[[Campaign, Question, Sequence[Thing]], dict[Thing, Shown]]


def questions_of(campaign: Campaign) -> list[Question]:
    """Return all questions of a campaign, source by source."""
    return [question for source in _sources() for question in source.questions(campaign)]


def source_of(campaign: Campaign, stage: str, criterion: str) -> tuple[ValueSource, Question] | None:
    """Return the question with these keys and where its values are; None where there is none."""
    for source in _sources():
        for question in source.questions(campaign):
            if (question.stage, question.criterion) == (stage, criterion):
                return source, question
    return None


def _sources() -> list[ValueSource]:
    """The sources of all kinds of work, in their order."""
    return [source for kind in kinds().values() for source in kind.questions]
