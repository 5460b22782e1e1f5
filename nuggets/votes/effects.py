"""Gold records with another vote in place of the one that counts, to see what it does to scores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assess.kinds.opinions import Exchange
from nuggets.votes.opinions import VALUES as IMPORTANCES
from nuggets.writing.counting_lists import as_importance
from scoring.records import NuggetVote

NAMES = {value: name for name, value in IMPORTANCES.items()}


def exchanged_votes(collector: str, records: list[Any], exchange: Exchange) -> list[Any]:
    """The records with the importance that the value says, and with a vote of the adjudicator's that says the same."""
    row = exchange.row
    importance = as_importance(NAMES[exchange.value])
    place = (row.topic, row.thing.number)
    if collector == "nuggets":
        return [
            replace(each, importance=importance) if (each.topic, each.number) == place else each for each in records
        ]
    if collector != "votes" or row.thing.number is None:
        return records
    kept = list(records)
    if row.decided is not None:  # that vote is among them
        said = NAMES[row.decided]
        own = [each for each in kept if (each.topic, each.number) == place and each.importance == said]
        kept.remove(own[-1])
    return [*kept, NuggetVote(topic=row.topic, number=row.thing.number, assessor="", importance=importance)]
