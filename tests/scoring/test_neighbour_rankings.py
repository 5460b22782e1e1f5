"""Runs and judgments in the forms of the tools around TREC: read, said in a note, and converted both ways."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from scoring.formats.json_ranked import read_any_qrels, read_any_run
from scoring.formats.known_formats import find_format
from scoring.formats.neighbour_rankings import read_candidates, read_run_table
from scoring.formats.trec_topics import read_trec_topics
from scoring.reading.opening import OTHER_FILE
from scoring.records import Issue, Qrel, RankedDoc
from tests.scoring.neighbour_files import QRELS, RUNS


def read(reader: Any, content: str) -> tuple[list[Any], list[Issue]]:
    found = list(reader(io.BytesIO(content.encode())))
    return [each for each in found if not isinstance(each, Issue)], [each for each in found if isinstance(each, Issue)]


@pytest.mark.parametrize("name", RUNS)
def test_a_run_is_read_in_a_neighbours_form(name: str) -> None:
    lines, issues = read(read_any_run, RUNS[name])
    expected = {("1", "a", 3.5), ("1", "b", 2.0)} | (
        {("2", "c", 1.0)} if "one topic" not in name and name != "Patapsco" else set()
    )
    assert {(line.topic, line.docno, line.score) for line in lines} == expected
    assert [issue.severity for issue in issues] == (
        [] if name in ("TREC", "pairs") or "mapping" in name or "mteb" in name else ["note"]
    )


def test_a_run_of_ms_marco_scores_by_rank() -> None:
    lines, issues = read(read_any_run, "1\ta\t1\n1\tb\t2\n2\tc\t1\n")
    assert [(line.topic, line.docno, line.rank, line.score) for line in lines] == [
        ("1", "a", 1, 1.0),
        ("1", "b", 2, 0.5),
        ("2", "c", 1, 1.0),
    ]
    assert [(issue.severity, issue.code) for issue in issues] == [("note", "read-as")]
    assert "qid, pid, rank; the score of rank n is 1/n" in issues[0].message


def test_a_run_of_four_columns_is_read_where_its_scores_have_a_point() -> None:
    """ColBERT's ranking.tsv; without a point the four columns may be qrels whose docnos are numbers."""
    lines, issues = read(read_any_run, "1\ta\t1\t3.5\n1\tb\t2\t2.0\n2\tc\t1\t1.0\n")
    assert [(line.topic, line.docno, line.rank, line.score) for line in lines] == [
        ("1", "a", 1, 3.5),
        ("1", "b", 2, 2.0),
        ("2", "c", 1, 1.0),
    ]
    assert [issue.message for issue in issues] == ["This was read as a run of four columns: topic, docno, rank, score."]
    lines, (issue,) = read(read_any_run, "1\t0\t77\t1\n1\t0\t78\t0\n2\t0\t77\t1\n")
    assert (lines, issue.severity, "qrels" in issue.message) == ([], "error", True)


def test_names_in_capitals_are_those_of_the_field() -> None:
    lines, _ = read(read_any_run, "QueryId\tDocId\tRank\tScore\tRunTag\n1\ta\t1\t3.5\tx\n")
    assert [(line.topic, line.docno, line.score, line.run) for line in lines] == [("1", "a", 3.5, "x")]
    grades, _ = read(read_any_qrels, "QueryId\tDocumentID\tRelevance\n1\ta\t2\n")
    assert [(each.topic, each.docno, each.grade) for each in grades] == [("1", "a", 2)]


@pytest.mark.parametrize("name", QRELS)
def test_judgments_are_read_in_a_neighbours_form(name: str) -> None:
    found, issues = read(read_any_qrels, QRELS[name])
    assert [(each.topic, each.docno, each.grade) for each in found] == [("1", "a", 2), ("1", "b", 0), ("2", "c", 1)]
    assert not [issue for issue in issues if issue.severity == "error"]


def test_what_is_passed_over_is_named_once() -> None:
    lines, issues = read(read_any_run, "qid,docno,score,lemma\n1,a,2,x\n1,b,1,y\n")
    assert len(lines) == 2
    assert [issue.message for issue in issues] == [
        "This was read as a run whose columns are named by a header; passed over: lemma."
    ]


RUN = [RankedDoc(topic="1", docno="a", rank=1, score=1.0), RankedDoc(topic="1", docno="b", rank=2, score=0.5)]
JUDGED = [Qrel(topic="1", docno="a", grade=2), Qrel(topic="1", docno="b", grade=0)]


@pytest.mark.parametrize(
    "name",
    ["run-mapping", "run-json", "run-table", "msmarco-run", "candidates", "dpr", "diffir-1", "diffir-2", "trec-run"],
)
def test_a_run_comes_back_from_each_form(name: str) -> None:
    known = find_format(name)
    assert known is not None and known.read is not None and known.write is not None
    lines, issues = read(known.read, "\n".join(known.write(RUN)) + "\n")
    assert [(r.topic, r.docno, r.rank, r.score) for r in lines] == [(r.topic, r.docno, r.rank, r.score) for r in RUN]
    assert not [issue for issue in issues if issue.severity == "error"]


