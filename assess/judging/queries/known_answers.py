"""What is right of an item whose answer is known, for who has judged it, where the design of the stage wants that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assess.assignments.models import Assignment, ControlItem
from assess.items.models import Item
from assess.judging.queries.bench import bench_item
from assess.protocol import Stage, asked_criteria, compared_words


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownWords:
    """What is right of an item: of each question what was said and what is right, and why."""

    compared: Sequence[tuple[str, str, str]]
    reason: str

    @property
    def is_right(self) -> bool:
        """Whether all was said as it is right."""
        return all(said == right for _, said, right in self.compared)

    @property
    def words(self) -> str:
        """What is shown of it."""
        wrong = [
            f"{question} You said “{said}”, and “{right}” is right."
            for question, said, right in self.compared
            if said != right
        ]
        told = wrong or ["You judged it rightly."]
        return " ".join(["The answer to this item was known.", *told, *([self.reason] if self.reason else [])])


def known_words(assignment: Assignment, stage: Stage, item: Item, said: Mapping[str, int | None]) -> KnownWords | None:
    """Return what is right of an item by which an assessor said all this.

    None where the stage keeps it to itself, the item is none whose answer is known, or not judged whole. No query but
    for a control item of a stage that reveals what is known; then two.
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
    return KnownWords(compared=compared_words(stage.criteria, said, expected), reason=_reason(stage, found.item))


def known_words_of(assignment: Assignment, stage: Stage, handle: int) -> KnownWords | None:
    """Return the same of the item with this handle by what stands of it. No query where the stage reveals nothing."""
    found = bench_item(assignment, stage, handle) if stage.checks.reveals_gold else None
    return known_words(assignment, stage, found.item, found.line.values) if found is not None else None


def _reason(stage: Stage, copy: Item) -> str:
    """Why, as the design says it of the item that this one repeats; "" of what an organiser added."""
    original = copy.repeats
    names = {"key": original.key, "docno": original.docno, "text": original.text} if original is not None else {}
    known = (each for each in stage.checks.gold if each.topic == copy.topic.number)
    return next((each.reason for each in known if names.get(each.named_by) == each.item), "")
