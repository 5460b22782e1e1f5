"""Refuses a file of another kind with one issue, which says what the file is and where it belongs."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import wraps
from typing import Any, BinaryIO

from scoring.file_kinds.contents import fraction_of
from scoring.file_kinds.recognising import FileKind, recognise
from scoring.file_kinds.shapes import COMMENTED, JSON_FORMS, TAGGED_FORMS, Form, Kind, Shape
from scoring.file_kinds.taking import ColumnLayout, HeaderLayout, LineLayout, TableLayout, Takes
from scoring.reading.line_pieces import remaining
from scoring.reading.opening import COMPRESSED, OTHER_FILE, wide_file
from scoring.reading.unpacking import Damaged, damage_issue, read_up_to
from scoring.records import Issue

JSON = JSON_FORMS
TAGGED = TAGGED_FORMS
COLUMNS: frozenset[Form] = frozenset({"columns", "text"})

_BELONGS: dict[Kind, tuple[str, str]] = {
    "run": ("a ranked run", "Submit it under “Runs”; commands take it as --run."),
    "answers": ("a run of answers", "Submit it under “Runs”; commands take it as --run."),
    "citations": ("citations found for given answers", "Check it by `python -m scoring check`."),
    "questions": ("a run of questions", "Submit it under “Runs”; commands take it as --run."),
    "qrels": (
        "qrels",
        "Qrels go into the folder of `manage.py load_campaign`; commands take them as --qrels or --gold.",
    ),
    "topics": ("topics", "Load it under “Topics”; commands take it as --topics."),
    "claims": ("claims", "Load it under “Topics”; commands take it as --topics."),
    "documents": ("documents", "Load it under “Documents”."),
    "candidates": ("ranked candidates", "Load its texts under “Documents”; commands take it as --run."),
    "docnos": ("a list of docnos", "Load it under “Documents” as valid docnos; commands take it as --docnos."),
    "document-list": ("ranked documents", "Load it under “Documents” as top documents."),
    "nuggets": (
        "nuggets",
        "Nuggets go into the folder of `manage.py load_campaign`; commands take them as --nuggets or --gold.",
    ),
    "votes": ("votes", "Commands take them as --votes or --gold."),
    "matches": ("matches", "Commands take them as --matches or --gold."),
    "judgments": ("recorded judgments", "They are replayed by `manage.py import_judgments`."),
    "assessments": (
        "assessments",
        "Put them into the folder of `manage.py load_campaign`; commands take them as --gold.",
    ),
    "grades": ("grades", "Commands take them as --gold."),
    "values": ("values", "They go to `python -m scoring agree`."),
    "scores": ("scores", "They go to `python -m scoring correlate`."),
    "forms": ("forms of runs", "They belong beside the runs, in the folder runs/ of `manage.py load_campaign`."),
    "requests": ("requests", "Load it under “Topics”; commands take it as --topics."),
    "people": ("people to invite", "Load it under “People”, or by `manage.py invite`."),
    "gold answers": ("gold answers", "Load it under “Control items”."),
    "comparison": (
        "a comparison of runs",
        "Give the runs themselves, each in a file of its own; what it has of the first is written by "
        "`python -m scoring convert --from diffir-1 --to trec-run FILE`, of the second by --from diffir-2.",
    ),
    "other": ("another file", ""),
    "design": ("a design file", "Give it to `python -m tracks design check`."),
}
"""The name of each kind, and where it belongs on the site and in the commands."""

_CONVERTED = {
    "trec-run": (
        "run-json",
        "run-mapping",
        "run-table",
        "run-five",
        "msmarco-run",
        "candidates",
        "dpr",
        "diffir-1",
        "diffir-2",
    ),
    "qrels": ("qrels-json", "beir-qrels", "qrels-three", "umbrela"),
}
"""Format -> the formats that `convert` converts into it."""


def belongs(found: FileKind) -> str:
    """Return the sentence that says where a file belongs. Return "" if the file's kind is not known."""
    return found.way_on or (_BELONGS[found.kinds[0]][1] if found.kinds else "")


