"""The scores of a Context25 run: NDCG of its labels in both forms, overlap of its texts with gold ones, and ratings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assess.protocol import MeasureColumn, RunContent
from scoring.formats.context25_claims import GroundingClaim
from scoring.formats.context25_predictions import GroundingAnswer
from scoring.measures.figure_labels import LabelScore, official_ndcg, strict_ndcg
from scoring.measures.text_overlap import (
    BERTSCORE,
    ROUGE,
    OverlapScore,
    Values,
    bert_overlap,
    overlap_score,
    pairs_of,
    rouge_overlap,
    why_no_bertscore,
)
from scoring.records import Score
from tracks.context25.files import DESCRIPTION, EVIDENCE, SNIPPET, claim_of, last_answers, last_rows, text_key
from tracks.context25.gold import Gold
from tracks.context25.settings import BOTH, OFFICIAL, STRICT

ALL = "all"
DEPTHS = (3, 5)
FORMS = (OFFICIAL, STRICT)
KINDS = {SNIPPET: "snippets", DESCRIPTION: "descriptions"}
OVERLAPS = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeL": "ROUGE-L", BERTSCORE: "BERTScore"}
RATED = {
    "description-correct": (DESCRIPTION, "Descriptions: correct"),
    "description-specific": (DESCRIPTION, "Descriptions: specific"),
    "snippet-relevant": (SNIPPET, "Snippets: relevant"),
}
"""Criterion -> the kind of item that it rates, and what its mean is called."""


def ndcg_name(form: str, depth: int) -> str:
    """What NDCG at a depth is called: NDCG@3 is the official form, NDCG@3_strict the other."""
    return f"NDCG@{depth}" + ("" if form == OFFICIAL else f"_{form}")


def overlap_name(kind: str, measure: str) -> str:
    """What the overlap of snippets or descriptions by a measure is called, such as snippets_ROUGE-1."""
    return f"{KINDS[kind]}_{OVERLAPS[measure]}"


_NDCG = "Figures and tables"
_FORM_HELP = {
    OFFICIAL: "As the task's own script has it, oddities included; the mean goes over the claims answered.",
    STRICT: "Labels by their grammar, each gold label once; claims left out have 0.",
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


@dataclass(frozen=True, kw_only=True, slots=True)
class RatedText:
    """A description or snippet of a run with the rating that counts, or None."""

    text: str
    value: int | None


def score_run(gold: Gold, run: str, content: RunContent, settings: Any) -> Iterator[Score]:
    """All values of one run, claims first, then "all"; which measures, its kind of file says.

    Where the gold has nothing for the run's task there are no values.
    """
    if content.submission.key == EVIDENCE:
        yield from _score_evidence(gold, run, content, settings)
    else:
        yield from _score_grounding(gold, run, content)


# ---------------------------------------------------------------- evidence


def label_scores(gold: Gold, content: RunContent, form: str, depth: int) -> dict[str, LabelScore]:
    """The score of each claim that counts: in the official form those answered, in the strict one all with figures."""
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
    return {number: score for number, score in found.items() if score.value is not None}


def _score_evidence(gold: Gold, run: str, content: RunContent, settings: Any) -> Iterator[Score]:
    if not gold.evidence:
        return
    means = []
    for form in FORMS if settings.mode == BOTH else (settings.mode,):
        for depth in DEPTHS:
            measure, scores = ndcg_name(form, depth), label_scores(gold, content, form, depth)
            for number, score in scores.items():
                yield Score(run=run, topic=number, measure=measure, value=score.value)
            value = mean_of(score.value for score in scores.values())
            means.append(Score(run=run, topic=ALL, measure=measure, value=value, topics=len(scores)))
    yield from means
    answered = len(answered_claims(gold, content))
    yield Score(run=run, topic=ALL, measure="answered", value=float(answered), topics=len(gold.evidence))


# ---------------------------------------------------------------- grounding


def overlap_scores(
    gold: Gold, answers: Mapping[str, GroundingAnswer], kind: str, measure: str
) -> dict[str, OverlapScore]:
    """The overlap of each claim of the gold; a claim that the run leaves out has 0."""
    overlap = bert_overlap if measure == BERTSCORE else rouge_overlap
    texts = {
        number: (given(answers, number, kind), gold_texts(claim, kind)) for number, claim in gold.grounding.items()
    }
    pairs = list(dict.fromkeys(pair for ours, theirs in texts.values() for pair in pairs_of(ours, theirs)))
    values: Values = overlap(pairs)
    return {number: overlap_score(ours, theirs, values, measure) for number, (ours, theirs) in texts.items()}


def available_overlaps() -> tuple[str, ...]:
    """The measures that can be computed here: BERTScore only with a model."""
    return ROUGE if why_no_bertscore() else (*ROUGE, BERTSCORE)


def rated_texts(gold: Gold, answers: Mapping[str, GroundingAnswer], criterion: str) -> dict[str, list[RatedText]]:
    """What the run gave of the criterion's kind for each claim, each text once, with its ratings."""
    kind, _ = RATED[criterion]
    found = {}
    for number in gold.grounding:
        texts = {text_key(text): text for text in given(answers, number, kind) if text.strip()}
        found[number] = [
            RatedText(text=text, value=gold.ratings.get((number, kind, key), {}).get(criterion))
            for key, text in texts.items()
        ]
    return found


