"""Tables and their constraints, one noun a file."""

from nuggets.models.ledgers import (
    AnswerClass,
    ClassAssignment,
    ClassLabel,
    NuggetEdit,
    NuggetMatch,
    NuggetVote,
)
from nuggets.models.nugget_list import Nugget, NuggetList, NuggetSource

__all__ = [
    "AnswerClass",
    "ClassAssignment",
    "ClassLabel",
    "Nugget",
    "NuggetEdit",
    "NuggetList",
    "NuggetMatch",
    "NuggetSource",
    "NuggetVote",
]
