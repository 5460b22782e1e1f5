"""How many relevant documents there are for a draft's topic, by the search that its author judged."""

from __future__ import annotations

from collections.abc import Mapping

from assess.campaigns.models import Campaign
from assess.documents.queries.search import PAGE_LIMIT, search_documents
from scoring.relevant_estimate import Estimate, estimate_from


def estimate_of(campaign: Campaign, query: str, judged: Mapping[str, bool]) -> Estimate | None:
    """The estimate from the first documents of a search, down to the first that is not judged; None without a search.

    At most the first hundred are looked at. Two queries.
    """
    if not query:
        return None
    page = search_documents(campaign, query, limit=PAGE_LIMIT)
    ranked: list[tuple[str, bool]] = []
    for hit in page.hits:
        if hit.docno not in judged:
            break
        ranked.append((hit.docno, judged[hit.docno]))
    return estimate_from(query=query, ranked=ranked, found=page.total)
