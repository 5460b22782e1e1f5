"""What a file's name says of a run that does not name itself."""

from __future__ import annotations

from pathlib import Path

SUFFIXES = (".gz", ".zst", ".csv", ".tsv", ".json", ".jsonl", ".txt")
"""Suffixes of formats. Nothing else of a name is taken for one: what follows a point may be a setting of the run."""


def stem(name: str) -> str:
    """A file's name without the suffixes of formats.

    >>> stem("runs/lm-jm_lam0.7.json.gz"), stem(".json")
    ('lm-jm_lam0.7', '.json')
    """
    found = Path(name).name or name
    while (shorter := next((found.removesuffix(each) for each in SUFFIXES if found.endswith(each)), "")) != "":
        found = shorter
    return found
