"""PubMed's own XML: articles and chapters of books, any number of records to a file.

    <PubmedArticleSet>
      <PubmedArticle>
        <MedlineCitation><PMID Version="1">19464684</PMID>
          <Article><ArticleTitle>…</ArticleTitle>
            <Abstract><AbstractText Label="BACKGROUND">…</AbstractText></Abstract></Article>
        </MedlineCitation>
      </PubmedArticle>
      <PubmedBookArticle><BookDocument><PMID>20301295</PMID><Book><BookTitle>…</BookTitle></Book>
        <ArticleTitle>…</ArticleTitle><Abstract>…</Abstract></BookDocument></PubmedBookArticle>
    </PubmedArticleSet>

<MedlineCitation> and <BookDocument> may stand alone. What a record says beside PMID, title and abstract is kept as
fields under the names of its elements, and the attributes of the record, its citation and its article under their own;
other attributes (of headings, authors, ids) are named once in a note, and deleted citations are counted in one.

Records are found by their tags and parsed one by one, so that a file is never held in memory and a broken record
costs no other. The document type declaration never reaches the parser: no entity is expanded, nothing is fetched.

Source: NLM, PubMed DTD (pubmed_190101.dtd and later).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from scoring.bounded_files import XmlFlaw, parse_xml
from scoring.formats.pubmed_text import PMID, Section, abstract_record
from scoring.reading import excerpt_of
from scoring.records import DocumentRecord, Issue
from scoring.unpacking import damage_errors

if TYPE_CHECKING:
    from lxml import etree

RECORD_LIMIT = 4 * 1024 * 1024
PIECE = 1 << 16

_OPEN = re.compile(rb"<(PubmedArticle|MedlineCitation|PubmedBookArticle|BookDocument|DeleteCitation)(?=[\s>])")
_KEPT = len(b"<PubmedBookArticle ")
_PMID_TAGS = re.compile(rb"<PMID[\s>]")
_READ = frozenset(
    {"PMID", "Article", "ArticleTitle", "Abstract", "Book", "BookTitle", "Journal", "JournalIssue", "PubDate"}
)
_WHOLE = ("MedlineCitation", "BookDocument")


def read_pubmed_xml(stream: BinaryIO, *, start: int = 0, limit: int = RECORD_LIMIT) -> Iterator[DocumentRecord | Issue]:
    """The abstracts of a file in order, docno = PMID, with issues in between; never raises on what it holds."""
    found = False
    unkept: dict[str, None] = {}
    for each in _split(stream, limit):
        found = True
        if isinstance(each, Issue):
            yield each
        elif each[2].startswith(b"<DeleteCitation"):
            count = len(_PMID_TAGS.findall(each[2]))
            message = f"{count:,} deleted citations are named; nothing is done about them."
            yield Issue(where=each[1], code="passed-over", message=message, severity="note")
        elif each[0] >= start:
            yield _record(*each, unkept)
    if not found:
        message = "There is no <PubmedArticle> and no <PubmedBookArticle> in the file. Take PubMed's own XML, in UTF-8."
        yield Issue(where="", code="no-records", message=message)
    if unkept:
        names = ", ".join(list(unkept)[:20]) + (" …" if len(unkept) > 20 else "")
        message = f"These attributes are not kept: {names}."
        yield Issue(where="", code="unused", message=message, severity="note")


def _split(stream: BinaryIO, limit: int) -> Iterator[tuple[int, int, bytes] | Issue]:
    """(offset, line, bytes) of each record; a record beyond the limit or cut off is an issue."""
    buffer, offset, line = b"", 0, 1
    closing, dropped, begun = b"", False, 1
    try:
        while True:
            piece = stream.read(PIECE)
            buffer += piece
            while True:
                if not closing:
                    opening = _OPEN.search(buffer)
                    keep = opening.start() if opening else max(0, len(buffer) - _KEPT)
                    line += buffer.count(b"\n", 0, keep)
                    offset, buffer = offset + keep, buffer[keep:]
                    if opening is None:
                        break
                    closing, dropped, begun = b"</" + opening[1] + b">", False, line
                end = buffer.find(closing)
                if end < 0:
                    break
                size = end + len(closing)
                yield _too_large(begun, limit) if dropped or size > limit else (offset, line, buffer[:size])
                line += buffer.count(b"\n", 0, size)
                offset, buffer, closing = offset + size, buffer[size:], b""
            if closing and len(buffer) > limit:
                cut = len(buffer) - len(closing)
                line += buffer.count(b"\n", 0, cut)
                offset, buffer, dropped = offset + cut, buffer[cut:], True
            if not piece:
                break
    except damage_errors() as error:
        message = f"The file cannot be read past line {line}: it is cut off or damaged ({error}). Copy it again."
        yield Issue(where=line, code="damaged-file", message=message)
        return
    if closing:
        message = f"The record that starts at line {begun} has no {closing.decode()}. The file may have been cut off."
        yield Issue(where=begun, code="truncated-document", message=message)


def _too_large(line: int, limit: int) -> Issue:
    message = f"The record at line {line} is larger than {limit:,} bytes. It is passed over."
    return Issue(where=line, code="document-too-large", message=message)


def _record(offset: int, line: int, raw: bytes, unkept: dict[str, None]) -> DocumentRecord | Issue:
    root = parse_xml(raw, encoding="utf-8")
    if isinstance(root, XmlFlaw):
        what = "is not well-formed XML" if root.code == "xml" else "is not read"
        message = f"The record at line {line} {what}: {root.message}. It is passed over."
        return Issue(where=line, code=root.code, message=message)
    citation = root if root.tag in _WHOLE else next((each for each in root if each.tag in _WHOLE), None)
    pmid = _text(citation.find("PMID")) if citation is not None else ""
    if citation is None or not PMID.fullmatch(pmid):
        message = f"The record at line {line} has no PMID. It is passed over: give it one."
        return Issue(where=line, code="missing-docno", message=message, excerpt=excerpt_of(pmid))
    within = "" if citation.tag == "BookDocument" else "Article/"
    titles = ("ArticleTitle", "VernacularTitle") if within else ("ArticleTitle", "Book/BookTitle")
    title = next(filter(None, (_text(citation.find(f"{within}{name}")) for name in titles)), "")
    return abstract_record(
        pmid=pmid,
        title=title,
        sections=_sections(citation),
        source=_source(citation),
        further=_further(root, citation, unkept),
        offset=offset,
        line=line,
    )


def _sections(citation: etree._Element) -> list[Section]:
    """The parts of the abstract in English, else of the first other one."""
    for path in ("Article/Abstract", "Abstract", "OtherAbstract"):
        if (abstract := citation.find(path)) is not None:
            found = [(each.get("Label") or "", _text(each)) for each in abstract.iterfind("AbstractText")]
            return [(label, text) for label, text in found if text]
    return []


def _source(citation: etree._Element) -> str:
    names = ("Article/Journal/ISOAbbreviation", "Article/Journal/Title", "Book/BookTitle")
    journal = next(filter(None, (_text(citation.find(name)) for name in names)), "")
    date = _date(citation)
    year = "" if date is None else _text(date.find("Year")) or _text(date.find("MedlineDate"))[:4]
    return " ".join(part for part in (f"{journal}." if journal else "", year) if part)


def _date(citation: etree._Element) -> etree._Element | None:
    dates = (citation.find(path) for path in ("Article/Journal/JournalIssue/PubDate", "Book/PubDate"))
    return next((each for each in dates if each is not None), None)


def _further(root: etree._Element, citation: etree._Element, unkept: dict[str, None]) -> dict[str, str]:
    """All that a record says beside title and abstract: the elements of each level by their tags, lists with "; ".

    Attributes of these levels follow them; those of other elements, but labels of parts, go to ``unkept``.
    """
    fields: dict[str, str] = {}
    if (date := _date(citation)) is not None:
        fields["date"] = _parts(date)
    paths = ("Article", "Article/Journal", "Article/Journal/JournalIssue", "Book")
    beside = [each for each in root if each is not citation] if root is not citation else []
    levels = [each for each in (citation, *map(citation.find, paths), *beside) if each is not None]
    for level in levels:
        for element in level:
            if not isinstance(element.tag, str) or element.tag in _READ:
                continue
            parts = [_parts(each) for each in element] if element.tag.endswith("List") else [_parts(element)]
            if text := "; ".join(filter(None, [fields.get(element.tag, ""), *parts])):
                fields[element.tag] = text
    for element in root.iter("*"):
        for name, value in ((str(name), str(value)) for name, value in element.items() if value.strip()):
            if element is root or element in levels:
                fields[name if name not in fields else f"{element.tag}.{name}"] = value
            elif (element.tag, name) != ("AbstractText", "Label"):
                unkept[f"{element.tag}.{name}"] = None
    return fields


def _parts(element: etree._Element) -> str:
    """All text inside an element, with a blank between its parts."""
    return " ".join(" ".join(map(str, element.itertext())).split())


def _text(element: etree._Element | None) -> str:
    """All text inside an element, white space runs to one space."""
    return "" if element is None else " ".join("".join(map(str, element.itertext())).split())
