"""What is written comes back, whatever the texts hold; what is broken is named."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats import document_list, judgments_jsonl, nist_qa, pool_tables
from scoring.formats.judgments_jsonl import (
    AnswerFound,
    Classed,
    Evidence,
    Judged,
    ListFrozen,
    Matched,
    NonePicked,
    NuggetWritten,
    Reviewed,
    Source,
    Voted,
)
from scoring.formats.pool_tables import escape_column, topic_order, unescape_column
from scoring.own_items import own_key
from scoring.reading import line_pieces
from scoring.records import (
    AnswerClass,
    InstanceJudgment,
    Issue,
    ItemMatch,
    JudgedInstance,
    Nugget,
    NuggetVote,
    RankedDoc,
    ResponseItem,
    RunMatch,
    TopicMatches,
)

Read = Callable[[BinaryIO], Iterator[Any]]
Write = Callable[[Iterable[Any]], Iterator[str]]

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30)
ANY = st.text(st.characters(codec="utf-8") | st.sampled_from("\t\n\r\\\0\x85\u2028\ufeff"), max_size=20)
TOPIC = st.from_regex(r"[0-9]{1,3}\.[0-9]{1,2}", fullmatch=True)
WORD = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,12}", fullmatch=True)
LINE = st.lists(st.text("ab😀é\\'\"\u200b", min_size=1, max_size=8), min_size=1, max_size=4).map(" ".join)
NUMBER = st.integers(1, 99)
PART = st.integers(0, 5)
IMPORTANCE = st.sampled_from(["vital", "okay"])
CORRECTNESS = st.sampled_from([-1, 1, 2, 3])

ACT: dict[str, Any] = {"by": WORD, "topic": TOPIC, "role": st.sampled_from(["", "second", "adjudicator"])}
ITEM = ACT | {"docno": WORD, "answer": TEXT, "key": st.sampled_from(["", "9-1_3", "k é"])}
SNIPPET = st.builds(Evidence, quote=TEXT, start=st.integers(-1, 10**6), value=st.none() | st.integers(-9, 9))
SNIPPETS = st.lists(SNIPPET, max_size=2).map(tuple)
FIELDS = st.dictionaries(WORD, TEXT | st.integers(-9, 9) | st.none(), max_size=2)

OWN_KEY = st.sampled_from(["", own_key("0" * 32, "Amber1")])


FORMATS: dict[str, tuple[Read, Write, st.SearchStrategy[Any]]] = {
    "instances": (
        pool_tables.read_instances,
        pool_tables.write_instances,
        st.builds(InstanceJudgment, topic=TOPIC, docno=WORD, text=ANY, correctness=CORRECTNESS, answer_class=ANY),
    ),
    "answer classes": (
        pool_tables.read_answer_classes,
        pool_tables.write_answer_classes,
        st.builds(AnswerClass, topic=TOPIC, key=ANY, label=ANY, found_by=st.sampled_from(["", "assessor"])),
    ),
    "nuggets": (
        pool_tables.read_nuggets,
        pool_tables.write_nuggets,
        st.builds(Nugget, topic=TOPIC, number=NUMBER, importance=IMPORTANCE, text=ANY),
    ),
    "votes": (
        pool_tables.read_votes,
        pool_tables.write_votes,
        st.builds(NuggetVote, topic=TOPIC, number=NUMBER, assessor=WORD, importance=IMPORTANCE),
    ),
    "matches": (
        pool_tables.read_matches,
        pool_tables.write_matches,
        st.builds(ItemMatch, topic=TOPIC, docno=WORD, text=ANY, number=NUMBER, part=PART, key=OWN_KEY),
    ),
    "list_judged": (
        nist_qa.read_list_judged,
        nist_qa.write_list_judged,
        st.builds(
            JudgedInstance,
            topic=TOPIC,
            run=WORD,
            docno=WORD,
            correctness=CORRECTNESS,
            distinct=st.booleans(),
            text=LINE,
        ),
    ),
    "otherjudged": (
        nist_qa.read_other_judged,
        nist_qa.write_other_judged,
        st.builds(ResponseItem, topic=TOPIC, run=WORD, item=NUMBER, docno=WORD, text=LINE)
        | st.builds(RunMatch, topic=TOPIC, run=WORD, item=NUMBER, number=NUMBER, part=PART),
    ),
    "final answer sets": (
        nist_qa.read_answer_sets,
        nist_qa.write_answer_sets,
        st.builds(AnswerClass, topic=TOPIC, key=LINE, label=LINE),
    ),
    "judgments": (
        judgments_jsonl.read_judgments,
        judgments_jsonl.write_judgments,
        st.builds(Judged, **ITEM, criterion=WORD, value=CORRECTNESS, note=TEXT, evidence=SNIPPETS)
        | st.builds(NonePicked, **ACT, criterion=WORD)
        | st.builds(AnswerFound, **ITEM, label=TEXT)
        | st.builds(Classed, **ITEM, label=TEXT)
        | st.builds(
            NuggetWritten,
            **ACT,
            number=NUMBER,
            importance=IMPORTANCE,
            text=TEXT,
            group=TEXT,
            fields=FIELDS,
            sources=st.lists(st.builds(Source, docno=WORD, quote=TEXT), max_size=3).map(tuple),
        )
        | st.builds(ListFrozen, **ACT)
        | st.builds(Matched, **ITEM, number=NUMBER, part=PART, quote=TEXT, is_partial=st.booleans())
        | st.builds(Matched, **ITEM, number=NUMBER, part=PART, quote=TEXT, is_absent=st.just(True))
        | st.builds(Reviewed, **ITEM)
        | st.builds(Voted, **ACT, number=NUMBER, importance=IMPORTANCE),
    ),
}


def as_file(lines: Iterable[str]) -> BinaryIO:
    return io.BytesIO("".join(line + "\n" for line in lines).encode())


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_written_records_come_back(name: str, data: st.DataObject) -> None:
    read, write, strategy = FORMATS[name]
    records = data.draw(st.lists(strategy, max_size=8))
    lines = list(write(records))
    found = list(read(as_file(lines)))
    assert len(found) == len(set(records))
    assert set(found) == set(records)
    assert list(write(found)) == lines


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_writing_does_not_depend_on_order(name: str, data: st.DataObject) -> None:
    _, write, strategy = FORMATS[name]
    records = data.draw(st.lists(strategy, max_size=8))
    assert list(write(records)) == list(write(data.draw(st.permutations(records))))


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.binary(max_size=120))
def test_readers_never_raise(name: str, data: bytes) -> None:
    read, _, _ = FORMATS[name]
    list(read(io.BytesIO(data)))


MATCH_LINES = st.lists(
    st.sampled_from([b"3.1\t1\tD1\twine\n", b"3.1\t2.1\tD1\twine\n", b"3.2\t1\tD1\ta \xc3\xa9\n", b"3.1\tx\tD1\ty\n"])
    | st.sampled_from([b"3.1\t1\tD1\ta\\tb\n", b"\n", b"3.1\t1\tD1\twine\tk@A\n", b"\xff\n", b"3.1\t1\tD1\tw\r\n"])
    | st.binary(max_size=9)
)


@given(MATCH_LINES.map(b"".join), st.sampled_from([20, 60, 1 << 18]))
def test_matches_of_a_topic_at_once_are_those_read_one_by_one(content: bytes, piece: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_pieces, "PIECE", piece)
        found = list(pool_tables.read_topic_matches(io.BytesIO(content)))
    one_by_one: list[object] = []
    for said in found:
        marks = said.marks if isinstance(said, TopicMatches) else ()
        one_by_one += [ItemMatch(said.topic, *item, *nugget) for item, *nugget in marks] or [said]
    assert one_by_one == list(pool_tables.read_matches(io.BytesIO(content)))


@given(st.text())
def test_escaped_column_is_one_column_of_one_line(text: str) -> None:
    escaped = escape_column(text)
    assert unescape_column(escaped) == text
    assert "\t" not in escaped
    assert len((escaped + "x").splitlines()) == 1


def test_lines_have_the_published_layout() -> None:
    item = ResponseItem(topic="52.6", run="example", item=12, docno="D1", text="two dollars")
    match = RunMatch(topic="52.6", run="example", item=12, number=6)
    part = RunMatch(topic="52.6", run="example", item=12, number=5, part=1)
    assert list(nist_qa.write_other_judged([part, match, item])) == [
        "52.6 example 12 D1 two dollars",
        "52.6 example 12 5.1",
        "52.6 example 12 6",
    ]
    judged = JudgedInstance(topic="3.1", run="RUN-A", docno="D1", correctness=1, distinct=True, text="cheap wine")
    assert list(nist_qa.write_list_judged([judged])) == ["3.1 RUN-A D1 1 1 cheap wine"]


def test_topics_are_ordered_by_their_numbers() -> None:
    nuggets = [Nugget(topic=topic, number=1, importance="vital", text="x") for topic in ("10.1", "9.10", "9.2")]
    assert [line.split("\t")[0] for line in pool_tables.write_nuggets(nuggets)] == ["9.2", "9.10", "10.1"]
    assert sorted(["b", "a10", "a9", ""], key=topic_order) == ["", "a9", "a10", "b"]


def test_judgment_lines_have_sorted_keys() -> None:
    act = Judged(by="assessor-1", topic="3.1", docno="D1", answer="wine", criterion="correctness", value=-1)
    assert list(judgments_jsonl.write_judgments([act])) == [
        '{"answer": "wine", "by": "assessor-1", "criterion": "correctness", "do": "judge", "docno": "D1", '
        '"topic": "3.1", "value": -1}'
    ]


@given(FORMATS["judgments"][2])
def test_each_line_is_written_as_json_with_sorted_keys_is(act: Any) -> None:
    (line,) = judgments_jsonl.write_judgments([act])
    assert json.dumps(json.loads(line), ensure_ascii=False, sort_keys=True) == line


def test_judgments_that_pandas_wrote_again_are_the_same() -> None:
    members = ("role", "note", "evidence", "key", "given", "order", "version", "how", "draft", "class", "nugget")
    plain, again = JUDGE + "}", JUDGE.replace(":1", ":1.0") + "".join(f',"{each}":null' for each in members) + "}"
    (found,) = judgments_jsonl.read_judgments(as_file([again]))
    assert [found] == list(judgments_jsonl.read_judgments(as_file([plain])))


@pytest.mark.parametrize("indent", [1, 4])
@pytest.mark.parametrize("is_list", [True, False])
def test_judgments_in_one_value_over_several_lines_are_told_once(indent: int, is_list: bool) -> None:
    act = json.loads(JUDGE + "}")
    (issue,) = judgments_jsonl.read_judgments(as_file(json.dumps([act] if is_list else act, indent=indent).split("\n")))
    assert isinstance(issue, Issue)
    assert (issue.where, issue.message.startswith("Each line must be a JSON object of its own")) == (1, True)


def test_judgments_are_written_in_an_order_that_can_be_replayed() -> None:
    def item(kind: type) -> Any:
        return kind(by="a", topic="3.1", docno="D1", answer="wine", label="wine")

    acts = [
        Voted(by="b", topic="3.2", number=1, importance="okay"),
        Matched(by="a", topic="3.2", docno="D1", answer="wine", number=2, part=1),
        ListFrozen(by="a", topic="3.2"),
        NuggetWritten(by="a", topic="3.2", number=10, importance="vital", text="x"),
        NuggetWritten(by="a", topic="3.2", number=9, importance="vital", text="y"),
        item(Classed),
        item(AnswerFound),
        Judged(by="a", topic="3.1", docno="D1", answer="wine", criterion="correctness", value=1),
    ]
    written = list(judgments_jsonl.read_judgments(as_file(judgments_jsonl.write_judgments(acts))))
    assert written == [*acts[::-1][:3], acts[4], acts[3], acts[2], acts[1], acts[0]]


NUGGET = '{"do":"nugget","by":"a","topic":"3.2","number":1,"importance":"vital","text":"x","fields":'
JUDGE = '{"do":"judge","by":"a","topic":"3.1","docno":"D1","answer":"x","criterion":"correctness","value":1'

BROKEN: list[tuple[Read, str, str, str]] = [
    (pool_tables.read_instances, "3.1\tD1\t1\tx", "columns", "4 tab-separated"),
    (pool_tables.read_instances, "3.1\tD1\t0\t\tx", "value", "must be -1, 1, 2 or 3"),
    (pool_tables.read_instances, "3.1\tD1\tone\t\tx", "value", "must be -1, 1, 2 or 3"),
    (pool_tables.read_nuggets, "3.2\t1.5\tvital\tx", "value", "whole number"),
    (pool_tables.read_nuggets, "3.2\t1\tVital\tx", "value", "vital or okay"),
    (pool_tables.read_votes, "3.2\tx\ta\tvital", "value", "whole number"),
    (pool_tables.read_votes, "3.2\t1\ta\tmaybe", "value", "vital or okay"),
    (pool_tables.read_matches, "3.2\t1.0\tD1\tx", "value", "5.1 for a part"),
    (pool_tables.read_matches, "3.2\t٣\tD1\tx", "value", "5.1 for a part"),
    (nist_qa.read_list_judged, "3.1 r D1 1 x", "columns", "six columns"),
    (nist_qa.read_list_judged, "3.1 r D1 4 1 x", "value", "must be -1, 1, 2 or 3"),
    (nist_qa.read_list_judged, "3.1 r D1 1 yes x", "value", "must be 1 or 0"),
    (nist_qa.read_other_judged, "3.2 r 1", "columns", "3 columns"),
    (nist_qa.read_other_judged, "3.2 r x 6", "value", "item number"),
    (nist_qa.read_other_judged, "3.2 r 1 six", "value", "nugget"),
    (nist_qa.read_answer_sets, "3.1 c1", "columns", "three columns"),
    (document_list.read_document_list, "3 1 D1", "columns", "qnum rank docid rsv"),
    (document_list.read_document_list, "3 0 D1 1.5", "rank", "whole number from 1"),
    (document_list.read_document_list, "3 first D1 1.5", "rank", "whole number from 1"),
    (document_list.read_document_list, "3 1 D1 nan", "rsv", "must be a number"),
    (document_list.read_document_list, "3 1 D1 high", "rsv", "must be a number"),
    (judgments_jsonl.read_judgments, "{", "json", "not JSON"),
    (judgments_jsonl.read_judgments, "[" * 5000, "json", "too deep"),
    (judgments_jsonl.read_judgments, "[]", "record", "no JSON object"),
    (judgments_jsonl.read_judgments, '{"do":"dance"}', "record", "“do” must be one of"),
    (judgments_jsonl.read_judgments, JUDGE.replace(":1", ":1.5") + "}", "record", "whole number"),
    (judgments_jsonl.read_judgments, JUDGE + ',"role":"boss"}', "record", "“role” must be one of"),
    (judgments_jsonl.read_judgments, JUDGE + ',"run":"Team1"}', "record", "“run” has no place here"),
    (judgments_jsonl.read_judgments, JUDGE.replace('"by":"a",', "") + "}", "record", "“by” is missing"),
    (judgments_jsonl.read_judgments, JUDGE.replace(":1", ":true") + "}", "record", "whole number"),
    (judgments_jsonl.read_judgments, JUDGE.replace(":1", ":1e999") + "}", "record", "must be finite"),
    (judgments_jsonl.read_judgments, JUDGE + ',"note":"\\ud800"}', "record", "$.note: The text has"),
    (judgments_jsonl.read_judgments, JUDGE + ',"note":"a\\u0000b"}', "record", "$.note: The text has a NUL"),
    (judgments_jsonl.read_judgments, NUGGET + '{"a":NaN}}', "record", "must be finite"),
    (judgments_jsonl.read_judgments, NUGGET + '{"a":["\\u0000"]}}', "record", "$.fields.a[0]: The text has a NUL"),
    (judgments_jsonl.read_judgments, JUDGE + ',"by":"b"}', "record", "given twice"),
    *[
        (judgments_jsonl.read_judgments, NUGGET + '{"a":' + "[" * depth + "]" * depth + "}}", "json", "too deep")
        for depth in range(995, 1100, 15)
    ],
]


@pytest.mark.parametrize(("read", "line", "code", "words"), BROKEN)
def test_broken_line_is_named_and_the_next_is_read(read: Read, line: str, code: str, words: str) -> None:
    issues = [item for item in read(as_file(["", line])) if isinstance(item, Issue)]
    assert [(issue.where, issue.code) for issue in issues] == [(2, code)]
    assert words in issues[0].message


DOCUMENTS = st.builds(
    RankedDoc,
    topic=WORD,
    docno=WORD,
    rank=st.integers(1, 10**6),
    score=st.floats(allow_nan=False, allow_infinity=False),
)


@given(st.lists(DOCUMENTS, unique_by=(lambda r: (r.topic, r.docno), lambda r: (r.topic, r.rank))))
def test_document_lists_come_back(records: list[RankedDoc]) -> None:
    read = list(document_list.read_document_list(as_file(document_list.write_document_list(records))))
    found = [item for item in read if isinstance(item, RankedDoc)]
    assert sorted(map(repr, found)) == sorted(map(repr, records))
    assert {item.code for item in read if isinstance(item, Issue)} <= {"rsv-order"}


def test_document_list_names_what_comes_twice() -> None:
    lines = ["3 1 D1 9.5", "3 2 D1 9.4", "3 1 D2 9.3", "4 1 D1 9"]
    found = list(document_list.read_document_list(as_file(lines)))
    assert [item.code if isinstance(item, Issue) else item.docno for item in found] == [
        "D1",
        "duplicate-docid",
        "duplicate-rank",
        "D1",
    ]


def test_document_list_beyond_the_limit_is_a_warning_once() -> None:
    lines = [f"3 {rank} D{rank} 1" for rank in range(1, 1004)]
    issues = [item for item in document_list.read_document_list(as_file(lines)) if isinstance(item, Issue)]
    assert [(issue.where, issue.code, issue.severity) for issue in issues] == [(1001, "list-length", "warning")]


def test_what_many_lines_share_is_held_once():
    acts = [
        Judged(by="assessor-1", topic="1", docno=key, answer="", criterion="relevance", value=1, key=key)
        for key in ("D1", "D2")
    ]
    content = "".join(f"{line}\n" for line in judgments_jsonl.write_judgments(acts)).encode()
    one, other = judgments_jsonl.read_judgments(io.BytesIO(content))
    assert [one, other] == acts
    assert (one.by is other.by, one.topic is other.topic, one.criterion is other.criterion) == (True, True, True)
    assert (one.key is one.docno, other.key is other.docno) == (True, True)
