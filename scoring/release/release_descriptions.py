"""Describes a release for catalogues of data sets, from its other files: Croissant 1.0 (MLCommons) and RO-Crate 1.1.

Both list every other file with its sha256 and size, and contain nothing that is not in the manifest. Croissant also
names the columns of JSON lines files, so that its readers return them as records.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from scoring.release.releases import (
    ACCEPTANCES,
    AGREEMENT,
    AGREEMENTS,
    ANCHORS,
    CHUNK,
    DESIGN,
    DRAFTS,
    ITEMS,
    JUDGMENT_TABLE,
    JUDGMENTS,
    LEFT_ITEMS,
    MEANS,
    POOLS,
    README,
    TOPIC_CHANGES,
    TOPICS,
    WORK,
)

CROISSANT = "croissant.json"
RO_CRATE = "ro-crate-metadata.json"

WORDS = {
    README: "what each file is",
    TOPICS: "the topics",
    JUDGMENTS: "everything that people said, act by act, under pseudonyms",
    JUDGMENT_TABLE: "everything that people said, as a table",
    ITEMS: "what was pooled",
    LEFT_ITEMS: "what was judged and then left the pools",
    POOLS: "the pools, with strata and probabilities",
    WORK: "who had which work, under pseudonyms",
    ANCHORS: "where snippets stand in documents",
    MEANS: "the mean of each measure, run by run",
    AGREEMENT: "how assessors agree",
    DESIGN: "the evaluation itself",
    TOPIC_CHANGES: "which topics were amended or dropped, and why",
    DRAFTS: "how topics came about",
    AGREEMENTS: "the versions of the user agreement",
    ACCEPTANCES: "which team accepted which version",
}
FORMS = {
    ".jsonl": "application/jsonlines",
    ".json": "application/json",
    ".tsv": "text/tab-separated-values",
    ".md": "text/markdown",
    ".toml": "application/toml",
    ".xml": "application/xml",
    ".parquet": "application/vnd.apache.parquet",
}
TEXT, WHOLE, REAL = "sc:Text", "sc:Integer", "sc:Float"
COLUMNS = {
    TOPICS: {"number": TEXT, "task": TEXT, "text": TEXT, "parent": TEXT, "ordinal": WHOLE},
    JUDGMENTS: {
        "topic": TEXT, "do": TEXT, "by": TEXT, "role": TEXT, "criterion": TEXT, "docno": TEXT, "key": TEXT,
        "answer": TEXT, "value": TEXT, "note": TEXT, "nugget": TEXT, "importance": TEXT, "text": TEXT, "class": TEXT,
    },
    ITEMS: {"topic": TEXT, "kind": TEXT, "key": TEXT, "docno": TEXT, "text": TEXT},
    POOLS: {"topic": TEXT, "task": TEXT, "kind": TEXT, "key": TEXT, "stratum": TEXT, "probability": REAL},
    WORK: {"topic": TEXT, "stage": TEXT, "by": TEXT, "role": TEXT, "state": TEXT, "after": WHOLE},
}  # fmt: skip
"""The columns of the JSON lines files that every release may have; columns that no line has are left out."""

_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The context given in the specification of Croissant 1.0."""


def descriptions(manifest: Mapping[str, Any], path_of: Callable[[str], Path]) -> Iterator[tuple[str, str]]:
    """Yield the name and text of the two files that describe the release with this manifest. The manifest may list
    these files.
    """
    for name, said in ((CROISSANT, _croissant(manifest, path_of)), (RO_CRATE, _ro_crate(manifest))):
        yield name, json.dumps(said, ensure_ascii=False, indent=1, sort_keys=True)


def _croissant(manifest: Mapping[str, Any], path_of: Callable[[str], Path]) -> dict[str, Any]:
    files = _files(manifest)
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        **_about(manifest),
        "distribution": [{"@type": "cr:FileObject", "@id": name, **each} for name, each in files.items()],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": PurePosixPath(name).stem,
                "name": PurePosixPath(name).stem,
                "description": WORDS[name],
                "field": [_field(name, column, COLUMNS[name][column]) for column in columns],
            }
            for name in COLUMNS
            if name in files and (columns := _columns_in(path_of(name), COLUMNS[name]))
        ],
    }


def _columns_in(path: Path, columns: Iterable[str]) -> list[str]:
    """Return those of ``columns`` that occur in any line of the file. The name of a column inside a text is not
    mistaken for the column, since quotation marks in texts are escaped.
    """
    marks = {column: f'"{column}": '.encode() for column in columns}
    found: set[str] = set()
    if not path.is_file():
        return []
    with path.open("rb") as file:
        while block := file.read(CHUNK):
            block += file.readline()
            found |= {column for column, mark in marks.items() if column not in found and mark in block}
    return [column for column in columns if column in found]


def _field(name: str, column: str, kind: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{PurePosixPath(name).stem}/{column}",
        "name": column,
        "dataType": kind,
        "source": {"fileObject": {"@id": name}, "extract": {"column": column}},
    }


def _ro_crate(manifest: Mapping[str, Any]) -> dict[str, Any]:
    files = _files(manifest)
    return {
        "@context": "https://w3id.org/ro/crate/1.1/context",
        "@graph": [
            {
                "@id": RO_CRATE,
                "@type": "CreativeWork",
                "about": {"@id": "./"},
                "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
            },
            {"@id": "./", "@type": "Dataset", **_about(manifest), "hasPart": [{"@id": name} for name in files]},
            *(
                {"@id": name, "@type": "File", **{key: value for key, value in each.items() if key != "contentUrl"}}
                for name, each in files.items()
            ),
        ],
    }


def _about(manifest: Mapping[str, Any]) -> dict[str, Any]:
    campaign = manifest["campaign"]
    text = (
        f"Judgments and scores of an evaluation ({manifest['track']}), as of ledger point {manifest['as_of']}. "
        f"Assessors, teams and runs stand under pseudonyms. README.md says what each file is."
    )
    dated = {"datePublished": manifest["frozen"]} if "frozen" in manifest else {}
    return {"name": campaign.get("title") or campaign.get("slug", ""), "description": text, **dated}


def _files(manifest: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return every file that the manifest lists, except the descriptions themselves."""
    return {
        name: {
            "name": name,
            "description": WORDS.get(name, name.partition("/")[0]),
            "contentUrl": name,
            "contentSize": f"{said['size']} B",
            "encodingFormat": FORMS.get(PurePosixPath(name).suffix, "text/plain"),
            "sha256": str(said["sha256"]),
        }
        for name, said in sorted(manifest["files"].items())
        if name not in (CROISSANT, RO_CRATE)
    }
