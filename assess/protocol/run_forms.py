"""Reads `runs/forms.json`, which says in a campaign's folder what the form of a run would: {name: {team, …}}.

A run is named by its file, with or without its suffixes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from assess.protocol.records import RunForm
from scoring.file_kinds import JSON, Kind, of_another_kind, recognise_path
from scoring.reading.json_reading import BadJson, read_json
from scoring.reading.unpacking import plain_name

FORMS = "forms.json"
FORM_KEYS = {field.name for field in fields(RunForm)}
FORM_VALUES = dict.fromkeys(FORM_KEYS, "text") | {
    "priority": "a whole number",
    "automatic": "true or false",
    "fields": "an object of texts",
}


class BadForms(ValueError):
    """The file is malformed. The text says what is wrong, without the file's name."""


def read_run_forms(path: Path) -> dict[str, RunForm]:
    """Return the entries of a `forms.json` by run; empty if there is no such file. Raises BadForms."""
    if not path.is_file():
        return {}
    kinds: tuple[Kind, ...] = ("forms",)
    if (issue := of_another_kind(recognise_path(path), kinds, forms=JSON)) is not None:
        raise BadForms(issue.message)
    try:
        forms = read_json(path.read_bytes())
    except BadJson as error:
        raise BadForms(str(error)) from error
    if not isinstance(forms, dict):
        raise BadForms("The file must hold an object: run tag -> form.")
    return {name: _form(name, values) for name, values in forms.items()}


def _form(name: str, values: Any) -> RunForm:
    if not isinstance(values, dict) or (unknown := set(values) - FORM_KEYS):
        named = ", ".join(sorted(unknown)) if isinstance(values, dict) else "no object"
        raise BadForms(f"the form of {name} has {named}. Its keys are: {', '.join(sorted(FORM_KEYS))}.")
    for key, value in values.items():
        if not _is_fit(key, value):
            raise BadForms(f"{name}: {key} must be {FORM_VALUES[key]}.")
    return RunForm(**values)


def _is_fit(key: str, value: Any) -> bool:
    """Return whether a value of a form has the right type. Without this check, the text “no” would count as true."""
    if key == "priority":
        return value is None or (isinstance(value, int) and not isinstance(value, bool))
    if key == "fields":
        return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())
    return isinstance(value, bool if key == "automatic" else str)


def name_in(forms: Mapping[str, RunForm], path: Path) -> str:
    """Return the name under which the forms list a run file, with or without suffixes; "" if they do not."""
    return next((name for name in _names(path) if name in forms), "")


def unused_forms(forms: Mapping[str, RunForm], paths: Iterable[Path]) -> str:
    """Return a sentence on the entries that name none of these run files, or ""."""
    named = {name for path in paths for name in _names(path)}
    unused = [name for name in forms if name not in named]
    if not unused:
        return ""
    return f"Not used, since no run file in runs/ has this name: {', '.join(unused)}. Name each run by its file."


def _names(path: Path) -> tuple[str, str, str]:
    return path.name, plain_name(path.name), stem_of(path)


def stem_of(path: Path) -> str:
    """Return the file's name without its suffix and without the suffix of its compression.

    >>> stem_of(Path("runs/Harbor1.txt.gz"))
    'Harbor1'
    """
    return Path(plain_name(path.name)).stem
