"""What the page for grouping answers shows, and the words in which it reports an edit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import count, groupby
from operator import itemgetter

from django.utils.text import Truncator, capfirst
from django.utils.translation import gettext, ngettext

from assess.assignments.models import Assignment
from assess.assignments.queries.work_items import handle_of
from assess.base.numbers import grouped
from assess.base.wording import counted
from assess.items.models import Item
from assess.judging.queries.blind_responses import excused_items
from assess.judging.queries.stage_items import FoundByAuthor, found_by_author
from assess.kinds.base import Tally, noun_and_plural
from assess.protocol import Stage
from assess.topic_drafts.models import DraftFind
from nuggets.classes.current import (
    ClassView,
    Grouping,
    current_labels,
    found_judgments,
    grouping_of,
    line_of,
    members_of,
)
from nuggets.classes.models import AnswerClass, ClassAssignment, ClassEdit
from nuggets.classes.suggestions import suggestion_order
from nuggets.classes.tally import grouped_noun
from nuggets.writing.history import history_of
from nuggets.writing.tally import unit_of
from scoring.folding import answer_key

LABEL_SHOWN = 60  # characters of a label in the status line


@dataclass(frozen=True, kw_only=True, slots=True)
class WaitingGroup:
    """Waiting answers that are probably the same. ``into`` is the class suggested for them: one that already holds such
    answers, or None if a new class is suggested.
    """

    label: str
    into: ClassView | None
    items: tuple[Item, ...]
    excused: frozenset[int]
    found: frozenset[int]
    assignment: Assignment

    @property
    def rows(self) -> list[tuple[Item, bool, bool]]:
        """Return (answer, is excused, is a taken-back find) for each answer.

        An excused answer need not be grouped. A taken-back find was returned by no run, but only found by somebody
        whose work was taken back.
        """
        return [(item, item.pk in self.excused, item.pk in self.found) for item in self.items]

    @property
    def handles(self) -> str:
        """Return the answers' numbers in this assignment, in the form in which a button sends them."""
        return ",".join(str(handle_of(self.assignment, item.pk)) for item in self.items)

    @property
    def is_suggested(self) -> bool:
        """Return whether a class is suggested: an existing one, or a new one for several answers that are probably the
        same.
        """
        return self.into is not None or len(self.items) > 1


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassBoard:
    """What the page for grouping shows: the waiting answers, grouped by suggested class, and the classes. ``excused``
    holds the ids of answers that need no class. ``can_remove`` means that some answer can be taken out.

    ``noun`` is the word for one answer. With ``takes_alone``, a new class is suggested even for an answer unlike all
    others.
    """

    waiting: tuple[WaitingGroup, ...]
    classes: tuple[ClassView, ...]
    excused: frozenset[int]
    tally: Tally
    can_undo: bool
    can_redo: bool
    noun: str
    nouns: str
    takes_alone: bool
    can_remove: bool
    assignment: Assignment
    found: tuple[FoundByAuthor, ...]
    edits: int
    """The number of edits so far: a page that was loaded with a smaller one is out of date."""

    @property
    def has_documents(self) -> bool:
        """Return whether any of the answers comes with a document."""
        waiting = any(item.docno for group in self.waiting for item in group.items)
        return waiting or any(member.item.docno for view in self.classes for member in view.members)

    @property
    def by_author(self) -> frozenset[str]:
        """Return the keys of the answers that the topic's author found, if the author is not the assessor."""
        finds = [each.find for each in self.found if each.find.draft.author_id != self.assignment.assessor_id]
        return frozenset(answer_key(find.text, find.docno) for find in finds)

    @property
    def waiting_count(self) -> int:
        """Return how many answers wait for a class."""
        return sum(len(group.items) for group in self.waiting)

    @property
    def all_handles(self) -> str:
        """Return the numbers that the button "accept all" sends: of the waiting answers that need a class and for which
        one is suggested.
        """
        return self._handles(group for group in self.waiting if group.is_suggested or self.takes_alone)

    @property
    def rest_handles(self) -> str:
        """Return the numbers that the button "each alone" sends, which makes a new class for each answer.

        They are the numbers of all waiting answers that need a class, or "" if a class is suggested for any of them.
        """
        return "" if self.all_handles else self._handles(self.waiting)

    def _handles(self, groups: Iterable[WaitingGroup]) -> str:
        wanted = (item.pk for group in groups for item in group.items if item.pk not in self.excused)
        return ",".join(str(handle_of(self.assignment, pk)) for pk in wanted)


