"""Topics, answers, nugget lists and labels: what is written is read back; what is wrong has its place."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.graded_nuggets import GradedNugget, read_graded_nuggets, write_graded_nuggets
from scoring.formats.match_labels import MatchLabel, read_match_labels, write_match_labels
from scoring.formats.qrels import read_graded_qrels, write_graded_qrels
from scoring.formats.rag_answers import RagAnswer, RagSentence, count_words, read_rag_answers, write_rag_answers
from scoring.formats.rag_nuggets import read_rag_nuggets, tidied, write_rag_nuggets
from scoring.formats.run_rules import check_ranked_run
from scoring.formats.trec_run import topics_of_run
from scoring.formats.trec_topics import TopicText, read_trec_topics, write_trec_topics
from scoring.records import Issue, ItemGrade, OwnedNugget

Reader = Callable[[BinaryIO], Iterator[Any]]
Writer = Callable[[Iterable[Any]], Iterator[str]]
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30).filter(
    lambda text: text.strip()
)
WORD = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9-]{0,9}", fullmatch=True)
LINE = TEXT.map(lambda text: " ".join(text.split()))


def read_back(read: Reader, write: Writer, records: Iterable[Any]) -> list[Any]:
    return list(read(io.BytesIO("".join(line + "\n" for line in write(records)).encode())))


def unique(records: st.SearchStrategy[Any], key: Callable[[Any], object]) -> st.SearchStrategy[list[Any]]:
    return st.lists(records, min_size=1, max_size=6, unique_by=key)


@given(
    unique(st.builds(TopicText, number=WORD, title=LINE, description=LINE | st.just("")), lambda topic: topic.number)
)
def test_topics_come_back(topics: list[TopicText]) -> None:
    found = read_back(read_trec_topics, write_trec_topics, topics)
    assert {(t.number, t.title, t.description) for t in found} == {(t.number, t.title, t.description) for t in topics}


def test_topics_of_trec_are_read_closed_or_not() -> None:
    closed = b"<top><num>7</num><title>bees</title><desc>Why bees?</desc></top>\n"
    open_ = b"<top>\n<num> Number: 7\n<title> Topic: bees\n<desc> Description:\nWhy\nbees?\n</top>\n"
    for data in (closed, open_):
        (topic,) = read_trec_topics(io.BytesIO(data))
        assert isinstance(topic, TopicText)
        assert (topic.number, topic.title, topic.description, topic.line) == ("7", "bees", "Why bees?", 1)


def test_text_outside_the_fields_of_a_topic_is_named_and_passed_over() -> None:
    data = b"<top>\nmore <num> Number: 7\n<title> bees\n</top>\nbetween\n<title> nobody's\n"
    found = list(read_trec_topics(io.BytesIO(data)))
    assert [(each.where, each.code) for each in found if isinstance(each, Issue)] == [
        (2, "outside"),
        (5, "outside"),
        (6, "outside"),
    ]
    assert [(each.number, each.title) for each in found if isinstance(each, TopicText)] == [("7", "bees")]


def test_a_topic_without_its_first_tag_is_one_error() -> None:
    topic = "<top>\n<num> {}\n<title> bees\n<desc>\nWhy bees?\n</top>\n"
    bare = topic.removeprefix("<top>\n")
    data = "".join((topic.format(1), bare.format(2), bare.format(3), topic.format(4))).encode()
    found = list(read_trec_topics(io.BytesIO(data)))
    assert [each.number for each in found if isinstance(each, TopicText)] == ["1", "4"]
    issues = [each for each in found if isinstance(each, Issue)]
    assert [(each.where, each.code) for each in issues] == [(7, "outside"), (12, "outside")]
    assert issues[0].message.startswith("<num> stands outside <top>. Write <top> before it if a topic begins here, or ")


def test_graded_nuggets_are_an_object_of_turns() -> None:
    (issue,) = read_graded_nuggets(io.BytesIO(b'["a"]'))
    assert (issue.where, issue.code) == ("", "other-file")


@st.composite
def answers(draw: st.DrawFn) -> RagAnswer:
    references = tuple(draw(st.lists(WORD, max_size=4, unique=True)))
    cited = st.lists(st.sampled_from(references), unique=True).map(tuple) if references else st.just(())
    sentences = draw(st.lists(st.builds(RagSentence, text=TEXT, citations=cited), min_size=1, max_size=3))
    return RagAnswer(run="ash", topic=draw(WORD), title=draw(LINE), references=references, sentences=tuple(sentences))


@given(unique(answers(), lambda answer: answer.topic))
def test_answers_come_back(given_answers: list[RagAnswer]) -> None:
    found = read_back(read_rag_answers, write_rag_answers, given_answers)
    assert [(a.topic, a.references, a.sentences, a.title) for a in found] == [
        (a.topic, a.references, a.sentences, a.title) for a in given_answers
    ]
    assert [a.length for a in found] == [a.words for a in given_answers]


NUGGETS = st.builds(
    OwnedNugget,
    by=st.just(""),
    role=st.just("primary"),
    topic=WORD,
    number=st.integers(1, 20),
    importance=st.sampled_from(["vital", "okay"]),
    text=TEXT,
    group=TEXT | st.just(""),
    fields=st.dictionaries(st.sampled_from(["source", "relevance"]), WORD | st.integers(0, 9)),
)


@given(unique(NUGGETS, lambda nugget: (nugget.topic, nugget.number)))
def test_nugget_lists_come_back_with_all_that_is_said(nuggets: list[OwnedNugget]) -> None:
    found = read_back(read_rag_nuggets, write_rag_nuggets, nuggets)
    assert sorted(found, key=lambda n: (n.topic, n.number)) == sorted(nuggets, key=lambda n: (n.topic, n.number))


def test_nuggets_that_were_tidied_up_come_out_as_they_came_in() -> None:
    raw = ' {"qid": "1", "nuggets": [{"text": "two  spaces ", "importance": "failed", "number": 4}]}'
    (issue, nugget) = read_rag_nuggets(io.BytesIO(raw.encode()))
    assert isinstance(issue, Issue)
    assert (issue.code, issue.severity) == ("importance", "warning")
    assert isinstance(nugget, OwnedNugget)
    assert (nugget.number, nugget.importance, tidied(nugget.text)) == (4, "okay", "two spaces")
    assert list(write_rag_nuggets([nugget])) == [
        '{"qid": "1", "nuggets": [{"text": "two  spaces ", "importance": "failed", "number": 4}]}'
    ]


GRADED = st.builds(
    GradedNugget, topic=WORD, number=st.integers(1, 99), text=TEXT, grade=st.sampled_from(["1", "2", "3", "4"])
)


@given(unique(GRADED, lambda nugget: (nugget.topic, nugget.number)))
def test_graded_nuggets_come_back(nuggets: list[GradedNugget]) -> None:
    found = read_back(read_graded_nuggets, write_graded_nuggets, nuggets)
    assert sorted(found, key=repr) == sorted(nuggets, key=repr)


LABELS = st.builds(
    MatchLabel,
    batch=st.integers(0, 999),
    topic=st.tuples(st.integers(0, 99), st.integers(1, 9)).map(lambda pair: f"{pair[0]}_{pair[1]}"),
    number=st.integers(1, 99),
    run=WORD,
    is_match=st.booleans(),
)


@given(unique(LABELS, lambda label: (label.topic, label.number, label.run)))
def test_labels_come_back(labels: list[MatchLabel]) -> None:
    found = read_back(read_match_labels, write_match_labels, labels)
    said = [(r.batch, r.topic, r.number, r.run, r.is_match) for r in found]
    assert sorted(said) == sorted((r.batch, r.topic, r.number, r.run, r.is_match) for r in labels)


GRADES = st.builds(
    ItemGrade,
    topic=WORD,
    kind=st.just("document"),
    key=WORD,
    criterion=st.just("relevance"),
    value=st.integers(0, 4) | st.none(),
    note=st.just("") | WORD.filter(lambda word: word != "0").map(lambda word: f"iteration {word}"),
)


@given(unique(GRADES, lambda grade: (grade.topic, grade.key)))
def test_grades_come_back_with_the_iteration(grades: list[ItemGrade]) -> None:
    found = read_back(read_graded_qrels, write_graded_qrels, grades)
    keep = [(g.topic, g.key, g.value, g.note) for g in found]
    assert sorted(keep, key=repr) == sorted(((g.topic, g.key, g.value, g.note) for g in grades), key=repr)


@pytest.mark.parametrize("read", [read_trec_topics, read_rag_answers, read_rag_nuggets, read_graded_nuggets,
                                  read_match_labels, read_graded_qrels])  # fmt: skip
@given(data=st.binary(max_size=200))
def test_readers_never_raise(read: Reader, data: bytes) -> None:
    for each in read(io.BytesIO(data)):
        assert not isinstance(each, Issue) or (each.message and each.code)


def test_words_are_counted_after_nfkc() -> None:
    assert count_words("ﬁve words: one\u00a0two three") == 5


def test_ranks_need_not_stand_in_order_but_follow_the_scores() -> None:
    def codes(*lines: str) -> list[str]:
        data = "".join(f"1 Q0 {line} elm\n" for line in lines).encode()
        return [issue.code for issue in check_ranked_run(io.BytesIO(data), topics=["1"], limit=10)]

    assert codes("b 2 1.0", "a 1 2.0", "c 3 1.0") == []
    assert codes("a 1 1.0", "b 2 2.0", "c 3 3.0") == ["rank-order"]
    assert codes("a 1 2.0", "b 1 1.0") == ["rank-order"]


def test_the_topics_of_a_run_are_those_of_its_lines_as_they_are_read() -> None:
    content = b"\xef\xbb\xbf1 Q0 a 1 2 r\n1\tQ0 b 1 2 r\n1 \xff\n 1 Q0 c 1 2 r\n10 Q0 d 1 2 r\n\n"
    content += b"2 \xff\n3 Q0\re 1\r\n4 Q0 f\r\n1 Q0 a"
    assert list(topics_of_run(io.BytesIO(content))) == ["1", "10", "4", "1"]
    assert list(topics_of_run(io.BytesIO(b""))) == []
