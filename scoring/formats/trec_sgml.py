"""TREC newswire in SGML: <DOC> records with a <DOCNO> and tags around headline, dateline and text.

    <DOC>
    <DOCNO> APW19980601.0003 </DOCNO>
    <HEADLINE> … </HEADLINE>
    <TEXT>
    <P> … </P>
    </TEXT>
    </DOC>

LDC's newer form `<DOC id="APW_ENG_20041001.0001" type="story">` names the document in the tag. The raw
bytes kept are everything between the two <DOC> lines; `newswire_text` says which of it is read.

Source: the READMEs of TREC disks 1-5 and of AQUAINT (LDC2002T31).
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import BinaryIO

from scoring.formats.doc_records import RECORD_LIMIT, RawRecord, check_docno, split_records
from scoring.records import DocumentRecord, Issue

MEDIA_TYPE = "text/sgml"

TEXT_TAGS = frozenset({"TEXT", "LEADPARA", "LP", "GRAPHIC", "CAPTION", "CORRECTION"})
"""What is read. A record with none of these is read whole, but for the tags of NAME_TAGS."""

HEAD_TAGS = frozenset({"HEADLINE", "HEAD", "HL", "TI", "TTL", "TITLE", "BYLINE", "DATELINE"})
"""Shown before the text, each on its own line."""

NAME_TAGS = frozenset({"DOCNO", "DOCID", "FILEID", "DOCTYPE", "PROFILE", "TRAILER"})

FIELD_TAGS = ("DOCID", "DOCTYPE", "DATE", "DATE_TIME", "HEADLINE", "BYLINE", "DATELINE")
_FIELD_LIMIT = 500
_HEAD_LIMIT = 1 << 16

_DOCNO = re.compile(rb"<DOCNO>([^<]*)</DOCNO>", re.IGNORECASE)
_ID = re.compile(rb"\bid\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([A-Za-z][\w.-]*)(?:\s[^<>]*)?>")
_BLANKS = re.compile(r"[ \t]*\n[ \t]*(?:\n\s*)+")


def read_trec_sgml(stream: BinaryIO, *, start: int = 0, limit: int = RECORD_LIMIT) -> Iterator[DocumentRecord | Issue]:
    """The documents of a newswire file in order, with issues in between; never raises on what it holds."""
    for record in split_records(stream, start=start, limit=limit):
        yield record if isinstance(record, Issue) else _document(record)


def _document(record: RawRecord) -> DocumentRecord | Issue:
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
        fields=_fields(record.content),
    )


def _fields(content: bytes) -> dict[str, str]:
    head = content[:_HEAD_LIMIT].decode("latin-1")
    found = {}
    for name in FIELD_TAGS:
        match = re.search(rf"<{name}>([^<]{{0,{_FIELD_LIMIT}}})</{name}>", head)
        if match:
            found[name] = " ".join(html.unescape(match[1]).replace("\0", " ").split())
    return found


def newswire_text(content: str) -> str:
    r"""What a reader of the record reads: headline, byline and dateline, then the text.

    Tags are taken off, entities resolved, a blank line stands where a paragraph tag or an empty line
    stood; the lines of a paragraph stay as they are. Records without any text tag are read whole.

    >>> newswire_text("<DOCNO> A1 </DOCNO><HEADLINE> Wine &AMP; cheese </HEADLINE><TEXT><P>One.</P><P>Two.</P></TEXT>")
    'Wine & cheese\n\nOne.\n\nTwo.'
    """
    names = {match[2].upper() for match in _TAG.finditer(content)}
    wanted = (TEXT_TAGS | HEAD_TAGS) if names & TEXT_TAGS else None
    parts: list[str] = []
    open_tags: list[str] = []
    position = 0
    for match in _TAG.finditer(content):
        _keep(parts, content[position : match.start()], open_tags, wanted)
        position = match.end()
        name = match[2].upper()
        if not match[1]:
            open_tags.append(name)
        elif name in open_tags:
            while open_tags.pop() != name:
                pass
        parts.append("\n\n")
    _keep(parts, content[position:], open_tags, wanted)
    text = html.unescape("".join(parts)).replace("\r\n", "\n").replace("\r", "\n")
    return _BLANKS.sub("\n\n", text).strip()


def _keep(parts: list[str], text: str, open_tags: list[str], wanted: frozenset[str] | None) -> None:
    shown = not NAME_TAGS.intersection(open_tags) if wanted is None else bool(wanted.intersection(open_tags))
    if shown:
        parts.append(text)
