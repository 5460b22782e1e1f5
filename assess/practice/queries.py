"""Practice before work: items with known grades, answered one after another, and how far a person is.

Practice has no table of its own: answers are activities, and the rest is computed from them on demand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils.translation import gettext

from assess.base.errors import Conflict
from assess.campaigns.designs import values_now
from assess.campaigns.models import JUDGES, Campaign
from assess.campaigns.queries import track_of
from assess.campaigns.track_texts import in_language
from assess.documents.models import DocumentBody
from assess.items.handles import handle_in
from assess.items.models import Item
from assess.items.queries import known_items
from assess.protocol import Practice, Stage, compared_words

ANSWERED, AGAIN = "practice.answer", "practice.again"


@dataclass(frozen=True, kw_only=True, slots=True)
class PracticeItem:
    """An item with its right answers by criterion, and the reason. ``number`` counts from 1; ``handle`` is the number
    by which the person knows the item, whatever its place.
    """

    number: int
    item: Item
    expected: Mapping[str, int]
    reason: str
    handle: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class PracticeState:
    """How far a person is with the practice items of a stage.

    ``answered`` are the answers of the current try or, between two tries, of the last one, as they count now
    (`_as_it_counts`); ``tries`` counts the tries begun. ``is_open`` means that the campaign is being judged.
    """

    stage: Stage
    practice: Practice
    items: Sequence[PracticeItem]
    answered: Sequence[Mapping[str, Any]]
    tries: int
    is_passed: bool
    is_open: bool

    @property
    def right(self) -> int:
        """The number of items of this try that were answered right."""
        return sum(each["right"] for each in self.answered)

    @property
    def needed(self) -> int:
        """The number of items that must be right in one try to pass."""
        return needed_of(self.practice, len(self.items))

    @property
    def tries_left(self) -> int:
        """The number of tries that are left."""
        return max(self.practice.tries - self.tries, 0)

    @property
    def is_whole(self) -> bool:
        """Whether the last try has been answered to its end. That comes earlier if items are practised no more."""
        return bool(self.answered) and (len(self.answered) >= self.answered[-1]["of"] or not self.left)

    @property
    def next(self) -> PracticeItem | None:
        """The item to answer next; None if practice is passed, no try is left, or the campaign is not being judged."""
        if not self.is_open or self.is_passed or not self.items or self.is_used_up:
            return None
        answered = set() if self.is_whole else {each["item"] for each in self.answered}
        return next(each for each in self.items if each.item.pk not in answered)

    @property
    def left(self) -> int:
        """How many of the items have not been answered in this try."""
        return len({each.item.pk for each in self.items} - {each["item"] for each in self.answered})

    @property
    def is_used_up(self) -> bool:
        """Whether the last try ended without passing, so that an organiser has to decide what happens."""
        return self.is_whole and not self.is_passed and not self.tries_left

    @property
    def said(self) -> list[tuple[str, str, str]]:
        """For each question about the item that was answered last: the question, the answer given, and the right
        answer.
        """
        if (last := self.last) is None:
            return []
        return compared_words(self.stage.criteria, last[1]["values"], last[0].expected)

    @property
    def corrected(self) -> list[int]:
        """The numbers of the items of this try whose known answer was corrected after the person had answered."""
        pks = {each["item"] for each in self.answered if each.get("corrected")}
        return [each.number for each in self.items if each.item.pk in pks]

    @property
    def last(self) -> tuple[PracticeItem, Mapping[str, Any]] | None:
        """The item that was answered last in this try, with the answer; None if there is none."""
        said = self.answered[-1] if self.answered else None
        found = next((each for each in self.items if said is not None and each.item.pk == said["item"]), None)
        return (found, said) if found is not None and said is not None else None


def needed_of(practice: Practice, count: int) -> int:
    """Return how many of this number of items must be right to pass."""
    return next(number for number in range(count + 1) if number >= practice.passed * count - 1e-9)


def practised_stages(campaign: Campaign) -> list[Stage]:
    """Return the stages of the campaign whose work begins with practice."""
    return [stage for task in track_of(campaign).tasks for stage in task.stages if stage.checks.practice is not None]


def practice_items(campaign: Campaign, stage: Stage, practice: Practice) -> list[PracticeItem]:
    """Return the practice items that exist in the campaign, in order. Three queries."""
    ids = known_items(campaign, stage.item_kind, practice.answers)
    items = Item.objects.select_related("topic", "document").in_bulk([pk for pk in ids if pk is not None])
    here = [(items[pk], said) for pk, said in zip(ids, practice.answers, strict=True) if pk is not None]
    return [
        PracticeItem(number=number, item=item, expected=dict(said.expected), reason=said.reason)
        for number, (item, said) in enumerate(here, 1)
    ]


def practised_here(campaign: Campaign, stage: Stage) -> int:
    """Return how many of the practice items exist in the campaign."""
    return len(practice_items(campaign, stage, stage.checks.practice)) if stage.checks.practice is not None else 0


def practice_of(campaign: Campaign, stage: Stage, person: User) -> PracticeState:
    """Return how far a person is in the practice of a stage that has one. Six queries."""
    practice = stage.checks.practice
    assert practice is not None
    own = Q(action=ANSWERED, actor=person) | Q(action=AGAIN, data__user=person.pk)
    rows = campaign.activities.filter(own, data__stage=stage.key).order_by("id").values_list("id", "action", "data")
    return _state(campaign, stage, person, practice_items(campaign, stage, practice), rows, values_now(campaign))


def _state(
    campaign: Campaign,
    stage: Stage,
    person: User,
    items: Sequence[PracticeItem],
    rows: Iterable[tuple[int, str, Mapping[str, Any]]],
    value_now: Callable[[int, str, int], int],
) -> PracticeState:
    """Return how far a person is with the practice items, from their recorded acts in order. For ``value_now`` see
    `values_now`.
    """
    practice = stage.checks.practice
    assert practice is not None
    scope = f"practice/{stage.key}/{person.pk}"
    answered: list[Mapping[str, Any]] = []
    tries, is_passed = 0, False
    expected = {each.item.pk: each.expected for each in items}
    for pk, action, told in rows:
        if action == AGAIN:
            answered, tries = [], 0
            continue
        data = _as_it_counts(told, expected.get(told["item"]), partial(value_now, pk))
        is_again = data["item"] in {each["item"] for each in answered}
        if not answered or len(answered) >= answered[-1]["of"] or is_again:
            answered, tries = [], tries + 1
        answered.append(data)
        is_passed |= len(answered) == data["of"] and _is_enough(practice, answered)
    if answered and {each.item.pk for each in items} <= {each["item"] for each in answered}:
        is_passed |= _is_enough(practice, answered)  # the others are practised no more
    return PracticeState(
        stage=stage,
        practice=practice,
        items=[replace(each, handle=handle_in(scope, each.item.pk)) for each in items],
        answered=answered,
        tries=tries,
        is_passed=is_passed,
        is_open=campaign.state == Campaign.State.JUDGING,
    )


def _as_it_counts(
    told: Mapping[str, Any], expected: Mapping[str, int] | None, value_now: Callable[[str, int], int]
) -> Mapping[str, Any]:
    """Return a recorded answer with its values on the scale of now. It is right if it was when it was given, or if the
    known answers were "corrected" to it since.
    """
    said = {key: None if value is None else value_now(key, value) for key, value in told["values"].items()}
    is_same = expected is None or said.keys() != expected.keys() or (said == expected) == told["right"]
    return {**told, "values": said, "right": told["right"] or not is_same, "corrected": not is_same}


def _is_enough(practice: Practice, answered: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether enough of these answers, a whole try, are right: by the share that had to be then, or by a lower
    one that has to be now.
    """
    needed = needed_of(practice, len(answered))
    right = sum(bool(each["right"]) for each in answered)
    return right >= min(needed, int(answered[-1].get("needed", needed)))


