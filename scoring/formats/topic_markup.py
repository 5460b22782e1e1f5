"""Reads topics between tags: TREC's SGML, with or without end tags, and the XML of other tasks.

    <top> <num> Number: 301 <title> crime <desc> Description: … <con> Concept(s): … </top>          TREC
    <topics task="…"><topic number="1" type="faceted"><query>…</query><subtopic number="1">…      Web, TREC-COVID
    <topics><topic><number>1</number><title>…</title></topic>…                                     Touché, CLEF

The first tags decide which element holds one topic (`_record_name`). Inside it every tag begins a member that continues
until its end tag or the next tag. An unknown tag in the middle of a line of text counts as text, and HTML tags are
skipped. Attributes of a topic become members; those of a member are stored with its text: {"number": "1", "text": "…"}.
Repeated members become a list. A label such as `Narrative:` before a text is not part of the text.

Codes: unclosed, outside (text or a field between topics, one for all fields up to the next topic), no-topics.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from scoring.formats.topic_texts import KNOWN, NUMBER, not_kept_issue, one_line, plain_member
from scoring.reading.opening import STOPPED, excerpt_of
from scoring.records import Issue

TAGS_LOOKED_AT = 2_000
MOST = 100_000
"""The number of topics and issues in one file, and of fields in one topic, after which reading stops."""
RECORDS = frozenset({"top", "topic", "query", "event", "request", "question", "session", "dialogue", "item"})
IN_TEXT = frozenset({"b", "i", "em", "strong", "u", "p", "br", "span", "font", "a", "tt"})
WORDS = {
    "num": r"[^\W\d]+(?=[ \t]*:)|Number", "number": "Number", "title": "Topic", "desc": "Description",
    "description": "Description", "narr": "Narrative", "narrative": "Narrative", "dom": "Domain", "smry": "Summary",
    "con": r"Concepts?|Concept\(s\)", "fac": r"Factors?|Factor\(s\)", "def": r"Definitions?|Definition\(s\)",
    "nat": "Nationality", "time": "Time",
}  # fmt: skip
"""The label that may stand before a member's text, by member. Before a number, any word with a colon is one."""

_TAG = re.compile(
    r"<(/?)([^\W\d][\w:.-]*+)"
    r"((?:\s++[\w:.-]++(?:\s*+=\s*+(?:\"[^\"<]*+\"|'[^'<]*+'|[^\s\"'<>]++))?+)*+)\s*+(/?)>"
)
_ATTRIBUTE = re.compile(r"([\w:.-]++)(?:\s*+=\s*+(?:\"([^\"<]*+)\"|'([^'<]*+)'|([^\s\"'<>]++)))?+")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_LABEL = {name: re.compile(rf"\s*(?:{words})[ \t]*(?::|\n|\Z)", re.IGNORECASE) for name, words in WORDS.items()}
_BARE = {name: re.compile(rf"\s*(?:{WORDS[name]})\s+(?=\S)", re.IGNORECASE) for name in ("desc", "narr", "num")}


@dataclass(slots=True)
class Tagged:
    """One topic as found between its tags: the line on which it begins, and its members."""

    line: int
    members: list[tuple[str, Any]]
    is_closed: bool = True


@dataclass(slots=True)
class _Member:
    name: str
    attributes: dict[str, str]
    pieces: list[str]

    @property
    def is_in_line(self) -> bool:
        """Whether there is text between this tag and the next one, and the text ends on the line of the next tag."""
        for piece in reversed(self.pieces):
            if "\n" in piece:
                return bool(piece.rsplit("\n", 1)[-1].strip())
            if piece and not piece.isspace():
                return True
        return False


