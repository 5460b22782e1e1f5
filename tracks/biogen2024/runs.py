"""Read BioGen runs as records: sentences, citations, whole answers, and how the answers were cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

from assess.protocol import CheckContext, CitationRecord, ItemRecord, RunForm, SegmentRecord
from scoring.folding import answer_key, fold_answer
from scoring.reading.opening import until_too_many
from scoring.reading.sentences import sentence_spans
from scoring.records import Issue
from tracks.biogen2024.cited_text import CitationList, CutAnswer, cut_answer
from tracks.biogen2024.settings import BioGenSettings
from tracks.biogen2024.submissions import PMID, Answer, Head, read_submission

ANSWER, SENTENCE, CITATION = "answer", "sentence", "citation"
NO_LIMIT = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """One sentence of an answer, with single spaces for white space. ``cited`` are the distinct PMIDs that count as its
    citations.
    """

    number: int
    text: str
    cited: tuple[str, ...]

    @property
    def key(self) -> str:
        """Return the key of the sentence's item. It depends only on the sentence's words, not on the run or on
        citations.
        """
        return answer_key(self.text, "")

    def citation_key(self, pmid: str) -> str:
        """Return the key of the item that consists of this sentence and this abstract."""
        return answer_key(self.text, pmid)


@dataclass(frozen=True, kw_only=True, slots=True)
class CitedAnswer:
    """An answer cut into sentences. In the format of 2024, ``cut`` holds the details of the cutting; in the format of
    2025 it is None.
    """

    answer: Answer
    sentences: tuple[Sentence, ...]
    cut: CutAnswer | None = None

    @property
    def text(self) -> str:
        """Return the whole answer without its citations, which is the text that is judged."""
        return " ".join(sentence.text for sentence in self.sentences)


def cut(answer: Answer, settings: BioGenSettings) -> CitedAnswer:
    """Return the sentences of an answer with the citations that count. Entries that are not PMIDs, and those beyond the
    campaign's limit, are left out.
    """
    if answer.year == 2025:
        given = enumerate(answer.parts, start=1)
        sentences = (_sentence(number, text, cited[: settings.citations_limit]) for number, (text, cited) in given)
        return CitedAnswer(answer=answer, sentences=tuple(sentences))
    found = cut_answer(answer.text, partial(sentence_spans, way=settings.sentences))
    whole = []
    for each in found.sentences:
        lists = found.lists_of(each.number)
        entries = (entry for one in lists for entry in one.counted(settings.citations_limit))
        whole.append(_sentence(each.number, each.text, tuple(entry for entry in entries if PMID.fullmatch(entry))))
    return CitedAnswer(answer=answer, sentences=tuple(whole), cut=found)


def _sentence(number: int, text: str, cited: tuple[str, ...]) -> Sentence:
    return Sentence(number=number, text=fold_answer(text), cited=tuple(dict.fromkeys(cited)))


# ---------------------------------------------------------------- what the site asks


def read_answers(file: BinaryIO, context: CheckContext) -> Iterator[CitedAnswer]:
    """Yield the first answer to each topic, cut into sentences. What can't be read is skipped."""
    seen: set[str] = set()
    for each in read_submission(file):
        if isinstance(each, Answer) and each.topic not in seen:
            seen.add(each.topic)
            yield cut(each, context.settings)


def read_segments(file: BinaryIO, context: CheckContext) -> Iterator[SegmentRecord]:
    """Yield the sentences of a run, each with the abstracts that the sentence cites."""
    for found in read_answers(file, context):
        for sentence in found.sentences:
            yield SegmentRecord(
                topic=found.answer.topic,
                ordinal=sentence.number,
                text=sentence.text,
                docno="",
                item_kind=SENTENCE,
                item_key=sentence.key,
                line=found.answer.line,
                citations=tuple(
                    CitationRecord(
                        docno=pmid,
                        item_kind=CITATION,
                        item_key=sentence.citation_key(pmid),
                        ordinal=ordinal,
                        item_text=sentence.text,
                    )
                    for ordinal, pmid in enumerate(sentence.cited, start=1)
                ),
            )


