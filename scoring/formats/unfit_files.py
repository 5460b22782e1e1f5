"""Recognises document files that no reader of a track fits: what they look like, and which readers would fit.

A document file of unknown form is read as plain text. So a file with thousands of documents in a form that no reader
knows would become one document: JSON, XML, tables, archives, other binary files. Only the content decides; the file's
name does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from scoring.file_kinds import COMMENTED, Kind, belongs, binary_of, of_no_kind, packing_of, recognise_beginning
from scoring.file_kinds.magic import packed_words
from scoring.formats.document_files import format_of_head, read_head
from scoring.formats.separated import looks_like_table
from scoring.reading.opening import OTHER_FILE
from scoring.reading.unpacking import damage_errors, damage_issue
from scoring.records import Issue

JSON_READERS = ("pubmed-json", "ikat-passages", "full-texts")
XML_READERS = ("pubmed-xml", "trec-sgml")
NEEDS = {
    "pubmed-json": 'lines {"pmid": …, "title": …, "abstract": …}',
    "ikat-passages": 'lines {"id": …, "passage_text": …}',
    "full-texts": 'one object {"docno": "text", …}',
    "pubmed-xml": "PubMed's <PubmedArticleSet>",
    "trec-sgml": "<DOC><DOCNO>…</DOCNO>…</DOC>",
}
"""What each reader requires of a file, in words."""

AS_RECORDS = (
    "If each of its records is a document, load it as a file of records: “Choose a file of records” on the page "
    "Documents, or load_documents --records."
)
"""The advice for a file of records that was loaded as a document file."""

DOCUMENTS: frozenset[Kind] = frozenset({"documents", "candidates"})
OTHER_KINDS: frozenset[Kind] = frozenset(
    {
        "run", "answers", "questions", "qrels", "topics", "claims", "requests", "document-list", "nuggets", "votes",
        "matches", "judgments", "assessments", "forms", "design", "citations", "grades", "scores", "docnos",
        "comparison",
    }
)  # fmt: skip
"""Kinds of files that do not look like the text of a document; any other text may be one."""

MOST_CONTROLS = 0.05  # the highest share of control characters in a text
FEW_CONTROLS = 30  # how many control characters a short page may have, whatever their share
_JSON = re.compile(rb'\s*(?:\[\s*)?\{\s*(?:"(?:[^"\\\r\n]|\\.){0,1000}"\s*:|\}\s*$)')
_DOCNO = re.compile(r"(?=.*[0-9])[!-~]+")
"""A word that does not occur in plain text: with a digit, and only ASCII."""
_XML = re.compile(rb"\s*(?:<\?xml[\s?]|<!DOCTYPE\s+(?!html))", re.IGNORECASE)
_WIDE = (b"\xff\xfe", b"\xfe\xff")  # how UTF-16 and UTF-32 begin if they have a byte order mark


def unfit_document_file(path: Path, formats: Collection[str]) -> Issue | None:
    """Return an issue if a file is in none of these formats. The issue says what the file looks like, and with which
    formats it could be read. Return None if it is in one of the formats. Raises CannotOpen if the file may not be read.
    """
    try:
        head = read_head(path)
    except damage_errors() as error:
        return damage_issue(error)
    if not head:
        return Issue(where="", code="empty-file", message="The file is empty. Check that the right file was chosen.")
    shape = recognise_beginning(head).shape
    if shape.name == COMMENTED or (shape.form == "json array" and not shape.values):
        commented = f"This is {COMMENTED}, which JSON can't have. Take them out, and load the file again."
        message = commented if shape.name else "This is an empty list in JSON: there are no documents in it."
        return Issue(where="", code="not-plain-text", message=message)
    found = format_of_head(head)
    if shape.is_wide and (shape.codec != "utf-16" or format_of_head(shape.text.encode("utf-8", "replace")) != "text"):
        message = f"This is text in {shape.encoding}. Save it as UTF-8, and load it again."
        return Issue(where="", code="not-plain-text", message=message)
    reads = f"Documents are read here as {', '.join(formats)}"
    if packing_of(head) and (found not in formats or found != "image"):  # a tar of newswire begins as newswire does
        return unread_kind(head, reads)
    if (found not in formats or found == "text") and (issue := no_documents(head)):
        return replace(issue, message=f"{issue.message} {reads}.")
    if (found not in formats or found == "text") and shape.form in ("packed", "binary"):
        return unread_kind(head, reads)
    if found not in formats and found != "text":
        way_on = f" {AS_RECORDS}" if found in JSON_READERS else ""
        message = f"This looks like a file of the format {found}, which this track does not use.{way_on} {reads}."
        return Issue(where="", code="document-format", message=message)
    unfit = unfit_as_text(head) if found == "text" else None
    if unfit is None and found not in formats:
        return Issue(where="", code="document-format", message=f"This looks like plain text. {reads}.")
    if unfit is None:
        return None
    needs = "; ".join(f"{reader} takes {NEEDS[reader]}" for reader in unfit.readers)
    known = f" Readers for {unfit.what}: {needs}." if needs else ""
    way_on = f" {AS_RECORDS}" if unfit.may_be_records else ""
    message = f"This is {unfit.what} in no form that is known, and not one plain text.{way_on}{known} {reads}."
    return Issue(where="", code="not-plain-text", message=message)


def unread_kind(head: bytes, reads: str) -> Issue:
    """Return the issue for a packed file or for a program's own file; ``reads`` says what is read instead."""
    kind = recognise_beginning(head)
    way_on = (
        "Unpack it first, and give what is in it" if kind.form == "packed" else "Save what it holds in another form"
    )
    message = f"This is {kind.form_name}, which is not read here. {way_on}. {reads}."
    return Issue(where="", code="document-format", message=message)


