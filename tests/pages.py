"""Reading pages in tests: how a template is broken into lines is no part of what it shows."""

from __future__ import annotations

from typing import Any


def page_of(answer: Any) -> str:
    """The page that was answered, with every run of white space as one space."""
    return " ".join(answer.content.decode().split())
