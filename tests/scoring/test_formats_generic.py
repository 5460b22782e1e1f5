import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.known_formats import FORMATS, find_format
from scoring.formats.qrels import read_qrels, write_qrels
from scoring.records import (
    AssignedNugget,
    Issue,
    ItemValue,
    Nugget,
    NuggetizerLine,
    NuggetVote,
    Qrel,
    RankedDoc,
    ResponseItem,
    ResponseLength,
    RunMatch,
    Score,
)

WORD = st.text(
    st.characters(codec="utf-8", categories=["L", "N", "P", "S"], exclude_characters="\ufeff"), min_size=1, max_size=8
)
SMALL = st.integers(0, 10**6)
REAL = st.floats(allow_nan=False, allow_infinity=False).map(lambda value: value + 0.0)  # no negative zero
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
LINE = TEXT.filter(lambda text: text == text.strip() and text)
IMPORTANCE = st.sampled_from(["vital", "okay"])


def unique(records, *names):
    return st.lists(records, max_size=6, unique_by=lambda record: tuple(getattr(record, name) for name in names))


def one_tag(records):
    return unique(records, "topic", "docno")


def numbered(items):
    """Responses get their numbers by place, as the reader counts them."""
    counts = {}
    done = []
    for topic, run, docno, text in items:
        counts[topic, run] = counts.get((topic, run), 0) + 1
        done.append(ResponseItem(topic=topic, run=run, item=counts[topic, run], docno=docno, text=text))
    return done


ASSIGNED = st.builds(
    AssignedNugget, text=TEXT, importance=IMPORTANCE, assignment=st.sampled_from(["", "support", "not_support"])
)

RECORDS = {
    "qrels": unique(
        st.builds(Qrel, topic=WORD, docno=WORD, grade=st.integers(-5, 9), iteration=WORD), "topic", "docno"
    ),
    "trec-run": one_tag(
        st.builds(RankedDoc, topic=WORD, docno=WORD, rank=SMALL, score=REAL, run=st.just("tag")),
    ),
    "item-values": unique(st.builds(ItemValue, topic=WORD, item=WORD, value=REAL), "topic", "item"),
    "scores": unique(
        st.builds(Score, run=WORD, topic=WORD, measure=WORD, value=st.none() | REAL), "run", "topic", "measure"
    ),
    "lengths": unique(st.builds(ResponseLength, topic=WORD, run=WORD, characters=SMALL), "topic", "run"),
    "nuggets": unique(st.builds(Nugget, topic=WORD, number=SMALL, importance=IMPORTANCE, text=LINE), "topic", "number"),
    "votes": unique(
        st.builds(NuggetVote, topic=WORD, number=SMALL, assessor=WORD, importance=IMPORTANCE),
        "topic", "number", "assessor",
    ),
    "matches": st.lists(
        st.builds(RunMatch, topic=WORD, run=WORD, item=SMALL, number=SMALL, part=st.integers(0, 9)), max_size=6
    ),
    "responses": st.lists(st.tuples(WORD, WORD, WORD, LINE), max_size=6).map(numbered),
    "nuggetizer": st.lists(
        st.builds(
            NuggetizerLine, topic=WORD, query=TEXT, nuggets=st.lists(ASSIGNED, max_size=3).map(tuple), run=WORD,
            answer=TEXT,
        )
        | st.builds(NuggetizerLine, topic=WORD, query=TEXT, nuggets=st.lists(ASSIGNED, max_size=3).map(tuple)),
        max_size=4,
    ),
}  # fmt: skip


def content(lines):
    return "".join(line + "\n" for line in lines).encode()


@pytest.mark.parametrize("name", RECORDS)
@given(data=st.data())
def test_what_is_written_is_read_back(name, data):
    known = find_format(name)
    records = data.draw(RECORDS[name])
    lines = list(known.write(records))
    read = list(known.read(io.BytesIO(content(lines))))
    assert sorted(map(repr, read)) == sorted(map(repr, records))
    assert list(known.write(read)) == lines


@pytest.mark.parametrize("topic", ["<0>", "<A>", "<a.b/>"])
def test_a_topic_whose_name_is_like_a_tag_is_a_column(topic):
    known = find_format("nuggets")
    records = [Nugget(topic=topic, number=0, importance="vital", text="0")]
    assert list(known.read(io.BytesIO(content(known.write(records))))) == records


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
@given(hostile=st.binary(max_size=300))
def test_no_reader_raises(known, hostile):
    for record in known.read(io.BytesIO(hostile)):
        assert not isinstance(record, Issue) or record.code


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
@given(text=st.text(st.sampled_from('1a \t\n-.{}[]":,vital'), max_size=120))
def test_no_reader_raises_on_almost_right_lines(known, text):
    for record in known.read(io.BytesIO(text.encode())):
        assert not isinstance(record, Issue) or record.message


def test_names_are_unique():
    assert len({known.name for known in FORMATS}) == len(FORMATS)