def given(answers: Mapping[str, GroundingAnswer], number: str, kind: str) -> tuple[str, ...]:
    """What a run gave of one kind for the claim of a topic."""
    answer = answers.get(claim_of(number))
    if answer is None:
        return ()
    return answer.snippets if kind == SNIPPET else answer.descriptions


def gold_texts(claim: GroundingClaim, kind: str) -> tuple[str, ...]:
    """The gold texts of one kind."""
    if kind == SNIPPET:
        return claim.snippets or ()
    return tuple(entity.text for entity in claim.entities or ())


def read_run(content: RunContent) -> dict[str, GroundingAnswer]:
    """The answers of a grounding run by claim."""
    with content.open() as file:
        return last_answers(file)


def _score_grounding(gold: Gold, run: str, content: RunContent) -> Iterator[Score]:
    if not gold.grounding:
        return
    answers, means = read_run(content), []
    for kind in KINDS:
        for measure in available_overlaps():
            name, scores = overlap_name(kind, measure), overlap_scores(gold, answers, kind, measure)
            for number, score in scores.items():
                yield Score(run=run, topic=number, measure=name, value=score.value)
            value = sum((score.value or 0.0 for score in scores.values()), 0.0) / len(scores)
            means.append(Score(run=run, topic=ALL, measure=name, value=value, topics=len(scores)))
    for criterion in RATED if gold.ratings else ():
        ratings = {
            n: mean_of(text.value for text in texts) for n, texts in rated_texts(gold, answers, criterion).items()
        }
        rated = {number: value for number, value in ratings.items() if value is not None}
        for number, rating in rated.items():
            yield Score(run=run, topic=number, measure=criterion, value=rating)
        means.append(Score(run=run, topic=ALL, measure=criterion, value=mean_of(rated.values()), topics=len(rated)))
    yield from means
    answered = len(answered_claims(gold, content))
    yield Score(run=run, topic=ALL, measure="answered", value=float(answered), topics=len(gold.grounding))


# ---------------------------------------------------------------- both


def answered_claims(gold: Gold, content: RunContent) -> list[str]:
    """The topics with gold that the run answers."""
    if content.submission.key == EVIDENCE:
        with content.open() as file:
            rows = last_rows(file)
        return [number for number in gold.evidence if number in rows]
    answers = read_run(content)
    return [number for number in gold.grounding if claim_of(number) in answers]


def mean_of(values: Iterable[float | int | None]) -> float | None:
    """The mean of the values that there are; None where there are none."""
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if there else None
