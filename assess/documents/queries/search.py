"""Searching the viewable text of a campaign's documents: ranked, with snippets.

The words that people type never reach the search engines' own query languages: they are taken apart here
and written anew, so no query string is an error.

    velora bicycle        documents with both words, in any form ("bicycles"); with either, where none has both
    "blue bicycle"        the words side by side
    bicycle -racing       without the second word
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from assess.campaigns.models import Campaign
from assess.topics.models import Topic

QUERY_LIMIT = 500
TERM_LIMIT = 32
PAGE_LIMIT = 100
SNIPPET_SOURCE = 200_000  # characters in which PostgreSQL looks for a snippet
OPEN, CLOSE = "\x02", "\x03"
_TERM = re.compile(r'(-?)"([^"]*)"?|(-?)([^\s"]+)')
_WORD = re.compile(r"[^\W_]+")

Snippet = tuple[tuple[str, bool], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """A document found. ``snippet`` is its text around the words, in pieces: (text, is it a word searched for).

    ``rank`` is from 1 in the whole ranking; ``score`` is larger for better, and compares in one ranking only.
    """

    document: int
    docno: str
    title: str
    url: str
    snippet: Snippet
    rank: int
    score: float


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchPage:
    """Some hits of a ranking of ``total``. ``every_word`` is false where no document had all the words."""

    query: str
    hits: tuple[Hit, ...] = ()
    total: int = 0
    offset: int = 0
    every_word: bool = True

    @property
    def next_offset(self) -> int | None:
        """Where the next page begins, or None on the last."""
        following = self.offset + len(self.hits)
        return following if self.hits and following < self.total else None


@dataclass(frozen=True, slots=True)
class Term:
    """A word, or several in a row, that documents must have, or must not."""

    words: tuple[str, ...]
    is_excluded: bool = False


def search_documents(campaign: Campaign, query: str, *, limit: int = 20, offset: int = 0) -> SearchPage:
    """The documents of a campaign that match a query, best first. A query without words finds nothing."""
    limit, offset = min(max(limit, 1), PAGE_LIMIT), max(offset, 0)
    terms = parse_query(query)
    if not any(not term.is_excluded for term in terms):
        return SearchPage(query=query, offset=offset)
    search = _search_postgresql if connection.vendor == "postgresql" else _search_sqlite
    every_word = True
    total, rows = search(campaign, terms, every_word, limit, offset)
    if not total and len(terms) > 1:
        every_word = False
        total, rows = search(campaign, terms, every_word, limit, offset)
    hits = tuple(
        Hit(
            document=row[0],
            docno=row[1],
            title=row[2],
            url=row[3],
            score=float(row[4]),
            snippet=_pieces(row[5]),
            rank=rank,
        )
        for rank, row in enumerate(rows, start=offset + 1)
    )
    return SearchPage(query=query, hits=hits, total=total, offset=offset, every_word=every_word)


def parse_query(query: str) -> list[Term]:
    """The terms of a query; everything that is neither letter nor digit only parts words.

    >>> parse_query('"blue bicycle" -racing')
    [Term(words=('blue', 'bicycle'), is_excluded=False), Term(words=('racing',), is_excluded=True)]
    """
    terms: list[Term] = []
    for match in _TERM.finditer(query[:QUERY_LIMIT]):
        phrase_minus, phrase, word_minus, word = match.groups()
        words = tuple(_WORD.findall(phrase if phrase is not None else word))
        term = Term(words, bool(phrase_minus or word_minus))
        if words and term not in terms:
            terms.append(term)
    return terms[:TERM_LIMIT]


def query_words(query: str) -> tuple[str, ...]:
    """The words of a query that documents should have, for marking them in a page."""
    return tuple(word for term in parse_query(query) if not term.is_excluded for word in term.words)


def _split(terms: Sequence[Term]) -> tuple[list[str], list[str]]:
    """Wanted and excluded terms as quoted phrases: words hold neither quotes nor operators."""
    wanted = [f'"{" ".join(term.words)}"' for term in terms if not term.is_excluded]
    return wanted, [f'"{" ".join(term.words)}"' for term in terms if term.is_excluded]


def _search_sqlite(
    campaign: Campaign, terms: Sequence[Term], every_word: bool, limit: int, offset: int
) -> tuple[int, list[tuple[Any, ...]]]:
    wanted, excluded = _split(terms)
    match = "(" + (" AND " if every_word else " OR ").join(wanted) + ")"
    match += "".join(f" NOT {phrase}" for phrase in excluded)
    source = (
        "FROM assess_documentsearch AS search JOIN assess_document AS document ON document.id = search.rowid "
        "WHERE assess_documentsearch MATCH %s AND document.campaign_id = %s"
    )
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) {source}", [match, campaign.pk])
        (total,) = cursor.fetchone()
        cursor.execute(
            "SELECT document.id, document.docno, document.title, document.url, -bm25(assess_documentsearch) AS score, "
            f"snippet(assess_documentsearch, 0, %s, %s, '…', 40) {source} "
            "ORDER BY score DESC, document.docno LIMIT %s OFFSET %s",
            [OPEN, CLOSE, match, campaign.pk, limit, offset],
        )
        return total, cursor.fetchall()


def _search_postgresql(
    campaign: Campaign, terms: Sequence[Term], every_word: bool, limit: int, offset: int
) -> tuple[int, list[tuple[Any, ...]]]:
    wanted, excluded = _split(terms)
    words = (" " if every_word else " or ").join(wanted)
    match = "websearch_to_tsquery('english', %s)" + " && !! websearch_to_tsquery('english', %s)" * len(excluded)
    parameters = [words, *excluded]
    source = (
        f"FROM assess_documentbody AS body JOIN assess_document AS document ON document.id = body.document_id, "
        f"LATERAL (SELECT {match} AS query) AS asked WHERE body.search @@ asked.query AND document.campaign_id = %s"
    )
    headline = f'StartSel={OPEN}, StopSel={CLOSE}, MaxFragments=2, MaxWords=20, MinWords=8, FragmentDelimiter=" … "'
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) {source}", [*parameters, campaign.pk])
        (total,) = cursor.fetchone()
        cursor.execute(
            "SELECT found.id, found.docno, found.title, found.url, found.score, "
            f"ts_headline('english', left(found.text, {SNIPPET_SOURCE}), found.query, %s) FROM ("
            "SELECT document.id, document.docno, document.title, document.url, body.text, asked.query, "
            f"ts_rank_cd(body.search, asked.query, 1) AS score {source} "
            "ORDER BY score DESC, document.docno LIMIT %s OFFSET %s) AS found ORDER BY found.score DESC, found.docno",
            [headline, *parameters, campaign.pk, limit, offset],
        )
        return total, cursor.fetchall()


def _pieces(marked: str) -> Snippet:
    """The snippet in pieces; control characters that the document itself held can only move a mark."""
    pieces: list[tuple[str, bool]] = []
    is_match = False
    for part in re.split(f"([{OPEN}{CLOSE}])", marked):
        if part in (OPEN, CLOSE):
            is_match = part == OPEN
        elif part:
            pieces.append((part, is_match))
    return tuple(pieces)


# The words of a question that are marked in documents.

WORD = re.compile(r"\w[\w'’-]*\w|\w")
SHORTEST = 3
_COMMON_WORDS = """
 about after again all also and any are been before being but can could did does doing down each few for from get
give had has have having her here him his how into its itself just like made make many may might more most much
name names not now off once one only other our out over own people said same say says she should some such than
that the their them then there these they this those through too under until use used very was were what when where
which while who whom whose why will with would you your list find think thinks likes dislike things thing reason
reasons opinion opinions
"""
COMMON = frozenset(_COMMON_WORDS.split())


def topic_terms(topic: Topic) -> list[str]:
    """The words of the topic and of its target that say something, each once, in the order they stand.

    Common words and words of one or two letters are left out; numbers stay.
    """
    texts = [topic.text] if topic.parent is None else [topic.parent.text, topic.text]
    words = [word for text in texts for word in WORD.findall(text)]
    kept = [word for word in words if word.isdigit() or (len(word) >= SHORTEST and word.lower() not in COMMON)]
    return list({word.lower(): word for word in reversed(kept)}.values())[::-1]
