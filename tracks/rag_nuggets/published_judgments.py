"""Read nugget lists and matches made elsewhere as acts: nuggetizer's files, and the human study of TREC iKAT 2024."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeVar

from assess.protocol import CheckContext
from scoring.folding import answer_key
from scoring.formats.graded_nuggets import GradedNugget, read_graded_nuggets
from scoring.formats.match_labels import LABELS, NOT_PUBLISHED, MatchLabel, read_match_labels
from scoring.formats.nugget_banks import ReportedOnce, unwrapped
from scoring.formats.nuggetizer import read_numbered_nuggetizer
from scoring.formats.rag_nuggets import kept_fields, read_numbered_nuggets
from scoring.own_items import own_key
from scoring.reading.json_values import json_values
from scoring.reading.opening import CannotOpen, open_input
from scoring.reading.plain_names import KnownNames
from scoring.reading.unpacking import plain_name
from scoring.records import AssignedNugget, Issue, NuggetizerLine, OwnedNugget
from scoring.release.recorded_acts import ListFrozen, Matched, NuggetWritten, RecordedAct, Reviewed
from scoring.wording import counted
from tracks.rag_nuggets.files import read_responses

AUTHOR = "author"
PlacedAct = tuple[int | str, RecordedAct]
Items = dict[tuple[str, str], tuple[str, str]]
"""The key and the text of the item that a label is about, by topic and run."""
Record = TypeVar("Record")


class _Reader(Protocol):
    def __call__(self, file: BinaryIO, /) -> Iterable[Any]: ...


def _opened(path: Path, read: _Reader) -> Iterator[Any]:
    """Yield the records of a file, and issues whose places include the file's name."""
    try:
        with open_input(path) as file:
            for each in read(file):
                if isinstance(each, Issue):
                    yield replace(each, where=f"{path.name}:{each.where}" if each.where != "" else path.name)
                else:
                    yield each
    except CannotOpen as error:
        yield Issue(where=path.name, code="cannot-open", message=f"{error}")


def _topic_numbers(context: CheckContext) -> set[str]:
    return {topic.number for topic in context.topics if topic.task}


def _unknown(place: str, topics: Iterable[str], known: Iterable[str]) -> Iterator[Issue]:
    """Yield a warning that names the unknown topics whose lines were skipped."""
    if named := sorted(set(topics)):
        shown = ", ".join(map(KnownNames(known).listed, named[:5])) + (" …" if len(named) > 5 else "")
        message = (
            f"The campaign has no topic {shown}; what is said of {counted(len(named), 'such topic')} is passed over."
        )
        yield Issue(where=place, code="unknown-topic", message=message, severity="warning")


# ---------------------------------------------------------------- nuggetizer


def read_nugget_files(paths: Sequence[Path], context: CheckContext) -> Iterator[PlacedAct | Issue]:
    """Yield the acts that make nugget lists, then those that mark nuggets in responses; issues of the files come first.
    Files with "assign" in their name, or that begin with a response and its nuggets, are read as assignments.

    A response's nuggets are looked up on the list by their text. If there is no list, the nuggets of the first response
    become the list. Topics that the campaign does not have are passed over with a warning.
    """
    assigned = [path for path in paths if "assign" in path.name.casefold() or _says_support(path)]
    known, lists = _topic_numbers(context), _Lists()
    for path in (path for path in paths if path not in assigned):
        unknown = set()
        told = ReportedOnce(name=path.name, known=known)
        for each in _opened(path, partial(read_numbered_nuggets, told=told)):
            if isinstance(each, Issue):
                yield each
            elif each[1].topic not in known:
                unknown.add(each[1].topic)
            else:
                lists.add(f"{path.name}:{each[0]}", each[1])
        yield from _unknown(path.name, unknown, known)
    matches: list[PlacedAct | Issue] = []
    for path in assigned:
        unknown = set()
        for each in _opened(path, read_numbered_nuggetizer):
            if isinstance(each, Issue):
                yield each
            elif each[1].topic not in known:
                unknown.add(each[1].topic)
            else:
                matches += _assigned(f"{path.name}:{each[0]}", each[1], lists, is_own=context.settings.judge_each)
        yield from _unknown(path.name, unknown, known)
    yield from lists.acts()
    yield from matches


