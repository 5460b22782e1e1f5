"""What the program knows of collections by their names: the keys of a collection file that are the same for everybody.

`preset = "climbmix"` in a collection file gives them; a key that stands there wins over that of the preset. Ids of
MS MARCO v2.1, ClimbMix and ClueWeb22 are addresses; a segment's byte is that of the segmented file. Sources: the
descriptions that the collections' makers published, read in 2026.
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
    "climbmix": {
        "form": "parquet",
        "text": ["text"],
        "address": {"pattern": r"(?P<shard>shard_[0-9]+)_(?P<row>[0-9]+)", "shard": "{shard}.parquet"},
    },
    "ragtime": {"form": "json-lines", "id": "id", "text": ["text"], "title": "title", "url": "url", "date": "date"},
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
