"""Storing documents as rows: the document, its prepared page and text, and the links from items that name it."""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import cast

from django.db import connection, transaction
from django.db.models import OuterRef, Subquery
from django.utils import timezone

from assess.base.bulk import add_rows
from assess.base.file_issues import in_file
from assess.campaigns.activity import lock_open
from assess.campaigns.models import Campaign
from assess.documents.domain.bodies import keep_body
from assess.documents.domain.indexing import add_words, index_form, searched_text
from assess.documents.models import Document, DocumentBody
from assess.documents.words import tell_language
from assess.items.models import Item
from assess.rendering.addresses import MEDIA_TYPE as SHEET
from assess.rendering.addresses import linked_sheets
from assess.rendering.encoding import decode_page
from assess.rendering.processes import RenderJob, RenderPool
from assess.rendering.rendered import PAGE_VERSION, TEXT_VERSION, Rendering, Status
from scoring.collections.bundle import Prepared, storable
from scoring.formats.document_facts import kept_fields, title_of
from scoring.records import DocumentRecord, Issue

LOOKUP = 5_000
TITLE_WITHIN = 65_536  # bytes, or characters, of a page in which its title is looked for
TITLE_LIMIT = 300
_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a document came from, and the digest that decides whether two documents with one docno are the same."""

    sha256: str
    source_file: str
    source_offset: int


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document found in a collection file. ``prepared`` holds the page and text that a bundle brings along."""

    record: DocumentRecord
    source: str
    prepared: Prepared | None = None
    sha256: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sha256", hashlib.sha256(self.record.raw).hexdigest())

    @property
    def origin(self) -> Origin:
        """Its digest and its place in the file."""
        return Origin(self.sha256, self.source, self.record.offset)


def known_documents(campaign: Campaign, docnos: Sequence[str]) -> dict[str, Origin]:
    """Return the origins of the stored ones among these documents, by docno. Docnos are looked up in batches."""
    remaining = iter(docnos)
    known: dict[str, Origin] = {}
    while batch := list(islice(remaining, LOOKUP)):
        rows = Document.objects.filter(campaign=campaign, docno__in=batch)
        for row in rows.values_list("docno", "sha256", "source_file", "source_offset"):
            known[row[0]] = Origin(row[1], row[2], row[3])
    return known


def store_documents(*, campaign: Campaign, found: Sequence[FoundDocument], pool: RenderPool) -> list[Document]:
    """Prepare the documents for display and store them in one transaction; link the items that name them.

    Their words are added to the search index. None of the docnos may be stored yet. Raises `Conflict` for a closed
    campaign, and `StoreAway`.
    """
    if not found:
        return []
    sheets = stored_sheets(campaign, [each.record for each in found])
    made = {each.record.docno: kept for each in found if (kept := _as_it_came(each, sheets)) is not None}
    jobs = [render_job(each.record, sheets) for each in found if each.record.docno not in made]
    made |= {job.key: rendering for job, rendering in pool.map(jobs)}
    prepared = [(each, made[each.record.docno]) for each in found]
    documents = [_document(campaign, *each) for each in prepared]
    words = [
        index_form(searched_text(document.title, rendering.text), document.language)
        for document, (_, rendering) in zip(documents, prepared, strict=True)
    ]
    places = {each.record.docno: _stored_columns(each, rendering) for each, rendering in prepared}
    with transaction.atomic():
        lock_open(campaign)
        _add_rows(campaign, documents, prepared, places, words)
        link_items(campaign, [document.docno for document in documents])
    return documents


def _as_it_came(found: FoundDocument, sheets: dict[str, dict[str, str]]) -> Rendering | None:
    """Return a bundle's page and text if they have the versions that this site would make now, otherwise None.

    A page for which stylesheets are stored is made again, since the bundle's page was made without them.
    """
    made = found.prepared
    if (
        made is None
        or sheets.get(found.record.docno)
        or (made.page_version, made.text_version) != (PAGE_VERSION, TEXT_VERSION)
    ):
        return None
    return Rendering(
        page=made.page,
        text=made.text,
        text_sha256=made.text_sha256,
        page_version=made.page_version,
        text_version=made.text_version,
        status=cast(Status, made.status),
        note=made.note,
    )


