"""What the page for writing a nugget list shows, and which nuggets say nearly the same as the one being written. No
query here joins runs.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.campaigns.queries import stage_of
from assess.documents.likeness import Rarity, content_words, product
from assess.documents.models import Document
from assess.items.models import Item
from assess.judging.queries.blind_responses import blind_strings
from assess.protocol import Stage
from assess.topics.models import Topic
from nuggets.options import NuggetWriting
from nuggets.writing.history import history_of
from nuggets.writing.models import Nugget, NuggetList, NuggetSource


@dataclass(frozen=True, kw_only=True, slots=True)
class NuggetLine:
    """One nugget with its sources. ``responses`` is the number of shown responses that contain one of its strings."""

    nugget: Nugget
    place: int
    sources: tuple[NuggetSource, ...]
    responses: int


@dataclass(frozen=True, kw_only=True, slots=True)
class NuggetGroup:
    """The nuggets of one group under its heading. If the stage names no groups, a single group without a heading holds
    all nuggets.
    """

    key: str
    label: str
    lines: tuple[NuggetLine, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class NuggetLines:
    """What the page shows of a nugget list: the active nuggets by group, and retired or merged ones (``gone``).

    The nuggets are in the author's order.
    """

    nugget_list: NuggetList
    groups: tuple[NuggetGroup, ...]
    gone: tuple[Nugget, ...]
    can_undo: bool
    can_redo: bool
    edits: int
    """The number of edits so far: a page that was loaded with a smaller one is out of date."""

    @property
    def active(self) -> tuple[NuggetLine, ...]:
        """Return the active nuggets in the order in which they are shown."""
        return tuple(line for group in self.groups for line in group.lines)

    @property
    def vital(self) -> int:
        """Return how many of the active nuggets are vital."""
        return sum(line.nugget.importance == Nugget.Importance.VITAL for line in self.active)


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownString:
    """One string, given by its item. ``first_in`` is the number of an earlier response that contains the same string,
    or None if this response is the first.
    """

    item: Item
    first_in: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownResponse:
    """A response with its number in this assignment's order. The number 0 means that these are strings that are in no
    response.
    """

    number: int
    strings: tuple[ShownString, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class StringsOutline:
    """The item ids of all strings of a topic, grouped for the page.

    The first ``numbered`` groups are the strings of one response each, in the assignment's order. Pooled strings that
    are in no response follow, in groups of `PART`.
    """

    responses: tuple[tuple[int, ...], ...]
    numbered: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ResponseWindow:
    """The responses that a page shows, with three places from 1: where this window, the one before and the one after it
    begin. A place is 0 if there is no such window.
    """

    responses: tuple[ShownResponse, ...]
    first: int
    before: int
    after: int


PART = 25
LONG = 200  # strings; of more, a page shows a window
WINDOW = 45


def strings_outline(assignment: Assignment) -> StringsOutline:
    """Return the ids of all strings of the topic, grouped for the page, without their texts. Two queries."""
    _, stage = stage_of(assignment.campaign, assignment.stage)
    responses, rest = blind_strings(assignment, stage)
    ids = [tuple(item for _, item in strings) for strings in responses]
    parts = [tuple(rest[at : at + PART]) for at in range(0, len(rest), PART)]
    return StringsOutline(responses=(*ids, *parts), numbered=len(ids))


def response_window(outline: StringsOutline, first: int) -> ResponseWindow:
    """Return the window that contains the response at place ``first`` (from 1), or the last one if there are fewer.

    If the topic has few strings, the window contains all responses. One query.
    """
    sizes = [len(strings) for strings in outline.responses]
    if sum(sizes) <= LONG:
        return ResponseWindow(responses=_responses_at(outline, range(len(sizes))), first=1, before=0, after=0)
    begins = [0]  # of the windows, so that each response is in one
    for at in range(1, len(sizes)):
        if sum(sizes[begins[-1] : at + 1]) > WINDOW:
            begins.append(at)
    window = max(place for place, begin in enumerate(begins) if begin < max(first, 1))
    end = begins[window + 1] if window + 1 < len(begins) else len(sizes)
    return ResponseWindow(
        responses=_responses_at(outline, range(begins[window], end)),
        first=begins[window] + 1,
        before=begins[window - 1] + 1 if window else 0,
        after=end + 1 if end < len(sizes) else 0,
    )


def _responses_at(outline: StringsOutline, places: range) -> tuple[ShownResponse, ...]:
    items = Item.objects.in_bulk({item for at in places for item in outline.responses[at]})
    first_in: dict[int, int] = {}
    for number, strings in enumerate(outline.responses[: outline.numbered], start=1):
        for item in strings:
            if item in items:
                first_in.setdefault(item, number)
    return tuple(
        ShownResponse(
            number=(number := at + 1 if at < outline.numbered else 0),
            strings=tuple(
                ShownString(item=items[pk], first_in=first_in[pk] if first_in.get(pk, number) != number else None)
                for pk in outline.responses[at]
            ),
        )
        for at in places
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicDocument:
    """A document that the topic names, to be read beside the list. ``document`` is None if it is not loaded."""

    docno: str
    document: Document | None


def docnos_named(topic: Topic) -> list[str]:
    """Return the docnos that a topic's fields name, in their order. A docno that is named twice is returned once."""
    named = topic.fields.get("documents")
    return list(dict.fromkeys(docno for docno in named if isinstance(docno, str))) if isinstance(named, list) else []


