"""The JSON Schema of designs, by which editors complete and explain what one types: docs/design.schema.json."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from tracks.designs.form_fields import FORMS
from tracks.designs.reading import gallery
from tracks.designs.shape import Design

EXAMPLES = 3
"""Values of a member that are shown, at most."""

TABLES: Mapping[str, tuple[str, ...]] = {
    "topics": ("Topics",),
    "documents": ("Documents",),
    "runs": ("RankedRuns", "AnswerRuns", "StringRuns", "ItemRuns"),
    "pool": ("Pool",),
    "stages": ("GradeStage", "NuggetStage", "MatchStage", "PairStage"),
    "questions": ("Question",),
    "scores": ("Scores",),
    "grades": ("Grade",),
    "measures": ("MeasureLine",),
}
"""The definitions that a form writes."""


def schema_of_designs() -> dict[str, Any]:
    """Return the schema: closed, a definition for each kind of work; members have the words of the editor's forms, and
    as examples what the designs that Assay brings say there.
    """
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **Design.model_json_schema()}
    found = list(_values())
    for form, fields in FORMS.items():
        for table in [schema["$defs"][name] for name in TABLES[form]] if form else [schema]:
            for field in fields:
                member = table["properties"].get(field.name)
                if member is not None:
                    member["description"] = " ".join(part for part in (f"{field.label}.", field.help) if part)
    for name, table in {"": schema, **schema["$defs"]}.items():
        form = next((each for each, names in TABLES.items() if name in names), name)
        for member, told in table.get("properties", {}).items():
            examples = [value for where, key, value in found if (where, key) == (form, member)]
            if distinct := [value for place, value in enumerate(examples) if value not in examples[:place]]:
                told["examples"] = distinct[:EXAMPLES]
    return schema


def _values() -> Iterator[tuple[str, str, Any]]:
    """Every value of the gallery that is no table, with the form and the member in which it stands."""
    for text in gallery().values():
        yield from _inside("", tomllib.loads(text))


def _inside(form: str, table: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    for name, value in table.items():
        entries = value if isinstance(value, list) else [value]
        tables = [each for each in entries if isinstance(each, dict)]
        if name in FORMS and tables:
            for each in tables:
                yield from _inside(name, each)
        elif not tables or name in ("people", "unsure", "asked_if"):
            yield form, name, value
