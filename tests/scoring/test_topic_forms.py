"""Topics as the tasks of the field write them. The samples are written by us after the published layouts."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.formats.topic_objects import _start_of
from scoring.formats.topic_texts import KNOWN, MOST_MEMBERS, has_member, plain_member
from scoring.formats.trec_topics import TopicText, read_trec_topics, write_trec_topics
from scoring.reading.opening import open_input
from scoring.records import Issue

Said = tuple[str, ...]  # number, title, then description and narrative where there are any


def read(content: str | bytes) -> tuple[list[TopicText], list[Issue]]:
    data = content.encode() if isinstance(content, str) else content
    found = list(read_trec_topics(io.BytesIO(data)))
    return [each for each in found if isinstance(each, TopicText)], [each for each in found if isinstance(each, Issue)]


def topics_in(content: str | bytes) -> list[TopicText]:
    topics, issues = read(content)
    assert [(each.where, each.code, each.message) for each in issues if each.severity == "error"] == []
    return topics


def said(topic: TopicText) -> Said:
    return tuple(text for text in (topic.number, topic.title, topic.description, topic.narrative) if text)


TREC1 = """<top>
<head> Tipster Topic Description
<num> Number:  051
<dom> Domain:  International Economics
<title> Topic:  Airbus Subsidies
<desc> Description:
A document will discuss government
assistance.
<smry> Summary:
Assistance to Airbus.
<narr> Narrative:
A relevant document cites A & B.
<con> Concept(s):
1. Airbus Industrie
2. European aircraft consortium
<fac> Factor(s):
<nat> Nationality: U.S.
</fac>
<def> Definition(s): none <sic>
</top>
"""
WEB = """<webtrack2012>
<topic number="151" type="faceted">
<query>403b</query>
<description>
What is a 403b plan?
</description>
<subtopic number="1" type="inf">What is a 403b plan?</subtopic>
<subtopic number="2" type="nav">Who is eligible?</subtopic>
</topic>
</webtrack2012>
"""
COVID = """<topics task="COVIDSearch 2020" batch="5"><topic number="1"><query>coronavirus origin</query>
<question>what is the origin?</question><narrative>range &lt;of&gt; information</narrative></topic></topics>"""
FIRE = """<topics>
<top lang='en'>
<num>176</num>
<title>Bridge</title>
<desc>Find documents.</desc>
<narr>Narrative
Relevant: the opening.</narr>
</top>
</topics>"""
NTCIR = """<TOPIC><NUM>0042</NUM><SLANG>EN</SLANG><TITLE>bees</TITLE><DESC>Find bees.</DESC>
<NARR><BACK>They fly.</BACK><REL>Wild ones.</REL></NARR><CONC>bees, wasps</CONC></TOPIC>
<TOPIC><NUM>0043</NUM><TITLE>wasps</TITLE><DESC>Find wasps.</DESC></TOPIC>"""
NTCIR_WWW = (
    "<queries><query><qid>0001</qid><content>halloween</content><description>What?</description></query></queries>"
)
TOUCHE = """<?xml version='1.0' encoding='utf-8'?>
<!-- all of <topic>s -->
<topics>
<topic>
<number>1</number>
<title>Should teachers get tenure?</title>
<description><![CDATA[A user <wonders> & asks.]]></description>
<narrative>Highly relevant: pro/con.</narrative>
</topic>
</topics>"""
CLEF = """<topics><topic lang="en"><identifier>10.2452/451-AH</identifier><title>Roman army</title>
<description>Find books.</description><narrative>All.</narrative></topic></topics>"""
CLEF_OLD = """<top>
<num> C041 </num>
<EN-title> Pesticides </EN-title>
<EN-desc> Find. </EN-desc>
<EN-narr> All. </EN-narr>
</top>"""
MICROBLOG = """<top>
<num> Number: MB01 </num>
<query> Wikipedia founder </query>
<querytime> Tue Feb 08 22:56:33 +0000 2011 </querytime>
<querytweettime> 35048150574039040 </querytweettime>
</top>"""
BACKGROUND = """<top>
<num> Number: 321 </num>
<docid>9171debc</docid>
<url>https://example.org/a?b=1&c=2</url>
</top>"""
PRECISION = """<topics task="2018 TREC Precision Medicine"><topic number="1"><disease>melanoma</disease>
<gene>BRAF (V600E)</gene><demographic>64-year-old male</demographic></topic></topics>"""
TRIALS = """<topics task="2021 TREC Clinical Trials">
<topic number="1">
Patient is a 45-year-old man with anaplastic astrocytoma.
</topic>
<topic number="2">48 M</topic></topics>"""
DECISIONS = """<topics><topic number="1" type="diagnosis"><description>A long case.</description>
<summary>A case.</summary></topic></topics>"""
GENOMICS = """<TOPICS><TOPIC><ID>1</ID><TITLE>Ferroportin-1</TITLE><NEED>Find articles.</NEED>
<CONTEXT>Ferroportin is a transporter.</CONTEXT></TOPIC></TOPICS>"""
EVENTS = "<events>\n<event>\n<id>1</id>\n<title>Rail</title>\n<start>13</start>\n<deaths/>\n</event>\n</events>"
INDRI = "<parameters><query><number>301</number><text>crime</text></query></parameters>"
NEUCLIR = {
    "topic_id": "7",
    "languages_with_qrels": ["zho"],
    "topics": [
        {"lang": "zho", "source": "human translation", "topic_title": "小行星", "topic_description": "文章"},
        {"lang": "eng", "source": "original", "topic_title": "Asteroids", "topic_description": "Articles on them."},
    ],
    "narratives": {"zho": {"very_valuable": "Details."}},
}
CAST19 = {
    "number": 31,
    "description": "On cancer.",
    "title": "cancer",
    "turn": [
        {"number": 1, "raw_utterance": "What is it?"},
        {"number": 2, "raw_utterance": "Is it treatable?", "manual_rewritten_utterance": "Is cancer treatable?"},
    ],
}
CAST22 = {
    "number": 132,
    "turn": [
        {"number": "1-1", "participant": "User", "utterance": "Where to?", "parent_turn": ""},
        {"number": "1-2", "participant": "System", "response": "West.", "parent_turn": "1-1", "provenance": ["d"]},
        {"number": "2-1", "participant": "User", "utterance": "East?", "parent_turn": "1-1"},
        {"number": "1-3", "participant": "User", "utterance": "How far?", "parent_turn": "1-2"},
    ],
}

FORMS: list[tuple[str, str | bytes, list[Said]]] = [
    (
        "TREC-1",
        TREC1,
        [
            (
                "051",
                "Airbus Subsidies",
                "A document will discuss government assistance.",
                "A relevant document cites A & B.",
            )
        ],
    ),
    ("Web", WEB, [("151", "403b", "What is a 403b plan?")]),
    ("TREC-COVID", COVID, [("1", "coronavirus origin", "what is the origin?", "range <of> information")]),
    ("FIRE", FIRE, [("176", "Bridge", "Find documents.", "Relevant: the opening.")]),
    ("NTCIR", NTCIR, [("0042", "bees", "Find bees."), ("0043", "wasps", "Find wasps.")]),
    ("NTCIR WWW", NTCIR_WWW, [("0001", "halloween", "What?")]),
    ("Touché", TOUCHE, [("1", "Should teachers get tenure?", "A user <wonders> & asks.", "Highly relevant: pro/con.")]),
    ("CLEF", CLEF, [("10.2452/451-AH", "Roman army", "Find books.", "All.")]),
    ("CLEF of old", CLEF_OLD, [("C041", "Pesticides", "Find.", "All.")]),
    ("Microblog", MICROBLOG, [("MB01", "Wikipedia founder")]),
    ("Background Linking", BACKGROUND, [("321", "9171debc; https://example.org/a?b=1&c=2")]),
    ("Precision Medicine", PRECISION, [("1", "melanoma; BRAF (V600E); 64-year-old male")]),
    ("Clinical Trials", TRIALS, [("1", "Patient is a 45-year-old man with anaplastic astrocytoma."), ("2", "48 M")]),
    ("Clinical Decision Support", DECISIONS, [("1", "A long case.", "A long case.")]),
    ("Genomics", GENOMICS, [("1", "Ferroportin-1")]),
    (
        "Genomics 2006",
        "<160>What is the role of PrnP?\n<161>And of IDE?\n",
        [("160", "What is the role of PrnP?"), ("161", "And of IDE?")],
    ),
    ("Temporal Summarization", EVENTS, [("1", "Rail")]),
    ("Indri", INDRI, [("301", "crime")]),
    (
        "Million Query",
        "1:after school program\n2:caf\xe9\n".encode("latin-1"),
        [("1", "after school program"), ("2", "café")],
    ),
    (
        "Million Query 2009",
        "20001:1:obama family tree\nwt09-2:4:maps\n",
        [("20001", "obama family tree"), ("wt09-2", "maps")],
    ),
    ("CAR", "enwiki:Sea%20turtle/Habitat\n", [("enwiki:Sea%20turtle/Habitat", "Sea turtle / Habitat")]),
    ("Deep Learning", "1037798\twho is robert gray\n", [("1037798", "who is robert gray")]),
    ("a header", "query_id\tquery\tdomain\n1\tbees\tmovie\n", [("1", "bees")]),
    ("pandas with its index", ",qid,query\n0,1,bees\n1,2,floods\n,,\n", [("1", "bees"), ("2", "floods")]),
    ("pandas, read again", "Unnamed: 0\tqid\tquery\n0\t1\tbees\n", [("1", "bees")]),
    (
        "pandas between tabs",
        '\tqid\tquery\n0\t1\t"Why ""bees""?"\n1\t2\t"a" or b\n',
        [("1", 'Why "bees"?'), ("2", '"a" or b')],
    ),
    ("R", '"","qid","query"\n"1","1","bees"\n', [("1", "bees")]),
    ("CSV", 'id,title,description\n1,"bees, wild","Why, ""bees""?"\n', [("1", "bees, wild", 'Why, "bees"?')]),
    ("BEIR", '{"_id": "1", "text": "bees", "metadata": {}}\n', [("1", "bees")]),
    ("mteb", '{"1": "bees", "2": "floods"}', [("1", "bees"), ("2", "floods")]),
    ("pyserini", '{"301": {"title": "bees"}}', [("301", "bees")]),
    (
        "ir_datasets",
        '{"query_id": "1", "title": "bees", "description": "d", "narrative": "n"}\n',
        [("1", "bees", "d", "n")],
    ),
    (
        "EPIC-QA",
        '[{"question_id": "EQ1", "question": "what is it?", "query": "origin", "background": "b"}]',
        [("EQ1", "origin", "what is it?")],
    ),
    ("RAG", '{"id": "464", "title": "I want it."}\n', [("464", "I want it.")]),
    (
        "RAGTIME",
        '{"request_id": "leaf", "title": "leaves", "problem_statement": "Why?"}{"request_id": "b", "title": "bees"}',
        [("leaf", "leaves"), ("b", "bees")],
    ),
    (
        "DRAGUN",
        '{"url": "http://a", "title": "Pizza", "body": "One.\\nTwo.", "docid": "msmarco_v2.1_doc_1_2"}\n',
        [("msmarco_v2.1_doc_1_2", "Pizza")],
    ),
    ("NeuCLIR", json.dumps(NEUCLIR, ensure_ascii=False) + "\n", [("7", "Asteroids", "Articles on them.")]),
    ("NeuCLIR as a list", json.dumps([NEUCLIR], indent=2), [("7", "Asteroids", "Articles on them.")]),
    (
        "objects over several lines",
        '{\n"id": 1,\n"title": "a"\n}\n{\n"id": 2,\n"title": "b"\n}\n',
        [("1", "a"), ("2", "b")],
    ),
    ("an object with a list", '{"topics": [{"id": 1, "title": "a"}]}', [("1", "a")]),
    ("CAsT 2019", json.dumps([CAST19]), [("31_1", "What is it?"), ("31_2", "Is it treatable?")]),
    ("CAsT 2022", json.dumps([CAST22]), [("132_1-1", "Where to?"), ("132_2-1", "East?"), ("132_1-3", "How far?")]),
    ("UTF-16", "1\tbees\n2\tfloods\n".encode("utf-16"), [("1", "bees"), ("2", "floods")]),
    ("a byte order mark", "\ufeff<top><num>1<title>bees</top>", [("1", "bees")]),
    ("no end tags at all", "<top>\n<num>1\n<title>a\n<top>\n<num>2\n<title>b\n", [("1", "a"), ("2", "b")]),
    (
        "labels without colons",
        "<top><num>1<title>a<desc>Description Find a.</top><top><num>2<title>b<desc>Description find b</top>",
        [("1", "a", "Find a."), ("2", "b", "find b")],
    ),
]


@pytest.mark.parametrize(("content", "expected"), [form[1:] for form in FORMS], ids=[form[0] for form in FORMS])
def test_topics_are_read_and_given_back_with_all_that_they_say(content: str | bytes, expected: list[Said]) -> None:
    topics = topics_in(content)
    assert [said(topic) for topic in topics] == expected
    written = "".join(f"{line}\n" for line in write_trec_topics(topics))
    back = [replace(topic, line=0) for topic in topics_in(written)]
    assert sorted(back, key=lambda topic: topic.number) == sorted(
        (replace(topic, line=0) for topic in topics), key=lambda topic: topic.number
    )


def further(content: str | bytes) -> list[dict[str, Any]]:
    return [dict(topic.further) for topic in topics_in(content)]


def test_what_is_not_known_is_kept_under_its_own_name() -> None:
    assert further(TREC1) == [
        {
            "head": "Tipster Topic Description",
            "dom": "International Economics",
            "smry": "Assistance to Airbus.",
            "con": "1. Airbus Industrie\n2. European aircraft consortium",
            "nat": "U.S.",
            "def": "none <sic>",
        }
    ]
    assert further(WEB) == [
        {
            "type": "faceted",
            "subtopic": [
                {"number": "1", "type": "inf", "text": "What is a 403b plan?"},
                {"number": "2", "type": "nav", "text": "Who is eligible?"},
            ],
        }
    ]
    assert further(MICROBLOG) == [
        {"querytime": "Tue Feb 08 22:56:33 +0000 2011", "querytweettime": "35048150574039040"}
    ]
    assert further(NTCIR)[0] == {"SLANG": "EN", "BACK": "They fly.", "REL": "Wild ones.", "CONC": "bees, wasps"}
    assert further("query_id\tquery\tdomain\n1\tbees\tmovie\n") == [{"domain": "movie"}]
    assert further("1:2:maps\n") == [{"priority": "2"}]
    (neuclir,) = further(json.dumps(NEUCLIR))
    assert neuclir == {name: value for name, value in NEUCLIR.items() if name != "topic_id"}


def test_what_is_not_known_is_named_once() -> None:
    _, issues = read('{"id": 1, "title": "a", "url": "u"}\n{"id": 2, "title": "b", "url": "v", "date": 5}\n')
    assert [(issue.where, issue.severity, issue.code) for issue in issues] == [("", "note", "further-fields")]
    assert "“url” (2), “date” (1)" in issues[0].message


def test_a_turn_has_what_was_said_before_it() -> None:
    first, second = further(json.dumps([CAST19]))
    assert first == {"conversation_title": "cancer", "conversation_description": "On cancer."}
    assert second["conversation"] == [["User", "What is it?"]]
    assert second["manual_rewritten_utterance"] == "Is cancer treatable?"
    _, east, far = further(json.dumps(CAST22))
    assert east["conversation"] == [["User", "Where to?"]]
    assert far["conversation"] == [["User", "Where to?"], ["System", "West."]]
    _, issues = read(json.dumps(CAST22))
    assert [(issue.severity, issue.code) for issue in issues] == [("warning", "not-kept"), ("note", "further-fields")]
    assert "“provenance”" in issues[0].message


def test_what_a_turn_was_answered_with_is_named_as_not_shown() -> None:
    turns = [{"number": 1, "utterance": "a", "response": "b", "mood": "c"}]
    _, issues = read(json.dumps([{"number": 31, "title": "t", "turn": turns}]))
    assert [issue.message for issue in issues] == [
        "Kept as further fields, shown to those who judge and given out with the topics: “mood” (1), "
        "“conversation_title” (1). Kept and given out, but not shown to those who judge: “response”."
    ]


def test_a_long_line_of_tags_is_read_and_a_conversation_without_end_is_not() -> None:
    long = "<topics><topic id='1'>" + "<t>x y <zz> " * 100_000 + "</topic></topics>"
    assert [topic.number for topic in topics_in(long)] == ["1"]
    many = "<topics><topic id='1'><title>a</title>" + "<narr>x</narr>" * 30_000 + "</topic></topics>"
    assert len(topics_in(many)[0].further) == 29_999
    turns = [{"number": place, "utterance": "a"} for place in range(1, 102)]
    _, issues = read(json.dumps([{"number": 31, "turn": turns}]))
    assert [issue.code for issue in issues] == ["too-long"]


def test_a_topic_of_more_members_than_anybody_has_is_refused() -> None:
    """Each would be shown to who judges it, and a conversation has those at its head in each of its turns."""
    members = {"id": "1", "title": "a"} | {f"k{number}": "b" for number in range(MOST_MEMBERS)}
    head = members | {"turns": [{"number": 1, "utterance": "a"}, {"number": 2, "utterance": "b"}]}
    tags = "".join(f"<{name}>{value}</{name}>\n" for name, value in members.items())
    table = "\t".join(members) + "\n" + "\t".join(members.values()) + "\n"
    for content in (json.dumps(members), json.dumps([members]), json.dumps(head), f"<top>{tags}</top>", table):
        topics, issues = read(content)
        assert (topics, [each.code for each in issues if each.severity == "error"]) == ([], ["too-long"])
        assert "members; it may have 1,000." in issues[0].message


@pytest.mark.parametrize("name", ["id", " Topic-ID ", "EN title", "K ID\n", "title_2", "xx_id", ""])
def test_a_name_is_told_alike_among_few_and_among_many(name: str) -> None:
    many = [f"k{number}_a-b" for number in range(MOST_MEMBERS)]
    assert has_member([*many, name], KNOWN) == (plain_member(name) in KNOWN)


def test_of_a_value_that_is_no_topic_no_more_is_written_than_is_shown() -> None:
    class Counted(list[int]):
        asked = 0

        def __iter__(self) -> Iterator[int]:
            for each in super().__iter__():
                Counted.asked += 1
                yield each

    assert _start_of(Counted(range(100_000))).startswith("[0, 1, 2")
    assert Counted.asked < 100


def test_two_requests_that_differ_in_anything_are_not_the_same() -> None:
    one = {"id": "1", "title": "a", "background": "For a child."}
    for other in (one | {"background": "For a teacher."}, one | {"limit": 2000}, one | {"text": "More."}):
        assert topics_in(json.dumps(one)) != topics_in(json.dumps(other))


def test_latin_1_is_read_with_a_warning_at_the_first_line() -> None:
    topics, issues = read("1\tbees\n2\tM\xfchle\n3\t\x93caf\xe9\x94\n".encode("latin-1"))
    assert [topic.title for topic in topics] == ["bees", "Mühle", "“café”"]
    assert [(issue.where, issue.severity, issue.code) for issue in issues] == [(2, "warning", "not-utf8")]
    declared = '<?xml version="1.0" encoding="euc-jp"?><topics><topic number="1"><title>蜂</title></topic></topics>'
    topics, issues = read(declared.encode("euc-jp"))
    assert [topic.title for topic in topics] == ["蜂"]
    assert [(issue.severity, issue.code) for issue in issues] == [("note", "encoding")]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"title": "bees"}\n', [(1, "number-missing")]),
        ('[{"id": 1, "title": "a"},\n {"id": 1, "title": "b"}]', [(2, "duplicate")]),
        ('[{"id": 1, "title": " "}]', [(1, "title-missing")]),
        ('["bees"]', [("", "other-file")]),
        ("[]", [(1, "empty-file")]),
        ('{"id": 1, "title": "a"', [(1, "json")]),
        ("<top><num>1<title>a</top>\n<top><num>2<title>b", [(2, "unclosed")]),
        ("<top>\n<title>a\n</top>", [(1, "number-missing")]),
        ("<DOC><DOCNO>1</DOCNO></DOC><DOC><DOCNO>2</DOCNO></DOC>", [("", "other-file")]),
        ("<html><body><p>Not found</p></body></html>", [("", "other-file")]),
        ("1:bees\nfloods\n", [(2, "columns")]),
        ("id\ttitle\n1\ta\tb\n", [(2, "columns")]),
        ("<topics><topic number='1'><title>AT&T & <5 ></title></topic></topics>", []),
    ],
)
def test_what_is_wrong_is_named_where_it_is(content: str, expected: list[tuple[int | str, str]]) -> None:
    _, issues = read(content)
    assert [(issue.where, issue.code) for issue in issues if issue.severity == "error"] == expected


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(st.characters(exclude_categories=["Cs", "Cc"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", min_size=1), inner, max_size=3),
    max_leaves=5,
)
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_ -]{0,8}", fullmatch=True) | st.sampled_from(
    ["text", "query", "topic", "desc", "narr", "topics", "turn", "number", "docid", "Title", "ID", "title_2"]
)


@given(st.dictionaries(NAMES, VALUES, max_size=5))
@example({"ID": 0})
def test_any_further_member_survives(others: dict[str, Any]) -> None:
    value = others | {"id": "1", "title": "bees"}
    topics, issues = read(json.dumps(value))
    if not topics:
        assert [issue for issue in issues if issue.severity == "error"]
        return
    (topic,) = topics
    lines = list(write_trec_topics(topics))
    back, _ = read("".join(f"{line}\n" for line in lines))
    assert [replace(each, line=0) for each in back] == [replace(topic, line=0)]
    kept = [json.dumps(each) for each in json.loads(lines[0]).values()]
    for name, each in others.items():
        plain = json.dumps(" ".join(each.split()) if isinstance(each, str) else each)
        if name not in ("id", "title") and each not in (None, "") and not (isinstance(each, str) and not each.strip()):
            assert json.dumps(each) in kept or plain in kept


@pytest.mark.parametrize("title", [b"bees", b"b\xe9e"])
def test_topics_of_a_damaged_file_are_told_up_to_the_damage(title: bytes, tmp_path: Path) -> None:
    """What is read as a whole is read by lines where that is not all there is to it."""
    topics = b"".join(b"<top>\n<num> %d\n<title> %s\n</top>\n" % (number, title) for number in range(1, 20_000))
    (tmp_path / "topics.gz").write_bytes((packed := gzip.compress(topics))[: len(packed) // 2])
    with open_input(tmp_path / "topics.gz") as file:
        found = list(read_trec_topics(file))
    (issue,) = [each for each in found if isinstance(each, Issue) and each.code == "damaged-file"]
    assert isinstance(issue.where, int)
    assert issue.where > 20_000


@pytest.mark.parametrize(
    "content",
    [
        b'{"id": 1, "title": "bees"}\r\n\n{"id": 2, "title": "r\xfccken"}\n{"id": 3, "title": "a"}{"id": 4}',
        b"\xef\xbb\xbf1\tbees\n2\tr\xfccken\n\n3\twax\n3\twax",
        '[{"id": 1, "title": "b\u00fcne"},\n {"id": 2, "title": "wax"}]'.encode(),
    ],
)
def test_topics_are_the_same_whether_a_file_is_held_or_read_by_lines(
    content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = list(read_trec_topics(io.BytesIO(content)))
    monkeypatch.setattr("scoring.formats.trec_topics.MARKUP_LIMIT", 20)
    assert list(read_trec_topics(io.BytesIO(content))) == held
    assert sum(not isinstance(each, Issue) for each in held) >= 2


@pytest.mark.parametrize(
    ("numbers", "line", "words"),
    [
        (("e\u03011", "\u00e91"), 2, "Topic \u00e91 is here in other code points, too: they look alike."),
        (("1\u200b", "1"), 1, "has a sign that nobody sees (U+200B). Take it out."),
        (("\u202e1", "2"), 1, "has a sign that nobody sees (U+202E). Take it out."),
    ],
)
def test_numbers_that_look_alike_are_refused(numbers: tuple[str, str], line: int, words: str) -> None:
    lines = "".join(json.dumps({"id": number, "title": "bees"}) + "\n" for number in numbers)
    found = list(read_trec_topics(io.BytesIO(lines.encode())))
    (issue,) = (each for each in found if isinstance(each, Issue))
    assert (issue.where, len(found), words in issue.message) == (line, 2, True)
