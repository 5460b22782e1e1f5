"""What is saved in place of a file is refused in one line by whoever reads anything, and never read as something."""

from __future__ import annotations

import io
import pickle
import tarfile
import zipfile
from pathlib import Path
from typing import Any

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
    ("From a@x Thu Jan  1 00:00:00 2026\nFrom: a@x\nSubject: Bees\n\nText.\n", "a mailbox (mbox)"),
    ("From: a@x\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\n", "a page with all that it"),
    ("TY  - JOUR\r\nTI  - Bees\r\nER  - \r\n", "references (RIS)"),
    ("% by hand\n@article{smith2020,\n  title={Bees}\n}\n", "references (BibTeX)"),
    ("%0 Journal Article\n%T Bees\n", "references (EndNote)"),
    ("1\n00:00:01,000 --> 00:00:04,000\nBees.\n", "subtitles (SRT)"),
    ("0:00:01.000,0:00:04.000\nBees.\n", "subtitles (SBV)"),
    ("---\nid: d1\ntext: One\n---\nid: d2\ntext: Two\n", "YAML"),
    ("topics:\n  - number: 1\n    title: bees\n", "YAML"),
    ("sep=;\n1;Q0;a;1;3.0;r\n", "a table with a line that says what separates its columns"),
    ("WEBVTT\n\n00:01.000 --> 00:04.000\nBees.\n", "subtitles (WebVTT)"),
    ("BEGIN:VCARD\nFN:Ann\nEND:VCARD\n", "cards or a calendar"),
    ("- qid: 1\n  query: bees\n- qid: 2\n  query: wax\n", "YAML"),
    ("---\ntopics:\n  - number: 1\n", "YAML"),
    ('[campaign]\ntitle = "bees"\n', "settings (TOML or INI)"),
    ("--\n-- PostgreSQL database dump\n--\n\nSET client_encoding = 'UTF8';\n", "a dump of a database (SQL)"),
    ("diff --git a/x b/x\n--- a/x\n+++ b/x\n", "differences between files (diff)"),
    ("1 Q0 a 1 3.0 r\n<<<<<<< HEAD\n1 Q0 b 2 2.0 r\n=======\n>>>>>>> x\n", "a file that Git could not merge"),
    ('var topics = [{"qid": "1", "query": "bees"}];\n', "JavaScript"),
    ('callback({"1": {"a": 3.5}});\n', "JavaScript"),
    ("[('1', 'a', 3.5), ('1', 'b', 2.5)]\n", "what Python prints of a value"),
    ("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n1 Q0 a 1 3.0 r\n", "an answer of a server"),
    ("+-----+-------+\n| qid | docno |\n+-----+-------+\n| 1   | a     |\n", "a table that is drawn in a text"),
    (" qid | docno | score\n-----+-------+-------\n 1   | a     |   3.5\n", "a table that is drawn in a text"),
    ("1 & Q0 & a & 1 & 3.0 \\\\\n1 & Q0 & b & 2 & 2.5 \\\\\n", "a table in LaTeX"),
    ("2 qid:1 1:0.3 2:0.5 # a\n0 qid:1 1:0.1 2:0.2 # b\n", "features to learn a ranking from"),
    ('{"data": [{"paragraphs": [{"context": "Bees.", "qas": []}]}]}', "questions on passages (SQuAD"),
    ('{"Data": [{"QuestionId": "1", "Question": "Who?"}], "Domain": "Web"}', "questions with pages (TriviaQA)"),
    ('{"question_text": "who", "document_text": "Bees", "example_id": 1}\n' * 2, "questions with pages (Natural"),
    ('{"messages": [{"role": "user", "content": "Who?"}]}\n' * 2, "conversations with a language model"),
    ('{"level": "info", "ts": "2026", "msg": "begun"}\n', "a log in JSON"),
    ("<html><p>One</p></html>\n<!DOCTYPE html><html><p>Two</p></html>", "several pages of HTML"),
    (_zip("[Content_Types].xml", "xl/workbook.xml"), "an Excel workbook"),
    (_zip("docProps/app.xml", "xl/worksheets/sheet1.xml"), "an Excel workbook"),
    (pickle.dumps({"1": {"a": 3.5}}), "a pickle of Python"),
    (b"Obj\x01\x04\x16avro.schema", "an Avro file"),
    (b"\n%PDF-1.4\n%\xe2\xe3", "a PDF file"),
    (b"RIFF\x24\x00\x00\x00WEBPVP8 ", "a WebP image"),
    (b"II*\x00\x08\x00\x00\x00", "a TIFF image"),
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
        '{"instruction": "bees", "wax": "x"}',
        '{"id": "1", "title": "x", "type": "a", "features": ["b"]}\n' * 1,
        '{"id": "1", "query": "x", "level": "info", "message": "y"}',
        "GGUF1\tbees\nORC\twax\nID3\thives\n",
        "070701000\tbees\n",
        "1\tFrom: bees to wax\n",
        "1\t[Bees] = wax\n2\tWEBVTT\n",
        "qid\tquery\n1\t--- what is it ---\n",
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


