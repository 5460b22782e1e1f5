"""Text columns that refuse what a database can't store, with the same message on every database.

SQLite stores a text of any length in any column, and a NUL. PostgreSQL refuses both with an error of its own, which a
person who typed a long name could not understand. So the column itself checks each value that is written, from
whichever page, call, command or file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils.text import capfirst
from django.utils.translation import gettext

from assess.base.errors import Invalid
from assess.base.numbers import grouped

Set = TypeVar("Set", contravariant=True)
Get = TypeVar("Get", covariant=True)


class CharField(models.CharField[Set, Get]):
    """Text of at most ``max_length`` characters, without NUL or unpaired surrogates."""

    def get_db_prep_save(self, value: Any, connection: BaseDatabaseWrapper) -> Any:
        """Return the value as it is stored. Raises `Invalid` if it can't be stored."""
        check_text(self, value)
        return super().get_db_prep_save(value, connection)

    def deconstruct(self) -> Any:
        """Return the description of a plain column, for migrations."""
        return _plain(super().deconstruct(), "CharField")


class TextField(models.TextField[Set, Get]):
    """Text of any length, without NUL or unpaired surrogates."""

    def get_db_prep_save(self, value: Any, connection: BaseDatabaseWrapper) -> Any:
        """Return the value as it is stored. Raises `Invalid` if it can't be stored."""
        check_text(self, value)
        return super().get_db_prep_save(value, connection)

    def deconstruct(self) -> Any:
        """Return the description of a plain column, for migrations."""
        return _plain(super().deconstruct(), "TextField")


class JSONField(models.JSONField[Set, Get]):
    """JSON whose texts, at any depth, have no NUL and no unpaired surrogate."""

    def get_db_prep_save(self, value: Any, connection: BaseDatabaseWrapper) -> Any:
        """Return the value as it is stored. Raises `Invalid` if it can't be stored."""
        check_text(self, value)
        return super().get_db_prep_save(value, connection)

    def deconstruct(self) -> Any:
        """Return the description of a plain column, for migrations."""
        return _plain(super().deconstruct(), "JSONField")


SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a pair by which UTF-16 writes one character. JSON can contain it alone, which is no text."""


def check_text(field: models.Field[Any, Any], value: Any) -> None:
    """Raise `Invalid` for a text that the column can't store, also within JSON; ignore values of other types."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Mapping):
            waiting += [*each.keys(), *each.values()]
        elif isinstance(each, list | tuple):
            waiting += each
        elif isinstance(each, str):
            if field.max_length is not None and len(each) > field.max_length:
                message = gettext("%(name)s: %(count)s characters are too many; at most %(most)s are kept. Shorten it.")
                name, sizes = capfirst(field.verbose_name), (grouped(len(each)), grouped(field.max_length))
                raise Invalid(message % {"name": name, "count": sizes[0], "most": sizes[1]}, code="too-long")
            if "\0" in each or (not each.isascii() and SURROGATE.search(each)):
                raise Invalid(
                    gettext("%(name)s: there is a character in it that can't be stored. Remove it.")
                    % {"name": capfirst(field.verbose_name)},
                    code="unstorable",
                )


def _plain(deconstructed: Any, name: str) -> Any:
    own, _, arguments, options = deconstructed
    return own, f"django.db.models.{name}", arguments, options
