"""A small track made for tests: dialogues with turns; runs rank passages, answer in sentences, and cite.

A run is JSON lines: {"topic", "ranked": [[docno, score], …], "answer", "sentences": [{"text", "cites": [docno, …]}]}.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from assess.base.track_settings import TrackSettings
from assess.protocol import (
    CheckContext,
    CitationRecord,
    Criterion,
    Export,
    Grade,
    Grading,
    ItemRecord,
    MeasureColumn,
    PoolRecipe,
    Ranking,
    RunContent,
    Scoring,
    SegmentRecord,
    Stage,
    Submission,
    Task,
    TopicFile,
    TopicRecord,
    Track,
)
from scoring.records import Issue, RankedDoc, Score
from scoring.release.explained import Explanation


@dataclass(frozen=True, kw_only=True, slots=True)
class ToySettings(TrackSettings):
    passage_depth: int = 2
    judged_priorities: tuple[int, ...] = (1,)
    judged_topics: tuple[str, ...] = field(default=(), metadata={"label": "Judged topics"})
    broken_runs: tuple[str, ...] = ()


def read_topics(file: BinaryIO) -> Iterator[TopicRecord | Issue]:
    for line, text in enumerate(file.read().decode().splitlines(), start=1):
        values = json.loads(text)
        yield TopicRecord(**{"task": "", "text": "", **values, "line": line})


def lines(file: BinaryIO) -> Iterator[dict[str, Any]]:
    for line in file:
        yield json.loads(line)


def check(file: BinaryIO, context: CheckContext) -> Iterator[Issue]:
    del context
    for number, line in enumerate(file, start=1):
        if not line.startswith(b"{"):
            yield Issue(where=number, code="json", message="The line is no JSON object.")


def read_segments(file: BinaryIO, context: CheckContext) -> Iterator[SegmentRecord]:
    del context
    for values in lines(file):
        for ordinal, sentence in enumerate(values.get("sentences", ()), start=1):
            text = sentence["text"]
            yield SegmentRecord(
                topic=values["topic"],
                ordinal=ordinal,
                text=text,
                docno="",
                item_kind="sentence",
                item_key=text,
                item_fields={"words": len(text.split())},
                citations=tuple(
                    CitationRecord(
                        docno=docno,
                        ordinal=place,
                        item_kind="citation",
                        item_key=f"{text} [{docno[:20]}]",
                        item_text=text if docno.startswith("D") else "",
                        item_fields={"sentence": text},
                    )
                    for place, docno in enumerate(sentence.get("cites", ()), start=1)
                ),
            )


def read_responses(file: BinaryIO, context: CheckContext) -> Iterator[ItemRecord]:
    del context
    for values in lines(file):
        if answer := values.get("answer"):
            yield ItemRecord(topic=values["topic"], kind="answer", key=answer, fields={"parts": [{"text": answer}]})


def read_ranking(file: BinaryIO, context: CheckContext) -> Iterator[RankedDoc]:
    del context
    for values in lines(file):
        for rank, (docno, score) in enumerate(values.get("ranked", ()), start=1):
            yield RankedDoc(topic=values["topic"], docno=docno, rank=rank, score=score)


def preview(file: BinaryIO, context: CheckContext) -> Iterator[tuple[str, str, str]]:
    for segment in read_segments(file, context):
        yield segment.topic, f"sentence {segment.ordinal}", segment.text


def statements(topic: TopicRecord, settings: Any) -> Iterable[ItemRecord]:
    del settings
    for key, text in topic.fields.get("statements", {}).items():
        yield ItemRecord(topic=topic.number, kind="statement", key=key, text=text)


RELEVANCE = Criterion(
    key="relevance",
    question="Is it relevant?",
    grades=(Grade(value=0, key="1", name="no"), Grade(value=1, key="2", name="yes")),
)


def grading(kind: str) -> Stage:
    return Stage(
        key=f"{kind}s",
        label=f"Judge {kind}s",
        work=Grading(criteria=(RELEVANCE,)),
        help="Judge.",
        item_kind=kind,
    )


TURN = Task(
    key="turn",
    label="Turn",
    pooling=(
        PoolRecipe(kind="passage", priorities_setting="", depth_setting="passage_depth"),
        PoolRecipe(kind="statement", items=statements),
        PoolRecipe(kind="sentence"),
        PoolRecipe(kind="citation"),
        PoolRecipe(kind="answer", priorities_setting=""),
    ),
    stages=(grading("passage"), grading("statement"), grading("sentence"), grading("citation"), grading("answer")),
    topics_setting="judged_topics",
)

RANKINGS = (Ranking(kind="passage", read=read_ranking),)


def score_run(gold: Any, run: str, content: RunContent | None, settings: ToySettings) -> Iterator[Score]:
    if run in settings.broken_runs:
        raise ValueError("no such passage")
    count = len(list(content.segments())) if content is not None else 0
    yield Score(run=run, topic="all", measure="sentences", value=float(count), topics=1)
    yield Score(run=run, topic="all", measure="depth", value=float(settings.passage_depth), topics=1)


TRACK = Track(
    key="toy",
    label="Toy dialogues",
    source="made for tests",
    settings=ToySettings,
    topic_files=(
        TopicFile(key="turns", label="Turns", help="JSON lines", file_names=("*.jsonl",), read=read_topics),
        TopicFile(
            key="more", label="More", help="JSON lines", file_names=("*.more",), read=read_topics, supplements=True
        ),
    ),
    submissions=(
        Submission(
            key="full",
            label="Answers",
            help="JSON lines",
            tasks=("turn",),
            check=check,
            read=read_segments,
            priorities=(1, 2),
            responses=read_responses,
            rankings=RANKINGS,
            preview=preview,
        ),
        Submission(
            key="ranked",
            label="Ranking only",
            help="JSON lines",
            tasks=("turn",),
            check=check,
            read=lambda file, context: iter(()),
            priorities=(),
            rankings=RANKINGS,
        ),
    ),
    tasks=(TURN,),
    exports=(
        Export(
            name="grades.txt",
            label="Grades",
            collect="grades",
            write=lambda records: (f"{grade.topic} {grade.key} {grade.value}" for grade in records),
            read=lambda file: iter(()),
            options={"kind": "passage"},
        ),
    ),
    scoring=Scoring(
        measures=(
            MeasureColumn(key="sentences", label="Sentences", help="How many.", official=True, group="Answers"),
            MeasureColumn(key="depth", label="Depth", help="Of the pool.", group="Passages"),
        ),
        gold_files=("grades.txt",),
        build=lambda records, settings, report: [grade.key for grade in records["grades.txt"]],
        load=lambda files, settings, report: [],
        score=score_run,
        explain=lambda gold, run, content, settings: (
            lambda topic, measure: Explanation(
                run=run, topic=topic, measure=measure, value=None, formula="count", steps=()
            )
        ),
        runs=lambda gold: ["contractor"] if gold else [],
    ),
)

TRACKS = (TRACK,)