def read_responses(file: BinaryIO, context: CheckContext) -> Iterator[ItemRecord]:
    """Yield the whole answers of a run, one for each topic. Equal words in two runs are one item."""
    for found in read_answers(file, context):
        yield ItemRecord(
            topic=found.answer.topic,
            kind=ANSWER,
            key=answer_key(found.text, ""),
            text=found.text,
            fields={"parts": list(_parts(found))},
        )


def _parts(found: CitedAnswer) -> Iterator[dict[str, object]]:
    """Yield each sentence with the abstracts that it cites."""
    for sentence in found.sentences:
        yield {"text": sentence.text, "docnos": list(sentence.cited)}


def read_head(file: BinaryIO) -> Head | None:
    """Return the first head (team and run) in a file, or None if the file has none."""
    found = until_too_many(read_submission(file))
    return next((each for each in found if isinstance(each, Head)), None)


def read_tag(file: BinaryIO) -> str | None:
    """Return the run's name in the file, or None."""
    head = read_head(file)
    return head.run or None if head is not None else None


def read_form(file: BinaryIO) -> RunForm | None:
    """Return the form with the team and the run's name that the file gives, or None if it does not give both."""
    head = read_head(file)
    return RunForm(tag=head.run, team=head.team) if head is not None and head.run and head.team else None


# ---------------------------------------------------------------- how answers were cut


def preview(file: BinaryIO, context: CheckContext) -> Iterator[tuple[str, str, str]]:
    """Yield (topic, what, text) rows in the order of each answer: its sentences with their citations, and what was
    dropped.
    """
    for found in read_answers(file, context):
        for part in _in_order(found, context.settings):
            if isinstance(part, Sentence):
                cites = ", ".join(part.cited) or "nothing"
                yield found.answer.topic, f"sentence {part.number} · cites {cites}", part.text
            else:
                yield found.answer.topic, *part


def _in_order(found: CitedAnswer, settings: BioGenSettings) -> list[Sentence | tuple[str, str]]:
    """Return an answer's sentences and what was dropped, as (what, text), in the order of the text."""
    parts: list[tuple[int, int, Sentence | tuple[str, str]]] = []
    for sentence in found.sentences:
        start = found.cut.sentences[sentence.number - 1].start if found.cut is not None else sentence.number
        parts.append((start, 0, sentence))
    parts += [(start, 1, (what, text)) for start, what, text in _dropped(found, settings)]
    return [part for _, _, part in sorted(parts, key=lambda part: part[:2])]


def _dropped(found: CitedAnswer, settings: BioGenSettings) -> Iterator[tuple[int, str, str]]:
    """Yield (place, what, text) for everything that does not count."""
    if found.cut is None:
        for number, (_, cited) in enumerate(found.answer.parts, start=1):
            if late := cited[settings.citations_limit :]:
                yield number, f"dropped from sentence {number}", ", ".join(late)
        return
    for each in found.cut.lists:
        if each.dropped:
            what = f"dropped at character {each.start + 1:,}: {each.dropped}"
            yield each.start, what, found.answer.text[each.start : each.end]
        elif late := each.entries[settings.citations_limit :]:
            what = f"dropped at character {each.start + 1:,}: beyond the first {settings.citations_limit} of a list"
            yield each.start, what, ", ".join(late)


def segment_rows(file: BinaryIO, context: CheckContext) -> Iterator[tuple[str, ...] | Issue]:
    """Yield (topic, sentence, PMIDs, text) for each sentence. Dropped parts have the sentence "-" and a reason."""
    for each in read_submission(file):
        if isinstance(each, Issue):
            yield each
        elif isinstance(each, Answer):
            for part in _in_order(cut(each, context.settings), context.settings):
                if isinstance(part, Sentence):
                    yield each.topic, str(part.number), ",".join(part.cited), part.text
                else:
                    yield each.topic, "-", *part


def list_place(found: CitedAnswer, each: CitationList) -> str:
    """Return the place of a citation list in words, for a message."""
    near = each.sentence or each.near
    sentence = f"sentence {near}, " if each.sentence else f"after sentence {near}, " if near else ""
    return f"Topic {found.answer.topic}, {sentence}character {each.start + 1:,}"
