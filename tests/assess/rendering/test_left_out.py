"""What can't be shown leaves a box, its fallback and a sentence beside the page; formulas and drawings are shown."""

from __future__ import annotations

import pytest

from assess.rendering.render import render_document
from assess.rendering.rendered import Rendering


def rendered(source: str) -> Rendering:
    return render_document(f"<!DOCTYPE html>{source}".encode(), media_type="text/html", charset="utf-8", url="")


def body_of(source: str) -> str:
    page = rendered(source).page
    assert page is not None
    return page.partition("<body>")[2].partition("</body>")[0]


@pytest.mark.parametrize(
    ("source", "text", "said"),
    [
        ("a<iframe src=x>See <a href=x>the frame</a></iframe>", "aSee the frame", "1 framed page"),
        ("<iframe></iframe><iframe></iframe>a", "a", "2 framed pages"),
        ("<object data=x.swf><param name=p><embed src=x.swf><p>No Flash</p></object>", "No Flash", "1 plug-in"),
        ("a <embed src=x> b", "a b", "1 plug-in"),
        ("<canvas>A <b>chart</b></canvas>", "A chart", "1 drawing made by a script"),
        ("<video src=x><track src=y>Watch it</video>", "Watch it", "1 video"),
        ("<audio controls>Hear it</audio><video></video>", "Hear it", "1 sound and 1 video"),
        ("<svg width=9 height=9><use href='#x'/></svg>a", "a", "1 drawing"),
        ("<svg><text>a</text><image href='x'/></svg>", "a", "1 part of a drawing"),
    ],
)
def test_what_is_left_out_is_said_and_its_fallback_is_shown(source: str, text: str, said: str) -> None:
    """TAC 2008: “as closely as possible to how it would be seen during normal browsing”."""
    found = rendered(source)
    assert found.text == text
    assert found.note.startswith(f"Left out of this page: {said}.")
    assert found.status == "ok"


@pytest.mark.parametrize(
    "source",
    [
        "a<iframe width=1 height=1></iframe>",
        "a<iframe height=0>no</iframe>",
        "a<iframe style='display:none'></iframe>",
        "a<div hidden><video></video></div>",
        "a<audio src=x>no</audio>",
        "a<svg><title>no</title><path d='M0 0'/></svg>",
        "a<noscript><iframe></iframe></noscript>",
    ],
)
def test_what_nobody_would_have_seen_is_not_said(source: str) -> None:
    found = rendered(source)
    assert (found.text, found.note) == ("a", "")


def test_a_box_has_the_size_of_what_it_stands_for() -> None:
    assert body_of("<video width=640 height=50%></video>") == (
        '<span style="min-width:640px;min-height:50%;" data-assay-left-out="video"></span>'
    )
    assert "min-width:2000px;min-height:150px" in body_of("<embed width=99999 height=x>")
    assert body_of("<iframe class=k id=i style='float:left' onload=x></iframe>") == (
        '<span class="k" id="i" style="min-width:300px;min-height:150px;float:left" data-assay-left-out="framed page">'
        "</span>"
    )


def test_a_formula_is_shown_and_is_text() -> None:
    source = (
        "<math display=block onclick=x><semantics><mrow><mi>x</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac></mrow>"
        "<annotation>no</annotation><annotation-xml encoding='text/html'><script>x</script></annotation-xml>"
        "</semantics></math>"
    )
    assert body_of(source) == (
        '<math display="block"><semantics><mrow><mi>x</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac></mrow>'
        "</semantics></math>"
    )
    found = rendered(source)
    assert (found.text, found.note) == ("x=1 2", "")


def test_a_drawing_is_shown_still_and_its_words_are_text() -> None:
    source = (
        "<svg viewBox='0 0 9 9' onload=x><defs><linearGradient id=g><stop offset=1 stop-color=red /></linearGradient>"
        "<text>no</text></defs><g fill='url(#g)' stroke='url(http://e.example/#g)'><path d='M0 0L9 9'/>"
        "<text x=1><tspan>One</tspan> two</text></g><script>x</script><animate attributeName=href to=x /></svg>"
    )
    assert body_of(source) == (
        '<svg viewBox="0 0 9 9"><defs>'
        '<linearGradient id="g"><stop offset="1" stop-color="red"></stop></linearGradient>'
        '<text>no</text></defs><g fill="url(#g)"><path d="M0 0L9 9"></path>'
        '<text x="1"><tspan>One</tspan> two</text></g></svg>'
    )
    found = rendered(source)
    assert found.text == "One two"
    assert found.note == "Left out of this page: 1 part of a drawing."


