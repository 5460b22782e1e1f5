"""The numbers by which an assessor knows the items of an assignment: their handles.

Items are stored in the order in which runs returned them, and a control item among the work after all of them:
an id would say which system an answer comes from. So whoever judges gets no id of an item, of whatever work, on pages,
in addresses, over the API and inside signed tokens. A handle is made of the id and of the work and says nothing of
either: a permutation of the numbers below 2 to the 48th, by four rounds of a Feistel network (Luby and Rackoff, 1988)
with a key that the site keeps. The same item has another handle in another assignment, and nothing is stored.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings
from django.utils.crypto import salted_hmac

HALF = 24


ROUNDS = 4


NO_ITEM = 0
"""No item has this id."""


def settling_scope(campaign_id: int, stage: str, person_id: int) -> str:
    """The same of what one person settles in a stage, of whatever topic: an item is in one topic alone."""
    return f"{campaign_id}/{stage}/{person_id}"


def handle_in(scope: str, item_id: int) -> int:
    """Return the handle of an item in an assignment that is known by its scope."""
    return _permuted(item_id, _key(scope, settings.SECRET_KEY), range(ROUNDS))


def item_in(scope: str, handle: int) -> int:
    """Return the way back: the id of the item, or one that no item has."""
    if not 0 <= handle < 1 << 2 * HALF:
        return NO_ITEM
    left, right = _halves(handle)
    swapped = right << HALF | left
    left, right = _halves(_permuted(swapped, _key(scope, settings.SECRET_KEY), range(ROUNDS)[::-1]))
    return right << HALF | left


def _permuted(number: int, key: bytes, rounds: range) -> int:
    left, right = _halves(number)
    for each in rounds:
        mixed = hashlib.blake2b(right.to_bytes(HALF // 8, "big"), digest_size=HALF // 8, key=key, salt=bytes([each]))
        left, right = right, left ^ int.from_bytes(mixed.digest(), "big")
    return left << HALF | right


def _halves(number: int) -> tuple[int, int]:
    return number >> HALF, number & (1 << HALF) - 1


@lru_cache(maxsize=4096)
def _key(scope: str, secret: str) -> bytes:
    return salted_hmac("assay.handles", scope, secret=secret, algorithm="sha256").digest()


@dataclass(frozen=True, slots=True)
class Marked:
    """The item whose text and topic are marked in a document: its handle, in the work known by its scope."""

    scope: str
    handle: int
