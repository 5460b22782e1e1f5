"""Tables of things to judge: what is read of them, and what is wrong with them, by line."""

from __future__ import annotations

import io
from fractions import Fraction
from pathlib import Path

import pytest

from assess.protocol import BundledRun, CheckContext, TopicRecord
from scoring.measures.graded_items import rubric_sums
from scoring.records import Issue
from tracks.designs.item_rows import check_system, group_of, read_topics, systems_of, weight_of
from tracks.designs.run_tables import ItemRuns

RUNS = ItemRuns(form="items", text="claim", shown=["source"], topic="topic")


def read(content: bytes, runs: ItemRuns = RUNS) -> tuple[list[TopicRecord], list[Issue]]:
    found = list(read_topics(runs, io.BytesIO(content)))
    return [each for each in found if isinstance(each, TopicRecord)], [
        each for each in found if isinstance(each, Issue)
    ]


FORMS = [
    b"claim,source,topic,x\nA,s,t1,1\n\"B, b\",,t1,2\nC,s,t2,3\nA,s,t1,4\n",
    b"\xef\xbb\xbftopic;claim;source\r\nt1;A;s\r\nt1;B, b;\r\nt2;C;s\r\n",
    b"topic\tclaim\tsource\nt1\tA\ts\nt1\tB, b\t\nt2\tC\ts\n",
    b'[{"topic": "t1", "claim": "A", "source": "s"}, {"topic": "t1", "claim": "B, b", "source": null},\n'
    b' {"topic": "t2", "claim": "C", "source": "s"}]',
    b'{"topic":"t1","claim":"A","source":"s"}\n{"topic":"t1","claim":"B, b","source":""}\n'
    b'{"topic":"t2","claim":"C","source":"s"}\n',
]  # fmt: skip


@pytest.mark.parametrize("content", FORMS, ids=["csv", "semicolons", "tabs", "list", "lines"])
def test_the_same_rows_are_read_of_every_form(content: bytes) -> None:
    topics, issues = read(content)
    assert issues == [] and [(each.number, each.text) for each in topics] == [
        ("t1", "2 to judge"),
        ("t2", "1 to judge"),
    ]
    rows = [(each["text"], each["shown"]) for topic in topics for each in topic.fields["items"]]
    assert rows == [("A", [["source", "s"]]), ("B, b", [["source", ""]]), ("C", [["source", "s"]])]


def test_blank_lines_before_the_names_of_columns_are_passed_over() -> None:
    for content in FORMS[:3]:
        topics, issues = read(b"\n  \n" + content.removeprefix(b"\xef\xbb\xbf"))
        assert (issues, [each.line for each in topics]) == ([], [4, 6])


BROKEN = [
    (b"claim,topic\nA,t\n", 1, "There is no column “source”. The file has: claim, topic."),
    (b"claim,source,topic\nA,s\n", 2, "The row has 2 fields, the first line 3."),
    (b"claim,source,topic\n ,s,t\n", 2, "“claim” is empty here"),
    (b'claim,source,topic\n"A,s,t\n', 2, "can't be read as CSV"),
    (b"claim,source,topic\nA,\xff,t\n", 1, "not UTF-8"),
    (b'{"claim": "A", "topic": "t"}\n', 1, "The line has no “source”. Each line is an object with claim"),
    (b'{"claim": ["A"], "source": "", "topic": "t"}\n', 1, "“claim” must be a text or a number."),
    (b'{"claim": true, "source": "", "topic": "t"}\n', 1, "“claim” must be a text or a number."),
    (b'{"claim": "A", "source": "", "topic": "t"}\n{"claim": \n', 2, ""),
    (b"[1, 2]", 1, "The line is no object."),
]  # fmt: skip


@pytest.mark.parametrize(("content", "line", "words"), BROKEN)
def test_what_is_wrong_with_a_row_is_told_by_its_line(content: bytes, line: int, words: str) -> None:
    _, issues = read(content)
    assert [each.where for each in issues[:1]] == [line] and words in issues[0].message, issues


