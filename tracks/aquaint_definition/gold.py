"""What the assessors said, as scoring needs it: holistic scores, two nugget lists a question, nuggets found in runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from assess.protocol import TopicRecord
from scoring.formats.definition_judgments import (
    COMMENTS,
    HolisticScores,
    Pair,
    read_definition_nuggets,
    read_holistic,
    read_pieces,
    write_holistic,
)
from scoring.formats.definition_runs import read_bundle
from scoring.measures.nuggets import ListWeights, Mark, importance_weights, part_counts
from scoring.reading.unpacking import plain_name
from scoring.records import Issue, Nugget, NuggetPiece, ResponseItem, RunGrade
from tracks.aquaint_definition.files import read_topics
from tracks.aquaint_definition.fitting_marks import why_no_mark
from tracks.input_files import GoldKind, Reader, file_issue, load_records, told_by_content

# Holistic scores between the site, where each is one judgment, and the pilot's file, a line for each response.
#
# The contractor's scores are a stage of their own with criteria of their own; the author's and the other assessor's are
# given in one stage, by the primary and the second assessor.

CONTENT, ORGANIZATION = "content", "organization"
CONTRACTOR = "contractor_"
CRITERIA = (CONTENT, ORGANIZATION, CONTRACTOR + CONTENT, CONTRACTOR + ORGANIZATION)


def write_holistic_scores(records: Iterable[Any], *, holistic_comments: str = COMMENTS) -> Iterator[str]:
    """Return the file of these scores: `HolisticScores`, or the `RunGrade` of single criteria that the site keeps."""
    return write_holistic(as_scores(records), comments=holistic_comments)


def as_scores(records: Iterable[HolisticScores | RunGrade]) -> list[HolisticScores]:
    """One record a response. Of several second assessors' scores the first counts."""
    found: dict[tuple[str, str], HolisticScores] = {}
    for each in records:
        place = (each.topic, each.run)
        if isinstance(each, HolisticScores):
            found[place] = each
        elif each.criterion in CRITERIA:
            found[place] = _with(found.get(place) or HolisticScores(topic=each.topic, run=each.run), each)
    return [found[place] for place in sorted(found)]


def _with(scores: HolisticScores, grade: RunGrade) -> HolisticScores:
    """The scores with one more of them; a second assessor's opinion of the contractor's work is none of them."""
    if grade.criterion.startswith(CONTRACTOR):
        return scores if grade.role else replace(scores, contractor=_put(scores.contractor, grade))
    if grade.role == "second":
        return replace(scores, other=_put(scores.other, grade))
    return replace(scores, author=_put(scores.author, grade))


def _put(pair: Pair, grade: RunGrade) -> Pair:
    content, organization = pair
    if grade.criterion.endswith(CONTENT):
        return (grade.value if content is None else content, organization)
    return (content, grade.value if organization is None else organization)


# The gold as scoring takes it.

OWNERS = ("author", "other")
PANEL = (*OWNERS, "contractor")
QUESTIONS, HOLISTIC, RESPONSES = "questions", "holistic", "Q.all"
LISTS = {owner: f"{owner}.all" for owner in OWNERS}
PIECES = {owner: f"sys.{owner}.all" for owner in OWNERS}
GOLD_FILES = (QUESTIONS, HOLISTIC, *LISTS.values(), *PIECES.values(), RESPONSES)
NOT_SCORED = frozenset({"author_summaries", "judgments.jsonl", "manifest.json"})

_NAME = re.compile(r"(Q|author|other|sys\.author|sys\.other)\.(all|[A-Za-z0-9._-]+)")