def topic_documents(assignment: Assignment) -> tuple[TopicDocument, ...]:
    """Return the documents that the topic's fields name, in their order and each once. One query, or none if no
    document is named.
    """
    docnos = docnos_named(assignment.topic)
    if not docnos:
        return ()
    rows = Document.objects.filter(campaign=assignment.campaign_id, docno__in=docnos)
    loaded = {document.docno: document for document in rows}
    return tuple(TopicDocument(docno=docno, document=loaded.get(docno)) for docno in docnos)


def nugget_lines(nugget_list: NuggetList, outline: StringsOutline, stage: Stage) -> NuggetLines:
    """Return the list's nuggets with their sources, grouped as the stage says. Three queries."""
    sources: dict[int, list[NuggetSource]] = {}
    for source in NuggetSource.objects.filter(nugget__nugget_list=nugget_list).order_by("id"):
        sources.setdefault(source.nugget_id, []).append(source)
    holding: dict[int, set[int]] = {}
    for number, strings in enumerate(outline.responses[: outline.numbered], start=1):
        for item in strings:
            holding.setdefault(item, set()).add(number)
    rows = list(nugget_list.nuggets.select_related("merged_into").order_by("position", "number"))
    active = [nugget for nugget in rows if nugget.is_active]
    history = history_of(nugget_list.edits.order_by("id"))
    lines = [
        _line(nugget, place, tuple(sources.get(nugget.pk, ())), holding) for place, nugget in enumerate(active, start=1)
    ]
    return NuggetLines(
        nugget_list=nugget_list,
        groups=_groups(lines, stage),
        gone=tuple(nugget for nugget in rows if not nugget.is_active),
        can_undo=history.undo is not None and not nugget_list.is_frozen,
        can_redo=history.redo is not None and not nugget_list.is_frozen,
        edits=history.count,
    )


def _groups(lines: list[NuggetLine], stage: Stage) -> tuple[NuggetGroup, ...]:
    """Return the stage's groups in their order, including empty ones, and then other groups that nuggets have."""
    if not stage.options(NuggetWriting).groups:
        return (NuggetGroup(key="", label="", lines=tuple(lines)),)
    known = dict(stage.options(NuggetWriting).groups)
    others = {line.nugget.group for line in lines if line.nugget.group not in known}
    labels = known | {key: key or gettext("in no group") for key in sorted(others)}
    return tuple(
        NuggetGroup(key=key, label=label, lines=tuple(line for line in lines if line.nugget.group == key))
        for key, label in labels.items()
    )


def _line(nugget: Nugget, place: int, sources: tuple[NuggetSource, ...], holding: dict[int, set[int]]) -> NuggetLine:
    responses = {number for source in sources for number in holding.get(source.item_id or 0, ())}
    return NuggetLine(nugget=nugget, place=place, sources=sources, responses=len(responses))


NEAR = 0.5
"""The least cosine of near duplicates: two texts of two equally rare words each that share one of them."""
MOST = 3


def like_nuggets(nugget_list: NuggetList, text: str, language: str) -> list[Nugget]:
    """Return up to three active nuggets that say nearly the same as a text, the most similar first. ``language`` is
    that of the list. One query.
    """
    active = list(nugget_list.nuggets.filter(is_retired=False, merged_into=None))
    words = [content_words(nugget.text, language) for nugget in active]
    own = content_words(text, language)
    rarity = Rarity([*words, own])
    asked = rarity.vector(own)
    near = [(product(asked, rarity.vector(each)), nugget) for each, nugget in zip(words, active, strict=True)]
    near.sort(key=lambda pair: -pair[0])
    return [nugget for likeness, nugget in near[:MOST] if likeness >= NEAR]
