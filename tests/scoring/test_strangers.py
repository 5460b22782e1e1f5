"""What is saved in place of a file is refused in one line by whoever reads anything, and never read as something."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from scoring.collections.guesses import guess_members
from scoring.formats.json_ranked import read_any_qrels, read_any_run
from scoring.formats.qrels import read_qrels
from scoring.formats.rag_answers import read_rag_answers
from scoring.formats.trec_run import read_trec_run
from scoring.formats.trec_topics import read_trec_topics
from scoring.formats.unfit_files import unfit_document_file
from scoring.records import Issue


def _zip(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, "<x/>")
    return file.getvalue()


STRANGERS = [
    ('{"error": {"code": 404, "message": "File not found"}}', "an error that a server answered"),
    ('{"message": "Not Found", "documentation_url": "https://x", "status": "404"}', "an error that a server answered"),
    ('<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>', "an error that a server answered"),
    (
        "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
        "what Git LFS has in place of a file",
    ),
    ("../.git/annex/objects/zq/SHA256E-s123--abc.txt\n", "what git-annex has in place of a file"),
    ('```json\n{"1": {"a": 2, "b": 0}}\n```\n', "Markdown that begins with a block of code"),
    ("| qid | docno | score |\n|-----|:---:|---|\n| 1 | a | 3.5 |\n", "a table in Markdown"),
    ('{"qid": {"0": 1, "1": 2}, "query": {"0": "bees", "1": "wax"}}', "a table by columns (pandas)"),
    ('{"qid": ["1", "1"], "docno": ["a", "b"], "score": [3.5, 2.5]}', "a table by columns (pandas)"),
    ('{"columns": ["qid", "query"], "index": [0], "data": [["1", "bees"]]}', "a table by columns (pandas)"),
    ('{"id": "b1", "custom_id": "1", "response": {"body": {}}, "error": null}\n' * 2, "a batch of a language model's"),
    ('{"id": "x", "object": "chat.completion", "choices": [{"index": 0}]}', "an answer of a language model's server"),
    ('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}', "a notebook (Jupyter)"),
    ('{"took": 3, "hits": {"hits": [{"_id": "a", "_score": 3.0}]}}', "an answer of Elasticsearch"),
    (_zip("[Content_Types].xml", "xl/workbook.xml"), "an Excel workbook"),
    (_zip("[Content_Types].xml", "word/document.xml"), "a Word document"),
]


@pytest.mark.parametrize(("content", "what"), STRANGERS)
def test_what_stands_in_place_of_a_file_is_named(tmp_path: Path, content: str | bytes, what: str) -> None:
    raw = content.encode() if isinstance(content, str) else content
    for read in (read_any_run, read_trec_run, read_any_qrels, read_qrels, read_trec_topics, read_rag_answers):
        (issue,) = read(io.BytesIO(raw))
        assert isinstance(issue, Issue)
        assert issue.code == "other-file" and issue.message.startswith(f"This is {what}"), read
    (tmp_path / "file").write_bytes(raw)
    refused = unfit_document_file(tmp_path / "file", ["text", "html", "json-records"])
    assert refused is not None and what in refused.message


@pytest.mark.parametrize(
    "content",
    [
        '{"1": "error", "2": "message"}',
        '{"id": "1", "title": "error", "message": "x"}',
        '{"1": {"title": "bees"}, "2": {"title": "wax"}}',
        '{"schema": {"fields": []}, "data": [{"index": 0, "qid": "1", "query": "bees"}]}',
    ],
)
def test_topics_about_such_things_are_topics(content: str) -> None:
    assert not isinstance(next(read_trec_topics(io.BytesIO(content.encode()))), Issue)


def test_judgments_one_a_line_are_no_topics() -> None:
    lines = b'{"query-id": "1", "corpus-id": "a", "score": 1}\n{"query-id": "2", "corpus-id": "b", "score": 0}\n'
    (issue,) = read_trec_topics(io.BytesIO(lines))
    assert isinstance(issue, Issue)
    assert issue.message.startswith("This is a file of another kind: qrels (JSON lines, BEIR's names), not topics.")
    for read in (read_any_qrels, read_any_run):
        assert sum(not isinstance(each, Issue) for each in read(io.BytesIO(lines))) == 2


def test_ranks_with_a_point_and_a_nought_are_whole_numbers() -> None:
    for read in (read_any_run, read_trec_run):
        found = list(read(io.BytesIO(b"1 Q0 a 1.0 3.5 r\n1 Q0 b 2.0 2.5 r\n")))
        assert [each.rank for each in found if not isinstance(each, Issue)] == [1, 2]
    found = list(read_trec_run(io.BytesIO(b"1 Q0 a 1.5 3.5 r\n")))
    assert [each.code for each in found if isinstance(each, Issue)] == ["value"]


def test_an_archive_of_documents_is_called_one(tmp_path: Path) -> None:
    """It begins as one of images does, which only some tracks read."""
    (tmp_path / "pages.zip").write_bytes(_zip("a.html", "b.html"))
    issue = unfit_document_file(tmp_path / "pages.zip", ["text"])
    assert issue is not None
    assert issue.message.startswith("This is an archive (zip), which is not read here. Unpack it first, and give what")
    assert unfit_document_file(tmp_path / "pages.zip", ["text", "image"]) is None
    for content, said in (
        (_zip("a.html"), "This is an archive (zip)"),
        (b"", "The file is empty."),
        (
            "id,text\nd1,One\n".encode("utf-16"),
            "This is no file of records that is known. It is written in UTF-16: save",
        ),
    ):
        (tmp_path / "records").write_bytes(content)
        guess = guess_members(tmp_path / "records")
        assert isinstance(guess, Issue) and guess.message.startswith(said)
