"""The scores of a Context25 run: NDCG of its labels in both forms, overlap of its texts with gold texts, and
ratings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from typing import Any

from assess.protocol import About, Explain, MeasureColumn, RunContent, Step
from scoring.measures.figure_labels import LabelScore, RankedLabel, official_ndcg, strict_ndcg
from scoring.reading.opening import excerpt_of
from scoring.records import Score
from scoring.release.explained import Account, Node, Nodes, Parts, Words, explanation_of, mean_node, scores_of
from scoring.release.formulas import Number, exact
from scoring.release.phrases import Phrase, marked
from tracks.context25.files import EVIDENCE, FIGURE, claim_of, last_rows
from tracks.context25.gold import Gold
from tracks.context25.grounding_scores import (
    KINDS,
    OVERLAPS,
    RATED,
    available_overlaps,
    overlap_name,
    overlap_nodes,
    rating_nodes,
    read_run,
)
from tracks.context25.settings import BOTH, OFFICIAL, STRICT

# The evidence task of Context25: a run's ranked labels against the claims' figures, place by place.

DEPTHS = (3, 5)
FORMS = (OFFICIAL, STRICT)


def ndcg_name(form: str, depth: int) -> str:
    """Return the name of NDCG at a depth: NDCG@3 in the official form, NDCG@3_strict in the other."""
    return f"NDCG@{depth}" + ("" if form == OFFICIAL else f"_{form}")


def label_nodes(gold: Gold, content: RunContent, form: str, depth: int) -> dict[str, Node]:
    """Return NDCG for each claim that counts. In the official form only claims that the run answers count; in the
    strict form, all claims whose gold has figures.
    """
    with content.open() as file:
        rows = last_rows(file)
    found = {}
    for number, claim in gold.evidence.items():
        row, findings = rows.get(number), claim.findings or ()
        if form == STRICT:
            found[number] = strict_ndcg(row.strict_labels if row else (), gold=findings, depth=depth)
        elif row is not None:
            candidates = claim.candidates or ()
            found[number] = official_ndcg(row.labels, gold=findings, candidates=candidates, depth=depth)
    measure = ndcg_name(form, depth)
    return {number: _node(measure, number, score) for number, score in found.items() if score.value is not None}


def _node(measure: str, topic: str, score: LabelScore) -> Node:
    def account() -> Account:
        is_capped = measure.endswith(STRICT) and score.dcg > score.ideal_dcg
        share = f"{score.dcg:.6f} / {score.ideal_dcg:.6f}"
        return Account(
            formula=Phrase(
                "{measure} = at most 1 of {share} = {value}", measure=measure, share=share, value=f"{score.value:.6f}"
            )
            if is_capped
            else f"{measure} = {share} = {score.value:.6f}",
            steps=(
                _step(
                    Phrase("Labels of the run"),
                    score.dcg,
                    score.predicted,
                    [_figure(topic, row.why) for row in score.predicted],
                ),
                _step(
                    Phrase("The ideal"),
                    score.ideal_dcg,
                    score.ideal,
                    [_figure(topic, row.label) for row in score.ideal],
                ),
            ),
            arithmetic="1" if is_capped else f"({_gains(score.predicted)}) / ({_gains(score.ideal)})",
        )

    return Node(value=score.value, account=account)


def _step(label: str, gain: float, labels: Iterable[RankedLabel], about: Iterable[About | None]) -> Step:
    return Step(
        label=label,
        value=f"DCG {gain:.6f}",
        header=(Phrase("place"), Phrase("label"), Phrase("worth"), Phrase("gain"), Phrase("by")),
        rows=tuple(
            (str(each.place), excerpt_of(each.label), f"{each.relevance:g}", f"{each.gain:.6f}", excerpt_of(each.why))
            for each in labels
        ),
        about=tuple(about),
    )


def _figure(topic: str, label: str) -> About | None:
    """Return the record of the figure or table with this label, or None if the label is empty."""
    return About(kind="item", topic=topic, name=FIGURE, key=label) if label else None


def _gains(labels: Iterable[RankedLabel]) -> str:
    """Return a formula with the gains of the labels at their places."""
    return " + ".join(f"{exact(each.relevance)} / log2({each.place + 1})" for each in labels) or "0"


# All scores of a run, each as a node.

ALL = "all"
ANSWERED = "answered"
_NDCG = "Figures and tables"
_FORM_HELP = {
    OFFICIAL: "As the task's own script has it, oddities included; the mean goes over the claims answered.",
    STRICT: "Labels by their grammar, at most 1; claims left out have 0.",
}
MEASURES = (
    *(
        MeasureColumn(
            key=ndcg_name(form, depth),
            label=f"NDCG@{depth}" + ("" if form == OFFICIAL else " (strict)"),
            help=_FORM_HELP[form],
            official=form == OFFICIAL,
            group=_NDCG,
        )
        for form in FORMS
        for depth in DEPTHS
    ),
    *(
        MeasureColumn(
            key=overlap_name(kind, measure),
            label=f"{OVERLAPS[measure]} of {name}",
            help=f"Mean over the {name} given of the best overlap with a gold one, over all claims.",
            official=True,
            group=name.capitalize(),
        )
        for kind, name in KINDS.items()
        for measure in OVERLAPS
    ),
    *(
        MeasureColumn(
            key=criterion,
            label=label,
            help="Mean rating, 0 to 2, of what people rated of the run; what nobody rated is left out.",
            group="Ratings",
        )
        for criterion, (_, label) in RATED.items()
    ),
    MeasureColumn(
        key="answered", label="Answered", help="Claims with gold that the run answers.", group="Counts", ranks=False
    ),
)

_WORDS = Words(tally=marked("{all} averaged"))


def score_run(gold: Gold, run: str, content: RunContent, settings: Any) -> Iterator[Score]:
    """Yield all values of one run, claims first, then "all". The kind of its file decides the measures.

    If the gold has nothing for the run's task, there are no values.
    """
    return scores_of(run_nodes(gold, run, content, settings), run=run)


def explain_run(gold: Gold, run: str, content: RunContent, settings: Any) -> Explain:
    """Return a function that explains a value of `score_run`, given its topic and measure: the formula filled in, and
    the rows behind it. It returns None if there is no such value.

    A measure is computed only when it is asked for, since BERTScore is slow.
    """

    @cache
    def nodes(measure: str) -> list[Nodes]:
        return run_nodes(gold, run, content, settings, only=measure)

    return lambda topic, measure: explanation_of(nodes(measure), run=run, topic=topic, measure=measure)


def run_nodes(gold: Gold, run: str, content: RunContent, settings: Any, *, only: str = "") -> list[Nodes]:
    """Return the values of one run: those of the claims, measure by measure, then the means and the number of claims
    answered.

    If ``only`` names a measure, no other is computed, since BERTScore is slow.
    """
    is_evidence = content.submission.key == EVIDENCE
    if not (gold.evidence if is_evidence else gold.grounding):
        return []
    of_claims = _evidence(gold, content, settings) if is_evidence else _grounding(gold, run, content, settings)
    groups: list[Nodes] = []
    over_all: dict[str, Node] = {}
    for measure, nodes_of in of_claims.items():
        if only in ("", measure):
            claims = nodes_of()
            groups.append({number: {measure: node} for number, node in claims.items()})
            parts = Parts(
                values={number: node.value for number, node in claims.items()},
                measure=measure,
                label=Phrase("Claims"),
                noun=Phrase("claim"),
            )
            is_overlap = not is_evidence and measure not in RATED
            over_all[measure] = mean_node(measure, parts, _WORDS, of_all=is_overlap, display=_six_decimals)
    return [*groups, {ALL: over_all | {ANSWERED: _answered(gold, content)}}]


def _evidence(gold: Gold, content: RunContent, settings: Any) -> dict[str, Callable[[], dict[str, Node]]]:
    """Return measure -> a function that computes the measure's values for the claims of the evidence task."""
    return {
        ndcg_name(form, depth): partial(label_nodes, gold, content, form, depth)
        for form in (FORMS if settings.mode == BOTH else (settings.mode,))
        for depth in DEPTHS
    }


