"""Computes the values of ranked runs: judgments are handed to trec_eval's code once, and any number of runs is scored
by them.

    evaluator = RankedEvaluator(grades, [parse("nDCG@10"), parse("AP")])
    for tag, rankings in runs:
        print_scores("tsv", evaluator.score(rankings, run=tag).scores())

Measures of trec_eval are computed by its own code (pytrec-eval-terrier), and further measures by ir-measures, which is
imported only if one of them is asked for.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import fmean
from typing import Any, TypeVar

from scoring.formats.pool_tables import topic_order
from scoring.measures.ranked import Grades, Rankings
from scoring.measures.spec import ChosenMeasure, UnknownMeasure
from scoring.records import Qrel, Score, in_single_precision

AT_ONCE = 20_000
"""The number of grades that are looked up together."""
Number = TypeVar("Number", int, float)
Values = dict[str, dict[str, float]]
"""Topic -> measure -> value."""
Compute = Callable[[dict[str, dict[str, float]]], Iterator[tuple[str, str, float]]]
"""Computes (topic, measure, value) of rankings by some of the measures."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunValues:
    """The values of one run, 8 bytes each. They are stored topic by topic, and for each topic measure by measure."""

    run: str
    topics: Sequence[str]
    measures: Sequence[ChosenMeasure]
    values: array[float]

    def scores(self) -> Iterator[Score]:
        """Yield every value, topic by topic. Then yield, as topic "all", the mean of each measure, or the sum if its
        values are totals. A mean over no topics is None.
        """
        names = [str(measure) for measure in self.measures]
        values = iter(self.values)
        for topic in self.topics:
            for name in names:
                yield Score(run=self.run, topic=topic, measure=name, value=next(values))
        for place, (name, measure) in enumerate(zip(names, self.measures, strict=True)):
            value = _over_topics(measure, self.values[place :: len(names)])
            yield Score(run=self.run, topic="all", measure=name, value=value, topics=len(self.topics))


class RankedEvaluator:
    """Scores runs by ranked measures and one set of judgments. For a million grades it takes 0.2 s and 50 MB to make.

    ``grades`` are looked up `AT_ONCE` at a time, since they may be packed. ``subtopics`` are judgments with the
    subtopic as iteration, for the measures that need them.
    """

    def __init__(self, grades: Grades, measures: Sequence[ChosenMeasure], *, subtopics: Sequence[Qrel] = ()) -> None:
        chosen = {str(measure): measure for measure in measures}
        counted = {name: measure for name, measure in chosen.items() if measure.measure.name in _COUNTED}
        self._measures = tuple(chosen.values())
        self._topics = frozenset(grades)
        self._counts: dict[str, dict[str, float]] = {name: {} for name in counted}
        self._parts: list[Compute] = [*_by_library(chosen, grades, subtopics)]
        for some in _some_at_once(grades):
            self._parts += _by_trec_eval(chosen, some)
            for name, measure in counted.items():
                count = _COUNTED[measure.measure.name]
                self._counts[name].update((topic, float(count(found, measure))) for topic, found in some.items())

    def values(self, rankings: Rankings) -> Values:
        """Return topic -> measure -> value, for each judged topic for which the run returns a document.

        A measure that the libraries do not compute for a topic has no entry there.
        """
        ranked = {
            topic: _as_dict(scores) for topic in rankings if topic in self._topics and (scores := rankings[topic])
        }
        found: Values = {topic: {} for topic in ranked}
        for compute in self._parts if ranked else ():
            for topic, name, value in compute(ranked):
                if topic in found:
                    found[topic][name] = value
        for name, counts in self._counts.items():
            for topic, of_topic in found.items():
                of_topic[name] = counts[topic]
        return found

    def score(self, rankings: Rankings, *, run: str, complete: bool = False) -> RunValues:
        """Return the value of every measure for every topic, in order; `RunValues.scores` adds the means.

        By default only judged topics that the run has are scored. With ``complete`` all judged topics are scored. A
        topic that the run leaves out then has the value 0, except for measures that count judgments. Nothing is
        rounded.
        """
        found = self.values(rankings)
        topics = sorted(self._topics if complete else self._topics & rankings.keys(), key=topic_order)
        names = [str(measure) for measure in self._measures]
        nothing = dict[str, float]()
        values = array("d")
        for topic in topics:
            of_topic = found.get(topic, nothing)
            if len(of_topic) == len(names):
                values.extend(map(of_topic.__getitem__, names))
            else:
                missing = {name: counts[topic] for name, counts in self._counts.items()}
                values.extend(of_topic.get(name, missing.get(name, 0.0)) for name in names)
        return RunValues(run=run, topics=topics, measures=self._measures, values=values)