NEWS = b"<DOC>\n<DOCNO> A-1 </DOCNO>\n<TEXT>It rains.</TEXT>\n</DOC>\n"


def test_an_archive_of_documents_is_called_one(tmp_path: Path) -> None:
    """It begins as one of images does, which only some tracks read."""
    (tmp_path / "pages.zip").write_bytes(_zip("a.html", "b.html"))
    issue = unfit_document_file(tmp_path / "pages.zip", ["text"])
    assert issue is not None
    assert issue.message.startswith("This is an archive (zip), which is not read here. Unpack it first, and give what")
    assert unfit_document_file(tmp_path / "pages.zip", ["text", "image"]) is None
    with tarfile.open(tmp_path / "news.tar.gz", "w:gz") as archive:
        news = tarfile.TarInfo("news.sgml")
        news.size = len(NEWS)
        archive.addfile(news, io.BytesIO(NEWS))
    issue = unfit_document_file(tmp_path / "news.tar.gz", ["trec-sgml", "text"])
    assert issue is not None and issue.message.startswith("This is an archive (tar), which is not read here. Unpack it")
    for content, said in (
        (_zip("a.html"), "This is an archive (zip)"),
        (b"", "The file is empty."),
        (
            "id,text\nd1,One\n".encode("utf-16"),
            "The file is written in UTF-16. Save it as UTF-8",
        ),
    ):
        (tmp_path / "records").write_bytes(content)
        guess = guess_members(tmp_path / "records")
        assert isinstance(guess, Issue) and guess.message.startswith(said)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("From: a@x\nTo: b@x\nSubject: Bees\n\nThey hum.\n", "a message of mail"),
        ("\\documentclass{article}\n\\begin{document}\nBees.\n\\end{document}\n", "LaTeX"),
        ("# Bees\n\n| kind | wax |\n|---|---|\n| a | 1 |\n", "Markdown with a table"),
        ("2026-01-01 12:00:00 INFO begun\n2026-01-01 12:00:01 INFO done\n", "a log, each line with its time"),
        ("Traceback (most recent call last):\n  File x\n", "an error of a program"),
        ("#!/bin/sh\necho 1 Q0 a 1 3.0 r\n", "a script"),
        ("Method:\n  Mix: all of it\n  Bake: an hour\n", "YAML"),
        ("```sh\nscoring what\n```\nsays what a file is.\n", "Markdown that begins with a block of code"),
        ("<p>Bees <b>hum</b>.</p>\n<p>Wax.</p>\n", "a page of HTML"),
    ],
)
def test_a_text_in_a_form_of_its_own_is_a_document_and_nothing_else(tmp_path: Path, content: str, what: str) -> None:
    (tmp_path / "file").write_text(content)
    assert unfit_document_file(tmp_path / "file", ["text"]) is None
    for read in (read_any_run, read_any_qrels, read_trec_topics, read_rag_answers):
        (issue,) = read(io.BytesIO(content.encode()))
        assert isinstance(issue, Issue)
        assert issue.message.startswith(f"This is a file of another kind: {what}, not "), read


