"""Marks in pages and texts, spans, and the headers."""

# ruff: noqa: E501 - tables read better in long lines

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assess.documents.marks import SoughtWords
from assess.rendering.csp import document_headers
from assess.rendering.highlight import STYLE, Piece, highlight_page, highlight_text
from assess.rendering.spans import check_span, make_span
from tests.assess.rendering.sanitised import sanitise_page


def marked(source: str, terms: list[str], answer: str) -> str:
    sought = SoughtWords(answer=answer, terms=terms)
    page, _ = highlight_page(sanitise_page("<!DOCTYPE html>" + source), sought.marks_in)
    return page.partition("<body>")[2].partition("</body>")[0]


def test_answer_across_elements_white_space_case_and_quotes() -> None:
    assert marked("<p>It’s <b>two\n dollar</b> WINE &amp; more</p>", [], "it's  two dollar wine &") == (
        '<p><mark class="assay-answer" id="assay-mark-1">It’s </mark><b><mark class="assay-answer">two\n dollar</mark></b>'
        '<mark class="assay-answer"> WINE &amp;</mark> more</p>'
    )


def test_terms_are_whole_words_outside_attributes_hidden_text_and_forms() -> None:
    source = "<title>wine</title><p title='wine > x'>Wine, twine</p><p hidden>wine</p><textarea>wine</textarea>"
    assert marked(source, ["wine"], "") == (
        '<p title="wine > x"><mark class="assay-term" id="assay-mark-1">Wine</mark>, twine</p>'
        '<p hidden="">wine</p><textarea>wine</textarea>'
    ).replace('<p hidden="">wine</p>', '<p hidden=""><mark class="assay-term" id="assay-mark-2">wine</mark></p>')


def test_words_of_two_blocks_do_not_join() -> None:
    assert "<mark" not in marked("<p>two</p>dollar", [], "twodollar")
    assert marked("<p>two</p>dollar", [], "two dollar").count("<mark") == 2


@pytest.mark.parametrize(("answer", "places"), [("", 0), ("red", 2), ("blue", 1), ("no such", 0), ("two dollar", 2)])
def test_places_of_the_answer_have_the_first_numbers(answer: str, places: int) -> None:
    source = "<!DOCTYPE html><p>wine <i>red</i> blue red two <b>dollar</b> two dollar</p>"
    sought = SoughtWords(answer=answer, terms=["wine", "red", "blue"])
    page, found = highlight_page(sanitise_page(source), sought.marks_in)
    assert found.first == places
    numbers = re.findall(r'<mark class="assay-answer" id="assay-mark-(\d+)">', page)
    assert numbers == [str(number) for number in range(1, places + 1)]
    others = re.findall(r'<mark class="assay-term" id="assay-mark-(\d+)">', page)
    assert others == [str(number) for number in range(places + 1, found.total + 1)]


def test_a_likely_sentence_is_one_mark_with_its_words_in_it() -> None:
    source = "<p>Nothing here.</p><p>The <b>staff</b> were kind &amp; quick to <i>all</i>.</p>"
    assert marked(source, [], "kind, helpful staff") == (
        '<p>Nothing here.</p><p><mark class="assay-likely" id="assay-mark-1">The </mark>'
        '<b><mark class="assay-likely assay-word">staff</mark></b><mark class="assay-likely"> were </mark>'
        '<mark class="assay-likely assay-word">kind</mark><mark class="assay-likely"> &amp; quick to </mark>'
        '<i><mark class="assay-likely">all</mark></i><mark class="assay-likely">.</mark></p>'
    )


@given(
    st.text(alphabet="ab &<>\"'é;", max_size=40),
    st.text(alphabet="ab &<", max_size=4),
    st.text(alphabet="ab& ", max_size=6),
)
def test_marking_only_adds_marks(text: str, term: str, answer: str) -> None:
    page = sanitise_page(f"<title>a</title><p title='a b'>{text}<b>a b</b>")
    found, marks = highlight_page(page, SoughtWords(answer=answer, terms=[term]).marks_in)
    assert re.sub(r"</?mark[^>]*>", "", found).replace(STYLE, "") == page
    anchors = re.findall(r'id="assay-mark-(\d+)"', found)
    assert sorted(map(int, anchors)) == list(range(1, marks.total + 1))


@example("", "", "¼")  # two words at one character
@given(st.text(max_size=40), st.text(max_size=3), st.text(max_size=5))
def test_pieces_join_to_the_text(text: str, term: str, answer: str) -> None:
    pieces, _ = highlight_text(text, SoughtWords(answer=answer, terms=[term]).marks_in(text))
    assert "".join(piece.text for piece in pieces) == text


def test_text_pieces_have_kinds() -> None:
    text = "red wine and Cheap\nwine"
    pieces, marks = highlight_text(text, SoughtWords(answer="cheap wine", terms=["wine"]).marks_in(text))
    assert pieces == [
        Piece("red ", ""),
        Piece("wine", "term", 2),
        Piece(" and ", ""),
        Piece("Cheap\nwine", "answer", 1),
    ]
    assert (marks.first, marks.total, marks.is_likely) == (1, 2, False)


def test_span_is_checked_against_its_text() -> None:
    text = "one 😀 two שלום three"
    span = make_span(text, start=4, end=9)
    assert (span.quote, span.prefix, span.suffix) == ("😀 two", "one ", " שלום three")
    assert check_span(text, span) is None
    assert "has changed" in str(check_span(text + "!", span))


def test_headers_of_a_document() -> None:
    headers = document_headers(platform_origin="http://localhost:8000")
    assert headers["Content-Security-Policy"] == (
        "default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; "
        "base-uri 'none'; frame-src 'none'; object-src 'none'; frame-ancestors http://localhost:8000; sandbox"
    )
    assert (headers["X-Content-Type-Options"], headers["Referrer-Policy"]) == ("nosniff", "no-referrer")


def test_sources_open_styles_and_images_alone() -> None:
    policy = document_headers(
        platform_origin="https://p.example", sources=["http://a.example", "https://b.example:8443"]
    )
    parts = policy["Content-Security-Policy"].split("; ")
    assert [part for part in parts if ".example" in part] == [
        "style-src 'unsafe-inline' http://a.example https://b.example:8443",
        "img-src data: http://a.example https://b.example:8443",
        "frame-ancestors https://p.example",
    ]


@pytest.mark.parametrize("origin", ["https://d.example; script-src *", "https:", "*", "https://d.example/path"])
def test_what_is_no_origin_is_refused(origin: str) -> None:
    with pytest.raises(ValueError, match="not an origin"):
        document_headers(platform_origin=origin)
    with pytest.raises(ValueError, match="not an origin"):
        document_headers(platform_origin="https://p.example", sources=[origin])
