"""The files that a campaign of answers and nuggets exports, each written and read back in the same format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from assess.protocol import RECORDED_JUDGMENTS, Export
from scoring.formats.graded_nuggets import GradedNugget, read_graded_nuggets, write_graded_nuggets
from scoring.formats.grades import read_item_grades, write_item_grades
from scoring.formats.match_labels import LABELS, read_match_labels, write_match_labels
from scoring.formats.nuggetizer import read_nuggetizer, write_nuggetizer
from scoring.formats.rag_nuggets import GROUP, read_rag_nuggets, write_rag_nuggets
from scoring.records import Issue, OwnedNugget
from tracks.rag_nuggets.files import CITATION, RESPONSE

NUGGETS, ASSIGNMENTS, SUPPORT = "nuggets.jsonl", "assignments.jsonl", "support.jsonl"
CRITERION = "support"
OWN = frozenset({"relevance", "text", GROUP, "deduplicated", LABELS})
"""Fields of a graded nugget that its file does not have, or has under other names."""


def write_graded(records: Iterable[OwnedNugget]) -> Iterator[str]:
    """Yield the lines of the nuggets that were loaded with grades, written as they were loaded."""
    return write_graded_nuggets(
        GradedNugget(
            topic=record.topic,
            number=record.number,
            text=str(record.fields.get("text", record.text)),
            grade=str(record.fields["relevance"]),
            others={name: value for name, value in record.fields.items() if name not in OWN},
        )
        for record in records
        if "relevance" in record.fields
    )


def write_deduplicated(records: Iterable[OwnedNugget]) -> Iterator[str]:
    """Yield the lines of the graded nuggets that are on the deduplicated list."""
    return write_graded(record for record in records if record.fields.get("deduplicated"))


def read_graded(file: BinaryIO) -> Iterator[OwnedNugget | Issue]:
    """Yield graded nuggets, and an issue for each that can't be read. All have the importance "okay", since their file
    gives none.
    """
    return _read_graded(file, {})


def read_deduplicated(file: BinaryIO) -> Iterator[OwnedNugget | Issue]:
    """Yield graded nuggets as `read_graded` does, each with a field that says that it is on the deduplicated list."""
    return _read_graded(file, {"deduplicated": True})


def _read_graded(file: BinaryIO, fields: dict[str, Any]) -> Iterator[OwnedNugget | Issue]:
    for record in read_graded_nuggets(file):
        if isinstance(record, Issue):
            yield record
            continue
        yield OwnedNugget(
            by="",
            role="primary",
            topic=record.topic,
            number=record.number,
            importance="okay",
            text=record.text,
            fields={"relevance": record.grade} | fields | dict(record.others),
        )


EXPORTS = (
    Export(
        name=NUGGETS,
        label="Nugget lists, one topic a line: texts, groups, vital or okay",
        collect="nuggets_of",
        write=write_rag_nuggets,
        read=read_rag_nuggets,
    ),
    Export(
        name=ASSIGNMENTS,
        label="What each run's answer supports of its topic's list, as nuggetizer writes it",
        collect="assigned",
        write=write_nuggetizer,
        read=read_nuggetizer,
        options={"kind": RESPONSE},
    ),
    Export(
        name=SUPPORT,
        label="Whether documents support the sentences that cite them",
        collect="grades",
        write=write_item_grades,
        read=read_item_grades,
        options={"kind": CITATION, "criteria": (CRITERION,)},
    ),
    Export(
        name="graded-nuggets.json",
        label="Nuggets that came with grades, in the form of the iKAT 2024 study",
        collect="nuggets_of",
        write=write_graded,
        read=read_graded,
    ),
    Export(
        name="graded-nuggets-deduplicated.json",
        label="The same, deduplicated",
        collect="nuggets_of",
        write=write_deduplicated,
        read=read_deduplicated,
    ),
    Export(
        name="matching-labels.txt",
        label="Labels of single nuggets in single responses, in the form of the same study",
        collect="match_labels",
        write=write_match_labels,
        read=read_match_labels,
    ),
    RECORDED_JUDGMENTS,
)
