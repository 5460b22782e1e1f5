"""Services that search a whole collection if the site stores only judged documents: Pyserini's REST service, RoutIR.

The settings name one address of each, and the campaigns that use it; without them the site searches alone. What a
service returns is not trusted: it is read within bounds, and shown as text. Forms, as of 2026:

    Pyserini   GET /v1/<index>/search?query=…&hits=100 -> {"candidates": [{"docid", "rank", "score", "doc"}, …]}
               best first; `doc` is the indexed document: an object, a text, or any other JSON value
    RoutIR     POST /search {"service", "query", "limit"} -> {"scores": {docno: score, …}}, in no order
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy

from assess.base.http_json import Service, ServiceAway, ask_json
from assess.campaigns.models import Campaign
from assess.documents.models import Document
from assess.documents.queries.search import (
    NOTHING_FOUND,
    PAGE_LIMIT,
    QUERY_LIMIT,
    FoundText,
    Hit,
    SearchPage,
    found_texts,
    phrases_of,
)
from assess.documents.queries.search import search_documents as search_the_site
from assess.documents.queries.snippets import SOURCE, make_snippet
from assess.documents.words import UNKNOWN

DEPTH = 100
"""The number of documents requested from a service, and the depth to which its ranking is shown."""

TITLE = 300
_TEXTS = ("contents", "text", "segment", "body", "passage")
_TITLES = ("title", "headline")

Ranking = Callable[[str], "Iterable[Ranked]"]


class SearchBackend(Protocol):
    """A way to search for documents: the site's own index, or a service for the whole collection."""

    @property
    def label(self) -> str:
        """The name of the service and its host, as the page shows it; "" for the site itself."""
        ...

    def search(self, campaign: Campaign, query: str, *, limit: int, offset: int) -> SearchPage:
        """Return a page of the documents that match, best first. Raises `ServiceAway` if a service does not answer."""
        ...


def backend_of(campaign: Campaign, *, own: bool = False) -> SearchBackend:
    """Return the campaign's search backend: the service that the settings name for it, or else, and with ``own``, the
    site's own search.
    """
    if own:
        return SiteSearch()
    pyserini = Service(name="Pyserini", address=settings.ASSAY_PYSERINI, token=settings.ASSAY_PYSERINI_TOKEN)
    routir = Service(name="RoutIR", address=settings.ASSAY_ROUTIR, token=settings.ASSAY_ROUTIR_TOKEN)
    if index := settings.ASSAY_PYSERINI_INDEXES.get(campaign.slug):
        return Pyserini(pyserini, index)
    if engine := settings.ASSAY_ROUTIR_SERVICES.get(campaign.slug):
        return RoutIR(routir, engine)
    return SiteSearch()


@dataclass(frozen=True, slots=True)
class SiteSearch:
    """The site's index of the documents that the campaign stores."""

    label: str = ""

    def search(self, campaign: Campaign, query: str, *, limit: int, offset: int) -> SearchPage:
        """Return what `search_documents` returns."""
        return search_the_site(campaign, query, limit=limit, offset=offset)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A document as a service ranks it, with what the service gives of its title and text."""

    docno: str
    score: float
    title: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Pyserini:
    """An index of Pyserini's REST service."""

    service: Service
    index: str

    @property
    def label(self) -> str:
        """The names of the index and the host."""
        return f"Pyserini ({self.index}, {urlsplit(self.service.address).netloc})"

    def search(self, campaign: Campaign, query: str, *, limit: int, offset: int) -> SearchPage:
        """Return a page of the documents that the service found, in its order."""
        return _page(campaign, query, self.label, limit, offset, self._ranked)

    def _ranked(self, query: str) -> Iterator[Ranked]:
        path = f"/v1/{quote(self.index, safe='')}/search"
        answer = ask_json(self.service, path, params={"query": query, "hits": str(DEPTH)})
        candidates = answer.get("candidates") if isinstance(answer, dict) else None
        if not isinstance(candidates, list):
            raise _unfit(self.service, gettext_lazy("no list of candidates"))
        for each in candidates:
            if not isinstance(each, dict):
                raise _unfit(self.service, gettext_lazy("a candidate that is no object"))
            title, text = _read_document(each.get("doc"))
            yield Ranked(_docno(self.service, each.get("docid")), _score(self.service, each.get("score")), title, text)


