"""Assessed answers, clusters of sentences, grades with evidence, and judgments and runs in JSON."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.__main__ import main
from scoring.formats.answer_clusters import STRICTNESSES, AnswerCluster, read_answer_clusters, write_answer_clusters
from scoring.formats.assessed_answers import (
    NECESSITIES,
    RELATIONS,
    AssessedAnswer,
    AssessedSentence,
    Assessment,
    read_assessed_answers,
    write_assessed_answers,
)
from scoring.formats.grades import read_item_grades, write_item_grades
from scoring.formats.json_ranked import (
    read_any_qrels,
    read_any_run,
    read_qrels_json,
    read_run_json,
    write_qrels_json,
    write_run_json,
)
from scoring.records import Issue, ItemGrade, Qrel, RankedDoc

WORD = st.text(alphabet="abc012_", min_size=1, max_size=5)
REQUIRED = "required_answer_sentences_cluster"
TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)


def again(
    records: Iterable[Any],
    write: Callable[[Iterable[Any]], Iterator[str]],
    read: Callable[[BinaryIO], Iterator[Any]],
) -> list[Any]:
    """The records written and read; what is read writes the same lines."""
    lines = list(write(records))
    found = list(read(io.BytesIO("".join(line + "\n" for line in lines).encode())))
    assert list(write(found)) == lines
    return found


def issues(read: Callable[[BinaryIO], Iterator[Any]], content: object) -> list[tuple[int | str, str]]:
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    return [(each.where, each.code) for each in read(io.BytesIO(raw)) if isinstance(each, Issue)]


# ---------------------------------------------------------------- round trips


@given(st.dictionaries(st.tuples(WORD, WORD), st.integers(-1, 4), min_size=1))
def test_qrels_come_back(grades: dict[tuple[str, str], int]) -> None:
    records = [Qrel(topic=topic, docno=docno, grade=grade) for (topic, docno), grade in grades.items()]
    found = again(records, write_qrels_json, read_qrels_json)
    assert {(each.topic, each.docno): each.grade for each in found} == grades


@given(st.dictionaries(WORD, st.lists(WORD, unique=True, min_size=1), min_size=1), st.floats(0.1, 9))
def test_runs_come_back(ranked: dict[str, list[str]], step: float) -> None:
    records = [
        RankedDoc(topic=topic, docno=docno, rank=rank, score=-rank * step)
        for topic, docnos in ranked.items()
        for rank, docno in enumerate(docnos, 1)
    ]
    assert set(again(records, write_run_json, read_run_json)) == set(records)


@given(st.lists(st.tuples(st.sampled_from("12"), st.sampled_from(STRICTNESSES), st.sampled_from("078"), WORD, WORD)))
def test_clusters_come_back(rows: list[tuple[str, Any, str, str, str]]) -> None:
    members: dict[tuple[str, Any, str], set[tuple[str, str]]] = {}
    for topic, strictness, _, run, number in rows:
        members[topic, strictness, "0"] = members.get((topic, strictness, "0"), set()) | {(run, number)}
    records = [
        AnswerCluster(topic=topic, strictness=strictness, cluster=cluster, sentences=tuple(sorted(found)))
        for (topic, strictness, cluster), found in members.items()
    ]
    found = again(records, write_answer_clusters, read_answer_clusters)
    assert {(r.topic, r.strictness, frozenset(r.sentences)) for r in found} == {
        (r.topic, r.strictness, frozenset(r.sentences)) for r in records
    }


ASSESSMENTS = st.builds(
    Assessment, docno=WORD, relation=st.sampled_from([*RELATIONS, None]), snippet=TEXT.map(str.strip)
)
SENTENCES = st.builds(
    AssessedSentence,
    number=WORD,
    text=TEXT,
    necessity=st.sampled_from([*NECESSITIES, None]),
    citations=st.lists(ASSESSMENTS, max_size=3).map(tuple),
)
ANSWERS = st.builds(
    AssessedAnswer,
    topic=st.sampled_from("12"),
    question=st.just("Why?"),
    run=WORD,
    answer=TEXT,
    accurate=st.sampled_from([True, False, None]),
    sentences=st.lists(SENTENCES, max_size=3).map(tuple),
)


@given(st.lists(ANSWERS, unique_by=lambda each: (each.topic, each.run), max_size=4))
def test_assessed_answers_come_back(records: list[AssessedAnswer]) -> None:
    found = again(records, write_assessed_answers, read_assessed_answers)
    assert {(each.topic, each.run): (each.accurate, each.answer, each.sentences) for each in found} == {
        (each.topic, each.run): (each.accurate, each.answer, each.sentences) for each in records
    }


@given(
    st.lists(
        st.builds(
            ItemGrade,
            topic=st.sampled_from("12"),
            kind=WORD,
            key=WORD,
            criterion=WORD,
            value=st.one_of(st.none(), st.integers(-5, 5)),
            text=TEXT,
            evidence=st.lists(st.fixed_dictionaries({"quote": TEXT, "start": st.integers(0, 9)})).map(tuple),
        ),
        unique_by=lambda each: (each.topic, each.kind, each.key, each.criterion),
    )
)
def test_grades_come_back(records: list[ItemGrade]) -> None:
    found = again(records, write_item_grades, read_item_grades)
    assert sorted(found, key=repr) == sorted(records, key=repr)


# ---------------------------------------------------------------- bad content


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", [("", "empty-file")]),
        ([], [("$", "shape")]),
        ({"1": [1]}, [("$['1']", "field-type")]),
        ({"1": {"D1": "1"}}, [("$['1'].D1", "value")]),
        ({"1": {"D1": True, "D2": 1.5}}, [("$['1'].D1", "value"), ("$['1'].D2", "value")]),
        ({"1": {"D 3": 1}}, [("$['1']['D 3']", "name")]),
        ({"a b": {"D1": 1}}, [("$['a b']", "name")]),
        (b'{"1": {"D1": 1, "D1": 0}}', [("$['1']", "duplicate-key")]),
        (b"[" * 100_000, [("$", "nesting")]),
        (b'{"1": {"D1": NaN}}', [("$['1'].D1", "number")]),
    ],
)  # fmt: skip
def test_broken_qrels_are_named(content: object, expected: list[tuple[str, str]]) -> None:
    assert issues(read_qrels_json, content) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"1": 1, "2": [["D1", 1.5]]}, [("$['1']", "field-type")]),
        ({"1": {"D1": "1", "D2": 1.5}}, [("$['1'].D1", "value")]),
        ({"1": [["D1", 1.0], ["D1", 0.5]]}, [("$['1'][1]", "duplicate")]),
        ({"1": [["D1"], "D2", ["D3", "1"], [None, 1], ["D4", True]]}, [
            ("$['1'][0]", "field-type"), ("$['1'][1]", "field-type"), ("$['1'][2]", "value"), ("$['1'][3]", "name"),
            ("$['1'][4]", "value"),
        ]),
    ],
)  # fmt: skip
def test_broken_runs_are_named(content: object, expected: list[tuple[str, str]]) -> None:
    assert issues(read_run_json, content) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ([1], [("$", "shape")]),
        ({"1": 5}, [("$['1']", "field-type")]),
        ({"1": {"clusters": {}}}, [("$['1'].clusters", "unknown-field")]),
        ({"1": {REQUIRED: []}}, [(f"$['1'].{REQUIRED}", "field-type")]),
        (
            {"1": {REQUIRED: {"0": ["M1-1", "M1-1", "M1", {"answer_sentence_id": 3}], "1": 7}}},
            [
                (f"$['1'].{REQUIRED}['0'][1]", "duplicate"),
                (f"$['1'].{REQUIRED}['0'][2]", "sentence"),
                (f"$['1'].{REQUIRED}['0'][3]", "sentence"),
                (f"$['1'].{REQUIRED}['1']", "field-type"),
            ],
        ),
    ],
)  # fmt: skip
def test_broken_clusters_are_named(content: object, expected: list[tuple[str, str]]) -> None:
    assert issues(read_answer_clusters, content) == expected


@pytest.mark.parametrize(
    "line",
    [
        '"x"',
        '{"topic": "1", "kind": "k", "key": "a", "value": 1}',
        '{"topic": "1", "kind": "k", "key": "a", "criterion": "c", "value": "1"}',
        '{"topic": "1", "kind": "k", "key": "a", "criterion": "c", "value": true}',
        '{"topic": "1", "kind": "k", "key": "a", "criterion": "c", "value": 1, "extra": 1}',
        '{"topic": "1", "kind": "k", "key": "a", "criterion": "c", "value": 1, "evidence": ["q"]}',
        '{"topic": "1", "kind": "k", "key": "a", "criterion": "c", "evidence": [{"quote": "q", "start": "0"}]}',
        '{"topic": "1", "kind": "k", "key": "a", "criterion": "c", "value": 1, "fields": []}',
    ],
)
def test_broken_grades_are_named(line: str) -> None:
    assert issues(read_item_grades, line.encode()) == [(1, "record")]


# ---------------------------------------------------------------- which form a file has


def test_columns_and_json_are_told_apart(tmp_path: Path) -> None:
    columns, as_json = b"1 0 D1 2\n", b'\xef\xbb\xbf {"1": {"D1": 2}}'
    assert list(read_any_qrels(io.BytesIO(columns))) == list(read_any_qrels(io.BytesIO(as_json)))
    (line,) = read_any_run(io.BytesIO(b"1 Q0 D1 1 0.5 tag\n"))
    (bare,) = read_any_run(io.BytesIO(b'{"1": [["D1", 0.5]]}'))
    assert isinstance(line, RankedDoc) and isinstance(bare, RankedDoc)
    assert (line.docno, line.score, line.run) == (bare.docno, bare.score, bare.run or "tag")


def test_json_runs_are_ranked_under_the_name_of_their_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels.json").write_text('{"1": {"D1": 1, "D2": 0}}')
    (tmp_path / "mine.json").write_text('{"1": [["D2", 0.9], ["D1", 0.8]]}')
    arguments = ["--qrels", str(tmp_path / "qrels.json"), "--run", str(tmp_path / "mine.json"), "-m", "RR"]
    assert main(["rank", *arguments]) == 0
    assert capsys.readouterr().out.splitlines() == ["mine\t1\tRR\t0.500000", "mine\tall\tRR\t0.500000"]


@pytest.mark.shared
@pytest.mark.parametrize("run", ["bm25_run", "knn_run", "lm_dir_run", "rrf_tuned_run"])
def test_published_figures_of_real_runs_come_out(
    shared_data: Path, run: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shared_data / "biogen2024" / "ranking"
    expected = json.loads((folder / "expected.json").read_text())[run]
    files = ["--qrels", str(folder / "qrels.json"), "--run", str(folder / f"{run}.json")]
    assert main(["rank", *files, "-m", "RR", "-m", "P@10", "-m", "R@100", "--format", "json"]) == 0
    found = {row["measure"]: row["value"] for row in json.loads(capsys.readouterr().out) if row["topic"] == "all"}
    assert found == {
        "RR": pytest.approx(expected["MRR"], abs=1e-12),
        "P@10": pytest.approx(expected["P@10"], abs=1e-12),
        "R@100": pytest.approx(expected["R@100"], abs=1e-12),
    }
