"""The members of a design with their types; no others are allowed. Stages of nuggets are in `nugget_tables`.

These models define the members' names, and the JSON Schema, the names in messages and the defaults follow from them.
`tracks.designs.checking` checks designs against them, and also which members go together.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticKnownError

from tracks.designs.members import Ask, Asked, Colour, Count, Gain, Key, Name, Press, Scale, Share, Table, Text, Value
from tracks.designs.run_tables import RankedRuns, RunsBase

# ---------------------------------------------------------------- questions


class Grade(Table):
    """A grade of a question. ``gain`` is its gain in scores, by default the grade's value."""

    value: Value | Annotated[float, Field(ge=-32_767, le=32_767, allow_inf_nan=False)]
    name: Name
    press: Press | None = None
    key: Key | None = None
    help: Text = ""
    help_file: str = ""
    gain: Gain | None = None
    note: Asked = "offered"
    evidence: Asked = "offered"
    colour: Colour | None = None


class Unsure(Table):
    """The answer "can't tell" of an assessor. It is recorded, but left out of scores and agreement."""

    press: Press
    name: Name = "can't tell"


class Verdict(Table):
    """A possible answer to the question which of two things, shown side by side, is better."""

    press: Press
    name: Name
    wins: Literal["left", "right", "both", "none"]


Names = Annotated[list[Name], Field(min_length=2, max_length=10)]
"""The names of grades, from 0 on."""


class Question(Table):
    """A question asked of each item.

    Instead of ``grades`` a question may have several ``scales``. A scale is a list of names for the grades 0, 1, 2, …
    The campaign's setting `highest_grade` chooses the scale; ``highest`` is the default of this setting. ``qrels`` are
    names of files, with * as a wildcard, whose grades are judgments for this question.
    """

    key: Key
    ask: Ask
    help: Text = ""
    help_file: str = ""
    answer: Literal["grade", "several", "text", "number", "rank"] = "grade"
    level: Literal["nominal", "ordinal", "interval"] = "ordinal"
    grades: Scale | Annotated[list[Grade], Field(max_length=101)] = Field(default_factory=list)
    scales: Annotated[list[Names], Field(max_length=9)] = Field(
        default_factory=list,
        description="in place of grades: scales of which each campaign chooses one, as names from 0 on",
    )
    highest: Annotated[int, Field(ge=1, le=9)] | None = Field(
        default=None, description="the highest grade of the scale with which a campaign begins"
    )
    ends: Annotated[list[Name], Field(min_length=2, max_length=2)] | None = None
    note_ask: Text = ""
    evidence_ask: Text = ""
    evidence_labels: list[Name] = Field(default_factory=list)
    unsure: Unsure | None = None
    asked_if: dict[str, Any] | list[dict[str, Any]] | None = None
    least: Annotated[int, Field(ge=0, le=1000)] | None = None
    most: Count | None = None
    words: Count | None = None
    required: bool = True
    order: Literal["given", "random"] = "given"
    verdicts: list[Verdict] = Field(default_factory=list)
    reasons: list[Name] = Field(default_factory=list)
    qrels: list[Name] = Field(
        default_factory=list, description="names of files of qrels that are read as judgments, with * for anything"
    )


# ---------------------------------------------------------------- stages


class People(Table):
    """How many people judge an item: ``each`` in this ``share`` of the topics, and one person in the others."""

    each: Annotated[int, Field(ge=1, le=100)]
    share: Share = 1.0


class Control(Table):
    """Items with known answers that are mixed into the work, one after every ``every`` other items. The answers are in
    a ``file`` beside the design, or in ``answers``, with one JSON object a line. Campaigns store them as ``answers``.
    """

    file: str = ""
    answers: Text = ""
    every: Count = 20
    tell: Literal["never", "after"] = "never"


class Practice(Table):
    """Items with known grades that are judged before the work begins: how many, and the share that must be right.

    They are in a ``file`` beside the design or in ``answers``. If neither is given, the first items of [stages.control]
    are used.
    """

    items: Count
    passed: Share = Field(default=0.8, alias="pass")
    tries: Annotated[int, Field(ge=1, le=100)] = 3
    file: str = ""
    answers: Text = ""


class Repeats(Table):
    """Items that an assessor judges a second time."""

    share: Share
    after: Count = 20


class HandOut(Table):
    """How work is handed out."""

    order: Literal["random", "pool", "likeness"] = "random"
    most: Count | None = None
    days: Count | None = None


class Agreement(Table):
    """How agreement is measured, and below which value it is too low."""

    measures: list[str] = Field(default_factory=list)
    floor: Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)] | None = None