@dataclass(frozen=True, slots=True)
class RoutIR:
    """A search engine of a RoutIR service, which returns only docnos and scores."""

    service: Service
    engine: str

    @property
    def label(self) -> str:
        """The names of the engine and the host."""
        return f"RoutIR ({self.engine}, {urlsplit(self.service.address).netloc})"

    def search(self, campaign: Campaign, query: str, *, limit: int, offset: int) -> SearchPage:
        """Return a page of the documents that the service found, by score; ties are ordered by docno."""
        return _page(campaign, query, self.label, limit, offset, self._ranked)

    def _ranked(self, query: str) -> Iterator[Ranked]:
        answer = ask_json(self.service, "/search", body={"service": self.engine, "query": query, "limit": DEPTH})
        scores = answer.get("scores") if isinstance(answer, dict) else None
        if not isinstance(scores, dict):
            raise _unfit(self.service, gettext_lazy("no object of scores"))
        found = [Ranked(_docno(self.service, key), _score(self.service, value)) for key, value in scores.items()]
        yield from sorted(found, key=lambda each: (-each.score, each.docno))


def _page(campaign: Campaign, query: str, label: str, limit: int, offset: int, rank: Ranking) -> SearchPage:
    """Return a part of the ranking; stored documents get their stored title and text. Two queries."""
    limit, offset = min(max(limit, 1), PAGE_LIMIT), max(offset, 0)
    asked = " ".join(query[:QUERY_LIMIT].split())
    if not asked:
        return SearchPage(query=query, searched_by=label, offset=offset)
    first: dict[str, Ranked] = {}
    for found in rank(asked):
        first.setdefault(found.docno, found)
    ranking = list(first.values())[:DEPTH]
    shown = ranking[offset : offset + limit]
    rows = Document.objects.filter(campaign=campaign, docno__in=[each.docno for each in shown])
    stored = {row[1]: row for row in rows.values_list("pk", "docno", "title", "url", "language")}
    texts = found_texts([row[0] for row in stored.values()])
    hits = []
    for place, each in enumerate(shown, start=offset + 1):
        pk, _, title, url, language = stored.get(each.docno, (None, each.docno, each.title, "", UNKNOWN))
        document = FoundText(start=each.text) if pk is None else texts.get(pk, NOTHING_FOUND)
        snippet = make_snippet(document.start, language, phrases_of(asked, language))
        hit = Hit(
            document=pk,
            docno=each.docno,
            title=title,
            url=url,
            snippet=snippet,
            rank=place,
            score=each.score,
            date=document.date,
            source=document.source,
        )
        hits.append(hit)
    return SearchPage(query=query, searched_by=label, hits=tuple(hits), total=len(ranking), offset=offset)


def _read_document(told: Any) -> tuple[str, str]:
    """Return title and text of an indexed document of any form; "" for one that is missing."""
    if isinstance(told, str):
        return "", told[:SOURCE]
    if not isinstance(told, dict):
        return "", ""
    return " ".join(_first(told, _TITLES).split())[:TITLE], _first(told, _TEXTS)[:SOURCE]


def _first(told: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((value for name in names if isinstance(value := told.get(name), str) and value.strip()), "")


def _docno(service: Service, told: Any) -> str:
    docno = str(told) if isinstance(told, str | int) and not isinstance(told, bool) else ""
    if not docno.strip():
        raise _unfit(service, gettext_lazy("a document without a docno"))
    return docno


def _score(service: Service, told: Any) -> float:
    if not isinstance(told, int | float) or isinstance(told, bool):
        raise _unfit(service, gettext_lazy("a score that is no number"))
    return float(told)


def _unfit(service: Service, held: Promise) -> ServiceAway:
    text = gettext_lazy("{name} answered in a form that this site does not know: {held}.")
    return ServiceAway(format_lazy(text, name=service.name, held=held), details=service.address)
