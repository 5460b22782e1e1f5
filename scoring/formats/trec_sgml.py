"""Reads TREC newswire in SGML: <DOC> records with a <DOCNO> and tags around headline, dateline and text.

    <DOC>
    <DOCNO> APW19980601.0003 </DOCNO>
    <HEADLINE> … </HEADLINE>
    <TEXT>
    <P> … </P>
    </TEXT>
    </DOC>

LDC's newer form `<DOC id="APW_ENG_20041001.0001" type="story">` names the document in the tag. The raw bytes stored are
everything between the two <DOC> lines; `newswire` extracts the text and the fields.

Source: the READMEs of TREC disks 1-5 and of AQUAINT (LDC2002T31).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

from scoring.formats.doc_records import RECORD_LIMIT, RawRecord, check_docno, split_records
from scoring.formats.newswire import newswire_fields
from scoring.reading.detected_encodings import CODECS, USUAL, sure_encoding
from scoring.records import DocumentRecord, Issue

MEDIA_TYPE = "text/sgml"

_HEAD_LIMIT = 1 << 16

_DOCNO = re.compile(rb"<DOCNO>([^<]*)</DOCNO>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""\s([^\W\d][\w.-]*)\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)'|([^"'\s>]+))""")
_ID = re.compile(rb"\bid\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE)


def read_trec_sgml(stream: BinaryIO, *, start: int = 0, limit: int = RECORD_LIMIT) -> Iterator[DocumentRecord | Issue]:
    """Yield the documents of a newswire file from the offset ``start`` on, with issues in between. Never raises on the
    content of the file.
    """
    found, passed_over, text_of = start > 0, False, _decoding()
    for record in split_records(stream, start=start, limit=limit):
        is_note = isinstance(record, Issue) and record.severity != "error"
        found, passed_over = found or not is_note, passed_over or is_note
        yield record if isinstance(record, Issue) else _document(record, text_of)
    if passed_over and not found:
        message = (
            "There is no <DOC> at the beginning of a line in the file, so nothing of it was read. It must be UTF-8."
        )
        yield Issue(where="", code="no-records", message=message)


def _document(record: RawRecord, text_of: Callable[[bytes], str]) -> DocumentRecord | Issue:
    names = {match[1].strip() for match in _DOCNO.finditer(record.content[:_HEAD_LIMIT])}
    if not names and (match := _ID.search(record.opening)):
        names = {match[1]}
    if len(names) > 1:
        return Issue(
            where=record.line,
            code="duplicate-tag",
            message=f"The document that starts at line {record.line} has several different DOCNOs. It is passed over: "
            "leave the right one.",
        )
    docno = names.pop().decode("latin-1") if names else ""
    if issue := check_docno(docno, record.line):
        return issue
    return DocumentRecord(
        docno=docno,
        media_type=MEDIA_TYPE,
        charset=None,
        raw=record.content,
        offset=record.offset,
        line=record.line,
        fields=_attributes(text_of(record.opening), docno) | newswire_fields(text_of(record.content), docno=docno),
    )


def _attributes(opening: str, docno: str) -> dict[str, str]:
    """Return the attributes of the tag that opens a record, without its id, such as LDC's type="story"."""
    found = {match[1]: (match[2] or match[3] or match[4] or "").strip() for match in _ATTRIBUTE.finditer(opening)}
    return {name.upper(): value for name, value in found.items() if value and (name.lower(), value) != ("id", docno)}


def _decoding() -> Callable[[bytes], str]:
    """Return a function that decodes the records of a file as UTF-8. Once a record is not UTF-8, its most likely
    encoding is used for all such records.
    """
    codec = ""

    def text_of(raw: bytes) -> str:
        nonlocal codec
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            codec = codec or CODECS[sure_encoding(raw) or USUAL]
            return raw.decode(codec, "replace")

    return text_of
