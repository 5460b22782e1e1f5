"""Arguments for a job of each kind, made in the campaign of ranked runs."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from assess.base.files import store_file
from assess.campaigns.queries import ledger_point
from assess.judging.snapshots import Snapshot
from assess.models import Campaign, Item
from assess.pools.domain.strategy import make_selection, selection_json
from assess.scores.at_hand import job_arguments
from tests import factories
from tests.assess.documents.blog_documents import record


def stored(content: str) -> str:
    return store_file(io.BytesIO(content.encode())).sha256


def loose_documents(campaign: Campaign) -> dict[str, Any]:
    for docno in ("L1", "L2"):
        factories.document(campaign, docno)
    return {"source": "made by a factory"}


def translated_documents(campaign: Campaign) -> dict[str, Any]:
    loose_documents(campaign)
    lines = "".join(f'{{"docno": "{docno}", "language": "de", "text": "Ein Satz."}}\n' for docno in ("L1", "L2"))
    return {"sha256": stored(lines), "name": "german.jsonl", "language": "", "tool": "by hand"}


def documents_elsewhere(campaign: Campaign) -> dict[str, Any]:
    other = Campaign.objects.create(slug="other", title="Other", track="adhoc")
    loose_documents(other)
    return {"campaign": other.pk}


def pooled_documents(campaign: Campaign) -> dict[str, Any]:
    for item in Item.objects.filter(topic__number="1", key__in=["Da", "Db"]):
        item.document = factories.document(campaign, item.key)
        item.save()
    return {"likeness": None}


def older_pages(campaign: Campaign) -> dict[str, Any]:
    loose_documents(campaign)
    campaign.documents.update(page_version="older")
    return {}


def checked_run(campaign: Campaign) -> dict[str, Any]:
    run = campaign.runs.get(tag="alp1")
    campaign.runs.filter(pk=run.pk).update(state="checking")
    return {"run": run.pk}


def frozen(campaign: Campaign) -> dict[str, Any]:
    Campaign.objects.filter(pk=campaign.pk).update(state="frozen")
    return {}


ARGUMENTS: dict[str, Callable[[Campaign], dict[str, Any]]] = {
    "pool-checks": lambda _: {"task": "ranking"},
    "documents": lambda _: {
        "files": [{"sha256": stored((record("D1") + record("D2")).decode()), "name": "a.trec"}],
        "wanted": "all",
    },
    "translations": translated_documents,
    "documents-copy": documents_elsewhere,
    "documents-out": loose_documents,
    "clusters": pooled_documents,
    "pages": older_pages,
    "docnos": lambda _: {"sha256": stored("D1\nD2\n"), "name": "docnos.txt"},
    "rankings": lambda _: {"task": "ranking"},
    "pool": lambda _: {
        "task": "ranking",
        "priorities": None,
        "drop_judged": False,
        "selection": stored(selection_json(make_selection({"strategy": "depth", "depth": 4}))),
    },
    "check-run": checked_run,
    "release": frozen,
    "agreement": lambda _: {
        "as_of": None,
        "stage": "documents",
        "criterion": "relevance",
        "judges": ["official", "primary"],
        "relevant": 1.0,
    },
    "judgments": lambda _: {"sha256": stored(""), "name": "said.jsonl", "people": {}},
    "exports": lambda campaign: {"as_of": ledger_point(campaign)},
    "draft-uses": lambda _: {},
    "machine-judge": lambda _: {
        "name": "umbrela",
        "files": [{"sha256": stored("1 0 a 1\n"), "name": "some.qrels"}],
        **dict.fromkeys(("kind", "criterion"), ""),
    },
    "pool-counts": lambda campaign: {"pools": [pool.pk for pool in campaign.pools.all()]},
    "pool-quality": lambda _: {"task": "ranking"},
    "scores": lambda campaign: job_arguments(Snapshot(campaign), None),
}
