"""Handles: the numbers by which an assessor knows the items of an assignment.

Items are stored in the order in which runs returned them, and control items are stored after all others, so an id would
reveal which run an answer comes from. Whoever judges therefore never receives an item's id: not on pages, in addresses,
in the API, or inside signed tokens. A handle is computed from the id and the assignment and reveals neither. It is a
permutation of the numbers below 2 to the 48th, by four rounds of a Feistel network (Luby and Rackoff, 1988) with a key
of the site. The same item has another handle in another assignment, and nothing is stored.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings
from django.utils.crypto import salted_hmac

HALF = 24
HALF_BITS = (1 << HALF) - 1


ROUNDS = 4


NO_ITEM = 0
"""An id that no item has."""


def settling_scope(campaign_id: int, stage: str, person_id: int) -> str:
    """Return the scope of the handles that an adjudicator sees in a stage, for all its topics.

    One scope is enough, since an item belongs to only one topic.
    """
    return f"{campaign_id}/{stage}/{person_id}"


def handle_in(scope: str, item_id: int) -> int:
    """Return the handle of an item within a scope, such as an assignment's."""
    return _permuted(item_id, _key(scope, settings.SECRET_KEY), range(ROUNDS))


def item_in(scope: str, handle: int) -> int:
    """Return the id of the item with this handle in a scope, or an id that no item has.

    This is the inverse of `handle_in`.
    """
    if not 0 <= handle < 1 << 2 * HALF:
        return NO_ITEM
    return _swapped(_permuted(_swapped(handle), _key(scope, settings.SECRET_KEY), range(ROUNDS)[::-1]))


def _swapped(number: int) -> int:
    return (number & HALF_BITS) << HALF | number >> HALF


def _permuted(number: int, key: bytes, rounds: range) -> int:
    left, right = number >> HALF, number & HALF_BITS
    for each in rounds:
        mixed = hashlib.blake2b(right.to_bytes(HALF // 8, "big"), digest_size=HALF // 8, key=key, salt=bytes([each]))
        left, right = right, left ^ int.from_bytes(mixed.digest(), "big")
    return left << HALF | right


@lru_cache(maxsize=4096)
def _key(scope: str, secret: str) -> bytes:
    return salted_hmac("assay.handles", scope, secret=secret, algorithm="sha256").digest()


@dataclass(frozen=True, slots=True)
class HighlightedItem:
    """The item whose text and topic are highlighted in a document, as a handle and the scope of that handle."""

    scope: str
    handle: int
