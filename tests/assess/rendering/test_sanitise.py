"""What the sanitised page keeps, and each trap that the pipeline must not fall into."""

# ruff: noqa: E501, SIM905 - tables read better in long lines

from __future__ import annotations

import os
from xml.etree.ElementTree import Element

import html5lib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assess.rendering.render import render_document
from assess.rendering.replaced import ELEMENTS as DRAWN
from assess.rendering.replaced import is_allowed
from assess.rendering.sanitise import DOCTYPES
from tests.assess.rendering.sanitised import sanitise_page

URL = "http://blog.example/2006/01/post.html"
HEAD = '<html><head><meta charset="utf-8"></head><body>'


def body_of(source: str) -> str:
    """What stands between <body> and </body> of the sanitised page."""
    return sanitise_page("<!DOCTYPE html>" + source, url=URL).partition("<body>")[2].partition("</body>")[0]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a &amp;lt;b&gt; &copy;", "a &amp;lt;b&gt; ©"),
        ("x<script>alert(1)</script>y", "xy"),
        (
            "x<noscript><p title='</noscript><img src=x onerror=1>'>n</noscript>y",
            "x'&gt;ny".replace("x'", 'x<img src="http://blog.example/2006/01/x">\''),
        ),
        ("x<svg><style>s</style><text>t</text></svg>y", "x<svg><text>t</text></svg>y"),
        ("x<math><mtext>z<table><mglyph><style><img src=x></style></math>y", "x<math><mtext>z</mtext></math>"),
        ("x<template><b>t</b></template>y", "xy"),
        (
            "x<iframe src=//e.example>f</iframe><object data=x width=20>o<embed src=x></object>y",
            'x<span style="min-width:300px;min-height:150px;" data-assay-left-out="framed page">f</span>'
            '<span style="min-width:20px;min-height:150px;" data-assay-left-out="plug-in">o</span>y',
        ),
        ("<b data-assay-left-out=z>x</b>", "<b>x</b>"),
        ("<a {x}href=javascript:1 {}id=y {x}title=z>l</a><img {x}src=//e.example/>", "<a>l</a><img>"),
        ("<!-- c --><b>k</b><!--[if IE]><i>e</i><![endif]-->", "<b>k</b>"),
        ("<xmp><b>x</b></xmp>", "<pre>&lt;b&gt;x&lt;/b&gt;</pre>"),
        ("<pre>\n\nx</pre>", "<pre>\n\nx</pre>"),
        (
            "<unknown-one class=a>x</unknown-one><unknown id=b>y</unknown>",
            '<unknown-one class="a">x</unknown-one><span id="b">y</span>',
        ),
        ("<p onclick=a() ONLOAD=b() x=1 data-k=v aria-label=l>t", '<p data-k="v" aria-label="l">t</p>'),
        ("<b id=assay-mark-1 data-assay-hidden>x</b>", "<b>x</b>"),
        ("<a href='java\nscript:alert(1)'>j</a>", '<a href="#assay-link">j</a>'),
        ("<a href='javascript:123'>j</a>", '<a href="#assay-link">j</a>'),
        (
            "<a href='other.html' target=_top ping=/p>o</a>",
            '<a href="#assay-link" title="http://blog.example/2006/01/other.html">o</a>',
        ),
        ("<a href='#c'>c</a><a href='post.html#d'>d</a>", '<a href="#c">c</a><a href="#d">d</a>'),
        ("<img src='i.gif' lowsrc=x dynsrc=y longdesc=z>", '<img src="http://blog.example/2006/01/i.gif">'),
        (
            "<img src='data:image/png;base64,AAAA'><img src='data:text/html,x'>",
            '<img src="data:image/png;base64,AAAA"><img>',
        ),
        ("<img src=x:y srcset='a.gif 1x, javascript:b 2x'>", '<img srcset="http://blog.example/2006/01/a.gif 1x">'),
        ("<td background=b.gif>", ""),
        (
            "<form action=/x target=_top method=post><input type=submit formaction=/y></form>",
            '<form><input type="button" value="Submit"></form>',
        ),
        ("<button type=submit formaction=/y>b</button>", '<button type="button">b</button>'),
        ("<p style='background:url(javascript:1);color:red'>", '<p style="background:none;color:red"></p>'),
        ("<p style='width:expression(alert(1))'>", '<p style="width:none"></p>'),
        (
            "<p style='behavior:url(x.htc);-moz-binding:none'>",
            '<p style="assay-dropped:url(&quot;http://blog.example/2006/01/x.htc&quot;);assay-dropped:none"></p>',
        ),
        ("<p style='b\\65havior:x'>", '<p style="assay-dropped:x"></p>'),
    ],
)
def test_body(source: str, expected: str) -> None:
    assert body_of(source) == expected


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("a{color:red}", "a{color:red}"),
        ("@import 'x.css';", '@import url("http://blog.example/2006/01/x.css");'),
        ("@import url(//c.example/x.css) screen;", '@import url("http://c.example/x.css") screen;'),
        ("@import 'data:,x';", "@assay-dropped none;"),
        ("@import none;", "@assay-dropped none;"),
        ("a{background:url( 'i.png' )}", 'a{background:url("http://blog.example/2006/01/i.png")}'),
        ("a{background:url(vbscript:x)}", "a{background:none}"),
        (
            "a{background:image-set('i.png' 1x, 'file:///x' 2x)}",
            'a{background:image-set(url("http://blog.example/2006/01/i.png") 1x, none 2x)}',
        ),
        ("<!-- a{b:c} -->", " a{b:c} "),
        ("a::after{content:'<b>'}", "a::after{content:'\\3c b>'}".replace("'", '"')),
        ("a{b:" + "(" * 5000, ""),
    ],
)
def test_stylesheet(css: str, expected: str) -> None:
    page = sanitise_page(f"<!DOCTYPE html><style>{css}</style>", url=URL)
    assert page.partition("<style>")[2].partition("</style>")[0] == expected


