"""Recognises files that are never topics, runs or judgments: placeholders for other files, and files of other programs.

    version https://git-lfs.github.com/spec/v1     a placeholder of Git for a large file
    {"error": {"code": 404}}                       the answer of a server that does not return the file
    {"qid": {"0": "1"}, "query": {"0": "bees"}}    a table by columns, the default of pandas

Members of such files have the same names as members of topics or documents, so that some of them would otherwise be
read as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from scoring.file_kinds.beginnings import one_document, text_of_a_program
from scoring.file_kinds.names import ASKS, HEADER_NAMES, IDS, TEXTS, TOPIC_IDS
from scoring.file_kinds.shapes import JSON_FORMS, Contents, Shape

_LFS = "version https://git-lfs.github.com/spec/"
_ANNEX = re.compile(r"\s*(?:\.\./)*(?:\.git)?/?annex/objects/\S+\s*")
_FENCE = re.compile(r"\s*```[\w+-]*[ \t]*\r?\n")
_ERROR_MEMBERS = frozenset({"error", "errors", "message", "msg", "detail", "details", "reason"})
_BESIDE = frozenset({
    "status", "status_code", "statuscode", "statustext", "code", "type", "documentation_url", "path", "timestamp",
    "success", "ok", "request_id", "requestid", "trace", "instance", "timeout",
})  # fmt: skip
"""Members of a server's answer that reports an error."""

_QUESTIONS = "Write a question a line: {“id”: …, “question”: …}, and its passages as documents."
_OBJECTS: tuple[tuple[frozenset[str], str, str], ...] = (
    (frozenset({"article", "questions", "options"}), "questions with choices (RACE)", _QUESTIONS),
    (frozenset({"question_text", "long_answer_candidates"}), "questions with pages (Natural Questions)", _QUESTIONS),
    (frozenset({"question_text", "document_text"}), "questions with pages (Natural Questions)", _QUESTIONS),
    (frozenset({"question_text", "document_html"}), "questions with pages (Natural Questions)", _QUESTIONS),
    (
        frozenset({"instruction", "output"}),
        "examples that a language model learns from",
        "Write what is meant of each.",
    ),
    (frozenset({"responseheader", "response"}), "an answer of Solr", "Write what it found as a run or as documents."),
    (frozenset({"$schema"}), "a schema or a description (JSON Schema)", "Give the data that it describes."),
    (frozenset({"openapi", "paths"}), "a description of an interface (OpenAPI)", ""),
    (frozenset({"@context", "@type"}), "a description of data (JSON-LD)", "Give the data that it describes."),
    (frozenset({"dependencies", "version"}), "settings of a program", ""),
    (frozenset({"type", "features"}), "places on a map (GeoJSON)", ""),
)
"""Members of objects of other programs, what the objects are, and what to do with them."""

_ROWS = 'Write a row a line: `frame.to_json(FILE, orient="records", lines=True)`.'


def never_read(shape: Shape) -> Contents | None:
    """Return a description of a file of this shape if Assay never reads files of its kind. It says what the file is and
    what to do with it. Return None for any other file.
    """
    return next(_found(shape), None)


def _found(shape: Shape) -> Iterator[Contents]:
    if shape.form in ("columns", "text"):
        if shape.text.startswith(_LFS):
            yield _other("what Git LFS has in place of a file", "Get the file itself: `git lfs pull`.")
        if len(shape.rows) < 2 and _ANNEX.fullmatch(shape.text):
            yield _other("what git-annex has in place of a file", "Get the file itself: `git annex get FILE`.")
        if (fence := _FENCE.match(shape.text)) is not None:
            what = "Markdown that begins with a block of code"
            is_all = not shape.text[fence.end() :].partition("\n```")[2].strip()
            yield _other(what, "Take out all but what the block holds.") if is_all else one_document(what)
    if shape.form in ("columns", "text", "broken json") and (found := text_of_a_program(shape)) is not None:
        yield found
    if shape.form == "xml" and shape.tag.lower() in ("error", "errors"):
        yield _NOT_GIVEN
    if shape.form == "sgml" and shape.tag.lower() == "svg":
        yield _other("a drawing (SVG)", "Save what it shows in another form.")
    if shape.form in JSON_FORMS and shape.values and isinstance(shape.values[0], dict):
        yield from _of_object(shape.values[0], is_whole=shape.form == "json value")


