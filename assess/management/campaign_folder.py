"""Where `load_campaign` finds what in a folder.

topics.xml, …         topic files, by the names in the track's records
docnos.txt[.gz]       valid docnos
lists/*.txt[.gz]      document lists
runs/good/*, runs/*   run files, and runs/forms.json: {run tag or file name: {team, priority, automatic, …}}
documents/            collection files
"""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from assess.domain.errors import Invalid
from assess.protocol import RunForm, TopicFile

FORM_KEYS = {field.name for field in fields(RunForm)}


def topic_files(folder: Path, kinds: tuple[TopicFile, ...]) -> list[tuple[TopicFile, Path]]:
    """Each kind of topic file with the first file that matches one of its names, in the order of the names."""
    found = []
    for kind in kinds:
        matches = (path for pattern in kind.file_names for path in sorted(folder.glob(pattern)) if path.is_file())
        if (first := next(matches, None)) is not None:
            found.append((kind, first))
    return found


def docno_files(folder: Path) -> list[Path]:
    """The lists of valid docnos."""
    return sorted(path for path in folder.glob("docnos*") if path.is_file())


def list_files(folder: Path) -> list[Path]:
    """The document lists."""
    return _visible(folder / "lists")


def run_files(folder: Path) -> list[Path]:
    """The run files: those in runs/good where there is such a folder, else those in runs."""
    runs = folder / "runs"
    good = runs / "good"
    return [path for path in _visible(good if good.is_dir() else runs) if path.name != "forms.json"]


def run_forms(folder: Path) -> dict[str, RunForm]:
    """What runs/forms.json says of each run; empty where there is no such file."""
    path = folder / "runs" / "forms.json"
    if not path.is_file():
        return {}
    try:
        forms = json.loads(path.read_bytes())
    except ValueError as error:
        raise Invalid(f"{path} is not JSON: {error}. Correct it and load again.") from error
    if not isinstance(forms, dict):
        raise Invalid(f"{path} must hold an object: run tag -> form.")
    return {name: _form(path, name, values) for name, values in forms.items()}


def form_for(path: Path, forms: dict[str, RunForm]) -> RunForm:
    """The form of a run file, by its name with or without suffix."""
    form = forms.get(path.name) or forms.get(path.stem)
    if form is None:
        raise Invalid(f"runs/forms.json says nothing about {path.name}. Add “{path.stem}” with its team and priority.")
    return form


def _form(path: Path, name: str, values: Any) -> RunForm:
    if not isinstance(values, dict) or (unknown := set(values) - FORM_KEYS):
        named = ", ".join(sorted(unknown)) if isinstance(values, dict) else "no object"
        raise Invalid(f"{path}: the form of {name} has {named}. Its keys are: {', '.join(sorted(FORM_KEYS))}.")
    return RunForm(**values)


def _visible(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
