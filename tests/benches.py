"""A campaign with work of every kind that the benches know (`tests.bench_track`), made by factories."""

from __future__ import annotations

import hashlib
import io
import zlib
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from PIL import Image, ImageDraw

from assess.documents.domain.indexing import add_words, index_form
from assess.documents.words import tell_language
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import (
    Assignment,
    Campaign,
    Citation,
    Document,
    DocumentBody,
    Item,
    Judgment,
    Pool,
    PoolItem,
    Segment,
    Topic,
)
from assess.rendering.rendered import PAGE_VERSION
from tests import factories
from tests.remembered import remembered

ABSTRACT = (
    "Statins lower cholesterol. In 240 adults, the drug lowered LDL by 31 percent. 😀 Muscle pain was rare. "
    "No effect on weight was seen. Long trials are still missing."
)
PASSAGES = {
    "P1:1": "A vegetarian stew of beans and squash needs an hour on a small flame.",
    "P2:4": "The knives of the kitchen should be sharpened every month.",
    "P3:0": "Beans that were soaked over night cook in half the time, and keep their shape.",
}
TURNS = [
    {"by": by, "text": f"{by} says something of turn {number}, about a dinner for eight people who eat no meat."}
    for number in range(1, 16)
    for by in ("User", "System")
]
FACTS = [f"I have lived in town number {number} and like cooking." for number in range(1, 21)]
LABELS = ["FIG 1", "FIG 1A", "FIG 2", "FIG 10", "TABLE 1"]


@dataclass(frozen=True, kw_only=True)
class Benches:
    """The campaign, its one topic, and an opened assignment for every stage, by the stage's key."""

    campaign: Campaign
    topic: Topic
    assessor: User
    work: dict[str, Assignment]

    def items(self, kind: str) -> list[Item]:
        """The topic's items of a kind, in the order in which they were made."""
        return list(self.topic.items.filter(kind=kind).order_by("pk"))


@pytest.fixture
def bench_tracks(settings: Any) -> None:
    """The site knows the track of the benches, for this test alone."""
    settings.ASSAY_TRACKS = "tests.bench_track.TRACKS"


@pytest.fixture
@remembered
def benches(bench_tracks: None, organiser: User) -> Benches:
    """All kinds of work on one topic; two runs returned the sentences."""
    campaign = factories.campaign(organiser=organiser, slug="benches", track="bench")
    campaign.topics.filter(parent__isnull=False).delete()
    topic = factories.topic(
        campaign, "7-1", "What can I cook for eight friends?", task="bench", parent=campaign.topics.get(number="1")
    )
    topic.fields = {"turns": TURNS, "facts": FACTS, "pages": ["claim-1.png", "claim-2.png", "missing-3.png"]}
    topic.save()
    assessor = factories.member(campaign, "assessor", "assessor")
    pool = Pool.objects.create(campaign=campaign, task="bench", recipe={}, digest="0" * 64)
    make_items(campaign, topic, pool, organiser)
    for number in (1, 2):
        image_document(campaign, f"claim-{number}.png", f"page {number}")
    work = {
        stage: factories.assignment(topic, stage, assessor)
        for stage in ("passages", "responses", "sentences", "citations", "statements", "figures")
    }
    return Benches(campaign=campaign, topic=topic, assessor=assessor, work=work)


def make_items(campaign: Campaign, topic: Topic, pool: Pool, organiser: User) -> None:
    """Items of every kind, pooled, with the documents and responses behind them."""
    for docno, text in PASSAGES.items():
        text_document(campaign, docno, text)
        pooled(pool, topic, "passage", docno, docno=docno)
    text_document(campaign, "PMID1", ABSTRACT)
    parts = [
        {"text": "Soak beans over night.", "docno": "P3:0"},
        {"text": "Add squash, and wait for an hour.", "docno": "P1:1"},
        {"text": "Nobody knows why.", "docno": "XXXXXXXX"},
        {"text": "Salt it last.", "docno": "P9:9"},
    ]
    whole = pooled(pool, topic, "response", "whole", fields={"parts": parts})
    sentences = [
        pooled(pool, topic, "sentence", f"s{number}", text=text)
        for number, text in enumerate(("Statins lower LDL.", "They cure colds.", "Ask a doctor."), start=1)
    ]
    pooled(pool, topic, "citation", "c1", text="Statins lower LDL.", docno="PMID1")
    pooled(pool, topic, "citation", "c2", text="They cure colds.", docno="PMID1")
    pooled(pool, topic, "statement", "f1", text="I eat no meat.")
    for label in LABELS:
        pooled(pool, topic, "figure", label.casefold(), text=label)
    for tag, order in (("Zanzibar1", sentences), ("Quillwort2", sentences[::-1])):
        run = factories.run(campaign, tag, organiser)
        response = factories.response(run, topic, order)
        response.item = whole
        response.save()
        first = Segment.objects.filter(response=response).earliest("ordinal")
        passage = topic.items.get(kind="passage", key="P1:1")
        Citation.objects.create(segment=first, ordinal=1, docno="P1:1", item=passage)


def pooled(
    pool: Pool, topic: Topic, kind: str, key: str, *, text: str = "", docno: str = "", fields: object = None
) -> Item:
    """One pooled item with its stored document."""
    document = topic.campaign.documents.filter(docno=docno).first()
    item = Item.objects.create(
        topic=topic, kind=kind, key=key, text=text, docno=docno, document=document, fields=fields or {}
    )
    PoolItem.objects.create(pool=pool, item=item)
    return item


def text_document(campaign: Campaign, docno: str, text: str) -> Document:
    """A stored document of plain text."""
    return _document(campaign, docno, text.encode(), "text/plain", text=text, page=f"<pre>{text}</pre>")


def image_document(campaign: Campaign, docno: str, words: str) -> Document:
    """A stored page image with some words on it."""
    return _document(campaign, docno, png(words), "image/png", fields={"width": "600", "height": "800"})


@cache
def png(words: str = "", size: tuple[int, int] = (600, 800)) -> bytes:
    """The bytes of a small PNG."""
    image = Image.new("RGB", size, "white")
    ImageDraw.Draw(image).text((40, 40), words, fill="black")
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def _document(
    campaign: Campaign,
    docno: str,
    raw: bytes,
    media_type: str,
    *,
    text: str = "",
    page: str = "",
    fields: object = None,
) -> Document:
    made = Document.objects.create(
        campaign=campaign,
        docno=docno,
        media_type=media_type,
        size=len(raw),
        sha256=hashlib.sha256(raw).hexdigest(),
        source_file="made by a factory",
        source_offset=0,
        text_sha256=hashlib.sha256(text.encode()).hexdigest(),
        text_version="test",
        page_version=PAGE_VERSION,
        fields=fields or {},
        language=tell_language(text),
    )
    shown = f"<!DOCTYPE html><html><head><meta charset=utf-8></head><body>{page}</body></html>" if page else ""
    DocumentBody.objects.create(
        document=made, raw=zlib.compress(raw), page=zlib.compress(shown.encode()) if shown else None, text=text
    )
    add_words([(made.pk, index_form(text, made.language))])
    return made


def say(work: Assignment, item: Item, criterion: str, value: int | None, **more: object) -> Judgment:
    said = JudgmentInput(item=item, criterion=criterion, value=value, client_key=uuid4(), **more)  # type: ignore[arg-type]
    return record_judgment(actor=work.assessor, assignment=work, judgment=said)


def need_relevant_passage(benches: Benches, value: int = 2) -> None:
    passage = next(item for item in benches.items("passage") if item.key == "P1:1")
    say(benches.work["passages"], passage, "relevance", value)
