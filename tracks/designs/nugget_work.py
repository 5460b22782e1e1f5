"""Lists of nuggets and their matches in answers, as stages of a design, with the work and the files of
`rag_nuggets`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assess.protocol import Explain, Export, MeasureColumn, RunContent, Scoring, Stage, Work, by_question
from nuggets.options import Matching, NuggetWriting
from scoring.formats.answer_limits import AnswerLimit
from scoring.measures.supported_nuggets import USUAL as USUAL_WEIGHTS
from scoring.measures.supported_nuggets import NuggetWeights
from scoring.reading.unpacking import plain_name
from scoring.records import Issue, Score
from scoring.release.explained import Nodes, Values, explained_by, scores_of, values_by, values_of
from tracks.designs import graded, graded_values
from tracks.designs.judged_items import OF_NUGGETS, RESPONSE
from tracks.designs.nugget_rules import takes_partial, weights_of
from tracks.designs.nugget_tables import MatchStage, NuggetStage
from tracks.designs.own_measures import own_mean
from tracks.designs.run_tables import AnswerRuns
from tracks.designs.shape import Design, MeasureLine
from tracks.input_files import by_name, load_records
from tracks.rag_nuggets.exports import ASSIGNMENTS, EXPORTS, NUGGETS
from tracks.rag_nuggets.gold import READERS, build_gold
from tracks.rag_nuggets.gold import gold_name as nugget_gold_name
from tracks.rag_nuggets.scores import ALL, MEASURES, run_nodes
from tracks.rag_nuggets.settings import RagNuggetsSettings

FILES = (NUGGETS, ASSIGNMENTS)
COLUMNS: Mapping[str, MeasureColumn] = {each.key: each for each in MEASURES if each.key in OF_NUGGETS}

USUAL = ("V_strict", "V", "A_strict", "A")
ANY_LENGTH = 100_000


def stage_of_nuggets(design: Design, stage: NuggetStage | MatchStage) -> Stage:
    """Return the stage that a table describes, in which lists of nuggets are written, or nuggets matched in answers."""
    del design
    is_writing = isinstance(stage, NuggetStage)
    usual = "Write the list of vital and okay nuggets; freeze it." if is_writing else "Mark what each answer holds."
    return Stage(
        key=stage.key,
        label=stage.label or stage.key,
        work=_work(stage),
        help=stage.help or usual,
        item_kind=RESPONSE,
        noun="" if is_writing else "answer",
        after=stage.after or stage.source or None,
        by_hand=stage.by_hand,
        second=not is_writing and stage.people == 2,
    )


def _work(stage: NuggetStage | MatchStage) -> Work:
    if isinstance(stage, NuggetStage):
        return NuggetWriting(asks_quotes=stage.references == "required")
    return Matching(partial=takes_partial(stage.marks))


def nugget_exports() -> tuple[Export, ...]:
    """Return the exports of the nugget lists and of the nuggets found in each run's answers."""
    return tuple(each for each in EXPORTS if each.name in FILES)


# ---------------------------------------------------------------- scores


@dataclass(frozen=True, kw_only=True, slots=True)
class BothGolds:
    """The gold for graded items and the gold for nuggets."""

    graded: Any
    nuggets: Any