def of_another_kind(
    found: FileKind,
    kinds: Collection[Kind],
    *,
    forms: Collection[Form] = (),
    takes: Sequence[Takes] = (),
    layout: str = "",
    formats: Sequence[str] = (),
) -> Issue | None:
    """Return the issue that a file is of another kind. Return None if it is of the right kind, or if its reader should
    say what is wrong.

    ``kinds`` are the kinds that are read (empty: any). ``takes`` are layouts of columns: a file that fits one of them
    is read whatever else it may be, and its reader reports the faults of single lines. ``forms`` are the forms that are
    read (empty: any). ``formats`` are the names of the formats that are read, the first of which is the one to convert
    other formats to. ``layout`` describes the layout in words.
    """
    if found.form == "damaged":
        return damage_issue(Damaged(found.shape.name))
    is_one_line = len(found.shape.rows) + len(found.shape.header) < 2
    is_one_line = (
        is_one_line
        and found.form in COLUMNS
        and not found.shape.is_table
        and (not found.kinds or not forms or found.form in forms)
    )
    if kinds and found.kinds == ("other",):
        return of_no_kind(found, _listed([_BELONGS[kind][0] for kind in kinds]))
    if found.form == "empty" or is_one_line or any(each.fits(found.shape) for each in takes):
        return None
    wanted = _listed([_BELONGS[kind][0] for kind in kinds])
    layout = layout or " or ".join(dict.fromkeys(each.written for each in takes))
    by_blanks = [each for each in takes if isinstance(each, ColumnLayout) and not each.separator]
    between = ", between white space" if found.shape.is_table and by_blanks else ""
    needed = f" It is read here as {layout}{between}." if layout else ""
    if found.form == "packed":
        message = f"This is {found.form_name}, not {wanted}. Unpack it first, and give what is in it."
        return Issue(where=1, code=COMPRESSED, message=message)
    if found.shape.name == COMMENTED:
        return _issue(f"This is {COMMENTED}, which JSON can't have. Take them out, and load the file again.")
    if found.form in ("binary", "image") and found.form not in forms:
        return _issue(f"This is {found.form_name}, not {wanted}.{needed}")
    if kinds and found.kinds and set(found.kinds).isdisjoint(kinds):
        way_on = belongs(found) if len(found.kinds) <= 3 else ""
        if "qrels" in kinds and (odd := fraction_of(found.shape)) is not None:
            way_on = f"If it has grades, write them as whole numbers: there is {odd} among them. {way_on}"
        return _issue(f"This is a file of another kind: {found.what}, not {wanted}. {way_on}".rstrip())
    if formats and found.formats and set(found.formats).isdisjoint(formats):
        others = [each for each in found.formats if each in _CONVERTED.get(formats[0], ())]
        if others:
            command = f"`python -m scoring convert --from {others[0]} --to {formats[0]} FILE`"
            way_on = f"{command} does so, or says what is wrong in it."
            return _issue(f"This is {found.what}. Write it as {layout or formats[0]}: {way_on}")
        return _issue(f"This is {found.what}, in another form than {wanted} have here.{needed}")
    what = f": {found.what}" if found.what else ""
    if forms and found.form not in forms and found.form != "broken json":
        return _issue(f"This is {found.form_name}{what}, a form in which {wanted} can't be read here.{needed}")
    if takes and found.form in COLUMNS and not any(each.may_fit(found.shape) for each in takes):
        return _issue(f"This is {found.form_name}{what}. No line has the columns of {wanted}.{needed}")
    return None


def of_no_kind(found: FileKind, wanted: str) -> Issue:
    """Return the issue of a file that no page or command reads. It says what the file is, and what to do with it."""
    return _issue(f"This is {found.what}, not {wanted}. {found.way_on}".rstrip())