def _grounding(gold: Gold, run: str, content: RunContent, settings: Any) -> dict[str, Callable[[], dict[str, Node]]]:
    """Return measure -> a function that computes the measure's values for the claims of the grounding task. Ratings are
    included if anything was rated.
    """
    answers, own = read_run(content), run if settings.judge_each else ""
    overlaps = {
        overlap_name(kind, measure): partial(overlap_nodes, gold, answers, kind, measure)
        for kind in KINDS
        for measure in available_overlaps()
    }
    ratings = {name: partial(rating_nodes, gold, answers, name, own=own) for name in (RATED if gold.ratings else ())}
    return {**overlaps, **ratings}


def _answered(gold: Gold, content: RunContent) -> Node:
    """Return a node for the number of claims with gold that the run answers."""
    claims: Mapping[str, object]
    if content.submission.key == EVIDENCE:
        claims = gold.evidence
        with content.open() as file:
            rows = last_rows(file)
        found = [number for number in claims if number in rows]
    else:
        claims, answers = gold.grounding, read_run(content)
        found = [number for number in claims if claim_of(number) in answers]

    def account() -> Account:
        rows = tuple((number,) for number in found)
        step = Step(label=Phrase("Claims answered"), value=str(len(found)), header=(Phrase("claim"),), rows=rows)
        formula = Phrase(
            "{measure} = {count} of {all} claims with gold", measure=ANSWERED, count=len(found), all=len(claims)
        )
        return Account(formula=formula, steps=(step,), arithmetic=str(len(found)))

    return Node(value=len(found), account=account, topics=len(claims))


def _six_decimals(value: Number | None) -> str:
    return Phrase("undefined") if value is None else f"{float(value):.6f}"
