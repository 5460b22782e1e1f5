"""The opinions in a disagreement, and the order in which they are shown, which does not reveal who gave which.

Opinions come from the kinds of work that are settled (`WorkKind.adjudication`). Each is one person's current value. Of
several primary assessors the newest counts: when an assignment was given back and redone by somebody else, the first
assessor's opinion no longer counts. After a hand-over, the earlier assessor's opinion counts until the new one gives
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
"""The roles whose opinions are sides of a disagreement."""


def sides_of(words: Opinions) -> list[Opinion]:
    """Return the primary assessor's opinion, if there is one, and then the second assessors' opinions.

    The opinion of a second assessor who no longer has the assignment counts only if no second assessor has it now. Of
    several such opinions, the last one counts.
    """
    author = [words.primary] if words.primary is not None else []
    live = [side for side, is_live in words.seconds.values() if is_live]
    return [*author, *(live or [side for side, _ in list(words.seconds.values())[-1:]])]


def in_drawn_order(sides: Iterable[Opinion], thing: AdjudicableItem, criterion: Criterion) -> tuple[Opinion, ...]:
    """Return the sides in a pseudo-random order for each thing and criterion. The order does not reveal which side is
    the primary assessor's.
    """
    return tuple(sorted(sides, key=lambda side: drawn(thing.name, criterion.key, side.assessor_id)))


def drawn(*things: object) -> bytes:
    """Return a pseudo-random key, constant on this site, that orders disagreements and their sides.

    It uses a secret of the site: with a plain digest, somebody who sees the order of many disagreements could find
    their ids by trying, and the ids would reveal the order of runs.
    """
    return hmac.digest(_key_of(settings.SECRET_KEY), "\0".join(map(str, things)).encode(), "sha256")


@lru_cache(maxsize=1)
def _key_of(secret: str) -> bytes:
    """Return the key of `drawn`, computed once.

    `salted_hmac` would compute it for each call: 171,000 times for 57,000 disagreements.
    """
    return hashlib.sha256(b"assay.disagreements" + secret.encode()).digest()
