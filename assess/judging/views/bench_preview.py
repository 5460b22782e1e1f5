"""A preview of the grading bench for a stage that is not being judged yet; nothing can be answered on it."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign
from assess.documents.models import DocumentBody
from assess.items.models import Item
from assess.judging.queries.bench import BenchItem
from assess.judging.views.item_on_bench import AskedCriterion, ItemOnBench
from assess.protocol import Stage
from assess.topics.models import Topic

SHOWN = 2_000
"""The number of characters shown of a document's text."""


def preview_values(stage: Stage, campaign: Campaign | None = None, sample: str = "") -> dict[str, Any]:
    """Return the template's values for a closed preview of a grading stage.

    It shows the campaign's first item of the stage's kind, or the text ``sample``.
    """
    item = _first_item(stage, campaign) if campaign is not None and not sample else None
    text = sample or (_text(item) if item is not None else "")
    noun = stage.noun or stage.item_kind
    text = text or gettext("Here stands the %(noun)s that is judged.") % {"noun": gettext(noun)}
    shown = Item(kind=stage.item_kind, text=text, docno=item.docno if item is not None else "")
    line = BenchItem(
        id=0, handle=1, place=1, text=text, label=text[:90], docno=shown.docno, values={}, note="", seconds=None,
        flag="", is_judged=False,
    )  # fmt: skip
    thing = ItemOnBench(
        item=shown,
        name="1",
        line=line,
        noun=noun,
        parts=[],
        around=[],
        opened="",
        pane=None,
        wants_document=False,
        asked=[AskedCriterion(criterion=criterion, value=None, snippets=[]) for criterion in stage.criteria],
        questions=[],
        client_key="",
    )
    unsaved = Campaign(slug="preview")
    topic = item.topic if item is not None else Topic(campaign=unsaved, number="1", text="")
    work = Assignment(pk=0, campaign=unsaved, topic=topic, stage=stage.key)
    return {"assignment": work, "stage": stage, "thing": thing, "total": 1, "closed": True}


def _first_item(stage: Stage, campaign: Campaign) -> Item | None:
    found = Item.objects.filter(topic__campaign=campaign, kind=stage.item_kind, repeats=None)
    return found.select_related("topic", "document").order_by("pk").first()


def _text(item: Item) -> str:
    if item.text.strip() or item.document_id is None:
        return item.text
    body = DocumentBody.objects.filter(document=item.document_id).values_list("text", flat=True).first() or ""
    return body if len(body) <= SHOWN else f"{body[:SHOWN]}…"
