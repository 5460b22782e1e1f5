"""Score the grounding task of Context25: overlap of a run's texts with gold texts, and people's ratings of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assess.protocol import About, RunContent, Step
from scoring.formats.context25_claims import GroundingClaim
from scoring.formats.context25_predictions import GroundingAnswer
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
from scoring.own_items import own_key
from scoring.reading.opening import excerpt_of
from scoring.release.explained import Account, Node
from scoring.release.formulas import exact
from scoring.release.phrases import Phrase
from tracks.context25.files import DESCRIPTION, SNIPPET, claim_of, last_answers, text_key
from tracks.context25.gold import Gold

KINDS = {SNIPPET: "snippets", DESCRIPTION: "descriptions"}
OVERLAPS = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeL": "ROUGE-L", BERTSCORE: "BERTScore"}
RATED = {
    "description-correct": (DESCRIPTION, "Descriptions: correct"),
    "description-specific": (DESCRIPTION, "Descriptions: specific"),
    "snippet-relevant": (SNIPPET, "Snippets: relevant"),
}
"""The kind of item that each criterion rates, and the name of its mean."""
SHOWN = 160
"""The most characters of a text in an explanation."""

Answers = Mapping[str, GroundingAnswer]  # claim -> answer


def overlap_name(kind: str, measure: str) -> str:
    """Return the name of a measure of overlap, for snippets or descriptions, such as snippets_ROUGE-1."""
    return f"{KINDS[kind]}_{OVERLAPS[measure]}"


@dataclass(frozen=True, kw_only=True, slots=True)
class RatedText:
    """A description or snippet of a run, with the rating of it that counts (None if it has none)."""

    text: str
    value: int | None


def available_overlaps() -> tuple[str, ...]:
    """Return the measures that can be computed here, with BERTScore only if there is a model."""
    return ROUGE if why_no_bertscore() else (*ROUGE, BERTSCORE)


def read_run(content: RunContent) -> dict[str, GroundingAnswer]:
    """Return the answers of a grounding run by claim."""
    with content.open() as file:
        return last_answers(file)


def overlap_nodes(gold: Gold, answers: Answers, kind: str, measure: str) -> dict[str, Node]:
    """Return the overlap for each claim of the gold. It is 0 for a claim that the run does not answer, and undefined
    for a claim without gold texts of this kind.
    """
    overlap = bert_overlap if measure == BERTSCORE else rouge_overlap
    texts = {
        number: (given(answers, number, kind), gold_texts(claim, kind)) for number, claim in gold.grounding.items()
    }
    pairs = list(dict.fromkeys(pair for ours, theirs in texts.values() for pair in pairs_of(ours, theirs)))
    values: Values = overlap(pairs)
    name = overlap_name(kind, measure)
    return {
        number: _overlap_node(name, number, overlap_score(ours, theirs, values, measure))
        for number, (ours, theirs) in texts.items()
    }


def _overlap_node(measure: str, topic: str, score: OverlapScore) -> Node:
    def account() -> Account:
        total = sum((match.value for match in score.best), 0.0)
        if score.value is None:
            formula: str = Phrase("undefined: the claim has no gold text")
        elif score.given:
            formula = f"{measure} = {total:.6f} / {score.given} = {score.value:.6f}"
        else:
            formula = Phrase("{measure} = 0: the run gave nothing", measure=measure)
        step = Step(
            label=Phrase("Texts of the run, each with the gold text that it is nearest to"),
            value=Phrase("{count} different of {all}", count=len(score.best), all=score.given),
            header=(Phrase("text"), Phrase("gold"), Phrase("overlap")),
            rows=tuple((_cut(match.text), _cut(match.gold), f"{match.value:.6f}") for match in score.best),
            about=tuple(About(kind="wording", topic=topic, key=match.gold) for match in score.best),
        )
        best = " + ".join(exact(match.value) for match in score.best)
        return Account(formula=formula, steps=(step,), arithmetic=f"({best}) / {score.given}" if score.given else "0")

    return Node(value=score.value, account=account)


def rating_nodes(gold: Gold, answers: Answers, criterion: str, *, own: str = "") -> dict[str, Node]:
    """Return the mean rating of a run's texts for each claim with a rated text. A text that the run repeats counts
    once.

    ``own`` is the run's name if each response is rated by itself, otherwise "".
    """
    kind, _ = RATED[criterion]
    found = {}
    for number in gold.grounding:
        texts = {text_key(text): text for text in given(answers, number, kind) if text.strip()}
        rated = [
            RatedText(
                text=text,
                value=gold.ratings.get((number, kind, own_key(key, own) if own else key), {}).get(criterion),
            )
            for key, text in texts.items()
        ]
        if any(text.value is not None for text in rated):
            found[number] = _rating_node(criterion, number, rated)
    return found


def _rating_node(criterion: str, topic: str, texts: Sequence[RatedText]) -> Node:
    ratings = [text.value for text in texts if text.value is not None]
    total, count, (kind, _) = sum(ratings), len(ratings), RATED[criterion]

    def account() -> Account:
        step = Step(
            label=Phrase("Texts of the run"),
            value=Phrase("{count} of {all} rated", count=count, all=len(texts)),
            header=(Phrase("text"), Phrase("rating")),
            rows=tuple(
                (_cut(text.text), Phrase("not rated") if text.value is None else str(text.value)) for text in texts
            ),
            about=tuple(About(kind="item", topic=topic, name=kind, key=text_key(text.text)) for text in texts),
        )
        formula = f"{criterion} = {total} / {count} = {total / count:.6f}"
        return Account(formula=formula, steps=(step,), arithmetic=f"{total} / {count}")

    return Node(value=total / count, account=account)


def given(answers: Answers, number: str, kind: str) -> tuple[str, ...]:
    """Return the descriptions or the snippets (``kind`` says which) that the run gives for the claim of a topic. Return
    () if the run does not answer the claim.
    """
    answer = answers.get(claim_of(number))
    if answer is None:
        return ()
    return answer.snippets if kind == SNIPPET else answer.descriptions


def gold_texts(claim: GroundingClaim, kind: str) -> tuple[str, ...]:
    """Return the gold texts of one kind."""
    if kind == SNIPPET:
        return claim.snippets or ()
    return tuple(entity.text for entity in claim.entities or ())


def _cut(text: str) -> str:
    return excerpt_of(text, length=SHOWN)
