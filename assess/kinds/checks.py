"""What a campaign lacks before it can be frozen. Kinds of work say what they look for (`WorkKind.checks`).

A look is a function of the campaign with a bounded number of queries, whatever the campaign's size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from assess.campaigns.models import Campaign


@dataclass(frozen=True, kw_only=True, slots=True)
class Lack:
    """Something missing: how often (``count``), in a sentence, and the page where it is mended.

    While there is an "error", freezing is refused; past a "warning" an organiser may go who says why. ``page`` is the
    name of an address of the campaign, ``query`` what stands after it.
    """

    code: str
    severity: Literal["error", "warning"]
    count: int
    text: str
    page: str
    action: str
    query: str = ""


Look = Callable[["Campaign"], Iterable[Lack]]
