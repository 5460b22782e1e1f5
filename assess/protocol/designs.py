"""What the site asks of designs: their tracks, their faults, and what one says differently from another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assess.protocol.judging import Criterion
from assess.protocol.track import Track


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignFault:
    """One thing that is wrong. ``member`` is where, in words: "stages.passages.questions.misleading.level"."""

    line: int
    member: str
    message: str
    severity: Literal["error", "warning"] = "error"

    def as_row(self) -> tuple[str, str, str, str]:
        """Return the four columns that the command prints."""
        return str(self.line), self.severity, self.member, self.message


@dataclass(frozen=True, kw_only=True, slots=True)
class StandsOn:
    """The records that would mean something else: those of a stage, of a question of it, or of a value alone.

    With ``runs`` they are the accepted runs; with no stage at all, everything that was judged.
    """

    stage: str = ""
    question: str = ""
    value: int | None = None
    runs: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignChange:
    """One thing that a design says differently from the one before it.

    ``line`` is that of the new file; of the old one where the member is ``gone``. A change that ``stands_on`` nothing
    may be made at any time. Any other can be made while nothing is recorded there; ``mapping`` then is what to write
    in the new file so that it can be made all the same, "" where no mapping helps.
    """

    line: int
    member: str
    message: str
    gone: bool = False
    stands_on: StandsOn | None = None
    mapping: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ValueMapping:
    """Recorded values of a question that become another one: ``now`` is what ``before`` was."""

    stage: str
    question: str
    before: int
    now: int


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignChanges:
    """All that changes from one design to the next, and what becomes of recorded values."""

    changes: Sequence[DesignChange]
    mappings: Sequence[ValueMapping]


@dataclass(frozen=True, kw_only=True, slots=True)
class Designs:
    """The reader of designs, which the setting ``ASSAY_DESIGNS`` names."""

    track: Callable[..., Track]
    faults: Callable[[str], Sequence[DesignFault]]
    changes: Callable[..., DesignChanges]
    taking: Callable[[Sequence[str]], Mapping[str, Criterion]]
    gallery: Callable[[], Mapping[str, str]]
    with_question: Callable[[str, Mapping[str, str]], str]
