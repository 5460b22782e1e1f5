"""The files that a campaign of definition questions exports: the pilot's, and all questions of a kind in one file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from assess.protocol import RECORDED_JUDGMENTS, Export
from scoring.formats.definition_judgments import (
    read_definition_nuggets,
    read_holistic,
    read_pieces,
    split_lists,
    write_definition_nuggets,
    write_pieces,
)
from scoring.formats.definition_runs import read_bundle, split_bundle, write_bundle
from scoring.records import Nugget
from tracks.aquaint_definition.files import (
    RESPONSE,
    STRING,
    read_summaries,
    read_topics,
    write_summaries,
    write_topics,
)
from tracks.aquaint_definition.gold import (
    CRITERIA,
    HOLISTIC,
    LISTS,
    PIECES,
    QUESTIONS,
    RESPONSES,
    as_items,
    write_holistic_scores,
)

ROLES = {"author": "primary", "other": "second"}


def write_lists(records: Iterable[Any]) -> Iterator[str]:
    """Yield the nugget lists of one kind of assessor. If several assessors wrote a list for a question, the first list
    is taken.
    """
    owners: dict[str, str] = {}
    kept = (each for each in records if owners.setdefault(each.topic, _owner(each)) == _owner(each))
    return write_definition_nuggets(
        Nugget(topic=each.topic, number=each.number, importance=each.importance, text=each.text) for each in kept
    )


def write_responses(records: Iterable[Any]) -> Iterator[str]:
    """Yield the strings that all runs returned, in the format of the files Q.<n>."""
    return write_bundle(as_items(records))


def _owner(record: Any) -> str:
    """Return the owner of a nugget. Return "" if the nugget was read from a file, since files do not name owners."""
    return getattr(record, "by", "")


EXPORTS = (
    Export(name=QUESTIONS, label="Questions: qnum question", collect="topics", write=write_topics, read=read_topics),
    Export(
        name="author_summaries",
        label="The definitions that the questions' authors wrote",
        collect="topics",
        write=write_summaries,
        read=read_summaries,
    ),
    Export(
        name=RESPONSES,
        label="What each run returned, all questions in one file: qnum run docid answer-text",
        collect="returned",
        write=write_responses,
        read=read_bundle,
        options={"kind": STRING},
        single="Q.{}",
        split=split_bundle,
    ),
    Export(
        name=HOLISTIC,
        label="Content and organization by contractor, author and other: qnum run c1 o1 c2 o2 c3 o3",
        collect="run_grades",
        write=write_holistic_scores,
        read=read_holistic,
        options={"kind": RESPONSE, "criteria": CRITERIA},
        settings=("holistic_comments",),
    ),
    *(
        Export(
            name=LISTS[owner],
            label="Nugget lists, all questions in one file: number [*] text",
            collect="nuggets_of",
            write=write_lists,
            read=read_definition_nuggets,
            options={"role": role},
            single=f"{owner}.{{}}",
            split=split_lists,
        )
        for owner, role in ROLES.items()
    ),
    *(
        Export(
            name=PIECES[owner],
            label="Nuggets found, all questions in one file: qnum run item nugget docid piece",
            collect="run_pieces",
            write=write_pieces,
            read=read_pieces,
            options={"kind": STRING, "role": role},
            single=f"sys.{owner}.{{}}",
            split=split_bundle,
        )
        for owner, role in ROLES.items()
    ),
    RECORDED_JUDGMENTS,
)