def with_nuggets(design: Design, of_grades: Scoring) -> Scoring:
    """Return the scoring of a design with a stage of matches. It has measures of nuggets in addition to those of graded
    items.
    """
    runs = design.runs
    is_cut = isinstance(runs, AnswerRuns) and runs.too_long == "cut"
    columns_of_grades = graded.graded_columns(design)
    asked = {each.key: each for each in of_grades.measures}
    measures = dict(_named(design)) or {name: name for name in (*USUAL, *asked)}
    official = design.scores.official or next(iter(measures))
    weights = weights_of(design)
    known = {label: _column(COLUMNS[name], label, weights) for label, name in measures.items() if name in COLUMNS}
    names = {label: measures[label] for label in known}
    columns = tuple(replace({**asked, **known}[label], official=label == official) for label in measures)

    def own(settings: Any) -> RagNuggetsSettings:
        words = settings.word_limit if is_cut and settings.word_limit else ANY_LENGTH
        return RagNuggetsSettings(word_limit=words, judge_each=settings.judge_each)

    def build(records: Mapping[str, Iterable[Any]], settings: Any, report: Callable[[Issue], None]) -> BothGolds:
        nuggets = build_gold({name: records.get(name, ()) for name in FILES}, own(settings), report)
        return BothGolds(graded=of_grades.build(records, settings, report), nuggets=nuggets)

    def load(files: Mapping[str, Path], settings: Any, report: Callable[[Issue], None]) -> BothGolds:
        mine = {name: path for name, path in files.items() if plain_name(name) in FILES}
        records = load_records(mine, by_name({name: READERS[name] for name in FILES}), report)
        others = {name: path for name, path in files.items() if name not in mine}
        nuggets = build_gold(records, own(settings), report)
        return BothGolds(graded=of_grades.load(others, settings, report), nuggets=nuggets)

    def nodes(gold: BothGolds, run: str, content: RunContent, settings: Any) -> Sequence[Nodes]:
        no_limits: dict[str, AnswerLimit] = {}  # of topics, since designs cut answers by their own words alone
        found, _ = run_nodes(gold.nuggets, run, content, own(settings), weights, no_limits)
        grades, _ = graded_values.run_nodes(columns_of_grades, gold.graded, content, settings)
        topics = _in_order(list(measures), [_labelled(found, names), grades])
        return topics, over(values_of(topics))

    def over(topics: Values) -> Nodes:
        grades = graded_values.over_topics([each.label for each in columns_of_grades], topics)
        return _in_order(list(measures), [_means(topics, names), grades])

    def score(gold: BothGolds, run: str, content: RunContent, settings: Any) -> Iterator[Score]:
        return scores_of(nodes(gold, run, content, settings), run=run)

    def explain(gold: BothGolds, run: str, content: RunContent, settings: Any) -> Explain:
        return explained_by(nodes(gold, run, content, settings), run=run)

    def gold_name(name: str, path: Path) -> str:
        known = of_grades.gold_name(name, path) if of_grades.gold_name is not None else ""
        return known or nugget_gold_name(name, path)

    return replace(
        of_grades,
        measures=columns,
        gold_files=(*FILES, *of_grades.gold_files),
        build=build,
        load=load,
        score=score,
        explain=explain,
        by_topic=by_question(nodes, over),
        gold_name=gold_name,
    )


def _column(column: MeasureColumn, label: str, weights: NuggetWeights) -> MeasureColumn:
    """Return a measure's column under the label that the design gives it, and with the design's own weights."""
    shown = column.label if label == column.key else label
    return replace(column, key=label, label=shown, help=_help(column.help, weights))


def _labelled(topics: Nodes, names: Mapping[str, str]) -> Nodes:
    """Return the nodes of topics by label. ``names`` maps each label to its measure."""
    return {
        topic: {label: nodes[name] for label, name in names.items() if name in nodes} for topic, nodes in topics.items()
    }


def _means(topics: Values, names: Mapping[str, str]) -> Nodes:
    """Return the means of the measures of nuggets by label. Without nuggets that have weights of their own, there is
    none of "R".
    """
    values = {label: values_by(label, topics) for label in names}
    return {ALL: {label: own_mean(label, found) for label, found in values.items() if found or names[label] != "R"}}


def _help(text: str, weights: NuggetWeights) -> str:
    """Return a measure's help with the design's own weights."""
    if (weights.vital, weights.okay) != (USUAL_WEIGHTS.vital, USUAL_WEIGHTS.okay):
        weighed = f"a vital nugget weighs {float(weights.vital):g}, an okay one {float(weights.okay):g}"
        text = text.replace("an okay nugget weighs half a vital one", weighed)
    if weights.partial != USUAL_WEIGHTS.partial:
        text = text.replace("supported nugget counts half", f"supported nugget counts {float(weights.partial):g}")
    return text


def _in_order(names: Sequence[str], groups: Sequence[Nodes]) -> Nodes:
    """Return the nodes of several groups as one group. Each topic's nodes are in the order of the measures."""
    topics = dict.fromkeys(topic for nodes in groups for topic in nodes)
    found = {topic: {name: node for nodes in groups for name, node in nodes.get(topic, {}).items()} for topic in topics}
    return {topic: {name: nodes[name] for name in names if name in nodes} for topic, nodes in found.items()}


def _named(design: Design) -> Iterator[tuple[str, str]]:
    """Yield the label and the name of each measure that the design names."""
    for line in design.scores.measures:
        yield (line.label or line.measure, line.measure) if isinstance(line, MeasureLine) else (line, line)
