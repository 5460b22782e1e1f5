"""Finds the title, date and source of a document among its fields, under the names that collections use for them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

TITLE_NAMES = ("HEADLINE", "TITLE", "HL", "HEAD", "TI", "TTL", "DOCTITLE", "H3")
DATE_NAMES = (
    "DATE",
    "DATE_TIME",
    "DATETIME",
    "DATE_XML",
    "DATE1",
    "DD",
    "PUBDATE",
    "PUBLISHED",
    "PUBLISHED_DATE",
    "PUBLISH_TIME",
    "TIMESTAMP",
    "CREATED",
    "DP",
    "YEAR",
)
SOURCE_NAMES = ("SOURCE", "SO", "PUB", "JOURNAL", "TA", "PUBLISHER", "VENUE", "NEWSPAPER", "SOURCE_X", "NAME")
"""The names of the source, the likeliest first, in any case."""


def title_of(fields: Mapping[str, str]) -> str:
    """Return the title of a document, or "".

    >>> title_of({"TI": "On bees", "DD": "03/24/87"})
    'On bees'
    """
    return _first(fields, TITLE_NAMES)


def date_of(fields: Mapping[str, str]) -> str:
    """Return the date of a document as it is written there, or ""."""
    return _first(fields, DATE_NAMES)


def source_of(fields: Mapping[str, str]) -> str:
    """Return where a document appeared, such as a newspaper or journal, or ""."""
    return _first(fields, SOURCE_NAMES)


def further_fields(fields: Mapping[str, str]) -> dict[str, str]:
    """Return a document's fields other than its title, its date, its source and SHARD, in which a bundle names the
    shard.
    """
    known = {_name(fields, names) for names in (TITLE_NAMES, DATE_NAMES, SOURCE_NAMES)} | {"SHARD"}
    return {name: value for name, value in fields.items() if name not in known}


def _first(fields: Mapping[str, str], names: Sequence[str]) -> str:
    name = _name(fields, names)
    return fields[name] if name is not None else ""


def _name(fields: Mapping[str, str], names: Sequence[str]) -> str | None:
    """Return the name of the field that holds a fact. It is the first of ``names``, which are sorted by likelihood,
    that has a value. Return None if none has a value.
    """
    by_name = {name.upper(): name for name in reversed(list(fields)) if fields[name]}
    return next((by_name[each] for each in names if each in by_name), None)


# Members of JSON objects, columns and similar values as fields.


UNNAMED = "(unnamed)"
"""The name given to a column without a name."""

INDEX = ("", "Unnamed: 0", "__index_level_0__")
"""What R and pandas call the column in which they number the rows."""


def is_row_number(name: str, value: object) -> bool:
    """Return whether a member is the number that R or pandas gave a row, which says nothing of what is in the row.

    >>> is_row_number("", "7"), is_row_number("", "seven"), is_row_number("id", "7")
    (True, False, False)
    """
    return name in INDEX and str(value).isdecimal()


def further_members(value: Mapping[str, Any], used: Collection[str], before: str = "") -> Iterator[tuple[str, str]]:
    """Yield the members that are not in ``used``, as texts. Values that are not texts are written as JSON; empty ones
    are left out, as are row numbers.

    If a member of an inner object is used ("doc.segment"), its other members are named by their path.

    >>> list(further_members({"id": 7, "lang": "en", "doc": {"text": "x", "year": 2020}}, {"id", "doc.text"}))
    [('lang', 'en'), ('doc.year', '2020')]
    """
    for key, member in value.items():
        name = f"{before}{key or UNNAMED}"
        if name in used or member is None or member == "" or member == [] or member == {}:
            continue
        if is_row_number(key, member):
            continue
        if isinstance(member, Mapping) and any(each.startswith(f"{name}.") for each in used):
            yield from further_members(member, used, f"{name}.")
        else:
            yield name, member if isinstance(member, str) else json.dumps(member, ensure_ascii=False, default=str)


def with_further(fields: Mapping[str, str], further: Mapping[str, str]) -> dict[str, str]:
    """Return the fields that have a value, and then all further ones. If the name of a further field is used already,
    "_" is appended to it.
    """
    found = {name: value for name, value in fields.items() if value}
    for name, value in further.items():
        while name in found:
            name += "_"
        found[name] = value
    return found


# Which fields may be stored beside a document.

FIELD_LIMIT = 10_000
"""The most characters in one field. A longer field is another text, which nobody reads beside the document."""

TELLS_OF_RUNS = frozenset(
    {"SCORE", "SCORES", "RANK", "RUN", "RUN_ID", "RUNID", "RUN_TAG", "TEAM", "TEAM_ID", "QREL", "QRELS", "REL"}
    | {"RELEVANCE", "JUDGMENT", "JUDGEMENT", "GRADE"}
)
"""Fields in which a run or another judge's judgment describes a document. Nobody who judges may see them."""


_ENDS_IN = ("_SCORE", "_RANK", "_RUN", "_RUN_ID")
_MEMBER = re.compile(r'"([^"\\]{1,40})"\s*:')


def kept_fields(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a document that may be shown beside it. They are short and reveal nothing about runs or
    judgments.

    >>> kept_fields({"author": "Ann", "score": "2.0", "hit": '{"rank": 1}', "html": "x" * 10_001})
    {'author': 'Ann'}
    """
    return {
        name: value for name, value in fields.items() if len(value) <= FIELD_LIMIT and not _would_reveal(name, value)
    }


def _would_reveal(name: str, value: str) -> bool:
    """Return whether a field, or a member of the JSON in it, mentions runs or judgments."""
    inside = _MEMBER.findall(value) if value.startswith(("{", "[")) else []
    last = [each.rpartition(".")[2].upper() for each in (name, *inside)]
    return any(each in TELLS_OF_RUNS or each.endswith(_ENDS_IN) for each in last)
