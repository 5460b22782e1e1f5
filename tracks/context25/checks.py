"""The rules of Context25's run files.

A file is refused if a part of it would not be read: if it has a broken quote, a line in two pieces, labels in separate
columns, of which only the first is read, or no header, since the first row is dropped. The task's own scripts accept
all of these. ``header-missing`` is reported if the first row has a claim of the campaign or labels. Other problems that
the scripts pass over silently are reported as warnings:

    unknown-claim  claim-twice  no-labels  label  label-form  label-quotes  label-space  label-twice
    missing-claims
    empty-list  empty-text  no-quote  text-twice  quote  quote-spacing  no-full-text

Errors are ``no-answers``, if the file answers nothing at all, and ``no-claims``, if it answers no claim of the
campaign.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import BinaryIO

from assess.protocol import CheckContext, TopicRecord
from scoring.figure_grammar import normalise_label, parse_label
from scoring.formats.context25_claims import without_page_mark
from scoring.formats.context25_predictions import (
    EvidenceHeader,
    EvidenceRow,
    GroundingAnswer,
    read_evidence_answers,
    read_grounding_answers,
)
from scoring.reading.json_reading import json_path
from scoring.reading.opening import excerpt_of
from scoring.reading.plain_names import KnownNames
from scoring.records import Issue
from scoring.wording import counted, counted_of
from tracks.context25.files import EVIDENCE, GROUNDING, citekey_of, claim_of

OF_CLAIMS = frozenset({"unknown-claim", "missing-claims", "no-claims"})
"""Codes for comparisons with the claims of the campaign."""

_MISSING_SHOWN = 5


def check_evidence(file: BinaryIO, context: CheckContext) -> Iterator[Issue]:
    """Yield an issue for each problem of a file of ranked labels, row by row, and then an issue about claims that are
    not answered.
    """
    known = {topic.number: topic for topic in context.topics if topic.task == EVIDENCE}
    seen: dict[str, str] = {}
    failed = False
    for row in read_evidence_answers(file):
        if isinstance(row, Issue):
            failed = failed or row.severity == "error"
            yield row
        elif isinstance(row, EvidenceHeader):
            if row.cells[0] in known or _has_labels(row.cells[1:]):
                shown = excerpt_of(row.cells[0], length=60)
                message = f"The first row is dropped as the header, and {shown} with it. Put a header above it."
                failed = True
                yield Issue(where=row.line, code="header-missing", message=message)
        else:
            yield from _check_claim(row.line, row.claim, known, seen)
            yield from _check_labels(row)
    yield from _check_coverage(known, seen, failed=failed)


def check_grounding(file: BinaryIO, context: CheckContext) -> Iterator[Issue]:
    """Yield an issue for each problem of a file of descriptions and snippets, answer by answer, and then an issue about
    claims that are not answered.
    """
    topics = {claim_of(topic.number): topic for topic in context.topics if topic.task == GROUNDING}
    seen: dict[str, str] = {}
    quotes = _Quotes(context)
    failed = False
    for answer in read_grounding_answers(file):
        if isinstance(answer, Issue):
            failed = failed or answer.severity == "error"
            yield answer
            continue
        yield from _check_claim(json_path((answer.place, "id")), answer.claim, topics, seen)
        yield from _check_texts(answer, "labels", answer.descriptions)
        yield from _check_texts(answer, "context", answer.snippets)
        if answer.claim in topics:
            yield from quotes.check(answer, topics[answer.claim])
    yield from quotes.unchecked()
    yield from _check_coverage(topics, seen, failed=failed)


def _check_claim(where: int | str, claim: str, known: Collection[str], seen: dict[str, str]) -> Iterator[Issue]:
    """Check that the claim belongs to the campaign and was not answered before in this file."""
    shown = excerpt_of(claim, length=60)
    if claim not in known:
        message = KnownNames(known).lacks("claim", claim, "Check the claim's id.")
        yield _warning(where, "unknown-claim", f"{message} What it says is not scored.")
    if claim in seen:
        message = f"{shown} was answered above, too ({seen[claim]}). This one counts; take one of them out."
        yield _warning(where, "claim-twice", message)
    seen[claim] = f"line {where}" if isinstance(where, int) else where


def _check_labels(row: EvidenceRow) -> Iterator[Issue]:
    """Check the labels of a row, with one issue for each kind of problem."""
    if not row.cell.strip():
        message = f"{excerpt_of(row.claim, length=60)} has no label. The official script takes the empty cell for one."
        yield _warning(row.line, "no-labels", message)
        return
    stripped = row.strict_labels
    foreign = [label for label in stripped if parse_label(label) is None]
    if foreign:
        said = f"“{excerpt_of(foreign[0], length=40)}” is no label of a figure or table. Write FIG 1A, TAB 3, FIG S3D."
        message = said if foreign[0] else "A label is empty: there is a comma too many."
        yield _warning(row.line, "label", message)
    if not row.quoted and stripped != [label.strip() for label in row.labels]:
        message = (
            "Quotes or brackets stand around labels. Under the official measure such a label is half right at most."
        )
        yield _warning(row.line, "label-quotes", message)
    if any(label != label.strip() for label in row.labels):
        message = "There are blanks around labels. Under the official measure such a label is half right at most."
        yield _warning(row.line, "label-space", message)
    odd = next((each for each in stripped if each not in foreign and not _is_as_released(each)), None)
    if odd is not None:
        shown, wanted = excerpt_of(odd, length=40), normalise_label(odd)
        message = f"“{shown}” is not as the official measure compares it: {wanted}."
        if " ".join(odd.split()) == wanted:
            message = f"In “{shown}” stand other blanks than the one of the keyboard. Write {wanted}."
        yield _warning(row.line, "label-form", message)
    names = Counter(normalise_label(label) for label in stripped if label not in foreign)
    twice = next((name for name, count in names.items() if count > 1), None)
    if twice is not None:
        yield _warning(row.line, "label-twice", f"{excerpt_of(twice, length=40)} is given twice. Take one of them out.")


def _has_labels(cells: Sequence[str]) -> bool:
    """Return whether all cells but the first contain only labels of figures and tables."""
    labels = [label.strip() for cell in cells for label in cell.split(",")]
    return bool(labels) and all(label and parse_label(label) is not None for label in labels)


def _is_as_released(label: str) -> bool:
    """Return whether a label that is well formed is also spelled like the gold labels: in capitals, with FIG or TAB,
    and with single blanks.
    """
    is_short = re.match(r"(?:SUPP )?(?:CAPTION )?(?:FIG(?!URE)|TAB(?!LE))(?!S\b)", label)
    return is_short is not None and label == " ".join(label.upper().split())


def _check_texts(answer: GroundingAnswer, name: str, texts: Sequence[str]) -> Iterator[Issue]:
    if not texts:
        message = f"“{name}” is empty: 0 here, while the official script stops with an error."
        yield _warning(json_path((answer.place, name)), "empty-list", message)
    seen: set[str] = set()
    for place, text in enumerate(texts):
        where = json_path((answer.place, name, place))
        if not text.strip():
            yield _warning(where, "empty-text", "The text is empty; it counts among those given. Take it out.")
        elif name == "context" and not without_page_mark(text):
            yield _warning(where, "no-quote", "A page alone is no quote; it counts among those given. Add the words.")
        elif text in seen:
            message = "The text stands above, too: it counts once, and twice in what it is divided by. Take it out."
            yield _warning(where, "text-twice", message)
        seen.add(text)


class _Quotes:
    """Checks that snippets are quoted word for word from the full texts of their papers. A page mark "(p. 5)" at the
    end is ignored.
    """

    def __init__(self, context: CheckContext) -> None:
        self.text_of = context.document_text
        self.missing: dict[str, int] = {}
        self.texts: dict[str, tuple[str, str] | None] = {}

    def check(self, answer: GroundingAnswer, topic: TopicRecord) -> Iterator[Issue]:
        """Yield a warning for each snippet that does not occur word for word in the paper's text. Only page marks are
        removed before comparing.
        """
        citekey = citekey_of(topic)
        paper = self._paper(citekey)
        if paper is None:
            if self.text_of is not None and answer.snippets:
                self.missing[citekey] = self.missing.get(citekey, 0) + len(answer.snippets)
            return
        text, squeezed = paper
        for place, snippet in enumerate(answer.snippets):
            quote = without_page_mark(snippet)
            if not quote or quote in text:
                continue
            where = json_path((answer.place, "context", place))
            if "".join(quote.split()) in squeezed:
                message = f"The snippet is in the text of {citekey}, but with other white space."
                yield _warning(where, "quote-spacing", message)
            else:
                message = f"The snippet is not in the text of {citekey} as it stands. Snippets must be verbatim quotes."
                yield _warning(where, "quote", message)

    def unchecked(self) -> Iterator[Issue]:
        """Yield one warning if some papers are missing, so that quotes from them could not be checked."""
        if self.missing:
            count, names = sum(self.missing.values()), ", ".join(list(self.missing)[:_MISSING_SHOWN])
            message = (
                f"{counted(count, 'snippet was', 'snippets were')} not compared: there is no full text of "
                f"{names}. Load the papers first."
            )
            yield _warning("", "no-full-text", message)

    def _paper(self, citekey: str) -> tuple[str, str] | None:
        """Return the text of a paper, and its text without white space; None if it is not stored."""
        if self.text_of is None:
            return None
        if citekey not in self.texts:
            text = self.text_of(citekey)
            self.texts[citekey] = None if text is None else (text, "".join(text.split()))
        return self.texts[citekey]


def _check_coverage(known: Collection[str], seen: Collection[str], *, failed: bool) -> Iterator[Issue]:
    """Yield an error if no claim of the campaign is answered, or a warning if some are not. If errors were reported
    before (``failed``), only the error that all answers are to unknown claims is yielded.
    """
    missing = [claim for claim in known if claim not in seen]
    if not seen:
        if not failed:
            yield Issue(where="", code="no-answers", message="The file answers no claim. Is it the right file?")
    elif len(missing) == len(known):
        yield Issue(
            where="", code="no-claims", message="The file answers no claim of the campaign. Is it the right file?"
        )
    elif missing and not failed:
        shown = ", ".join(missing[:_MISSING_SHOWN]) + (" …" if len(missing) > _MISSING_SHOWN else "")
        yield _warning(
            "", "missing-claims", f"{counted_of(len(missing), len(known), 'claim', 'is', 'are')} not answered: {shown}"
        )


def _warning(where: int | str, code: str, message: str) -> Issue:
    return Issue(where=where, code=code, message=message, severity="warning")
