"""Adding the texts of documents to the search index."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from django.db import connection, transaction

from assess.base.bulk import add_rows
from assess.campaigns.models import Campaign
from assess.documents.models import Document, DocumentBody, DocumentWords
from assess.documents.words import tell_language, words_of
from assess.jobs.progress import JobProgress, no_report

BATCH = 200
TITLE_WITHIN = 2_000  # characters of a text
LARGEST = 900_000  # bytes of a tsvector, which PostgreSQL keeps below a megabyte
LAST_PLACE, PLACES = 16_383, 255  # a tsvector's last place, and its largest number of places of one word


def index_form(text: str, language: str) -> str:
    """Return the words of a text in the form that the database indexes. Makes no query."""
    words = words_of(text, language)
    return tsvector_of(words) if connection.vendor == "postgresql" else " ".join(words)


def searched_text(title: str, text: str) -> str:
    """Return the text that search covers: a document's text, after its title unless the text begins with it."""
    return text if not title or title in " ".join(text[:TITLE_WITHIN].split()) else f"{title}\n{text}"


def add_words(rows: Sequence[tuple[int, str]]) -> None:
    """Index documents that are not indexed yet, from (document id, its `index_form`) of each. Needs a transaction."""
    add_rows(DocumentWords, ["document_id", "words"], rows)


def index_documents(
    campaign: Campaign,
    *,
    everything: bool = False,
    progress: Callable[[JobProgress], None] = no_report,
) -> int:
    """Index the campaign's documents that are not indexed yet, or all of them again; return their number.

    Batches of 200 are committed as they are finished, so that nobody waits long, and a stopped run continues where it
    ended. A thousand pages of news take about a second. Nothing that people see of a document changes.
    """
    waiting = Document.objects.filter(campaign=campaign).order_by("pk")
    if not everything:
        waiting = waiting.filter(language="")
    total, done, last = waiting.count(), 0, 0
    while batch := list(waiting.filter(pk__gt=last).values_list("pk", flat=True)[:BATCH]):
        bodies = DocumentBody.objects.filter(document__in=batch).values_list("document_id", "document__title", "text")
        told = [(document, searched_text(title, text), tell_language(text)) for document, title, text in bodies]
        rows = [(document, index_form(text, language)) for document, text, language in told]
        by_language = defaultdict(list)
        for document, _, language in told:
            by_language[language].append(document)
        with transaction.atomic():
            stored = Document.objects.select_for_update(no_key=True).filter(pk__in=batch)
            there = set(stored.values_list("pk", flat=True))
            DocumentWords.objects.filter(document__in=there).delete()
            add_words([row for row in rows if row[0] in there])
            for language, documents in by_language.items():
                Document.objects.filter(pk__in=documents).update(language=language)
        last = batch[-1]
        done += len(batch)
        progress(JobProgress(done=done, total=total))
    return done


def tsvector_of(words: Sequence[str]) -> str:
    """Return the words with their places in PostgreSQL's notation; the part of a text that would not fit is left out.

    >>> tsvector_of(["blue", "sky", "blue"])
    "'blue':1,3 'sky':2"
    """
    places: dict[str, list[str]] = {}
    size = 0
    for place, word in enumerate(words, start=1):
        found = places.get(word)
        if found is None:
            size += len(word.encode()) + 8
            if size > LARGEST:
                continue
            places[word] = found = []
        if len(found) < PLACES and (place <= LAST_PLACE or not found):
            size += 2
            found.append(str(min(place, LAST_PLACE)))
    return " ".join(f"'{word}':{','.join(found)}" for word, found in places.items())
