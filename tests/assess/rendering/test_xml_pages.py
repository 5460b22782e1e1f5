"""Pages that are XML: XHTML, feeds, other XML; and what is not well-formed."""

from __future__ import annotations

import pytest

from assess.rendering.render import render_document

HEAD = (
    '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" '
    '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">\n<html xmlns="http://www.w3.org/1999/xhtml">'
)
RSS = (
    '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Tea &amp; more</title>'
    "<link>http://b.example/</link><description/><item><title><![CDATA[First <em>post</em>]]></title>"
    "<description>&lt;p&gt;Hello &lt;b&gt;world&lt;/b&gt;&lt;/p&gt;&lt;script&gt;no()&lt;/script&gt;</description>"
    '<content:encoded><![CDATA[<p onclick="no()">All of it</p>]]></content:encoded></item></channel></rss>'
)
ATOM = (
    '<feed xmlns="http://www.w3.org/2005/Atom"><title>Tea</title><link href="http://c.example/"/><entry><title>One</title>'
    '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><script/><p>In <b>XHTML</b></p></div>'
    "</content></entry></feed>"
)


def text_of(page: str, media_type: str) -> str:
    rendering = render_document(page.encode(), media_type=media_type, charset=None, url="http://a.example/")
    assert "no()" not in (rendering.page or "")
    return rendering.text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<head><title/><script src='a'/><style/></head><body><p>One</p></body>", "One"),
        (
            "<body><div style='display:none'/><p>One</p><textarea/><p>two</p></body>",
            "One\n\ntwo",
        ),
        ("<body><p>1 &lt; 2 <![CDATA[<b>& &nbsp;</b>]]></p></body>", "1 < 2 <b>& &nbsp;</b>"),
        ("<body><p>caf&eacute;&nbsp;&mdash; &#233;</p></body>", "café\xa0— é"),
        ("<body><p>One<!-- no --> two<?pi no?></p><p hidden='hidden'>no</p></body>", "One two"),
        ("<body><P>One</P> <x:y xmlns:x='urn:x'>two</x:y></body>", "One two"),
    ],
)
def test_xhtml_is_read_as_xml(body: str, text: str) -> None:
    assert text_of(f"{HEAD}{body}</html>", "application/xhtml+xml") == text


def test_the_same_bytes_as_html_are_read_as_html() -> None:
    page = f"{HEAD}<body><p>One<div/>two</p></body></html>"
    assert text_of(page, "text/html") == "One\n\ntwo"
    assert text_of(f"{HEAD}<body><p>One<br>two</body></html>", "application/xhtml+xml") == "One\ntwo", "not well-formed"


@pytest.mark.parametrize("media_type", ["application/rss+xml", "application/xml", "text/xml"])
def test_a_feed_shows_its_titles_links_and_texts(media_type: str) -> None:
    expected = "Tea & more\n\nhttp://b.example/\n\nFirst post\n\nHello world\n\nAll of it"
    assert text_of(RSS, media_type) == expected


def test_an_atom_feed_shows_the_xhtml_in_it() -> None:
    assert text_of(ATOM, "application/atom+xml") == "Tea\n\nhttp://c.example/\n\nOne\n\nIn XHTML"


def test_other_xml_is_shown_by_its_elements_and_nothing_is_fetched_for_it() -> None:
    assert text_of("<doc><head>One</head><p>two <i>three</i> four</p><q/></doc>", "text/xml") == "One\ntwo three four"
    for declared in ('<!ENTITY a SYSTEM "file:///etc/passwd">', '<!ENTITY a "aa"><!ENTITY b "&a;&a;">'):
        assert text_of(f"<!DOCTYPE x [{declared}]><x>one &a; two</x>", "text/xml") == "one two"
    assert (
        text_of('<svg xmlns="http://www.w3.org/2000/svg"><text y="20">Drawn</text></svg>', "image/svg+xml") == "Drawn"
    )


@pytest.mark.parametrize("hostile", ["<![CDATA[", "<!--", "<a>", "<a/>x", "&"])
def test_hostile_xml_takes_time_in_proportion(hostile: str) -> None:
    assert (
        render_document(f"<r>{hostile * 2000}".encode(), media_type="text/xml", charset=None, url="").status != "failed"
    )
