"""Which documents were shown with a translation, as a release records it: language and tool, without the texts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from itertools import islice
from typing import Any

from django.db import transaction

from assess.campaigns.models import Campaign
from assess.documents.domain.adding_items import DOCNO_LIMIT
from assess.documents.domain.translations import LANGUAGE, TOOL_LIMIT, add_without_text
from assess.documents.queries.translations import translation_rows
from assess.releases.domain.import_rows import BATCH, ReleaseRows
from assess.releases.domain.import_shapes import text
from assess.releases.domain.renamed_runs import names_any
from assess.runs.queries import RunNames
from scoring.release.releases import TRANSLATIONS, BadRelease

MEMBERS = {
    "docno": text(DOCNO_LIMIT),
    "language": text(35, LANGUAGE.pattern, "en or pt-BR"),
    "tool": text(TOOL_LIMIT),
    "sha256": text(64, "[0-9a-f]{64}", "a sha256"),
}


def translated_documents(campaign: Campaign, names: RunNames) -> Iterator[dict[str, Any]]:
    """Yield a row for each translation, by docno and language. One query.

    A tool whose name contains that of a run or a team is given as "".
    """
    is_naming = cache(partial(names_any, names=names))
    for row in translation_rows(campaign):
        said = dict(zip(MEMBERS, row, strict=True))
        yield said | {"tool": ""} if is_naming(said["tool"]) else said


def add_translated_documents(campaign: Campaign, rows: ReleaseRows) -> None:
    """Store a release's records of translations, without the texts, which a release does not contain.

    Raises `BadRelease` for rows that are not in order or come twice; the batches before them stay.
    """
    if TRANSLATIONS not in rows.release.files:
        return
    last = ("", "")
    remaining = iter(rows.table(TRANSLATIONS, MEMBERS))
    while batch := list(islice(remaining, BATCH)):
        for row in batch:
            if (row["docno"], row["language"]) <= last:
                raise BadRelease(f"{TRANSLATIONS}: {row['docno']} in {row['language']} stands twice or in no order")
            last = (row["docno"], row["language"])
        with transaction.atomic():
            add_without_text(campaign, [(*map(row.__getitem__, MEMBERS),) for row in batch])
