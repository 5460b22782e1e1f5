"""Pages made safe from their source, as tests look at them."""

from __future__ import annotations

from assess.rendering.markup import parse_page
from assess.rendering.sanitise import sanitise_tree, write_page


def sanitise_page(text: str, *, url: str = "") -> str:
    """A page from its decoded source, safe to put in the frame."""
    root, mode = parse_page(text)
    return write_page(sanitise_tree(root, url), mode)