@pytest.mark.parametrize("name", ["qrels", "qrels-json", "beir-qrels", "umbrela"])
def test_judgments_come_back_from_each_form(name: str) -> None:
    known = find_format(name)
    assert known is not None and known.read is not None and known.write is not None
    found, issues = read(known.read, "\n".join(known.write(JUDGED)) + "\n")
    assert found == JUDGED
    assert not [issue for issue in issues if issue.severity == "error"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("qid,docno,score\n1,a,x\n", "value"),
        ("qid,docno,score\n1,a,1\n1,a,2\n", "duplicate"),
        ("qid,docno,score\n1,a b,1\n", "name"),
        ("qid,docno,score\n1,a\n", "columns"),
        ("qid,docno,score\n1,a,1\n0,1,b,1\n", "columns"),
        ("qid,docno,score\n1,0,a,1\n1,0,b,1\n", "columns"),
        ("id,qid,document,score\n1,7,a,3\n2,7,b,2\n3,8,a,1\n", "name"),
        ("qid,docno,score,run\n1,a,1,r\n1,b,2,s\n", "run-tag"),
        ("qid,docno,score,run\n1,a,1,r\n1,a,1,s\n", "run-tag"),
        ('{"qid": "1", "docno": "a", "score": 1}\n{"qid": "1", "score": 1}\n', "name"),
        ('{"qid": "1", "candidates": [3]}', "value"),
        ('{"qid": "1", "docno": "a", "rank": 0}\n{"qid": "1", "docno": "b", "rank": 1}', "value"),
    ],
)
def test_what_is_wrong_in_them_is_named(content: str, code: str) -> None:
    _, issues = read(read_any_run, content)
    assert [issue.code for issue in issues if issue.severity == "error"] == [code]


@pytest.mark.parametrize("name", ["pytrec_eval, ranx, BEIR, mteb", "castorini, lines", "a header and tabs"])
def test_where_trec_columns_are_read_the_converter_is_named(name: str) -> None:
    known = find_format("trec-run")
    assert known is not None and known.read is not None
    _, issues = read(known.read, RUNS[name])
    assert [issue.code for issue in issues] == [OTHER_FILE]
    assert "python -m scoring convert --from" in issues[0].message and "--to trec-run FILE" in issues[0].message


def test_judged_candidates_that_are_ranked_are_both() -> None:
    content = '{"query": {"qid": "1"}, "candidates": [{"docid": "a", "score": 2.5, "judgment": 1}]}'
    assert read(read_any_run, content)[0] == [RankedDoc(topic="1", docno="a", rank=1, score=2.5)]
    assert read(read_any_qrels, content)[0] == [Qrel(topic="1", docno="a", grade=1)]


COMPARED: dict[str, Any] = {
    "meta": {"run1_name": "runs/a.run", "run2_name": "two words", "measure": "tauap"},
    "docs": {"D1": {"doc_id": "D1", "text": "T"}},
    "queries": [
        {
            "fields": {"query_id": "1", "text": "Why?", "metric": {"name": "tauap", "value": 0.2}},
            "run_1": [{"doc_id": "D1", "score": 1.5, "relevance": 2, "rank": 1, "weights": {}, "snippet": {}}],
            "run_2": [
                {"doc_id": "D1", "score": 0.5, "relevance": 2, "rank": 4},
                {"doc_id": "D2", "score": 9, "rank": 1},
            ],
            "mergedWeights": {},
        }
    ],
}


def test_two_runs_compared_are_refused_in_one_sentence_that_names_the_converter() -> None:
    for reader in (read_any_run, read_any_qrels, read_trec_topics, find_format("trec-run").read):
        records, (issue,) = read(reader, json.dumps(COMPARED))
        assert (records, issue.code) == ([], OTHER_FILE)
        assert "two runs compared (DiffIR)" in issue.message
        assert "--from diffir-1 --to trec-run FILE`, of the second by --from diffir-2." in issue.message


def test_each_run_of_a_comparison_is_read_and_a_single_one_as_a_run() -> None:
    first, second = (find_format(name).read for name in ("diffir-1", "diffir-2"))
    records, issues = read(first, json.dumps(COMPARED))
    assert records == [RankedDoc(topic="1", docno="D1", rank=1, score=1.5, run="a.run")]
    assert [(each.severity, each.code) for each in issues] == [("note", "read-as"), ("warning", "part-of-run")]
    assert "relevance, weights, snippet" in issues[0].message
    assert [(each.docno, each.rank, each.score, each.run) for each in read(second, json.dumps(COMPARED))[0]] == [
        ("D1", 4, 0.5, ""),
        ("D2", 1, 9.0, ""),
    ]
    alone = COMPARED | {"meta": {"run1_name": "a.run", "run2_name": None}}
    assert read(read_any_run, json.dumps(alone))[0] == records
    broken = COMPARED | {"queries": [{"run_1": []}]}
    assert [each.code for each in read(first, json.dumps(broken))[1]] == ["value", "read-as", "part-of-run"]


