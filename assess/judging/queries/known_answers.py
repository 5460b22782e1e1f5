"""The correct answers of gold items, shown to assessors who have judged them, in stages whose design reveals them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from assess.assignments.models import Assignment, ControlItem
from assess.campaigns.track_texts import in_language
from assess.items.models import Item
from assess.judging.queries.bench import bench_item
from assess.protocol import Stage, asked_criteria, compared_words


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedAnswers:
    """An assessor's answers to a gold item beside the correct ones, and the reason for these.

    ``compared`` has (question, the assessor's answer, the correct answer) for each question.
    """

    compared: Sequence[tuple[str, str, str]]
    reason: str

    @property
    def is_right(self) -> bool:
        """Whether every answer was correct."""
        return all(said == right for _, said, right in self.compared)

    @property
    def words(self) -> str:
        """The text shown to the assessor."""
        text = gettext("%(question)s You said “%(said)s”, and “%(right)s” is right.")
        wrong = [
            text % dict(zip(("question", "said", "right"), map(in_language, each), strict=True))
            for each in self.compared
            if each[1] != each[2]
        ]
        told = wrong or [gettext("You judged it rightly.")]
        return " ".join([gettext("The answer to this item was known."), *told, *([self.reason] if self.reason else [])])


def compared_answers(
    assignment: Assignment, stage: Stage, item: Item, said: Mapping[str, int | None]
) -> ComparedAnswers | None:
    """Return an assessor's answers ``said`` about a gold item, compared with the correct ones.

    Return None if the stage does not reveal them, if the item is not a gold item, or if it is not judged completely.
    Two queries for a control item of a stage that reveals the answers; none for any other item.
    """
    if not stage.checks.reveals_gold or item.repeats_id is None:
        return None
    controls = ControlItem.objects.filter(assignment=assignment.pk, item=item.pk, kind=ControlItem.Kind.GOLD)
    found = controls.select_related("item__repeats", "item__topic").first()
    if found is None:
        return None
    asked = {each.key for each in asked_criteria(stage.criteria, said)}
    expected = {key: value for key, value in found.expected.items() if key in asked}
    if not expected or not expected.keys() <= said.keys():
        return None
    return ComparedAnswers(compared=compared_words(stage.criteria, said, expected), reason=_reason(stage, found.item))


def compared_answers_at(assignment: Assignment, stage: Stage, handle: int) -> ComparedAnswers | None:
    """Return the assessor's current answers about the item with this handle, compared with the correct ones.

    Return None where `compared_answers` does, and if the assignment has no such item. Several queries, so ask only if
    the stage reveals the answers (`StageChecks.reveals_gold`).
    """
    found = bench_item(assignment, stage, handle)
    return compared_answers(assignment, stage, found.item, found.line.values) if found is not None else None


def _reason(stage: Stage, copy: Item) -> str:
    """Return the reason that the design gives for the original of this copy; "" for an item that an organiser added."""
    original = copy.repeats
    names = {"key": original.key, "docno": original.docno, "text": original.text} if original is not None else {}
    known = (each for each in stage.checks.gold if each.topic == copy.topic.number)
    return next((each.reason for each in known if names.get(each.named_by) == each.item), "")
