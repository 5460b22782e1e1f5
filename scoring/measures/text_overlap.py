"""Computes how much predicted texts agree with gold texts: each predicted text is compared with the gold text that
matches it best.

    value of a topic = sum over the distinct predicted texts of max over gold of overlap / number of predicted texts
    value of a run   = sum over the topics / number of topics in the gold

This is the score of the grounding task of Context25 (SDProc 2025). It is a precision: gold texts that no prediction
matches cost nothing. A repeated text counts once in the numerator and each time in the denominator. A topic without
predictions has 0, and so has one with an empty list, where the task's own script stops with an error. A topic without
gold texts is undefined, but counts in the number of topics.

*ROUGE-1, -2, -L*: F-measure of `rouge_score` 0.1.2 with stemming (Lin 2004), with gold as the target. *BERTScore*: F1
of `bert_score` (Zhang et al. 2020) with the model of its ``lang="en"``: roberta-large, layer 17, no idf, no rescaling.
The weights are not part of this project: the model must be in a local folder, and without one there is no value.
Instead of a folder, the name of spaCy's small English model may be given, which is a package
(`scoring.reading.sentences.MODEL`). Tokens are then matched in the same way over that model's vectors, which is quick
and needs nothing else. Its figures differ from those of roberta-large, and so from all published ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.extras import TEXT, importing
from scoring.measures.spec import Measure
from scoring.reading.sentences import MODEL as SMALL_MODEL
from scoring.reading.sentences import has_model

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LABEL = "mean over predicted texts of the best overlap with a gold text"
_SOURCE = "Context25, SDProc 2025"
MEASURES = (
    *(
        Measure(
            name=name,
            family="text",
            label=_LABEL,
            source=_SOURCE,
            edge_cases="0 without predicted texts; undefined without gold ones",
        )
        for name in ("ROUGE-1", "ROUGE-2", "ROUGE-L")
    ),
    Measure(
        name="BERTScore",
        family="text",
        label=_LABEL,
        source=_SOURCE,
        low=-1.0,
        edge_cases="no value without a local model",
    ),
)

ROUGE = ("rouge1", "rouge2", "rougeL")
BERTSCORE = "bertscore"
BERTSCORE_MODEL = "ASSAY_BERTSCORE_MODEL"
BERTSCORE_LAYERS = 17
REMEMBERED = 200_000
"""The number of pairs of texts whose ROUGE a process caches."""

Pair = tuple[str, str]
Values = Mapping[Pair, Mapping[str, float]]


class NoModel(Exception):
    """Raised when BERTScore cannot be computed here. The message is for the person."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BestMatch:
    """A predicted text, the gold text that it overlaps with most, and the value of their overlap."""

    text: str
    gold: str
    value: float


@dataclass(frozen=True, kw_only=True, slots=True)
class OverlapScore:
    """The value of one topic by one measure. ``value`` is None if the topic has no gold text.

    ``given`` is the number of predicted texts, repeated ones included; ``best`` has each distinct one once.
    """

    value: float | None
    given: int
    best: tuple[BestMatch, ...]


def overlap_score(predicted: Sequence[str], gold: Sequence[str], values: Values, measure: str) -> OverlapScore:
    """Return the mean of the best overlaps: for each predicted text, the highest value that it has with any gold text.

    ``values`` holds every pair (predicted, gold), as `rouge_overlap` returns them. If several gold texts match equally
    well, the first is named.

    >>> values = {("a", "x"): {"m": 0.5}, ("a", "y"): {"m": 0.25}}
    >>> overlap_score(["a"], ["x", "y"], values, "m").value, overlap_score(["a", "a"], ["x", "y"], values, "m").value
    (0.5, 0.25)
    """
    if not gold:
        return OverlapScore(value=None, given=len(predicted), best=())
    best = []
    for text in dict.fromkeys(predicted):
        target = max(gold, key=lambda each: values[text, each][measure])
        best.append(BestMatch(text=text, gold=target, value=values[text, target][measure]))
    total = sum((match.value for match in best), 0.0)
    return OverlapScore(value=total / len(predicted) if predicted else 0.0, given=len(predicted), best=tuple(best))


def pairs_of(predicted: Iterable[str], gold: Iterable[str]) -> list[Pair]:
    """Return every pair of a predicted text and a gold text, each once."""
    targets = list(dict.fromkeys(gold))
    return [(text, target) for text in dict.fromkeys(predicted) for target in targets]


def rouge_overlap(pairs: Sequence[Pair]) -> dict[Pair, dict[str, float]]:
    """Return ROUGE-1, -2 and -L of each (predicted, gold) pair. Raises MissingExtra if the package is not installed.

    >>> rouge_overlap([("two cats", "two cats")])["two cats", "two cats"]
    {'rouge1': 1.0, 'rouge2': 1.0, 'rougeL': 1.0}
    """
    return {pair: dict(zip(ROUGE, _rouge(*pair), strict=True)) for pair in pairs}


