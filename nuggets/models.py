"""The app's tables and their constraints, imported from one file for each noun."""

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