class Choose(Table):
    """Which pairs are compared."""

    by: Literal["all", "sample", "sparse", "anchors", "swiss", "active", "best-k"]
    degree: Count | None = None
    mirrored: Share = 0.0
    mirrored_after: Count = 20
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0
    size: Count | None = None


ItemWord = Literal["document", "passage", "string", "sentence", "citation", "response", "topic", "line"]
SettleWord = Literal["adjudicator", "majority", "mean", "none"]


class StageBase(Table):
    """The members that every stage has. The table of each kind of work has further ones
    (`tracks.designs.described_work`).
    """

    key: Key
    work: str
    label: Text = ""
    help: Text = ""
    help_file: str = ""
    people: Annotated[int, Field(ge=1, le=100)] | Literal["any"] | People = 1
    after: str = ""
    needs: str = ""
    by_hand: bool = False
    without_runs: bool = False
    source: str = Field(default="", alias="from", description="the stage that is pointed at")
    control: Control | None = None
    practice: Practice | None = None
    repeats: Repeats | None = None
    hand_out: HandOut | None = None
    agreement: Agreement | None = None


class ItemStage(StageBase):
    """The member that all stages in which items are judged have: the kind of items."""

    item: ItemWord = "document"


class GradeStage(ItemStage):
    """A stage in which people answer questions about each item."""

    work: Literal["grade"]
    settle: SettleWord = "adjudicator"
    questions: Annotated[list[Question], Field(min_length=1, max_length=100)]


class PairStage(ItemStage):
    """A stage in which two things are compared side by side."""

    work: Literal["pairs"]
    item: ItemWord = "response"
    together: bool = True
    citations: Literal["shown", "hidden"] = "shown"
    settle: SettleWord = "none"
    questions: Annotated[list[Question], Field(min_length=1, max_length=100)]
    choose: Choose | None = None


# ---------------------------------------------------------------- input and output


class Topics(Table):
    """Which parts of a topic assessors see at once, and which topics are judged; by default all topics."""

    shown: list[Name] = Field(default_factory=lambda: ["title", "description", "narrative"])
    judged: list[Name] = Field(default_factory=list)


class Documents(Table):
    """What is shown of a document, and how."""

    shown: list[Name] = Field(default_factory=lambda: ["title", "date", "text"])
    form: Literal["text", "markdown", "html"] = Field(default="html", alias="as")


class Pool(Table):
    """How many documents of each run and topic are judged."""

    depth: Count = 100


class MeasureLine(Table):
    """A measure that is given as a table rather than by its name alone. ``help`` is the text above its column."""

    measure: Name
    question: str = ""
    relevant_from: Gain | None = None
    label: Text = ""
    help: Text = ""


class Scores(Table):
    """How scores are computed. ``gains`` maps a grade's name or value to a gain that replaces the one given with the
    grade. With ``relevant_from_setting`` each campaign may change `relevant_from`; the value given here is the default.
    """

    question: str = ""
    relevant_from: Gain = 1
    relevant_from_setting: bool = Field(
        default=False, description="whether each campaign may set relevant_from, and begins with what stands here"
    )
    measures: list[Name | MeasureLine] = Field(default_factory=list)
    official: str = ""
    gains: dict[str, Gain] = Field(default_factory=dict)


class Guidelines(Table):
    """The guidelines with which a campaign begins: a ``file`` beside the design, or their ``text``."""

    file: Name | None = None
    text: Text = ""


class Changed(Table):
    """Which recorded values of a question become other values in this version of the design."""

    question: Name
    before: Value = Field(alias="from")
    now: Value = Field(alias="to")


class Exported(Table):
    """The name for one of the exported files."""

    name: Name
    stage: Name
    question: str = ""
    columns: list[Name] = Field(default_factory=list)


def _whole(value: Any) -> Any:
    """Refuse 1.0 and true, since Python takes them for 1. The version number of the format is written as 1."""
    if isinstance(value, bool | float):
        raise PydanticKnownError("int_type")
    return value


class Design(Table):
    """An evaluation. `tracks.designs.described_work` has the model with all kinds of stages and forms of runs."""

    design: Annotated[Literal[1], BeforeValidator(_whole)]
    key: Key
    title: Name
    base: str = ""
    source: Text = ""
    task: Text = ""
    language: str = "en"
    topics: Topics = Field(default_factory=Topics)
    documents: Documents = Field(default_factory=Documents)
    runs: RunsBase = Field(default_factory=RankedRuns)
    pool: Pool = Field(default_factory=Pool)
    stages: list[StageBase]
    scores: Scores = Field(default_factory=Scores)
    guidelines: Guidelines | None = None
    changes: list[Changed] = Field(default_factory=list)
    exports: list[Exported] = Field(default_factory=list)
