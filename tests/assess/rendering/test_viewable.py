"""The viewable text: what a browser shows, laid out in lines."""

# ruff: noqa: E501 - tables read better in long lines

from __future__ import annotations

import pytest

from assess.rendering.lengths import Length, length
from assess.rendering.render import render_document, render_text_only


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


CLIPPED = "position:absolute;width:1px;height:1px;overflow:hidden"
CLAMP = "display:-webkit-box;-webkit-box-orient:vertical;overflow:hidden;-webkit-line-clamp"
FAR = "position:absolute;left:-9999px"
STYLES = [
    ("opacity:0", "x", ""),
    ("opacity:.0", "<b style='opacity:1'>x</b>", ""),
    ("opacity:.01", "x", "x"),
    ("filter:opacity(0)", "x", ""),
    ("filter:blur(0) opacity(0.0%)", "<b>x</b>", ""),
    ("filter:opacity(.3)", "x", "x"),
    ("filter:opacity()", "x", "x"),
    ("text-indent:-9999px", "x", ""),
    ("text-indent:-999em", "x<p>y</p><p style='text-indent:0'>z</p>", "z"),
    ("text-indent:-9999px", "x<br>y", "y"),
    ("text-indent:-1em", "x", "x"),
    ("text-indent:100%;white-space:nowrap;overflow:hidden", "x", ""),
    (FAR, "x<b>y</b>", ""),
    ("left:-9999px", "x", "x"),  # it stands where it stood: it has no position of its own
    ("position:relative;left:-2px", "x", "x"),
    ("position:absolute;top:-5000px", "x", ""),
    ("position:absolute;right:-9999px", "x", "x"),  # a page can be scrolled to the right
    ("position:fixed;left:-500px", "x", ""),
    ("position:fixed;left:-300px;width:300px", "x", ""),
    ("position:fixed;left:-300px;width:400px", "x" * 46, "x" * 46),
    ("position:fixed;top:-60px;height:60px", "x", ""),
    ("position:fixed;bottom:-300px", "x", ""),
    ("position:fixed;top:100vh", "x", ""),
    ("position:fixed;inset:100% auto auto 0", "x", ""),
    ("position:fixed;left:0;transform:translateX(-100%)", "x", ""),
    ("position:fixed;right:0;transform:translate(100%, 0)", "x", ""),
    ("position:fixed;left:50%;transform:translateX(-50%)", "x", "x"),
    ("position:fixed;bottom:0", "x", "x"),
    ("position:absolute;left:-500px", "x", ""),
    ("position:absolute;top:-100%", "x", ""),
    ("position:absolute;bottom:100%", "x", ""),
    ("position:absolute;top:2000px", "x", "x"),  # a page can be scrolled down
    ("position:relative;margin-left:400px", "<b style='position:absolute;left:-300px'>x</b>", "x"),
    ("position:relative;right:9999px", "x", ""),
    ("overflow:hidden;width:200px", "x<p style='transform:translateX(100%)'>y</p>", "x"),
    ("overflow:hidden;position:relative", "x<b style='position:absolute;top:100%'>y</b>", "x"),
    ("position:relative", "x<b style='position:absolute;top:100%'>y</b>", "x\ny"),
    ("position:fixed;right:-9999px", "x", ""),
    ("position:fixed;left:-100%", "x", ""),
    ("margin-left:-9999px", "x", ""),
    ("margin:0 0 0 -1000em", "x", ""),
    ("width:0;height:0;overflow:hidden", "x", ""),
    ("max-height:0;overflow:hidden", "x", ""),
    ("height:0;overflow:hidden;padding-bottom:56%", "x", "x"),
    (CLIPPED, "x", ""),
    ("height:0;overflow:hidden", "x<b style='position:absolute;top:300px'>y</b>", "y"),
    ("height:0;overflow:hidden;position:relative", "x<b style='position:absolute'>y</b>", ""),
    ("font-size:0", "x<b style='font-size:12px'>y</b><i style='font-size:2em'>z</i>", "y"),
    ("font:0/0 a", "x", ""),
    ("font:12px/1 a", "x", "x"),
    ("transform:scale(0)", "x", ""),
    ("transform:translateX(-9999px)", "x", ""),
    ("transform:translateX(-1px)", "x", "x"),
    ("position:absolute;clip:rect(0 0 0 0)", "x", ""),
    ("position:absolute;clip:rect(1px, 1px, 1px, 1px)", "x", ""),
    ("clip:rect(0 0 0 0)", "x", "x"),  # it clips what is placed absolutely, and nothing else
    ("position:absolute;clip:rect(0, 50px, 20px, 0)", "x", "x"),
    ("clip-path:inset(50%)", "x", ""),
    ("clip-path:inset(0)", "x", "x"),
    ("clip-path:circle(0)", "x", ""),
    ("clip-path:polygon(0 0, 0 0, 0 0)", "x", ""),
    ("overflow:hidden;height:20px;line-height:20px", "x<br>y<p>z</p>", "x"),
    ("overflow:hidden;max-height:36px;line-height:18px", "x<div>y</div><div>z</div>", "x\ny"),
    ("overflow:hidden;height:30px", "<b style='float:left'>x</b>" * 5, "x\n" * 4 + "x"),
    ("overflow:hidden;height:30px;display:flex", "<div>x</div>" * 5, "x\n" * 4 + "x"),
    ("overflow:hidden;height:20px;padding-bottom:99px", "x<br>y<br>z<br>w", "x\ny\nz\nw"),
    ("clip-path:rect(0 0 0 0)", "x", ""),
    ("translate:-9999px", "x", ""),
    ("scale:0", "x", ""),
    ("transform:matrix(1, 0, 0, 1, -9999, 0)", "x", ""),
    ("transform:rotateY(90deg)", "x", ""),
    ("content-visibility:hidden", "x", ""),
    # lengths that are computed
    ("position:absolute;left:calc(-1 * 9999px)", "x", ""),
    ("position:fixed;top:calc(100% + 10px)", "x", ""),
    ("position:fixed;left:calc(50% - 100px)", "x", "x"),
    ("position:absolute;left:min(-9999px, 0px)", "x", ""),
    ("height:calc(1px * 0);overflow:hidden", "x", ""),
    ("opacity:calc(1 - 1)", "x", ""),
    # sides by the flow of the text
    ("position:absolute;inset-inline-start:-9999px", "x", ""),
    ("position:fixed;inset-block:100% auto", "x", ""),
    ("direction:rtl;position:absolute;inset-inline-start:-9999px", "x", "x"),
    ("margin-inline:-9999px 0", "x", ""),
    ("block-size:0;overflow:hidden;padding-inline:20px", "x", ""),
    ("direction:rtl;text-indent:-9999px", "x", "x"),
    # paddings before what stands in a box, and after it
    ("height:0;overflow:hidden;padding-top:20px", "x", ""),
    ("height:30px;overflow:hidden;padding-top:30px;box-sizing:border-box", "x", ""),
    ("width:0;overflow:hidden;padding-left:30px;white-space:nowrap", "x", ""),
    ("width:0;overflow:hidden;padding-right:30px;white-space:nowrap", "x", "x"),
    # sizes that are not what they say
    ("height:0;min-height:20px;overflow:hidden", "x", "x"),
    ("width:0;min-width:100%;overflow:hidden", "x", "x"),
    ("height:0%;overflow:hidden", "x", "x"),
    ("display:table;height:0;overflow:hidden", "x", "x"),
    ("contain:strict", "x", ""),
    ("contain:paint;height:0", "x", ""),
    ("display:grid;grid-template-rows:0fr", "<p style='overflow:hidden'>x</p>", ""),
    ("font-size:.4px", "x", ""),
    ("font-size:.01em", "x", "x"),  # browsers make no share of a font smaller than six pixels
    ("clip-path:inset(0 100% 0 0)", "x", ""),
    ("transform:matrix(0, 0, 0, 0, 0, 0)", "x", ""),
    ("rotate:y 90deg", "x", ""),
    ("backface-visibility:hidden;transform:rotateY(180deg)", "x", ""),
    # places
    ("position:relative;left:-100%", "x", ""),
    ("margin-left:-100%;text-align:right", "x", "x"),
    ("margin-left:-600px;width:500px", "x", ""),
    ("margin:0 auto;width:600px", "<p style='margin-left:-300px;width:200px'>x</p>", "x"),
    ("position:absolute;top:-50px", "<a href=x>x y</a>", ""),
    ("position:fixed;left:100%;transform:translateX(-100%)", "x", "x"),
    ("position:fixed;right:0;width:250px;margin-right:-250px", "x", ""),
    ("transform:translate(0);margin-left:600px", "x<b style='position:fixed;left:-500px'>y</b>", "x\ny"),
    ("position:relative", "x<b style='position:fixed;left:-500px'>y</b>", "x"),
    ("position:relative;width:300px", "x<b style='position:absolute;left:-500px;width:100px'>y</b>", "x"),
    ("position:fixed;left:-300px;width:300px", "<b style='position:absolute;left:100%'>x</b>y", "x"),
    ("position:absolute;left:-9999px", "y<b style='position:fixed;left:10px;top:90px'>x</b>", "x"),
    (
        "overflow:hidden;position:relative;width:200px;height:50px",
        "<p style='position:absolute;left:200px'>y</p>x",
        "x",
    ),
    (
        "overflow:hidden;position:relative;width:200px;height:50px",
        "<p style='position:absolute;top:-60px;height:50px'>y</p>x",
        "x",
    ),
    ("overflow:hidden;width:200px;height:50px", "x<p style='transform:translateY(60px)'>y</p>", "x"),
    ("overflow:hidden;position:relative;width:200px", "<p style='position:fixed;left:300px;top:90px'>x</p>", "x"),
    # boxes side by side
    (
        "overflow:hidden;width:200px",
        "<p style='width:1600px'><b style='float:left;width:200px'>x</b><b style='float:left;width:200px'>y</b></p>",
        "x",
    ),
    (
        "overflow:hidden;width:200px;height:99px",
        "<b style='float:left;width:200px'>x</b><b style='float:left;width:200px'>y</b>",
        "x\ny",
    ),
    ("overflow:hidden;width:200px;display:flex", "<p style='flex:0 0 100%'>x</p><p style='flex:0 0 100%'>y</p>", "x"),
    (
        "overflow:hidden;width:200px;display:flex;flex-wrap:wrap",
        "<p style='flex:0 0 100%'>x</p><p style='flex:0 0 100%'>y</p>",
        "x\n\ny",
    ),
    (
        "overflow:hidden;width:200px",
        "<div style='display:flex;transform:translateX(-100%)'><p style='flex:0 0 100%'></p><p style='flex:0 0 100%'>x</p></div>",
        "x",
    ),
    # lines
    (f"{CLAMP}:2", "x<p>y</p><p>z</p>", "x\n\ny"),
    (f"{CLAMP}:2;height:200px", "x<p>y</p><p>z</p>", "x\n\ny\n\nz"),
    ("overflow:hidden;max-height:3rem;line-height:1.5", "x<br>y<br>z", "x\ny"),
    ("overflow:hidden;height:50px", "<p style='height:50px'>x</p><p>y</p>", "x"),
    ("overflow:hidden;height:50px", "<p style='height:90px;position:absolute'>x</p><p>y</p>", "x\n\ny"),
    ("overflow:hidden;height:20px;line-height:20px", "<p style='margin-top:-20px'><br>x</p>", "x"),
    ("overflow:hidden;height:20px;line-height:20px", "<p style='margin:0;position:relative;top:-20px'><br>x</p>", "x"),
    ("overflow:hidden;height:20px;line-height:20px;writing-mode:vertical-rl", "x<br>y", "x\ny"),
    ("overflow:hidden;height:30px;line-height:1", "<p style='font-size:10px;margin:0'>x<br>y<br>z</p>", "x\ny\nz"),
]
"""Style of a <div>, what stands in it, what of it is painted. Chromium is asked the same in the browser's tests."""


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