def bert_overlap(pairs: Sequence[Pair], *, model: str | None = None) -> dict[Pair, dict[str, float]]:
    """Return BERTScore's F1 of each (predicted, gold) pair, by the model in a local folder or by spaCy's small one.

    ``model`` is the folder or the name of that package; the default is the environment's ASSAY_BERTSCORE_MODEL. Raises
    NoModel if neither is given, the folder does not exist or the package is not installed, even if there are no pairs.
    Loading the model takes seconds, and each pair takes far longer than ROUGE.
    """
    score = _bert_scorer(model if model is not None else os.environ.get(BERTSCORE_MODEL, ""))
    if not pairs:
        return {}
    *_, values = score([text for text, _ in pairs], [gold for _, gold in pairs])
    return {pair: {BERTSCORE: float(value)} for pair, value in zip(pairs, values, strict=True)}


def why_no_bertscore(model: str | None = None) -> str:
    """Return the sentence with which `bert_overlap` would refuse to run, or "" if it would run."""
    try:
        _bert_scorer(model if model is not None else os.environ.get(BERTSCORE_MODEL, ""))
    except NoModel as refusal:
        return str(refusal)
    return ""


def _bert_scorer(model: str) -> Callable[[list[str], list[str]], Any]:
    """Return the function `bert_score.score` with this model filled in, or `_small_scorer` for spaCy's small model.
    Raises NoModel as `bert_overlap` does.
    """
    if not model:
        raise NoModel(
            f"BERTScore is not computed: no model is given. Install bert-score and set {BERTSCORE_MODEL} to a folder "
            f"with roberta-large (or to {SMALL_MODEL}, for figures of a small model)."
        )
    if model == SMALL_MODEL and has_model():
        return _small_scorer
    if not Path(model).is_dir():
        raise NoModel(f"BERTScore is not computed: {BERTSCORE_MODEL} names no folder ({model[:80]}). Correct it.")
    try:
        import bert_score  # type: ignore[import-not-found]
    except ImportError as error:
        raise NoModel("BERTScore is not computed: the package bert-score is not installed. Install it.") from error

    def score(candidates: list[str], references: list[str]) -> Any:
        return bert_score.score(
            candidates,
            references,
            model_type=model,
            num_layers=BERTSCORE_LAYERS,
            idf=False,
            rescale_with_baseline=False,
        )

    return score


def matched_f1(candidate: NDArray[np.float64], reference: NDArray[np.float64]) -> float:
    """Return BERTScore's F1 of two texts, given as vectors of their tokens (tokens x dimensions); 0 if one has no
    tokens.

    P is the mean over the candidate's tokens of the best cosine with a token of the reference, R is the mean over the
    reference's tokens in the same way, and F1 = 2PR / (P + R) (Zhang et al. 2020, equation 1; no idf).

    >>> import numpy as np
    >>> matched_f1(np.eye(2), np.eye(2)), matched_f1(np.array([[1.0, 0.0]]), np.eye(2)).__round__(4)
    (1.0, 0.6667)
    """
    import numpy as np

    if not len(candidate) or not len(reference):
        return 0.0
    one, other = (each / np.linalg.norm(each, axis=1, keepdims=True).clip(1e-12) for each in (candidate, reference))
    cosines = one @ other.T
    precision, recall = float(cosines.max(axis=1).mean()), float(cosines.max(axis=0).mean())
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _small_scorer(candidates: list[str], references: list[str]) -> tuple[list[float]]:
    """Return the F1 of each pair over the token vectors of spaCy's small English model."""
    vectors = {text: _token_vectors(text) for text in dict.fromkeys([*candidates, *references])}
    return ([matched_f1(vectors[one], vectors[two]) for one, two in zip(candidates, references, strict=True)],)


@lru_cache(maxsize=4_000)
def _token_vectors(text: str) -> NDArray[np.float64]:
    import numpy as np

    return np.asarray(_small_model()(text).tensor, dtype=np.float64)


@cache
def _small_model() -> Any:
    """Return spaCy's small model with only the parts that make its token vectors."""
    with importing(TEXT):
        import spacy

    return spacy.load(SMALL_MODEL, exclude=["tagger", "parser", "attribute_ruler", "lemmatizer", "ner", "senter"])


@lru_cache(maxsize=REMEMBERED)
def _rouge(text: str, gold: str) -> tuple[float, ...]:
    scores = _rouge_scorer().score(gold, text)
    return tuple(float(scores[name].fmeasure) for name in ROUGE)


@cache
def _rouge_scorer() -> Any:
    """Return the only ROUGE scorer of this process. It caches the words of the texts that it saw last."""
    with importing(TEXT):
        from rouge_score import rouge_scorer, tokenizers

    words: Any = tokenizers.DefaultTokenizer(use_stemmer=True)  # type: ignore[no-untyped-call]

    class _Remembering(tokenizers.Tokenizer):
        @staticmethod
        @lru_cache(maxsize=4_000)
        def tokenize(text: str) -> list[str]:
            tokens: list[str] = words.tokenize(text)
            return tokens

    names: list[Any] = list(ROUGE)
    return rouge_scorer.RougeScorer(names, tokenizer=_Remembering())  # type: ignore[no-untyped-call]
