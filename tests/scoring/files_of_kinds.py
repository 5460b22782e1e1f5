"""One small file of each kind, with what it is told apart by and what it may be."""

from __future__ import annotations

RUN = b"1 Q0 a 1 3.0 r\n1 Q0 b 2 2.5 r\n2 Q0 c 1 1.0 r\n"
QRELS = b"1 0 a 2\n1 0 b 0\n2 0 c 1\n"
TOPICS = b"<top>\n<num> Number: 1\n<title> bridges\n</top>\n"
ANSWERS = b'{"metadata": {"run_id": "r", "topic_id": "1"}, "responses": [{"text": "One.", "citations": []}]}\n'
FILES: dict[str, tuple[bytes, str, str]] = {
    "run": (RUN, "6 columns by white space", "run"),
    "run by tabs, decimal commas": (RUN.replace(b" ", b"\t").replace(b".", b","), "6 columns by a tab", "run"),
    "qrels": (QRELS, "4 columns by white space", "qrels"),
    "qrels of BEIR": (b"query-id\tcorpus-id\tscore\n1\ta\t1\n", "3 columns by a tab with a header", "qrels"),
    "run of MS MARCO": (b"1\ta\t1\n1\tb\t2\n2\tc\t1\n", "3 columns by a tab", "run values qrels"),
    "run as a mapping": (b'{"1": {"a": 3.5}}', "one JSON value", "run"),
    "run as pairs": (b'{"1": [["a", 3.5]]}', "one JSON value", "run"),
    "judgments as a mapping": (b'{"1": {"a": 2}}', "one JSON value", "qrels run"),
    "topics of TREC": (TOPICS, "SGML that begins with <top>", "topics"),
    "topics in XML": (
        b'<?xml version="1.0"?>\n<topics><topic number="1"/></topics>',
        "XML that begins with <topics>", "topics",
    ),
    "topics in lines": (b'{"qid": "1", "query": "a"}\n{"qid": "2", "query": "b"}\n', "JSON lines", "topics"),
    "topics in an array": (b'[{"number": "1", "turn": [{}]}]', "a JSON array", "topics"),
    "topics by colons": (b"1:bridge of examples\n2:ferry\n3:a dog is saved\n", "lines of text", "topics"),
    "topics on one line": (
        b'{"qid": "1", "query": "a"}{"qid": "2", "query": "b"}',
        "JSON values one after another", "topics",
    ),
    "indented objects": (
        b'{\n "qid": "1",\n "title": "a"\n}\n{\n "qid": "2",\n "title": "b"\n}\n',
        "JSON values one after another", "topics",
    ),
    "numbers and texts": (b"1\tbridges of examples\n2\tferries\n", "2 columns by a tab", "topics documents"),
    "answers": (ANSWERS, "one JSON value", "answers"),
    "citations for given answers": (
        b'{"metadata": {"qa_id": "1"}, "answer": [{"text": "a", "supported_citations": [1]}]}',
        "one JSON value", "citations",
    ),
    "nuggets": (b"1 1 vital a bridge\n1 2 okay a ferry that goes\n", "lines of text", "nuggets"),
    "nugget lists": (b'{"qid": "1", "nuggets": []}\n{"qid": "2", "nuggets": []}\n', "JSON lines", "nuggets"),
    "a bank": (b'{"query_id": "1", "nugget_bank": {}}', "one JSON value", "nuggets questions"),
    "newswire": (b"<DOC>\n<DOCNO> A </DOCNO>\n</DOC>\n", "SGML that begins with <DOC>", "documents"),
    "a web archive": (b"WARC/1.0\r\nWARC-Type: response\r\n", "a web archive", "documents"),
    "PubMed": (b"PMID- 1\nTI  - A title\n", "lines of text", "documents"),
    "CORD-19": (
        b'cord_uid,sha,title,abstract\nz1,,"A ""made up"" ward","One, two."\n',
        "4 columns by a comma with a header", "documents",
    ),
    "candidates": (
        b'{"query": {"qid": "1"}, "candidates": [{"docid": "a", "score": 2.0, "doc": {}}]}',
        "one JSON value", "candidates documents run",
    ),
    "docnos": (b"a\nb\nc\n", "1 column by white space", "docnos"),
    "recorded judgments": (b'{"do": "judge", "by": "a"}\n', "one JSON value", "judgments"),
    "forms": (b'{"r": {"team": "north", "priority": "1"}}', "one JSON value", "forms"),
    "scores": (b"r 1 AP 0.5\nr all AP 0.25\n", "4 columns by white space", "scores"),
    "UTF-16": ("1 0 a 2\n1 0 b 1\n".encode("utf-16"), "4 columns by white space", "qrels"),
    "Latin-1": ("1\tcafé of examples\n2\tnaïve\n".encode("latin-1"), "2 columns by a tab", "topics documents"),
    "a PDF": (b"%PDF-1.7\n\x00\x01", "a PDF file", ""),
    "a Parquet file": (b"PAR1\x15\x04", "a Parquet file", "documents"),
    "zip": (b"PK\x03\x04\x14\x00", "an archive (zip)", ""),
    "compress": (b"\x1f\x9d\x90", "a file that is packed by compress (.Z)", ""),
    "prose": (b"It rains.\nNobody was there, but a dog.\nThe end of it all came later.\n", "lines of text", ""),
    "nothing": (b"", "an empty file", ""),
}  # fmt: skip