def _says_support(path: Path) -> bool:
    """Return whether the first line of a file has an answer and nuggets, which need not be assigned."""
    try:
        with open_input(path) as file:
            first = next(json_values(file), None)
    except CannotOpen:
        return False
    value = None if first is None or isinstance(first, Issue) else next(unwrapped(first[1]), None)
    return isinstance(value, dict) and "answer_text" in value and "nuggets" in value


@dataclass(slots=True)
class _Lists:
    """The nuggets of each topic, and the place of each nugget in the files."""

    nuggets: dict[str, list[tuple[str, OwnedNugget]]] = field(default_factory=dict)

    def add(self, place: str, nugget: OwnedNugget) -> None:
        self.nuggets.setdefault(nugget.topic, []).append((place, nugget))

    def numbers(self, topic: str) -> dict[str, list[int]]:
        """Return the numbers of a topic's nuggets, by text."""
        found: dict[str, list[int]] = {}
        for _, nugget in self.nuggets.get(topic, ()):
            found.setdefault(nugget.text, []).append(nugget.number)
        return found

    def acts(self) -> Iterator[PlacedAct]:
        """Yield the acts that write and freeze the lists."""
        for topic, nuggets in self.nuggets.items():
            for place, nugget in nuggets:
                yield (
                    place,
                    NuggetWritten(
                        by=AUTHOR,
                        topic=topic,
                        number=nugget.number,
                        importance=nugget.importance,
                        text=nugget.text,
                        group=nugget.group,
                        fields=kept_fields(nugget),
                    ),
                )
            yield nuggets[-1][0], ListFrozen(by=AUTHOR, topic=topic)


def _assigned(place: str, line: NuggetizerLine, lists: _Lists, *, is_own: bool) -> Iterator[PlacedAct | Issue]:
    """Yield the acts that mark which nuggets a response contains. With ``is_own``, they are about the response of the
    line's run alone, otherwise about all responses with the same text.
    """
    if line.topic not in lists.nuggets:
        for number, each in enumerate(line.nuggets, 1):
            lists.add(place, _owned(line.topic, number, each))
    left = {text: list(numbers) for text, numbers in lists.numbers(line.topic).items()}
    is_complete = sum(map(len, left.values())) == len([each for each in line.nuggets if each.assignment])
    key = own_key(answer_key(line.answer, ""), line.run) if is_own and line.run else ""
    about: dict[str, Any] = {"by": AUTHOR, "topic": line.topic, "docno": "", "answer": line.answer, "key": key}
    for each in line.nuggets:
        if not left.get(each.text):
            message = f"“{each.text[:60]}” is not on the nugget list of topic {line.topic[:40]}."
            yield Issue(where=place, code="unknown-nugget", message=message)
            continue
        number = left[each.text].pop(0)
        if each.assignment in ("support", "partial_support"):
            yield place, Matched(**about, number=number, is_partial=each.assignment == "partial_support")
        elif each.assignment and not is_complete:
            yield place, Matched(**about, number=number, is_absent=True)
    if is_complete:
        yield place, Reviewed(**about)


def _owned(topic: str, number: int, nugget: AssignedNugget) -> OwnedNugget:
    return OwnedNugget(
        by="", role="primary", topic=topic, number=number, importance=nugget.importance, text=nugget.text
    )


# ---------------------------------------------------------------- the human study of iKAT 2024