TABLE = "claim,source,topic\nA,s,t1\nB,s,t2\n"
UNFIT = [
    (TABLE.encode("utf-16"), 1, "The file is UTF-16 or UTF-32, not UTF-8. Save it as UTF-8"),
    (TABLE.encode("utf-16-le"), 1, "the file may be UTF-16 or binary. Save it as UTF-8."),
    (b"sep=;\nclaim;source;topic\nA;s;t1\n", 1, "This line only says what separates the columns. Take it out"),
    (TABLE.replace("\n", "\r").encode(), 1, "A line ends with a carriage return (CR) alone."),
    (TABLE.replace("B", "B\0").encode(), 3, "“claim” holds a NUL."),
    (TABLE.encode() + b"C,s,t2,x\n", 4, "The row has 4 fields, the first line 3. Put quotes around fields."),
]


@pytest.mark.parametrize(("content", "line", "words"), UNFIT)
def test_a_table_as_spreadsheets_save_it_is_read_or_told_what_to_do(content: bytes, line: int, words: str) -> None:
    assert [(each.where, words in each.message) for each in read(content)[1]] == [(line, True)]


def test_rows_of_separators_alone_are_no_rows() -> None:
    assert read(TABLE.encode() + b",,\n ,,\n") == read(TABLE.encode())