def class_board(assignment: Assignment, stage: Stage) -> ClassBoard:
    """Return what the page for grouping shows. Nine queries for any number of answers, none of which joins runs.

    Classes have the numbers of `own_numbers`.
    """
    grouping = own_grouping(assignment, stage)
    excused = excused_items([assignment])[assignment.pk]
    placed = {member.item.pk for view in grouping.classes for member in view.members}
    wanted = (placed | {item.pk for item in grouping.waiting}) - excused
    edits = ClassEdit.objects.filter(assignment=assignment).only("id", "action", "undoes_id").order_by("id")
    history = history_of(edits)
    noun, nouns = noun_and_plural(grouped_noun(stage))
    waiting = [item.pk for item in grouping.waiting]
    found = found_judgments(waiting, assignment=assignment, stage=stage).values_list("item_id", flat=True)
    found_before = frozenset(found if waiting and stage.work.may_add else ())
    return ClassBoard(
        waiting=_groups(grouping, frozenset(excused), found_before, assignment),
        classes=grouping.classes,
        excused=frozenset(excused),
        tally=Tally(done=len(wanted & placed), total=len(wanted), unit=unit_of(assignment)),
        can_undo=history.undo is not None,
        can_redo=history.redo is not None,
        noun=noun,
        nouns=nouns,
        takes_alone=stage.work.may_add,
        can_remove=bool(grouping.classes or found_before),
        assignment=assignment,
        found=tuple(found_by_author(assignment, DraftFind.Kind.ANSWER)),
        edits=history.count,
    )


def own_grouping(assignment: Assignment, stage: Stage) -> Grouping:
    """Return the assignment's grouping. Its classes have the numbers that the assessor sees on pages and over
    the API.
    """
    grouping = grouping_of(assignment, stage)
    numbers = own_numbers(assignment)
    numbered = (replace(view, number=numbers[view.id]) for view in grouping.classes)
    return replace(grouping, classes=tuple(sorted(numbered, key=lambda view: view.number)))


def own_numbers(assignment: Assignment) -> dict[int, int]:
    """Return class's id -> number, for all classes that ever had an answer under this assignment. One query.

    A new class gets the lowest number from 1 on that no class has, so that one key still reaches it after others were
    merged or undone. It keeps the number as long as it has answers, and when it gets answers again, unless another
    class has the number by then.

    The numbers in the database are not shown: they count the classes of all groupings of the topic, so they would
    reveal how many classes other people made.
    """
    rows = ClassAssignment.objects.filter(assignment__in=line_of(assignment)).order_by("id")
    placed: dict[int, int | None] = {}
    sizes: Counter[int | None] = Counter()
    numbers: dict[int, int] = {}
    taken: dict[int, int] = {}  # number -> the class that has it now
    for _, edit in groupby(rows.values_list("edit_id", "item_id", "answer_class_id"), key=itemgetter(0)):
        for _, item, into in edit:
            sizes[placed.get(item)] -= 1
            sizes[into] += 1
            placed[item] = into
            if into is not None and into not in numbers:
                numbers[into] = 0  # none yet
        taken = {number: found for number, found in taken.items() if sizes[found] > 0}
        for found, before in numbers.items():
            if sizes[found] > 0 and taken.get(before) != found:
                number = before if before and before not in taken else next(n for n in count(1) if n not in taken)
                numbers[found] = number
                taken[number] = found
    return numbers