def test_html_in_a_drawing_or_formula_is_left_out() -> None:
    found = rendered(
        "<svg><foreignObject><p>no</p></foreignObject><text>a</text></svg><math><mtext>b<p>no</p></mtext></math>"
    )
    assert found.text.split() == ["a", "b"]
    assert found.note == "Left out of this page: 1 part of a drawing and 1 part of a formula."


def test_a_drawing_of_very_many_parts_is_left_out() -> None:
    found = rendered("<svg>" + "<path d=M0 />" * 20_001 + "</svg>a")
    assert (found.text, found.note[:33]) == ("a", "Left out of this page: 1 drawing.")


def test_a_stylesheet_and_an_image_that_are_not_stored_are_named_beside_the_page() -> None:
    """Where a page looks otherwise than it was, who judges it reads why."""
    images = "".join(f"<img src=/i/{number % 3}.png>" for number in range(6))
    page = (
        "<link rel=stylesheet href=a.css><link rel=stylesheet href=b.css><link rel=icon href=x.ico>"
        f"{images}<img src=dot.gif width=1 height=1><p hidden><img src=no.png></p>"
        "<img src='data:image/png;base64,AA=='>one"
    )
    sheets = {"http://a.example/b.css": "p { color: red }"}
    found = render_document(
        page.encode(), media_type="text/html", charset="utf-8", url="http://a.example/", sheets=sheets
    )
    assert (found.text, found.note) == (
        "one",
        "Not stored with this page: 1 stylesheet (http://a.example/a.css); 3 images (http://a.example/i/0.png, "
        "http://a.example/i/1.png and 1 more).",
    )


@pytest.mark.parametrize(
    ("source", "missing"),
    [
        ("<body background=Ground.png>one", "1 image (http://a.example/Ground.png)"),
        ("<input type=image src=go.gif>one<input src=no.gif>", "1 image (http://a.example/go.gif)"),
        ("<img srcset='s.png 1x, l.png 2x'>one", "1 image (http://a.example/s.png)"),
        ("<b style='background:red url(\"Attr.png\") no-repeat'>one</b>", "1 image (http://a.example/Attr.png)"),
        (
            "<style>b{background-image:url(b.png)} i{background:url(no.png)}</style><b>one</b>",
            "1 image (http://a.example/b.png)",
        ),
        (
            "<style>b::before{content:url(b.png)} b::marker{content:url(no.png)}</style><b>one</b>",
            "1 image (http://a.example/b.png)",
        ),
        ("<style>li{list-style:url(dot.gif)}</style><li>one", "1 image (http://a.example/dot.gif)"),
        ("<style>b{background:url(no.png)} b{background:none}</style><b>one</b>", ""),
        ("<style>b{background:url(no.png)}</style>one<b hidden>two</b>", ""),
        ("<style>@media print{b{background:url(no.png)}}</style><b>one</b>", ""),
        ("<style>b{background:url(data:image/png;base64,AA==)}</style><b>one</b>", ""),
        ("<link rel=stylesheet href=s.css><p class=k>one", "1 image (http://a.example/styles/k.png)"),
        ("<style>@import 'i.css'; b{color:red} @import 'no.css';</style>one", "1 stylesheet (http://a.example/i.css)"),
        ("<style>@charset 'x'; @import url(i.css) screen;</style>one", "1 stylesheet (http://a.example/i.css)"),
        (
            "<style>@import url(i.css) layer(base) supports(color: red)</style>one",
            "1 stylesheet (http://a.example/i.css)",
        ),
        ("<link rel=stylesheet href=d.css>one", "1 stylesheet (http://a.example/deep.css)"),
        ("<style>@import url(no.css) print;</style><style media=print>@import 'no.css';</style>one", ""),
        ("<link rel=stylesheet media=print href=no.css>one", ""),
    ],
)
def test_images_of_styles_and_imported_stylesheets_are_named_where_something_shows_them(
    source: str, missing: str
) -> None:
    sheets = {
        "http://a.example/s.css": ".k{background:url(styles/k.png)}",
        "http://a.example/d.css": "@import 'deep.css';",
    }
    found = render_document(
        f"<!DOCTYPE html>{source}".encode(),
        media_type="text/html",
        charset="utf-8",
        url="http://a.example/",
        sheets=sheets,
    )
    assert found.text.startswith("one")
    assert found.note == (f"Not stored with this page: {missing}." if missing else "")


def test_a_stylesheet_that_nests_too_deep_to_follow_counts_for_nothing() -> None:
    """It is not written into the page, so nothing is hidden by it and no image of it is missing."""
    found = rendered(f"<style>@import 'i.css'; b{{display:none}} {'(' * 20_000}</style><b>one</b>")
    assert (found.text, found.note) == ("one", "")
