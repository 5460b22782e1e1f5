"""Ad hoc retrieval: topics, ranked runs, documents graded for relevance, the measures of trec_eval.

A run ranks documents for each topic. What the runs rank highest is pooled, assessors grade it, and the grades are
qrels. This is the smallest whole track; `docs/add-a-track.md` goes through it file by file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from assess.base.track_settings import Change, TrackSettings, judged_topics_field
from assess.protocol import (
    ByTopic,
    CheckContext,
    Criterion,
    Explain,
    Export,
    Grade,
    Grading,
    JudgmentFile,
    MeasureColumn,
    PoolRecipe,
    Ranking,
    RunContent,
    Scoring,
    Stage,
    Submission,
    Task,
    TopicFile,
    Track,
)
from scoring.explained import Nodes, Values, explained_by, scores_of
from scoring.formats.judgments_jsonl import read_judgments, write_judgments
from scoring.formats.qrels import CRITERION, KIND, read_graded_qrels, read_judged_qrels, write_graded_qrels
from scoring.formats.run_blocks import issues_of_blocks, read_run_blocks
from scoring.formats.run_rules import check_ranked_run
from scoring.formats.trec_run import tag_of_run, topics_of_run
from scoring.measures.ranked_explained import ALL, JudgedTopics, mean_of_topics, ranking_nodes
from scoring.packed_grades import PackedGrades
from scoring.recorded_acts import Judged
from scoring.records import Issue, ItemGrade, Score
from scoring.repairs import repair_ranked_run
from scoring.run_tags import ANY_LENGTH, LONGEST_TAG, TagRule, letters, rename_column
from tracks.input_files import GoldKind, file_issue, read_gold_file, told_by_content
from tracks.plain_topics import described, plain_wordings, topics_of, write_plain_topics
from tracks.ranked_runs import doubts_of_run, no_segments, pooled_rows, read_form, read_ranking

RANKING = "ranking"  # the one task
QRELS = "qrels.txt"
TOPIC_NAMES = (
    *(f"*topics*.{ending}" for ending in ("txt", "tsv", "jsonl", "trec", "xml", "json", "csv")),
    "*.topics",
    "*queries*.tsv",
    "*queries*.jsonl",
)
GRADE_NAMES = {
    1: ("not relevant", "relevant"),
    2: ("not relevant", "relevant", "highly relevant"),
    3: ("not relevant", "related", "highly relevant", "perfectly relevant"),
    4: ("not relevant", "related", "relevant", "highly relevant", "perfectly relevant"),
}
"""The scales, by their highest grade."""


# ---------------------------------------------------------------- what an organiser may set


@dataclass(frozen=True, kw_only=True, slots=True)
class AdhocSettings(TrackSettings):
    """The defaults are those of NIST's ad hoc tasks."""

    pool_depth: int = field(
        default=100,
        metadata={
            "change": Change.FREE,
            "allowed": "1 to 1,000,000",
            "label": "Pool depth",
            "help": "How many documents of each run and topic are judged.",
        },
    )
    highest_grade: int = field(
        default=3,
        metadata={
            "change": Change.JUDGMENTS,
            "criterion": CRITERION,
            "allowed": "1 to 4",
            "label": "Highest grade",
            "help": "Documents are graded from 0 to this: 1, 2, 3 or 4.",
        },
    )
    relevant_from: int = field(
        default=1,
        metadata={
            "change": Change.FREE,
            "allowed": "1 to the highest grade",
            "label": "Relevant from",
            "help": "The lowest grade that counts as relevant for measures that know only yes and no.",
        },
    )
    ranked_limit: int = field(
        default=1000,
        metadata={
            "change": Change.FREE,
            "allowed": "1 to 1,000,000",
            "label": "Ranked documents",
            "help": "How many documents a run may rank for a topic.",
        },
    )
    tag_length: int = field(
        default=ANY_LENGTH,
        metadata={
            "change": Change.FREE,
            "allowed": f"1 to {LONGEST_TAG}",
            "label": "Length of run tags",
            "help": "How many letters, digits, “.”, “_” and “-” a run tag may have.",
        },
    )
    all_topics: bool = field(
        default=True,
        metadata={
            "change": Change.FREE,
            "label": "All judged topics",
            "help": "A judged topic that a run leaves out counts 0; with no, it is left out of the run's mean.",
        },
    )
    judged_topics: tuple[str, ...] = judged_topics_field()

    def problems(self) -> dict[str, str]:
        """Field name -> what is wrong with its value."""
        found = {}
        for name in ("pool_depth", "ranked_limit"):
            if not 1 <= getattr(self, name) <= 1_000_000:
                found[name] = "This must be a whole number from 1 to 1,000,000."
        if not 1 <= self.tag_length <= LONGEST_TAG:
            found["tag_length"] = f"This must be a whole number from 1 to {LONGEST_TAG}."
        if self.highest_grade not in GRADE_NAMES:
            found["highest_grade"] = "The highest grade is 1, 2, 3 or 4."
        elif not 1 <= self.relevant_from <= self.highest_grade:
            found["relevant_from"] = f"This must be one of the grades from 1 to {self.highest_grade}."
        return found