def best_ranked(rankings: Rankings, *, depth: int | None, judged: Grades | None) -> Rankings:
    """Return the rankings without unjudged documents (trec_eval -J), cut to the first ``depth`` documents (-M).

    Without ``judged`` no document counts as unjudged, otherwise those without a grade or with one below 0 do. They are
    taken out before the cut. A topic may be left without documents.
    """
    kept: dict[str, Mapping[str, float]] = {}
    for topic, scores in rankings.items():
        known = judged.get(topic, {}) if judged is not None else None
        docnos = [docno for docno in scores if known is None or known.get(docno, -1) >= 0]
        if depth is not None:
            docnos.sort(reverse=True)
            docnos.sort(key=lambda docno: -in_single_precision(scores[docno]))
            docnos = docnos[:depth]
        kept[topic] = {docno: scores[docno] for docno in docnos}
    return kept


def refuse_uncomputed(measure: ChosenMeasure) -> None:
    """Raise UnknownMeasure if no library computes the measure with these parameters."""
    if measure.measure.name in _COUNTED or _trec_eval_name(measure):
        return
    import ir_measures

    try:
        computed = ir_measures.DefaultPipeline.supports(  # type: ignore[no-untyped-call]
            ir_measures.parse_measure(_library_name(measure))
        )
    except (AssertionError, ValueError):
        computed = False
    if not computed:
        raise UnknownMeasure(f"{measure} can't be computed; change or leave out its parameters or its cutoff")


def _some_at_once(grades: Grades) -> Iterator[dict[str, Mapping[str, int]]]:
    """Yield the topics with their grades in groups of about `AT_ONCE` grades."""
    some: dict[str, Mapping[str, int]] = {}
    held = 0
    for topic in grades:
        some[topic] = grades[topic]
        held += len(some[topic])
        if held >= AT_ONCE:
            yield some
            some, held = {}, 0
    if some:
        yield some


def _over_topics(measure: ChosenMeasure, values: Sequence[float]) -> float | None:
    if measure.measure.total:
        return sum(values)
    return fmean(values) if values else None


def _as_dict(values: Mapping[str, Number]) -> dict[str, Number]:
    """Return the mapping as a dict, which the library needs. If it is a dict already, it is not copied, since the
    library only reads it.
    """
    return values if isinstance(values, dict) else dict(values)


_COUNTED: dict[str, Callable[[Mapping[str, int], ChosenMeasure], int]] = {
    "NumRel": lambda grades, measure: sum(grade >= measure["rel"] for grade in grades.values()),
    "NumQ": lambda grades, measure: 1,
}
"""Measures that are counted from the judgments alone, also for topics that the run leaves out."""


# trec_eval's own measures, by its code. One of its evaluators has one relevance level, takes unjudged documents out or
# leaves them in, and has one beta of set_F.

_PLAIN = {
    "AP": "map", "nDCG": "ndcg", "RR": "recip_rank", "Rprec": "Rprec", "Bpref": "bpref", "infAP": "infAP",
    "SetP": "set_P", "SetR": "set_recall", "SetF": "set_F", "SetAP": "set_map", "NumRet": "num_ret",
    "NumRelRet": "num_rel_ret",
}  # fmt: skip
_CUT = {"AP": "map_cut", "nDCG": "ndcg_cut", "P": "P", "R": "recall", "Success": "success"}


_NEUTRAL = {" ": 0}
"""A judgment of a docno that no document has, which changes no value. It is added since trec_eval reads beyond its
memory, and may never end, if all grades of a topic are below 0: it takes the number of levels from the topic before.
"""


def _trec_eval_name(measure: ChosenMeasure) -> str:
    """Return the name of the measure in trec_eval's output, or "" if trec_eval does not compute the measure."""
    name = measure.measure.name
    if dict(measure.values).get("exp"):
        return ""
    if name == "IPrec":
        return f"iprec_at_recall_{measure.recall:.2f}"
    if measure.cutoff is None:
        return _PLAIN.get(name, "")
    return f"{_CUT[name]}_{measure.cutoff}" if name in _CUT else ""


