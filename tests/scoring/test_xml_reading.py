"""XML within bounds: what nobody writes is refused before anything takes long over it."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scoring.formats.pubmed_xml import read_pubmed_xml
from scoring.formats.tac_questions import read_questions
from scoring.reading.bounded_files import XmlBounds, XmlFlaw, parse_xml
from scoring.records import Issue

MANY = b" ".join(b'a%d="1"' % number for number in range(60_000))
"""60,000 attributes: lxml took 52 seconds over a file of questions that held them in one element."""


def flaw(data: bytes) -> tuple[str, int] | None:
    found = parse_xml(data, bounds=XmlBounds(attributes=3, depth=4, elements=6))
    return (found.code, found.line) if isinstance(found, XmlFlaw) else None


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'<a b="1" c="2" d="3"/>', None),
        (b'<a>\n<x b="1" c="2" d="3" e="4"/></a>', ("xml-bounds", 2)),
        (b"<a><b><c><d/></c></b></a>", None),
        (b"<a>\n<b><c><d>\n<e/></d></c></b></a>", ("xml-bounds", 3)),
        (b"<a><b/><b/><b/><b/><b/></a>", None),
        (b"<a><b/><b/><b/><b/><b/>\n<b/></a>", ("xml-bounds", 2)),
        (b'<!DOCTYPE a [<!ATTLIST a b CDATA "1" c CDATA "2" d CDATA "3" e CDATA "4">]><a/>', ("xml-bounds", 1)),
        (b'<!DOCTYPE a [<!ATTLIST a b CDATA "1">\n<!ATTLIST a c CDATA #IMPLIED d ID #IMPLIED>]><e/>', None),
        (
            b'<!DOCTYPE a [<!ATTLIST a b CDATA "" c CDATA "">\n<!ATTLIST a d ID "" e ID "">]><e/>',
            ("xml-bounds", 2),
        ),
        (b'<!DOCTYPE a [\n<!ENTITY x "y">]><a>&x;</a>', ("entity", 2)),
        (b'<!DOCTYPE a [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]><a/>', ("entity", 1)),
        (b'<?xml version="1.0" encoding="utf-7"?><a>+ADw-b+AD4-</a>', ("encoding", 1)),
        (b'<?xml version="1.0" encoding="none-such"?><a/>', ("encoding", 1)),
        (b"<a>\n</b>", ("xml", 2)),
        (b"<a>\n", ("xml", 2)),
        (b"", ("xml", 1)),
        (b"\0", ("xml", 1)),
    ],
)
def test_what_is_beyond_the_bounds_is_named_with_its_line(data: bytes, expected: tuple[str, int] | None) -> None:
    assert flaw(data) == expected


def test_a_tree_is_that_of_lxml() -> None:
    data = b'<?xml version="1.0" encoding="iso-8859-1"?><a b="\xe9"><!-- no --><c>d<e/>f</c><?no no?></a>'
    root = parse_xml(data)
    assert not isinstance(root, XmlFlaw)
    assert etree.tostring(root, encoding="unicode") == '<a b="é"><c>d<e/>f</c></a>'


@given(st.text(alphabet="<>/ab= \"'&;!\n-[]", max_size=60))
def test_what_comes_out_is_what_lxml_reads(text: str) -> None:
    """Both parsers must agree that it is XML, and nothing raises."""
    found = parse_xml(text.encode())
    if not isinstance(found, XmlFlaw):
        assert etree.tostring(found) == etree.tostring(
            etree.fromstring(text.encode(), etree.XMLParser(remove_comments=True, remove_pis=True))
        )


@pytest.mark.parametrize(
    "questions",
    [
        b'<tacqa><target id="3" text="x" ' + MANY + b'><q id="3.1" type="rigid">a</q></target></tacqa>',
        b'<tacqa><target id="3" text="x"><q id="3.1" type="rigid" ' + MANY + b">a</q></target></tacqa>",
        b"<tacqa " + MANY + b"/>",
        b"<tacqa>" + b"<x/>" * 1_000_000 + b"</tacqa>",
    ],
    ids=["target", "question", "root", "elements"],
)
def test_a_file_of_questions_that_is_made_to_take_long_is_refused(questions: bytes) -> None:
    (issue,) = read_questions(io.BytesIO(questions))
    assert isinstance(issue, Issue)
    assert (issue.code, issue.severity) == ("xml-bounds", "error")


def test_a_record_that_is_made_to_take_long_costs_no_other() -> None:
    bad = b"<PubmedArticle><MedlineCitation " + MANY + b"><PMID>1</PMID></MedlineCitation></PubmedArticle>"
    good = b"<PubmedArticle><MedlineCitation><PMID>2</PMID></MedlineCitation></PubmedArticle>"
    first, second = read_pubmed_xml(io.BytesIO(bad + good))
    assert isinstance(first, Issue)
    assert first.code == "xml-bounds"
    assert not isinstance(second, Issue)
    assert second.docno == "2"
