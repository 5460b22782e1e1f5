"""The item open on the grading bench, with everything that the page shows of it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from django.http import HttpRequest

from assess.assignments.access import access_item
from assess.assignments.models import Assignment, HelpRequest
from assess.assignments.queries.work_items import marked_in
from assess.campaigns.queries import track_of
from assess.campaigns.track_texts import in_language
from assess.documents.models import Document
from assess.documents.queries.search import topic_terms
from assess.documents.views.pane import Pane, make_pane
from assess.items.handles import HighlightedItem
from assess.items.models import Item
from assess.judging.answer_words import answer_word, snippet_words
from assess.judging.queries.bench import BenchItem, ItemInHand, label_of
from assess.judging.queries.blind_responses import Cited, Part, names_document, response_parts, surrounding_parts
from assess.judging.queries.known_answers import ComparedAnswers, compared_answers
from assess.judging.queries.machine_drafts import Draft, drafts_of
from assess.protocol import NONE, REQUIRED, UNSURE, Criterion, Grade, Grading, Stage, asked_criteria
from assess.topics.models import Topic

LONG_SCALE = 6  # a scale of more grades is shown in a row


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedCriterion:
    """One criterion as the bench asks it, with the answer so far: its value, and its snippets as JSON.

    ``drafts`` are the machine judgments that the assessor may see; ``draft_to_come`` means that some appear once the
    criterion is answered. ``is_kept`` means that it was answered before a hand-over, so that the answer can't be
    withdrawn. ``shown`` is JSON of the answer that the page shows, which a form sends back. ``is_asked`` is false if
    the criterion does not apply, given the other answers. ``note`` is the criterion's own note. Without a document
    (``has_document``), no snippet is required.
    """

    criterion: Criterion
    value: int | None
    snippets: Sequence[dict[str, object]]
    drafts: Sequence[Draft] = ()
    draft_to_come: bool = False
    is_kept: bool = False
    shown: str = ""
    is_asked: bool = True
    given: Mapping[str, Any] = field(default_factory=dict)
    has_document: bool = True
    note: str = ""

    @property
    def is_unsure(self) -> bool:
        """Whether the answer is "can't tell"."""
        return self.given == UNSURE

    @property
    def is_answered(self) -> bool:
        """Whether there is an answer, which could be withdrawn."""
        return self.value is not None or bool(self.given)

    @property
    def grades(self) -> list[tuple[Grade, str, str]]:
        """The grades, each with two lists of fields: those it requires and those it does not take.

        A list is "", "note", "evidence" or "note evidence".
        """
        asked = ("note", "evidence") if self.has_document else ("note",)
        if self.criterion.answer != "grade":
            return []
        return [
            (
                grade,
                " ".join(name for name in asked if getattr(grade, name) == REQUIRED),
                " ".join(name for name in ("note", "evidence") if getattr(grade, name) == NONE),
            )
            for grade in self.criterion.grades
        ]

    @property
    def labels(self) -> str:
        """The labels that a snippet may carry, as JSON for the script."""
        return json.dumps(self.criterion.labels)

    @property
    def evidence(self) -> str:
        """The snippets as JSON, as a form sends them."""
        return json.dumps(self.snippets)

    @property
    def is_long(self) -> bool:
        """Whether there are so many grades that the page shows only their values, in a row."""
        return len(self.criterion.grades) > LONG_SCALE

    @property
    def named(self) -> str:
        """The values of a long scale with their names, except names that only repeat the value."""
        grades = self.criterion.grades
        return " · ".join(
            f"{grade.value}: {in_language(grade.name)}" for grade in grades if grade.name != str(grade.value)
        )

    @property
    def explained(self) -> list[tuple[str, str]]:
        """(name, explanation) of each grade that has an explanation."""
        return [(grade.name, grade.help) for grade in self.criterion.grades if grade.help]


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemOnBench:
    """The item open on the bench, with its document and the questions asked about it.

    ``parts`` are the strings of a whole response, ``around`` those of the response around a sentence. ``name``
    identifies the item in an address. ``opened`` is the place of the part whose document is open, or "".
    ``wants_document`` means that the item names a document that is not stored. ``known`` holds the correct answers once
    the item is judged, if the design reveals them.
    """

    item: Item
    name: str
    line: BenchItem
    noun: str
    parts: Sequence[Part]
    around: Sequence[Part]
    opened: str
    pane: Pane | None
    wants_document: bool
    asked: Sequence[AskedCriterion]
    questions: Iterable[HelpRequest]
    client_key: str
    known: ComparedAnswers | None = None

    @property
    def query(self) -> str:
        """The query string that identifies the item and its open part in an address."""
        return f"&item={self.name}" + (f"&string={self.opened}" if self.opened else "")


def show_item(
    request: HttpRequest, assignment: Assignment, stage: Stage, line: BenchItem, *, name: str = ""
) -> ItemOnBench:
    """Return what the bench shows of one item.

    The query parameter ``string`` says which part of a response is open. ``name`` identifies the item in addresses;
    without it, the line's handle does.
    """
    item = access_item(assignment, line.id)
    asked = HelpRequest.objects.filter(item=item, assignment__assessor=assignment.assessor_id)
    in_hand = ItemInHand(line=line, item=item, questions=asked)
    return lay_out(request, assignment, stage, in_hand, name=name)


def lay_out(
    request: HttpRequest, assignment: Assignment, stage: Stage, in_hand: ItemInHand, *, name: str = ""
) -> ItemOnBench:
    """Return an item as the bench shows it, from the item and line that `bench_item` read."""
    line, item = in_hand.line, in_hand.item
    drafts = drafts_of(assignment, item, line.values)
    asked = {each.key for each in asked_criteria(stage.criteria, line.values)}
    parts = response_parts(item, assignment.campaign)
    part, opened = _opened(request, parts)
    if part and opened:
        pane = _part_pane(request, assignment.topic, part, opened)
    else:
        pane = _pane(request, assignment.topic, stage, item, marked_in(assignment, item))
    return ItemOnBench(
        item=item,
        name=name or str(line.handle),
        line=line,
        noun=stage.noun or stage.item_kind,
        parts=parts,
        around=surrounding_parts(item, seed=assignment.seed) if _is_in_response(stage) else [],
        opened=opened.place if opened is not None and pane is not None else "",
        pane=pane,
        wants_document=pane is None and names_document(item.docno),
        asked=[
            AskedCriterion(
                criterion=criterion.as_shown(assignment.seed, item.pk),
                value=line.values.get(criterion.key),
                snippets=line.evidence.get(criterion.key, []),
                drafts=drafts.shown.get(criterion.key, ()),
                draft_to_come=criterion.key in drafts.to_come,
                is_kept=criterion.key in line.kept,
                shown=_shown_json(stage, criterion, line),
                is_asked=criterion.key in asked,
                given=line.given.get(criterion.key, {}),
                has_document=item.document is not None,
                note=line.notes.get(criterion.key, ""),
            )
            for criterion in stage.criteria
        ],
        questions=in_hand.questions,
        client_key=str(uuid4()),
        known=compared_answers(assignment, stage, item, line.values),
    )


def _shown_json(stage: Stage, criterion: Criterion, line: BenchItem) -> str:
    """Return JSON of the answer that the page shows, which its form sends back (`shown_grade`).

    The note is included if the item has only this criterion, or if the criterion asks for a note of its own.
    """
    value = line.values.get(criterion.key)
    shown: dict[str, object] = {"value": answer_word(value, line.given.get(criterion.key))}
    if len(stage.criteria) == 1 or criterion.has_own_note:
        shown["note"] = line.notes.get(criterion.key, "")
    if criterion.evidence:
        shown["evidence"] = snippet_words(line.evidence.get(criterion.key, []))
    return json.dumps(shown)


def _opened(request: HttpRequest, parts: Sequence[Part]) -> tuple[Part, Cited] | tuple[None, None]:
    asked = request.GET.get("string", "")
    named = ((part, document) for part in parts for document in part.documents)
    return next(((part, each) for part, each in named if each.place == asked and each.is_here), (None, None))


def lay_out_practice(
    request: HttpRequest, stage: Stage, item: Item, *, number: int, asked: Collection[str]
) -> ItemOnBench:
    """Return a practice item as the bench shows it, by its number in the practice, with the criteria in ``asked``."""
    topic = item.topic
    parts = response_parts(item, topic.campaign)
    part, opened = _opened(request, parts)
    pane = _part_pane(request, topic, part, opened) if part and opened else _pane(request, topic, stage, item, None)
    line = BenchItem(
        id=item.pk, handle=number, place=number, text=item.text, label=label_of(item), docno=item.docno, values={},
        note="", seconds=None, flag="", is_judged=False,
    )  # fmt: skip
    return ItemOnBench(
        item=item,
        name=str(number),
        line=line,
        noun=stage.noun or stage.item_kind,
        parts=parts,
        around=surrounding_parts(item, seed=0) if _is_in_response(stage) else [],
        opened=opened.place if opened is not None and pane is not None else "",
        pane=pane,
        wants_document=pane is None and names_document(item.docno),
        asked=[
            AskedCriterion(criterion=each, value=None, snippets=[], has_document=item.document is not None)
            for each in stage.criteria
            if each.key in asked
        ],
        questions=[],
        client_key="",
    )


def _is_in_response(stage: Stage) -> bool:
    return isinstance(stage.work, Grading) and stage.work.in_response


def _pane(request: HttpRequest, topic: Topic, stage: Stage, item: Item, marked: HighlightedItem | None) -> Pane | None:
    """Return the pane with the item's own document, or None if the item has no document.

    The text comes first if snippets are selected in it, otherwise the view that the track names. If the track names
    none, the text comes first if the document itself is judged, otherwise the page.
    """
    if item.document is None:
        return None
    item.document.campaign = topic.campaign
    selects = any(criterion.evidence for criterion in stage.criteria)
    usual = track_of(topic.campaign).document_view or ("page" if item.text.strip() else "text")
    first = "text" if selects else usual
    terms = topic_terms(topic)
    return make_pane(request, item.document, answer=item.text, terms=terms, marked=marked, first=first)


def _part_pane(request: HttpRequest, topic: Topic, part: Part, named: Cited) -> Pane | None:
    document = Document.objects.filter(campaign=topic.campaign, docno=named.docno).first()
    if document is None:
        return None
    document.campaign = topic.campaign
    terms = topic_terms(topic)
    return make_pane(request, document, answer=part.text, terms=terms, words=" ".join(terms), first="text")
