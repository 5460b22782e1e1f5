"""Reading pages in tests: how a template is broken into lines is no part of what it shows."""

from __future__ import annotations

from typing import Any


def one_line(page: str) -> str:
    """The page with every run of white space as one space."""
    return " ".join(page.split())


def page_of(answer: Any) -> str:
    """What was answered, as one line."""
    return one_line(answer.content.decode())
