"""Runs of answers in their common format as files of a track: their text, citations, names and forms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from assess.protocol import RunForm
from scoring.formats.rag_answers import RagSentence, read_rag_answers
from scoring.reading.opening import first_record
from scoring.run_tags import letters

TEAM_LENGTH = 50
TAGS = letters(100)
"""The rule for run names allows the same length as the file format."""


def whole_text(sentences: Sequence[RagSentence]) -> str:
    """Return the text of an answer: its sentences with spaces between them."""
    return " ".join(sentence.text for sentence in sentences)


def cited_pairs(sentences: Sequence[RagSentence], limit: int | None) -> Iterator[tuple[str, str]]:
    """Yield (sentence, document) for the citations of each sentence. Only the first ``limit`` citations of a sentence
    are taken, or all of them if ``limit`` is None.
    """
    return ((sentence.text, docno) for sentence in sentences for docno in sentence.citations[:limit])


def read_tag(file: BinaryIO) -> str | None:
    """Return the run's name, as the first answer gives it; None if no answer can be read."""
    answer = first_record(read_rag_answers(file))
    return answer.run if answer is not None else None


def read_form(file: BinaryIO) -> RunForm | None:
    """Return the run's form, made from the first answer: its name, and its team, cut to 50 characters. A run without a
    team gets its name as the team. Return None if no answer can be read.
    """
    answer = first_record(read_rag_answers(file))
    if answer is None:
        return None
    return RunForm(tag=answer.run, team=(" ".join(answer.team.split()) or answer.run)[:TEAM_LENGTH])
