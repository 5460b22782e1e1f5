"""A track of its own for tests of the benches: every kind of item, one stage each.."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from assess.base.track_settings import TrackSettings
from assess.protocol import ContextPart, Criterion, Grade, Grading, Needs, Picking, Stage, Task, TopicRecord
from tracks.tac2008_qa import TRACK as TAC


@dataclass(frozen=True, kw_only=True)
class BenchSettings(TrackSettings):
    """What the stages below ask for."""

    least_grade: int = 2
    judged_priorities: tuple[int, ...] = (1, 2, 3)


def scale(low: int, high: int) -> tuple[Grade, ...]:
    return tuple(Grade(value=v, key="x" if v == 10 else str(v), name=str(v)) for v in range(low, high + 1))


def context(topic: TopicRecord, ancestors: tuple[TopicRecord, ...]) -> list[ContextPart]:
    turns = [(turn["by"], turn["text"]) for turn in topic.fields.get("turns", [])]
    facts = [(str(number), text) for number, text in enumerate(topic.fields.get("facts", []), start=1)]
    parts = [ContextPart(heading="The dialogue so far", lines=tuple(turns))]
    if ancestors:
        parts.append(ContextPart(heading="Narrative", lines=(("", ancestors[0].text),), is_open=False))
    return [*parts, ContextPart(heading="What is known of the user", lines=tuple(facts))]


def figure(label: str) -> str | None:
    found = re.fullmatch(r"(fig|table)\.? *([0-9]+[a-z]?)", label, re.IGNORECASE)
    return f"{found[1].upper()} {found[2].upper()}" if found else None


RELEVANCE = Criterion(
    key="relevance",
    question="How far does the passage meet the request?",
    grades=(
        Grade(value=0, key="0", name="fails", help="It says nothing of the kind."),
        Grade(value=1, key="1", name="slightly"),
        Grade(value=2, key="2", name="moderately"),
        Grade(value=3, key="3", name="highly"),
        Grade(value=4, key="4", name="fully"),
    ),
    level="ordinal",
)
CONTENT = Criterion(
    key="content", question="Content, 0 to 10", help="Go by gut.", grades=scale(0, 10), level="interval"
)
ORDER = Criterion(key="organisation", question="Organisation, 0 to 10", grades=scale(0, 10), level="interval")
NEED = Criterion(
    key="need",
    question="Does the answer need this sentence?",
    grades=(Grade(value=1, key="r", name="required"), Grade(value=0, key="b", name="borderline")),
)
SUPPORT = Criterion(
    key="support",
    question="What does the abstract say of the sentence?",
    grades=(
        Grade(value=1, key="1", name="supports"),
        Grade(value=2, key="2", name="contradicts"),
        Grade(value=3, key="3", name="neutral"),
    ),
    evidence="select the words that support or contradict the sentence",
    evidence_for=(1, 2),
)
KNOWN = Criterion(
    key="known",
    question="Does this bear on the request?",
    grades=(Grade(value=1, key="y", name="yes"), Grade(value=0, key="n", name="no")),
)
FIGURES = Criterion(key="place", question="Which figures or tables support the claim?", ranks=3)

STAGES = (
    Stage(
        key="passages", label="Judge passages", work=Grading(criteria=(RELEVANCE,)), help="", item_kind="passage",
        noun="passage",
    ),
    Stage(
        key="responses", label="Judge responses", help="", item_kind="response",
        work=Grading(
            criteria=(CONTENT, ORDER), needs=Needs(kind="passage", criterion="relevance", setting="least_grade")
        ),
    ),
    Stage(
        key="sentences", label="Judge sentences", work=Grading(criteria=(NEED,), in_response=True), help="",
        item_kind="sentence",
    ),
    Stage(
        key="citations", label="Judge citations", work=Grading(criteria=(SUPPORT,)), help="", item_kind="citation"
    ),
    Stage(
        key="statements", label="Judge statements", work=Grading(criteria=(KNOWN,)), help="", item_kind="statement"
    ),
    Stage(
        key="figures", label="Pick figures", work=Picking(criteria=(FIGURES,), normalise=figure),
        help="Write FIG or TABLE and its number.", item_kind="figure", noun="figure",
    ),
)  # fmt: skip

TASK = Task(key="bench", label="Bench", pooling=(), stages=STAGES)
BENCH = replace(
    TAC, key="bench", label="Benches", settings=BenchSettings, tasks=(TASK,), context=context, guidelines="Judge."
)
TRACKS = (BENCH, TAC)