def grades_up_to_the_highest(settings: AdhocSettings) -> tuple[Grade, ...]:
    """The scale of documents, from 0 to the highest grade that is set."""
    names = GRADE_NAMES[settings.highest_grade]
    return tuple(Grade(value=value, key=str(value), name=name) for value, name in enumerate(names))


# ---------------------------------------------------------------- files in


def tags_of(settings: AdhocSettings) -> TagRule:
    """What run tags look like."""
    return letters(settings.tag_length)


def check(file: BinaryIO, context: CheckContext) -> Iterator[Issue]:
    """Every rule that a run breaks (`scoring.formats.run_rules`)."""
    return check_ranked_run(
        file,
        topics=[topic.number for topic in context.topics if topic.task],
        limit=context.settings.ranked_limit,
        tag=context.form.tag if context.form is not None else "",
        tags=None if context.any_tag else tags_of(context.settings),
        unknown_docnos=context.unknown_docnos,
    )


def read_judgments_of_qrels(paths: Sequence[Path], context: CheckContext) -> Iterator[tuple[int | str, Judged] | Issue]:
    """The judgments of qrels files, on the campaign's scale."""
    topics = {topic.number for topic in context.topics if topic.task}
    return read_judged_qrels(paths, topics=topics, grades=range(context.settings.highest_grade + 1))


# ---------------------------------------------------------------- scores

Gold = Mapping[str, Mapping[str, int]]  # topic -> docno -> grade


def _column(key: str, help_text: str, *, official: bool = False) -> MeasureColumn:
    return MeasureColumn(key=key, label=key, help=help_text, official=official)


MEASURES = (
    _column("nDCG@10", "Gain of the first 10 documents over the best that there could be.", official=True),
    _column("nDCG", "The same of all documents."),
    _column("AP", "Average precision."),
    _column("P@5", "Relevant documents among the first 5."),
    _column("P@10", "Relevant documents among the first 10."),
    _column("RR", "1 over the rank of the first relevant document."),
    _column("Rprec", "Precision at rank R, R the number of relevant documents."),
    _column("R@100", "Relevant documents among the first 100, of all that are relevant."),
    _column("R@1000", "Relevant documents among the first 1000, of all that are relevant."),
    _column("Bpref", "Whether judged relevant documents stand before judged others."),
    _column("infAP", "Average precision inferred where not all pooled documents are judged."),
    _column("Judged@10", "How many of the first 10 documents are judged."),
)


def build_gold(records: Mapping[str, Iterable[Any]], settings: AdhocSettings, report: Callable[[Issue], None]) -> Gold:
    """Grades by topic and docno; -1 where a pooled document was not judged. Each grade beyond the scale is an issue."""
    gold = PackedGrades()
    strange: set[int] = set()
    for record in records.get(QRELS, ()):
        if record.value is not None and not 0 <= record.value <= settings.highest_grade and record.value not in strange:
            strange.add(record.value)
            report(_beyond_the_scale(record, settings))
        gold.add(record.topic, record.key, -1 if record.value is None else record.value)
    return JudgedTopics(gold)


def _beyond_the_scale(record: ItemGrade, settings: AdhocSettings) -> Issue:
    message = (
        f"topic {record.topic[:40]}, document {record.docno[:80]}: {record.value} is no grade here; the scale is 0 to "
        f"{settings.highest_grade}. Set highest_grade, which is 4 at most, or correct it; -1 says that nobody judged."
    )
    return file_issue(QRELS, "grade", message)


def load_gold(files: Mapping[str, Path], settings: AdhocSettings, report: Callable[[Issue], None]) -> Gold:
    """Grades of the one file of qrels among these: its name begins with or ends in "qrels"."""
    named = [name for name in files if name.startswith("qrels") or ".qrels" in name]
    if len(named) != 1:
        report(file_issue("", "qrels", "Give one file of qrels, such as qrels.txt."))
        return {}
    return build_gold({QRELS: read_gold_file("", files[named[0]], read_graded_qrels, report)}, settings, report)


def told(name: str, path: Path) -> str:
    """Qrels are told by their columns, whatever the file is called."""
    if name.startswith("qrels") or ".qrels" in name:
        return name
    return told_by_content(path, [GoldKind(name=QRELS, read=read_graded_qrels)])


def score_run(gold: Gold, run: str, content: RunContent, settings: AdhocSettings) -> Iterator[Score]:
    """All values of one run: topics, then "all"."""
    return scores_of([run_nodes(gold, content, settings)], run=run)