def test_stylesheet_cannot_end_its_element() -> None:
    page = sanitise_page("<style>a{b:'\\3c/style><script>alert(1)</script>'}</style>", url=URL)
    assert "<script" not in page
    assert page.count("</style>") == 1


@pytest.mark.parametrize(
    ("source", "mode"),
    [
        ("<p>x", "quirks"),
        ("<!DOCTYPE html><p>x", "no quirks"),
        ('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN"><p>x', "quirks"),
        (
            '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
            "limited quirks",
        ),
    ],
)
def test_mode_is_kept_by_a_fixed_doctype(source: str, mode: str) -> None:
    page = sanitise_page(source, url=URL)
    assert page.startswith(DOCTYPES[mode] + "<html>")
    parser = html5lib.HTMLParser()
    parser.parse(page)
    assert parser.compatMode == mode


def test_head_keeps_title_and_stylesheets_and_has_one_charset() -> None:
    source = (
        "<!DOCTYPE html><head><base href='http://other.example/b/'><meta charset=koi8-r><meta http-equiv=refresh content='0;url=/x'>"
        "<title>T &amp; t</title><link rel=stylesheet href=s.css media=screen><link rel=icon href=i><link rel='alternate stylesheet' href=a>"
        "<link rel=prefetch href=p><body class=k onload=x bgcolor=red>"
    )
    assert sanitise_page(source, url=URL) == (
        '<!DOCTYPE html><html><head><meta charset="utf-8"><title>T &amp; t</title>'
        '<link rel="stylesheet" href="http://other.example/b/s.css" media="screen"></head><body class="k" bgcolor="red"></body></html>'
    )


def test_without_an_address_relative_ones_are_dropped() -> None:
    assert '<img alt="i">' in sanitise_page("<img src=/static/x.gif alt=i>", url="")


