"""Refusing a file of another kind in one issue that says what it is and where it belongs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import wraps
from typing import Any, BinaryIO

from scoring.file_kinds.recognising import FileKind, recognise
from scoring.file_kinds.shapes import JSON_FORMS, TAGGED_FORMS, Form, Kind
from scoring.reading import COMPRESSED, OTHER_FILE
from scoring.records import Issue

JSON = JSON_FORMS
TAGGED = TAGGED_FORMS
COLUMNS: frozenset[Form] = frozenset({"columns", "text"})

_BELONGS: dict[Kind, tuple[str, str]] = {
    "run": ("a ranked run", "Submit it under “Runs”, or give it as --run."),
    "answers": ("a run of answers", "Submit it under “Runs”, or give it as --run."),
    "citations": ("citations found for given answers", "Check it by `python -m scoring check`."),
    "questions": ("a run of questions", "Submit it under “Runs”, or give it as --run."),
    "qrels": ("qrels", "Qrels go into the folder of `manage.py load_campaign`, or after --qrels or --gold."),
    "topics": ("topics", "Load it under “Topics”, or give it as --topics."),
    "claims": ("claims", "Load it under “Topics”, or give it as --topics."),
    "documents": ("documents", "Load it under “Documents”."),
    "candidates": ("ranked candidates", "Load its texts under “Documents”, or give it as --run."),
    "docnos": ("a list of docnos", "Load it under “Documents” as valid docnos, or give it as --docnos."),
    "document-list": ("ranked documents", "Load it under “Documents” as top documents."),
    "nuggets": ("nuggets", "Nuggets go into the folder of `manage.py load_campaign`, or after --nuggets or --gold."),
    "votes": ("votes", "Votes go after --votes or --gold."),
    "matches": ("matches", "Matches go after --matches or --gold."),
    "judgments": ("recorded judgments", "They are replayed by `manage.py import_judgments`."),
    "assessments": ("assessments", "Put them into the folder of `manage.py load_campaign`, or after --gold."),
    "grades": ("grades", "They go after --gold."),
    "values": ("values", "They go to `python -m scoring agree`."),
    "scores": ("scores", "They go to `python -m scoring correlate`."),
    "forms": ("forms of runs", "They belong beside the runs, in the folder runs/ of `manage.py load_campaign`."),
    "requests": ("requests", "Load it under “Topics”, or give it as --topics."),
    "design": ("a design file", "Give it to `python -m tracks design check`."),
}
"""What a kind is called, and where it belongs on the site and in the commands."""

_CONVERTED = {
    "trec-run": ("run-json", "run-mapping", "run-table", "msmarco-run", "candidates"),
    "qrels": ("qrels-json", "beir-qrels", "umbrela"),
}
"""Format -> those that `convert` turns into it."""


def belongs(found: FileKind) -> str:
    """The sentence on where a file belongs, or "" where nothing tells."""
    return _BELONGS[found.kinds[0]][1] if found.kinds else ""


def of_another_kind(
    found: FileKind,
    kinds: Collection[Kind],
    *,
    forms: Collection[Form] = (),
    layout: str = "",
    converted_to: str = "",
) -> Issue | None:
    """The issue that a file is not what is read here, or None where it is, or where nothing tells.

    ``kinds`` are what is read (none: any); ``forms`` the forms that it is read in (none: any), and ``layout`` says in
    words how it is written. One line of columns tells nothing. ``converted_to`` is the format that is read, where
    others can be converted into it.
    """
    if found.form == "empty" or (found.form in COLUMNS and len(found.shape.rows) + len(found.shape.header) < 2):
        return None
    wanted = _listed([_BELONGS[kind][0] for kind in kinds])
    needed = f" It is read here as {layout}." if layout else ""
    if found.form == "packed":
        message = f"This is an archive ({found.shape.name}), not {wanted}. Unpack it first, and give what is in it."
        return Issue(where=1, code=COMPRESSED, message=message)
    if found.form in ("binary", "image") and found.form not in forms:
        return _issue(f"This is {found.form_name}, not {wanted}.{needed}")
    if kinds and found.kinds and set(found.kinds).isdisjoint(kinds):
        way_on = belongs(found) if len(found.kinds) <= 3 else ""
        return _issue(f"This is a file of another kind: {found.what}, not {wanted}. {way_on}".rstrip())
    others = [each for each in found.formats if each in _CONVERTED.get(converted_to, ())]
    if others and converted_to not in found.formats:
        way_on = f"`python -m scoring convert --from {others[0]} --to {converted_to} FILE` does so."
        return _issue(f"This is {found.what}. Write it as {layout}: {way_on}")
    if forms and found.form not in forms and found.form != "broken json":
        what = f": {found.what}" if found.what else ""
        return _issue(f"This is {found.form_name}{what}, a form in which {wanted} can't be read here.{needed}")
    return None


def reads(
    *kinds: Kind, forms: Collection[Form] = (), layout: str = "", converted_to: str = ""
) -> Callable[[Callable[..., Iterator[Any]]], Callable[..., Iterator[Any]]]:
    """Make a reader or checker of these kinds refuse, in one issue, a file of which something tells that it is another.

    What JSON, known tags or archives tell is believed before anything is read. What columns tell is believed only where
    the reader's own first word is an error too, or where several lines are all of one format: many forms are columns,
    and a file that can be read is read.
    """

    def made(read: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        @wraps(read)
        def reading(file: BinaryIO, *args: Any, **options: Any) -> Iterator[Any]:
            found = recognise(file)
            issue = of_another_kind(found, kinds, forms=forms, layout=layout, converted_to=converted_to)
            if issue is None:
                return read(file, *args, **options)
            is_told = bool(found.formats) or len(found.kinds) == 1
            is_sure = bool(found.shape.header) or (is_told and len(found.shape.rows) >= SURE_ROWS)
            if (found.form in COLUMNS and not is_sure) or (not found.kinds and found.form in TAGGED):
                return _unless_read(read(file, *args, **options), issue)
            return iter((issue,))

        reading.kinds = kinds  # type: ignore[attr-defined]
        return reading

    return made


SURE_ROWS = 5
"""Lines that are all in the columns of one format, after which they are believed to be that."""


FIRST_LINES = 10
"""An error of a later line is not the first word of a reader, since lines before it could be read."""


def _unless_read(found: Iterator[Any], issue: Issue) -> Iterator[Any]:
    """What a reader finds, or the issue alone where the first that it finds, warnings apart, is an error."""
    before: list[Any] = []
    for each in found:
        if isinstance(each, Issue) and each.severity != "error":
            before.append(each)
            continue
        if isinstance(each, Issue) and not (isinstance(each.where, int) and each.where > FIRST_LINES):
            yield issue
            return
        yield from before
        yield each
        yield from found
        return
    yield from before


def _issue(message: str) -> Issue:
    return Issue(where="", code=OTHER_FILE, message=message)


def _listed(names: list[str]) -> str:
    found = list(dict.fromkeys(names))
    return " or ".join(filter(None, (", ".join(found[:-1]), found[-1]))) if found else "what is read here"