def _by_trec_eval(chosen: Mapping[str, ChosenMeasure], judged: Grades) -> Iterator[Compute]:
    """Yield the functions that compute trec_eval's measures."""
    asked: dict[tuple[Any, ...], dict[str, list[str]]] = {}
    levels: dict[Any, Any] = {}
    for name, measure in sorted(chosen.items(), key=lambda each: "rel" not in dict(each[1].values)):
        if called := _trec_eval_name(measure):
            values = dict(measure.values)
            is_judged = bool(values.get("judged_only"))
            level = values.get("rel", levels.get(is_judged, 1))  # a measure without a level joins any group
            levels.setdefault(is_judged, level)
            asked.setdefault((level, is_judged, values.get("beta", 1)), {}).setdefault(called, []).append(name)
    if not asked:
        return
    import pytrec_eval

    for (level, is_judged, beta), names in asked.items():
        told = [f"set_F_{Decimal(repr(float(beta))):f}" if name == "set_F" and beta != 1 else name for name in names]
        handed = {
            topic: {**grades, **({} if max(grades.values(), default=0) >= 0 else _NEUTRAL)}
            for topic, grades in judged.items()
        }
        evaluator = pytrec_eval.RelevanceEvaluator(handed, told, level, is_judged)
        for each in handed.values():
            each.clear()  # everything is copied by now, but the evaluator still refers to the dictionaries
        yield _computed_by(evaluator, handed.keys(), names)


def _computed_by(evaluator: Any, topics: Collection[str], names: Mapping[str, Sequence[str]]) -> Compute:
    def compute(ranked: dict[str, dict[str, float]]) -> Iterator[tuple[str, str, float]]:
        for topic, found in evaluator.evaluate({topic: ranked[topic] for topic in topics if topic in ranked}).items():
            for called, value in found.items():
                for name in names[called]:
                    yield topic, name, value if value == value else 0.0  # IPrec of no document is 0 / 0

    return compute


# Further measures, by ir-measures and the code of others behind it.


def _by_library(chosen: Mapping[str, ChosenMeasure], grades: Grades, subtopics: Sequence[Qrel]) -> Iterator[Compute]:
    """Yield the functions for all measures that trec_eval does not compute, and that are not counted here."""
    others = {
        name: measure
        for name, measure in chosen.items()
        if measure.measure.name not in _COUNTED and not _trec_eval_name(measure)
    }
    if not others:
        return
    import ir_measures

    judged = {topic: _as_dict(grades[topic]) for topic in grades}
    parts = [ir_measures.Qrel(each.topic, each.docno, each.grade, each.iteration) for each in subtopics]
    for by_subtopic, qrels in ((False, judged), (True, parts)):
        asked = {
            ir_measures.parse_measure(_library_name(measure)): name
            for name, measure in others.items()
            if measure.measure.subtopics == by_subtopic
        }
        if asked and qrels:
            yield _computed_by_library(ir_measures.evaluator(list(asked), qrels), asked)


def _computed_by_library(evaluator: Any, names: Mapping[Any, str]) -> Compute:
    return lambda ranked: (
        (each.query_id, names[each.measure], float(each.value)) for each in evaluator.iter_calc(ranked)
    )


def _library_name(measure: ChosenMeasure) -> str:
    """Return the measure in the spelling of ir-measures, with every parameter that it accepts."""
    name, values = measure.measure.name, dict[str, object](measure.values)
    if name == "NumRelRet":
        name = "NumRet"
    elif name == "IPrec":
        return f"IPrec(rel={values['rel']},judged_only={values['judged_only']})@{measure.recall}"
    if name == "nDCG":
        exponential = values.pop("exp")
        values |= {"dcg": "'exp-log2'"} if exponential else {}
        if exponential:  # computed by another provider, which computes nothing else
            values.pop("judged_only") if not values["judged_only"] else None
    written = ",".join(f"{key}={_written_value(key, value)}" for key, value in values.items())
    cutoff = f"@{measure.cutoff}" if measure.cutoff is not None else ""
    return f"{name}({written}){cutoff}" if written else f"{name}{cutoff}"


def _written_value(key: str, value: object) -> str:
    return str(float(value)) if key in _FRACTIONS and isinstance(value, int | float) else str(value)


_FRACTIONS = {"beta", "alpha", "p", "T"}
"""Parameters that ir-measures accepts only as fractions."""
