"""The numbers by which an assessor knows the items of a piece of work.

A copy that is planted among the work is stored after the items that runs returned, so its id would give it away. Where
items are graded, the only place for copies, pages and API name an item by a number that is made of its id and of the
work, and says nothing of either: a permutation of the numbers below 2 to the 48th, by four rounds of a Feistel network
(Luby and Rackoff, 1988) with a key that the site keeps.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

from django.conf import settings
from django.utils.crypto import salted_hmac

from assess.models import Assignment
from assess.queries.tracks import stage_of

HALF = 24
ROUNDS = 4
NO_ITEM = 0
"""No item has this id."""


def handle_of(assignment: Assignment, item_id: int) -> int:
    """The number by which the assessor of this work knows the item: its id, where nothing is graded."""
    if not _is_graded(assignment):
        return item_id
    return _permuted(item_id, _key(assignment.pk, settings.SECRET_KEY), range(ROUNDS))


def item_of(assignment: Assignment, handle: int) -> int:
    """The id of the item that has this number in this work; any other number gives an id that no item here has."""
    if not _is_graded(assignment):
        return handle
    if not 0 <= handle < 1 << 2 * HALF:
        return NO_ITEM
    left, right = _halves(handle)
    swapped = right << HALF | left
    left, right = _halves(_permuted(swapped, _key(assignment.pk, settings.SECRET_KEY), range(ROUNDS)[::-1]))
    return right << HALF | left


def _is_graded(assignment: Assignment) -> bool:
    return stage_of(assignment.campaign, assignment.stage)[1].work == "grade"


def _permuted(number: int, key: bytes, rounds: range) -> int:
    left, right = _halves(number)
    for each in rounds:
        mixed = hashlib.blake2b(right.to_bytes(HALF // 8, "big"), digest_size=HALF // 8, key=key, salt=bytes([each]))
        left, right = right, left ^ int.from_bytes(mixed.digest(), "big")
    return left << HALF | right


def _halves(number: int) -> tuple[int, int]:
    return number >> HALF, number & (1 << HALF) - 1


@lru_cache(maxsize=4096)
def _key(assignment_id: int, secret: str) -> bytes:
    return salted_hmac("assay.handles", str(assignment_id), secret=secret, algorithm="sha256").digest()
