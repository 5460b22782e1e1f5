"""Where the records of exports come from, by the keys that tracks name: for any track, and from kinds of work."""

from __future__ import annotations

from assess.exports.queries.everything import everything
from assess.exports.queries.grades import returned, topics
from assess.kinds.base import Collector, kinds

OF_ANY_TRACK: dict[str, Collector] = {"topics": topics, "returned": returned, "everything": everything}


def collectors() -> dict[str, Collector]:
    """All collectors by key. Two with one key are a bug and crash loudly."""
    found = dict(OF_ANY_TRACK)
    for kind in kinds().values():
        if twice := found.keys() & kind.collectors.keys():
            raise LookupError(f"the kind of work {kind.key} brings collectors that are there: {sorted(twice)}")
        found |= kind.collectors
    return found
