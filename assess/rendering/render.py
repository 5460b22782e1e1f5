"""Turn a document's bytes into the page to show and the text that counts.

A document is rendered once, when it is imported, in a separate process with a time and a memory limit
(`processes.RenderPool`). The result is stored with the versions in `rendered.py`. Addresses of images and stylesheets
on the web stay in the page whatever the campaign's ``remote_resources``: the response's header (`csp.py`) decides
whether a browser loads them. So changing the setting does not require another rendering.
"""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import Literal
from xml.etree.ElementTree import Element

from assess.rendering.addresses import Sheets
from assess.rendering.allowed import HIDDEN
from assess.rendering.css import StyleAttributes, imported
from assess.rendering.encoding import decode_page, detect_encoding, quick_text
from assess.rendering.hidden_elements import PageStyles, images_of, styles_of_page
from assess.rendering.markup import parse_page
from assess.rendering.media import screen_shows
from assess.rendering.rendered import IMAGE_TYPES, Rendering, Status, rendering
from assess.rendering.sanitise import DOCTYPES, Prepared, sanitise_tree, write_page
from assess.rendering.unstored import Unstored
from assess.rendering.viewable import viewable_text
from assess.rendering.xml_pages import is_xml, parse_xml
from scoring.formats.newswire import newswire_text
from scoring.formats.trec_sgml import MEDIA_TYPE as SGML
from scoring.formats.unfit_files import binary_content

FALLBACK_LIMIT = 4_000_000
"""The most characters of a page whose text is extracted without parsing; the rest is left out."""

_HTML_TYPES = frozenset({"text/html", ""})
_TEXT_TYPES = frozenset({"text/plain", "text/markdown", "text/csv"})
_EXPECTED = {"html": "page", "sgml": "text", "text": "text"}
_LOOKED_AT = 1 << 16
_SWALLOWS = re.compile(r"<(script|style|title|textarea|iframe|noscript|template|select)\b[^<>]*/>", re.IGNORECASE)
_SWALLOWED = (
    "In HTML a <{}> that is closed by itself takes in what follows; the page is XHTML and was not served as such."
)
_LOOKS_LIKE_HTML = re.compile(rb"<(?:!doctype|html|head|body|title|div|table|p)\b", re.IGNORECASE)


def render_document(
    raw: bytes, *, media_type: str, charset: str | None, url: str, sheets: Sheets | None = None
) -> Rendering:
    """Return the rendering of one document. It never raises, whatever the content, but it may take long: see
    `processes`.

    ``charset`` is the one from the HTTP header, or None. ``url`` is the document's address, against which relative
    addresses are resolved; without it they are dropped. ``sheets`` are the collection's stylesheets by address.
    """
    kind = _kind(raw, media_type)
    if (what := _not_text(raw, charset)) and kind not in ("image", "other"):
        note = f"This document cannot be shown: its bytes are {what}, not the {_EXPECTED[kind]} that it is called."
        return rendering(page=None, text="", status="failed", note=note)
    if kind == "html":
        text, _ = decode_page(raw, charset)
        parsed = parse_xml(text) if is_xml(media_type) else None
        root, mode = (parsed, "no quirks") if parsed is not None else parse_page(text)
        made = _render_page(root, mode, url, sheets or {})
        if made.status == "blank" and parsed is None and (swallows := _SWALLOWS.search(text)):
            return replace(made, note=f"{made.note} {_SWALLOWED.format(swallows[1].lower())}")
        return made
    if kind == "image":
        return rendering(page=None, text="", status="ok", note="")
    if kind == "other":
        note = f"This document cannot be shown: it is {media_type}, neither a page nor text."
        return rendering(page=None, text="", status="failed", note=note)
    text, _ = decode_page(raw, charset)
    text = newswire_text(text) if kind == "sgml" else text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    status: Status = "ok" if text.strip() else "blank"
    return rendering(page=_text_page(text), text=text, status=status, note="" if text.strip() else "It has no text.")


def _not_text(raw: bytes, charset: str | None) -> str:
    """Return what the bytes are if they are neither a page nor text in any encoding, otherwise ""."""
    what = binary_content(raw[:_LOOKED_AT])
    return "" if what and detect_encoding(raw, charset)[0].startswith("utf-16") else what


def render_text_only(raw: bytes, *, media_type: str, charset: str | None, reason: str) -> Rendering:
    """Return the fallback for a page that could not be prepared: its text without a page, found quickly.

    Tags are removed in one pass. The rest may include hidden text, and the note says so.
    """
    text, _ = decode_page(raw, charset)
    if _kind(raw, media_type) == "html":
        text = quick_text(text[:FALLBACK_LIMIT])
    note = f"{reason} Its text is shown instead, and may hold text that a browser would hide."
    return rendering(page=None, text=text.strip(), status="text-only", note=note)


def _kind(raw: bytes, media_type: str) -> Literal["html", "sgml", "text", "image", "other"]:
    if media_type in _HTML_TYPES or is_xml(media_type):
        return "html"
    if media_type == SGML:
        return "sgml"
    if media_type in IMAGE_TYPES:
        return "image"
    if media_type in _TEXT_TYPES:
        return "text"
    if _LOOKS_LIKE_HTML.search(raw[:2000]):
        return "html"
    return "text" if media_type.startswith("text/") and b"\0" not in raw[:2000] else "other"


def _render_page(root: Element, mode: str, url: str, sheets: Sheets) -> Rendering:
    page = sanitise_tree(root, url, sheets)
    styles = styles_of_page(page.root, page.sheets)
    shown, hidden = viewable_text(page.root, styles)
    for node in hidden:
        node.set(HIDDEN, "")
    note = (
        "The page has so many style rules that not all of them were followed in finding its text."
        if styles.is_capped
        else ""
    )
    status: Status = "ok"
    if not re.search(r"\w", shown):
        status, note = "blank", _why_blank(page.dropped_frames, bool(hidden))
    note = " ".join(filter(None, (note, page.left_out.note(hidden), _unstored(page, styles).note(hidden))))
    return rendering(page=write_page(page, mode), text=shown, status=status, note=note)


def _unstored(page: Prepared, styles: PageStyles) -> Unstored:
    """Return the images and stylesheets on the web that the page refers to. Images of styles count only if an element
    shows them.
    """
    shown = [sheet for media, sheet in page.sheets if screen_shows(media)]
    attributes = StyleAttributes(page.addresses.resource)
    styled = [
        (node, address)
        for node in page.root.iter()
        if "(" in (style := node.get("style", ""))
        for address in images_of(attributes.sanitize_css(style))
    ]
    return Unstored(
        sheets=[*page.unstored.sheets, *(address for sheet in shown for address in imported(sheet))],
        images=[*page.unstored.images, *styles.images, *styled],
    )


def _why_blank(frames: int, hides: bool) -> str:
    if frames:
        return "The page shows no text: it is made of frames, and what they showed is not in the collection's document."
    if hides:
        return "The page shows no text: it hides its content until a script runs, and scripts are taken out."
    return "The page shows no text."


def _text_page(text: str) -> str:
    """Return a page for a plain text document: its lines wrapped, each in the direction of its script."""
    lines = "white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext;text-align:start"
    style = f"pre{{{lines};font:1rem/1.5 Georgia,serif;max-width:46em;margin:1.5em}}"
    body = html.escape(text, quote=False)
    head = f'<head><meta charset="utf-8"><style>{style}</style></head>'
    return f"{DOCTYPES['no quirks']}<html>{head}<body><pre>\n{body}</pre></body></html>"