def tagged_topics(text: str) -> Iterator[Tagged | Issue]:
    """Yield the topics of a file in file order, and its issues. More than `MOST` topics end with the issue `STOPPED`.
    A file without topics, or with only unknown elements without numbers, gives the issue "no-topics" alone.
    """
    plain = _without_comments(text)
    record = _record_name(islice(_TAG.finditer(plain), TAGS_LOOKED_AT))
    if not record:
        yield Issue(where="", code="no-topics", message=_NO_TOPICS)
        return
    found = list(islice(_Reading(plain, record).run(_TAG.finditer(plain)), MOST + 1))
    if len(found) > MOST:
        last = found.pop()
        message = f"There are more than {MOST:,} topics in the file. Nothing after that was read."
        found.append(Issue(where=last.line if isinstance(last, Tagged) else last.where, code=STOPPED, message=message))
    topics = [each for each in found if isinstance(each, Tagged)]
    if record not in RECORDS and not any(_has_number(each) for each in topics):
        message = f"The file has <{record}> where topics should be, and none of them has a number. {_WRITE}"
        yield Issue(where=topics[0].line if topics else "", code="no-topics", message=message)
        return
    _drop_bare_labels(topics)
    yield from found if all(each.is_closed for each in topics) else _with_unclosed(found, topics, record)


_WRITE = "Write <top> or <topic> around each topic, and check that it is the right file."
_NO_TOPICS = f"There are no topics between the tags of the file. {_WRITE}"


class _Reading:
    """Reads the tags of a file once, from beginning to end."""

    def __init__(self, text: str, record: str) -> None:
        self.text, self.record = text, record
        self.topic: Tagged | None = None
        self.member: _Member | None = None
        self.members: list[_Member] = []
        self.stray: list[tuple[int, str]] = []
        self.around = ""  # the tag that was just opened and does not hold a topic
        self.is_lost = False  # whether a field outside any topic was reported: what follows belongs to it
        self.not_kept: dict[str, None] = {}
        self.line, self.counted = 1, 0

    def run(self, tags: Iterable[re.Match[str]]) -> Iterator[Tagged | Issue]:
        place = 0
        text = self.text
        for tag in tags:
            closing, written, attributes, alone = tag.groups()
            start, end = tag.span()
            name = _name(written)
            if self.member is not None:
                self.member.pieces.append(text[place:start])
            elif (piece := text[place:start]) and not piece.isspace():
                if closing and self.around == name:
                    self.not_kept.setdefault(written)
                else:
                    yield from self.take_stray(place, piece)
            place, self.around = end, ""
            if name == self.record:
                self.is_lost = False
                if self.topic is not None:
                    yield from self.end_topic(is_closed=bool(closing))
                if not closing:
                    self.begin_topic(tag)
                    if alone:
                        yield from self.end_topic(is_closed=True)
            elif self.topic is not None:
                if not (closing or attributes or alone) and _begins_member(name):
                    self.member = _Member(_bare(written), {}, [])
                    self.members.append(self.member)
                else:
                    self.take_tag(tag[0], name, closing, written, attributes, alone)
                if len(self.members) > MOST:
                    message = f"The topic has more than {MOST:,} fields. Nothing after that was read."
                    yield Issue(where=self.topic.line, code=STOPPED, message=message)
                    return
            elif plain_member(name) in KNOWN and not closing:
                if not self.is_lost or plain_member(name) in NUMBER:
                    message = (
                        f"<{written}> stands outside <{self.record}>. Write <{self.record}> before it if a topic "
                        f"begins here, or delete what stands up to the next <{self.record}>."
                    )
                    yield _issue(self.line_of(start), "outside", message, self.line_at(start))
                self.is_lost = True
            elif not closing:
                names = [each for each in _attributes(attributes) if not each.startswith("xmlns")]
                self.not_kept.update(dict.fromkeys(names))
                self.around = "" if alone else name
        if self.member is not None:
            self.member.pieces.append(self.text[place:])
        elif self.text[place:].strip():
            yield from self.take_stray(place, self.text[place:])
        if self.topic is not None:
            yield from self.end_topic(is_closed=False)
        if self.not_kept:
            yield not_kept_issue(self.not_kept, severity="note")

    def line_of(self, place: int) -> int:
        self.line += self.text.count("\n", self.counted, place)
        self.counted = place
        return self.line

    def line_at(self, place: int) -> str:
        start = self.text.rfind("\n", 0, place) + 1
        return self.text[start : start + 200].split("\n", 1)[0]

    def take_stray(self, start: int, piece: str) -> Iterator[Issue]:
        first = start + len(piece) - len(piece.lstrip())
        if self.topic is None:
            if not self.is_lost:
                yield _issue(self.line_of(first), "outside", _OUTSIDE, piece.strip())
        else:
            self.stray.append((self.line_of(first), piece))

    def begin_topic(self, tag: re.Match[str]) -> None:
        attributes = list(_attributes(tag[3]).items()) if tag[3] else []
        self.topic = Tagged(line=self.line_of(tag.start()), members=attributes)
        self.member, self.members, self.stray = None, [], []

    def take_tag(self, tag: str, name: str, closing: str, written: str, attributes: str, alone: str) -> None:
        member = self.member
        if name in IN_TEXT and not attributes.strip():
            if member is not None and name in ("p", "br"):
                member.pieces.append("\n")
        elif closing:
            if member is not None and member.name.lower() == name:
                self.member = None
        elif member is not None and not _begins_member(name) and member.is_in_line:
            member.pieces.append(tag)
        else:
            member = _Member(_bare(written), _attributes(attributes) if attributes else {}, [])
            self.members.append(member)
            self.member = None if alone else member

    def end_topic(self, *, is_closed: bool) -> list[Tagged | Issue]:
        topic, self.topic, self.member = self.topic, None, None
        if topic is None:
            return []
        topic.is_closed = is_closed
        outside: list[Tagged | Issue] = []
        if self.members:
            outside += [_issue(line, "outside", _OUTSIDE, piece.strip()) for line, piece in self.stray]
        elif self.stray:
            topic.members.append(("text", _text("text", "".join(piece for _, piece in self.stray))))
        topic.members += _merged(self.members)
        return [*outside, topic]


