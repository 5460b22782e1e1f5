"""The tables for a design's runs, one for each form of runs."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tracks.designs.members import Count, Name, Table


class RunsBase(Table):
    """The member that the tables of all forms of runs have: the name of the form."""

    form: str


class RankedRuns(RunsBase):
    """Runs that rank documents, in TREC's format."""

    form: Literal["ranked"] = "ranked"
    limit: Count = 1000


class Citations(Table):
    """The citations in answers."""

    most: Count | None = None
    must_be_in_references: bool = True


class AnswerRuns(RunsBase):
    """Runs of answers in the common RAG format."""

    form: Literal["answers"]
    words: Count | None = None
    citations: Citations = Field(default_factory=Citations)
    too_long: Literal["error", "warning", "cut"] = "error"


class StringRuns(RunsBase):
    """Runs of answer strings: topic, run tag, docno and string on each line. ``limit`` bounds the strings for a
    topic.
    """

    form: Literal["strings"]
    limit: Count | None = None


class ItemRuns(RunsBase):
    """Items that no run returned, in CSV or JSON lines.

    ``text`` is the column that is judged, and ``shown`` are the columns shown beside it. ``systems`` are the columns
    that name systems, which are never shown. ``topic`` is the column that groups rows into topics; without it, every
    ``batch`` rows form a topic. ``document`` is the column with the docno of the document that opens beside the text;
    ``source`` is a column that contains such a document itself. ``row`` is the column that names a row in its topic,
    for exports. Rows with the same ``group`` are about one question of a rubric, and ``weight`` is the column with the
    question's weight.
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
