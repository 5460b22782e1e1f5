"""Documents of a blog as a file of the collection has them, and how tests load, list and count them."""

from __future__ import annotations

import io
from pathlib import Path

from django.contrib.auth.models import User

from assess.documents.domain.lists import LoadedList, load_document_list
from assess.documents.domain.loading import LoadedDocuments, load_documents
from assess.models import Campaign
from assess.pools.domain.wanted_documents import docnos_to_store

PAGE = (
    "<html><head><title>Bikes &amp; {name}</title><script>var hidden = 1;</script></head><body><p>I like {name}.</p>"
    "</body></html>\n"
)


def record(docno: str, body: str | None = None, header: str = "Content-Type: text/html; charset=utf-8") -> bytes:
    page = body if body is not None else PAGE.format(name=docno)
    return (
        f"<DOC>\n<DOCNO>{docno}</DOCNO>\n<PERMALINK>http://blog.example/{docno}</PERMALINK>\n<DOCHDR>\n"
        f"http://blog.example/{docno} 0.0.0.0 20051206000000 10\nHTTP/1.1 200 OK\n{header}\n</DOCHDR>\n{page}</DOC>\n"
    ).encode()


def load(campaign: Campaign, actor: User, *sources: Path, wanted: str = "named", **more: object) -> LoadedDocuments:
    found = docnos_to_store(campaign, wanted)
    return load_documents(actor=actor, campaign=campaign, sources=sources, wanted=found, **more)  # type: ignore[arg-type]


def load_list(campaign: Campaign, actor: User, text: str) -> LoadedList:
    return load_document_list(actor=actor, campaign=campaign, stream=io.BytesIO(text.encode()), name="list.txt")


def name(campaign: Campaign, actor: User, *docnos: str) -> None:
    load_list(campaign, actor, "".join(f"1 {rank} {docno} {9 - rank}\n" for rank, docno in enumerate(docnos, 1)))


def docnos(campaign: Campaign) -> list[str]:
    return list(campaign.documents.order_by("docno").values_list("docno", flat=True))
