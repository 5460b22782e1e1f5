"""Find, for a person's seat in a campaign, a stage whose work begins with practice."""

from __future__ import annotations

from assess.base.errors import NotFound
from assess.campaigns.seats import Seat
from assess.practice.queries import practised_stages
from assess.protocol import Stage


def access_practice(seat: Seat, key: str) -> Stage:
    """Return the stage with this key. Raise NotFound if there is none, or if its work does not begin with practice."""
    found = next((each for each in practised_stages(seat.campaign) if each.key == key), None)
    if found is None:
        raise NotFound
    return found