@dataclass(frozen=True, kw_only=True, slots=True)
class PanelGold:
    """One question as one of its two assessors sees it: the nugget list, and what each run holds of it.

    ``marks`` are by run and number of the string, from 1; ``parts`` how many parts a nugget has that spans strings.
    """

    nuggets: tuple[Nugget, ...]
    weights: ListWeights
    parts: dict[int, int]
    marks: dict[str, dict[int, tuple[Mark, ...]]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Gold:
    """All of a campaign's gold. ``panels`` is by owner and question, for questions with a list of that owner's.

    ``responses`` are the strings of the runs that the gold itself holds, by run and question.
    """

    topics: tuple[TopicRecord, ...]
    holistic: dict[str, dict[str, HolisticScores]]  # by question and run
    panels: dict[str, dict[str, PanelGold]]
    responses: dict[str, dict[str, tuple[ResponseItem, ...]]]


def load_gold(files: Mapping[str, Path], settings: Any, report: Callable[[Issue], None]) -> Gold:
    """Gold from files found by their names, as exported (author.all) or one a question (author.12, sys.author.12).

    Where both are there, the joined file is read and no other of its kind.
    """
    names = {plain_name(name) for name in files}
    known = {name: found for name in names if (found := _reader(name)) is not None}
    single = {name for name, (joined, _) in known.items() if name != joined and joined in names}
    records = load_records(
        dict(sorted(files.items())),
        lambda plain, path: known.get(plain),
        report,
        known=", ".join(GOLD_FILES),
        passed_over=NOT_SCORED | single,
        joined=True,
    )
    return build_gold(records, settings, report)


def _reader(name: str) -> tuple[str, Reader] | None:
    """The export whose records a file of this name holds, and how to read it; None where it is none."""
    if name == QUESTIONS:
        return QUESTIONS, read_topics
    if name == HOLISTIC:
        return HOLISTIC, read_holistic
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    kind, number = found[1], "" if found[2] == "all" else found[2]
    if kind == "Q":
        return RESPONSES, read_bundle
    if kind.startswith("sys."):
        return f"{kind}.all", read_pieces
    return f"{kind}.all", lambda file: read_definition_nuggets(file, number)


def told(name: str, path: Path) -> str:
    """Holistic scores are told by their columns; whose list a nugget is on, only a file's name says."""
    return name if _reader(name) is not None else told_by_content(path, [GoldKind(name=HOLISTIC, read=read_holistic)])


def build_gold(records: Mapping[str, Iterable[Any]], settings: Any, report: Callable[[Issue], None]) -> Gold:
    """Gold from the records of each file (export name -> records), in any order.

    Reported, and left out: what belongs to no question, a nugget number twice, nuggets found that are on no list, or,
    where the responses are among the records, in no string of theirs.
    """
    topics: tuple[TopicRecord, ...] = tuple(records.get(QUESTIONS, ()))
    if not topics:
        report(file_issue(QUESTIONS, "no-questions", "Questions are needed to score; give the question file."))
    builder = _Builder({topic.number for topic in topics}, report)
    holistic: dict[str, dict[str, HolisticScores]] = {}
    for scores in as_scores(records.get(HOLISTIC, ())):
        if builder.fits(HOLISTIC, scores.topic):
            holistic.setdefault(scores.topic, {})[scores.run] = scores
    responses, panels = builder.responses(records.get(RESPONSES, ())), {}
    for owner in OWNERS:
        lists = builder.lists(LISTS[owner], records.get(LISTS[owner], ()))
        panels[owner] = builder.panels(owner, records.get(PIECES[owner], ()), lists, responses)
    judged = {*holistic, *(topic for found in panels.values() for topic in found), *settings.judged_topics}
    if settings.judged_topics:  # a question outside, of which nothing is known, counts in no mean
        topics = tuple(topic for topic in topics if topic.number in judged)
    return Gold(
        topics=tuple(sorted(topics, key=lambda topic: topic.ordinal)),
        holistic=holistic,
        panels=panels,
        responses=responses,
    )


@dataclass(frozen=True, slots=True)
class _Builder:
    """Sorts records under their questions and reports those that fit nowhere."""

    known: set[str]
    report: Callable[[Issue], None]
    told: set[tuple[str, str]] = field(default_factory=set)

    def lists(self, name: str, records: Iterable[Any]) -> dict[str, dict[int, Nugget]]:
        """Nuggets by question and number."""
        found: dict[str, dict[int, Nugget]] = {}
        for each in records:
            if not self.fits(name, each.topic):
                continue
            of_topic = found.setdefault(each.topic, {})
            if each.number in of_topic:
                message = f"{each.topic}: nugget {each.number} comes twice."
                self.report(file_issue(name, "nugget-twice", message))
            of_topic.setdefault(
                each.number,
                Nugget(topic=each.topic, number=each.number, importance=each.importance, text=each.text),
            )
        return found

    def panels(
        self,
        owner: str,
        records: Iterable[NuggetPiece],
        lists: Mapping[str, Mapping[int, Nugget]],
        responses: Mapping[str, Mapping[str, Sequence[ResponseItem]]],
    ) -> dict[str, PanelGold]:
        """For each question with a list, what the runs hold of it. A mark must fit as the site asks of it."""
        marks: dict[str, dict[str, dict[int, set[Mark]]]] = {topic: {} for topic in lists}
        for each in records:
            if not self.fits(PIECES[owner], each.topic):
                continue
            if each.number not in lists.get(each.topic, {}):
                message = f"{each.topic}: there is no nugget {each.number} on the list."
                self.report(file_issue(PIECES[owner], "unknown-nugget", message))
                continue
            if responses:
                items = responses.get(each.run, {}).get(each.topic, ())
                code, why = why_no_mark(each, items=items, numbers=lists[each.topic], owner=owner)
                if code:
                    self.report(file_issue(PIECES[owner], code, f"{each.topic} {each.run} {each.item}: {why}"))
                    continue
            strings = marks[each.topic].setdefault(each.run, {})
            strings.setdefault(each.item, set()).add((each.number, each.part))
        return {topic: _panel(nuggets, marks[topic]) for topic, nuggets in lists.items()}

    def responses(self, records: Iterable[Any]) -> dict[str, dict[str, tuple[ResponseItem, ...]]]:
        """Return the strings by run and question, in their order."""
        found: dict[str, dict[str, list[ResponseItem]]] = {}
        for each in as_items(records):
            if self.fits(RESPONSES, each.topic):
                found.setdefault(each.run, {}).setdefault(each.topic, []).append(each)
        return {
            run: {topic: tuple(sorted(items, key=lambda item: item.item)) for topic, items in topics.items()}
            for run, topics in found.items()
        }

    def fits(self, name: str, topic: str) -> bool:
        """Return whether the question is known; an unknown one is reported once a file."""
        if topic in self.known:
            return True
        if (name, topic) not in self.told:
            self.told.add((name, topic))
            message = f'"{topic[:40]}" is no question of the question file.'
            self.report(file_issue(name, "unknown-question", message))
        return False


def as_items(records: Iterable[Any]) -> Iterator[ResponseItem]:
    """Strings of responses from the records of a file (`ResponseItem`) or of the site (`ReturnedSegment`)."""
    for each in records:
        if isinstance(each, ResponseItem):
            yield each
        else:
            yield ResponseItem(
                topic=each.topic,
                run=each.run,
                item=each.ordinal,
                docno=each.docno,
                text=each.text,
                no_docno=each.no_docno,
            )


def _panel(nuggets: Mapping[int, Nugget], marks: Mapping[str, Mapping[int, set[Mark]]]) -> PanelGold:
    ordered = tuple(nugget for _, nugget in sorted(nuggets.items()))
    return PanelGold(
        nuggets=ordered,
        weights=importance_weights(ordered),
        parts=part_counts(mark for strings in marks.values() for found in strings.values() for mark in found),
        marks={run: {item: tuple(sorted(found)) for item, found in strings.items()} for run, strings in marks.items()},
    )
