"""Read runs of iKAT as records: responses to judge, and ranked passages and statements."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO

from assess.protocol import CheckContext, CitationRecord, RunForm, SegmentRecord
from scoring.folding import answer_key
from scoring.formats.ikat_passages import read_whole_documents
from scoring.formats.ikat_runs import IkatRun, RunResponse, parse_ikat_run, ranked_passages, ranked_statements
from scoring.formats.trec_sgml import read_trec_sgml
from scoring.measures.ranked import by_rank
from scoring.reading.json_reading import load_json
from scoring.reading.sentences import passage_name, passages
from scoring.reading.unpacking import damage_errors
from scoring.records import Issue, RankedDoc
from tracks.ikat2023.settings import STORED_RESPONSES

PASSAGE = "passage"
RESPONSE = "response"
USED_WITHOUT_MARK = 5
CITED = 1000
"""The most passages stored for a response, of those that it uses and of those that it does not use."""
OPENED = 5
"""The most passages that can be opened beside a response."""
ALSO = "It rests on this passage, too."
DOCUMENT_LIMIT = 16 * 1024 * 1024
SEGMENT_HEADER = ("passage", "text")

_TEXT = re.compile(r"<(TEXT|BODY)\b[^<>]*>(.*)</\1\s*>", re.DOTALL | re.IGNORECASE)
_HEADERS = re.compile(
    r"<(DOCNO|DOCID|DOCOLDNO|DOCTYPE|DOCHDR|FILEID|URL|DATE|DATE_TIME|HEAD|TITLE|HEADLINE|BYLINE|DATELINE)\b[^<>]*>"
    r"(?:.*?</\1\s*>|.*)",
    re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]*>")


def read_segments(file: BinaryIO, context: CheckContext) -> Iterator[SegmentRecord]:
    """Yield the first ten responses of each turn by rank. The passages of a response come with it, first those that it
    uses.

    More responses are stored than the settings ask for, since the settings may change. Passages that a response does
    not use are numbered from `CITED` + 1. The same text (white space apart) in two runs is the same item. A file that
    is not a run yields nothing.
    """
    del context
    for turn in _run(file).turns:
        for ordinal, response in enumerate(turn.ranked[:STORED_RESPONSES], 1):
            yield SegmentRecord(
                topic=turn.number,
                ordinal=ordinal,
                text=response.text,
                docno="",
                item_kind=RESPONSE,
                item_key=answer_key(response.text, ""),
                citations=tuple(_citations(response)),
                item_fields=_parts(response),
            )


def read_passages(file: BinaryIO, context: CheckContext) -> Iterator[RankedDoc]:
    """Yield the passages of each turn, in the order in which trec_eval ranks the converted run."""
    return by_rank(ranked_passages(_run(file), context.settings.conversion))


def read_statements(file: BinaryIO, context: CheckContext) -> Iterator[RankedDoc]:
    """Yield the statements of each turn, in the order in which trec_eval ranks the converted run."""
    return by_rank(ranked_statements(_run(file), context.settings.conversion))


def convert(file: BinaryIO, context: CheckContext) -> Iterator[str]:
    """Yield the passages as a TREC run, in the order of the responses: "9-1_3 Q0 D:1 1 0.5 run-name".

    As in the output of the organisers' script, ranks and scores may order the passages differently (`ranked_passages`).
    """
    for line in ranked_passages(_run(file), context.settings.conversion):
        tag = "_".join(line.run.split()) or "run"
        yield f"{line.topic} Q0 {line.docno} {line.rank} {line.score!r} {tag}"


def faults(file: BinaryIO) -> Iterator[Issue]:
    """Yield an issue for everything that prevents the file from being read as a run."""
    parsed = parse_ikat_run(file)
    yield from parsed if isinstance(parsed, list) else ()


def read_tag(file: BinaryIO) -> str | None:
    """Return the run's name, or None if it has none or can't be read."""
    return _run(file).name or None


def read_form(file: BinaryIO) -> RunForm | None:
    """Return the form that can be made from the file, which may have errors. The first 50 characters of the run's name
    are also taken as the team, since no file gives the team. Return None if the file gives no name.
    """
    value = load_json(file)
    if not isinstance(value, dict):
        return None
    name = value.get("run_name")
    if not isinstance(name, str) or not name:
        return None
    return RunForm(tag=name, team=name[:50], automatic=value.get("run_type") != "manual")


def cut_documents(file: BinaryIO, context: CheckContext) -> Iterator[tuple[str, ...] | Issue]:
    """Yield (passage id, text) for each passage of a file of documents: JSON lines, TREC SGML, or one plain text.

    A plain text has no name of its own, so it is called "document".
    """
    stream = io.BufferedReader(file) if isinstance(file, io.RawIOBase) else file
    for document in _documents(stream):
        if isinstance(document, Issue):
            yield document
            continue
        docno, text = document
        for number, passage in enumerate(passages(text, line_breaks=context.settings.line_breaks)):
            yield passage_name(docno, number), passage


def preview(file: BinaryIO, context: CheckContext) -> Iterator[tuple[str, str, str]]:
    """Yield rows that show how the run was read: the responses of each turn that can be judged, and the passages on
    which they are based.
    """
    for segment in read_segments(file, context):
        cited = ", ".join(citation.docno for citation in segment.citations if citation.ordinal <= CITED) or "no passage"
        yield segment.topic, f"response {segment.ordinal}, resting on {cited}", segment.text


def _text_of(record: str) -> str:
    """Return the text of a TREC or TrecWeb record, without tags. It is the content of TEXT or BODY or, if the record
    has neither, everything except the headers.

    A header that is not closed extends to the end of the record.
    """
    rest = _HEADERS.sub(" ", record)
    found = _TEXT.search(rest)
    return _TAG.sub(" ", found[2] if found is not None else rest)


def _run(file: BinaryIO) -> IkatRun:
    parsed = parse_ikat_run(file)
    return parsed if isinstance(parsed, IkatRun) else IkatRun(name="", kind="", turns=())


def _parts(response: RunResponse) -> dict[str, Any]:
    """Return the response with its first passages as a field of the item. The run that first returned the response
    decides which passages can be opened beside it.
    """
    names = [citation.docno for citation in _citations(response) if citation.ordinal <= CITED][:OPENED]
    texts = [response.text, *[ALSO] * (len(names) - 1)]
    return {"parts": [{"text": text, "docno": name} for text, name in zip(texts, names, strict=True)]} if names else {}


def last_counted(settings: Any) -> int | None:
    """Return the highest number that a citation may have to make its response worth judging. Return None if there is no
    such limit.
    """
    return CITED if settings.response_passages == "used" else None


def _citations(response: RunResponse) -> Iterator[CitationRecord]:
    """Yield the passages that a response uses, or its first five if none is marked as used. Its other passages follow,
    numbered from `CITED` + 1.
    """
    used = [passage for passage in response.passages if passage.used] or response.passages[:USED_WITHOUT_MARK]
    names = dict.fromkeys(passage.name for passage in used)
    others = (passage.name for passage in response.passages if passage.name not in names)
    for start, group in ((1, names), (CITED + 1, dict.fromkeys(others))):
        for ordinal, name in enumerate(islice(group, CITED), start):
            yield CitationRecord(docno=name, item_kind=PASSAGE, item_key=name, ordinal=ordinal)


def _documents(file: BinaryIO) -> Iterator[tuple[str, str] | Issue]:
    """Yield (docno, text) of each document, in the format that the file's beginning shows."""
    try:
        content = file.read(1 << 16)
        start = content.removeprefix(b"\xef\xbb\xbf").lstrip()
        rest = io.BytesIO(content + file.read())
    except damage_errors() as error:
        yield Issue(where="", code="damaged-file", message=f"The file cannot be read to its end: {error}.")
        return
    if start.startswith(b"{"):
        yield from read_whole_documents(rest)
    elif start.startswith(b"<DOC"):
        for record in read_trec_sgml(rest):
            if isinstance(record, Issue):
                yield record
            else:
                yield record.docno, _text_of(record.raw.decode(record.charset or "utf-8", "replace"))
    else:
        raw = rest.read(DOCUMENT_LIMIT)
        try:
            yield "document", raw.decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"Byte {error.start + 1:,} of the file is not UTF-8. Save it as UTF-8."
            yield Issue(where="", code="encoding", message=message)
