"""What the site needs from designs: their tracks, their faults, and the changes from one to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from assess.protocol.judging import Criterion
from assess.protocol.track import Track


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignFault:
    """A fault in a design. ``member`` is its place in words: "stages.passages.questions.misleading.level"."""

    line: int
    member: str
    message: str
    severity: Literal["error", "warning"] = "error"

    def as_row(self) -> tuple[str, str, str, str]:
        """Return the four columns that the command prints."""
        return str(self.line), self.severity, self.member, self.message


@dataclass(frozen=True, kw_only=True, slots=True)
class DependentRecords:
    """The records on which a change depends: those of a stage, of one of its questions, or of a single value.

    With ``runs``, they are the accepted runs; without a stage, everything that was judged.
    """

    stage: str = ""
    question: str = ""
    value: int | None = None
    runs: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignChange:
    """A difference between a design and the one before it.

    ``line`` is a line of the new file or, if the member is ``gone``, of the old one. A change that ``stands_on``
    nothing may be made at any time. Any other change may be made as long as the records that it depends on do not
    exist. ``mapping`` is what to write in the new file so that the change is possible all the same, or "" if no mapping
    helps.
    """

    line: int
    member: str
    message: str
    gone: bool = False
    stands_on: DependentRecords | None = None
    mapping: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ValueMapping:
    """A change of a question's recorded values from ``before`` to ``now``."""

    stage: str
    question: str
    before: int
    now: int


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignChanges:
    """All changes from one design to the next, and what recorded values become."""

    changes: Sequence[DesignChange]
    mappings: Sequence[ValueMapping]


@dataclass(frozen=True, kw_only=True, slots=True)
class SavedDesign:
    """A campaign as a design, "" if no design can express it. ``unsaid`` lists in words what the text leaves out."""

    text: str
    unsaid: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignField:
    """A member of a design as a field of a form: a "line", a "text", a "choice", or "several" of its choices.

    ``value`` is the text's value as typed. For "several", it is the chosen values with line breaks between them. With
    ``named``, the choices are names that the design gives. Pages translate neither these names nor the question that
    the field is ``about``.
    """

    name: str
    label: str
    value: str = ""
    kind: Literal["line", "text", "choice", "several"] = "line"
    choices: Sequence[tuple[str, str]] = ()
    help: str = ""
    size: int = 0
    named: bool = False
    about: str = ""

    @property
    def chosen(self) -> list[str]:
        """The chosen values of a field of the kind "several"."""
        return self.value.split("\n")


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignRow:
    """An entry of a list as fields. The last row is empty, and makes a further entry."""

    key: str
    heading: str
    fields: Sequence[DesignField]
    buttons: Sequence[tuple[str, str]] = ()
    is_new: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignPart:
    """A table of a design as a form. ``key`` is its place in the design; ``lines`` are its first and last line in the
    text. ``what`` says what kind of table it is, and ``name`` what the design calls it.

    ``buttons`` are further edits: a label, and the verb and key that `Designs.edited` takes. ``made_from`` is a digest
    of the table: a form that was filled in from an older text of the table is refused.
    """

    key: str
    what: str
    name: str = ""
    fields: Sequence[DesignField]
    rows: Sequence[DesignRow] = ()
    row_word: str = ""
    lines: tuple[int, int] = (0, 0)
    buttons: Sequence[tuple[str, str]] = ()
    made_from: str = ""
    note: str = ""

    @property
    def heading(self) -> str:
        """What kind of table it is, with its name."""
        return f"{self.what}: {self.name}" if self.name else self.what


@dataclass(frozen=True, kw_only=True, slots=True)
class Designs:
    """What the site calls to read and change designs: functions that the setting ``ASSAY_DESIGNS`` names.

    Those that take the text of a design raise ValueError if it can't be read, except ``faults`` and ``parts``.
    """

    track: Callable[..., Track]  # of a text
    faults: Callable[..., Sequence[DesignFault]]  # of a text, with the kinds of work of the site
    changes: Callable[..., DesignChanges]  # from one text to another, with the earlier versions
    taking: Callable[[Sequence[str]], Mapping[str, Criterion]]  # of all versions: criteria with any grade they ever had
    gallery: Callable[[], Mapping[str, str]]  # the example designs by key
    with_question: Callable[[str, Mapping[str, str]], str]  # a text with one question more
    parts: Callable[[str], Sequence[DesignPart]]  # a text as forms
    edited: Callable[..., str]  # a text after one edit of a form
    saved: Callable[..., SavedDesign]  # a track with settings as a design
    schema: Callable[[], Mapping[str, Any]]  # the JSON Schema of designs
    whole: Callable[[str, Path], str]  # a text with the contents of the files of a folder that it names
    first: Callable[[Sequence[Path]], str]  # a first design for an organiser's own files