@lru_cache(maxsize=1024)
def _bare(name: str) -> str:
    """Return a tag's name without its namespace prefix."""
    return name.rpartition(":")[2] or name


@lru_cache(maxsize=1024)
def _name(written: str) -> str:
    """Return a tag's name in the form in which names are compared."""
    return _bare(written).lower()


@lru_cache(maxsize=1024)
def _begins_member(name: str) -> bool:
    """Return whether a tag is known to begin a member even in the middle of a line, and so is no part of the text."""
    return (plain_member(name) in KNOWN or name in WORDS) and name not in IN_TEXT


_OUTSIDE = "There is text outside the fields of a topic. Move it into one of them, or delete it."


def _record_name(tags: Iterable[re.Match[str]]) -> str:
    """Return the name of the tag that encloses one topic, judged by the first tags of the file; "" if there are no
    tags.
    """
    begun = [_name(tag[2]) for tag in tags if not tag[1]]
    if not begun:
        return ""
    times, first, second = Counter(begun), begun[0], begun[1] if len(begun) > 1 else ""
    if "top" in times:
        return "top"
    if first in RECORDS and (first != "topic" or times[first] > 1 or second != "topic"):
        return first
    if second and (times[second] > 1 or second in RECORDS) and times[first] == 1:
        return second
    if "topic" in times:
        return "topic"
    if inner := next((name for name in begun[1:] if name in RECORDS and times[name] > 1), ""):
        return inner
    return first if times[first] > 1 else second or first


def _merged(members: list[_Member]) -> Iterable[tuple[str, Any]]:
    """Return (name, value) for each member. If an unknown member is repeated, its values become a list, which takes the
    place of the first.

    A member that contains only other members has no text of its own.
    """
    if len({member.name for member in members}) == len(members) and not any(each.attributes for each in members):
        texts = [(each.name, _text(plain_member(each.name), "".join(each.pieces))) for each in members]
        return [each for each in texts if each[1] or plain_member(each[0]) in KNOWN]
    return _of_names(members)


def _of_names(members: list[_Member]) -> Iterator[tuple[str, Any]]:
    values: dict[str, list[Any]] = {}
    for member in members:
        name, plain = member.name, plain_member(member.name)
        text = _text(plain, "".join(member.pieces))
        if plain in KNOWN:
            values.setdefault(name, []).append(text)
            for key, value in member.attributes.items():
                values.setdefault(f"{name}_{key}", []).append(value)
        elif member.attributes:
            values.setdefault(name, []).append({**member.attributes, **({"text": text} if text else {})})
        elif text:
            values.setdefault(name, []).append(text)
    for name, found in values.items():
        if len(found) == 1:
            yield name, found[0]
        elif plain_member(name) in KNOWN:
            yield from ((name, each) for each in found)
        else:
            yield name, found


