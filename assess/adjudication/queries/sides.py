"""The opinions in a disagreement: who holds which value, and in what order they are shown, which does not reveal who is
who.

Opinions come from the kinds of work that are settled (`WorkKind.adjudication`). Each is one person's current value. Of
several primary assessors the newest counts: when an assessor's work was given back and redone by somebody else, the
first one's opinion no longer counts. After a hand-over the earlier assessor's opinion counts until the new one gives
theirs.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from functools import lru_cache

from django.conf import settings

from assess.assignments.models import Assignment
from assess.judging.queries.current import PRIMARY
from assess.kinds.opinions import AdjudicableItem, Opinion, Opinions
from assess.protocol import Criterion

SIDES = (PRIMARY, Assignment.Role.SECOND)
"""The roles in which people are sides of a disagreement."""


def sides_of(words: Opinions) -> list[Opinion]:
    """Return the author's side, where there is one, and then the others'."""
    author = [words.primary] if words.primary is not None else []
    live = [side for side, is_live in words.seconds.values() if is_live]
    return [*author, *(live or [side for side, _ in list(words.seconds.values())[-1:]])]


def in_drawn_order(sides: Iterable[Opinion], thing: AdjudicableItem, criterion: Criterion) -> tuple[Opinion, ...]:
    """The sides as they are shown: drawn for each thing and criterion, so that left and right don't tell the author."""
    return tuple(sorted(sides, key=lambda side: drawn(thing.name, criterion.key, side.assessor_id)))


def drawn(*things: object) -> bytes:
    """Return a draw that stays the same on this site, for the order in which disagreements and their sides stand.

    It is made with a key that the site keeps: from a plain digest of ids, who sees the order of many could find these
    by trying, and ids stand in the order of runs.
    """
    return hmac.digest(_key_of(settings.SECRET_KEY), "\0".join(map(str, things)).encode(), "sha256")


@lru_cache(maxsize=1)
def _key_of(secret: str) -> bytes:
    """Return the key of `salted_hmac`, which makes it anew for each draw: of 57,000 disagreements, 171,000 times."""
    return hashlib.sha256(b"assay.disagreements" + secret.encode()).digest()