def no_documents(head: bytes) -> Issue | None:
    """Return an issue if a file with this beginning does not hold documents. The issue says what it holds and where it
    belongs. Return None if the beginning does not show that.
    """
    kind = recognise_beginning(head)
    if kind.kinds == ("other",):
        return of_no_kind(kind, "documents")
    if (
        (kind.form == "text" and "nuggets" not in kind.kinds)
        or not set(kind.kinds[:1]) & OTHER_KINDS
        or set(kind.kinds) & DOCUMENTS
    ):
        return None
    if kind.kinds == ("docnos",) and not all(_DOCNO.fullmatch(row[0]) for row in kind.shape.rows if row):
        return None
    message = f"This is a file of another kind: {kind.what}, not documents. {belongs(kind)}"
    return Issue(where="", code=OTHER_FILE, message=message)


@dataclass(frozen=True, kw_only=True, slots=True)
class Unfit:
    """What a file is, if it is not plain text, and the names of other formats with which it might be read."""

    what: str
    readers: tuple[str, ...] = ()
    may_be_records: bool = False


def unfit_as_text(head: bytes) -> Unfit | None:
    r"""Return what a file with this beginning is, or None if it may be plain text.

    >>> unfit_as_text(b'{"docid": "A1", "text": "It rains."}\n').what
    'JSON'
    >>> unfit_as_text(b"{curly} words, and [brackets]") is None
    True
    """
    if what := _named_by_beginning(head):
        return Unfit(what=what, may_be_records=head.startswith(b"WARC/"))
    if head.startswith(_WIDE):
        shape = recognise_beginning(head).shape
        unfit = unfit_as_text(shape.text.encode("utf-8", "replace"))
        return unfit and Unfit(what=f"{unfit.what} ({shape.encoding}, which is to be saved as UTF-8)")
    if b"\0" in head or _controls(head) > MOST_CONTROLS:
        return Unfit(what="a binary file")
    start = head.removeprefix(b"\xef\xbb\xbf")
    if _JSON.match(start):
        return Unfit(what="JSON", readers=JSON_READERS, may_be_records=True)
    if _XML.match(start) and b"<html" not in head.lower():
        return Unfit(what="XML", readers=XML_READERS)
    shape = recognise_beginning(head).shape
    if looks_like_table(head) or (shape.is_table and shape.is_quoted and shape.separator != " "):
        return Unfit(what="a table", may_be_records=True)
    return None


def binary_content(head: bytes) -> str:
    r"""Return a phrase that names the kind of binary content, or "" if the bytes may be a page or a text.

    Single NULs are allowed, since browsers ignore them.

    >>> binary_content(b"%PDF-1.4\n%\xe2\xe3 1 0 obj"), binary_content(b"<p>one\0two</p>")
    ('a PDF file', '')
    """
    if head.startswith(b"%PDF-"):
        return "a PDF file"
    if head.startswith(_WIDE) or _controls(head) <= MOST_CONTROLS:
        return ""
    is_long = _controls(head) * len(head) > FEW_CONTROLS
    return _named_by_beginning(head) or ("bytes that are no text" if is_long else "")


def _named_by_beginning(head: bytes) -> str:
    """Return a phrase that names what a file is, if it is packed, an image or another program's own file. Return ""
    for any other file.
    """
    if head.startswith(b"WARC/"):
        return "a WARC archive"
    program = binary_of(head)
    return program[1] if program is not None else packed_words(name) if (name := packing_of(head)) else ""


def _controls(head: bytes) -> float:
    """Return the share of control characters among these bytes. Control characters that are common in texts are not
    counted.
    """
    known = b"\t\n\v\f\r\x1a\x1b"
    found = len(head) - len(head.translate(None, bytes(byte for byte in range(32) if byte not in known)))
    return found / len(head) if head else 0.0
