"""What a stage of a design can judge for each form of runs: the words of `item`, and their kinds of items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tracks.designs.nugget_tables import MatchStage, NuggetStage
from tracks.designs.run_tables import ItemRuns
from tracks.designs.shape import Design, ItemStage
from tracks.installed import installed_forms

RESPONSE, SENTENCE, CITATION, PASSAGE, DOCUMENT = "response", "sentence", "citation", "passage", "document"
STRING, ITEM = "string", "item"

OWN = ("row", "group", "weight")
"""Columns with a role in the topic besides what is judged: the row's name, its question, and the question's weight."""

OF_NUGGETS = ("V_strict", "V", "A_strict", "A", "W_strict", "W", "unjudged")
"""The measures that a design may name if a stage matches nuggets in answers."""

KINDS: Mapping[str, Mapping[str, str]] = {
    "ranked": {"document": DOCUMENT, "passage": DOCUMENT},
    "answers": {each: each for each in (RESPONSE, SENTENCE, CITATION, PASSAGE, DOCUMENT)},
    "strings": {"string": STRING},
    "items": dict.fromkeys(("line", "string", "sentence", "passage", "response", "document"), ITEM),
}
"""For each of Assay's own forms of runs, the kind of item for each word of `item`; the first word is the default."""


def items_of_form(form: str) -> Mapping[str, str]:
    """Return word -> kind of item, for each word that this form of runs allows as a stage's `item`. The first word is
    the default.
    """
    return KINDS[form] if form in KINDS else installed_forms()[form].items


def item_word(design: Design, stage: ItemStage) -> str:
    """Return the word for the items that a stage judges. The stage may give it; otherwise it is the default word of the
    form of runs.
    """
    return stage.item if "item" in stage.model_fields_set else next(iter(items_of_form(design.runs.form)))


def item_kind(design: Design, stage: ItemStage) -> str:
    """Return the kind of items that the stage judges, or "" if runs of this form have no such items."""
    return items_of_form(design.runs.form).get(item_word(design, stage), "")


def has_document(design: Design, kind: str) -> bool:
    """Return whether items of this kind have their own document, in which evidence can be selected."""
    if isinstance(design.runs, ItemRuns):
        return bool(design.runs.document or design.runs.source)
    return kind in (DOCUMENT, PASSAGE, CITATION, STRING)


def kinds_judged(design: Design) -> dict[str, None]:
    """Return the kinds of items that any stage judges, in the order of the stages."""
    kinds = (RESPONSE if isinstance(stage, NuggetStage) else item_kind(design, stage) for stage in _judging(design))
    return dict.fromkeys(kinds)


def _judging(design: Design) -> Iterator[ItemStage | NuggetStage]:
    return (stage for stage in design.stages if isinstance(stage, ItemStage | NuggetStage))


def has_matches(design: Design) -> bool:
    """Return whether a stage matches nuggets in answers."""
    return any(isinstance(stage, MatchStage) for stage in design.stages)
