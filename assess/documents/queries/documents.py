"""Documents, their texts, lists of them and the package of texts; how many are stored, and which docnos are valid."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import islice

from django.db.models import Count, Max, Q, QuerySet

from assess.base.files import zip_entry
from assess.campaigns.models import Campaign
from assess.campaigns.queries import settings_of
from assess.documents.models import Document, DocumentBody, ValidDocno
from assess.documents.queries.about import DocumentAbout, about_document
from assess.documents.queries.bodies import raw_of
from assess.items.models import PoolItem
from assess.items.queries import COUNTED, current_pools
from assess.rendering.rendered import PAGE_VERSION
from assess.topics.models import ListedDocument, Topic
from assess.topics.queries import topic_docnos
from scoring.formats.document_list import write_document_list
from scoring.records import RankedDoc

PACKAGE_DEPTH = 50
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_SUFFIX = {"text/html": "html", "application/xhtml+xml": "html", "text/plain": "raw.txt"}


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """One line of a target's document list, with the document if it is stored."""

    rank: int
    docno: str
    score: float
    document: Document | None

    @property
    def about(self) -> DocumentAbout | None:
        """The facts shown above the document, or None if it is not stored."""
        return about_document(self.document) if self.document is not None else None


def document_list(topic: Topic, *, limit: int | None = None, offset: int = 0) -> list[DocumentLine]:
    """Return a target's document list by rank, or a part of it, with the stored documents. Two queries."""
    rows = topic.listed_documents.order_by("rank", "id")[offset : offset + limit if limit is not None else None]
    listed = list(rows)
    stored = {
        document.docno: document
        for document in Document.objects.filter(campaign=topic.campaign_id, docno__in=[each.docno for each in listed])
    }
    return [DocumentLine(each.rank, each.docno, each.score, stored.get(each.docno)) for each in listed]


def listed_topics(campaign: Campaign) -> QuerySet[Topic]:
    """Return the topics that have a document list, in order."""
    listed = ListedDocument.objects.filter(topic__campaign=campaign).order_by().values("topic").distinct()
    return campaign.topics.filter(pk__in=listed)


def package_depth(campaign: Campaign) -> int:
    """Return how many documents of each target the package contains: the organiser's setting, if the track has one."""
    return int(getattr(settings_of(campaign), "package_depth", PACKAGE_DEPTH))


def package_of_top_documents(campaign: Campaign, *, depth: int = PACKAGE_DEPTH) -> Iterator[bytes]:
    """Yield a zip of the text of each target's top documents, in pieces as they are made.

    The viewable text of each document is in `target/rank-docno.txt`, and its bytes as crawled are in another file. For
    each target, `documents.jsonl` has the collection's data on them (docno, title, url, fields), and `list.txt` the
    lines of its list down to this depth (`scoring.formats.document_list`). If texts are missing, `not-stored.txt` has
    their docnos. All names are made of letters, digits, dot, hyphen and underscore; the same documents give the same
    bytes. One document is in memory at a time. Raises what `raw_of` raises, so the zip may end early.
    """
    pieces = _Pieces()
    with zipfile.ZipFile(pieces, "w", compression=zipfile.ZIP_DEFLATED) as package:
        for ordinal, topic in enumerate(listed_topics(campaign), start=1):
            folder = f"{ordinal:03d}-{_safe_name(topic.number)}"
            listed = document_list(topic, limit=depth)
            package.writestr(zip_entry(f"{folder}/list.txt"), "".join(_lines(topic, listed)).encode())
            if missing := [f"{each.docno}\n" for each in listed if each.document is None]:
                package.writestr(zip_entry(f"{folder}/not-stored.txt"), "".join(missing).encode())
            for each in listed:
                if each.document is None:
                    continue
                body = DocumentBody.objects.get(pk=each.document.pk)
                stem = f"{folder}/{each.rank:04d}-{_safe_name(each.docno)}"
                package.writestr(zip_entry(f"{stem}.txt"), body.text.encode(errors="replace"))
                suffix = _SUFFIX.get(each.document.media_type, "raw")
                package.writestr(zip_entry(f"{stem}.{suffix}"), raw_of(body))
                yield from pieces.taken()
            stored = (each.document for each in listed if each.document is not None)
            package.writestr(zip_entry(f"{folder}/documents.jsonl"), "".join(map(_fields_line, stored)).encode())
    yield from pieces.taken()


def list_lines(campaign: Campaign) -> Iterator[bytes]:
    """Yield all targets' document lists in their own format, `qnum rank docid rsv`, as participants get them.

    Two queries and one for each target; one target's list is in memory at a time.
    """
    for topic in listed_topics(campaign):
        rows = topic.listed_documents.order_by("rank", "id").values_list("rank", "docno", "score")
        records = (RankedDoc(topic=topic.number, docno=docno, rank=rank, score=score) for rank, docno, score in rows)
        yield "".join(f"{line}\n" for line in write_document_list(records)).encode()


def _lines(topic: Topic, listed: list[DocumentLine]) -> Iterator[str]:
    records = (RankedDoc(topic=topic.number, docno=e.docno, rank=e.rank, score=e.score) for e in listed)
    return (f"{line}\n" for line in write_document_list(records))


def _fields_line(document: Document) -> str:
    told = {"docno": document.docno, "title": document.title, "url": document.url, "fields": document.fields}
    return json.dumps(told, ensure_ascii=False) + "\n"


def _safe_name(text: str) -> str:
    """Return the text as part of a file name that can't lead out of the folder."""
    return _UNSAFE.sub("_", text).strip(".")[:120] or "_"


