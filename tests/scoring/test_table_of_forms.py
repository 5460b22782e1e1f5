"""Every form of a file against every way in: read, converted or refused; the table in docs/formats.md is made here.

`ASSAY_WRITE_TABLES=yes pytest tests/scoring/test_table_of_forms.py` writes it anew, to be looked at as code is.
"""

# ruff: noqa: E501 (files are written as they are, line by line)

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoring.file_kinds import of_another_kind, recognise_beginning
from scoring.formats.json_ranked import read_any_qrels, read_any_run
from scoring.formats.known_formats import FORMATS
from scoring.formats.run_rules import check_ranked_run
from scoring.formats.trec_topics import read_trec_topics
from scoring.reading import ENDS_READING, until_too_many
from scoring.records import Issue
from tests.scoring.test_file_kinds import FILES
from tests.scoring.test_neighbour_rankings import QRELS, RUNS

MORE = {
    "topics of TREC-1": b"<top>\n<head> Tipster Topic\n<num> Number: 051\n<dom> Domain: A\n<title> Topic: Airbus\n<desc> Description:\nIt is.\n</top>\n",
    "topics of FIRE": b"<topics>\n<top lang='en'>\n<num>176</num>\n<title>Bridge</title>\n<desc>Find.</desc>\n</top>\n</topics>\n",
    "topics of CAsT": b'[{"number": 31, "turn": [{"number": 1, "raw_utterance": "What is it?"}]}]',
    "topics of RAGTIME": b'{"request_id": "leaf", "title": "leaves", "problem_statement": "Why?", "background": "A child."}\n' * 1,
    "topics of Tip of the Tongue": b'{"id": "1", "title": "A film", "text": "A bridge falls."}\n{"id": "2", "title": "B", "text": "C."}\n',
    "topics by BEIR": b'{"_id": "1", "text": "bees", "metadata": {}}\n{"_id": "2", "text": "floods", "metadata": {}}\n',
    "topics by a header": b"query_id\tquery\n1\tbees\n2\tfloods\n",
    "topics of TAC QA": b'<trecqa><target id="1" text="Kites"><qa><q id="1.1" type="RigidList">Which?</q></qa></target></trecqa>',
    "documents of BEIR": b'{"_id": "d1", "title": "T", "text": "one", "metadata": {}}\n{"_id": "d2", "title": "T", "text": "two"}\n',
    "documents of MS MARCO v2": b'{"pid": "d1", "passage": "one"}\n{"pid": "d2", "passage": "two"}\n',
    "PubMed in XML": b"<PubmedArticleSet><PubmedArticle></PubmedArticle></PubmedArticleSet>",
    "a page of HTML": b"<!DOCTYPE html><html><body><p>Text</p></body></html>",
    "answers of RAG 2024": b'{"run_id": "r", "topic_id": "1", "references": ["d1"], "answer": [{"text": "One.", "citations": [0]}]}\n',
    "answers of iKAT 2023": b'{"run_name": "r", "run_type": "manual", "turns": [{"turn_id": "1_1", "responses": []}]}',
    "questions of DRAGUN": b"t1\tteam\trun\t1\tWho owns it?\nt1\tteam\trun\t2\tWhy was it written?\n",
    "claims of Context25": b'[{"id": "a-1", "claim": "It flies.", "citekey": "b2018", "dataset": "a"}]',
    "labels of Context25": b'claimid,predictions\na-1,"FIG 1,TAB 1"\n',
    "graded nuggets of iKAT": b'{"8_5": {"[1]": {"text": "Wide tyres.", "relevance": "2"}}}',
    "figures of trec_eval": b"map\t1\t0.5\nmap\tall\t0.25\nP_10\tall\t0.1\n",
    "votes": b"52.6 1 A3 okay\n52.6 2 A3 vital\n",
    "clusters of answers": b'{"116": {"required_answer_sentences_cluster": {"7": [{"answer_sentence_id": "M26-2"}]}}}',
    "official grades": b'{"criterion": "support", "docno": "12", "key": "7", "kind": "citation", "topic": "1", "value": 4}\n',
    "gzip in a file that was unpacked": b"\x1f\x8b\x08\x00",
    "7z": b"7z\xbc\xaf\x27\x1c\x00",
    "an image": b"\x89PNG\r\n\x1a\n",
}  # fmt: skip

FORMS: dict[str, bytes] = {
    **{name: content for name, (content, _, _) in FILES.items()},
    **{f"run: {name}": content.encode() for name, content in RUNS.items()},
    **{f"qrels: {name}": content.encode() for name, content in QRELS.items()},
    **MORE,
}


def check_as_run(file: io.BytesIO) -> Any:
    return check_ranked_run(file, topics=(), limit=1000)


WAYS: dict[str, Callable[[io.BytesIO], Any]] = {
    "topics": read_trec_topics,
    "a ranked run of a campaign": check_as_run,
    "`rank --run`": read_any_run,
    "`rank --qrels`": read_any_qrels,
}


def outcome(read: Callable[[io.BytesIO], Any], content: bytes) -> str:
    """What comes of a file: read, converted by a command that is named, or refused with which code."""
    errors: list[Issue] = []
    records = 0
    for each in until_too_many(read(io.BytesIO(content))):
        records += not isinstance(each, Issue)
        if isinstance(each, Issue) and each.severity == "error" and each.code != "unknown-topic":
            errors.append(each)
    if not errors:
        return "read" if records or read is check_as_run else "refused: empty-file"
    if errors[0].code in ENDS_READING:
        assert len(errors) == 1
        named = re.search(r"--from (\S+)", errors[0].message)
        return f"converted by `convert --from {named[1]}`" if named else f"refused: {errors[0].code}"
    return f"refused: {errors[0].code}"


def table() -> str:
    rows = ["| form | what it is | " + " | ".join(WAYS) + " |", "|---" * (len(WAYS) + 2) + "|"]
    for name, content in FORMS.items():
        said = recognise_beginning(content).what or recognise_beginning(content).form_name
        cells = [name, said.replace("|", "\\|"), *(outcome(read, content) for read in WAYS.values())]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)


BEGIN, END = "<!-- forms: made by tests/scoring/test_table_of_forms.py -->\n", "<!-- end of forms -->"
GUIDE = Path(__file__).parents[2] / "docs" / "formats.md"


def test_the_table_of_forms_is_that_of_the_guide() -> None:
    assert len(FORMS) >= 60
    text = GUIDE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    stands, _, after = rest.partition(END)
    made = f"\n{table()}\n\n"
    if os.environ.get("ASSAY_WRITE_TABLES"):
        GUIDE.write_text(before + BEGIN + made + END + after, encoding="utf-8")
    else:
        assert stands == made


@pytest.mark.parametrize("known", [known for known in FORMATS if known.read is not None], ids=lambda known: known.name)
def test_a_reader_refuses_every_other_form_in_one_line(known: Any) -> None:
    """Several lines of columns that may be several kinds go to the reader, which may be able to read them."""
    kinds = getattr(known.read, "kinds", ())
    for name, content in FORMS.items():
        several = content * 5 if recognise_beginning(content).form in ("columns", "text") else content
        told = recognise_beginning(several)
        is_open = told.form in ("columns", "text") and len(told.kinds) > 1 and not (told.formats or told.shape.header)
        if not kinds or is_open or of_another_kind(told, kinds) is None:
            continue
        (issue,) = until_too_many(known.read(io.BytesIO(several)))
        assert isinstance(issue, Issue), name
        assert issue.code in ENDS_READING, (name, issue)
