"""The evidence task of Context25: a run's ranked labels against the claims' figures, place by place."""

from __future__ import annotations

from collections.abc import Iterable

from assess.protocol import About, RunContent, Step
from scoring.arithmetic import exact
from scoring.explained import Account, Node
from scoring.measures.figure_labels import LabelScore, RankedLabel, official_ndcg, strict_ndcg
from scoring.reading import excerpt_of
from tracks.context25.files import FIGURE, last_rows
from tracks.context25.gold import Gold
from tracks.context25.settings import OFFICIAL, STRICT

DEPTHS = (3, 5)
FORMS = (OFFICIAL, STRICT)


def ndcg_name(form: str, depth: int) -> str:
    """What NDCG at a depth is called: NDCG@3 is the official form, NDCG@3_strict the other."""
    return f"NDCG@{depth}" + ("" if form == OFFICIAL else f"_{form}")


def label_nodes(gold: Gold, content: RunContent, form: str, depth: int) -> dict[str, Node]:
    """The value of each claim that counts: in the official form those answered, in the strict one all with figures."""
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
        return Account(
            formula=f"{measure} = {score.dcg:.6f} / {score.ideal_dcg:.6f} = {score.value:.6f}",
            steps=(
                _step(
                    "Labels of the run",
                    score.dcg,
                    score.predicted,
                    [_figure(topic, row.why) for row in score.predicted],
                ),
                _step("The ideal", score.ideal_dcg, score.ideal, [_figure(topic, row.label) for row in score.ideal]),
            ),
            arithmetic=f"({_gains(score.predicted)}) / ({_gains(score.ideal)})",
        )

    return Node(value=score.value, account=account)


def _step(label: str, gain: float, labels: Iterable[RankedLabel], about: Iterable[About | None]) -> Step:
    return Step(
        label=label,
        value=f"DCG {gain:.6f}",
        header=("place", "label", "worth", "gain", "by"),
        rows=tuple(
            (str(each.place), excerpt_of(each.label), f"{each.relevance:g}", f"{each.gain:.6f}", excerpt_of(each.why))
            for each in labels
        ),
        about=tuple(about),
    )


def _figure(topic: str, label: str) -> About | None:
    """The figure or table with this label; None for no label."""
    return About(kind="item", topic=topic, name=FIGURE, key=label) if label else None


def _gains(labels: Iterable[RankedLabel]) -> str:
    """What labels gain in their places, as a formula."""
    return " + ".join(f"{exact(each.relevance)} / log2({each.place + 1})" for each in labels) or "0"
