from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from assess.rendering.render import render_document
from scoring.formats.document_files import read_documents, sniff_document_format
from scoring.formats.pubmed_text import read_medline, read_pubmed_json
from scoring.formats.pubmed_xml import read_pubmed_xml
from scoring.records import DocumentRecord, Issue

FOLDER = Path(__file__).parent.parent / "data" / "tracks" / "biogen2024" / "documents"
ARTICLE = (
    b"<PubmedArticle><MedlineCitation><PMID>%d</PMID><Article><ArticleTitle>Rest</ArticleTitle>"
    b'<Abstract><AbstractText Label="AIM">To see.</AbstractText></Abstract></Article></MedlineCitation>'
    b"</PubmedArticle>\n"
)


def codes(found: list[DocumentRecord | Issue]) -> list[tuple[int | str, str]]:
    return [(each.where, each.code) for each in found if isinstance(each, Issue)]


def docnos(found: list[DocumentRecord | Issue]) -> list[str]:
    return [each.docno for each in found if isinstance(each, DocumentRecord)]


def text_of(record: DocumentRecord) -> str:
    return render_document(record.raw, media_type=record.media_type, charset=record.charset, url="").text


def xml(content: bytes, **options: int) -> list[DocumentRecord | Issue]:
    return list(read_pubmed_xml(io.BytesIO(content), **options))


@pytest.mark.parametrize(
    ("name", "kind", "count"),
    [("abstracts-1.xml", "pubmed-xml", 7), ("abstracts-2.jsonl", "pubmed-json", 4), ("abstracts-3.txt", "medline", 4)],
)
def test_each_form_is_recognised_and_read(name: str, kind: str, count: int) -> None:
    assert sniff_document_format(FOLDER / name) == kind
    found = list(read_documents(FOLDER / name, kind))
    assert (len(docnos(found)), [each for each in codes(found) if each != ("", "unused")]) == (count, [])


def test_an_abstract_is_read_by_its_labelled_parts() -> None:
    record = next(read_pubmed_xml(io.BytesIO(ARTICLE % 7)))
    assert isinstance(record, DocumentRecord)
    assert text_of(record) == "Rest\n\nPMID 7\n\nAim\n\nTo see."


def test_the_same_abstract_in_three_forms_is_the_same_page() -> None:
    as_json = json.dumps({"pmid": 7, "title": "Rest", "abstract": "AIM: To see."}).encode()
    as_text = b"PMID- 7\nTI  - Rest\nAB  - AIM: To\n      see.\n"
    pages = {
        record.raw
        for found in (xml(ARTICLE % 7), read_pubmed_json(io.BytesIO(as_json)), read_medline(io.BytesIO(as_text)))
        for record in found
        if isinstance(record, DocumentRecord)
    }
    assert len(pages) == 1


def test_records_go_on_from_an_offset() -> None:
    content = b"<PubmedArticleSet>\n" + ARTICLE % 7 + ARTICLE % 8 + b"</PubmedArticleSet>"
    first, second = xml(content)
    assert isinstance(first, DocumentRecord) and isinstance(second, DocumentRecord)
    assert (first.line, second.line) == (2, 3)
    assert content[second.offset :].startswith(b"<PubmedArticle>")
    assert docnos(xml(content, start=second.offset)) == ["8"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", [("", "no-records")]),
        (b"<html></html>", [("", "no-records")]),
        ((ARTICLE % 7).decode().encode("utf-16"), [("", "no-records")]),
        (b"<PubmedArticle><PMID>7", [(1, "truncated-document")]),
        (b"<PubmedArticle>\n<MedlineCitation></PubmedArticle>", [(1, "xml")]),
        (ARTICLE.replace(b"%d", b"PMC7"), [(1, "missing-docno")]),
        (ARTICLE.replace(b"Rest", b"\xe9t\xe9") % 7, [(1, "xml")]),
        (ARTICLE.replace(b"To see", b"&secret;") % 7, [(1, "xml")]),
        (b"<PubmedArticle>" + b"<i>" * 3000 + b"</PubmedArticle>", [(1, "xml-bounds")]),
    ],
)
def test_broken_records_are_named(content: bytes, expected: list[tuple[int | str, str]]) -> None:
    found = xml(content)
    assert (codes(found), docnos(found)) == (expected, [])


