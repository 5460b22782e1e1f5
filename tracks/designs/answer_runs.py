"""Runs of answers in the format that tracks with generated answers share, for designs.

The stages decide what becomes an item: whole answers ("response"), their sentences ("sentence"), a sentence with a
document that it cites ("citation"), a document beside the answer that rests on it ("passage"), or a document by itself
("document"). A segment is a sentence if a stage judges sentences, otherwise the whole answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, BinaryIO

from assess.protocol import CheckContext, CitationRecord, ItemRecord, SegmentRecord
from scoring.folding import answer_key
from scoring.formats.answer_checks import AnswerCheck
from scoring.formats.answer_limits import AnswerLimit
from scoring.formats.answer_rules import RULES
from scoring.formats.rag_answers import RagAnswer, RagSentence, read_rag_answers
from scoring.records import Issue
from tracks.answer_files import TAGS, cited_pairs, whole_text
from tracks.designs.judged_items import CITATION, DOCUMENT, PASSAGE, RESPONSE, SENTENCE
from tracks.designs.run_tables import AnswerRuns

TASK = "answers"


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerFiles:
    """How runs of answers are read for the ``kinds`` of items that are judged."""

    runs: AnswerRuns
    kinds: frozenset[str]

    def check(self, file: BinaryIO, context: CheckContext) -> Iterator[Issue]:
        """Yield an issue for each rule that a run breaks."""
        rules = RULES["any"]
        if self.runs.citations.must_be_in_references:
            rules = replace(rules, elsewhere="error")
        checked = AnswerCheck(
            rules=rules,
            topics=[topic.number for topic in context.topics if topic.task],
            words=context.settings.word_limit,
            strict_length=self.runs.too_long == "error",
            tag=context.form.tag if context.form is not None else "",
            tags=None if context.any_tag else TAGS,
            unknown_docnos=context.unknown_docnos,
        )
        yield from checked.issues(file)

    def read(self, file: BinaryIO, context: CheckContext) -> Iterator[SegmentRecord]:
        """Yield the segments of each answer: its sentences if sentences are judged, otherwise the whole answer.

        A segment has its own item, and items for the documents that it cites. Answers that can't be read, or have no
        sentences, are left out.
        """
        for answer in self._answers(file, context):
            is_cut = SENTENCE in self.kinds
            pieces = [(each,) for each in answer.sentences] if is_cut else [answer.sentences]
            ordinals = count(1)
            for place, sentences in enumerate(pieces, 1):
                whole = self._whole(answer) if place == 1 else ()
                text = whole_text(sentences)
                yield SegmentRecord(
                    topic=answer.topic,
                    ordinal=place,
                    text=text,
                    docno="",
                    item_kind=SENTENCE if is_cut else RESPONSE,
                    item_key=answer_key(text, ""),
                    line=answer.line,
                    citations=tuple(
                        replace(each, ordinal=next(ordinals)) for each in (*self._cited(sentences, context), *whole)
                    ),
                    item_fields={} if is_cut else {"parts": parts_of(answer)},
                )

    def responses(self, file: BinaryIO, context: CheckContext) -> Iterator[ItemRecord]:
        """Yield an item for each whole answer, if both sentences and whole answers are judged; otherwise yield nothing.

        If no sentences are judged, the segments are whole answers already.
        """
        if SENTENCE in self.kinds and RESPONSE in self.kinds:
            for answer in self._answers(file, context):
                key = answer_key(answer.text, "")
                fields = {"parts": parts_of(answer)}
                yield ItemRecord(topic=answer.topic, kind=RESPONSE, key=key, text=answer.text, fields=fields)

    def _answers(self, file: BinaryIO, context: CheckContext) -> Iterator[RagAnswer]:
        """Yield the part of each answer that is judged. Answers without sentences are left out."""
        for answer in read_rag_answers(file):
            if isinstance(answer, RagAnswer) and answer.sentences:
                yield self.judged(answer, context.settings)

    def judged(self, answer: RagAnswer, settings: Any) -> RagAnswer:
        """Return the part of the answer that is judged: all of it, unless the design cuts answers that are too long."""
        if self.runs.too_long != "cut" or not settings.word_limit:
            return answer
        kept = AnswerLimit(words=settings.word_limit).kept(answer.sentences)
        return replace(answer, sentences=answer.sentences[:kept])

    def _cited(self, sentences: Sequence[RagSentence], context: CheckContext) -> Iterator[CitationRecord]:
        if CITATION in self.kinds:
            for text, docno in cited_pairs(sentences, context.settings.judged_citations or None):
                yield CitationRecord(docno=docno, item_kind=CITATION, item_key=answer_key(text, docno), item_text=text)

    def _whole(self, answer: RagAnswer) -> Iterator[CitationRecord]:
        """Yield the items that come from the documents of a whole answer: each document together with the answer, each
        document by itself, or both.
        """
        if PASSAGE in self.kinds:
            for docno in documents_of(answer):
                key = answer_key(answer.text, docno)
                yield CitationRecord(docno=docno, item_kind=PASSAGE, item_key=key, item_text=answer.text)
        if DOCUMENT in self.kinds:
            for docno in documents_of(answer):
                yield CitationRecord(docno=docno, item_kind=DOCUMENT, item_key=docno)

    def preview(self, file: BinaryIO, context: CheckContext) -> Iterator[tuple[str, str, str]]:
        """Yield (topic, what, text) for each sentence of the answers. ``what`` names the sentence and the documents
        that it cites, and says if it is dropped.
        """
        for answer in read_rag_answers(file):
            if isinstance(answer, RagAnswer):
                kept = len(self.judged(answer, context.settings).sentences)
                for number, each in enumerate(answer.sentences, 1):
                    what = f"sentence {number}" if number <= kept else f"dropped: sentence {number}, beyond the words"
                    yield answer.topic, f"{what} · cites {', '.join(each.citations) or 'nothing'}", each.text


def parts_of(answer: RagAnswer) -> list[dict[str, object]]:
    """Return the sentences of an answer, each with the documents that it cites, in the form that benches show."""
    return [{"text": each.text, "docnos": list(each.citations)} for each in answer.sentences]


def documents_of(answer: RagAnswer) -> list[str]:
    """Return the documents of an answer: its references, and then any other documents that it cites."""
    cited = (docno for each in answer.sentences for docno in each.citations)
    return list(dict.fromkeys((*answer.references, *cited)))
