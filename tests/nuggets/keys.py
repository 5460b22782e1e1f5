"""Client keys that tests can name."""

from __future__ import annotations

from uuid import NAMESPACE_OID, UUID, uuid5


def key(name: str) -> UUID:
    return uuid5(NAMESPACE_OID, name)
