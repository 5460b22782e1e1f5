"""Finds and reads the files of a collection: a file, a `.gz`, or a folder of them.

    for path in iter_document_files(folder):
        for record in read_documents(path, "blog06", start=offsets.get(str(path), 0)):
            …

An import that remembers the offset of the last record stored from each file can be continued after it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from scoring.formats.blog06 import read_blog06
from scoring.formats.ikat_passages import looks_like_passages, read_ikat_passages
from scoring.formats.images import looks_like_images, read_images
from scoring.formats.plain_text import MEDIA_TYPE, looks_like_full_texts, read_full_texts, read_plain_text
from scoring.formats.pubmed_text import read_medline, read_pubmed_json
from scoring.formats.pubmed_xml import read_pubmed_xml
from scoring.formats.trec_sgml import read_trec_sgml
from scoring.reading.opening import CannotOpen, open_input
from scoring.reading.unpacking import beginning_of, damage_errors, is_leftover
from scoring.records import DocumentRecord, Issue

_READERS: dict[str, Callable[..., Iterator[DocumentRecord | Issue]]] = {
    "blog06": read_blog06,
    "trec-sgml": read_trec_sgml,
    "full-texts": read_full_texts,
    "ikat-passages": read_ikat_passages,
    "pubmed-xml": read_pubmed_xml,
    "pubmed-json": read_pubmed_json,
    "medline": read_medline,
}
DOCUMENT_FORMATS = (*_READERS, "image", "text")
"""The names under which a track lists the formats of its documents."""

_PUBMED_XML = re.compile(
    rb"<(?:Pubmed(?:Book)?Article|PubmedArticleSet|MedlineCitation|MedlineCitationSet|BookDocument)[\s>]"
)
_SMALL_DOC = re.compile(rb"(?:\xef\xbb\xbf)?\s*<doc(?:>\s*<docno>|\s[^<>]*\bid\s*=)")
_MEDLINE = re.compile(rb"^PMID- ?[0-9]", re.MULTILINE)
_PUBMED_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{[^\n]{0,60000}?"(?:pmid|PMID|abstract)"\s*:')


def iter_document_files(path: Path) -> Iterator[Path]:
    """Yield the files at a path in sorted order: the path itself, or all files below it.

    Hidden files and what a system left there (`is_leftover`) are not among them, and links out of the folder are not
    followed. Raises CannotOpen if there is nothing at the path.
    """
    if path.is_file():
        yield path
        return
    if not path.is_dir():
        raise CannotOpen(f"cannot read {path}: no such file or folder")
    for entry in sorted(path.iterdir(), key=lambda each: each.name):
        if is_leftover(entry) or entry.is_symlink():
            continue
        if entry.is_dir():
            yield from iter_document_files(entry)
        elif entry.is_file():
            yield entry


def read_documents(path: Path, document_format: str, *, start: int = 0) -> Iterator[DocumentRecord | Issue]:
    """Yield the documents of one file, which may be packed, from the offset ``start`` on, and issues. The format is one
    of DOCUMENT_FORMATS.

    Raises CannotOpen if the file may not be read, and ValueError for an unknown format.
    """
    if document_format not in DOCUMENT_FORMATS:
        raise ValueError(f"there is no document format “{document_format}”; take one of {', '.join(DOCUMENT_FORMATS)}")
    with open_input(path) as stream:
        if document_format in _READERS:
            yield from _READERS[document_format](stream, start=start)
        elif document_format == "image":
            yield from read_images(stream, name=path.name, start=start)
        else:
            yield from read_plain_text(stream, name=path.name, start=start)


def text_documents(paths: Iterable[Path]) -> dict[str, str]:
    """Return the plain texts in files and folders by docno, decoded as UTF-8. Documents of other kinds and unreadable
    records are skipped. If several documents have one docno, the first is taken.

    Raises CannotOpen if a path does not exist. All texts are held in memory.
    """
    texts: dict[str, str] = {}
    for path in (each for place in paths for each in iter_document_files(place)):
        for record in read_documents(path, sniff_document_format(path)):
            if isinstance(record, DocumentRecord) and record.media_type == MEDIA_TYPE:
                texts.setdefault(record.docno, record.raw.decode("utf-8", "replace"))
    return texts


def sniff_document_format(path: Path) -> str:
    """Return the most likely format of a collection file, judged by its first 64 kB. Return "text" if none of it can be
    read.

    Raises CannotOpen if the file may not be opened.
    """
    try:
        return format_of_head(read_head(path))
    except damage_errors():
        return "text"  # its reader reports the damage


def read_head(path: Path) -> bytes:
    """Return the first 64 kB of a file, unpacked; less if the file is damaged before that.

    Raises CannotOpen if the file may not be read, and one of `damage_errors` if none of it can be unpacked.
    """
    with open_input(path) as stream:
        return beginning_of(stream, 1 << 16)


def format_of_head(head: bytes) -> str:
    """Return the most likely format of a file with this beginning. It is "text" if the beginning does not show a more
    specific format.
    """
    if looks_like_images(head):
        return "image"
    if b"<DOCHDR>" in head and b"<DOC>" in head:
        return "blog06"
    if _PUBMED_JSON.match(head):
        return "pubmed-json"
    if looks_like_passages(head):
        return "ikat-passages"
    if looks_like_full_texts(head):
        return "full-texts"
    if _PUBMED_XML.search(head):
        return "pubmed-xml"
    if _MEDLINE.search(head):
        return "medline"
    return "trec-sgml" if b"<DOC>" in head or b"<DOC " in head or _SMALL_DOC.match(head) else "text"
