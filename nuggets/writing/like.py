"""Find nuggets of a list that say nearly the same as one that is being written."""

from __future__ import annotations

from assess.documents.likeness import Rarity, content_words, product
from nuggets.writing.models import Nugget, NuggetList

NEAR = 0.5
"""The least cosine of near duplicates: two texts of two equally rare words each that share one of them."""
MOST = 3


def like_nuggets(nugget_list: NuggetList, text: str, language: str) -> list[Nugget]:
    """Return up to three active nuggets that say nearly the same as a text, the most similar first. ``language`` is
    that of the list. One query.
    """
    active = list(nugget_list.nuggets.filter(is_retired=False, merged_into=None))
    words = [content_words(nugget.text, language) for nugget in active]
    own = content_words(text, language)
    rarity = Rarity([*words, own])
    asked = rarity.vector(own)
    near = [(product(asked, rarity.vector(each)), nugget) for each, nugget in zip(words, active, strict=True)]
    near.sort(key=lambda pair: -pair[0])
    return [nugget for likeness, nugget in near[:MOST] if likeness >= NEAR]
