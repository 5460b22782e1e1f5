"""The viewable text: what a browser shows, laid out in lines."""

# ruff: noqa: E501 - tables read better in long lines

from __future__ import annotations

import pytest

from assess.rendering.lengths import Length, length
from assess.rendering.render import render_document, render_text_only
from tests.assess.rendering.hidden_styles import STYLES


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
        ("<title>t</title><meta name=description content=m><!-- c -->x<img alt=i><input value=v type=hidden>", "x"),
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
        ("<select><option>a<option>b</select><select multiple><option>c<option>d</select>", "a c\nd"),
        ("<select><option>a<option selected>b</select>|<select size=2><option>c<option>d</select>", "b | c\nd"),
        ("a<textarea>\nb\nc</textarea>d<textarea placeholder=e></textarea>", "a b\nc d e"),
        (
            "a<button>b</button><input type=submit value=c><input type=reset><input type=button value=d>",
            "a b c Reset d",
        ),
        (
            "a<input value=b>c<input placeholder=d><input type=checkbox value=no><input type=password value=no>e",
            "a b c d e",
        ),
    ],
)
def test_text(source: str, expected: str) -> None:
    assert text_of("<!DOCTYPE html>" + source) == expected


@pytest.mark.parametrize(("style", "inside", "expected"), STYLES)
def test_text_that_is_not_painted_does_not_count(style: str, inside: str, expected: str) -> None:
    """TAC 2008: “text in the document that is not displayed when the document is viewed in the browser is not
    considered by the assessor”. By attribute and by stylesheet alike; what stands before and after stays."""
    assert text_of(f'<!DOCTYPE html>before<div style="{style}">{inside}</div>after').split() == [
        "before",
        *expected.split(),
        "after",
    ]
    assert text_of(f"<!DOCTYPE html><style>.k{{{style}}}</style><div class=k>{inside}</div>") == expected


@pytest.mark.parametrize("style", ["color:transparent", "color:#fff;background:#fff"])
def test_text_in_the_colour_of_its_ground_counts(style: str) -> None:
    assert text_of(f"<p style='{style}'>x</p>y") == "x\n\ny"


@pytest.mark.parametrize(
    ("style", "inside"),
    [
        ("width:60px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis", "one two three four five"),
        ("--off:-9999px;position:absolute;left:var(--off)", "x"),
        ("position:absolute;left:-60px", "Skip to content"),
        ("overflow:hidden;height:40px", "<table><tr><td>a</table>" * 3),
        ("line-height:0", "x"),
    ],
)
def test_what_only_a_layout_tells_counts_as_seen(style: str, inside: str) -> None:
    """Text that is seen must never be missing, so whatever styles alone do not tell is taken as seen."""
    shown = text_of(f"<div>{inside}</div>")
    assert text_of(f"<div style='{style}'>{inside}</div>") == shown


def test_a_long_text_is_cut_where_no_letters_could_be_so_small() -> None:
    style = "overflow:hidden;max-height:100px"
    text = text_of(f"<div style='{style}'><p>{'word ' * 2000}</p><p>end</p></div>after")
    assert text.split()[-2:] == ["word", "after"]
    assert text_of(f"<div style='{style}'><p>{'word ' * 200}</p><p>end</p></div>after").split()[-2:] == ["end", "after"]


def test_a_box_without_room_that_cuts_nothing_off_shows_its_text() -> None:
    assert text_of("<div style='height:0;width:0'>x</div>") == "x"


def test_what_an_animation_shows_step_by_step_counts_as_shown() -> None:
    style = "<style>@keyframes fade{to{opacity:1}} p{opacity:0} .k{animation:fade 1s forwards}</style>"
    assert text_of(f"{style}<p>x</p><p class=k>y</p>") == "y"


def test_a_later_rule_shows_again_what_an_earlier_one_hid() -> None:
    rules = ".a{opacity:0;height:0;overflow:hidden;left:-9999px;position:absolute} .a.b{opacity:1;height:auto;left:0}"
    assert text_of(f"<style>{rules}</style><p class=a>x</p><p class='a b'>y</p>") == "y"


def test_a_stored_stylesheet_counts_where_the_page_links_to_it() -> None:
    source = b"<link rel=stylesheet href=s.css><p class=h>x</p>y"
    url = "http://blog.example/a.html"
    sheets = {"http://blog.example/s.css": ".h{display:none} p{background:url(i.png)}"}
    with_it = render_document(source, media_type="text/html", charset=None, url=url, sheets=sheets)
    assert with_it.text == "y"
    assert with_it.page is not None
    assert '<style>.h{display:none} p{background:url("http://blog.example/i.png")}</style>' in with_it.page
    assert render_document(source, media_type="text/html", charset=None, url=url).text == "x\n\ny"


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
    assert "unicode-bidi:plaintext;text-align:start" in rendering.page


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


def test_a_long_number_in_a_style_is_looked_at_once() -> None:
    """Tried at every digit anew, it took minutes."""
    assert length("1" * 300_000 + "x") is None
    assert length("1e3px") == Length(pixels=1000.0)
