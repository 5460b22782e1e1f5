"""What a stage of a design judges, by the form of its runs: the words that `item` may say, and their kinds of items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tracks.designs.nugget_tables import MatchStage, NuggetStage
from tracks.designs.run_tables import ItemRuns
from tracks.designs.shape import Design, ItemStage
from tracks.installed import installed_forms

RESPONSE, SENTENCE, CITATION, PASSAGE, DOCUMENT = "response", "sentence", "citation", "passage", "document"
STRING, ITEM = "string", "item"

OWN = ("row", "group", "weight")
"""What a row of a table is in its topic besides what is judged: its name, the question that it is about, what that
weighs."""

OF_NUGGETS = ("V_strict", "V", "A_strict", "A", "W_strict", "W", "unjudged")
"""The measures that a design may name where a stage looks for nuggets in answers."""

KINDS: Mapping[str, Mapping[str, str]] = {
    "ranked": {"document": DOCUMENT, "passage": DOCUMENT},
    "answers": {each: each for each in (RESPONSE, SENTENCE, CITATION, PASSAGE, DOCUMENT)},
    "strings": {"string": STRING},
    "items": dict.fromkeys(("line", "string", "sentence", "passage", "response", "document"), ITEM),
}
"""Form of Assay's own runs -> what `item` may say, the first of them without it -> kind of item."""


def items_of_form(form: str) -> Mapping[str, str]:
    """Return what `item` may say where runs have this form, the first of them without it, by kind of item."""
    return KINDS[form] if form in KINDS else installed_forms()[form].items


def item_word(design: Design, stage: ItemStage) -> str:
    """Return what the stage judges: what it says, or the first of what runs of this form have."""
    return stage.item if "item" in stage.model_fields_set else next(iter(items_of_form(design.runs.form)))


def item_kind(design: Design, stage: ItemStage) -> str:
    """Return the kind of the items that the stage judges; "" where runs of this form have none such."""
    return items_of_form(design.runs.form).get(item_word(design, stage), "")


def has_document(design: Design, kind: str) -> bool:
    """Return whether items of this kind have a document of their own, in which evidence is selected."""
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
    """Return whether a stage looks for nuggets in answers."""
    return any(isinstance(stage, MatchStage) for stage in design.stages)