def reads(
    *kinds: Kind,
    forms: Collection[Form] = (),
    takes: Takes | Sequence[Takes] = (),
    layout: str = "",
    formats: Sequence[str] = (),
) -> Callable[[Callable[..., Iterator[Any]]], Callable[..., Iterator[Any]]]:
    """Return a decorator for a reader or checker of these kinds. If the file is of another kind, the decorated function
    yields only one issue and reads nothing.

    A reader of lines declares the columns that it ``takes``. It then reads every file that fits them. See
    `of_another_kind`.
    """
    taken = (takes,) if isinstance(takes, ColumnLayout | TableLayout | HeaderLayout | LineLayout) else tuple(takes)
    taken_forms = forms or (COLUMNS if taken else ())
    is_kept = not AS_WRITTEN.isdisjoint(kinds)

    def made(read: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        @wraps(read)
        def reading(file: BinaryIO, *args: Any, **options: Any) -> Iterator[Any]:
            if "after" in options:  # the rest of a file that was checked before, or all of it if no line was read
                return read(file, *args, **options)
            found = recognise(file)
            issue = of_another_kind(found, kinds, forms=taken_forms, takes=taken, layout=layout, formats=formats)
            if issue is not None:
                return iter((issue,))
            if is_kept and found.shape.is_wide:
                return iter((wide_file(found.shape.encoding),))
            if not is_kept and (found.shape.is_wide or found.shape.detected):
                return _read_by_codec(read, file, found.shape, *args, **options)
            return read(file, *args, **options)

        reading.kinds = kinds  # type: ignore[attr-defined]
        reading.takes = taken  # type: ignore[attr-defined]
        return reading

    return made


AS_WRITTEN: frozenset[Kind] = frozenset({"run", "answers", "citations", "questions"})
"""Kinds of files that are stored and given out unchanged, and so must be in UTF-8."""
_DECLARED = re.compile(r"""\A(<\?xml[^<>]{0,200}?\bencoding\s{0,9}=\s{0,9}["'])[\w.-]{1,40}""")
WIDE_LIMIT = 64 * 1024 * 1024
"""The most bytes of a file in another encoding than UTF-8, which is held in memory."""


def _read_by_codec(
    read: Callable[..., Iterator[Any]], file: BinaryIO, shape: Shape, *args: Any, **options: Any
) -> Iterator[Any]:
    """Yield the records of a file in an encoding other than UTF-8, and an issue that names the encoding.

    If a file can't be decoded or is larger than `WIDE_LIMIT`, only an issue is yielded for UTF-16 and UTF-32; in
    another detected encoding it is read as it is.
    """
    raw, damage = read_up_to(file, WIDE_LIMIT + 1)
    decoder = codecs.getincrementaldecoder(shape.codec)()
    try:
        text = decoder.decode(raw, final=damage is None) if len(raw) <= WIDE_LIMIT else None
    except UnicodeDecodeError:
        text = None
    if text is None and shape.is_wide:
        yield wide_file(shape.encoding)
    elif text is None:
        yield from read(remaining(raw, file, damage), *args, **options)
    else:
        text = _DECLARED.sub(r"\1UTF-8", text.removeprefix("\ufeff"), count=1)  # the reader gets the decoded text
        left = remaining(text.encode("utf-8", "replace"), file, damage)
        yield from read(left, *args, **options)
        yield _read_as(shape)


def _read_as(shape: Shape) -> Issue:
    if shape.detected is None:
        message = f"The file is written in {shape.encoding} and was read so. It is given out in UTF-8."
        return Issue(where="", code="encoding", message=message, severity="note")
    message = (
        f"The file is not UTF-8 and was read as {shape.detected}, by which letters it has. Look at them; if any is "
        "wrong, save the file as UTF-8 and load it again."
    )
    return Issue(where="", code="not-utf8", message=message, severity="warning")


def _issue(message: str) -> Issue:
    return Issue(where="", code=OTHER_FILE, message=message)


def _listed(names: list[str]) -> str:
    found = list(dict.fromkeys(names))
    return " or ".join(filter(None, (", ".join(found[:-1]), found[-1]))) if found else "what is read here"


class NotText(ValueError):
    """Raised for a file that is no text in UTF-8. The message goes on from the file's name."""


def text_of(content: bytes) -> str:
    r"""Return the text of a small file in UTF-8, without a byte order mark. Raises NotText, which says what the file
    is, or in which line it is wrong, and what to do.

    >>> text_of(b"\xef\xbb\xbfone"), text_of(b"")
    ('one', '')
    """
    kind = recognise(io.BytesIO(content))
    if kind.shape.is_wide:
        raise NotText(f"is {kind.shape.encoding}, not UTF-8. Save it as UTF-8.")
    if kind.form == "packed":
        raise NotText(f"is {kind.form_name}. Unpack it first.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if kind.form in ("binary", "image"):
            raise NotText(f"is {kind.form_name}, and no text.") from error
        line, byte = content[: error.start].count(b"\n") + 1, content[error.start]
        raise NotText(f"is no text in UTF-8: line {line} has the byte 0x{byte:02X}. Save it as UTF-8.") from error
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise NotText(f"has a NUL in line {line}. Take it out; the file may be damaged.")
    if kind.form in ("binary", "image"):
        raise NotText(f"is {kind.form_name}, and no text.")
    return text