def test_a_system_without_a_letter_of_a_tag_is_told_by_its_row(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("claim,source,topic,by\nA,s,t1,north\nA,s,t1,北\n")
    runs = RUNS.model_copy(update={"systems": ["by"]})
    found = list(systems_of(runs, [tmp_path / "items.csv"]))
    assert [(each.where, each.code) for each in found if isinstance(each, Issue)] == [("items.csv:3", "systems")]


def test_a_row_without_its_topic_is_refused_and_the_others_keep_their_numbers() -> None:
    topics, (issue,) = read(b"claim,source,topic\nA,s,t7\nB,s,\nC,s,t9\n")
    assert [each.number for each in topics] == ["t7", "t9"]
    assert (issue.where, issue.severity) == (3, "error") and "say to which topic the row belongs" in issue.message


@pytest.mark.parametrize(("name", "severity"), [("2", "error"), ("t2", "warning")])
def test_a_number_among_names_is_told_since_it_does_not_stay_one(name: str, severity: str) -> None:
    topics, (issue,) = read(f"claim,source,topic\nA,s,bees in town\nB,s,{name}\n".encode())
    assert [(each.number, each.text) for each in topics] == [("1", "bees in town"), ("2", name)]
    assert (issue.where, issue.severity) == (3, severity)
    assert f"“{name}” can't be this topic's number, as “bees in town” is none" in issue.message


def test_names_of_topics_and_systems_in_either_form_of_unicode_are_one(tmp_path: Path) -> None:
    content = "claim,source,topic,by\nA,s,Zu\u0308rich,caf\u00e9\nB,s,Z\u00fcrich,cafe\u0301\n".encode()
    topics, issues = read(content)
    assert issues == [] and [(each.text, len(each.fields["items"])) for each in topics] == [("Z\u00fcrich", 2)]
    (tmp_path / "items.csv").write_bytes(content)
    (run,) = systems_of(RUNS.model_copy(update={"systems": ["by"]}), [tmp_path / "items.csv"])
    assert isinstance(run, BundledRun) and run.form.tag == "caf"


def test_topics_of_many_words_are_numbered_and_rows_without_topics_come_in_batches() -> None:
    topics, _ = read(b"claim,source,topic\nA,s,bees in town\nB,s,bees in town\nC,s,wasps\n")
    assert [(each.number, each.text) for each in topics] == [("1", "bees in town"), ("2", "wasps")]
    batches = ItemRuns(form="items", text="claim", batch=2)
    topics, _ = read(b"claim\nA\nB\nA\nC\n", batches)
    assert [(each.number, each.text, len(each.fields["items"])) for each in topics] == [
        ("1", "1 to 2", 2), ("2", "3 to 3", 1),
    ]  # fmt: skip


WEIGHED = ItemRuns(form="items", text="claim", topic="topic", row="id", group="q", weight="w")


def test_rows_of_a_rubric_say_their_question_and_its_weight() -> None:
    rows = b"topic,id,q,w,claim\nt1,a,q1,A: Have to Know,x\nt1,b,q1,A: Have to Know,x\nt1,c,q2,0.5,y\n"
    (topic,), issues = read(rows, WEIGHED)
    items = topic.fields["items"]
    assert issues == []
    assert [(each["row"], group_of(each), str(weight_of(each))) for each in items] == [
        ("a", "q1", "4"), ("b", "q1", "4"), ("c", "q2", "1/2"),
    ]  # fmt: skip
    assert len({each["key"] for each in items}) == 3  # two answers of one text are two


def test_what_costs_points_and_the_best_question_are_counted_as_worked_by_hand() -> None:
    """ResearchRubrics: weights 5, 3, 2, -4, met 1, 0.5, 0, 1. DRAGUN, task 1: no compound question counts (None)."""
    (topic,), _ = read(b"topic,id,q,w,claim\nt1,a,q1,5,a\nt1,b,q2,3,b\nt1,c,q3,2,c\nt1,d,q4,-4,d\n", WEIGHED)
    weights = {group_of(each): weight_of(each) or Fraction(0) for each in topic.fields["items"]}
    met = zip(weights, map(Fraction, ("1", "1/2", "0", "1")), strict=True)
    assert rubric_sums("rubric-supported", met, weights) == (Fraction("5/2"), 10)
    rows = [("q1", Fraction("1/2")), ("q1", None), ("q2", Fraction(0)), ("q2", Fraction(1)), ("q3", Fraction("1/2"))]
    found = rubric_sums("rubric-best", rows, dict(zip(("q1", "q2", "q3"), map(Fraction, (4, 2, 1)), strict=True)))
    assert found == (Fraction("9/2"), 7)


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ("vital", "The weight is “vital”. Write a number, or a level: “A: Have to Know”"),
        ("nan", "The weight is “nan”."),
        ("", "The weight is “”."),
        ("2", "q1 has another weight in a row before. Give it one weight."),
    ],
)
def test_a_weight_that_says_nothing_is_refused_at_its_line(weight: str, words: str) -> None:
    (_,), (issue,) = read(f"topic,id,q,w,claim\nt1,a,q1,1.0,x\nt1,b,q1,{weight},y\n".encode(), WEIGHED)
    assert (issue.where, issue.code, issue.message.startswith(words)) == (3, "weight", True)


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"claim,source,topic,system\nA,s,t1,alma\nA,s,t1,\nB,s,t1, alma\n", []),
        (b"claim,source,topic,system\nA,s,t1,alma\nB,s,t1,opus\nA,s,t1,gpt\n", [3]),
        (b'{"claim":"A","source":"s","topic":"t1"}\n', []),
        (
            b'{"claim":"A","source":"s","topic":"t1","run":"alma"}\n{"claim":"A","source":"s","topic":"t1","run":"b"}',
            [],
        ),
        (b'{"system":"alma","claim":"A","source":"s","topic":"t1"}\n' * 2, []),
        (
            b'{"system":"alma","claim":"A","source":"s","topic":"t1"}\n{"system":"opus","claim":"B","source":"s","topic":"t1"}',
            [2],
        ),
    ],
)
def test_a_run_has_the_rows_of_one_system(content: bytes, lines: list[int]) -> None:
    runs = RUNS.model_copy(update={"systems": ["system"]})
    found = list(check_system(runs, io.BytesIO(content), CheckContext(topics=(), settings=None)))
    assert [(each.where, each.code) for each in found] == [(line, "systems") for line in lines]
