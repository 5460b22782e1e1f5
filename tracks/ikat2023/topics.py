"""Topics of iKAT: a topic groups its subtrees, a dialogue its turns, and turns are judged."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from assess.protocol import FURTHER, ContextPart, ItemRecord, TopicRecord, Wording
from assess.protocol.track import Place
from scoring.formats.ikat_topics import Dialogue, DialogueTurn, read_dialogues, reworded, turn_name, write_dialogues
from scoring.records import Issue
from scoring.release.phrases import Phrase
from tracks.further_fields import further_of, further_parts, kept_further

TURN = "turn"  # the one task
STATEMENT = "ptkb"  # the kind of items that are statements about the user


def read_topics(file: BinaryIO) -> Iterator[TopicRecord | Issue]:
    """Yield a record for each topic ("9"), each dialogue ("9-1") and each turn ("9-1_1"), and an issue for each
    dialogue that can't be read. The dialogues of a topic are grouped under it.

    A dialogue whose number is also that of its topic has no topic above it.
    """
    subtrees: dict[str, int] = {}
    for dialogue in read_dialogues(file):
        if isinstance(dialogue, Issue):
            yield dialogue
            continue
        is_subtree = dialogue.topic != dialogue.number
        if is_subtree and dialogue.topic not in subtrees:
            yield TopicRecord(number=dialogue.topic, task="", text=dialogue.title, ordinal=len(subtrees) + 1)
        subtrees[dialogue.topic] = subtrees.get(dialogue.topic, 0) + 1
        yield TopicRecord(
            number=dialogue.number,
            task="",
            text=dialogue.title,
            parent=dialogue.topic if is_subtree else None,
            ordinal=subtrees[dialogue.topic] if is_subtree else len(subtrees),
            fields={
                "ptkb": _pairs(dialogue.ptkb),
                "turns": [_turn_fields(turn) for turn in dialogue.turns],
                "documents": sorted({passage for turn in dialogue.turns for passage in turn.passages}),
                **kept_further(dialogue.further),
                **({"written": dialogue.written} if dialogue.written else {}),
            },
        )
        for turn in dialogue.turns:
            yield TopicRecord(
                number=turn_name(dialogue.number, turn.number),
                task=TURN,
                text=turn.utterance,
                parent=dialogue.number,
                ordinal=turn.number,
                fields={
                    "ptkb": _pairs(dialogue.ptkb),
                    "turn": turn.number,
                    "resolved": turn.resolved_utterance,
                    **kept_further(turn.further),
                },
            )


def write_topics(records: Iterable[TopicRecord]) -> Iterator[str]:
    """Yield the lines of a file of dialogues, in the order of topics and subtrees. Unchanged dialogues are written as
    they were read.

    A dialogue of 2025 that was changed is written in the format of 2025; any other changed dialogue is written in the
    released format.
    """
    topics = list(records)
    places = {topic.number: topic.ordinal for topic in topics if topic.parent is None}
    dialogues = [topic for topic in topics if "turns" in topic.fields]
    dialogues.sort(key=lambda topic: (places.get(topic.parent or topic.number, 0), topic.ordinal))
    return write_dialogues(_dialogue(topic) for topic in dialogues)


def statements_of(topic: TopicRecord) -> dict[str, str]:
    """Return id -> statement, for the user's statements in order. Return {} if the record is neither a turn nor a
    dialogue.
    """
    return dict(topic.fields.get("ptkb", ()))


def statement_items(topic: TopicRecord, settings: Any) -> Iterator[ItemRecord]:
    """Yield each statement about the user as an item of the turn."""
    del settings
    for name, text in statements_of(topic).items():
        yield ItemRecord(topic=topic.number, kind=STATEMENT, key=name, text=text)


def turn_context(topic: TopicRecord, ancestors: tuple[TopicRecord, ...]) -> Iterator[ContextPart]:
    """Yield the turn reworded so that it can be understood by itself, what was said before it, the statements about the
    user, and further fields.

    The turn's own canonical response, and what follows it, are not shown.
    """
    number = topic.fields.get("turn", 0)
    said: list[dict[str, Any]] = next((each.fields["turns"] for each in ancestors if "turns" in each.fields), [])
    lines = []
    for turn in said[: max(number - 1, 0)]:
        lines += [(Phrase("User"), turn["utterance"]), (Phrase("System"), turn["response"])]
    if resolved := topic.fields.get("resolved"):
        yield ContextPart(heading=Phrase("What the user means"), lines=(("", resolved),))
    if lines:
        yield ContextPart(heading=Phrase("Before this turn"), lines=tuple(lines))
    if statements := statements_of(topic):
        yield ContextPart(heading=Phrase("About the user"), lines=tuple(statements.items()))
    for each in (topic, *ancestors):
        yield from further_parts(each)


def wordings(topic: TopicRecord, series: tuple[TopicRecord, ...]) -> Iterator[Wording]:
    """Yield the texts that can be amended: a turn's utterance and its meaning, and a dialogue's statements and
    responses.

    Each text has several places: a dialogue also holds copies of its turns, each turn holds copies of the statements,
    and a topic has the title of its first dialogue.
    """
    if topic.task:
        for key, label, text, member in (
            ("text", Phrase("Utterance"), topic.text, "utterance"),
            ("resolved", Phrase("What the user means"), topic.fields.get("resolved"), "resolved"),
        ):
            if text:
                places = ((topic.number, (key,)), *_in_dialogue(topic, series, member))
                yield Wording(key=key, label=label, text=str(text), places=places)
        return
    first = next(
        (each.number for each in series if each.parent is not None and not each.task and each.ordinal == 1), ""
    )
    named = dict.fromkeys((series[0].number, first)) if topic.number in (series[0].number, first) else (topic.number,)
    yield Wording(
        key="text", label=Phrase("Title"), text=topic.text, places=tuple((each, ("text",)) for each in named if each)
    )
    below = [each for each in series if each.parent == topic.number and each.task]
    for place, (name, text) in enumerate(topic.fields.get("ptkb", ())):
        places = tuple((each.number, ("ptkb", place, 1)) for each in (topic, *below))
        yield Wording(
            key=f"statement-{name}",
            label=Phrase("Statement {name} about the user", name=name),
            text=text,
            places=places,
        )
    for place, turn in enumerate(topic.fields.get("turns", ())):
        number, text = turn["number"], turn["response"]
        if text:
            places = ((topic.number, ("turns", place, "response")),)
            yield Wording(
                key=f"response-{number}",
                label=Phrase("Response to turn {number}", number=number),
                text=text,
                places=places,
            )


def _in_dialogue(topic: TopicRecord, series: tuple[TopicRecord, ...], member: str) -> tuple[Place, ...]:
    head = next((each for each in series if each.number == topic.parent), None)
    turns = head.fields.get("turns", ()) if head is not None else ()
    mine = topic.fields.get("turn")
    return tuple(
        (topic.parent or "", ("turns", place, member)) for place, turn in enumerate(turns) if turn["number"] == mine
    )


def _pairs(ptkb: tuple[tuple[str, str], ...]) -> list[list[str]]:
    """Return the statements as pairs, since a database need not keep the order of an object's keys."""
    return [[name, text] for name, text in ptkb]


