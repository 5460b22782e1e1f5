"""The further members of a nugget file's entry, in words for people who judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext

from scoring.formats.match_labels import LABELS
from scoring.formats.rag_nuggets import GROUP
from scoring.reading.opening import excerpt_of

LENGTH = 600
OPINIONS = frozenset({"importance", "weight", "quality", "relevance", "deduplicated"})
"""Other people's opinions of a nugget, which people who vote on it or look for it must not see."""
DRAFT = "machine_draft"
"""The member in which an accepted draft keeps its origin: by, number, text, became."""
ORIGINS = frozenset({LABELS, DRAFT, "creator", "metadata", "run", "run_id", "run_tag", "team", "team_id", "trace"})
"""Members that reveal where a nugget comes from, or in which runs it was seen."""
NAMES = frozenset({"text", GROUP, "number", "question_id", "claim_id", "answer_id", "query_id", "test_collection"})
"""Members that the page shows elsewhere, and identifiers that only programs need."""
HIDDEN = OPINIONS | ORIGINS | NAMES


def visible_members(fields: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return (name, text) for each member that people may see, in the order of the file. For a list of answers, there
    is one pair for each answer.

    >>> visible_members({"answers": [{"answer": "May", "references": ["d-17"]}], "source": "post-edit"})
    (('answer', 'May (references: d-17)'), ('source', 'post-edit'))
    """
    return tuple((name, text) for name, value in _each(fields) if (text := _in_words(value)))


def _each(fields: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in fields.items():
        if name in HIDDEN:
            continue
        said = name.replace("_", " ")[:40]
        if isinstance(value, list) and any(isinstance(each, Mapping) for each in value):
            yield from ((said.removesuffix("s"), each) for each in value)
        else:
            yield said, value


def _in_words(value: Any) -> str:
    """Return a value in words, shortened if it is long."""
    return excerpt_of(_words(value), length=LENGTH)


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        first = value.get("answer", value.get("text"))
        others = ", ".join(_members({name: each for name, each in value.items() if name not in ("answer", "text")}))
        if first is None:
            return others
        return f"{_words(first)} ({others})" if others else _words(first)
    if isinstance(value, list):
        separator = "; " if any(isinstance(each, Mapping) for each in value) else ", "
        return separator.join(filter(None, map(_words, value)))
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    return "" if value is None else str(value)


def _members(value: Mapping[str, Any]) -> Iterator[str]:
    for name, each in value.items():
        if name not in HIDDEN and (words := _words(each)):
            yield f"{name.replace('_', ' ')}: {words}"
