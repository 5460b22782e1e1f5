"""Independent topics with a description and a narrative, as several tracks read and show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

from assess.protocol import ContextPart, SegmentRecord, TopicRecord, Wording, named_wordings
from scoring.folding import answer_key
from scoring.formats.tac_columns import RunLine
from scoring.formats.trec_topics import TopicText, read_trec_topics, write_trec_topics
from scoring.own_items import own_key
from scoring.records import Issue
from scoring.release.phrases import Phrase
from tracks.further_fields import further_of, further_parts, further_wordings, kept_further

PARTS = {"description": Phrase("Description"), "narrative": Phrase("Narrative")}


def topics_of(task: str, *, conversations: bool = True) -> Callable[[BinaryIO], Iterator[TopicRecord | Issue]]:
    """Return a reader of topic files (`scoring.formats.trec_topics`) for the task with this key. The reader yields an
    issue for each topic that it can't read.

    If ``conversations`` is False, iKAT's files are not read as topics. This is for tracks that have another kind of
    file for them.
    """

    def read(file: BinaryIO) -> Iterator[TopicRecord | Issue]:
        for place, topic in enumerate(read_trec_topics(file, conversations=conversations), 1):
            if isinstance(topic, TopicText):
                fields = {name: getattr(topic, name) for name in PARTS if getattr(topic, name)}
                yield TopicRecord(
                    number=topic.number,
                    task=task,
                    text=topic.title,
                    ordinal=place,
                    fields=fields | kept_further(topic.further),
                    line=topic.line,
                )
            else:
                yield topic

    return read


def write_plain_topics(records: Iterable[TopicRecord]) -> Iterator[str]:
    """Yield the lines of a topic file. Records without a task, and turns of a series, are left out."""
    return write_trec_topics(
        TopicText(
            number=each.number,
            title=each.text,
            description=str(each.fields.get("description", "")),
            narrative=str(each.fields.get("narrative", "")),
            further=further_of(each),
        )
        for each in records
        if each.task and each.parent is None
    )


def described(topic: TopicRecord, ancestors: tuple[TopicRecord, ...]) -> Iterator[ContextPart]:
    """Yield what assessors see of a topic below its title: its description, its narrative, and its further fields."""
    del ancestors
    for name in PARTS:
        if text := topic.fields.get(name):
            yield ContextPart(heading=PARTS[name], lines=(("", str(text)),))
    yield from further_parts(topic)


def plain_wordings(topic: TopicRecord, series: tuple[TopicRecord, ...]) -> Iterator[Wording]:
    """Yield the texts of an independent topic that can be amended: its title, its description and narrative if it has
    them, and its further texts.
    """
    del series
    yield Wording(key="text", label="Title", text=topic.text, places=((topic.number, ("text",)),))
    yield from named_wordings(topic, PARTS)
    yield from further_wordings(topic)


# Segments of runs whose lines are answers, for all tracks with such runs.


def segments_of_lines(lines: Iterable[RunLine], item_kind: str, *, each: bool = False) -> Iterator[SegmentRecord]:
    """Yield one segment for each line, numbered within its question.

    The same string from the same document (white space apart) in two runs has the same item key; with ``each``, the
    string of each run has a key of its own (`scoring.own_items`).
    """
    ordinals: Counter[str] = Counter()
    places: Counter[tuple[str, str]] = Counter()
    for line in lines:
        ordinals[line.topic] += 1
        key = answer_key(line.text, line.docno)
        if each:
            places[line.topic, key] += 1
            key = own_key(key, line.run, places[line.topic, key])
        yield SegmentRecord(
            topic=line.topic,
            ordinal=ordinals[line.topic],
            text=line.text,
            docno=line.docno,
            item_kind=item_kind,
            item_key=key,
            line=line.line,
            no_docno=line.no_docno,
        )
