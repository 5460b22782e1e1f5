"""What a prepared page is looked at as: as html5lib's own walker and cssselect2 do, with stylesheets read once."""

from __future__ import annotations

from typing import Any

import cssselect2
import html5lib
import pytest

from assess.rendering import css
from assess.rendering.hidden_elements import _Wrapped
from assess.rendering.markup import parse_page, tokens_of
from assess.rendering.sanitise import sanitise_tree, write_page

PAGES = [
    "<p> a <b>\n\tb</b>\u00a0 <br>t<img src=//e.example/x> </p><pre>\n\n x</pre> ",
    "x<svg viewBox='0 0 1 1'><g><text> t <tspan>u</tspan> v</text></g></svg>y<math><mi> z </mi></math>",
    "<table>a<tr><td>b<table><td>c</table></table><textarea>\n d</textarea><my-part data-x=1></my-part><input value=v>",
    "<frameset><frame src=x></frameset>",
    "<p id=a class=' one\ttwo one\u00a0three '>x<!-- y --><i class=''>z</i><b id=''>b</b></p>",
    "",
]
ASKED = ("local_name", "namespace_url", "id", "classes", "etree_children")


def both(page: str) -> tuple[list[Any], list[Any]]:
    root = sanitise_tree(parse_page(page)[0], "http://blog.example/").root
    return list(tokens_of(root)), [dict(token) for token in html5lib.getTreeWalker("etree")(root)]


@pytest.mark.parametrize("page", PAGES)
def test_tokens_are_those_of_the_parsers_own_walker(page: str) -> None:
    ours, theirs = both(page)
    assert ours == theirs


@pytest.mark.parametrize("page", PAGES)
def test_elements_are_to_selectors_what_they_are_to_their_library(page: str) -> None:
    root = sanitise_tree(parse_page(page)[0], "http://blog.example/").root
    ours, theirs = (
        [[getattr(each, name) for name in ASKED] for each in wrapper.from_html_root(root).iter_subtree()]
        for wrapper in (_Wrapped, cssselect2.ElementWrapper)
    )
    assert ours == theirs


def test_a_stylesheet_of_two_pages_is_resolved_against_the_address_of_each() -> None:
    page = "<style>b{background:url(i.png)} p{display:none}</style><p>x</p>"
    written = {}
    for url in ("http://one.example/a/", "http://two.example/b/", "http://one.example/a/"):
        root, mode = parse_page(page)
        found = write_page(sanitise_tree(root, url), mode)
        assert written.setdefault(url, found) == found
        assert f'url("{url}i.png")' in found


def test_a_long_stylesheet_is_not_kept() -> None:
    text = "b{color:red}" * 5_000
    assert css.rewrite_sheet(text, "") is not css.rewrite_sheet(text, "")
    assert css.rewrite_sheet("b{color:red}", "") is css.rewrite_sheet("b{color:red}", "")