def _turn_fields(turn: DialogueTurn) -> dict[str, Any]:
    details = {"statement_details": turn.statement_details, "passage_details": turn.passage_details}
    return {
        "number": turn.number,
        "utterance": turn.utterance,
        "resolved": turn.resolved_utterance,
        "response": turn.response,
        "statements": list(turn.statements),
        "passages": list(turn.passages),
        **{name: [list(pair) for pair in pairs] for name, pairs in details.items() if pairs},
        **kept_further(turn.further),
    }


def _dialogue(topic: TopicRecord) -> Dialogue:
    """Return the dialogue of a topic. It keeps its original text if that still says the same as the topic."""
    dialogue = Dialogue(
        number=topic.number,
        title=topic.text,
        ptkb=tuple(statements_of(topic).items()),
        turns=tuple(map(_turn, topic.fields["turns"])),
        further=further_of(topic),
    )
    written = topic.fields.get("written", "")
    if not written:
        return dialogue
    found = [each for each in read_dialogues(io.BytesIO(f"[{written}]".encode())) if isinstance(each, Dialogue)]
    return replace(dialogue, written=written if found == [dialogue] else reworded(written, dialogue))


def _turn(fields: Mapping[str, Any]) -> DialogueTurn:
    return DialogueTurn(
        number=fields["number"],
        utterance=fields["utterance"],
        resolved_utterance=fields["resolved"],
        response=fields["response"],
        statements=tuple(fields["statements"]),
        passages=tuple(fields["passages"]),
        statement_details=tuple((text, score) for text, score in fields.get("statement_details", ())),
        passage_details=tuple((text, score) for text, score in fields.get("passage_details", ())),
        further=tuple((name, value) for name, value in fields.get(FURTHER, ())),
    )