def _of_object(one: Mapping[str, Any], *, is_whole: bool) -> Iterator[Contents]:
    names = {name.lower() for name in one}
    if is_whole and names & _ERROR_MEMBERS and names <= _ERROR_MEMBERS | _BESIDE:
        yield _NOT_GIVEN
    if "choices" in names and names & {"object", "created", "model"}:
        yield _other("an answer of a language model's server", "Write what it says as the answer to a topic.")
    if "custom_id" in names and ({"response", "error"} <= names or {"method", "url", "body"} <= names):
        yield _other("a batch of a language model's requests or answers", "Take out of each what is meant.")
    if {"cells", "nbformat"} <= names:
        yield _other("a notebook (Jupyter)", "Save what it computes as a file of its own.")
    if {"took", "hits"} <= names:
        yield _other("an answer of Elasticsearch", "Write its hits as a run: topic Q0 docno rank score run-tag.")
    yield from _of_data_sets(one, names, is_whole=is_whole)
    if is_whole and (names == {"columns", "index", "data"} or _is_by_columns(one)):
        yield _other("a table by columns (pandas)", _ROWS)


def _of_data_sets(one: Mapping[str, Any], names: set[str], *, is_whole: bool) -> Iterator[Contents]:
    """Yield the data sets, made for other purposes, to which an object may belong. If the object may also be a topic or
    a document, yield only those whose members are unmistakable.
    """
    first = next(iter(one.values()), None)
    if (is_whole and _lists(one.get("data"), {"paragraphs"}, {"story"})) or _lists(one.get("paragraphs"), {"context"}):
        yield _other("questions on passages (SQuAD, QuAC, CoQA)", _QUESTIONS)
    if isinstance(first, dict) and {"passage", "qa_pairs"} <= first.keys():
        yield _other("questions on passages (DROP)", _QUESTIONS)
    if is_whole and _lists(one.get("Data"), {"QuestionId"}):
        yield _other("questions with pages (TriviaQA)", _QUESTIONS)
    if (IDS | TOPIC_IDS) & names and (TEXTS | ASKS) & names:
        return
    for known, what, way_on in _OBJECTS:
        if known <= names:
            yield _other(what, way_on)
    if _lists(one.get("messages"), {"role", "content"}) or _lists(one.get("conversations"), {"from", "value"}):
        yield _other("conversations with a language model", "Write what it says as the answer to a topic.")
    if names in ({"index"}, {"create"}) and isinstance(first, dict):
        yield _other("a bulk request of Elasticsearch", "Take out the lines that say what is to be done.")
    if {"message", "msg"} & names and {"level", "levelname", "severity"} & names:
        yield _other("a log in JSON", "Give what the program wrote besides it.")


def _lists(value: Any, *members: set[str]) -> bool:
    """Return whether a value is a list whose first object has all members of at least one of these sets."""
    first = value[0] if isinstance(value, list) and value else None
    return isinstance(first, dict) and any(each <= first.keys() for each in members)


def _is_by_columns(one: Mapping[str, Any]) -> bool:
    """Return whether the members of an object are the columns of a table: at least two have the name of a column, and
    all have the same row names.
    """
    if sum(name.lower() in HEADER_NAMES for name in one) < 2:
        return False
    columns = list(one.values())
    if all(isinstance(each, dict) and each and all(map(str.isdigit, each)) for each in columns):
        return all(each.keys() == columns[0].keys() for each in columns)
    return all(isinstance(each, list) and len(each) == len(columns[0]) > 0 for each in columns)


def _other(what: str, way_on: str) -> Contents:
    return Contents(what=what, kinds=("other",), way_on=way_on)


_NOT_GIVEN = _other("an error that a server answered instead of the file", "Download the file again.")
