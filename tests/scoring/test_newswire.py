"""Newswire as its readers saw it: records made up in the style of each paper of TREC disks 1-5 and of AQUAINT."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from scoring.formats.document_facts import date_of, further_fields, source_of, title_of
from scoring.formats.document_files import sniff_document_format
from scoring.formats.newswire import newswire_text
from scoring.formats.trec_sgml import read_trec_sgml
from scoring.records import DocumentRecord

PAPERS = {
    "FBIS3-90001": (
        "<HT>  cr00000011094001 </HT>\n<HEADER>\n<H2>   March Reports </H2>\n<DATE1>  28 Mar 1994 </DATE1>\n"
        "Article Type:FBIS\n<H3> <TI>      OPINION POLLS ON BRIDGES </TI></H3>\n</HEADER>\n"
        "<TEXT>\nLanguage: <F P=105> English </F>\n<H5>Roads</H5>\nOne.\n</TEXT>"
    ),
    "WSJ870324-9001": (
        "<HL> Two Bridges\nAre Near </HL>\n<DD> 03/24/87</DD>\n<SO> WALL STREET JOURNAL (J)</SO>\n<IN> REL\n"
        "TENDER OFFERS (TNM) </IN>\n<DATELINE> NEW YORK </DATELINE>\n<TEXT>\n   Two.\n</TEXT>"
    ),
    "LA010189-9001": (
        "<DOCID> 1 </DOCID>\n<DATE>\n<P>\nJanuary 1, 1989, Sunday, Home Edition \n</P>\n</DATE>\n<SECTION>\n<P>\nBook "
        "Review; Page 1 \n</P>\n</SECTION>\n<HEADLINE>\n<P>\nTHE BRIDGE; \n</P>\n</HEADLINE>\n"
        "<TEXT>\n<P>\nThree. \n</P>\n</TEXT>"
    ),
    "FT911-9001": (
        "<PROFILE>_AN-X</PROFILE>\n<DATE>910514\n</DATE>\n<HEADLINE>\nFT  14 MAY 91 / Bridges\n</HEADLINE>\n<TEXT>\n"
        "Four.\n</TEXT>\n<PUB>The Financial Times\n</PUB>\n<PAGE>\nLondon Page 22\n</PAGE>"
    ),
    "AP880212-9001": (
        "<FILEID>AP-NR-02-12-88 2344EST</FILEID>\n<FIRST>u i AM-Bridges     02-12 0398</FIRST>\n<HEAD>Bridges "
        "Released</HEAD>\n<DATELINE>BANGKOK (AP) </DATELINE>\n<TEXT>\n   Five.\n</TEXT>"
    ),
    "FR88107-9001": (
        '<DOCID>fr.1-07-88.f2.A1000</DOCID>\n<TEXT>\n<ITAG tagnum="56">Bridges</ITAG>\n<DOCTITLE>Rules on '
        "Bridges&blank;</DOCTITLE>\n<T3>ACTION:</T3> Final&blank;rule.\n</TEXT>"
    ),
    "FR940104-0-90001": "<PARENT> FR940104-0-90001 </PARENT>\n<TEXT>\n<!-- PJG FTAG 4700 -->\nSix.\n</TEXT>",
    "SJMN91-06364999": (
        "<ACCESS> 06364999 </ACCESS>\n<LEADPARA>  Seven. </LEADPARA>\n<HEADLINE>  BRIDGES\n</HEADLINE>\n<TEXT>   More. "
        "</TEXT>\n<NAME> San Jose Mercury News</NAME>\n<PUBDATE>  911230  </PUBDATE>"
    ),
    "ZF109-999-155": (
        "<JOURNAL>Computer News  Oct 16 1989 v8 n21 p1(2)</JOURNAL>\n<TITLE>Bridges in networks.</TITLE>\n"
        "<SUMMARY>Eight.</SUMMARY>\n<DESCRIPT>Company:   Acme&O;\nTopic:     Bridges&M;</DESCRIPT>\n<TEXT>More.</TEXT>"
    ),
    "NYT19980601.9001": (
        "<DOCTYPE> NEWS STORY </DOCTYPE>\n<DATE_TIME> 1998-06-01 00:10 </DATE_TIME>\n<BODY>\n"
        "<SLUG> BC-BRIDGES </SLUG>\n<HEADLINE> BRIDGES </HEADLINE>\n<TEXT>\n&UR; MINNEAPOLIS &LR; _ Nine. &QL; \n"
        "</TEXT>\n</BODY>"
    ),
    "APW_ENG_20041001.9001": "<HEADLINE>Bridges</HEADLINE>\n<TEXT>\n<P>\nTen.\n</P>\n</TEXT>",
}


def record_of(docno: str, content: str) -> DocumentRecord:
    raw = f"<DOC>\n<DOCNO> {docno} </DOCNO>\n{content}\n</DOC>\n".encode()
    (record,) = read_trec_sgml(io.BytesIO(raw))
    assert isinstance(record, DocumentRecord), record
    return record


@pytest.mark.parametrize(
    ("docno", "title", "date", "source"),
    [
        ("FBIS3-90001", "OPINION POLLS ON BRIDGES", "28 Mar 1994", ""),
        ("WSJ870324-9001", "Two Bridges Are Near", "03/24/87", "WALL STREET JOURNAL (J)"),
        ("LA010189-9001", "THE BRIDGE;", "January 1, 1989, Sunday, Home Edition", ""),
        ("FT911-9001", "FT 14 MAY 91 / Bridges", "910514", "The Financial Times"),
        ("AP880212-9001", "Bridges Released", "1988-02-12", ""),
        ("FR88107-9001", "Rules on Bridges", "1988-01-07", ""),
        ("FR940104-0-90001", "", "1994-01-04", ""),
        ("SJMN91-06364999", "BRIDGES", "911230", "San Jose Mercury News"),
        ("ZF109-999-155", "Bridges in networks.", "", "Computer News Oct 16 1989 v8 n21 p1(2)"),
        ("NYT19980601.9001", "BRIDGES", "1998-06-01 00:10", ""),
        ("APW_ENG_20041001.9001", "Bridges", "2004-10-01", ""),
    ],
)
def test_title_date_and_source_of_each_paper(docno: str, title: str, date: str, source: str) -> None:
    fields = record_of(docno, PAPERS[docno]).fields
    assert (title_of(fields), date_of(fields), source_of(fields)) == (title, date, source)


@pytest.mark.parametrize(
    ("docno", "text"),
    [
        ("FBIS3-90001", "OPINION POLLS ON BRIDGES\n\nLanguage:  English\n\nRoads\n\nOne."),
        ("LA010189-9001", "THE BRIDGE;\n\nThree."),
        ("FR88107-9001", "Bridges\n\nRules on Bridges\n\nACTION: Final rule."),
        ("FR940104-0-90001", "Six."),
        ("ZF109-999-155", "Bridges in networks.\n\nEight.\n\nMore."),
        ("NYT19980601.9001", "BRIDGES\n\nMINNEAPOLIS  _ Nine."),
    ],
)
def test_text_is_what_a_reader_of_the_paper_saw(docno: str, text: str) -> None:
    assert newswire_text(PAPERS[docno]) == text


def test_every_other_tag_is_a_field() -> None:
    assert further_fields(record_of("FBIS3-90001", PAPERS["FBIS3-90001"]).fields) == {
        "HT": "cr00000011094001",
        "H2": "March Reports",
        "HEADER": "Article Type:FBIS",
    }
    assert further_fields(record_of("FT911-9001", PAPERS["FT911-9001"]).fields) == {
        "PROFILE": "_AN-X",
        "PAGE": "London Page 22",
    }
    assert record_of("ZF109-999-155", PAPERS["ZF109-999-155"]).fields["DESCRIPT"] == "Company: Acme Topic: Bridges"


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("under &sect;&blank;12.3 of the long&hyph;term rule", "under § 12.3 of the long-term rule"),
        ("a &bull; b&nbsp;c &times; 4 &AMP; d &eacute;", "a • b\xa0c × 4 & d é"),
        ("a <!-- PJG 0012 frnewline --> b <!-- two\nlines --> c", "a  b  c"),
        ("a <![CDATA[5 < 6 &amp; <P> ]]> b", "a 5 < 6 &amp; <P>  b"),
        ("a <?xml version='1.0'?><!ENTITY x> b <BR/> c", "a  b\n\nc"),
        ("a <!-- never closed", "a <!-- never closed"),
        ("a &Cx1f; b&QC; c &unknown; d", "a  b  c &unknown; d"),
    ],
)
def test_markup_of_a_collection_is_no_text(written: str, text: str) -> None:
    assert newswire_text(f"<TEXT>\n{written}\n</TEXT>") == text


def test_records_in_utf8_keep_their_letters_in_titles() -> None:
    assert record_of("X1", "<HEADLINE>Café</HEADLINE><TEXT>x</TEXT>").fields == {"HEADLINE": "Café"}


@pytest.mark.parametrize("between", ["", "\n", " \n\n"])
def test_records_may_share_a_line(between: str) -> None:
    records = [f"<DOC><DOCNO> X{number} </DOCNO><TEXT>Text {number}.\nMore.</TEXT></DOC>" for number in range(3)]
    found = list(read_trec_sgml(io.BytesIO(between.join(records).encode())))
    assert [each.docno if isinstance(each, DocumentRecord) else each for each in found] == ["X0", "X1", "X2"]
    assert [newswire_text(each.raw.decode()) for each in found if isinstance(each, DocumentRecord)] == [
        "Text 0.\nMore.",
        "Text 1.\nMore.",
        "Text 2.\nMore.",
    ]
    second = found[1]
    assert isinstance(second, DocumentRecord)
    assert list(read_trec_sgml(io.BytesIO(between.join(records).encode()), start=second.offset)) == found[1:]


def test_an_empty_file_says_nothing_and_blank_lines_are_none() -> None:
    assert list(read_trec_sgml(io.BytesIO(b""))) == list(read_trec_sgml(io.BytesIO(b"\n" * 300))) == []
    (found,) = read_trec_sgml(io.BytesIO(b"\n" * 300 + b"<DOC>\n<DOCNO>A</DOCNO>\nx\n</DOC>\n"))
    assert isinstance(found, DocumentRecord) and found.line == 301


ONE = '<DOC id="A-1" type="story">{}<HEADLINE>Rain</HEADLINE>{}<TEXT>{}Words.{}</TEXT>{}</DOC>{}'


@pytest.mark.parametrize(
    "content",
    [
        "\ufeff<DOC>\n<DOCNO>A-1</DOCNO>\n<HEADLINE>Rain</HEADLINE>\n</DOC>\n",
        "<doc>\n<docno> A-1 </docno>\n<HEADLINE>Rain</HEADLINE>\n</doc>\n",
        "<doc><docno>A-1</docno><HEADLINE>Rain</HEADLINE></doc>",
        ONE.format(*[""] * 6),
        ONE.format(*["\n"] * 6),
    ],
)
def test_a_byte_order_mark_small_tags_and_a_name_in_the_tag_lose_no_record(content: str, tmp_path: Path) -> None:
    (found,) = read_trec_sgml(io.BytesIO(content.encode()))
    assert isinstance(found, DocumentRecord)
    assert (found.docno, found.fields["HEADLINE"]) == ("A-1", "Rain")
    (tmp_path / "a").write_text(content)
    assert sniff_document_format(tmp_path / "a") == "trec-sgml"


@pytest.mark.parametrize("content", [b"words\n", "<DOC>\n<DOCNO>A</DOCNO>\n</DOC>\n".encode("utf-16")])
def test_a_file_of_which_nothing_is_read_is_an_error(content: bytes) -> None:
    issues = [each for each in read_trec_sgml(io.BytesIO(content)) if not isinstance(each, DocumentRecord)]
    assert [(each.severity, each.code) for each in issues] == [
        ("warning", "text-outside-document"),
        ("error", "no-records"),
    ]


def test_what_the_opening_tag_says_is_kept_whole() -> None:
    opening = "<DOC id='LDC 1' Übersetzt=\"no, not yet\" type=story>"
    content = f"{opening}\n<DOCNO> D1 </DOCNO>\n<TEXT>\nwords\n</TEXT>\n</DOC>\n"
    (found,) = read_trec_sgml(io.BytesIO(content.encode()))
    assert isinstance(found, DocumentRecord)
    assert found.docno == "D1"
    assert found.fields == {"ID": "LDC 1", "ÜBERSETZT": "no, not yet", "TYPE": "story"}