def test_frames_leave_a_blank_page_that_says_so() -> None:
    rendering = render_document(b"<frameset><frame src=a></frameset>", media_type="text/html", charset=None, url="")
    assert rendering.status == "blank"
    assert "frames" in rendering.note
    assert rendering.page is not None
    assert "<frame" not in rendering.page


FRAGMENTS = st.sampled_from(
    """<script> </script> <style> </style> <svg> </svg> <math> <mtext> <mglyph> <template> </template> <noscript> </noscript> <title> </title>
    <textarea> </textarea> <select> <option> <table> <tr> <td> <form> <a <img <p <iframe <b> </b> <!-- --> <![CDATA[ ]]> <xmp> </xmp> <plaintext>
    onerror=alert(1) onclick='x' href=javascript:alert(1) {x}href=javascript:1 {}src=javascript:1 href="java&#10;script:x" src=data:text/html,x style="x:url(javascript:1)" " ' > / = & &lt; &#60;
    &quot; {} url( @import expression( alert(1) <base <meta <link rel=stylesheet formaction=x srcdoc=<script> xlink:href=javascript:1
    <annotation-xml <foreignObject> <desc> <frameset> <image <text> <tspan> <g> <path d=M0 <mi> <mn> <mfrac> <use href=#x fill=url(//x)
    <animate attributeName=href values=javascript:1> <set to=x> <mglyph> <malignmark> </mi> </text> <canvas> <video controls> <object data=x>""".split()
)


@settings(max_examples=400 if "ASSAY_PROPERTY_EXAMPLES" in os.environ else 100, deadline=None)
@given(st.lists(FRAGMENTS | st.text(max_size=5), max_size=25), st.sampled_from(["", " "]))
def test_nothing_active_survives_any_mixture(parts: list[str], joint: str) -> None:
    page = sanitise_page(joint.join(parts), url=URL)
    assert_harmless(page)
    assert_harmless(sanitise_page(page, url=URL))


def assert_harmless(page: str) -> None:
    """No script, comment, handler, or address of a dangerous scheme, as a standard parser reads the page."""
    tree = html5lib.parse(page, namespaceHTMLElements=False)
    for node in tree.iter():
        assert isinstance(node.tag, str), page  # a comment, whatever it was written as
        namespace, _, name = node.tag.rpartition("}")
        assert name not in {
            "script",
            "iframe",
            "object",
            "embed",
            "base",
            "template",
            "noscript",
            "frame",
            "foreignobject",
            "foreignObject",
            "annotation-xml",
        }
        if namespace:
            assert_still(node, name, page)
        else:
            assert name not in DRAWN, page
        for name, value in node.attrib.items():
            assert not name.lower().startswith("on"), (name, page)
            assert name not in {"srcdoc", "formaction", "action", "target", "ping", "http-equiv"}
            if name in {"href", "src", "background", "srcset"}:
                assert value.startswith(("#", "http://", "https://", "data:image/")), (name, value)


def assert_still(node: Element, name: str, page: str) -> None:
    """An element of a drawing or formula is on the list, holds no HTML, leads nowhere, and says no address."""
    assert name in DRAWN, (name, page)
    assert all(child.tag.startswith("{") for child in node), page
    for attribute, value in node.attrib.items():
        assert attribute not in {"href", "src", "from", "to", "values", "begin", "attributeName"}, page
        assert not attribute.startswith("{"), page
        if attribute != "style":
            assert is_allowed(attribute, value), (attribute, value)


@pytest.mark.shared
def test_attack_strings_leave_nothing_active(shared_data) -> None:  # type: ignore[no-untyped-def]
    import json

    payloads = json.loads((shared_data / "html" / "xss_payloads.json").read_text("utf-8"))
    assert len(payloads) == 820
    for each in payloads:
        assert_harmless(sanitise_page(each["payload"], url=URL))
