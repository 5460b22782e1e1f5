"""The judgments in the form that scoring needs: nugget lists, nuggets in responses, and supporting citations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scoring.folding import answer_key
from scoring.formats.grades import read_item_grades
from scoring.formats.nuggetizer import read_nuggetizer
from scoring.formats.pool_tables import topic_order
from scoring.formats.rag_nuggets import read_rag_nuggets
from scoring.own_items import own_key
from scoring.records import AssignedNugget, Issue, ItemGrade, NuggetizerLine, OwnedNugget
from tracks.input_files import GoldKind, Reader, by_name, file_issue, kind_by_content, load_records
from tracks.rag_nuggets.exports import ASSIGNMENTS, CRITERION, EXPORTS, NUGGETS, SUPPORT
from tracks.rag_nuggets.settings import RagNuggetsSettings

READERS: dict[str, Reader] = {
    NUGGETS: read_rag_nuggets,
    ASSIGNMENTS: read_nuggetizer,
    SUPPORT: read_item_grades,
}
NOT_SCORED = {export.name for export in EXPORTS} - READERS.keys() | {"manifest.json"}


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicGold:
    """The gold of one topic: its nugget list, the nuggets of each judged response, and how far citations support
    sentences. Responses and citations are found by key.
    """

    nuggets: tuple[OwnedNugget, ...] = ()
    responses: dict[str, tuple[AssignedNugget, ...]] = field(default_factory=dict)
    support: dict[str, int] = field(default_factory=dict)


Gold = dict[str, TopicGold]


def load_gold(files: Mapping[str, Path], settings: RagNuggetsSettings, report: Callable[[Issue], None]) -> Gold:
    """Load gold from the exported files, which are found by their names. Packed files may end in .gz, .zst, .bz2 or
    .xz. Problems go to ``report``.
    """
    records = load_records(files, by_name(READERS), report, known=", ".join(READERS), passed_over=NOT_SCORED)
    return build_gold(records, settings, report)


KINDS = (
    GoldKind(name=ASSIGNMENTS, read=read_nuggetizer, fits=lambda line: any(each.assignment for each in line.nuggets)),
    GoldKind(name=NUGGETS, read=read_rag_nuggets),
    GoldKind(name=SUPPORT, read=read_item_grades, fits=lambda grade: grade.criterion == CRITERION),
)


def gold_name(name: str, path: Path) -> str:
    """Return the name of a gold file if it is a known name. Otherwise return the name for the kind of gold file that
    its content fits.

    A file whose nuggets have assignments holds responses' assignments; a file without assignments holds nugget lists.
    """
    return name if name in READERS else kind_by_content(path, KINDS)


def build_gold(
    records: Mapping[str, Iterable[Any]], settings: RagNuggetsSettings, report: Callable[[Issue], None]
) -> Gold:
    """Build gold from the records of each file.

    A response's nuggets must be those of its topic's list, in order; otherwise the response is reported and left out.
    If two lines are about the same response, the first counts. Topics are in the order of the files, whatever the order
    of the records, so that files and records give the same scores.
    """
    gold: Gold = {}
    lists: dict[str, list[OwnedNugget]] = {}
    for nugget in records.get(NUGGETS, ()):
        lists.setdefault(nugget.topic, []).append(nugget)
    for topic, nuggets in lists.items():
        gold[topic] = TopicGold(nuggets=tuple(sorted(nuggets, key=lambda nugget: nugget.number)))
    texts = {topic: [_plain(each.text) for each in of_topic.nuggets] for topic, of_topic in gold.items()}
    shared: dict[AssignedNugget, AssignedNugget] = {}  # hundreds of thousands of labels are one of few
    line: NuggetizerLine
    for line in records.get(ASSIGNMENTS, ()):
        known = texts.get(line.topic)
        if not known or [_plain(each.text) for each in line.nuggets] != known:
            message = f"{line.topic}: the nuggets of {line.run or 'a response'} are not those of {NUGGETS}."
            report(file_issue(ASSIGNMENTS, "other-nuggets", message))
            continue
        key = answer_key(line.answer, "")
        if settings.judge_each and line.run:
            key = own_key(key, line.run)
        labels = tuple(shared.setdefault(each, each) for each in line.nuggets)
        gold[line.topic].responses.setdefault(key, labels)
    grade: ItemGrade
    for grade in records.get(SUPPORT, ()):
        if grade.value is not None:
            gold.setdefault(grade.topic, TopicGold()).support[grade.key] = grade.value
    return {topic: gold[topic] for topic in sorted(gold, key=topic_order)}


def _plain(text: str) -> str:
    return " ".join(text.split())
