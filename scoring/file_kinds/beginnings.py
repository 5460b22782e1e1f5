"""Recognises, from its first lines, a text that another program wrote in its own format.

A file that holds several records, or nothing that people wrote, is not a document, and is of the kind "other". A single
text in markup or an email may be a document, and is described as such if it is given as anything else.
"""

from __future__ import annotations

import re

from scoring.file_kinds.shapes import Contents, Shape

_RECORDS = "If its records are documents, write them as JSON lines: {“id”: …, “text”: …}."
_AS_JSON = "Write what it holds as JSON lines, an object a line."
_NO_TIMES = "Write what is said without the times."
_COLUMNS = "Write its columns between tabs, without lines that are drawn."

_NO_PROSE = r"(?!(?:[^\n]*\n)*?[^\s#.%\-\]}][^:\n]*\n)"
"""Requires a colon in every line that is not indented, which lines of continuous text don't have."""
_NO_PROSE_OF_SETTINGS = r"(?!(?:[^\n]*\n)*?[^\s#;\[\]}\"'][^=\n]*\n)"

_BEGINNINGS: tuple[tuple[str, str, str], ...] = (
    (r"From \S+ +(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? [A-Z\d][^\n]{0,60}\d\d:\d\d[^\n]{0,40}\d{4}[^\n]{0,9}\n[>\w-]+:",
     "a mailbox (mbox)", _RECORDS),
    (r"TY {1,2}- [A-Z]{2,9}[ \t]*\r?\n[A-Z][A-Z0-9] {1,2}- ", "references (RIS)", _RECORDS),
    (r"(?:%[^\n]*\n|\s)*@[A-Za-z]{3,20}\s*[{(]\s*+(?:[^\s{},=]*+\s*+,\s*+)?[\w-]+\s*+=",
     "references (BibTeX)", _RECORDS),
    (r"%0 [A-Z][A-Za-z ]{2,40}\r?\n%[A-Z0-9@!] ", "references (EndNote)", _RECORDS),
    (r"FN [^\n]*\nVR [\d.]+\r?\n", "references (Web of Science)", _RECORDS),
    (r"[0-9]{5}[a-z]{3}[a-z #][^\n]{0,14}4500[0-9]{12}", "records of a library (MARC)", _RECORDS),
    (r"\d{1,5}[ \t]*\r?\n\d\d:\d\d:\d\d[,.]\d{3} --> \d\d:\d\d:\d\d[,.]\d{3}(?:[ \t]+[XY][12]:\d+)*[ \t]*\r?\n",
     "subtitles (SRT)", _NO_TIMES),
    (r"WEBVTT(?:[ \t][^\n]*)?\r?\n(?:[^\n]*\n){1,20}?[\d:]+\.\d{3} --> ", "subtitles (WebVTT)", _NO_TIMES),
    (r"\[Script Info\][ \t]*\r?\n(?:;[^\n]*\n|\s)*+\w[\w ]*+:", "subtitles (SSA)", _NO_TIMES),
    (r"(?:\[[a-z]+:[^\n\]]*\]\s*)*(?:\[\d\d:\d\d\.\d\d\d?\][^\n]*(?:\n|\Z)){2}", "words of a song (LRC)", _NO_TIMES),
    (r"BEGIN:V(?:CARD|CALENDAR)[ \t]*\r?\n[A-Z][\w.;=-]*:", "cards or a calendar (vCard, iCalendar)", _RECORDS),
    (rf"%YAML |{_NO_PROSE}(?:---[ \t]*\r?\n(?:- |[\w-]+:[ \r\n])(?!(?:.|\n)*?\n---[ \t]*\r?\n(?!- |[\w-]+:[ \r\n]))"
     r"|- [\w-]+:(?:[ \t][^\n]*)?\r?\n  [\w-]+:|[\w-]+:[ \t]*\r?\n {1,8}- [\w-]+:[ \t]+\S)", "YAML", _AS_JSON),
    (r"\d?\d:\d\d:\d\d\.\d{3},\d?\d:\d\d:\d\d\.\d{3}\r?\n", "subtitles (SBV)", _NO_TIMES),
    (rf"{_NO_PROSE_OF_SETTINGS}\[\[?[\w.\"-]+\]\]?[ \t]*\r?\n(?:[;#][^\n]*\n|\s)*[\w.\"-]+[ \t]*=",
     "settings (TOML or INI)", _AS_JSON),
    (rf"{_NO_PROSE_OF_SETTINGS}[\w.-]+[ \t]*=[ \t]*[\"'\[{{][^\n]*\n[\w.-]+[ \t]*=[ \t]*[\"'\[{{\dtf]",
     "settings (TOML)", _AS_JSON),
    (rf"{_NO_PROSE_OF_SETTINGS}(?:(?:export )?[A-Z][A-Z_]++[A-Z0-9_]*+=[^\s=][^\n]*(?:\n|\Z)){{2}}",
     "settings of a program", ""),
    (r"sep=[,;|\t]\r?\n", "a table with a line that says what separates its columns", "Take out its first line."),
    (r"(?:#[^\n]*\n)*1\t[^\t\n]+\t[^\t\n]+\t[A-Z_]+\t(?:[^\t\n]+\t){4}", "words with their grammar (CoNLL)", _AS_JSON),
    (r"\([dl]p\d+\n", "a pickle of Python", "Write what it holds as JSON."),
    (r"(?:--[^\n]*\n|/\*[^\n]*\n|\s)*(?:CREATE (?:\w+ )?TABLE\s[^\n(;]*+\n?[ \t]*+\([^;]*;[ \t]*(?:[\r\n]|\Z)"
     r"|INSERT INTO [\w.\"`\[\]]+\s*(?:\([^()]*\)\s*)?(?:VALUES|SELECT)\b"
     r"|(?:DROP TABLE [\w.\"`\[\] ]+|PRAGMA \w[^\n;]*|SET [\w.@]+ *(?:=|TO\b)[^\n;]*);[ \t]*\r?(?:\n|\Z))",
     "a dump of a database (SQL)", "Write its rows as columns between tabs."),
    (r"diff --git a/|--- \S[^\n]*\n\+\+\+ \S[^\n]*\n@@ ", "differences between files (diff)",
     "Give the file that they were made for."),
    (r"(?:var|let|const)\s+\w+\s*=\s*[\[{](?!(?:[^\n]*\n)+?[A-Za-z/])|[A-Za-z_$][\w.$]{0,40}\(\s*[\[{]\s*[\[{\"]",
     "JavaScript", "Take out all but the JSON in it."),
    (r"\{\s*'[^'\n]*'\s*:|\[\s*\(\s*(?:'[^'\n]*'|[-\d.]+)\s*,|\[\s*\{\s*'",
     "what Python prints of a value, and no JSON", "Write it with json.dump(value, file)."),
    (r"-----BEGIN (?!PGP SIGNED)[A-Z ]+-----", "a key or what was encrypted (PGP, PEM)", "Decrypt it first."),
    (r"begin \d{3,4} \S+\r?\n", "an attachment of mail (uuencode)", "Decode it first."),
    (r"(?:[0-9a-f]{32,128} [ *][^\s\d]\S*+\s*+)++\Z", "a list of checksums", "Give the files themselves."),
    (r"HTTP/\d(?:\.\d)? \d{3}\b[^\n]*\n[\w-]+:", "an answer of a server with its header",
     "Save what stands below the header alone."),
    (r"@prefix\s+[\w.-]*:\s|@base\s+<|<[^<>\s]+> <[^<>\s]+> [<\"_]", "RDF", _AS_JSON),
    (r"(?:%[^\n]*\n|\s)*@relation\s[^\n]*\n(?:%[^\n]*\n|\s)*@attribute\s", "a table of Weka (ARFF)", _COLUMNS),
    (r"\S+ qid:\S+(?: \d+:[-+\d.eE]+)+[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)", "features to learn a ranking from (LETOR)", ""),
)  # fmt: skip
"""A pattern for the beginning of a text in an unmistakable format, what the text is, and what to do with it."""
_ONE_TEXT: tuple[tuple[str, str], ...] = (
    (rf"{_NO_PROSE}[\w-]+:[ \t]*\r?\n {{1,8}}[\w-]+:[ \t]+\S", "YAML"),
    (r"#! ?/", "a script"),
    (r"Traceback \(most recent call last\):\s*\n", "an error of a program"),
)
"""Patterns for what may also be a single text, since a list, a play or a recipe looks like YAML."""
_KNOWN = re.compile("|".join(f"(?P<_{place}>{pattern})" for place, (pattern, _, _) in enumerate(_BEGINNINGS)))

