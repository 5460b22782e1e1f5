"""Where assessors found nuggets in the responses of runs, for tracks whose files name runs and string numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from assess.models import Campaign
from assess.queries.exports.grades import returned
from assess.queries.exports.run_grades import alone_items
from nuggets.queries.owned import matches_of, nuggets_of
from scoring.own_items import own_key
from scoring.records import NuggetPiece


def run_pieces(
    campaign: Campaign, as_of: int | None = None, *, kind: str, role: str = "primary"
) -> Iterator[NuggetPiece]:
    """Each nugget, or part of one, once in a response: at its first string that holds it in full.

    ``kind`` is that of the strings' items, ``role`` as in `nuggets_of`. Where several second assessors wrote lists
    for a topic, the marks are those of the first by pseudonym, whose list `nuggets_of` gives first. Where a string has
    an item for this response alone, that counts, and not what was said of all that are identical.
    """
    owners: dict[str, str] = {}
    for nugget in nuggets_of(campaign, as_of, role=role):
        owners.setdefault(nugget.topic, nugget.by)
    marks: dict[tuple[str, str], list[tuple[int, int, str]]] = {}
    for match in matches_of(campaign, as_of, role=role):
        if match.value == "full" and (role == "primary" or match.by == owners.get(match.topic)):
            marks.setdefault((match.topic, match.key), []).append((match.number, match.part, match.quote))
    alone = alone_items(campaign, kind)
    places: Counter[tuple[str, str, str]] = Counter()
    counted: set[tuple[str, str, int, int]] = set()
    for segment in returned(campaign, kind=kind):
        key = segment.key
        if alone:
            places[segment.run, segment.topic, key] += 1
            own = own_key(key, segment.run, places[segment.run, segment.topic, key])
            key = own if (segment.topic, own) in alone else key
        for number, part, quote in sorted(marks.get((segment.topic, key), ())):
            place = (segment.run, segment.topic, number, part)
            if place not in counted:
                counted.add(place)
                yield NuggetPiece(
                    topic=segment.topic,
                    run=segment.run,
                    item=segment.ordinal,
                    number=number,
                    part=part,
                    docno=segment.docno,
                    no_docno=segment.no_docno,
                    text=quote or segment.text,
                )
