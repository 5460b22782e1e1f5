"""What a text is that another program wrote in a form of its own, by its first lines.

A file that holds several records, or nothing that people wrote, is no document, and of the kind "other". What is one
text in markup or a message of mail may be a document, and is named so where it is given as anything else.
"""

from __future__ import annotations

import re

from scoring.file_kinds.shapes import Contents, Shape

_RECORDS = "If its records are documents, write them as JSON lines: {“id”: …, “text”: …}."
_AS_JSON = "Write what it holds as JSON lines, an object a line."
_COLUMNS = "Write its columns between tabs, without lines that are drawn."

_NO_PROSE = r"(?!(?:[^\n]*\n)*?[^\s#.%\-\]}][^:\n]*\n)"
"""Every line that is not indented has a colon: lines of a text that goes on have none."""
_NO_PROSE_OF_SETTINGS = r"(?!(?:[^\n]*\n)*?[^\s#;\[\]}\"'][^=\n]*\n)"

_BEGINNINGS: tuple[tuple[str, str, str], ...] = (
    (r"From \S+ +(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b[^\n]{0,60}\d\d:\d\d[^\n]{0,40}\n[>\w-]+:",
     "a mailbox (mbox)", _RECORDS),
    (r"TY {1,2}- [A-Z]", "references (RIS)", _RECORDS),
    (r"(?:%[^\n]*\n|\s)*@[A-Za-z]{3,20}\s*[{(]\s*+[^\s{},=:]*+\s*[,=:]", "references (BibTeX)", _RECORDS),
    (r"%0 [A-Z][^\n]*\n%[A-Z0-9] ", "references (EndNote)", _RECORDS),
    (r"FN [^\n]*\nVR ", "references (Web of Science)", _RECORDS),
    (r"[0-9]{5}[a-z]{3}[a-z #][^\n]{0,14}4500[0-9]{5}", "records of a library (MARC)", _RECORDS),
    (r"\d{1,5}[ \t]*\r?\n\d\d:\d\d:\d\d[,.]\d{3} --> ", "subtitles (SRT)", "Write what is said without the times."),
    (r"WEBVTT(?:[ \t\r\n]|\Z)", "subtitles (WebVTT)", "Write what is said without the times."),
    (r"\[Script Info\]", "subtitles (SSA)", "Write what is said without the times."),
    (r"\[\d\d:\d\d[.:]\d\d\]", "words of a song (LRC)", "Write what is said without the times."),
    (r"BEGIN:V(?:CARD|CALENDAR)\b", "cards or a calendar (vCard, iCalendar)", _RECORDS),
    (rf"%YAML |{_NO_PROSE}(?:---[ \t]*\r?\n(?:- |[\w-]+:[ \r\n])(?!(?:.|\n)*?\n---[ \t]*\r?\n(?!- |[\w-]+:[ \r\n]))"
     r"|- [\w-]+:(?:[ \t][^\n]*)?\r?\n  [\w-]+:|[\w-]+:[ \t]*\r?\n {1,8}(?:- )?[\w-]+:[ \t]+\S)", "YAML", _AS_JSON),
    (r"\d?\d:\d\d:\d\d\.\d{3},\d?\d:\d\d:\d\d\.\d{3}\r?\n", "subtitles (SBV)", "Write what is said without the times."),
    (rf"{_NO_PROSE_OF_SETTINGS}\[\[?[\w.\"-]+\]\]?[ \t]*\r?\n(?:[;#][^\n]*\n|\s)*[\w.\"-]+[ \t]*=",
     "settings (TOML or INI)", _AS_JSON),
    (r"[\w.-]+[ \t]*=[ \t]*[\"'\[{][^\n]*\n[\w.-]+[ \t]*=[ \t]*[\"'\[{\dtf]", "settings (TOML)", _AS_JSON),
    (r"(?:(?:export )?[A-Z][A-Z_]++[A-Z0-9_]*+=[^\s=][^\n]*(?:\n|\Z)){2}", "settings of a program", ""),
    (r"sep=[,;|\t]\r?\n", "a table with a line that says what separates its columns", "Take out its first line."),
    (r"(?:#[^\n]*\n)*1\t[^\t\n]+\t[^\t\n]+\t[A-Z_]+\t(?:[^\t\n]+\t){4}", "words with their grammar (CoNLL)", _AS_JSON),
    (r"\([dl]p\d+\n", "a pickle of Python", "Write what it holds as JSON."),
    (r"Traceback \(most recent call last\):", "an error of a program",
     "Run the program again, and give what it writes."),
    (r"(?:--[^\n]*\n|/\*[^\n]*\n|\s)*(?:(?:CREATE TABLE|INSERT INTO)\s[^\n(;]*+\n?[ \t]*+[(;]"
     r"|(?:DROP TABLE|PRAGMA|SET) [^\n]*;[ \t]*\r?(?:\n|\Z))",
     "a dump of a database (SQL)", "Write its rows as columns between tabs."),
    (r"diff --git |--- \S[^\n]*\n\+\+\+ \S", "differences between files (diff)",
     "Give the file that they were made for."),
    (r"#! ?/", "a script", "Run it, and give what it writes."),
    (r"(?:var|let|const)\s+\w+\s*=\s*[\[{]|[A-Za-z_$][\w.$]{0,40}\(\s*[\[{]\s*[\[{\"]", "JavaScript",
     "Take out all but the JSON in it."),
    (r"\{\s*'[^'\n]*'\s*:|\[\s*\(\s*['\d]|\[\s*\{\s*'", "what Python prints of a value, and no JSON",
     "Write it with json.dump(value, file)."),
    (r"-----BEGIN [A-Z ]+-----", "a key or what was encrypted (PGP, PEM)", "Decrypt it first."),
    (r"begin \d{3,4} \S+\r?\n", "an attachment of mail (uuencode)", "Decode it first."),
    (r"[0-9a-f]{32,128} [ *][^\s\d]\S*\r?(?:\n|\Z)", "a list of checksums", "Give the files themselves."),
    (r"HTTP/\d(?:\.\d)? \d{3}\b", "an answer of a server with its header", "Save what stands below the header alone."),
    (r"@prefix |@base |<[^<>\s]+> <[^<>\s]+> [<\"_]", "RDF", _AS_JSON),
    (r"(?:%[^\n]*\n|\s)*@relation\s", "a table of Weka (ARFF)", _COLUMNS),
    (r"\S+ qid:\S+ \d+:", "features to learn a ranking from (LETOR)", ""),
)  # fmt: skip
"""What a text begins with, what it is, and what to do with it."""
_KNOWN = re.compile("|".join(f"(?P<_{place}>{pattern})" for place, (pattern, _, _) in enumerate(_BEGINNINGS)))