def explain_run(gold: Gold, run: str, content: RunContent, settings: AdhocSettings) -> Explain:
    """The documents behind each value of `score_run`, or the topics behind a mean."""
    return explained_by([run_nodes(gold, content, settings)], run=run)


def run_nodes(gold: Gold, content: RunContent, settings: AdhocSettings) -> Nodes:
    """The values of one run, each with what it came of."""
    return ranking_nodes(
        gold,
        content.rankings(KIND),
        [column.key for column in MEASURES],
        level=settings.relevant_from,
        complete=settings.all_topics,
        kind=KIND,
    )


def topic_nodes(gold: Gold, content: RunContent, settings: AdhocSettings, only: Collection[str] | None = None) -> Nodes:
    """The values of `run_nodes` on topics, of which ``gold`` has those that are wanted."""
    nodes = run_nodes(gold, content, settings)
    return {topic: found for topic, found in nodes.items() if topic != ALL and (only is None or topic in only)}


def over_topics(gold: Gold, values: Values, settings: AdhocSettings) -> Sequence[Nodes]:
    """The means of a run's values on topics."""
    del gold, settings
    measures = [column.key for column in MEASURES]
    by_measure = {name: {topic: float(found[name] or 0) for topic, found in values.items()} for name in measures}
    return [{ALL: {name: mean_of_topics(name, found) for name, found in by_measure.items()}}]


# ---------------------------------------------------------------- the whole

TRACK = Track(
    key="adhoc",
    label="Ad hoc retrieval",
    source="TREC ad hoc tasks (NIST, since 1992); trec_eval",
    settings=AdhocSettings,
    topic_files=(
        TopicFile(
            key="topics",
            label="Topics",
            help="TREC topics (<top>…</top>), XML, lines of number, tab and query, JSON with id and title, dialogues.",
            file_names=TOPIC_NAMES,
            read=topics_of(RANKING),
            write=write_plain_topics,
            name="topics.jsonl",
        ),
    ),
    submissions=(
        Submission(
            key="run",
            label="Ranked run",
            help="Plain text, one document a line: topic Q0 docno rank score run-tag.",
            tasks=(RANKING,),
            check=check,
            tags_of=tags_of,
            lists=("docnos",),
            read=no_segments,
            rankings=(Ranking(kind=KIND, read=read_ranking, blocks=read_run_blocks, topics=topics_of_run),),
            priorities=(),
            tag=tag_of_run,
            form=read_form,
            unreadable=issues_of_blocks,
            segment=pooled_rows,
            segment_header=("topic", "rank", "document", "score"),
            rename=partial(rename_column, column=6),
            repair=repair_ranked_run,
            topic_codes=frozenset({"unknown-topic", "missing-topic"}),
        ),
    ),
    tasks=(
        Task(
            key=RANKING,
            label="Ranked documents",
            topics_setting="judged_topics",
            pooling=(PoolRecipe(kind=KIND, priorities_setting="", depth_setting="pool_depth"),),
            stages=(
                Stage(
                    key="documents",
                    label="Grade documents",
                    work=Grading(
                        criteria=(
                            Criterion(
                                key=CRITERION,
                                question="How relevant is the document to the topic?",
                                scale=grades_up_to_the_highest,
                                level="ordinal",
                            ),
                        )
                    ),
                    help="Say of each document how relevant it is to the topic.",
                    item_kind=KIND,
                    noun="document",
                ),
            ),
        ),
    ),
    exports=(
        Export(
            name=QRELS,
            label="Grades of the pooled documents: topic iteration docno grade",
            collect="grades",
            write=write_graded_qrels,
            read=read_graded_qrels,
            options={"kind": KIND, "criteria": (CRITERION,), "unjudged": True},
        ),
        Export(
            name="judgments.jsonl",
            label="Everything that assessors said, to be replayed",
            collect="everything",
            write=write_judgments,
            read=read_judgments,
        ),
    ),
    scoring=Scoring(
        measures=MEASURES,
        gold_files=(QRELS,),
        build=build_gold,
        load=load_gold,
        score=score_run,
        explain=explain_run,
        explore=("relevant_from",),
        by_topic=ByTopic(topics=topic_nodes, over=over_topics),
        told=told,
        doubts=doubts_of_run,
    ),
    judgment_files=(
        JudgmentFile(
            key="qrels",
            label="Qrels",
            help="topic iteration docno grade; a file with “second” or “umbrela” in its name is a second judge's.",
            file_names=("*.qrels", "qrels*.txt"),
            read=read_judgments_of_qrels,
        ),
    ),
    context=described,
    wordings=plain_wordings,
    guidelines=Path(__file__).with_name("adhoc.md").read_text(encoding="utf-8"),
)
