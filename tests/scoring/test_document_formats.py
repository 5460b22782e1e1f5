"""Blog06, newswire and plain text: what is read, what is refused, and that reading goes on after it."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from scoring.formats.blog06 import read_blog06
from scoring.formats.document_files import iter_document_files, read_documents, sniff_document_format
from scoring.formats.newswire import newswire_text
from scoring.formats.plain_text import read_plain_text
from scoring.formats.trec_sgml import read_trec_sgml
from scoring.reading.opening import CannotOpen
from scoring.records import DocumentRecord, Issue


def blog_record(docno: str = "BLOG06-1", body: bytes = b"<p>hello\n", content_type: str = "text/html") -> bytes:
    head = (
        f"<DOC>\n<DOCNO>{docno}</DOCNO>\n<DATE_XML>2006-01-02T00:00:00+0000</DATE_XML>\n<FEEDNO>BLOG06-feed-1</FEEDNO>\n"
        "<FEEDURL>http://blog.example/feed.xml#</FEEDURL>\n<PERMALINK>http://blog.example/1.html#</PERMALINK>\n"
        f"<DOCHDR>\nhttp://blog.example/1.html 0.0.0.0 20060102 9\nHTTP/1.1 200 OK\n"
        f"Content-Type: {content_type}\n</DOCHDR>\n"
    )
    return head.encode() + body + b"</DOC>\n"


def read_all(raw: bytes, **options: int) -> list[DocumentRecord | Issue]:
    return list(read_blog06(io.BytesIO(raw), **options))


def docnos(found: list[DocumentRecord | Issue]) -> list[str]:
    return [each.docno for each in found if isinstance(each, DocumentRecord)]


def codes(found: list[DocumentRecord | Issue]) -> list[tuple[int | str, str]]:
    return [(each.where, each.code) for each in found if isinstance(each, Issue)]


def test_blog06_record_is_read_whole() -> None:
    body = b"\xe9\x00 <b>\r\n</DOC> inside a line\nlast line\n"
    assert read_all(blog_record(body=body, content_type="text/html; charset=ISO-8859-1")) == [
        DocumentRecord(
            docno="BLOG06-1",
            media_type="text/html",
            charset="iso-8859-1",
            raw=body,
            url="http://blog.example/1.html",
            offset=0,
            line=1,
            fields={
                "DATE_XML": "2006-01-02T00:00:00+0000",
                "FEEDNO": "BLOG06-feed-1",
                "FEEDURL": "http://blog.example/feed.xml#",
                "PERMALINK": "http://blog.example/1.html#",
            },
        )
    ]


def test_blog06_content_is_undone_and_every_tag_is_a_field() -> None:
    raw = blog_record(
        body=gzip.compress(b"<p>hello", mtime=0) + b"\n", content_type="text/html\nContent-Encoding: gzip"
    )
    (found,) = read_all(raw.replace(b"<FEEDNO>", b"<LANG>en</LANG>\n<FEEDNO>"))
    assert isinstance(found, DocumentRecord)
    assert (found.raw, found.fields["LANG"]) == (b"<p>hello", "en")


def test_blog06_goes_on_from_an_offset() -> None:
    raw = blog_record("A") + blog_record("B") + blog_record("C")
    second, third = read_all(raw)[1:]
    assert isinstance(second, DocumentRecord)
    assert raw[second.offset :].startswith(b"<DOC>\n<DOCNO>B")
    assert read_all(raw, start=second.offset) == [second, third]
    assert read_all(raw, start=second.offset + 1) == [third]


def test_blog06_truncated_record_is_reported_and_the_next_is_read() -> None:
    raw = blog_record("A").removesuffix(b"</DOC>\n") + blog_record("B")
    found = read_all(raw)
    assert codes(found) == [(1, "truncated-document")]
    assert docnos(found) == ["B"]


def test_blog06_record_cut_off_by_the_end_of_file() -> None:
    found = read_all(blog_record("A") + b"<DOC>\n<DOCNO>B</DOCNO>\n")
    assert docnos(found) == ["A"]
    assert codes(found) == [(14, "truncated-document")]


def test_blog06_line_doc_inside_a_page_belongs_to_it() -> None:
    body = b"<pre>\n<DOC>\nan example\n"
    (found,) = read_all(blog_record(body=body))
    assert isinstance(found, DocumentRecord)
    assert found.raw == body


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (b"<DOCNO>A</DOCNO>\n", b"", (1, "missing-docno")),
        (b"<DOCNO>A</DOCNO>", b"<DOCNO>  </DOCNO>", (1, "missing-docno")),
        (b"<DOCNO>A</DOCNO>", b"<DOCNO>A b</DOCNO>", (1, "bad-docno")),
        (b"<DOCNO>A</DOCNO>", b"<DOCNO>" + b"A" * 129 + b"</DOCNO>", (1, "bad-docno")),
        (b"<DOCNO>A</DOCNO>", b"<DOCNO>A\0</DOCNO>", (2, "nul-byte")),
        (b"<DOCNO>A</DOCNO>\n", b"<DOCNO>A</DOCNO>\n<DOCNO>Z</DOCNO>\n", (3, "duplicate-tag")),
        (b"</DOCHDR>", b"", (1, "missing-dochdr")),
        (b"<DOCHDR>", b"", (1, "missing-dochdr")),
    ],
)
def test_blog06_bad_record_is_passed_over_with_its_line(old: bytes, new: bytes, expected: tuple[int, str]) -> None:
    raw = blog_record("A").replace(old, new, 1) + blog_record("B")
    found = read_all(raw)
    assert codes(found) == [expected]
    assert docnos(found) == ["B"]


def test_blog06_repeated_field_is_a_warning_and_the_first_counts() -> None:
    raw = blog_record("A").replace(b"<FEEDNO>", b"<FEEDNO>first</FEEDNO>\n<FEEDNO>", 1)
    issue, record = read_all(raw)
    assert isinstance(issue, Issue)
    assert (issue.where, issue.code, issue.severity) == (5, "duplicate-tag", "warning")
    assert isinstance(record, DocumentRecord)
    assert record.fields["FEEDNO"] == "first"


def test_blog06_too_large_a_record_is_passed_over() -> None:
    found = read_all(blog_record("A", b"x" * 3000 + b"\n") + blog_record("B"), limit=2000)
    assert codes(found) == [(1, "document-too-large")]
    assert docnos(found) == ["B"]


def test_blog06_text_between_records_is_named_once() -> None:
    found = read_all(b"junk\nmore junk\n" + blog_record("A") + b"\n")
    assert codes(found) == [(1, "text-outside-document")]
    assert docnos(found) == ["A"]


def test_files_that_were_joined_with_their_byte_order_marks_lose_no_document() -> None:
    found = read_all(b"".join(b"\xef\xbb\xbf" + blog_record(docno) + b"\n" for docno in "AB"))
    assert (docnos(found), codes(found)) == (["A", "B"], [])


def test_blog06_without_content_type_is_html() -> None:
    (found,) = read_all(blog_record().replace(b"Content-Type: text/html\n", b""))
    assert isinstance(found, DocumentRecord)
    assert (found.media_type, found.charset) == ("text/html", None)


def test_newswire_record_and_its_text() -> None:
    raw = (
        b"<DOC>\n<DOCNO> APW1 </DOCNO>\n<DOCTYPE> NEWS </DOCTYPE>\n<HEADLINE> Wine &AMP; bread </HEADLINE>\n"
        b"<TEXT>\n<P>\nOne line\nand another.\n</P>\n<P> Two &lt;2&gt;. </P>\n</TEXT>\n<TRAILER>zzz</TRAILER>\n</DOC>\n"
    )
    (found,) = read_trec_sgml(io.BytesIO(raw))
    assert isinstance(found, DocumentRecord)
    assert (found.docno, found.media_type, found.fields["HEADLINE"]) == ("APW1", "text/sgml", "Wine & bread")
    assert newswire_text(found.raw.decode()) == "Wine & bread\n\nOne line\nand another.\n\nTwo <2>."


def test_newswire_named_in_its_tag() -> None:
    raw = b'<DOC id="APW_2" type="story">\n<TEXT>x</TEXT>\n</DOC>\n<DOC>\n<TEXT>y</TEXT>\n</DOC>\n'
    found = list(read_trec_sgml(io.BytesIO(raw)))
    assert docnos(found) == ["APW_2"]
    assert codes(found) == [(4, "missing-docno")]


def test_newswire_without_text_tags_is_read_whole_but_for_names() -> None:
    assert newswire_text("<DOCNO>A</DOCNO>\n<BODY>first\n\nsecond</BODY>") == "first\n\nsecond"


def test_plain_text_is_named_by_its_file() -> None:
    (found,) = read_plain_text(io.BytesIO(b"hello"), name="AP-1.txt.gz")
    assert found == DocumentRecord(docno="AP-1", media_type="text/plain", charset=None, raw=b"hello")
    for page in ("<!DOCTYPE html><title>T</title><p>hello", "<html><body>hello</body></html>"):
        for raw in (page.encode(), page.encode("utf-16")):
            (found,) = read_plain_text(io.BytesIO(raw), name="AP-1.html")
            assert found == DocumentRecord(docno="AP-1", media_type="text/html", charset=None, raw=raw)
    (refused,) = read_plain_text(io.BytesIO(b"hello"), name="two words.txt")
    assert codes([refused]) == [(1, "bad-docno")]


def test_folder_of_files_is_read_in_order(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "2.gz").write_bytes(gzip.compress(blog_record("C")))
    (tmp_path / "a.gz").write_bytes(gzip.compress(blog_record("A")) + gzip.compress(blog_record("B")))
    (tmp_path / ".hidden").write_bytes(blog_record("X"))
    (tmp_path / "link").symlink_to("/etc/hostname")
    files = list(iter_document_files(tmp_path))
    assert [path.name for path in files] == ["a.gz", "2.gz"]
    assert [docnos(list(read_documents(path, "blog06"))) for path in files] == [["A", "B"], ["C"]]
    assert {sniff_document_format(path) for path in files} == {"blog06"}


def test_damaged_gzip_ends_with_an_issue(tmp_path: Path) -> None:
    noise = bytes(range(256)) * 4000
    whole = gzip.compress(blog_record("A") + blog_record("B", noise.replace(b"\n", b"") + b"\n"), 0)
    (tmp_path / "cut.gz").write_bytes(whole[:-2000])
    found = list(read_documents(tmp_path / "cut.gz", "blog06"))
    assert docnos(found) == ["A"]
    assert [code for _, code in codes(found)] == ["damaged-file", "truncated-document"]


def test_nothing_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(CannotOpen, match="no such file or folder"):
        list(iter_document_files(tmp_path / "none"))
    with pytest.raises(ValueError, match="no document format"):
        list(read_documents(tmp_path, "pdf"))


@pytest.mark.shared
def test_real_blog_records_are_read(shared_data: Path) -> None:
    found = list(read_documents(shared_data / "html" / "blog06_like.trec", "blog06"))
    assert len(docnos(found)) == 60
    assert codes(found) == []
