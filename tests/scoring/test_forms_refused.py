"""Every form of a file that is known, and any reader on any of another form: one line that names it, never rows.

A reader of lines says which columns it takes, and what fits them is read, whatever else it may be. Where bytes are
truly two things both readers read them: those pairs stand here, each with its reason, and no others. What page, call
and command say of each form is in `tests/test_table_of_forms.py`.
"""

from __future__ import annotations

import io
from typing import Any

import pytest

from scoring.file_kinds import COLUMNS, DOCNOS, of_another_kind, recognise_beginning
from scoring.formats.known_formats import FORMATS
from scoring.formats.qrels import read_qrels
from scoring.formats.tac_runs import parse_run
from scoring.formats.trec_run import read_trec_run
from scoring.reading.opening import ENDS_READING, until_too_many
from scoring.records import Issue
from tests.scoring.files_of_forms import FORMS

READERS = [known for known in FORMATS if known.read is not None]

ANY_WORDS = "any words between blanks are columns, and any text is an answer"
WHOLE = "a whole number is a score, a grade, a value, a rank and a length"
BOTH: dict[str, dict[str, str]] = {
    "responses": dict.fromkeys(("prose", "run: five columns without Q0"), ANY_WORDS),
    "tac-run": dict.fromkeys(("prose", "run: five columns without Q0"), ANY_WORDS),
    "definition-run": dict.fromkeys(("prose", "run: five columns without Q0"), ANY_WORDS),
    "definition-responses": dict.fromkeys(("prose", "votes", "run: five columns without Q0"), ANY_WORDS),
    "answer-sets": dict.fromkeys(
        (
            "run", "run by tabs, decimal commas", "qrels", "qrels of BEIR", "run of MS MARCO", "topics by colons",
            "numbers and texts", "nuggets", "scores", "Latin-1", "prose", "UTF-16",
            "run: a header and tabs", "run: TREC", "qrels: BEIR", "qrels: TREC", "questions of DRAGUN",
            "figures of trec_eval", "votes", "run: five columns without a tag",
            "run: five columns without Q0", "qrels: three columns", "run: R, without names", "qrels: R, without names",
            "run: R, row names without a name", "qrels: R, row names without a name",
        ),
        "any line of three words is a question, an answer's key and its label",
    ),
    "context25-evidence": {"prose": "a line with a comma is a claim and its labels, whatever they are"},
    "definition-questions": dict.fromkeys(
        ("prose", "run: five columns without Q0", "qrels: three columns", "run: R, without names"),
        "a number and any words are a question"
    ),
    "holistic": {"prose": "what stands before the scores are comments, and there may be none"},
    "author-summaries": {"prose": "its reader says that the number before a text is missing"},
    "definition-nuggets": dict.fromkeys(
        (
            "numbers and texts", "Latin-1", "topics by a header", "run: five columns without Q0",
            "qrels: three columns", "run: R, without names",
        ),
        "a number and a text are a nugget, too",
    ),
    "responses.tsv": {"questions of DRAGUN": "the fourth of five columns is a rank or a grade"},
    "run-json": dict.fromkeys(("judgments as a mapping", "qrels: a mapping"), WHOLE),
    "run-mapping": dict.fromkeys(("judgments as a mapping", "qrels: a mapping"), WHOLE),
    "run-table": dict.fromkeys(("qrels of BEIR", "qrels: BEIR"), "BEIR calls a grade a score"),
    "item-values": {"run of MS MARCO": WHOLE, "figures of trec_eval": "any word is a topic, and all is one"},
    "qrels-three": {"run of MS MARCO": WHOLE, "qrels: three columns": "these are its own lines, and values, too"},
    "msmarco-run": {"qrels: three columns": WHOLE},
    "other-judged": dict.fromkeys(
        ("prose", "run: five columns without Q0"), "its reader says that the number of an item is missing"
    ),
    "lengths": {"run of MS MARCO": WHOLE},
    "scores": dict.fromkeys(("qrels", "qrels: TREC", "UTF-16"), "any words are a run, a topic and a measure"),
    "trec-topics": {"claims of Context25": "a claim is a topic"},
    "ikat-topics": {"claims of Context25": "a claim is a topic of another task"},
}  # fmt: skip
"""Reader -> forms that are truly its own, too, or of which its own words say best what is wrong, and the reason."""


@pytest.mark.parametrize("known", READERS, ids=lambda known: known.name)
def test_a_reader_refuses_every_other_form_in_one_line(known: Any) -> None:
    kinds = known.read.kinds
    open_pairs = []
    for name, content in FORMS.items():
        told = recognise_beginning(content)
        found = list(until_too_many(known.read(io.BytesIO(content))))
        if told.form == "empty" or set(told.kinds[:1]) & set(kinds):
            continue
        if [type(each) for each in found] == [Issue] and found[0].code in ENDS_READING:
            named = (told.what, told.form_name, "UTF-16" if told.shape.encoding == "UTF-16" else told.what)
            assert any(each in found[0].message for each in named)
        else:
            open_pairs.append(name)
    assert set(open_pairs) == set(BOTH.get(known.name, ()))


FITTING = {
    "four columns whose iterations are names": (read_qrels, b"".join(b"1 x%d D%d 2\n" % (n, n) for n in range(8))),
    "qrels whose topics are measures and docnos numbers": (read_qrels, b"map 0 11 2\nmap 0 12 0\nP_10 0 13 1\n"),
    "qrels by ranks": (read_qrels, b"".join(b"t 1 D%d %d\n" % (n, n) for n in range(1, 9))),
    "a run of ids that begin as tags": (read_trec_run, b"".join(b"<urn:a> Q0 D%d 1 2.0 r\n" % n for n in range(8))),
    "answers that are numbers": (parse_run, b"".join(b"3.%d Team1 D1 %d\n" % (n, n) for n in range(1, 9))),
    "answers that are numbers of votes": (parse_run, b"".join(b"3.%d Team1 D1 vital\n" % n for n in range(1, 9))),
}


@pytest.mark.parametrize("name", FITTING)
def test_a_file_that_fits_is_read_whatever_else_it_may_be(name: str) -> None:
    read, content = FITTING[name]
    assert not [each for each in read(io.BytesIO(content)) if isinstance(each, Issue)]


def test_docnos_that_look_like_tags_are_a_list_of_docnos() -> None:
    found = recognise_beginning(b"<urn:uuid:1a>\n<urn:uuid:2b>\n<urn:uuid:3c>\n")
    assert of_another_kind(found, ("docnos",), forms=COLUMNS, takes=(DOCNOS,)) is None


def test_a_broken_line_among_good_ones_is_named_where_it_stands() -> None:
    issues = [each for each in read_qrels(io.BytesIO(b"1 0 a 2\n1 0 b\n1 0 c x\n1 0 d 1\n")) if isinstance(each, Issue)]
    assert [(issue.where, issue.code) for issue in issues] == [(2, "columns"), (3, "value")]


def test_a_wrong_value_in_every_line_is_said_by_the_reader() -> None:
    issues = list(read_qrels(io.BytesIO(b"1 0 a 1.5\n1 0 b 2.5\n")))
    assert [each.message for each in issues if isinstance(each, Issue)] == [
        'The grade is "1.5"; it must be a whole number of at most nine digits.',
        'The grade is "2.5"; it must be a whole number of at most nine digits.',
    ]


def test_lines_of_no_such_columns_are_refused_once() -> None:
    (issue,) = read_qrels(io.BytesIO(b"1 a 2\n1 b 0\n1 c 1\n1 d 0\n"))
    assert isinstance(issue, Issue)
    assert issue.code == "other-file"
