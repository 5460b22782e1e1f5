"""Holistic scores between the site, where each is one judgment, and the pilot's file, a line for each response.

The contractor's scores are a stage of their own with criteria of their own; the author's and the other assessor's are
given in one stage, by the primary and the second assessor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from scoring.formats.definition_judgments import COMMENTS, HolisticScores, Pair, write_holistic
from scoring.records import RunGrade

CONTENT, ORGANIZATION = "content", "organization"
CONTRACTOR = "contractor_"
CRITERIA = (CONTENT, ORGANIZATION, CONTRACTOR + CONTENT, CONTRACTOR + ORGANIZATION)


def write_holistic_scores(records: Iterable[Any], *, holistic_comments: str = COMMENTS) -> Iterator[str]:
    """The file of these scores: `HolisticScores`, or the `RunGrade` of single criteria that the site keeps."""
    return write_holistic(as_scores(records), comments=holistic_comments)


def as_scores(records: Iterable[HolisticScores | RunGrade]) -> list[HolisticScores]:
    """One record a response. Of several second assessors' scores the first counts."""
    found: dict[tuple[str, str], HolisticScores] = {}
    for each in records:
        place = (each.topic, each.run)
        if isinstance(each, HolisticScores):
            found[place] = each
        elif each.criterion in CRITERIA:
            found[place] = _with(found.get(place) or HolisticScores(topic=each.topic, run=each.run), each)
    return [found[place] for place in sorted(found)]


def _with(scores: HolisticScores, grade: RunGrade) -> HolisticScores:
    """The scores with one more of them; a second assessor's opinion of the contractor's work is none of them."""
    if grade.criterion.startswith(CONTRACTOR):
        return scores if grade.role else replace(scores, contractor=_put(scores.contractor, grade))
    if grade.role == "second":
        return replace(scores, other=_put(scores.other, grade))
    return replace(scores, author=_put(scores.author, grade))


def _put(pair: Pair, grade: RunGrade) -> Pair:
    content, organization = pair
    if grade.criterion.endswith(CONTENT):
        return (grade.value if content is None else content, organization)
    return (content, grade.value if organization is None else organization)
