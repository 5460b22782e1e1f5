"""How adjudicators name what they settle: by numbers that say nothing of runs.

Inside, a thing is named by the id of its item or topic (`Thing.name`). Whoever settles sees a handle in the place of
that id (`assess.items.handles`), on pages and over the API. It is theirs alone: two adjudicators know the same
thing by two names.
"""

from __future__ import annotations

from django.contrib.auth.models import User

from assess.campaigns.models import Campaign
from assess.items.handles import handle_in, item_in, settling_scope
from assess.kinds.opinions import Thing, parse_name
from assess.protocol import Stage


def shown_name(campaign: Campaign, stage: Stage, thing: Thing, person: User) -> str:
    """What names a thing to a person who settles it."""
    first, number = parse_name(thing.name) or (0, None)
    return _named(handle_in(settling_scope(campaign.pk, stage.key, person.pk), first), number)


def shown_item(campaign: Campaign, stage: Stage, thing: Thing, person: User) -> int | None:
    """The number of the item that a thing is, or lies in; None where it is of a topic."""
    if thing.item_id is None:
        return None
    return handle_in(settling_scope(campaign.pk, stage.key, person.pk), thing.item_id)


def inner_name(campaign: Campaign, stage: Stage, shown: str, person: User) -> str:
    """The way back: what names the thing inside; any other name names nothing."""
    parsed = parse_name(shown)
    if parsed is None:
        return ""
    first, number = parsed
    return _named(item_in(settling_scope(campaign.pk, stage.key, person.pk), first), number)


def _named(first: int, number: int | None) -> str:
    return str(first) if number is None else f"{first}-{number}"
