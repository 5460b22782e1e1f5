"""Reads PubMed's own XML: articles and chapters of books, any number of records in a file.

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

<MedlineCitation> and <BookDocument> may also be root elements. Everything in a record beside PMID, title and abstract
is stored as fields, named after the elements; so are the attributes of the record, its citation and its article. Other
attributes (of headings, authors, ids) are named once in a note, and deleted citations are counted in another.

Records are found by their tags and parsed one by one, so that a file is never held in memory as a whole, and a broken
record does not affect the others. The document type declaration never reaches the parser: no entity is expanded, and
nothing is fetched.

Source: NLM, PubMed DTD (pubmed_190101.dtd and later).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, BinaryIO

from scoring.formats.pubmed_text import PMID, Section, abstract_record
from scoring.reading.bounded_files import Attributes, XmlFlaw, parse_xml
from scoring.reading.opening import excerpt_of
from scoring.reading.unpacking import damage_errors, damage_issue
from scoring.records import DocumentRecord, Issue
from scoring.wording import counted

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
_LEVELS = frozenset({
    *_WHOLE, "PubmedArticle", "PubmedBookArticle", "PubmedData", "PubmedBookData",
    "Article", "Journal", "JournalIssue", "Book",
})  # fmt: skip
"""The elements whose child elements and attributes become fields."""
_LABELS = (("AbstractText", "Label"),)


def read_pubmed_xml(stream: BinaryIO, *, start: int = 0, limit: int = RECORD_LIMIT) -> Iterator[DocumentRecord | Issue]:
    """Yield the abstracts of a file from the offset ``start`` on, with the PMID as docno, and issues in between. Never
    raises on the content of the file.
    """
    found = False
    seen: Attributes = {}
    for each in _split(stream, limit):
        found = True
        if isinstance(each, Issue):
            yield each
        elif each[2].startswith(b"<DeleteCitation"):
            count = len(_PMID_TAGS.findall(each[2]))
            message = (
                f"{counted(count, 'deleted citation is', 'deleted citations are')} named; nothing is done about this."
            )
            yield Issue(where=each[1], code="passed-over", message=message, severity="note")
        elif each[0] >= start:
            yield _record(*each, seen)
    if not found:
        message = "There is no <PubmedArticle> and no <PubmedBookArticle> in the file. Take PubMed's own XML, in UTF-8."
        yield Issue(where="", code="no-records", message=message)
    if unkept := [f"{tag}.{name}" for tag, name in seen if tag not in _LEVELS and (tag, name) not in _LABELS]:
        names = ", ".join(unkept[:20]) + (" …" if len(unkept) > 20 else "")
        message = f"These attributes are not kept: {names}."
        yield Issue(where="", code="unused", message=message, severity="note")


def _split(stream: BinaryIO, limit: int) -> Iterator[tuple[int, int, bytes] | Issue]:
    """Yield (offset, line, bytes) for each record. A record that is beyond the limit or cut off is an issue."""
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
        yield damage_issue(error, after=line - 1)
        return
    if closing:
        message = f"The record that starts at line {begun} has no {closing.decode()}. The file may have been cut off."
        yield Issue(where=begun, code="truncated-document", message=message)


def _too_large(line: int, limit: int) -> Issue:
    message = f"The record at line {line} is larger than {limit:,} bytes. It is passed over."
    return Issue(where=line, code="document-too-large", message=message)


def _record(offset: int, line: int, raw: bytes, seen: Attributes) -> DocumentRecord | Issue:
    root = parse_xml(raw, encoding="utf-8", seen=seen)
    if isinstance(root, XmlFlaw):
        what = "is not well-formed XML" if root.code == "xml" else "is not read"
        message = f"The record at line {line} {what}: {root.message}. It is passed over."
        return Issue(where=line, code=root.code, message=message)
    citation = root if root.tag in _WHOLE else next((each for each in root if each.tag in _WHOLE), None)
    children = {} if citation is None else _children(citation)
    pmid = _text(children.get("PMID"))
    if citation is None or not PMID.fullmatch(pmid):
        message = f"The record at line {line} has no PMID. It is passed over: give it one."
        return Issue(where=line, code="missing-docno", message=message, excerpt=excerpt_of(pmid))
    is_book = citation.tag == "BookDocument"
    article = children if is_book else _children(children.get("Article"))
    source = _children(children.get("Book") if is_book else article.get("Journal"))
    issue = {} if is_book else _children(source.get("JournalIssue"))
    title = _text(article.get("ArticleTitle")) or _text(
        source.get("BookTitle") if is_book else article.get("VernacularTitle")
    )
    date = (source if is_book else issue).get("PubDate")
    levels = [citation, children.get("Article"), article.get("Journal"), source.get("JournalIssue")]
    levels += [children.get("Book"), *(each for each in root if each is not citation and root is not citation)]
    return abstract_record(
        pmid=pmid,
        title=title,
        sections=_sections(article, children),
        source=_source(source, date),
        further=_further(root, [each for each in levels if each is not None], date),
        offset=offset,
        line=line,
    )


def _children(element: etree._Element | None) -> dict[str, etree._Element]:
    """Return name -> first child with this name, for an element; {} if there is no element."""
    named: dict[str, etree._Element] = {}
    for each in () if element is None else element:
        named.setdefault(each.tag, each)
    return named


def _sections(*levels: Mapping[str, etree._Element]) -> list[Section]:
    """Return the parts of the English abstract. If there is none, return those of the first abstract in another
    language, or [] without any abstract.
    """
    for level in levels:
        for name in ("Abstract", "OtherAbstract"):
            if (abstract := level.get(name)) is not None:
                found = [(each.get("Label") or "", _text(each)) for each in abstract if each.tag == "AbstractText"]
                return [(label, text) for label, text in found if text]
    return []


def _source(source: Mapping[str, etree._Element], date: etree._Element | None) -> str:
    """Return the name of the journal or book, and the year."""
    names = ("ISOAbbreviation", "Title", "BookTitle")
    journal = next(filter(None, (_text(source[name]) for name in names if name in source)), "")
    dates = _children(date)
    year = _text(dates.get("Year")) or _text(dates.get("MedlineDate"))[:4]
    return " ".join(part for part in (f"{journal}." if journal else "", year) if part)


def _further(root: etree._Element, levels: Sequence[etree._Element], date: etree._Element | None) -> dict[str, str]:
    """Return all values of a record other than its title and abstract, by tag, level by level. Several values of one
    tag are joined by "; ".

    The attributes of these levels come after the elements.
    """
    fields: dict[str, str] = {} if date is None else {"date": _parts(date)}
    for level in levels:
        for element in level:
            tag = element.tag
            if tag in _READ:
                continue
            parts = map(_parts, element) if tag.endswith("List") else (_parts(element),)
            if text := "; ".join(filter(None, (fields.get(tag, ""), *parts))):
                fields[tag] = text
    for element in (root, *(each for each in levels if each is not root)):
        for name, value in element.items():
            if value.strip():
                fields[str(name) if name not in fields else f"{element.tag}.{name}"] = str(value)
    return fields


def _parts(element: etree._Element) -> str:
    """Return all text inside an element, with one blank between its parts."""
    return " ".join((" ".join(map(str, element.itertext())) if len(element) else element.text or "").split())


def _text(element: etree._Element | None) -> str:
    """Return all text inside an element, with each run of white space as one blank; "" for no element."""
    if element is None:
        return ""
    return " ".join(("".join(map(str, element.itertext())) if len(element) else element.text or "").split())
