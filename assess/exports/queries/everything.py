"""Everything that people said, as the deeds of judgments.jsonl: current words of all assessors, by role."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from assess.assignments.models import Assignment
from assess.assignments.queries.pseudonyms import pseudonyms
from assess.campaigns.models import Campaign
from assess.items.models import Item
from assess.kinds.base import kinds
from scoring.deeds import Deed
from scoring.folding import answer_key

ROLES = {Assignment.Role.PRIMARY.value: "", Assignment.Role.SECOND.value: "second"}


def everything(campaign: Campaign, as_of: int | None = None) -> Iterator[Deed]:
    """The deeds of a campaign up to a ledger point, official or not, kind by kind. What was taken back is left out."""
    names = pseudonyms(campaign)
    return chain.from_iterable(
        kind.deeds(campaign, names, as_of) for kind in kinds().values() if kind.deeds is not None
    )


def role_of(role: str) -> str:
    """A role of work as deeds name it: "" for who has it first."""
    return ROLES.get(role, role)


def named_item(item: Item) -> dict[str, str]:
    """How deeds name an item: by docno and string, and by its key where that does not follow from these."""
    return {"docno": item.docno, "answer": item.text, "key": own_key_of(item.key, item.text, item.docno)}


def own_key_of(key: str, text: str, docno: str) -> str:
    """An item's key, or "" where it follows from its text and docno."""
    return "" if key == answer_key(text, docno) else key
