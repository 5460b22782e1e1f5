"""Tables and their constraints, one noun a file."""

from nuggets.classes.models import AnswerClass, ClassAssignment, ClassEdit, ClassLabel
from nuggets.matches.models import ItemReview, NuggetMatch
from nuggets.votes.models import NuggetVote
from nuggets.writing.models import Nugget, NuggetEdit, NuggetList, NuggetSource

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
