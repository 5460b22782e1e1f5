"""Whether a person can be given more of a stage that limits the items for one person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count
from django.utils.translation import gettext_noop, ngettext

from assess.assignments.models import Assignment
from assess.base.errors import Conflict
from assess.base.numbers import grouped
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.campaigns.track_texts import in_language
from assess.items.models import PoolItem
from assess.items.queries import COUNTED, current_pools
from assess.protocol import Stage

ROLES = (Assignment.Role.PRIMARY, Assignment.Role.SECOND)
FULL = gettext_noop("whoever may judge it has as many items as one person judges at most")

Piece = tuple[int, str]
"""The id of a topic and the key of a stage."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Room:
    """How much work each person has in the stages that have a limit (``bounded``).

    ``sizes`` is the number of pooled items in a topic's stage; ``held`` is the number of items by person and stage.
    """

    bounded: dict[str, Stage]
    sizes: dict[Piece, int]
    held: Counter[tuple[int, str]]

    def fits(self, person: int, pieces: Collection[Piece]) -> bool:
        """Return whether the person may be given all of these stages of topics. A person without any work in a stage
        may get one topic of it, however large.
        """
        for key, stage in self.bounded.items():
            wanted = [self.sizes.get(piece, 0) for piece in pieces if piece[1] == key]
            is_first = len(wanted) == 1 and not self.held[person, key]
            if wanted and not is_first and self.held[person, key] + sum(wanted) > stage.most_items:
                return False
        return True

    def give(self, person: int, pieces: Collection[Piece]) -> None:
        """Count these pieces as given to the person."""
        for piece in pieces:
            if piece[1] in self.bounded:
                self.held[person, piece[1]] += self.sizes.get(piece, 0)


def room_in(campaign: Campaign) -> Room:
    """Return how many items each person has in each stage that has a limit.

    Two queries, or none if no stage has a limit.
    """
    bounded = {stage.key: stage for task in track_of(campaign).tasks for stage in task.stages if stage.most_items}
    room = Room(bounded=bounded, sizes={}, held=Counter())
    if not bounded:
        return room
    pooled = PoolItem.objects.filter(COUNTED, pool__in=current_pools(campaign)).order_by()
    counts = pooled.values_list("item__topic", "item__kind").annotate(items=Count("id"))
    for topic, kind, items in counts:
        room.sizes.update({(topic, key): items for key, stage in bounded.items() if stage.item_kind == kind})
    live = campaign.assignments.filter(stage__in=bounded, role__in=ROLES).exclude(state=Assignment.State.RETURNED)
    for person, topic, key in live.order_by().values_list("assessor", "topic", "stage"):
        room.give(person, [(topic, key)])
    return room


def require_room(campaign: Campaign, person: int, pieces: Collection[Piece], *, role: str) -> None:
    """Raise Conflict if this would give a person more items of a stage than its limit. Adjudicators have no limit."""
    if role not in ROLES:
        return
    room = room_in(campaign)
    for piece in pieces:
        if not room.fits(person, [piece]):
            stage = room.bounded[piece[1]]
            said = ngettext(
                "One person judges at most %(number)s item of “%(label)s”. This would be %(piece)s: somebody else has "
                "to judge it.",
                "One person judges at most %(number)s items of “%(label)s”. This would be %(piece)s: somebody else has "
                "to judge it.",
                stage.most_items,
            )
            raise Conflict(
                said
                % {
                    "number": grouped(stage.most_items),
                    "label": in_language(stage.label),
                    "piece": grouped(room.held[person, stage.key] + room.sizes.get(piece, 0)),
                }
            )
        room.give(person, [piece])
