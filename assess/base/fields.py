"""Columns of text that refuse what a database can't store, in words and on every database alike.

SQLite stores a text of any length in any column, and a NUL; PostgreSQL refuses both with an error of its own, which
nobody who typed a long name could read. So the column itself looks at each value that is written, whichever page, call,
command or file it came from.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils.translation import gettext

from assess.base.errors import Invalid

Set = TypeVar("Set", contravariant=True)
Get = TypeVar("Get", covariant=True)


class CharField(models.CharField[Set, Get]):
    """At most ``max_length`` characters, none of them a NUL or half of a character."""

    def get_db_prep_save(self, value: Any, connection: BaseDatabaseWrapper) -> Any:
        """Return the value as it is stored; `Invalid` where it can't be."""
        check_text(self, value)
        return super().get_db_prep_save(value, connection)

    def deconstruct(self) -> Any:
        """For migrations it is a plain column."""
        return _plain(super().deconstruct(), "CharField")


class TextField(models.TextField[Set, Get]):
    """Text of any length without a NUL or half of a character."""

    def get_db_prep_save(self, value: Any, connection: BaseDatabaseWrapper) -> Any:
        """Return the value as it is stored; `Invalid` where it can't be."""
        check_text(self, value)
        return super().get_db_prep_save(value, connection)

    def deconstruct(self) -> Any:
        """For migrations it is a plain column."""
        return _plain(super().deconstruct(), "TextField")


class JSONField(models.JSONField[Set, Get]):
    """JSON in whose texts, at any depth, there is no NUL and no half of a character."""

    def get_db_prep_save(self, value: Any, connection: BaseDatabaseWrapper) -> Any:
        """Return the value as it is stored; `Invalid` where it can't be."""
        _check_json(self, value)
        return super().get_db_prep_save(value, connection)

    def deconstruct(self) -> Any:
        """For migrations it is a plain column."""
        return _plain(super().deconstruct(), "JSONField")


def check_text(field: models.Field[Any, Any], value: Any) -> None:
    """Refuse a text that the column can't hold; other values are ignored."""
    if not isinstance(value, str):
        return
    name = str(field.verbose_name)
    name = name[:1].upper() + name[1:]
    if field.max_length is not None and len(value) > field.max_length:
        told = f"{name}: {len(value):,} characters are too many; at most {field.max_length:,} are kept. Shorten it."
        raise Invalid(told, code="too-long")
    if "\0" in value or not _is_whole(value):
        raise Invalid(
            gettext("%(name)s: there is a character in it that can't be stored. Remove it.") % {"name": name},
            code="unstorable",
        )


def _check_json(field: models.Field[Any, Any], value: Any) -> None:
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            if "\0" in each or not _is_whole(each):
                raise Invalid(
                    gettext("%(verbose_name)s: there is a character in it that can't be stored. Remove it.")
                    % {"verbose_name": field.verbose_name},
                    code="unstorable",
                )
        elif isinstance(each, Mapping):
            waiting += [*each.keys(), *each.values()]
        elif isinstance(each, list | tuple):
            waiting += each


def _is_whole(text: str) -> bool:
    """Whether no half of a character (a lone surrogate, which JSON can name) stands in it."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _plain(deconstructed: Any, name: str) -> Any:
    own, _, arguments, options = deconstructed
    return own, f"django.db.models.{name}", arguments, options
