"""Tables and their constraints, one noun a file."""

from nuggets.models.ledgers import (
    AnswerClass,
    ClassAssignment,
    ClassEdit,
    ClassLabel,
    ItemReview,
    NuggetEdit,
    NuggetMatch,
    NuggetVote,
)
from nuggets.models.nugget_list import Nugget, NuggetList, NuggetSource

__all__ = [
    "AnswerClass",
    "ClassAssignment",
    "ClassEdit",
    "ClassLabel",
    "ItemReview",
    "Nugget",
    "NuggetEdit",
    "NuggetList",
    "NuggetMatch",
    "NuggetSource",
    "NuggetVote",
]