_RULE = re.compile(r"\|?(?:\s*:?-{3,}:?\s*\|)+(?:\s*:?-{3,}:?\s*)?")
_DRAWN = re.compile(r"(?=.*[-=]{3})(?=.*[+|])[ |+:=-]+")
_CONFLICT = re.compile(r"^<{7} ", re.MULTILINE)
_HEADER = re.compile(r"(?:[A-Z][\w-]{0,40}:[^\n]*\n(?:[ \t]+\S[^\n]*\n)*+){2,}+\r?(?:\n|\Z)")
_TIMES = re.compile(
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |\S+ \S+ \S+ \[\d\d/[A-Z][a-z]{2}/\d{4}:"
)
_LOOKED_AT = 1 << 14  # characters


def text_of_a_program(shape: Shape) -> Contents | None:
    """What a file of lines is that another program wrote, and what to do with it; None for all others."""
    text = shape.text.removeprefix("\ufeff").lstrip("\r\n\ufeff")[:_LOOKED_AT]
    if (found := _KNOWN.match(text)) is not None:
        _, what, way_on = _BEGINNINGS[int(str(found.lastgroup)[1:])]
        return Contents(what=what, kinds=("other",), way_on=way_on)
    if (begun := _CONFLICT.search(text)) is not None and "\n>>>>>>> " in text[begun.end() :]:
        return Contents(what="a file that Git could not merge", kinds=("other",), way_on="Resolve its conflicts.")
    lines = [line.strip() for line in text.split("\n", 40)[:40] if line.strip()]
    if len(lines) > 1 and _RULE.fullmatch(lines[1]):
        way_on = "Write its columns between tabs, without the line below the header."
        return Contents(what="a table in Markdown", kinds=("other",), way_on=way_on)
    if any(map(_DRAWN.fullmatch, lines[:2])):
        return Contents(what="a table that is drawn in a text", kinds=("other",), way_on=_COLUMNS)
    if len(lines) > 1 and all(" & " in line and line.endswith("\\\\") for line in lines):
        return Contents(what="a table in LaTeX", kinds=("other",), way_on=_COLUMNS)
    return _message_or_markup(text, lines)


def _message_or_markup(text: str, lines: list[str]) -> Contents | None:
    """What a text is that may be one document."""
    if (header := _HEADER.match(text)) is not None:
        names = {line.partition(":")[0].lower() for line in header[0].split("\n")}
        if "snapshot-content-location" in names or "multipart/related" in header[0]:
            way_on = "Save the page alone, as HTML."
            return Contents(what="a page with all that it shows (MHTML)", kinds=("other",), way_on=way_on)
        if "from" in names and names & {"subject", "message-id", "received", "mime-version"}:
            return _document("a message of mail")
    if text.startswith(("\\documentclass", "\\begin{", "\\usepackage")):
        return _document("LaTeX")
    if any(line.startswith("|") and _RULE.fullmatch(line) for line in lines):
        return _document("Markdown with a table")
    if len(lines) > 1 and sum(_TIMES.match(line) is not None for line in lines) > len(lines) * 0.8:
        return _document("a log, each line with its time")
    return None


def _document(what: str) -> Contents:
    return Contents(what=what, kinds=("documents",), way_on="It can be loaded under “Documents”, as one text.")