def _text(plain: str, written: str) -> str:
    """Return a member's text without the label before it, with entities resolved and each line stripped of white
    space.
    """
    label = _LABEL.get(plain)
    found = label.match(written) if label is not None else None
    if found is not None:
        written = written[found.end() :]
    if "&" in written:
        written = _ENTITY.sub(lambda each: html.unescape(each[0]), written)
    written = written.strip()
    return one_line(written) if "\n" not in written else "\n".join(map(one_line, written.split("\n")))


def _drop_bare_labels(topics: list[Tagged]) -> None:
    """Remove a word before a text, even without a colon after it, if the text of every topic begins with it. It is then
    a label and not part of the text.
    """
    for name, label in _BARE.items():
        found: list[tuple[Tagged, int, re.Match[str]]] = []
        for topic, place in _places(topics, name):
            if (match := label.match(topic.members[place][1])) is None:
                break
            found.append((topic, place, match))
        else:
            if len(found) > 1 or name == "num":
                for topic, place, match in found:
                    own, value = topic.members[place]
                    topic.members[place] = (own, value[match.end() :])


def _places(topics: Iterable[Tagged], name: str) -> Iterator[tuple[Tagged, int]]:
    """Yield each topic that has a text under this name, with the index of the member that holds the text."""
    for topic in topics:
        for place, (own, value) in enumerate(topic.members):
            if plain_member(own) == name and isinstance(value, str) and value:
                yield topic, place


def _with_unclosed(found: list[Tagged | Issue], topics: list[Tagged], record: str) -> Iterator[Tagged | Issue]:
    """Yield what was found, and report topics that have no end tag. If other topics have end tags, each is an error; if
    no topic has one, there is a single warning.
    """
    has_ends = any(each.is_closed for each in topics)
    if topics and not has_ends:
        message = f"No topic of the file has an end tag </{record}>, so each was read up to the next."
        yield Issue(where=topics[0].line, code="unclosed", message=message, severity="warning")
    for each in found:
        if isinstance(each, Tagged) and has_ends and not each.is_closed:
            yield _issue(each.line, "unclosed", _unclosed(record))
        yield each


def _unclosed(record: str) -> str:
    return f"The topic that begins here has no </{record}>. Write it after the last line of the topic."


def _has_number(topic: Tagged) -> bool:
    return any(plain_member(name) in NUMBER for name, _ in topic.members)


def _attributes(written: str) -> dict[str, str]:
    if not written or written.isspace():
        return {}
    return {
        found[1]: html.unescape(found[2] or found[3] or found[4] or "").strip()
        for found in _ATTRIBUTE.finditer(written)
    }


def _without_comments(text: str) -> str:
    """Return the text without comments and declarations, but with all its lines; CDATA becomes plain text."""
    kept: list[str] = []
    place = 0
    while (start := _next_mark(text, place)) >= 0:
        kept.append(text[place:start])
        ending = next((end for mark, end in _MARKS if text.startswith(mark, start)), ">")
        end = text.find(ending, start + 2)
        if end < 0:
            return "".join(kept) + text[start:]
        inside = text[start : end + len(ending)]
        if inside.startswith("<![CDATA["):
            kept.append(inside[9:-3].replace("&", "&amp;").replace("<", "&lt;"))
        else:
            kept.append("\n" * inside.count("\n"))
        place = end + len(ending)
    return "".join(kept) + text[place:]


_MARKS = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"))
_MARK = re.compile(r"<!--|<!\[CDATA\[|<\?|<![A-Z]")


def _next_mark(text: str, place: int) -> int:
    found = _MARK.search(text, place)
    return found.start() if found is not None else -1


def _issue(where: int, code: str, message: str, text: str = "") -> Issue:
    return Issue(where=where, code=code, message=message, excerpt=excerpt_of(text))
