"""The judgments in the form that scoring needs: holistic scores, two nugget lists for each question, nuggets in
runs.
"""

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
from tracks.input_files import GoldKind, Reader, file_issue, kind_by_content, load_records

# Holistic scores: the site has one judgment for each, and the pilot's file a line for each response.
#
# The contractor's scores have their own stage and criteria; the author's and the other assessor's are given in one
# stage, by the primary and the second assessor.

CONTENT, ORGANIZATION = "content", "organization"
CONTRACTOR = "contractor_"
CRITERIA = (CONTENT, ORGANIZATION, CONTRACTOR + CONTENT, CONTRACTOR + ORGANIZATION)


def write_holistic_scores(records: Iterable[Any], *, holistic_comments: str = COMMENTS) -> Iterator[str]:
    """Yield the lines of the file of these scores. They are given as `HolisticScores`, or as the site's `RunGrade`
    records for single criteria.
    """
    return write_holistic(as_scores(records), comments=holistic_comments)


def as_scores(records: Iterable[HolisticScores | RunGrade]) -> list[HolisticScores]:
    """Return one record for each response, by question and run. If several second assessors scored it, the first one's
    scores are taken.
    """
    found: dict[tuple[str, str], HolisticScores] = {}
    for each in records:
        place = (each.topic, each.run)
        if isinstance(each, HolisticScores):
            found[place] = each
        elif each.criterion in CRITERIA:
            found[place] = _with(found.get(place) or HolisticScores(topic=each.topic, run=each.run), each)
    return [found[place] for place in sorted(found)]


def _with(scores: HolisticScores, grade: RunGrade) -> HolisticScores:
    """Return the scores with this grade added. A second assessor's grade of the contractor's work is ignored."""
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


# The gold for scoring.

OWNERS = ("author", "other")
PANEL = (*OWNERS, "contractor")
QUESTIONS, HOLISTIC, RESPONSES = "questions", "holistic", "Q.all"
LISTS = {owner: f"{owner}.all" for owner in OWNERS}
PIECES = {owner: f"sys.{owner}.all" for owner in OWNERS}
GOLD_FILES = (QUESTIONS, HOLISTIC, *LISTS.values(), *PIECES.values(), RESPONSES)
NOT_SCORED = frozenset({"author_summaries", "judgments.jsonl", "manifest.json", "scores.tsv"})

_NAME = re.compile(r"(Q|author|other|sys\.author|sys\.other)\.(all|[A-Za-z0-9._-]+)")


@dataclass(frozen=True, kw_only=True, slots=True)
class PanelGold:
    """One question as one of its two assessors sees it: the nugget list, and which of its nuggets each run contains.

    ``marks`` maps each run to the marks in its strings, by the number of the string from 1. ``parts`` maps each nugget
    that spans strings to the number of its parts.
    """

    nuggets: tuple[Nugget, ...]
    weights: ListWeights
    parts: dict[int, int]
    marks: dict[str, dict[int, tuple[Mark, ...]]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Gold:
    """All of a campaign's gold. ``panels`` maps the owner of a list to questions, and each question to its `PanelGold`.

    ``responses`` maps each run to questions, and each question to its strings, if the gold itself contains the strings.
    """

    topics: tuple[TopicRecord, ...]
    holistic: dict[str, dict[str, HolisticScores]]  # by question and run
    panels: dict[str, dict[str, PanelGold]]
    responses: dict[str, dict[str, tuple[ResponseItem, ...]]]


def load_gold(files: Mapping[str, Path], settings: Any, report: Callable[[Issue], None]) -> Gold:
    """Load gold from files, which are found by their names: exported files (author.all) and files for single questions
    (author.12, sys.author.12). If there are both for one kind of gold, only the exported file is read. Problems go to
    ``report``.
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
    """Return (name of an export, its reader) if a file of this name holds that export, or None."""
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


def gold_name(name: str, path: Path) -> str:
    """Return the name of a gold file, if it is a known name. Otherwise return the name of the holistic scores if the
    file has their columns, or "".

    Files of nuggets are recognised by their names only, since nothing else says whose list a nugget is on.
    """
    return name if _reader(name) is not None else kind_by_content(path, [GoldKind(name=HOLISTIC, read=read_holistic)])


def build_gold(records: Mapping[str, Iterable[Any]], settings: Any, report: Callable[[Issue], None]) -> Gold:
    """Build gold from the records of each file (by export name), in any order.

    A record is reported and left out if it belongs to no question, repeats a nugget number, or marks a nugget that is
    on no list. If the responses are given, a mark must also fit one of their strings.
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
    if settings.judged_topics:  # an excluded question without gold counts in no mean
        topics = tuple(topic for topic in topics if topic.number in judged)
    return Gold(
        topics=tuple(sorted(topics, key=lambda topic: topic.ordinal)),
        holistic=holistic,
        panels=panels,
        responses=responses,
    )


@dataclass(frozen=True, slots=True)
class _Builder:
    """Sorts records by question, and reports records of unknown questions."""

    known: set[str]
    report: Callable[[Issue], None]
    told: set[tuple[str, str]] = field(default_factory=set)

    def lists(self, name: str, records: Iterable[Any]) -> dict[str, dict[int, Nugget]]:
        """Return question -> number -> nugget. A number that comes twice is reported, and its first nugget counts."""
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
        """Return question -> what the runs contain, for each question with a list. A mark that does not fit the list or
        the run's strings is reported and left out.
        """
        marks: dict[str, dict[str, dict[int, tuple[Mark, ...]]]] = {topic: {} for topic in lists}
        shared: dict[Mark, Mark] = {}  # one object for each mark, shared by all strings
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
            mark, before = (each.number, each.part), strings.get(each.item, ())
            if mark not in before:
                strings[each.item] = tuple(sorted((*before, shared.setdefault(mark, mark))))
        return {topic: _panel(nuggets, marks[topic]) for topic, nuggets in lists.items()}

    def responses(self, records: Iterable[Any]) -> dict[str, dict[str, tuple[ResponseItem, ...]]]:
        """Return run -> question -> strings in order."""
        found: dict[str, dict[str, list[ResponseItem]]] = {}
        for each in as_items(records):
            if self.fits(RESPONSES, each.topic):
                found.setdefault(each.run, {}).setdefault(each.topic, []).append(each)
        return {
            run: {topic: tuple(sorted(items, key=lambda item: item.item)) for topic, items in topics.items()}
            for run, topics in found.items()
        }

    def fits(self, name: str, topic: str) -> bool:
        """Return whether the question is known. An unknown question is reported once for each file."""
        if topic in self.known:
            return True
        if (name, topic) not in self.told:
            self.told.add((name, topic))
            message = f'"{topic[:40]}" is no question of the question file.'
            self.report(file_issue(name, "unknown-question", message))
        return False


def as_items(records: Iterable[Any]) -> Iterator[ResponseItem]:
    """Yield the strings of responses, given as records of a file (`ResponseItem`) or of the site
    (`ReturnedSegment`).
    """
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


def _panel(nuggets: Mapping[int, Nugget], marks: dict[str, dict[int, tuple[Mark, ...]]]) -> PanelGold:
    ordered = tuple(nugget for _, nugget in sorted(nuggets.items()))
    return PanelGold(
        nuggets=ordered,
        weights=importance_weights(ordered),
        parts=part_counts(mark for strings in marks.values() for found in strings.values() for mark in found),
        marks=marks,
    )