def test_questions_of_dpr_without_numbers_are_numbered_from_0() -> None:
    ctxs = [{"id": "wiki:7", "title": "T", "text": "U", "score": "81.5", "has_answer": False}]
    content = json.dumps([{"question": "Why?", "answers": ["x"], "ctxs": ctxs}] * 2, indent=4)
    records, (note, _) = read(read_any_run, content)
    assert [(each.topic, each.docno, each.score) for each in records] == [("0", "wiki:7", 81.5), ("1", "wiki:7", 81.5)]
    assert note.message.startswith("The questions have no numbers here: they are numbered from 0")


def test_passages_that_dpr_lists_as_positive_are_judged_1() -> None:
    content = json.dumps([
        {"question": "Why?", "answers": ["x"], "positive_ctxs": [{"passage_id": "12", "text": "T", "title_score": 1}],
         "negative_ctxs": [], "hard_negative_ctxs": [{"passage_id": "13", "text": "U"}]},
        {"question": "Who?", "answers": [], "positive_ctxs": [{"psg_id": "5", "text": "V"}], "hard_negative_ctxs": []},
    ])  # fmt: skip
    records, _ = read(read_any_qrels, content)
    assert records == [Qrel(topic="0", docno="12", grade=1), Qrel(topic="1", docno="5", grade=1)]
    assert [each.code for each in read(read_any_run, content)[1]] == [OTHER_FILE]


def test_a_tag_of_several_words_is_said_and_tells_runs_apart() -> None:
    header = "qid,docno,rank,score,run\n1,a,1,3.5,my best\n"
    for content in (header, "1,Q0,a,1,3.5,my best\n1,Q0,b,2,3.0,my best\n"):
        found = list(read_run_table(io.BytesIO(content.encode())))
        assert [(each.code, each.severity) for each in found if isinstance(each, Issue)] == [
            ("run-tag", "warning"),
            ("read-as", "note"),
        ]
        assert 'The run tag "my best" is not one word.' in str(found[0])
        assert {each.run for each in found if isinstance(each, RankedDoc)} == {""}
    issue = list(read_run_table(io.BytesIO(f"{header}1,b,2,3.0,my other\n".encode())))[-1]
    assert isinstance(issue, Issue) and (issue.code, issue.severity, issue.where) == ("run-tag", "error", 3)


def test_the_name_of_a_document_is_no_tag() -> None:
    line = '{"qid": "1", "docid": "%s", "score": %d, "name": "%s"}'
    listed = '{"qid": "1", "name": "r", "docs": [{"docid": "a", "score": 2, "name": "Bees"}]}'
    for content, tag in ((line % ("a", 2, "Bees") + line % ("b", 1, "Old wax"), ""), (listed, "r")):
        found = list(read_candidates(io.BytesIO(content.encode())))
        assert {each.run for each in found if isinstance(each, RankedDoc)} == {tag}
        assert [each.severity for each in found if isinstance(each, Issue)] == ["note"]


@pytest.mark.parametrize(
    "content",
    [
        "qid,docno,rank,score\n1,a,1,\n1,b,2,2.5\n",
        "qid,docno,rank,score\n1,a,1,7\n1,b,2,\n",
        '{"query": {"qid": "1"}, "candidates": [{"docid": "a", "score": -3}, {"docid": "b"}]}\n',
        '{"qid": "1", "docno": "a", "rank": 1}\n{"qid": "1", "docno": "b", "rank": 2, "score": 5}\n',
    ],
)
def test_scores_of_some_documents_alone_are_refused(content: str) -> None:
    """One over the rank can't be compared with a score."""
    _, issues = read(read_any_run, content)
    assert [each.code for each in issues if each.severity == "error"] == ["value"]
    assert any("Give all of them a score, or none." in each.message for each in issues)


@pytest.mark.parametrize("reader", [read_any_run, read_any_qrels])
def test_two_columns_of_one_name_are_refused(reader: Any) -> None:
    lines, issues = read(reader, "qid,docno,score,score\n1,a,1,9\n1,b,2,3\n")
    assert lines == [] and "Two columns are called “score”." in issues[0].message and issues[0].where == 1


@pytest.mark.parametrize(
    ("reader", "content", "passed"),
    [
        (read_any_qrels, "qid,docno,label,relevance\n1,a,0,2\n1,b,2,0\n", "label"),
        (read_any_run, "qid\tdocid\tdocno\trank\tscore\n1\t17\ta\t0\t3.5\n1\t18\tb\t1\t2.5\n", "docid"),
        (read_any_run, "qid,docno,score,run_id,system\n1,a,3,x,y\n1,b,2,x,z\n", "system"),
        (read_any_run, '{"qid": "1", "docid": 17, "docno": "a", "score": 3}\n', "docid"),
    ],
)
def test_a_second_column_for_the_same_thing_is_named(reader: Any, content: str, passed: str) -> None:
    lines, (note,) = read(reader, content)
    assert lines and note.severity == "note" and note.message.endswith(f"; passed over: {passed}.")


def test_equal_names_for_the_same_thing_are_not_named() -> None:
    _, (note,) = read(read_any_run, "qid,query_id,docno,score\n1,1,a,3\n1,1,b,2\n")
    assert "passed over" not in note.message
