"""One ranking and one set of judgments in the forms in which the neighbours of TREC write them."""

from __future__ import annotations

import json

MAPPING = {"1": {"a": 3.5, "b": 2.0}, "2": {"c": 1.0}}
CANDIDATES = [
    {"query": {"qid": "1"}, "candidates": [{"docid": "a", "score": 3.5, "doc": {}}, {"docid": "b", "score": 2}]},
    {"query": {"qid": 2}, "candidates": [{"docid": "c", "score": 1.0}]},
]  # fmt: skip
FLAT = [
    {"qid": "1", "docno": "a", "score": 3.5},
    {"qid": "1", "docno": "b", "score": 2},
    {"qid": "2", "docno": "c", "score": 1},
]
RUNS = {
    "pytrec_eval, ranx, BEIR, mteb": json.dumps(MAPPING),
    "a mapping, indented": json.dumps(MAPPING, indent=2),
    "pairs": json.dumps({"1": [["a", 3.5], ["b", 2.0]], "2": [["c", 1]]}),
    "castorini, lines": "\n".join(map(json.dumps, CANDIDATES)),
    "castorini, array": json.dumps(CANDIDATES, indent=1),
    "castorini, one topic a file": json.dumps(CANDIDATES[0]),
    "Patapsco": '{"query": {"id": "1"}, "results": ['
    '{"doc_id": "a", "rank": 0, "score": 3.5}, {"doc_id": "b", "rank": 1, "score": 2}]}',
    "TIREx, lines": "\n".join(map(json.dumps, FLAT)),
    "ir_datasets, array": json.dumps([{"query_id": r["qid"], "doc_id": r["docno"], "score": r["score"]} for r in FLAT]),
    "PyTerrier, CSV": "qid,docno,rank,score,query\n1,a,0,3.5,\"one, two\"\n1,b,1,2.0,\"one, two\"\n2,c,0,1.0,x\n",
    "a header and tabs": "query_id\tdoc_id\trank\tscore\trun_id\n1\ta\t1\t3.5\tr\n1\tb\t2\t2\tr\n2\tc\t1\t1\tr\n",
    "five columns without a tag": "1 Q0 a 1 3.5\n1 Q0 b 2 2.0\n2 Q0 c 1 1.0\n",
    "five columns without Q0": "1 a 1 3.5 r\n1 b 2 2.0 r\n2 c 1 1.0 r\n",
    "DPR of pyserini": json.dumps({
        "1": {"question": "Why?", "answers": ["x"], "contexts": [
            {"docid": "a", "score": "3.5", "text": "T", "has_answer": True}, {"docid": "b", "score": "2.0", "text": "U"}
        ]},
        "2": {"question": "Who?", "answers": [], "contexts": [{"docid": "c", "score": "1.0"}]},
    }),
    "DPR": json.dumps([
        {"id": "1", "question": "Why?", "answers": ["x"], "ctxs": [
            {"id": "a", "title": "T", "text": "U", "score": "3.5", "has_answer": True}, {"id": "b", "score": "2.0"}
        ]},
        {"qid": "2", "question": "Who?", "answers": [], "ctxs": [{"id": "c", "score": 1}]},
    ]),
    "R, row names without a name": '"qid" "docno" "rank" "score"\n"1" 1 "a" 1 3.5\n"2" 1 "b" 2 2\n"3" 2 "c" 1 1\n',
    "R, without names": '1 "Q0" "a" 1 3.5 "r"\n1 "Q0" "b" 2 2 "r"\n2 "Q0" "c" 1 1 "r"\n',
    "TREC": "1 Q0 a 1 3.5 r\n1 Q0 b 2 2.0 r\n2 Q0 c 1 1.0 r\n",
}  # fmt: skip
QRELS = {
    "BEIR": "query-id\tcorpus-id\tscore\n1\ta\t2\n1\tb\t0\n2\tc\t1\n",
    "ir_datasets": "query_id,doc_id,relevance,iteration\n1,a,2,0\n1,b,0,0\n2,c,1,0\n",
    "umbrela": '{"qid": "1", "docid": "a", "judgment": 2}\n{"qid": "1", "docid": "b", "judgment": 0}\n'
    '{"qid": "2", "docid": "c", "judgment": 1}\n',
    "judged candidates": '{"query": {"qid": "1"}, "candidates": [{"docid": "a", "judgment": 2},'
    ' {"docid": "b", "judgment": 0}]}\n'
    '{"query": {"qid": "2"}, "candidates": [{"docid": "c", "judgment": 1}]}\n',
    "a mapping": '{"1": {"a": 2, "b": 0}, "2": {"c": 1}}',
    "three columns": "1 a 2\n1 b 0\n2 c 1\n",
    "R, row names without a name": "qid iter docno rel\n1 1 0 a 2\n2 1 0 b 0\n3 2 0 c 1\n",
    "R, without names": '1 0 "a" 2\n1 0 "b" 0\n2 0 "c" 1\n',
    "commas and blanks": "1, 0, a, 2\n1, 0, b, 0\n2, 0, c, 1\n",
    "TREC": "1 0 a 2\n1 0 b 0\n2 0 c 1\n",
}  # fmt: skip