def read_graded_files(paths: Sequence[Path], context: CheckContext) -> Iterator[PlacedAct | Issue]:
    """Yield the acts that make lists of graded nuggets, then those for labels, which say whether a run's response
    contains a nugget. Issues of the files come first.
    The fields of a nugget hold its grade, its labels, and whether it is on the deduplicated list. A label is a mark in
    the response of its run, if a file of responses has that response. Otherwise it is a mark in an item made for it,
    since not all labelled texts were published.
    """
    known = _topic_numbers(context)
    nuggets: dict[tuple[str, int], tuple[str, GradedNugget]] = {}
    deduplicated: set[tuple[str, int]] = set()
    labels: list[tuple[str, MatchLabel]] = []
    texts: dict[tuple[str, str], str] = {}
    for path in paths:
        unknown = set()
        plain = plain_name(path.name)
        if plain.endswith("responses.json"):
            texts |= read_responses(path)
            continue
        for each in _opened(path, read_match_labels if plain.endswith(".txt") else read_graded_nuggets):
            if isinstance(each, Issue):
                yield each
            elif each.topic not in known:
                unknown.add(each.topic)
            elif isinstance(each, MatchLabel):
                labels.append((f"{path.name}:{each.line}", each))
            elif "deduplicated" in path.name:
                deduplicated.add((each.topic, each.number))
                nuggets.setdefault((each.topic, each.number), (path.name, each))
            else:
                nuggets[each.topic, each.number] = (path.name, each)
        yield from _unknown(path.name, unknown, known)
    items = {(label.topic, label.run): _item(label, texts, is_own=context.settings.judge_each) for _, label in labels}
    yield from _graded_lists(nuggets, deduplicated, labels, items, context.settings.vital_from)
    yield from _labelled(nuggets, labels, items)


def _graded_lists(
    nuggets: dict[tuple[str, int], tuple[str, GradedNugget]],
    deduplicated: set[tuple[str, int]],
    labels: list[tuple[str, MatchLabel]],
    items: Items,
    vital_from: int,
) -> Iterator[PlacedAct]:
    said: dict[tuple[str, int], dict[str, list[Any]]] = {}
    for _, label in labels:
        about = said.setdefault((label.topic, label.number), {})
        about[items[label.topic, label.run][0]] = [label.batch, label.run]
    last: dict[str, str] = {}
    for (topic, number), (place, nugget) in sorted(nuggets.items()):
        fields: dict[str, Any] = dict(nugget.others) | {"relevance": nugget.grade}
        fields |= {"deduplicated": True} if (topic, number) in deduplicated else {}
        fields |= {LABELS: said[topic, number]} if (topic, number) in said else {}
        last[topic] = f"{place}:$.{topic}['[{number}]']"
        owned = OwnedNugget(
            by="", role="primary", topic=topic, number=number, text=nugget.text, fields=fields,
            importance="vital" if int(nugget.grade) >= vital_from else "okay",
        )  # fmt: skip
        yield last[topic], NuggetWritten(
            by=AUTHOR, topic=topic, number=number, importance=owned.importance, text=owned.text,
            fields=kept_fields(owned),
        )  # fmt: skip
    for topic, where in last.items():
        yield where, ListFrozen(by=AUTHOR, topic=topic)


def _labelled(
    nuggets: dict[tuple[str, int], tuple[str, GradedNugget]],
    labels: list[tuple[str, MatchLabel]],
    items: Items,
) -> Iterator[PlacedAct | Issue]:
    """Yield a match for each label. Also yield that a response is finished, if it has a label for every nugget of the
    topic's list.
    """
    sizes: dict[str, int] = {}
    for topic, _ in nuggets:
        sizes[topic] = sizes.get(topic, 0) + 1
    counts: dict[tuple[str, str], int] = {}
    for place, label in labels:
        if (label.topic, label.number) not in nuggets:
            message = f"There is no nugget {label.number} for turn {label.topic[:40]}. Give the file of nuggets, too."
            yield Issue(where=place, code="unknown-nugget", message=message)
            continue
        key, text = items[label.topic, label.run]
        about: dict[str, Any] = {"by": AUTHOR, "topic": label.topic, "docno": "", "answer": text, "key": key}
        counts[label.topic, label.run] = counts.get((label.topic, label.run), 0) + 1
        yield place, Matched(**about, number=label.number, is_absent=not label.is_match)
        if counts[label.topic, label.run] == sizes[label.topic]:
            yield place, Reviewed(**about)


def _item(label: MatchLabel, texts: dict[tuple[str, str], str], *, is_own: bool) -> tuple[str, str]:
    """Return the key and the text of the item that a label is about. With ``is_own`` it is an item for this run's
    response alone, otherwise one that equal responses share.
    """
    text = texts.get((label.topic, label.run))
    if text is None:
        return f"response of {label.run}"[:200], NOT_PUBLISHED
    key = answer_key(text, "")
    return own_key(key, label.run) if is_own else key, text
