"""The table of a design's runs, one for each form that runs have."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tracks.designs.members import Count, Name, Table


class RunsBase(Table):
    """What every form of runs has: its name."""

    form: str


class RankedRuns(RunsBase):
    """Runs that rank documents, in TREC's columns."""

    form: Literal["ranked"] = "ranked"
    limit: Count = 1000


class Citations(Table):
    """What is cited in answers."""

    most: Count | None = None
    must_be_in_references: bool = True


class AnswerRuns(RunsBase):
    """Answers in the common RAG shape."""

    form: Literal["answers"]
    words: Count | None = None
    citations: Citations = Field(default_factory=Citations)
    too_long: Literal["error", "warning", "cut"] = "error"


class StringRuns(RunsBase):
    """Runs of answer strings: topic, run tag, docno and string, a line each. ``limit``: strings for a topic."""

    form: Literal["strings"]
    limit: Count | None = None


class ItemRuns(RunsBase):
    """Things to judge that no run returned: CSV or JSON lines.

    ``text`` is the column that is judged and ``shown`` are those that stand beside it; ``systems`` name whose it is and
    are never shown. ``topic`` is the column by whose values rows belong together; without it ``batch`` rows do.
    ``document`` is the column with the docno of the document that opens beside the text, ``source`` one that holds
    such a document itself. ``row`` names a row in its topic, by which it is given out. Rows with the same ``group`` are
    about one question of a rubric, and ``weight`` is the column with what the question weighs.
    """

    form: Literal["items"]
    text: Name | list[Name]
    systems: list[Name] = Field(default_factory=list)
    shown: list[Name] = Field(default_factory=list)
    topic: str = ""
    batch: Count = 50
    document: str = ""
    source: str = ""
    row: str = ""
    group: str = ""
    weight: str = ""
    suggest: str = ""
    suggest_shown: Literal["with the item", "after one's own judgment", "to no one"] = "with the item"
