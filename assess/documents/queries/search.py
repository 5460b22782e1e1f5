"""Search in the viewable text of a campaign's documents, ranked and with snippets.

What people type never reaches the search engines' own query languages: it is parsed here and written again, so no query
string is an error. Both databases are asked for the same words, those of `assess.documents.words`, in each language of
the campaign's documents.

    velora bicycle        documents with both words, in any form ("bicycles"); with either, if none has both
    "blue bicycle"        the two words in a row
    bicycle -racing       without documents that have the second word
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from django.db import connection
from django.db.models.functions import Substr

from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.documents.likeness import SAYS_NOTHING
from assess.documents.marks import question_words
from assess.documents.models import DocumentBody
from assess.documents.queries.snippets import SOURCE, Phrase, Snippet, make_snippet
from assess.documents.words import RUN, UNKNOWN, forms_of, phrase_of
from assess.topics.models import Topic
from scoring.formats.document_facts import date_of, source_of

QUERY_LIMIT = 500
TERM_LIMIT = 32
PAGE_LIMIT = 100
_TERM = re.compile(r'(-?)"([^"]*)"?|(-?)([^\s"]+)')


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """A document that a search found. ``snippet`` is text around the matches, in pieces: (text, whether it is a match).

    ``rank`` counts from 1 in the whole ranking; a larger ``score`` is better, and scores are comparable only within one
    ranking. ``document`` is None if the campaign does not store what a search service found.
    """

    document: int | None
    docno: str
    title: str
    url: str
    snippet: Snippet
    rank: int
    score: float
    date: str = ""
    source: str = ""

    @property
    def is_stored(self) -> bool:
        """Whether the document can be opened."""
        return self.document is not None

    @property
    def words(self) -> str:
        """The snippet as one text."""
        return "".join(text for text, _ in self.snippet)

    @property
    def lines(self) -> list[list[tuple[str, bool]]]:
        """The pieces of the snippet by lines of the text, each of which may have a writing direction of its own."""
        lines: list[list[tuple[str, bool]]] = [[]]
        for text, is_match in self.snippet:
            first, *others = text.split("\n")
            lines[-1].append((first, is_match))
            lines += [[(each, is_match)] for each in others]
        return [line for line in lines if any(text.strip() for text, _ in line)]


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchPage:
    """Some hits of a ranking of ``total`` documents. ``every_word`` is false if no document had all words.

    ``searched_by`` is the service that made the ranking, or "" for the site itself; ``total`` is the part of a
    service's ranking that the site received.
    """

    query: str
    searched_by: str = ""
    hits: tuple[Hit, ...] = ()
    total: int = 0
    offset: int = 0
    every_word: bool = True

    @property
    def next_offset(self) -> int | None:
        """The offset of the next page, or None on the last."""
        following = self.offset + len(self.hits)
        return following if self.hits and following < self.total else None


@dataclass(frozen=True, slots=True)
class Term:
    """A word, or several in a row, that documents must contain, or must not."""

    words: tuple[str, ...]
    is_excluded: bool = False


def search_documents(campaign: Campaign, query: str, *, limit: int = 20, offset: int = 0) -> SearchPage:
    """Return a page of the campaign's documents that match a query, best first.

    If no document has all terms, those with any of them match. A query without words finds nothing.
    """
    limit, offset = min(max(limit, 1), PAGE_LIMIT), max(offset, 0)
    terms = parse_query(query)
    if not any(not term.is_excluded for term in terms):
        return SearchPage(query=query, offset=offset)
    asked = _in_languages(campaign, terms)
    if not asked.wanted:
        return SearchPage(query=query, offset=offset)
    search = _search_postgresql if connection.vendor == "postgresql" else _search_sqlite
    every_word = True
    total, rows = search(campaign, asked, every_word, limit, offset)
    if not total and len(terms) > 1:
        every_word = False
        total, rows = search(campaign, asked, every_word, limit, offset)
    found = found_texts([row[0] for row in rows])
    hits = tuple(
        Hit(
            document=pk,
            docno=docno,
            title=title,
            url=url,
            score=float(score),
            snippet=make_snippet(found.get(pk, NOTHING_FOUND).start, language, asked.phrases(language)),
            rank=rank,
            date=found.get(pk, NOTHING_FOUND).date,
            source=found.get(pk, NOTHING_FOUND).source,
        )
        for rank, (pk, docno, title, url, language, score) in enumerate(rows, start=offset + 1)
    )
    return SearchPage(query=query, hits=hits, total=total, offset=offset, every_word=every_word)


@dataclass(frozen=True, slots=True)
class FoundText:
    """The beginning of a text, from which snippets are taken, with the date and source of its document."""

    start: str = ""
    date: str = ""
    source: str = ""


NOTHING_FOUND = FoundText()


def found_texts(documents: Sequence[int]) -> dict[int, FoundText]:
    """Return the texts shown for found documents, by their ids. One query."""
    bodies = DocumentBody.objects.filter(document__in=documents).annotate(start=Substr("text", 1, SOURCE))
    rows = bodies.values_list("document_id", "start", "document__fields")
    return {pk: FoundText(start, date_of(fields), source_of(fields)) for pk, start, fields in rows}


def parse_query(query: str) -> list[Term]:
    """Return the terms of a query; characters other than letters and digits only separate words. No more than
    `QUERY_LIMIT` characters and `TERM_LIMIT` terms count.

    >>> parse_query('"blue bicycle" -racing')
    [Term(words=('blue', 'bicycle'), is_excluded=False), Term(words=('racing',), is_excluded=True)]
    """
    terms: list[Term] = []
    for match in _TERM.finditer(query[:QUERY_LIMIT]):
        phrase_minus, phrase, word_minus, word = match.groups()
        words = tuple(RUN.findall(phrase if phrase is not None else word))
        term = Term(words, bool(phrase_minus or word_minus))
        if words and term not in terms:
            terms.append(term)
    return terms[:TERM_LIMIT]


def query_words(query: str) -> tuple[str, ...]:
    """Return the words of a query that documents should contain, for marking them in a page."""
    return tuple(word for term in parse_query(query) if not term.is_excluded for word in term.words)


def phrases_of(query: str, language: str) -> list[Phrase]:
    """Return the phrases of a query, without its excluded terms, as they may occur in a text of a language."""
    terms = [term for term in parse_query(query) if not term.is_excluded]
    return [phrase for term in terms for phrase in _phrases(term, [language]).get(language, [])]


@dataclass(frozen=True, slots=True)
class _PreparedQuery:
    """A query prepared for a database: for each term, the indexed phrases by language."""

    wanted: tuple[dict[str, list[Phrase]], ...]
    excluded: tuple[dict[str, list[Phrase]], ...]

    def phrases(self, language: str) -> list[Phrase]:
        """Return the phrases that may occur in documents of a language."""
        return [phrase for each in self.wanted for phrase in each.get(language, [])]


def _in_languages(campaign: Campaign, terms: Sequence[Term]) -> _PreparedQuery:
    """Return the terms in every language of the campaign's documents.

    English stop words are left out unless the query has no other words or there are documents in other languages.
    """
    languages = _languages(campaign)
    wanted = [term for term in terms if not term.is_excluded]
    if not set(languages) - {"en", UNKNOWN, ""}:
        saying = [term for term in wanted if len(term.words) > 1 or term.words[0].lower() not in SAYS_NOTHING]
        wanted = saying or wanted
    return _PreparedQuery(
        tuple(filter(None, (_phrases(term, languages) for term in wanted))),
        tuple(filter(None, (_phrases(term, languages) for term in terms if term.is_excluded))),
    )


def _phrases(term: Term, languages: Sequence[str]) -> dict[str, list[Phrase]]:
    """Return language -> phrases, any of which may occur; there are several for a single word with irregular forms."""
    phrases = {language: Phrase(*phrase_of(" ".join(term.words), language)) for language in languages}
    return {
        language: [Phrase((form,), phrase.is_open) for form in forms_of(phrase.words[0])]
        if len(phrase.words) == 1
        else [phrase]
        for language, phrase in phrases.items()
        if phrase.words
    }


def _languages(campaign: Campaign) -> list[str]:
    """Return the languages of the campaign's documents: one index look-up for each, however many documents there
    are.
    """
    least = "SELECT min(language) FROM assess_document WHERE campaign_id = %s"
    query = (
        f"WITH RECURSIVE told(language) AS (SELECT ({least}) UNION ALL "
        f"SELECT ({least} AND language > told.language) FROM told WHERE told.language IS NOT NULL) "
        "SELECT language FROM told WHERE language IS NOT NULL"
    )
    with connection.cursor() as cursor:
        cursor.execute(query, [campaign.pk, campaign.pk])
        return [language for (language,) in cursor.fetchall()]


def _total_and_rows(
    source: str, score: str, of_source: list[Any], *, of_score: Sequence[Any] = (), page: list[int]
) -> tuple[int, list[tuple[Any, ...]]]:
    """Return how many documents match, and those on one page, best first. ``page`` is (limit, offset).

    ``source`` and ``score`` are parts of an SQL statement; ``of_source`` and ``of_score`` are the parameters of these
    parts.
    """
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) {source}", of_source)
        (total,) = cursor.fetchone()
        cursor.execute(
            "SELECT document.id, document.docno, document.title, document.url, document.language, "
            f"{score} AS score {source} ORDER BY score DESC, document.docno LIMIT %s OFFSET %s",
            [*of_score, *of_source, *page],
        )
        return total, cursor.fetchall()


def _search_sqlite(
    campaign: Campaign, asked: _PreparedQuery, every_word: bool, limit: int, offset: int
) -> tuple[int, list[tuple[Any, ...]]]:
    match = "(" + (" AND " if every_word else " OR ").join(map(_fts_term, asked.wanted)) + ")"
    match += "".join(f" NOT {_fts_term(each)}" for each in asked.excluded)
    source = (
        "FROM assess_documentsearch AS search JOIN assess_document AS document ON document.id = search.rowid "
        "WHERE assess_documentsearch MATCH %s AND document.campaign_id = %s"
    )
    return _total_and_rows(source, "-bm25(assess_documentsearch)", [match, campaign.pk], page=[limit, offset])


def _fts_term(phrases: dict[str, list[Phrase]]) -> str:
    """Return a term in the query language of FTS5. Words contain neither quotes nor spaces."""
    each = {f'"{" ".join(phrase.words)}"{" *" if phrase.is_open else ""}': None for phrase in chain(*phrases.values())}
    return f"({' OR '.join(each)})"


def _search_postgresql(
    campaign: Campaign, asked: _PreparedQuery, every_word: bool, limit: int, offset: int
) -> tuple[int, list[tuple[Any, ...]]]:
    match = "(" + (" & " if every_word else " | ").join(map(_ts_term, asked.wanted)) + ")"
    match += "".join(f" & !{_ts_term(each)}" for each in asked.excluded)
    source = (
        "FROM assess_documentwords AS search JOIN assess_document AS document ON document.id = search.document_id "
        "WHERE search.words @@ %s::tsquery AND document.campaign_id = %s"
    )
    score = "ts_rank_cd(search.words, %s::tsquery, 1)"
    return _total_and_rows(source, score, [match, campaign.pk], of_score=[match], page=[limit, offset])


def _ts_term(phrases: dict[str, list[Phrase]]) -> str:
    """Return a term in the query language of tsquery. Words contain neither quotes nor backslashes."""
    each = {
        " <-> ".join(f"'{word}'" for word in phrase.words) + (":*" if phrase.is_open else ""): None
        for phrase in chain(*phrases.values())
    }
    return f"({' | '.join(f'({phrase})' for phrase in each)})"


# The words of a question, which are marked in documents.


def topic_terms(topic: Topic) -> list[str]:
    """Return the content words of the topic and its target, each once, in the order of their first occurrence.

    For a turn of a dialogue, the words are those of what its user means, if the topics say so (`Track.resolved`).
    Common words and words of one or two letters are left out; numbers stay.
    """
    field = track_of(topic.campaign).resolved
    asked = str((topic.fields.get(field) if field else "") or topic.text)
    return question_words([asked] if topic.parent is None else [topic.parent.text, asked])
