"""The sources of the demonstration pages: blog posts as text, with the facts marked where they are said.

`{1.1|Old Goat cheddar}` marks an answer to the rigid question 1.1 (`{1.1:label|surface}` where it is worded
otherwise), `{1.3a|…}` a passage that expresses nugget a of the squishy question 1.3. The marks are taken out of
the page, and are what the recorded judgments are made from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).parent / "posts"
_MARK = re.compile(r"\{(?P<topic>\d+\.\d+)(?P<key>[a-z]?)(?::(?P<label>[^|{}]*))?\|(?P<text>[^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Mark:
    """One fact said in a page: ``key`` is a nugget's letter, or the label of an answer class."""

    topic: str
    key: str
    text: str
    is_nugget: bool


@dataclass(frozen=True, slots=True)
class Post:
    """One blog post with its comments, still marked."""

    slug: str
    blog: str
    host: str
    engine: str
    encoding: str
    author: str
    date: str
    title: str
    mood: str
    paragraphs: tuple[str, ...]
    comments: tuple[tuple[str, str], ...]


def read_posts() -> list[Post]:
    """Return all posts, in the order of their files."""
    files = sorted(SOURCES.glob("*.txt"), key=lambda path: int(path.name.split("-")[0]))
    return [_post(block) for path in files for block in path.read_text(encoding="utf-8").split("=====\n")]


def _post(block: str) -> Post:
    head, _, body = block.strip().partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    blog, host, engine, encoding = (part.strip() for part in fields["blog"].split("|"))
    lines = [line for line in body.splitlines() if line.strip()]
    comments = tuple(_comment(line[2:]) for line in lines if line.startswith("> "))
    return Post(
        fields["slug"], blog, host, engine, encoding, fields["author"], fields["date"], fields["title"],
        fields.get("mood", ""), tuple(line for line in lines if not line.startswith("> ")), comments,
    )  # fmt: skip


def _comment(line: str) -> tuple[str, str]:
    name, _, text = line.partition(": ")
    return name, text


def plain(marked: str) -> str:
    """Return the text without its marks."""
    return _MARK.sub(lambda mark: mark["text"], marked)


def marks(marked: str) -> list[Mark]:
    """Return the marks of a text, in order.

    >>> marks("the {1.1:lemon curd|curd} is {1.3a|cheap}")
    [Mark(topic='1.1', key='lemon curd', text='curd', is_nugget=False), \
Mark(topic='1.3', key='a', text='cheap', is_nugget=True)]
    """
    return [
        Mark(
            m["topic"], (m["key"] or m["label"] or _label(m["text"])).replace("\u2019", "'"), m["text"], bool(m["key"])
        )
        for m in _MARK.finditer(marked)
    ]


def _label(surface: str) -> str:
    return re.sub(r"^(?:the|a|an) ", "", surface)


def smarten(text: str) -> str:
    """Return the text with typographic quotes for straight ones, as better blog engines printed it."""
    text = re.sub(r'(^|[\s({|—])"', "\\1\u201c", text).replace('"', "\u201d")
    return re.sub(r"(^|[\s(\u201c|])'", "\\1\u2018", text).replace("'", "\u2019")