class _Pieces(io.RawIOBase):
    """A write-only stream that passes on what was written."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []

    def writable(self) -> bool:
        """Return True: bytes can be written."""
        return True

    def write(self, data: object) -> int:
        """Collect the bytes until they are taken, and return their number."""
        piece = bytes(data)  # type: ignore[call-overload]
        self._waiting.append(piece)
        return len(piece)

    def taken(self) -> Iterator[bytes]:
        """Yield the bytes written since the last call, if there are any."""
        if self._waiting:
            yield b"".join(self._waiting)
            self._waiting.clear()


# How many documents are stored, and how many named documents are not.

OLDER_PAGE = ~Q(page_version=PAGE_VERSION) & ~Q(status=Document.Status.WITHHELD)


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentCounts:
    """The numbers of a campaign's stored documents, of its pooled items, of pooled items without a stored document, and
    of documents that topics name but nobody stored.

    ``not_indexed`` counts those that search does not find yet, because an earlier version stored them. ``older_pages``
    counts those whose page another version of the site made.
    """

    documents: int
    not_indexed: int
    older_pages: int
    pooled: int
    pooled_without_document: int
    named_without_document: int


WITHOUT_DOCUMENT = Q(item__document=None) & ~Q(item__docno="")
"""The condition for pool items that can't be shown because their document is not stored."""


def pooled_without_document(campaign: Campaign) -> int:
    """Return how many pooled items have no document to show. One query."""
    return PoolItem.objects.filter(COUNTED, WITHOUT_DOCUMENT, pool__in=current_pools(campaign)).count()


def document_counts(campaign: Campaign, pools: Collection[int] | None = None) -> DocumentCounts:
    """Return the campaign's counts. ``pools`` are the ids of the current pools, if known. Five queries at most."""
    if pools is None:
        pools = list(current_pools(campaign).values_list("pk", flat=True))
    in_pools = PoolItem.objects.filter(COUNTED, pool__in=pools)
    pooled = in_pools.aggregate(all=Count("id"), bare=Count("id", filter=WITHOUT_DOCUMENT))
    stored = campaign.documents.aggregate(
        all=Count("id"), bare=Count("id", filter=Q(language="")), older=Count("id", filter=OLDER_PAGE)
    )
    return DocumentCounts(
        documents=stored["all"],
        not_indexed=stored["bare"],
        older_pages=stored["older"],
        pooled=pooled["all"],
        pooled_without_document=pooled["bare"],
        named_without_document=_not_stored(campaign, topic_docnos(campaign)),
    )


def with_older_pages(campaign: Campaign) -> QuerySet[Document]:
    """Return the documents whose page another version of the site made."""
    return campaign.documents.filter(OLDER_PAGE)


def _not_stored(campaign: Campaign, docnos: set[str]) -> int:
    if not docnos:
        return 0
    return len(docnos) - campaign.documents.filter(docno__in=docnos).count()


# Which docnos are valid: the stored lists are queried in batches and never loaded as a whole.

LOOKUP = 5_000


def valid_docnos(campaign: Campaign) -> QuerySet[ValidDocno]:
    """Return the docnos of the lists in place; a docno in several lists occurs several times."""
    return ValidDocno.objects.filter(docno_list__campaign=campaign, docno_list__in_place=True)


def unknown_docnos(campaign: Campaign) -> Callable[[Iterable[str]], set[str]] | None:
    """Return a function that returns the invalid docnos of a batch; None if no list was loaded.

    The stored documents don't show which docnos are valid, since often only documents that runs named are stored.
    """
    if not campaign.docno_lists.filter(in_place=True).exists():
        return None

    def unknown(docnos: Iterable[str]) -> set[str]:
        missing = set(docnos)
        remaining = iter(sorted(missing))
        while batch := list(islice(remaining, LOOKUP)):
            known = valid_docnos(campaign).filter(docno__in=batch)
            missing.difference_update(known.values_list("docno", flat=True))
        return missing

    return unknown


# The texts of a campaign's documents, for checkers that look up what a run quotes.

REMEMBERED = 32


def document_text(campaign: Campaign) -> Callable[[str], str | None] | None:
    """Return a function that returns a document's text by docno, or None if it is not stored; one query a call.

    Return None if the campaign stores no documents, so that quotes are not checked before documents are loaded.
    """
    if not campaign.documents.exists():
        return None
    bodies = DocumentBody.objects.filter(document__campaign=campaign)

    @lru_cache(maxsize=REMEMBERED)
    def text(docno: str) -> str | None:
        return bodies.filter(document__docno=docno).values_list("text", flat=True).first()

    return text


# Where documents were loaded from: a file, or the files of a folder.

NEWEST = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class Loaded:
    """A file from which documents were loaded, how many of these are stored, and when the last of them was stored."""

    source: str
    documents: int
    at: datetime


def newest_sources(campaign: Campaign) -> list[Loaded]:
    """Return the files from which documents were last loaded, newest first. One query."""
    rows = Document.objects.filter(campaign=campaign).order_by().values_list("source_file")
    found = rows.annotate(number=Count("pk"), at=Max("created_at")).order_by("-at", "source_file")[:NEWEST]
    return [Loaded(source=source, documents=number, at=at) for source, number, at in found]


def loaded_from(campaign: Campaign, source: str) -> QuerySet[Document]:
    """Return the documents that came from a file, or from the files of a folder, with this name."""
    name = source.strip().rstrip("/")
    inside = Q(source_file=name) | Q(source_file__startswith=f"{name}/")
    return Document.objects.filter(inside, campaign=campaign)
