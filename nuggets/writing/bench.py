"""What the page for writing a nugget list shows. None of these queries joins runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assess.assignments.models import Assignment
from assess.campaigns.queries import stage_of
from assess.documents.models import Document
from assess.items.models import Item
from assess.judging.queries.blind_responses import blind_responses, pooled_in_order
from assess.protocol import Stage
from nuggets.writing.history import history_of
from nuggets.writing.models import Nugget, NuggetList, NuggetSource


@dataclass(frozen=True, kw_only=True, slots=True)
class NuggetLine:
    """One nugget with where it was seen. ``responses`` counts the shown responses that hold one of its strings."""

    nugget: Nugget
    place: int
    sources: tuple[NuggetSource, ...]
    responses: int


@dataclass(frozen=True, kw_only=True, slots=True)
class NuggetGroup:
    """The nuggets of one group under its heading; where the stage names no groups, all of them under none."""

    key: str
    label: str
    lines: tuple[NuggetLine, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class NuggetLines:
    """A nugget list for its page: what counts, by group in the author's order, and what was retired or merged."""

    nugget_list: NuggetList
    groups: tuple[NuggetGroup, ...]
    gone: tuple[Nugget, ...]
    can_undo: bool
    can_redo: bool
    edits: int
    """How many edits made it what it is: a page that shows fewer has not seen all."""

    @property
    def active(self) -> tuple[NuggetLine, ...]:
        """The nuggets that count, in the order shown."""
        return tuple(line for group in self.groups for line in group.lines)

    @property
    def vital(self) -> int:
        """How many of the nuggets that count are vital."""
        return sum(line.nugget.importance == Nugget.Importance.VITAL for line in self.active)


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownString:
    """One string: its item, and the number of an earlier response that has the very same, or None."""

    item: Item
    first_in: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownResponse:
    """A response under the number that this assignment's order gives it; 0 for strings that are in no response."""

    number: int
    strings: tuple[ShownString, ...]


def shown_responses(assignment: Assignment) -> tuple[ShownResponse, ...]:
    """All strings of the topic, response by response in the assignment's order, then those in no response.

    Six queries, however many responses.
    """
    _, stage = stage_of(assignment.campaign, assignment.stage)
    first: dict[int, int] = {}
    shown = []
    for number, segments in enumerate(blind_responses(assignment, stage), start=1):
        strings = []
        for item in (segment.item for segment in segments if segment.item is not None):
            seen = first.setdefault(item.pk, number)
            strings.append(ShownString(item=item, first_in=seen if seen != number else None))
        shown.append(ShownResponse(number=number, strings=tuple(strings)))
    loose = [item for item in pooled_in_order(assignment, stage) if item.pk not in first]
    if loose:
        strings = [ShownString(item=item, first_in=None) for item in loose]
        shown.append(ShownResponse(number=0, strings=tuple(strings)))
    return tuple(shown)


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicDocument:
    """A document that the topic names, to be read beside the list; None where it is not loaded."""

    docno: str
    document: Document | None


def topic_documents(assignment: Assignment) -> tuple[TopicDocument, ...]:
    """The documents that the topic's fields name, in their order, each once. One query where there are any."""
    named = assignment.topic.fields.get("documents")
    docnos = [docno for docno in named if isinstance(docno, str)] if isinstance(named, list) else []
    if not docnos:
        return ()
    rows = Document.objects.filter(campaign=assignment.campaign_id, docno__in=docnos)
    loaded = {document.docno: document for document in rows}
    return tuple(TopicDocument(docno=docno, document=loaded.get(docno)) for docno in dict.fromkeys(docnos))


def nugget_lines(nugget_list: NuggetList, responses: Iterable[ShownResponse], stage: Stage) -> NuggetLines:
    """The list's nuggets with their sources, under the groups that the stage names. Three queries."""
    sources: dict[int, list[NuggetSource]] = {}
    for source in NuggetSource.objects.filter(nugget__nugget_list=nugget_list).order_by("id"):
        sources.setdefault(source.nugget_id, []).append(source)
    holding: dict[int, set[int]] = {}
    for response in responses:
        for string in response.strings:
            if response.number:
                holding.setdefault(string.item.pk, set()).add(response.number)
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
    """The stage's groups in their order, empty ones too; then what is in no group, or in one that it does not name."""
    if not stage.groups:
        return (NuggetGroup(key="", label="", lines=tuple(lines)),)
    known = dict(stage.groups)
    others = {line.nugget.group for line in lines if line.nugget.group not in known}
    labels = known | {key: key or "in no group" for key in sorted(others)}
    return tuple(
        NuggetGroup(key=key, label=label, lines=tuple(line for line in lines if line.nugget.group == key))
        for key, label in labels.items()
    )


def _line(nugget: Nugget, place: int, sources: tuple[NuggetSource, ...], holding: dict[int, set[int]]) -> NuggetLine:
    responses = {number for source in sources for number in holding.get(source.item_id or 0, ())}
    return NuggetLine(nugget=nugget, place=place, sources=sources, responses=len(responses))