def practice_of_all(campaign: Campaign, stage: Stage) -> list[tuple[User, PracticeState]]:
    """Return how far each assessor is with the practice items of a stage, by name. Seven queries."""
    practice = stage.checks.practice
    assert practice is not None
    items = practice_items(campaign, stage, practice)
    acts = campaign.activities.filter(action__in=(ANSWERED, AGAIN), data__stage=stage.key).order_by("id")
    rows: defaultdict[int | None, list[tuple[int, str, Mapping[str, Any]]]] = defaultdict(list)
    for pk, action, actor, data in acts.values_list("id", "action", "actor", "data"):
        rows[data["user"] if action == AGAIN else actor].append((pk, action, data))
    people = User.objects.filter(
        memberships__campaign=campaign, memberships__role__in=JUDGES, memberships__is_machine=False
    )
    value_now = values_now(campaign)
    return [
        (each, _state(campaign, stage, each, items, rows[each.pk], value_now))
        for each in people.distinct().order_by("username")
    ]


def used_up(campaign: Campaign) -> dict[str, int]:
    """Return by stage how many assessors have no try left. No query if no stage has practice."""
    found = {
        stage.key: sum(state.is_used_up for _, state in practice_of_all(campaign, stage))
        for stage in practised_stages(campaign)
    }
    return {key: number for key, number in found.items() if number}


def shown_text(practised: PracticeItem) -> str:
    """Return the text that is shown for an item: its own, or else that of its document."""
    item = practised.item
    if item.text.strip() or item.document_id is None:
        return item.text
    return DocumentBody.objects.filter(document=item.document_id).values_list("text", flat=True).first() or ""


def require_practised(campaign: Campaign, stage: Stage, person: User) -> None:
    """Refuse work in a stage to a person who has not passed its practice. No query if the stage has none."""
    if stage.checks.practice is None:
        return
    state = practice_of(campaign, stage, person)
    if state.items and not state.is_passed:
        raise Conflict(
            gettext(
                "“%(label)s” begins with practice, and you have not passed it yet: %(needed)s of "
                "%(items)s have to be right. Choose Practise on your Work page first."
            )
            % {"label": in_language(stage.label), "needed": state.needed, "items": len(state.items)}
        )
