"""The page that is kept of a bibliographic record: its title, where it appeared, and its abstract by sections.

The record itself is markup or JSON that nobody reads, so what is stored as the document is this page, in UTF-8.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from scoring.records import DocumentRecord

MEDIA_TYPE = "text/html"
PMID = re.compile(r"[1-9][0-9]{0,8}")
_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

Section = tuple[str, str]  # label or "", text


def abstract_record(
    *, pmid: str, title: str, sections: Sequence[Section], source: str = "", offset: int = 0, line: int = 1
) -> DocumentRecord:
    """The record of one abstract; ``source`` is the line below the title: journal and year."""
    page = abstract_page(pmid=pmid, title=title, sections=sections, source=source)
    fields = {"title": _clean(title), "source": _clean(source)}
    return DocumentRecord(
        docno=pmid,
        media_type=MEDIA_TYPE,
        charset="utf-8",
        raw=page.encode("utf-8", "replace"),
        offset=offset,
        line=line,
        fields={name: value for name, value in fields.items() if value},
    )


def abstract_page(*, pmid: str, title: str, sections: Sequence[Section], source: str = "") -> str:
    """The page as HTML; every text is escaped, white space runs to one space.

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
    """A label in capitals as a heading in small letters: "BACKGROUND" as "Background"."""
    return label.capitalize() if label.isupper() else label


def _escaped(text: str) -> str:
    return html.escape(_clean(text))


def _clean(text: str) -> str:
    return " ".join(_UNSEEN.sub(" ", text).split())