@pytest.mark.parametrize(
    "content",
    [
        "---\ntitle: Bees\n---\n\n# Bees\n\nThey hum.\n",
        "[Bees]\nThey hum = they fly.\n",
        "From the hive at 12:30\nBees: they hum.\n",
        "- Bees: they hum.\n- Wax: it melts.\n",
        "Bees & wax \\\\ and more.\nThey hum.\n",
        '"Bees," she said.\n"Wax."\n',
        "x = 3\ny = 4\nSo z = 5.\n",
        "ID3 is a tag of music.\n",
        "PAR1 of the course, hole by hole.\n",
        "The ftyp box is first.\n",
        "@bees hum, and more.\n",
        "Abstract:\n  Background: Bees hum.\nThey fly, too.\n",
        "---\ntitle: Bees\n\nThey hum.\n",
        "[Bees]\nhum = fly\nThey hum.\n",
        "CREATE TABLE tops of wax.\nINSERT INTO them a comb.\n",
        "SET THE HIVES APART, AND NOT IN ROWS.\nBees fly home.\n",
        "ID3\tOù sont les abeilles ?\n",
        "Bees: they hum.\n" * 40 + "They fly.\n",
        "HAMLET:\n  Speak: what news?\nOPHELIA:\n  My lord: the king.\n",
        "TY - A story of a town\n\nIt rained.\n",
        "TY  - JOUR is how a reference begins.\nER - ends it.\n",
        "From Paris Mon 3 May 10:20 we took the train.\nThen: nothing.\n",
        "[10:20:30] Ann: hello\n[10:21:02] Ben: hi\n",
        "1\n00:00:01,000 --> 00:00:02,000 is how subtitles are written.\n",
        "WEBVTT is a form of subtitles\nthat browsers read.\n",
        "[Script Info] is how subtitles begin.\n",
        "BEGIN:VCALENDAR is how a calendar begins.\n",
        "@Ann (sister), you were right.\n",
        "%0 Percent of nothing is nothing.\n%A lot of it.\n",
        "FN Clarivate\nVR 1.0 is how it begins.\n",
        "SET the table;\nand eat.\n",
        "INSERT INTO the slot a coin; then wait.\n",
        "CREATE TABLE manners (for children)\n\nThe first: sit.\n",
        "--- a play\n+++ another play\nare two plays.\n",
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\nA letter.\n",
        "HTTP/1.1 200 is how an answer begins.\n",
        "x = [1, 2]\ny = [3, 4]\nare two lists.\n",
        "TITLE=The sea\nAUTHOR=Ann\n\nThe sea is calm.\n",
        "@prefix is a word of Turtle.\n",
        "@relation to my friends, I must say.\n",
        "2 qid:10 1:0.5 is a line of features.\n",
        "d41d8cd98f00b204e9800998ecf8427e  nothing\n\nis the sum of no bytes.\n",
        "[(1) the first, (2) the second]\n",
        "var x = [1, 2];\nfunction f(a) { return a; }\n",
        "1:1 In the beginning\n1:2 And the earth\n",
        "10:20 <ann> hi\n10:21 <ben> hi\n",
        "+----------+\n|  NOTICE  |\n+----------+\nThe office is closed.\n",
    ],
)
def test_prose_that_looks_a_little_like_a_form_is_a_text(tmp_path: Path, content: str) -> None:
    (tmp_path / "file").write_text(content)
    assert unfit_document_file(tmp_path / "file", ["text"]) is None