def _groups(
    grouping: Grouping, excused: frozenset[int], before: frozenset[int], assignment: Assignment
) -> tuple[WaitingGroup, ...]:
    """Return the waiting answers grouped by suggested class, in alphabetical order of the suggestions, so that similar
    ones are together.
    """
    by_label = {view.label: view for view in grouping.classes}
    found: dict[str, list[Item]] = {}
    for item in grouping.waiting:
        found.setdefault(grouping.suggestions[item.pk], []).append(item)
    return tuple(
        WaitingGroup(
            label=label,
            into=by_label.get(label),
            items=tuple(items),
            excused=excused,
            found=before,
            assignment=assignment,
        )
        for label, items in sorted(found.items(), key=lambda pair: suggestion_order(pair[0]))
    )


def edit_sentence(edit: ClassEdit, noun: str) -> str:
    """Return a sentence for the status line that says what an edit did to the answers. ``noun`` is the word for one
    answer. At most four queries.
    """
    if edit.undoes_id is None:
        return _sentence_of(edit, noun)
    said = gettext("Undone: %(act)s") if edit.action == "undo" else gettext("Redone: %(act)s")
    return said % {"act": _holds_again(edit, noun)}


def _holds_again(edit: ClassEdit, noun: str) -> str:
    """Return words for what holds after an undo or a redo: where the answers are, or what a class is called."""
    places, labels = edit.after["places"], edit.after["labels"]
    if not places:
        return gettext("class %(name)s has this name again") % {"name": _name_of(edit.assignment, labels[0][0])}
    answers, classes = counted(len(places), *noun_and_plural(noun)), {place[1] for place in places}
    if classes == {None}:
        return gettext("%(answers)s in no class again") % {"answers": answers}
    if len(classes) > 1:
        return gettext("%(answers)s where they were before") % {"answers": answers}
    return gettext("%(answers)s in %(name)s again") % {"answers": answers, "name": _name_of(edit.assignment, *classes)}


def _name_of(assignment: Assignment, answer_class: int) -> str:
    label = Truncator(current_labels([answer_class]).get(answer_class, "")).chars(LABEL_SHOWN)
    return f"{own_numbers(assignment)[answer_class]} “{label}”"


def _sentence_of(edit: ClassEdit, noun: str) -> str:
    places = edit.after["places"]
    one, many = noun_and_plural(noun)
    answers = counted(len(places), one, many)
    name = ""
    if edit.answer_class is not None:
        name = _name_of(edit.assignment, edit.answer_class.pk)
    if edit.action == "remove":
        found = len(edit.after["judgments"])
        out = gettext("%(answers)s taken out") % {"answers": answers}
        withdrawn = gettext(", %(found)s of them found while grouping and withdrawn")
        return out + (withdrawn % {"found": found} if found else "")
    sentences = {
        "create": gettext("%(answers)s in the new class %(name)s") % {"answers": answers, "name": name},
        "assign": gettext("%(answers)s put into %(name)s") % {"answers": answers, "name": name},
        "split": gettext("%(answers)s in a class of their own, %(name)s") % {"answers": answers, "name": name},
        "merge": gettext("%(answers)s merged into %(name)s") % {"answers": answers, "name": name},
        "rename": gettext("Class %(name)s has its new name") % {"name": name},
        "found": gettext("%(noun)s that you found put into %(name)s") % {"noun": capfirst(one), "name": name},
        "take": gettext("A whole grouping taken over, or left"),
        "suggest": gettext("%(answers)s grouped as suggested, %(classes)s")
        % {"answers": answers, "classes": _classes({place[1] for place in places})},
    }
    return sentences[edit.action]


def _classes(ids: Iterable[int]) -> str:
    number = len(set(ids))
    return ngettext("in %(number)s class", "in %(number)s classes", number) % {"number": grouped(number)}


def class_of(assignment: Assignment, item: Item) -> AnswerClass | None:
    """Return the class that an answer has in this assignment's grouping, or None if it is in none."""
    found = members_of(assignment, item=item).select_related("answer_class").first()
    return found.answer_class if found is not None else None