def issues(name, text):
    return [
        (issue.where, issue.code, issue.severity)
        for issue in find_format(name).read(io.BytesIO(text.encode()))
        if isinstance(issue, Issue)
    ]


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("qrels", "1 0 d 1\n1 0 d\n1 0 e 1.5\n1 0 d 1\n2 0 d 1\n1 0 f -1\n",
         [(2, "columns"), (3, "value"), (4, "duplicate")]),
        (
            "trec-run",
            "1 Q0 a 1 2.5 t\n1 Q0 b x 2.5 t\n1 Q0 c 2 nan t\n"
            "1 Q0 a 3 1 t\n1 Q0 d 4 1 u\n1 Q0 e 5 1 t x\n2 Q0 a 1 1 t\n",
            [(2, "value"), (3, "value"), (4, "duplicate"), (5, "run-tag"), (6, "columns")],
        ),
        ("item-values", "1 a 1\n1 a 2\n1 b inf\n1 c\n", [(2, "duplicate"), (3, "value"), (4, "columns")]),
        ("scores", "r 1 AP 0.5\nr 1 AP 0.5\nr 2 AP undefined\nr 3 AP none\n", [(2, "duplicate"), (4, "value")]),
        ("lengths", "1 r 5\n1 s -5\n", [(2, "value")]),
        ("nuggets", "1 1 vital a b c\n1 x vital a\n1 2 maybe a\n1 1 okay again\n1 3 vital\n",
         [(2, "value"), (3, "value"), (4, "duplicate"), (5, "columns")]),
        ("votes", "1 1 A vital\n1 1 A okay\n1 1 B okay\n1 1 C no\n1\t2\t \tvital\n",
         [(2, "duplicate"), (4, "value"), (5, "columns")]),
        ("matches",
         "52.6 example 12 6\n52.6 example 12 5.1\n52.6 example twelve 6\n52.6 example 12 x\n52.6 example 12\n",
         [(3, "value"), (4, "value"), (5, "columns")]),
    ],
)  # fmt: skip
def test_each_bad_line_is_named_and_reading_goes_on(name, text, found):
    assert [(where, code) for where, code, _ in issues(name, text)] == found


def test_negative_grades_are_kept():
    assert list(read_qrels(io.BytesIO(b"1 0 d -1\n1 0 e -2\n"))) == [
        Qrel(topic="1", docno="d", grade=-1),
        Qrel(topic="1", docno="e", grade=-2),
    ]


def test_qrels_are_written_in_topic_order():
    records = [Qrel(topic="10", docno="a", grade=1), Qrel(topic="2", docno="b", grade=0)]
    assert list(write_qrels(records)) == ["2 0 b 0", "10 0 a 1"]


def test_nuggetizer_reads_both_forms_and_says_what_failed():
    lines = [
        {
            "qid": 7,
            "query": "q",
            "nuggets": [{"text": "a", "importance": "vital"}, {"text": "b", "importance": "failed"}],
        },
        {
            "qid": "7",
            "run_id": "r",
            "answer_text": "x",
            "nuggets": [{"text": "a", "importance": "vital", "assignment": "failed"}],
        },
        {"qid": "8", "nuggets": [{"text": "a", "importance": "huge"}]},
        {"qid": "two words", "nuggets": []},
        {"qid": "8", "nuggets": {}},
        {"qid": "9", "nuggets": [{"text": "a"}, {"text": "b", "importance": "okay"}]},
    ]
    read = list(find_format("nuggetizer").read(io.BytesIO(content([json.dumps(line) for line in lines] + ["{"]))))
    assert read[1] == NuggetizerLine(
        topic="7",
        query="q",
        nuggets=(AssignedNugget(text="a", importance="vital"), AssignedNugget(text="b", importance="okay")),
    )
    assert read[2].nuggets == (AssignedNugget(text="a", importance="vital", assignment="not_support"),)
    assert [each.importance for each in read[-2].nuggets] == ["vital", "okay"]
    assert [(each.where, each.code, each.severity) for each in read if isinstance(each, Issue)] == [
        (1, "importance", "warning"),
        (3, "nugget", "error"),
        (4, "fields", "error"),
        (5, "fields", "error"),
        (6, "importance", "warning"),
        (7, "not-json", "error"),
    ]


@pytest.mark.shared
def test_real_nuggets_are_read_whole(shared_data):
    with (shared_data / "rag25-nuggets" / "rag25-dev-nuggets.jsonl").open("rb") as file:
        found = list(find_format("nuggetizer").read(file))
    (note,) = [each for each in found if isinstance(each, Issue)]
    assert note.message == "Of these members nothing is made: nuggets.mapped_sub_narrative, nuggets.source."
    read = [each for each in found if not isinstance(each, Issue)]
    importance = [nugget.importance for line in read for nugget in line.nuggets]
    assert (len(read), len(importance), importance.count("vital")) == (22, 1255, 925)


@pytest.mark.shared
def test_real_qrels_are_read_whole(shared_data):
    with (shared_data / "ikat2023" / "qrels.txt").open("rb") as file:
        read = list(read_qrels(file))
    grades = [qrel.grade for qrel in read]
    assert [grades.count(grade) for grade in range(5)] == [25467, 4131, 2733, 1542, 310]
    assert len({qrel.topic for qrel in read}) == 176
