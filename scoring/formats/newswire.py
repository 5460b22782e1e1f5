r"""Turns a newswire record in SGML into the text that its readers saw, and the fields given outside of the text.

Comments and processing instructions are not part of the text; CDATA sections are. Entities are those of HTML and those
that the DTDs of TREC disks 1-5 and of AQUAINT declare: `&blank;` is a blank, `&hyph;` a hyphen, and `&QL;` says how a
line is set.

Source: the DTDs and READMEs of TREC disks 1-5 and of AQUAINT (LDC2002T31).
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from datetime import date

from scoring.formats.document_facts import DATE_NAMES, SOURCE_NAMES, TITLE_NAMES, date_of, title_of

TEXT_TAGS = frozenset(
    {"TEXT", "TX", "LEADPARA", "LEAD", "LP", "LD", "ABS", "SUMMARY", "GRAPHIC", "CAPTION", "CORRECTION"}
)
"""Tags of the text that is read. A record with none of these is read whole, except for the tags in NAME_TAGS."""

HEAD_TAGS = frozenset({"HEADLINE", "HEAD", "HL", "TI", "TTL", "TITLE", "H3", "BYLINE", "DATELINE"})
"""Tags of what is shown before the text, each on its own line."""

NAME_TAGS = frozenset({"DOCNO", "DOCID", "FILEID", "DOCTYPE", "PROFILE", "TRAILER"})

INLINE_TAGS = frozenset(
    {"A", "B", "EM", "F", "FONT", "I", "SPAN", "STRONG", "SUB", "SUP", "U", "T1", "T2", "T3", "T4", "T5"}
)
"""Tags within a paragraph: T1 to T5 are the typefaces of the Federal Register, F the marked lines of FBIS."""

SIGNS = {
    "blank": " ",
    "hyph": "-",
    "O": "\n",
    "HT": "\t",
    **dict.fromkeys(("QL", "QC", "QR"), " "),
    **dict.fromkeys(("M", "P", "UR", "LR", "MD"), ""),
}
"""Characters that only these collections name. The capital names of AQUAINT and Ziff-Davis say how a line is set."""

_FIELD_NAMES = NAME_TAGS | HEAD_TAGS | {name.upper() for name in (*TITLE_NAMES, *DATE_NAMES, *SOURCE_NAMES)}
_HEAD_LIMIT = 1 << 16
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_INSTRUCTION = re.compile(r"<[?][^<>]*>|<![A-Za-z][^<>]*>")
_SIGN = re.compile(rf"&({'|'.join(SIGNS)}|Cx[0-9a-fA-F]{{1,4}});")
_TAG = re.compile(r"<(/?)([A-Za-z][\w.-]*)(?:\s[^<>]*?)?(/?)>")
_BLANKS = re.compile(r"[ \t]*\n[ \t]*(?:\n\s*)+")
_TEXT_BEGINS = re.compile(r"<TEXT(?:\s[^<>]*)?>", re.IGNORECASE)
_TEXT_ENDS = re.compile(r"</TEXT\s*>", re.IGNORECASE)
_TITLE_WITHIN = re.compile(r"<(DOCTITLE|TTL|TI|TITLE|HEADLINE|H3)>(.{1,2000}?)</\1>", re.IGNORECASE | re.DOTALL)


def newswire_text(content: str) -> str:
    r"""Return the text of the record as people read it: headline, byline and dateline, then the body.

    Tags are removed and character entities resolved. A paragraph tag or an empty line becomes a blank line; the lines
    of a paragraph stay as they are. Records without any text tag are read whole.

    >>> newswire_text("<DOCNO> A1 </DOCNO><HEADLINE> Wine &AMP; cheese </HEADLINE><TEXT><P>One.</P><P>Two.</P></TEXT>")
    'Wine & cheese\n\nOne.\n\nTwo.'
    """
    bare = _without_comments(content)
    names = {match[2].upper() for match in _TAG.finditer(bare)}
    wanted = (TEXT_TAGS | HEAD_TAGS) if names & TEXT_TAGS else None
    parts: list[str] = []
    for open_tags, text in _pieces(bare):
        seen = NAME_TAGS.isdisjoint(open_tags) if wanted is None else not wanted.isdisjoint(open_tags)
        if seen or text is _BREAK:
            parts.append(text)
    return _BLANKS.sub("\n\n", _resolved("".join(parts))).strip()


def newswire_fields(content: str, *, docno: str = "") -> dict[str, str]:
    """Return tag -> content for the fields outside of the text. Content that is not in a tag of its own belongs to the
    tag around it.

    If no tag gives a date, the date in the record's name becomes DATE. This is done only for names that are known to
    contain a date.

    >>> newswire_fields("<HL> Two </HL><DATE><P>January 1</P></DATE><TEXT>One.</TEXT><PUB>The Times</PUB>")
    {'HL': 'Two', 'DATE': 'January 1', 'PUB': 'The Times'}
    """
    begins = _TEXT_BEGINS.search(content)
    outside = content[: begins.start()] + content[_end_of_text(content) :] if begins else content
    is_whole = begins is None and not any(match[2].upper() in TEXT_TAGS for match in _TAG.finditer(content))
    found: dict[str, list[str]] = {}
    for open_tags, text in _pieces(_without_comments(outside)):
        name = next((each for each in reversed(open_tags) if each != "P" and each not in INLINE_TAGS), "")
        if not name or name == "DOCNO" or text is _BREAK or TEXT_TAGS.intersection(open_tags):
            continue
        if text.strip() and (not is_whole or name in _FIELD_NAMES):
            found.setdefault(name, []).append(text)
    fields = {name: " ".join(_resolved(" ".join(texts)).replace("\0", " ").split()) for name, texts in found.items()}
    if not title_of(fields) and (match := _TITLE_WITHIN.search(content[:_HEAD_LIMIT])):
        fields[match[1].upper()] = " ".join(_resolved(_TAG.sub(" ", _without_comments(match[2]))).split())
    if not date_of(fields) and (day := _date_of_name((*(fields.get(name, "") for name in ("FILEID", "DOCID")), docno))):
        fields["DATE"] = day
    return {name: text for name, text in fields.items() if text}


def _end_of_text(content: str) -> int:
    """Return the place where the last text element ends. If there is none, return the end of the record."""
    last = content.rfind("</TEXT>")  # nearly all records have this tag
    if last >= 0:
        return last + len("</TEXT>")
    return max((match.end() for match in _TEXT_ENDS.finditer(content)), default=len(content))


_BREAK = "\n\n"


def _pieces(content: str) -> Iterator[tuple[list[str], str]]:
    """Yield (open tags, text) for each text between tags, and a break for each tag that is not inline."""
    open_tags: list[str] = []
    position = 0
    for match in _TAG.finditer(content):
        yield open_tags, content[position : match.start()]
        position = match.end()
        name = match[2].upper()
        if not match[1]:
            if not match[3]:
                open_tags.append(name)
        elif name in open_tags:
            while open_tags.pop() != name:
                pass
        if name not in INLINE_TAGS:
            yield open_tags, _BREAK
    yield open_tags, content[position:]


def _without_comments(content: str) -> str:
    """Return the record without comments, declarations and processing instructions, and with CDATA sections as plain
    text.

    A comment, declaration, instruction or section that is not closed is left unchanged.
    """
    if "<!" not in content and "<?" not in content:
        return content
    for pattern, closing in ((_CDATA, "]]>"), (_COMMENT, "-->")):
        end = content.rfind(closing) + len(closing)
        if end >= len(closing):
            content = pattern.sub(_as_text, content[:end]) + content[end:]
    return _INSTRUCTION.sub("", content)


def _as_text(match: re.Match[str]) -> str:
    return html.escape(match[1], quote=False) if match.re.groups else ""


def _resolved(text: str) -> str:
    text = _SIGN.sub(lambda match: SIGNS.get(match[1], ""), text)
    return html.unescape(text).replace("\r\n", "\n").replace("\r", "\n")


# Newspapers whose record names hold the day: AP-NR-02-12-88 2344EST, fr.1-07-88.f2.A1000, AP880212-0001, LA010189-0001,
# APW19980601.0003, NYT_ENG_20041001.0001. Years of two digits are those of the disks: 1987 to 1995.

_DAYS = (
    re.compile(r"\bAP-NR-(?P<m>\d\d)-(?P<d>\d\d)-(?P<y>\d\d)\b"),
    re.compile(r"\bfr\.(?P<m>\d{1,2})-(?P<d>\d\d)-(?P<y>\d\d)\b"),
    re.compile(r"\A(?:AP|WSJ|FR|GH)(?P<y>\d\d)(?P<m>\d\d)(?P<d>\d\d)-"),
    re.compile(r"\ALA(?P<m>\d\d)(?P<d>\d\d)(?P<y>\d\d)-"),
    re.compile(r"\A[A-Z]{3}(?:_[A-Z]{3}_)?(?P<y>(?:19|20)\d\d)(?P<m>\d\d)(?P<d>\d\d)\."),
)


def _date_of_name(names: tuple[str, ...]) -> str:
    """Return the day in the first name that contains a valid day, or "" if none does."""
    for name in names:
        for pattern in _DAYS:
            if match := pattern.search(name):
                year = int(match["y"]) if len(match["y"]) == 4 else 1900 + int(match["y"])
                try:
                    return date(year, int(match["m"]), int(match["d"])).isoformat()
                except ValueError:
                    continue
    return ""
