"""The pages as the programs see them: decoded, tags stripped, cut into sentences, with a BM25 index."""

from __future__ import annotations

import gzip
import html
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from scoring.formats.blog06 import read_blog06
from scoring.records import DocumentRecord

_STOP_WORDS = """
    a about after again all also an and any are as at be because been before but by can could did do does for
    from had has have he her here him his how i if in into is it its just like me more most my no not now of on
    one only or our out over people said say says she so some than that the their them then there these they
    this those to too up us very was we were what when where which who why will with would you your used use
    with
"""
STOP = frozenset(_STOP_WORDS.split())
_META = re.compile(rb"<meta[^>]+charset=[\"']?([\w-]+)", re.IGNORECASE)
_UNSEEN = re.compile(r"<(script|style|title|noframes)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
_BLOCK = re.compile(
    r"</?(?:p|div|br|td|tr|table|li|ul|ol|dl|dt|dd|h\d|hr|form|center|blockquote|item|description)\b[^>]*>", re.I
)
_TAG = re.compile(r"<[^>]*>")
_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.DOTALL | re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'\u201d\u2019)]*\s+(?=[\"'\u201c(]?[A-Z0-9])|(?<=[.!?])\s+(?=[a-z]{2,})")
_WORD = re.compile(r"[^\W_]+(?:['\u2019][a-z]+)?")


@dataclass(frozen=True)
class Sentence:
    """A sentence of a page, on one line."""

    docno: str
    position: int
    text: str

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """Its content words, stemmed a little."""
        return terms(self.text)


def terms(text: str) -> tuple[str, ...]:
    """Return the content words of a text, in lower case and without plural, -ed and -ing endings.

    >>> terms("What do riders like about the Ellery Crosstown?")
    ('rider', 'ellery', 'crosstown')
    """
    words = (word.lower().replace("\u2019", "'").removesuffix("'s") for word in _WORD.findall(text))
    return tuple(_stem(word) for word in words if word not in STOP)


def _stem(word: str) -> str:
    for ending, kept in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 4 - len(kept) and not word.endswith(("ss", "us")):
            return word[: -len(ending)] + kept
    return word


@dataclass(frozen=True)
class Page:
    """A page as a program sees it: its title and its blocks of text."""

    docno: str
    title: str
    blocks: tuple[str, ...]

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences of three words or more, at most 400 characters of each."""
        cut = (part for block in self.blocks for part in _SENTENCE_END.split(block) if len(part.split()) >= 3)
        return tuple(Sentence(self.docno, n, part[:400].strip()) for n, part in enumerate(cut))

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each term occurs."""
        return Counter(terms(" ".join((self.title, *self.blocks))))


def page_of(record: DocumentRecord) -> Page:
    """Return a crawled page with its tags stripped by patterns, which some pages fool."""
    text = _decoded(record)
    title = _TITLE.search(text)
    bare = _BLOCK.sub("\x00", re.sub(r"\s+", " ", _UNSEEN.sub(" ", text)))
    blocks = (one_line(html.unescape(_TAG.sub("", block))) for block in bare.split("\x00"))
    name = one_line(html.unescape(_TAG.sub("", title[1]))) if title else ""
    return Page(record.docno, name, tuple(block for block in blocks if block))


def _decoded(record: DocumentRecord) -> str:
    raw = record.raw
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16", "replace")
    meta = _META.search(raw[:4000])
    for charset in (record.charset, meta[1].decode() if meta else "", "utf-8"):
        try:
            return raw.decode(charset or "utf-8")
        except (LookupError, UnicodeDecodeError):
            continue
    return raw.decode("windows-1252", "replace")


def one_line(text: str) -> str:
    """Return the text with single spaces and without control characters."""
    return " ".join("".join(c if c.isprintable() or c.isspace() else " " for c in text).split())


class Collection:
    """Pages with a BM25 index (k1 = 1.2, b = 0.75)."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self.pages = {page.docno: page for page in pages}
        self.frequency = Counter(term for page in self.pages.values() for term in page.counts)
        lengths = [sum(page.counts.values()) for page in self.pages.values()]
        self.mean_length = sum(lengths) / max(len(lengths), 1) or 1.0

    def idf(self, term: str) -> float:
        """Return the inverse document frequency of a term, which is never negative."""
        n = self.frequency[term]
        return math.log(1 + (len(self.pages) - n + 0.5) / (n + 0.5))

    def rank(self, query: str, depth: int = 50) -> list[tuple[str, float]]:
        """Return docnos and values of the best pages, at most ``depth`` of them; of equal values by docno."""
        scored = ((docno, self._value(set(terms(query)), page)) for docno, page in self.pages.items())
        return sorted((s for s in scored if s[1] > 0), key=lambda s: (-s[1], s[0]))[:depth]

    def _value(self, query: set[str], page: Page) -> float:
        norm = 1.2 * (0.25 + 0.75 * sum(page.counts.values()) / self.mean_length)
        found = ((term, page.counts[term]) for term in sorted(query) if page.counts[term])
        return sum(self.idf(term) * n * 2.2 / (n + norm) for term, n in found)

    def sentences(self, docnos: Iterable[str]) -> list[Sentence]:
        """Return the sentences of these pages by docno and place; of equal ones that of the page named first."""
        first = {s.text: s for docno in reversed(list(docnos)) for s in reversed(self.pages[docno].sentences)}
        return sorted(first.values(), key=lambda s: (s.docno, s.position))


def read_collection(paths: Iterable[Path]) -> Collection:
    """Return the documents of Blog06 files; folders are read with all files in them."""
    return Collection(page_of(record) for path in paths for record in _records(path))


def _records(path: Path) -> Iterator[DocumentRecord]:
    if path.is_dir():
        for inner in sorted(path.iterdir()):
            yield from _records(inner)
        return
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        yield from (record for record in read_blog06(file) if isinstance(record, DocumentRecord))  # type: ignore[arg-type]
