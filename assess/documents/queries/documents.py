"""Documents and document lists, and the package of the texts that participants may have."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import QuerySet

from assess.base.packing import zip_entry
from assess.campaigns.models import Campaign
from assess.campaigns.tracks import settings_of
from assess.documents.models import Document, DocumentBody
from assess.topics.models import ListedDocument, Topic
from scoring.formats.document_list import write_document_list
from scoring.records import RankedDoc

PACKAGE_DEPTH = 50
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_SUFFIX = {"text/html": "html", "application/xhtml+xml": "html", "text/plain": "raw.txt"}


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of a target's document list, with the document where it is stored."""

    rank: int
    docno: str
    score: float
    document: Document | None


def document_list(topic: Topic, *, limit: int | None = None, offset: int = 0) -> list[Listed]:
    """A target's document list by rank, joined to the stored documents: two queries."""
    rows = topic.listed_documents.order_by("rank", "id")[offset : offset + limit if limit is not None else None]
    listed = list(rows)
    stored = {
        document.docno: document
        for document in Document.objects.filter(campaign=topic.campaign_id, docno__in=[each.docno for each in listed])
    }
    return [Listed(each.rank, each.docno, each.score, stored.get(each.docno)) for each in listed]


def listed_topics(campaign: Campaign) -> QuerySet[Topic]:
    """The topics that have a document list, in order."""
    listed = ListedDocument.objects.filter(topic__campaign=campaign).order_by().values("topic").distinct()
    return campaign.topics.filter(pk__in=listed)


def package_depth(campaign: Campaign) -> int:
    """How many documents of each target go into the package: what the organiser set, where the track lets them."""
    return int(getattr(settings_of(campaign), "package_depth", PACKAGE_DEPTH))


def package_of_top_documents(campaign: Campaign, *, depth: int = PACKAGE_DEPTH) -> Iterator[bytes]:
    """A zip of the text of each target's top documents, in pieces as they are made.

    For each document `target/rank-docno.txt`, its viewable text, and beside it the bytes as crawled; for each
    target `list.txt`, the lines of its list so far (`scoring.formats.document_list`), and where texts are missing
    `not-stored.txt`, their docnos. All names are made here
    from letters, digits, dot, hyphen and underscore; the same documents give the same bytes. One document
    is in memory at a time.
    """
    pieces = _Pieces()
    with zipfile.ZipFile(pieces, "w", compression=zipfile.ZIP_DEFLATED) as package:
        for ordinal, topic in enumerate(listed_topics(campaign), start=1):
            folder = f"{ordinal:03d}-{_name(topic.number)}"
            listed = document_list(topic, limit=depth)
            package.writestr(zip_entry(f"{folder}/list.txt"), "".join(_lines(topic, listed)).encode())
            if missing := [f"{each.docno}\n" for each in listed if each.document is None]:
                package.writestr(zip_entry(f"{folder}/not-stored.txt"), "".join(missing).encode())
            for each in listed:
                if each.document is None:
                    continue
                body = DocumentBody.objects.get(pk=each.document.pk)
                stem = f"{folder}/{each.rank:04d}-{_name(each.docno)}"
                package.writestr(zip_entry(f"{stem}.txt"), body.text.encode(errors="replace"))
                suffix = _SUFFIX.get(each.document.media_type, "raw")
                package.writestr(zip_entry(f"{stem}.{suffix}"), zlib.decompress(bytes(body.raw)))
                yield from pieces.taken()
    yield from pieces.taken()


def list_lines(campaign: Campaign) -> Iterator[bytes]:
    """The document lists of all targets in their own format, `qnum rank docid rsv`: what participants are given.

    Two queries and one for each target; one target's list is in memory at a time.
    """
    for topic in listed_topics(campaign):
        rows = topic.listed_documents.order_by("rank", "id").values_list("rank", "docno", "score")
        records = (RankedDoc(topic=topic.number, docno=docno, rank=rank, score=score) for rank, docno, score in rows)
        yield "".join(f"{line}\n" for line in write_document_list(records)).encode()


def _lines(topic: Topic, listed: list[Listed]) -> Iterator[str]:
    records = (RankedDoc(topic=topic.number, docno=e.docno, rank=e.rank, score=e.score) for e in listed)
    return (f"{line}\n" for line in write_document_list(records))


def _name(text: str) -> str:
    """The text as part of a file name: nothing in it can lead out of the folder."""
    return _UNSAFE.sub("_", text).strip(".")[:120] or "_"


class _Pieces(io.RawIOBase):
    """A stream that can only be written to, and hands on what was written."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, data: object) -> int:
        """Keep the bytes until they are taken."""
        piece = bytes(data)  # type: ignore[call-overload]
        self._waiting.append(piece)
        return len(piece)

    def taken(self) -> Iterator[bytes]:
        """What was written since, if anything."""
        if self._waiting:
            yield b"".join(self._waiting)
            self._waiting.clear()