def test_entities_of_a_document_type_are_never_expanded() -> None:
    head = b'<!DOCTYPE x [<!ENTITY secret SYSTEM "file:///etc/passwd">]>'
    found = xml(head + ARTICLE.replace(b"Rest", b"&secret;") % 7 + ARTICLE % 8)
    assert (codes(found), docnos(found)) == ([(1, "xml")], ["8"])


def test_a_record_beyond_the_limit_is_passed_over() -> None:
    big = ARTICLE.replace(b"Rest", b"Rest " * 40_000) % 7
    found = xml(big + ARTICLE % 8, limit=100_000)
    assert (codes(found), docnos(found)) == ([(1, "document-too-large")], ["8"])


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{", "not-json"),
        ("[7]", "shape"),
        ('{"title": "Rest"}', "missing-docno"),
        ('{"pmid": "x7", "title": "Rest"}', "missing-docno"),
        ('{"pmid": true, "title": "Rest"}', "missing-docno"),
        ('{"pmid": 7}', "empty-field"),
        ('{"pmid": 7, "title": ["Rest"]}', "field-type"),
        ('{"pmid": 7, "abstract": [{"label": 1, "text": "x"}]}', "field-type"),
        ('{"pmid": 7, "abstract": 5}', "field-type"),
        ("[" * 100_000, "nesting"),
        ('{"pmid": 7, "pmid": 8, "title": "Rest"}', "duplicate-key"),
    ],
)
def test_broken_lines_are_named(line: str, code: str) -> None:
    content = (line + '\n{"pmid": 9, "title": "Rest"}\n').encode()
    found = list(read_pubmed_json(io.BytesIO(content)))
    assert (codes(found), docnos(found)) == ([(1, code)], ["9"])


def test_broken_medline_records_are_named() -> None:
    content = b"Stray\nPMID- x\nTI  - Rest\n\nPMID- 8\n\nPMID- 9\nTI  - Rest\n\xff\xfe\n"
    found = list(read_medline(io.BytesIO(content)))
    assert docnos(found) == ["9"]
    assert sorted(codes(found), key=str) == [
        (1, "text-outside-document"),
        (2, "missing-docno"),
        (5, "empty-field"),
        (9, "not-utf8"),
    ]


def test_markup_in_a_title_is_text() -> None:
    content = json.dumps({"pmid": 7, "title": "<script>alert(1)</script>", "abstract": "x & y"}).encode()
    (record,) = read_pubmed_json(io.BytesIO(content))
    assert isinstance(record, DocumentRecord)
    assert b"<script>" not in record.raw
    assert text_of(record) == "<script>alert(1)</script>\n\nPMID 7\n\nx & y"


CHAPTER = b"""<PubmedBookArticle><BookDocument><PMID Version="1">20301295</PMID>
<ArticleIdList><ArticleId IdType="bookaccession">NBK1116</ArticleId></ArticleIdList>
<Book><Publisher><PublisherName>A University</PublisherName></Publisher><BookTitle>Reviews of <i>Genes</i></BookTitle>
<PubDate><Year>1993</Year></PubDate></Book><ArticleTitle>A Syndrome</ArticleTitle><Language>eng</Language>
<AuthorList><Author><LastName>Doe</LastName><Initials>A</Initials></Author><Author><LastName>Roe</LastName></Author></AuthorList>
<Abstract><AbstractText Label="AIM">To see.</AbstractText></Abstract></BookDocument>
<PubmedBookData><PublicationStatus>ppublish</PublicationStatus></PubmedBookData></PubmedBookArticle>
"""