_RULE = re.compile(r"\|?(?:\s*:?-{3,}:?\s*\|)+(?:\s*:?-{3,}:?\s*)?")
_DRAWN = re.compile(r"(?=.*[-=]{3})(?=.*[+|])[ |+:=-]+")
_DRAWN_ROW = re.compile(r"[|+]|\(\d+ rows?\)$")
_CONFLICT = re.compile(r"^<{7} ", re.MULTILINE)
_HEADER = re.compile(r"(?:[A-Z][\w-]{0,40}:[^\n]*\n(?:[ \t]+\S[^\n]*\n)*+){2,}+\r?(?:\n|\Z)")
_TIMES = re.compile(
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |\S+ \S+ \S+ \[\d\d/[A-Z][a-z]{2}/\d{4}:"
)
_LOOKED_AT = 1 << 14  # characters


def text_of_a_program(shape: Shape) -> Contents | None:
    """Return a description of a file of lines that another program wrote: which program's text it is, and what to do
    with it. Return None for all other files.
    """
    text = shape.text.removeprefix("\ufeff").lstrip("\r\n\ufeff")[:_LOOKED_AT]
    if (found := _KNOWN.match(text)) is not None:
        _, what, way_on = _BEGINNINGS[int(str(found.lastgroup)[1:])]
        return Contents(what=what, kinds=("other",), way_on=way_on)
    if (begun := _CONFLICT.search(text)) is not None and "\n>>>>>>> " in text[begun.end() :].partition("\n=======")[2]:
        return Contents(what="a file that Git could not merge", kinds=("other",), way_on="Resolve its conflicts.")
    lines = [line.strip() for line in text.split("\n", 40)[:40] if line.strip()]
    if len(lines) > 1 and _RULE.fullmatch(lines[1]) and all("|" in line for line in lines):
        way_on = "Write its columns between tabs, without the line below the header."
        return Contents(what="a table in Markdown", kinds=("other",), way_on=way_on)
    rows = sum(_DRAWN_ROW.search(line) is not None for line in lines)
    if any(map(_DRAWN.fullmatch, lines[:2])) and rows > 0.75 * len(lines):
        return Contents(what="a table that is drawn in a text", kinds=("other",), way_on=_COLUMNS)
    if len(lines) > 1 and all(" & " in line and line.endswith("\\\\") for line in lines):
        return Contents(what="a table in LaTeX", kinds=("other",), way_on=_COLUMNS)
    return _message_or_markup(text, lines)


def _message_or_markup(text: str, lines: list[str]) -> Contents | None:
    """Return the description of a text that may be one document, such as an email or a page of markup. Return None for
    any other text.
    """
    if (header := _HEADER.match(text)) is not None:
        names = {line.partition(":")[0].lower() for line in header[0].split("\n")}
        if "snapshot-content-location" in names or "multipart/related" in header[0]:
            way_on = "Save the page alone, as HTML."
            return Contents(what="a page with all that it shows (MHTML)", kinds=("other",), way_on=way_on)
        if "from" in names and names & {"subject", "message-id", "received", "mime-version"}:
            return one_document("a message of mail")
    if what := next((what for pattern, what in _ONE_TEXT if re.match(pattern, text)), ""):
        return one_document(what)
    if text.startswith(("\\documentclass", "\\begin{", "\\usepackage")):
        return one_document("LaTeX")
    if any(line.startswith("|") and _RULE.fullmatch(line) for line in lines):
        return one_document("Markdown with a table")
    if len(lines) > 1 and sum(_TIMES.match(line) is not None for line in lines) > len(lines) * 0.8:
        return one_document("a log, each line with its time")
    return None


def one_document(what: str) -> Contents:
    """Return the description of a text in another program's format that may be one document."""
    return Contents(what=what, kinds=("documents",), way_on="It can be loaded under “Documents”, as one text.")