def _add_rows(
    campaign: Campaign,
    documents: Sequence[Document],
    prepared: Sequence[tuple[FoundDocument, Rendering]],
    kept: Mapping[str, tuple[bytes, bytes | None]],
    words: Sequence[str],
) -> None:
    """Add the documents, their bodies and their words, by COPY or executemany. ``kept`` maps docnos to bytes and
    page.
    """
    fields = [field for field in Document._meta.concrete_fields if not field.primary_key]
    now = timezone.now()
    for document in documents:
        document.created_at = now
    rows = [
        tuple(field.get_db_prep_save(getattr(document, field.attname), connection) for field in fields)
        for document in documents
    ]
    add_rows(Document, [str(field.column) for field in fields], rows)
    docnos = [document.docno for document in documents]
    ids = dict(Document.objects.filter(campaign=campaign, docno__in=docnos).values_list("docno", "pk"))
    bodies = [(ids[found.record.docno], *kept[found.record.docno], rendering.text) for found, rendering in prepared]
    add_rows(DocumentBody, ["document_id", "raw", "page", "text"], bodies)
    add_words([(ids[document.docno], form) for document, form in zip(documents, words, strict=True)])


def _stored_columns(found: FoundDocument, rendering: Rendering) -> tuple[bytes, bytes | None]:
    """Store a document's bytes and page (`keep_body`), and return what their columns hold; None for a document without
    a page. Raises `StoreAway`.
    """
    page = keep_body(rendering.page.encode(errors="replace")) if rendering.page is not None else None
    return keep_body(found.record.raw), page


def stored_sheets(campaign: Campaign, records: Sequence[DocumentRecord]) -> dict[str, dict[str, str]]:
    """Return, by docno, the stored stylesheets that a page links to, by their addresses.

    Stylesheets among these records count as stored.
    """
    linked = {
        each.docno: linked_sheets(each.raw, charset=each.charset, url=each.url)
        for each in records
        if "html" in each.media_type and each.url
    }
    wanted = {address for addresses in linked.values() for address in addresses}
    if not wanted:
        return {}
    rows = DocumentBody.objects.filter(document__campaign=campaign, document__media_type=SHEET)
    known = dict(rows.filter(document__url__in=wanted).values_list("document__url", "text"))
    for each in records:
        if each.media_type == SHEET and each.url in wanted:
            known.setdefault(each.url, decode_page(each.raw, each.charset)[0])
    return {docno: {each: known[each] for each in addresses if each in known} for docno, addresses in linked.items()}


def render_job(record: DocumentRecord, sheets: dict[str, dict[str, str]]) -> RenderJob:
    return RenderJob(
        key=record.docno,
        raw=record.raw,
        media_type=record.media_type,
        charset=record.charset,
        url=record.url,
        sheets=sheets.get(record.docno, {}),
    )


def _document(campaign: Campaign, found: FoundDocument, rendering: Rendering) -> Document:
    record = found.record
    return Document(
        campaign=campaign,
        docno=record.docno,
        media_type=record.media_type[:100],
        charset=(record.charset or "")[:50],
        url=storable(record.url),
        title=page_title(record),
        fields={storable(name): storable(value) for name, value in kept_fields(record.fields).items()},
        size=len(record.raw),
        sha256=found.sha256,
        source_file=found.source[:500],
        source_offset=record.offset,
        text_sha256=rendering.text_sha256,
        text_version=rendering.text_version,
        page_version=rendering.page_version,
        status=rendering.status,
        note=rendering.note,
        language=tell_language(rendering.text),
    )


def link_items(campaign: Campaign, docnos: Sequence[str]) -> None:
    """Set the document of each item that names one of these docnos."""
    document = Document.objects.filter(campaign=campaign, docno=OuterRef("docno")).values("pk")
    Item.objects.filter(topic__campaign=campaign, docno__in=docnos).update(document=Subquery(document[:1]))


def page_title(record: DocumentRecord) -> str:
    """Return a page's title on one line: the text of its first <title>, or else the record's title, or else ""."""
    if b"<title" in record.raw[:TITLE_WITHIN].lower():
        match = _TITLE.search(decode_page(record.raw, record.charset)[0][:TITLE_WITHIN])
        if match is not None and (title := " ".join(storable(html.unescape(match[1])).split())):
            return title[:TITLE_LIMIT]
    return " ".join(storable(title_of(record.fields)).split())[:TITLE_LIMIT]


def differs(each: FoundDocument, source: str) -> Issue:
    """Return the issue of a document that is stored already, from another file, with other content."""
    message = (
        f"{each.record.docno} is stored already, from {source}, with other content. What is stored was kept; "
        "take one of the two out of the collection."
    )
    return in_file(each.source, Issue(where=each.record.line, code="document-differs", message=message))


def again(each: FoundDocument, source: str) -> Issue:
    """Return the warning of a document that is stored already, from another file, with the same content."""
    message = f"{each.record.docno} stands in {source} too, with the same content; it was stored once."
    issue = Issue(where=each.record.line, code="document-twice", message=message, severity="warning")
    return in_file(each.source, issue)