def test_chapters_of_books_are_read_and_deleted_citations_counted() -> None:
    gone = b"<DeleteCitation><PMID>1</PMID><PMID>2</PMID></DeleteCitation>"
    content = b"<PubmedArticleSet>\n" + ARTICLE % 7 + CHAPTER + gone + b"</PubmedArticleSet>"
    article, chapter, note, _ = xml(content)
    assert isinstance(article, DocumentRecord) and isinstance(chapter, DocumentRecord) and isinstance(note, Issue)
    assert text_of(chapter) == "A Syndrome\n\nReviews of Genes. 1993 · PMID 20301295\n\nAim\n\nTo see."
    assert chapter.fields == {
        "title": "A Syndrome",
        "source": "Reviews of Genes. 1993",
        "date": "1993",
        "ArticleIdList": "NBK1116",
        "Language": "eng",
        "AuthorList": "Doe A; Roe",
        "Publisher": "A University",
        "PublicationStatus": "ppublish",
    }
    assert (note.severity, note.message) == ("note", "2 deleted citations are named; nothing is done about this.")


def test_attributes_of_a_record_are_kept_and_others_are_named_once() -> None:
    content = (
        b'<PubmedArticle><MedlineCitation Status="PubMed-not-MEDLINE" Owner="NLM" VersionID="2" Novel="">'
        b'<PMID Version="1">7</PMID><Article PubModel="Print-Electronic"><ArticleTitle>Rest</ArticleTitle>'
        b'<ELocationID EIdType="doi">10.1/x</ELocationID><Abstract>'
        b'<AbstractText Label="AIM" NlmCategory="OBJECTIVE">To see.</AbstractText></Abstract></Article>'
        b'</MedlineCitation><PubmedData Owner="ABC"/></PubmedArticle>'
    )
    first, second, note = xml(content + content)
    assert isinstance(first, DocumentRecord) and isinstance(second, DocumentRecord) and isinstance(note, Issue)
    assert first.fields == second.fields
    assert first.fields == {
        "title": "Rest",
        "ELocationID": "10.1/x",
        "Status": "PubMed-not-MEDLINE",
        "Owner": "NLM",
        "VersionID": "2",
        "PubModel": "Print-Electronic",
        "PubmedData.Owner": "ABC",
    }
    assert (note.severity, note.message) == (
        "note",
        "These attributes are not kept: PMID.Version, ELocationID.EIdType, AbstractText.NlmCategory.",
    )


def test_what_else_a_record_says_is_kept_in_each_form() -> None:
    article = ARTICLE.replace(
        b"<Article>",
        b"<MeshHeadingList><MeshHeading><DescriptorName>Rest</DescriptorName><QualifierName>trends</QualifierName>"
        b"</MeshHeading><MeshHeading><DescriptorName>Work</DescriptorName></MeshHeading></MeshHeadingList><Article>"
        b"<Journal><ISSN>1-2</ISSN><JournalIssue><Volume>3</Volume><PubDate><Year>2012</Year><Month>Jan</Month>"
        b"</PubDate></JournalIssue><Title>Rests</Title></Journal>",
    )
    as_json = b'{"pmid": 7, "title": "Rest", "abstract": "To see.", "mesh": ["Rest", "Work"], "year": 2012}'
    as_text = b"PMID- 7\nTI  - Rest\nAB  - To see.\nAU  - Doe A\nAU  - Roe\n      B\nDP  - 2012 Jan\n"
    (one,), (two,), (three,) = (
        xml(article % 7),
        read_pubmed_json(io.BytesIO(as_json)),
        read_medline(io.BytesIO(as_text)),
    )
    assert all(isinstance(each, DocumentRecord) for each in (one, two, three))
    assert [each.fields for each in (one, two, three) if isinstance(each, DocumentRecord)] == [
        {
            "title": "Rest",
            "source": "Rests. 2012",
            "date": "2012 Jan",
            "MeshHeadingList": "Rest trends; Work",
            "ISSN": "1-2",
            "Title": "Rests",
            "Volume": "3",
        },
        {"title": "Rest", "source": "2012", "mesh": '["Rest", "Work"]', "year": "2012"},
        {"title": "Rest", "source": "2012 Jan", "AU": "Doe A; Roe B", "DP": "2012 Jan"},
    ]
