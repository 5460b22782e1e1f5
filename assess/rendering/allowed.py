"""Which elements and attributes a displayed page may have, and which elements are dropped with their content."""

from __future__ import annotations

import re


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set. Tables of names are easier to read as a text than as quoted strings."""
    return frozenset(text.split())


DROPPED = words(
    """
    script noscript template iframe frame frameset object embed applet param svg math audio video track
    canvas noframes noembed portal fencedframe base meta bgsound basefont isindex keygen annotation-xml
    foreignobject
    """
)
"""Elements that are not shown as they are: scripts, elements that load other documents, the families that mutation
attacks use (svg, math, template, noscript), and elements that would change how the page's addresses are read. Most are
dropped with their content. `replaced.py` copies formulas and drawings, and puts boxes in the place of others."""

RENAMED = {"xmp": "pre", "listing": "pre", "plaintext": "pre", "image": "img"}
"""Elements whose content is raw text when parsed again are shown by one whose content is not."""

ELEMENTS = words(
    """
    html head body title style link a abbr acronym address area article aside b bdi bdo big blink
    blockquote br button caption center cite code col colgroup data datalist dd del details dfn dialog dir
    div dl dt em fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 header hgroup hr i img
    input ins kbd label legend li main map mark marquee menu meter nav nobr ol optgroup option output p
    picture pre progress q rb rp rt rtc ruby s samp search section select small source spacer span strike
    strong sub summary sup table tbody td textarea tfoot th thead time tr tt u ul var wbr
    """
)

INLINE = words(
    """
    a abbr acronym b bdi bdo big blink cite code data del dfn em font i ins kbd label mark nobr q s samp small
    span strike strong sub sup time tt u var wbr
    """
)
"""Elements whose edges do not part words."""

_CUSTOM_ELEMENT = re.compile(r"[a-z]+(?:-[a-z0-9]+)+\Z")
_FOREIGN_NAMES = words(
    """
    annotation-xml color-profile font-face font-face-src font-face-uri font-face-format font-face-name
    missing-glyph
    """
)

ATTRIBUTES = words(
    """
    abbr align alink alt axis background bgcolor border bordercolor cellpadding cellspacing char charoff
    charset checked class clear color cols colspan compact coords dir disabled face for frame headers
    height hidden high hspace href hreflang id label lang leftmargin link low marginheight marginwidth max
    maxlength media min multiple name noshade nowrap open optimum placeholder popover readonly rel
    reversed role rows rowspan rules scope selected shape size sizes span src srcset start style summary
    text title topmargin type usemap valign value vlink vspace width wrap
    """
)

_OPEN_ENDED = re.compile(r"(?:aria|data)-[a-z0-9_.-]{1,60}\Z")
OWN = "assay-"
"""Ids, names and data attributes that start like this are ours; a page's own are dropped."""

HIDDEN = "data-assay-hidden"
"""Put by us on elements that the page hides, so that no mark is set in them."""


def shown_tag(tag: str) -> str:
    """Return the tag with which an element is shown: its own if it is known, another for some (`RENAMED`), or span."""
    tag = RENAMED.get(tag, tag)
    if tag in ELEMENTS or is_custom_element(tag):
        return tag
    return "span"


def is_custom_element(tag: str) -> bool:
    """Return whether a tag is a custom element (`my-widget`), which does nothing without script."""
    return len(tag) <= 60 and tag not in _FOREIGN_NAMES and _CUSTOM_ELEMENT.match(tag) is not None


def allow_attribute(tag: str, name: str, value: str) -> bool:
    """Return whether bleach's filter keeps an attribute, judging by its name. The values have been rewritten before."""
    if name == HIDDEN:
        return True
    if name in ("href", "src", "srcset", "rel"):
        return (tag, name) in {
            ("a", "href"),
            ("area", "href"),
            ("link", "href"),
            ("link", "rel"),
            ("img", "src"),
            ("img", "srcset"),
            ("input", "src"),
            ("source", "srcset"),
        }
    if name in ("id", "name", "for") and value.startswith(OWN):
        return False
    if name in ATTRIBUTES:
        return True
    return _OPEN_ENDED.match(name) is not None and not name.startswith("data-assay")
