"""What the site asks of designs: their tracks, their faults, and what one says differently from another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

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
class SavedDesign:
    """A campaign as a design: "" where nothing of it can be said; ``unsaid`` is what the text leaves out, in words."""

    text: str
    unsaid: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignField:
    """A member of a design as a field of a form: a "line", a "text", a "choice", or "several" of its choices.

    ``value`` is what the text says, as it is typed: of several the chosen ones with a line break between them.
    """

    name: str
    label: str
    value: str = ""
    kind: Literal["line", "text", "choice", "several"] = "line"
    choices: Sequence[tuple[str, str]] = ()
    help: str = ""
    size: int = 0

    @property
    def chosen(self) -> list[str]:
        """The choices that are made, of several."""
        return self.value.split("\n")


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignRow:
    """An entry of a list as fields; the last one is empty and makes a further entry."""

    key: str
    heading: str
    fields: Sequence[DesignField]
    buttons: Sequence[tuple[str, str]] = ()
    is_new: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignPart:
    """A table of a design as a form. ``key`` says where it stands, ``lines`` are its first and last one in the text.

    ``buttons`` are what else can be done with it: a label, and the verb and key that `Designs.edited` takes.
    ``made_from`` is a digest of what it says: a form that was made from another text is not written over it.
    """

    key: str
    heading: str
    fields: Sequence[DesignField]
    rows: Sequence[DesignRow] = ()
    row_word: str = ""
    lines: tuple[int, int] = (0, 0)
    buttons: Sequence[tuple[str, str]] = ()
    made_from: str = ""
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Designs:
    """The reader of designs, which the setting ``ASSAY_DESIGNS`` names."""

    track: Callable[..., Track]
    faults: Callable[..., Sequence[DesignFault]]
    changes: Callable[..., DesignChanges]
    taking: Callable[[Sequence[str]], Mapping[str, Criterion]]
    gallery: Callable[[], Mapping[str, str]]
    with_question: Callable[[str, Mapping[str, str]], str]
    parts: Callable[[str], Sequence[DesignPart]]
    edited: Callable[..., str]
    saved: Callable[..., SavedDesign]
    schema: Callable[[], Mapping[str, Any]]
    whole: Callable[[str, Path], str]
    first: Callable[[Sequence[Path]], str]
