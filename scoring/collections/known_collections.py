"""The keys of a collection file that are the same for everybody, for collections that are known by name.

`preset = "climbmix"` in a collection file selects such a set of keys, and a key in the file overrides that of the
preset. Ids of MS MARCO v2.1, ClimbMix and ClueWeb22 are addresses. An MS MARCO segment's id names a byte of the
segmented file. Sources: the descriptions that the collections' makers published, read in 2026.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_CLUEWEB22 = r"clueweb22-(?P<lang>[a-z]+)(?P<dir>[0-9]{4})-(?P<file>[0-9]{2})-(?P<record>[0-9]{5})"

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "msmarco-v2.1-documents": {
        "form": "json-lines",
        "id": "docid",
        "text": ["headings", "body"],
        "title": "title",
        "url": "url",
        "address": {
            "pattern": r"msmarco_v2\.1_doc_(?P<file>[0-9]+)_(?P<byte>[0-9]+)",
            "shard": "msmarco_v2.1_doc_{file}.json",
        },
    },
    "msmarco-v2.1-segments": {
        "form": "json-lines",
        "id": "docid",
        "text": ["headings", "segment"],
        "title": "title",
        "url": "url",
        "address": {
            "pattern": r"msmarco_v2\.1_doc_(?P<file>[0-9]+)_[0-9]+#[0-9]+_(?P<byte>[0-9]+)",
            "shard": "msmarco_v2.1_doc_segmented_{file}.json",
        },
    },
    "msmarco-v2-documents": {
        "form": "json-lines",
        "id": "docid",
        "text": ["headings", "body"],
        "title": "title",
        "url": "url",
        "address": {
            "pattern": r"msmarco_doc_(?P<file>[0-9]+)_(?P<byte>[0-9]+)",
            "shard": "msmarco_doc_{file}",
        },
    },
    "msmarco-v2-passages": {
        "form": "json-lines",
        "id": "pid",
        "text": ["passage"],
        "address": {
            "pattern": r"msmarco_passage_(?P<file>[0-9]+)_(?P<byte>[0-9]+)",
            "shard": "msmarco_passage_{file}",
        },
    },
    "climbmix": {
        "form": "parquet",
        "text": ["text"],
        "address": {"pattern": r"(?P<shard>shard_[0-9]+)_(?P<row>[0-9]+)", "shard": "{shard}.parquet"},
    },
    "ragtime": {"form": "json-lines", "id": "id", "text": ["text"], "title": "title", "url": "url", "date": "date"},
    "beir": {"form": "json-lines", "id": "_id", "text": ["text"], "title": "title"},
    "washington-post": {
        "form": "json-lines",
        "id": "id",
        "text": ["contents"],
        "title": "title",
        "url": "article_url",
        "date": "published_date",
        "media_type": "text/html",
    },
    "clueweb22-text": {
        "form": "json-lines",
        "id": "ClueWeb22-ID",
        "text": ["Clean-Text"],
        "url": "URL",
        "address": {"pattern": _CLUEWEB22, "shard": "{lang}{dir}-{file}.json"},
    },
    "clueweb22-html": {
        "form": "warc",
        "id": ["ClueWeb22-ID", "WARC-TREC-ID"],
        "address": {"pattern": _CLUEWEB22, "shard": "{lang}{dir}-{file}.warc"},
    },
    "pubmed": {"form": "pubmed-xml"},
    "pyserini": {"form": "json-lines", "id": "id", "text": ["contents"]},
}

RECORD_PRESETS: Mapping[str, Mapping[str, Any]] = {
    "cord19": {"form": "csv", "id": "cord_uid", "text": ["abstract"], "title": "title", "url": "url"},
    "msmarco-v1-passages": {"form": "tsv", "header": "no", "id": "1", "text": ["2"]},
    "msmarco-v1-documents": {"form": "tsv", "header": "no", "id": "1", "url": "2", "title": "3", "text": ["4"]},
    "castorini": {
        "form": "json-lines",
        "listed": "candidates",
        "id": "docid",
        "text": ["doc.headings", "doc.segment", "doc.contents", "doc.text", "doc.content", "doc.passage", "content"],
        "title": "doc.title",
        "url": "doc.url",
    },
}
"""The presets for files that are read as a whole and never searched in place: CORD-19's metadata.csv, MS MARCO's
collection.tsv and msmarco-docs.tsv, and the candidates of each query that Castorini's tools exchange (Anserini,
rank_llm, umbrela).
"""
