"""The viewable text: what a browser shows, laid out in lines."""

# ruff: noqa: E501 - tables read better in long lines

from __future__ import annotations

import pytest

from assess.rendering.document import render_document, render_text_only


def text_of(source: str, media_type: str = "text/html") -> str:
    return render_document(source.encode(), media_type=media_type, charset="utf-8", url="").text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p>a  b\n c</p><p>d</p>", "a b c\n\nd"),
        ("one<b>two</b> <i>three</i>", "onetwo three"),
        ("a<br>b<div>c</div>d", "a\nb\nc\nd"),
        ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", "a\tb\nc\td"),
        ("<pre>a  b\n  c</pre>", "a  b\n  c"),
        ("<title>t</title><meta name=description content=m><!-- c -->x<img alt=i><input value=v>", "x"),
        (
            "a<p hidden>b</p><div style='display:none'>c</div><p style='visibility:hidden'>d<b style='visibility:visible'>e</b>",
            "a\n\ne",
        ),
        ("<details><summary>s</summary>closed</details><details open><summary>t</summary>open</details>", "s\nt\nopen"),
        ("<dialog>no</dialog><dialog open>yes</dialog>", "yes"),
        (
            "<style>.h{display:none} @media print{.p{display:none}} @media screen{.s{display:none}}</style>"
            "<b class=h>h</b><b class=p>p</b><b class=s>s</b>",
            "p",
        ),
        ("<style>p{display:none!important} p.k{display:block}</style><p class=k style='display:block'>x</p>y", "y"),
        ("<style>[hidden]{display:block}</style><p hidden>x</p>", "x"),
        ("<style media=print>b{display:none}</style><b>x</b>", "x"),
        ("<noscript>n</noscript><script>s</script><span aria-hidden=true>shown</span>", "shown"),
        ("caf&eacute;&nbsp;&#1;x &#x1F600;", "café\xa0x 😀"),
        ("<select><option>a<option>b</select>", "a\nb"),
    ],
)
def test_text(source: str, expected: str) -> None:
    assert text_of("<!DOCTYPE html>" + source) == expected


def test_hidden_elements_are_noted_in_the_page() -> None:
    page = render_document(b"<p hidden>x</p>y", media_type="text/html", charset=None, url="").page
    assert page is not None
    assert '<p hidden="" data-assay-hidden="">x</p>' in page


def test_page_that_hides_itself_is_flagged() -> None:
    rendering = render_document(b"<style>body{display:none}</style>x", media_type="text/html", charset=None, url="")
    assert (rendering.status, rendering.text) == ("blank", "")
    assert "until a script runs" in rendering.note


def test_plain_text_keeps_its_lines() -> None:
    rendering = render_document(b"a <b>\r\n  c\0", media_type="text/plain", charset=None, url="")
    assert rendering.text == "a <b>\n  c"
    assert rendering.page is not None
    assert "<pre>\na &lt;b&gt;\n  c</pre>" in rendering.page


def test_newswire_shows_what_is_read() -> None:
    assert text_of("<DOCNO>A</DOCNO><HEADLINE>H</HEADLINE><TEXT>t</TEXT>", "text/sgml") == "H\n\nt"


def test_what_is_no_text_is_refused_with_a_note() -> None:
    rendering = render_document(b"%PDF-1.4\0", media_type="application/pdf", charset=None, url="")
    assert (rendering.status, rendering.page, rendering.text) == ("failed", None, "")
    assert "application/pdf" in rendering.note


@pytest.mark.parametrize(
    ("raw", "charset", "expected"),
    [
        ("é".encode("latin-1"), None, "é"),
        ("é".encode(), None, "é"),
        (b"<meta charset=windows-1251>\xcc", None, "М"),
        (b"<meta charset=windows-1251>\xc3\xa9", "utf-8", "é"),
        (b"<!-- <meta charset=koi8-r> -->\x93q\x94", "no-such", "“q”"),
        ("é".encode("utf-16"), "latin-1", "é"),
        (b"<meta http-equiv=Content-Type content='text/html; charset=utf-16'>\xc3\xa9", None, "é"),
        (b"\xe9", "utf-8", "\ufffd"),
    ],
)
def test_encoding_is_decided_as_browsers_do(raw: bytes, charset: str | None, expected: str) -> None:
    assert render_document(raw, media_type="text/html", charset=charset, url="").text == expected


def test_quick_text_passes_over_scripts_and_keeps_words_whole() -> None:
    source = b"<title>t</title><p>two-<b>dollar</b> wine</p><script>no()</script><div>more &amp; more<style>x"
    rendering = render_text_only(source, media_type="text/html", charset=None, reason="Slow.")
    assert rendering.text == "t\ntwo-dollar wine\nmore & more"
    assert (rendering.page, rendering.status) == (None, "text-only")
    assert rendering.note.startswith("Slow. ")
