"""One small file of each form that anybody may give in place of another."""

# ruff: noqa: E501 - tables read better in long lines

from __future__ import annotations

from tests.scoring.files_of_kinds import FILES
from tests.scoring.neighbour_files import QRELS, RUNS

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
    "mailbox": b"From a@x Thu Jan  1 00:00:00 2026\nFrom: a@x\nSubject: Bees\n\nText.\n",
    "BibTeX": b"@article{smith2020,\n  title={Bees}\n}\n",
    "subtitles": b"1\n00:00:01,000 --> 00:00:04,000\nBees.\n",
    "SQuAD": b'{"version": "1.1", "data": [{"title": "B", "paragraphs": [{"context": "Bees.", "qas": []}]}]}',
    "run: in quotes, one line": b'"1","Q0","a","1","3.5","r"\n',
    "7z": b"7z\xbc\xaf\x27\x1c\x00",
    "an image": b"\x89PNG\r\n\x1a\n",
}  # fmt: skip
FORMS: dict[str, bytes] = {
    **{name: content for name, (content, _, _) in FILES.items()},
    **{f"run: {name}": content.encode() for name, content in RUNS.items()},
    **{f"qrels: {name}": content.encode() for name, content in QRELS.items()},
    **MORE,
}
