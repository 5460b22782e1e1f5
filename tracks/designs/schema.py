"""Make the JSON Schema of designs, docs/design.schema.json, with which editors complete and explain designs."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from tracks.designs.described_work import described_works, design_model, tables_of_runs
from tracks.designs.form_tables import FORMS
from tracks.designs.reading import gallery

EXAMPLES = 3
"""The most example values of a member."""

TABLES: Mapping[str, tuple[str, ...]] = {
    "topics": ("Topics",),
    "documents": ("Documents",),
    "pool": ("Pool",),
    "questions": ("Question",),
    "scores": ("Scores",),
    "guidelines": ("Guidelines",),
    "grades": ("Grade",),
    "measures": ("MeasureLine",),
    "repeats": ("Repeats",),
    "control": ("Control",),
    "practice": ("Practice",),
    "hand_out": ("HandOut",),
    "agreement": ("Agreement",),
    "citations": ("Citations",),
}
"""The schema's definitions for each form and its inner tables, except those of stages and runs."""


def _tables() -> dict[str, tuple[str, ...]]:
    """Return `TABLES`, with the tables of all kinds of work and all forms of runs added."""
    stages = tuple(said.table.__name__ for said in described_works().values())
    runs = tuple(table.__name__ for table in tables_of_runs())
    return {**TABLES, "stages": stages, "checks": stages, "runs": runs}


def schema_of_designs() -> dict[str, Any]:
    """Return the JSON Schema of design files, which allows only known members and defines each kind of work.

    Members are described in the words of the editor's forms, with examples from the designs that Assay includes.
    """
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **design_model().model_json_schema()}
    found, tables = list(_values()), _tables()
    for form, fields in FORMS.items():
        for table in [schema["$defs"][name] for name in tables[form]] if form else [schema]:
            for field in fields:
                outer, _, inner = field.name.rpartition(".")
                inside = schema["$defs"][tables[outer][0]] if outer else table
                member = inside["properties"].get(inner)
                if member is not None:
                    member["description"] = " ".join(part for part in (f"{field.label}.", field.help) if part)
    for name, table in {"": schema, **schema["$defs"]}.items():
        form = next((each for each, names in tables.items() if name in names), name)
        for member, told in table.get("properties", {}).items():
            examples = [value for where, key, value in found if (where, key) == (form, member)]
            if distinct := [value for place, value in enumerate(examples) if value not in examples[:place]]:
                told["examples"] = distinct[:EXAMPLES]
    return _over_a_base(schema)


def _merged() -> tuple[str, ...]:
    """Return the names of the tables that are merged with the same table of a base, member by member. Any other table
    of a design replaces that of the base.
    """
    return ("Question", "Unsure", "People", "Repeats", "Practice", *_tables()["runs"], *_tables()["stages"])


def _over_a_base(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema for designs with a base: only members that no base can give are required."""
    needs = deepcopy(schema)
    for name in _merged():
        schema["$defs"][name].pop("required", None)
        for member in schema["$defs"][name]["properties"].values():
            member.pop("minItems", None)
    del schema["required"]
    schema["properties"]["stages"].pop("minItems")
    for place in (schema["properties"]["stages"]["items"], schema["properties"]["runs"]):
        place["anyOf"] = place.pop("oneOf")  # without `work` or `form` several may fit
        del place["discriminator"]
    schema["if"] = {"not": {"required": ["base"]}}
    schema["then"] = _needed(needs, needs["$defs"])
    return schema


def _needed(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> dict[str, Any]:
    """Return only that part of a schema that says which members a table and its inner tables require."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return _needed(defs[name], defs) if name in _merged() else {}
    if tag := schema.get("discriminator"):
        member = tag["propertyName"]
        forms = {value: _needed({"$ref": ref}, defs) for value, ref in tag["mapping"].items()}
        conditions = [
            {"if": {"required": [member], "properties": {member: {"const": value}}}, "then": inner}
            for value, inner in forms.items()
            if inner
        ]
        return {"allOf": [{"required": [member]}, *conditions]}
    if tables := [each for each in schema.get("anyOf", ()) if "$ref" in each]:  # besides null, a number or a word
        inner = _needed(tables[0], defs)
        return {"if": {"type": "object"}, "then": inner} if inner else {}
    found = {name: schema[name] for name in ("required", "minItems") if name in schema}
    inside = {name: _needed(each, defs) for name, each in schema.get("properties", {}).items()}
    if inside := {name: each for name, each in inside.items() if each}:
        found["properties"] = inside
    if "items" in schema and (items := _needed(schema["items"], defs)):
        found["items"] = items
    return found


def _values() -> Iterator[tuple[str, str, Any]]:
    """Yield (form, member, value) for each value in the designs of the gallery. Tables are not yielded themselves."""
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