@pytest.mark.parametrize(
    "content",
    [
        '{"q1": {"p_12": 3.2, "p_7": 2.1}, "q2": {"p_1": 3.5}}',
        '{"P_1": {"d1": 3.2}, "P_2": {"d2": 1.5}}',
        '{"set_1": {"num_1": 3.5}}',
    ],
)
def test_topics_and_docnos_may_be_called_as_measures_with_a_depth_are(content: str) -> None:
    assert not [each for each in read_any_run(io.BytesIO(content.encode())) if isinstance(each, Issue)]


@pytest.mark.parametrize(
    ("read", "content", "what"),
    [
        (
            read_trec_topics,
            '{"qid": "1", "answer": "They hum."}\n{"qid": "2", "answer": "x"}\n',
            "answers by topic (JSON",
        ),
        (
            read_rag_answers,
            '{"1": {"answer": "Bees.", "citations": ["d"]}, "2": {"answer": "Wax."}}',
            "answers by topic",
        ),
        (read_rag_answers, '{"1": ["They hum."], "2": ["It melts."]}', "lists of texts by their names"),
        (read_any_run, '{"1": {"map": 0.3, "ndcg_cut_10": 0.4}, "2": {"map": 0.1}}', "figures of measures (JSON)"),
        (read_any_run, '{"question": "Who?", "answer": ["Ann"]}\n' * 2, "questions with their answers (JSON)"),
    ],
)
def test_objects_of_another_form_are_named(read: Any, content: str, what: str) -> None:
    (issue,) = read(io.BytesIO(content.encode()))
    assert isinstance(issue, Issue) and what in issue.message


def test_settings_as_a_run_are_one_line() -> None:
    (issue,) = read_any_run(io.BytesIO(b'{"learning_rate": 0.1, "epochs": 3, "name": "x"}'))
    assert isinstance(issue, Issue)
    assert issue.message.endswith("It has “learning_rate”, “epochs”, “name”, none of which is a topic.")


TABLES = (
    'Kennung;Überschrift;Inhalt\nD1;Ein Titel;Es regnet.\nD2;Zwei;"Er sagte ""ja""\nund ging."\n',
    "Nr,Titel,Inhalt\nA1,Regen,Es regnet heute.\n",
    "Nr|Titel|Inhalt\nA1|Regen|Es regnet; dann nicht.\n",
)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
@pytest.mark.parametrize("table", TABLES)
def test_a_table_with_unknown_names_is_not_one_document(tmp_path: Path, table: str, encoding: str) -> None:
    (tmp_path / "file").write_bytes(table.encode(encoding))
    refused = unfit_document_file(tmp_path / "file", ["text", "html", "json-records"])
    assert refused is not None and refused.message.startswith("This is a table")


@pytest.mark.parametrize(
    "text",
    [
        "Rain, snow, and hail fell.\nWind, too, was strong, they said.\n",
        "First the rain; then the snow; then hail.\nLater the sun; then the moon; then stars.\n",
        "Paris,France\nRome,Italy\n",
        "A,B,C\n",
        "one,two,three\none,four,five\n",
    ],
)
def test_a_text_with_commas_is_a_document(tmp_path: Path, text: str) -> None:
    (tmp_path / "file").write_text(text)
    assert unfit_document_file(tmp_path / "file", ["text"]) is None


def test_the_place_of_a_score_that_is_a_text_is_its_docno() -> None:
    (issue,) = read_any_run(io.BytesIO(b'{"q1": {"d1": "3.0"}}'))
    assert isinstance(issue, Issue) and issue.where == "$.q1.d1"


def test_a_place_in_the_references_is_no_text() -> None:
    line = (
        b'{"run_id": "r", "topic_id": "1", "references": ["d7", "9"], '
        b'"answer": [{"text": "So.", "citations": ["0", "9", 0]}]}\n'
    )
    issues = [each for each in read_rag_answers(io.BytesIO(line)) if isinstance(each, Issue)]
    assert [each.severity for each in issues] == ["error"]
    assert issues[0].message.endswith("Write a place in them as a number, without quotes: 0.")
