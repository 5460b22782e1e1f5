"""Reads PubMed abstracts as JSON lines and in PubMed's text format (MEDLINE).

    {"pmid": "19464684", "title": "…", "abstract": "…"}                   one object a line

    PMID- 19464684
    TI  - A title that goes on
          on the next line.
    AB  - BACKGROUND: …

In JSON the PMID is `pmid`, `PMID`, `docno`, `_id` or `id`; the title is `title`; the abstract is `abstract`, `text` or
`contents`: a text, an object label -> text, or a list of {"label", "text"}. In the text format a record begins at its
PMID line, and lines that begin with six spaces continue a field. All other members and fields are stored as further
fields.

Source: NLM, PubMed help, "MEDLINE/PubMed data element descriptions".
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from scoring.formats.document_facts import further_members, with_further
from scoring.reading.json_reading import Flaw, parse_json
from scoring.reading.opening import decoded, excerpt_of
from scoring.reading.unpacking import damage_errors, damage_issue
from scoring.records import DocumentRecord, Issue

# The record itself is markup or JSON that nobody reads, so this page is stored as the document, in UTF-8.

MEDIA_TYPE = "text/html"
PMID = re.compile(r"[1-9][0-9]{0,8}")
_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

Section = tuple[str, str]  # (label or "", text)


def abstract_record(
    *,
    pmid: str,
    title: str,
    sections: Sequence[Section],
    source: str = "",
    further: Mapping[str, str] | None = None,
    offset: int = 0,
    line: int = 1,
) -> DocumentRecord:
    """Return the document of one abstract. ``source`` is the line below the title (journal and year); ``further`` are
    additional fields.
    """
    page = abstract_page(pmid=pmid, title=title, sections=sections, source=source)
    fields = with_further({"title": _clean(title), "source": _clean(source)}, further or {})
    return DocumentRecord(
        docno=pmid,
        media_type=MEDIA_TYPE,
        charset="utf-8",
        raw=page.encode("utf-8", "replace"),
        offset=offset,
        line=line,
        fields={name: clean for name, value in fields.items() if (clean := _clean(value))},
    )


def abstract_page(*, pmid: str, title: str, sections: Sequence[Section], source: str = "") -> str:
    """Return the page as HTML: every text is escaped, and each run of white space becomes one space.

    >>> print(abstract_page(pmid="7", title="On <i>", sections=[("AIM", "To see.")]).split("<h1>")[1])
    On &lt;i&gt;</h1>
    <p>PMID 7</p>
    <h2>Aim</h2>
    <p>To see.</p>
    </body>
    </html>
    """
    shown = _escaped(title) or "(no title)"
    where = _escaped(f"{source} · PMID {pmid}" if source.strip() else f"PMID {pmid}")
    lines = ["<!DOCTYPE html>", '<html lang="en">', '<head><meta charset="utf-8"><title>' + shown + "</title></head>"]
    lines += ["<body>", f"<h1>{shown}</h1>", f"<p>{where}</p>"]
    for label, text in sections:
        if label.strip():
            lines.append(f"<h2>{_escaped(_heading(label))}</h2>")
        lines.append(f"<p>{_escaped(text)}</p>")
    return "\n".join([*lines, "</body>", "</html>"])


def _heading(label: str) -> str:
    """Return a label in capitals as a heading: "BACKGROUND" becomes "Background"."""
    return label.capitalize() if label.isupper() else label


def _escaped(text: str) -> str:
    return html.escape(_clean(text))


def _clean(text: str) -> str:
    return " ".join((text if text.isprintable() else _UNSEEN.sub(" ", text)).split())


# Reading abstracts.

LINE_LIMIT = 4 * 1024 * 1024
RECORD_LINES = 20_000
PMID_NAMES = ("pmid", "PMID", "docno", "_id", "id")
ABSTRACT_NAMES = ("abstract", "text", "contents")
_FIELD = re.compile(r"([A-Z]{2,4}) *- ?(.*)")
_LABEL = re.compile(r"(?:^|(?<=[.!?] ))([A-Z][A-Z /,&-]{2,60}): ")

Found = DocumentRecord | Issue
Numbered = tuple[int, int, str]  # offset of the line, its number from 1, its text


def read_pubmed_json(stream: BinaryIO, *, start: int = 0) -> Iterator[Found]:
    """Yield the abstracts of a file from the offset ``start`` on, with the PMID as docno, and issues. No content of the
    file raises an exception.
    """
    for each in _lines(stream):
        if isinstance(each, Issue):
            yield each
        elif each[2].strip() and each[0] >= start:
            yield _of_json(*each)


def read_medline(stream: BinaryIO, *, start: int = 0) -> Iterator[Found]:
    """Yield the abstracts of a file in PubMed's text format from the offset ``start`` on, with the PMID as docno, and
    issues. Never raises on the content of the file.
    """
    current: _Medline | None = None
    stray = False
    for each in _lines(stream):
        if isinstance(each, Issue):
            yield each
            continue
        offset, line, text = each
        field = _FIELD.match(text)
        if field is not None and field[1] == "PMID":
            if current is not None and current.offset >= start:
                yield current.record()
            current = _Medline(offset, line, field[2].strip())
        elif current is not None:
            current.add(field, text)
        elif text.strip() and not stray:
            stray = True
            message = "There is text before the first “PMID- ” line; it is passed over. Check the file's format."
            yield Issue(where=line, code="text-outside-document", message=message, severity="warning")
    if current is not None and current.offset >= start:
        yield current.record()


def _lines(stream: BinaryIO) -> Iterator[Numbered | Issue]:
    """Yield every line with its offset and number. A line that is too long or not UTF-8 is an issue."""
    offset, number = 0, 0
    try:
        while raw := stream.readline(LINE_LIMIT + 2):
            number, here, size = number + 1, offset, len(raw)
            is_long = not raw.endswith(b"\n") and len(raw) > LINE_LIMIT
            while is_long and (more := stream.readline(LINE_LIMIT)):
                size += len(more)
                if more.endswith(b"\n"):
                    break
            offset += size
            if is_long:
                message = f"The line is longer than {LINE_LIMIT:,} bytes. It is passed over."
                yield Issue(where=number, code="line-too-long", message=message)
                continue
            body = raw.rstrip(b"\r\n")
            text = decoded(number, body.removeprefix(b"\xef\xbb\xbf") if number == 1 else body)
            yield text if isinstance(text, Issue) else (here, number, text)
    except damage_errors() as error:
        yield damage_issue(error, after=number)


# ---------------------------------------------------------------- JSON


def _of_json(offset: int, line: int, text: str) -> Found:
    def issue(code: str, message: str) -> Issue:
        return Issue(where=line, code=code, message=message, excerpt=excerpt_of(text))

    value = parse_json(text)
    if isinstance(value, Flaw):
        return issue(value.code, value.message)
    if not isinstance(value, dict):
        return issue("shape", "The line is no object. Write {“pmid”: …, “title”: …, “abstract”: …}.")
    pmid = _pmid(value)
    if pmid is None:
        return issue("missing-docno", f"The PMID must be a number, in one of: {', '.join(PMID_NAMES)}.")
    title = value.get("title") or ""
    name = next((name for name in ABSTRACT_NAMES if value.get(name)), "")
    sections = _sections(value[name]) if name else []
    if not isinstance(title, str) or sections is None:
        return issue("field-type", f"“title” must be text, “{name or 'abstract'}” text or labelled parts.")
    if not title.strip() and not sections:
        return issue("empty-field", f"The abstract {pmid} has neither title nor text. It is passed over.")
    used = {next(known for known in PMID_NAMES if known in value), "title", "journal", name}
    return abstract_record(
        pmid=pmid,
        title=title,
        sections=sections,
        source=_source(value),
        further=dict(further_members(value, used)),
        offset=offset,
        line=line,
    )


def _pmid(value: Mapping[str, Any]) -> str | None:
    written = next((value[name] for name in PMID_NAMES if name in value), None)
    text = str(written) if isinstance(written, int) and not isinstance(written, bool) else written
    return text.strip() if isinstance(text, str) and PMID.fullmatch(text.strip()) else None


def _sections(value: Any) -> list[Section] | None:
    """Return the parts of the abstract, or None if it is neither a single text nor a list of labelled parts."""
    if isinstance(value, str):
        return split_labels(value)
    if isinstance(value, Mapping):
        pairs: list[tuple[Any, Any]] = list(value.items())
    elif isinstance(value, list):
        pairs = [
            (each.get("label") or "", each.get("text")) if isinstance(each, Mapping) else ("", each) for each in value
        ]
    else:
        return None
    if not all(isinstance(label, str) and isinstance(text, str) for label, text in pairs):
        return None
    return [(label, text) for label, text in pairs if text.strip()]


def _source(value: Mapping[str, Any]) -> str:
    parts = (value.get("journal"), value.get("year"))
    return " ".join(str(part) for part in parts if isinstance(part, str | int) and not isinstance(part, bool))


def split_labels(text: str) -> list[Section]:
    """Split an abstract at the labels in capitals at the start of its sentences, and return its (label, text) parts.

    >>> split_labels("AIM: To see. RESULTS: Seen.")
    [('AIM', 'To see.'), ('RESULTS', 'Seen.')]
    >>> split_labels("One piece. DNA: no label here")
    [('', 'One piece.'), ('DNA', 'no label here')]
    """
    pieces = _LABEL.split(text)
    found = [("", pieces[0]), *zip(pieces[1::2], pieces[2::2], strict=True)]
    return [(label.strip(), part.strip()) for label, part in found if part.strip()]


# ---------------------------------------------------------------- MEDLINE


class _Medline:
    """A record that is being read, with its title and abstract."""

    def __init__(self, offset: int, line: int, pmid: str) -> None:
        self.offset = offset
        self.line = line
        self.pmid = pmid
        self.fields: dict[str, list[str]] = {}
        self.open = ""
        self.lines = 0

    def add(self, field: re.Match[str] | None, text: str) -> None:
        """Add one more line to the record. Lines beyond `RECORD_LINES` are left out."""
        self.lines += 1
        if self.lines > RECORD_LINES:
            return
        if text.startswith("      ") and self.open:
            self.fields[self.open][-1] += f" {text.strip()}"
        elif field is not None:
            self.open = field[1]
            self.fields.setdefault(self.open, []).append(field[2].strip())
        else:
            self.open = ""
            self.fields.setdefault("", [])

    def record(self) -> Found:
        """Return the record, or the issue that says why it can't be used."""
        if not PMID.fullmatch(self.pmid):
            message = f"The record at line {self.line} has no PMID that is a number. It is passed over."
            return Issue(where=self.line, code="missing-docno", message=message, excerpt=excerpt_of(self.pmid))
        title, abstract = (" ".join(self.fields.get(name, ())) for name in ("TI", "AB"))
        source = " ".join(" ".join(self.fields.get(name, ())) for name in ("TA", "DP")).strip()
        if not title and not abstract:
            message = f"The record {self.pmid} at line {self.line} has neither title nor abstract. It is passed over."
            return Issue(where=self.line, code="empty-field", message=message)
        return abstract_record(
            pmid=self.pmid,
            title=title,
            sections=split_labels(abstract),
            source=source,
            further={name: "; ".join(texts) for name, texts in self.fields.items() if name not in ("", "TI", "AB")},
            offset=self.offset,
            line=self.line,
        )
