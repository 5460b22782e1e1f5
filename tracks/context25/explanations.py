"""Why a run got a value: its labels place by place, its texts with their best gold ones, the claims behind a mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assess.protocol import About, Explanation, RunContent, Step
from scoring.arithmetic import exact, mean_formula
from scoring.measures.figure_labels import LabelScore, RankedLabel
from scoring.measures.text_overlap import OverlapScore
from scoring.reading import excerpt_of
from tracks.context25.files import EVIDENCE, FIGURE, text_key
from tracks.context25.gold import Gold
from tracks.context25.scores import (
    ALL,
    DEPTHS,
    FORMS,
    KINDS,
    RATED,
    RatedText,
    answered_claims,
    available_overlaps,
    label_scores,
    mean_of,
    ndcg_name,
    overlap_name,
    overlap_scores,
    rated_texts,
    read_run,
)
from tracks.context25.settings import BOTH

SHOWN = 160


def explain_score(
    gold: Gold, run: str, content: RunContent, settings: Any, topic: str, measure: str
) -> Explanation | None:
    """The rows behind one value that `score_run` gives, with the formula filled in; None where it gives none."""
    if measure == "answered":
        return _answered(gold, run, content) if topic == ALL else None
    if content.submission.key == EVIDENCE:
        forms = FORMS if settings.mode == BOTH else (settings.mode,)
        named = {ndcg_name(form, depth): (form, depth) for form in forms for depth in DEPTHS}
        if measure not in named or not gold.evidence:
            return None
        scores = label_scores(gold, content, *named[measure])
        if topic == ALL:
            return _mean(run, measure, {number: score.value for number, score in scores.items()})
        return _of_labels(run, topic, measure, scores[topic]) if topic in scores else None
    if not gold.grounding:
        return None
    if measure in RATED and gold.ratings:
        return _of_ratings(run, topic, measure, rated_texts(gold, read_run(content), measure))
    overlaps = {overlap_name(kind, each): (kind, each) for kind in KINDS for each in available_overlaps()}
    if measure not in overlaps:
        return None
    found = overlap_scores(gold, read_run(content), *overlaps[measure])
    if topic == ALL:
        return _mean(run, measure, {number: score.value for number, score in found.items()}, of_all=True)
    return _of_overlap(run, topic, measure, found[topic]) if topic in found else None


def _of_labels(run: str, topic: str, measure: str, score: LabelScore) -> Explanation:
    header = ("place", "label", "worth", "gain", "by")
    formula = f"{measure} = {score.dcg:.6f} / {score.ideal_dcg:.6f} = {_shown(score.value)}"
    steps = (
        Step(
            label="Labels of the run",
            value=f"DCG {score.dcg:.6f}",
            header=header,
            rows=_rows(score.predicted),
            about=tuple(_figure(topic, each.why) for each in score.predicted),
        ),
        Step(
            label="The ideal",
            value=f"DCG {score.ideal_dcg:.6f}",
            header=header,
            rows=_rows(score.ideal),
            about=tuple(_figure(topic, each.label) for each in score.ideal),
        ),
    )
    return Explanation(
        run=run,
        topic=topic,
        measure=measure,
        value=score.value,
        formula=formula,
        steps=steps,
        arithmetic=f"({_gains(score.predicted)}) / ({_gains(score.ideal)})",
    )


def _figure(topic: str, label: str) -> About | None:
    """The figure or table with this label; None for no label."""
    return About(kind="item", topic=topic, name=FIGURE, key=label) if label else None


def _gains(labels: Iterable[RankedLabel]) -> str:
    """What labels gain in their places, as a formula."""
    return " + ".join(f"{exact(each.relevance)} / log2({each.place + 1})" for each in labels) or "0"


def _rows(labels: Iterable[RankedLabel]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (str(each.place), excerpt_of(each.label), f"{each.relevance:g}", f"{each.gain:.6f}", excerpt_of(each.why))
        for each in labels
    )


def _of_overlap(run: str, topic: str, measure: str, score: OverlapScore) -> Explanation:
    total = sum((match.value for match in score.best), 0.0)
    if score.value is None:
        formula = "undefined: the claim has no gold text"
    elif score.given:
        formula = f"{measure} = {total:.6f} / {score.given} = {_shown(score.value)}"
    else:
        formula = f"{measure} = 0: the run gave nothing"
    rows = tuple((_cut(match.text), _cut(match.gold), f"{match.value:.6f}") for match in score.best)
    step = Step(
        label="Texts of the run, each with the gold text that it is nearest to",
        value=f"{len(rows)} different of {score.given}",
        header=("text", "gold", "overlap"),
        rows=rows,
        about=tuple(About(kind="wording", topic=topic, key=match.gold) for match in score.best),
    )
    arithmetic = ""
    if score.value is not None:
        best = " + ".join(exact(match.value) for match in score.best)
        arithmetic = f"({best}) / {score.given}" if score.given else "0"
    return Explanation(
        run=run,
        topic=topic,
        measure=measure,
        value=score.value,
        formula=formula,
        steps=(step,),
        arithmetic=arithmetic,
    )


def _of_ratings(run: str, topic: str, measure: str, rated: Mapping[str, list[RatedText]]) -> Explanation | None:
    values = {number: mean_of(text.value for text in texts) for number, texts in rated.items()}
    if topic == ALL:
        return _mean(run, measure, {number: value for number, value in values.items() if value is not None})
    if values.get(topic) is None:
        return None
    texts = rated[topic]
    rows = tuple((_cut(text.text), "not rated" if text.value is None else str(text.value)) for text in texts)
    count = sum(text.value is not None for text in texts)
    total = sum(text.value or 0 for text in texts)
    kind, _ = RATED[measure]
    about = tuple(About(kind="item", topic=topic, name=kind, key=text_key(text.text)) for text in texts)
    value = f"{count} of {len(texts)} rated"
    step = Step(label="Texts of the run", value=value, header=("text", "rating"), rows=rows, about=about)
    formula = f"{measure} = {total} / {count} = {_shown(values[topic])}"
    return Explanation(
        run=run,
        topic=topic,
        measure=measure,
        value=values[topic],
        formula=formula,
        steps=(step,),
        arithmetic=f"{total} / {count}",
    )


def _mean(run: str, measure: str, parts: Mapping[str, float | None], *, of_all: bool = False) -> Explanation:
    """A mean over claims; ``of_all`` divides by all claims, whether they have a value or not."""
    total = sum((part for part in parts.values() if part is not None), 0.0)
    value = (total / len(parts) if parts else None) if of_all else mean_of(parts.values())
    formula = f"{measure} = {total:.6f} / {len(parts)} = {_shown(value)}" if parts else "undefined: nothing to average"
    rows = tuple((number, _shown(part)) for number, part in parts.items())
    about = tuple(About(kind="score", topic=number, name=measure) for number in parts)
    step = Step(label="Claims", value=f"{len(rows)} averaged", header=("claim", measure), rows=rows, about=about)
    return Explanation(
        run=run,
        topic=ALL,
        measure=measure,
        value=value,
        formula=formula,
        steps=(step,),
        arithmetic=mean_formula(part or 0.0 if of_all else part for part in parts.values()),
    )


def _answered(gold: Gold, run: str, content: RunContent) -> Explanation | None:
    claims = gold.evidence if content.submission.key == EVIDENCE else gold.grounding
    if not claims:
        return None
    found = answered_claims(gold, content)
    step = Step(
        label="Claims answered", value=str(len(found)), header=("claim",), rows=tuple((each,) for each in found)
    )
    formula = f"answered = {len(found)} of {len(claims)} claims with gold"
    return Explanation(
        run=run,
        topic=ALL,
        measure="answered",
        value=float(len(found)),
        formula=formula,
        steps=(step,),
        arithmetic=str(len(found)),
    )


def _cut(text: str) -> str:
    return excerpt_of(text, length=SHOWN)


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.6f}"
