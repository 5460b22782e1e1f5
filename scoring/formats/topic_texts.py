"""Defines a topic as one record, independent of its file format, and finds its number and its texts among a file's
members.

    make_topic(7, [("request_id", "leaf"), ("title", "leaves"), ("background", "For a child.")])
    # number leaf, title leaves, further (("background", "For a child."),)

Each task of the field has its own names for the same members. The first name in `NUMBER` that has a value gives the
number, and the lists of the other fields work the same way. A topic without a title gets its description as the title,
or else its narrative, or else all its short texts. Every other member is stored unchanged, under its own name and in
file order.

Codes: json (a member of the wrong type), number-missing, number (not a single word; a warning: perhaps not the topic's
own), title-missing, too-long.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from scoring.formats.spec import unseen_sign
from scoring.reading.opening import excerpt_of
from scoring.records import Issue, Severity

NUMBER = (
    "id", "qid", "num", "number", "topic_id", "query_id", "question_id", "request_id", "narrative_id", "_id",
    "identifier", "turn_id", "topicid", "topic_number", "tnum", "docid",
)  # fmt: skip
TITLE = (
    "title", "query", "text", "topic_title", "topic", "question", "utterance", "raw_utterance", "user_utterance",
    "content", "prompt",
)  # fmt: skip
DESCRIPTION = ("description", "desc", "topic_description", "question", "text")
NARRATIVE = ("narrative", "narr", "topic_narrative")
INSTEAD = ("summary", "problem_statement", "note", "body")
"""Members that give a title to a topic without title, description and narrative; the first that is present is used."""

KNOWN = frozenset((*NUMBER, *TITLE, *DESCRIPTION, *NARRATIVE))
WRITTEN = ("id", "title", "description", "narrative")
"""The names under which topics are written, and which no further member may have."""

NUMBER_LENGTH = 100
NUMBER_LIMIT = 10**12
"""The bound of a topic's number that is not a text."""

MOST_MEMBERS = 1_000
"""The most members in one topic, since unknown ones are also shown to people who judge it."""

TITLE_LENGTH = 500
"""The most characters in a title made from further members."""

ENGLISH = frozenset({"en", "eng", "english"})
LABELS = {
    "con": "Concepts", "fac": "Factors", "def": "Definitions", "smry": "Summary", "dom": "Domain", "nat": "Nationality",
    "conc": "Concepts", "rel": "Relevance", "back": "Background", "ptkb": "About the user",
    "conversation": "The conversation so far",
}  # fmt: skip
"""Labels of further members whose names are abbreviations."""

Members = Sequence[tuple[str, Any]]


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicText:
    """One topic: its number, its texts, and everything else in its file; ``line`` is where it begins.

    ``further`` are (name, JSON value) pairs.
    """

    number: str
    title: str
    description: str = ""
    narrative: str = ""
    further: tuple[tuple[str, Any], ...] = ()
    line: int = 0


@lru_cache(maxsize=4096)
def plain_member(name: str) -> str:
    """Return a name in the spelling of this module's lists of names: in lower case, with underscores, and without a
    language.

    >>> plain_member("Topic-ID"), plain_member("EN-title")
    ('topic_id', 'title')
    """
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    language, _, rest = plain.partition("_")
    return rest if len(language) == 2 and rest in ("title", "desc", "narr", "description", "narrative") else plain


def has_member(names: Collection[str], known: frozenset[str]) -> bool:
    """Return whether `plain_member` of any of the names is among the known ones. Many names are checked in one step."""
    if len(names) <= MOST_MEMBERS:
        return not known.isdisjoint(map(plain_member, names))
    folded = "\0".join(map(str.strip, names)).lower().replace("-", "_").replace(" ", "_").split("\0")
    return not known.isdisjoint(folded) or any(plain_member(name) in known for name in folded if name[2:3] == "_")


def label_of(name: str) -> str:
    """Return the label that people read for a further member.

    >>> label_of("problem_statement"), label_of("con")
    ('Problem statement', 'Concepts')
    """
    words = " ".join(name.replace("_", " ").replace("-", " ").split())
    return LABELS.get(name.lower(), words[:1].upper() + words[1:])


def make_topic(line: int, members: Members, text: str = "") -> TopicText | Issue:
    """Return the topic that these members of an object, element or line make, or an issue that says why they make none.
    ``text`` is quoted in the issue.
    """
    if len(members) > MOST_MEMBERS and (count := len({name for name, _ in members})) > MOST_MEMBERS:
        message = f"The topic has {count:,} members; it may have {MOST_MEMBERS:,}. Check that it is one."
        return _issue(line, "too-long", message, text)
    plan = _plan(tuple([(name, _kind(value)) for name, value in members]))
    name, found = (None, None) if plan.number is None else members[plan.number]
    if found is not None and (type(found) not in (str, int) or (type(found) is int and abs(found) >= NUMBER_LIMIT)):
        return _issue(line, "json", f'"{name}" must be text or a whole number.', text)
    number = "" if found is None else one_line(str(found))
    if plan.has_others:
        values = [_text_of(members, field, place) for field, place in zip(FIELDS, plan.texts, strict=True)]
        for field, value in zip(FIELDS, values, strict=True):
            if value is not None and not isinstance(value, str):
                return _issue(line, "json", f'"{field}" must be text.', text)
        texts = [one_line(value) if value else "" for value in values]
    else:  # every member is a text
        texts = ["" if place is None else one_line(members[place][1]) for place in plan.texts]
    further = tuple([(name, members[place][1]) for place, name in plan.further]) if plan.further else ()
    title = texts[0] or texts[1] or texts[2] or _put_together(further)
    if not number:
        return _issue(line, "number-missing", f"The topic has no number. It may be called {NUMBERS_NAMED}.", text)
    if " " in number or len(number) > NUMBER_LENGTH:
        shown = excerpt_of(number, length=40)
        why = "one word" if " " in number else f"at most {NUMBER_LENGTH} characters long"
        return _issue(line, "number", f'The topic number is "{shown}"; it must be {why}.', text)
    if unseen := unseen_sign(number):
        message = f"The topic number {excerpt_of(number, length=40)} has a sign that nobody sees (U+{ord(unseen):04X})."
        return _issue(line, "number", f"{message} Take it out.", text)
    if not title:
        return _issue(line, "title-missing", f"Topic {number} has no text.", text)
    return TopicText(number=number, title=title, description=texts[1], narrative=texts[2], further=further, line=line)


def _text_of(members: Members, field: str, place: int | None) -> Any:
    """Return the text of a field at its place, or in one of several languages; None if there is none."""
    if place is not None:
        return members[place][1]
    return _translated(members, field) if field != "narrative" else None


FIELDS = {"title": TITLE, "description": DESCRIPTION, "narrative": NARRATIVE}
NUMBERS_NAMED = "id, qid, number, topic_id or request_id"


def one_line(text: str) -> str:
    """Return a text with each run of white space replaced by one space."""
    return " ".join(text.split())


def further_note(counts: Mapping[str, int], hidden: Container[str] = ()) -> Issue:
    """Return the note about unknown members that were stored, each with its number; ``hidden`` ones are not shown to
    judges.
    """
    kept_back = [f"“{name}”" for name in counts if name in hidden]
    counts = {name: count for name, count in counts.items() if name not in hidden}
    shown = [f"“{excerpt_of(name, length=40)}” ({count:,})" for name, count in list(counts.items())[:40]]
    more = f" and {len(counts) - 40:,} more" if len(counts) > 40 else ""
    message = (
        f"Kept as further fields, shown to those who judge and given out with the topics: {', '.join(shown)}{more}."
        if shown
        else ""
    )
    if kept_back:
        message += f" Kept and given out, but not shown to those who judge: {', '.join(kept_back)}."
    message = message.strip()
    return Issue(where="", code="further-fields", message=message, severity="note")


_OTHER_NUMBERS = frozenset({
    "qid", "num", "number", "topic_id", "query_id", "question_id", "request_id", "narrative_id", "topicid",
    "topic_number",
})  # fmt: skip
_MONTHS = "jan|feb|m[aä]r|mrz|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]"
_CHANGED = re.compile(rf"[0-9]{{1,2}}-(?:{_MONTHS})(?:-[0-9]{{2,4}})?|(?:{_MONTHS})-[0-9]{{2}}|[0-9.,]+e\+[0-9]+", re.I)
_NOUGHT = re.compile(r"[0-9]+\.0")


def doubtful_numbers(topics: Mapping[str, TopicText | None]) -> Iterator[Issue]:
    """Yield a warning if a spreadsheet seems to have changed numbers of topics, and one if topics have two numbers.

    Topics have two numbers if they are numbered from 0 or 1 in order, while a further member gives each another one.
    ``topics`` maps each number to the topic, or to None if it has no further members.

    >>> [each.message.partition(".")[0] for each in doubtful_numbers({"1-Feb": None, "302": None})]
    ['Topic 1-Feb looks as if a spreadsheet program had changed its number (1-2 to 1-Feb, 1E5 to 1E+05, 301 to 301']
    """
    changed = [each for each in topics if _CHANGED.fullmatch(each)]
    if not changed and len(topics) > 1 and all(map(_NOUGHT.fullmatch, topics)):
        changed = list(topics)
    if changed:
        look = " looks" if len(changed) == 1 else f" and {len(changed) - 1:,} more look"
        message = (
            f"Topic {excerpt_of(changed[0], length=40)}{look} as if a spreadsheet program had changed its number (1-2 "
            "to 1-Feb, 1E5 to 1E+05, 301 to 301.0). Write it as runs do."
        )
        yield Issue(where="", code="number", message=message, severity="warning")
    start = int(next(iter(topics), "") == "1")
    if len(topics) > 1 and all(each == str(place) for place, each in enumerate(topics, start)):
        found = [dict(topic.further) for topic in topics.values() if topic is not None]
        for name in found[0] if len(found) == len(topics) else ():
            values = [str(each.get(name, "")) for each in found]
            if plain_member(name) in _OTHER_NUMBERS and len({*values}) == len(values) and [*topics] != values:
                message = (
                    f"The topics are numbered {start}, {start + 1} …, while “{excerpt_of(name, length=40)}” gives each "
                    f"another number, such as {excerpt_of(values[0], length=40)}. If runs have those, take out the "
                    "first."
                )
                yield Issue(where="", code="number", message=message, severity="warning")
                return


def not_kept_issue(names: Iterable[str], *, severity: Severity = "warning") -> Issue:
    """Return the issue about members outside of a file's topics, which are dropped."""
    shown = ", ".join(f"“{excerpt_of(name, length=40)}”" for name in islice(names, 20))
    message = f"There is no place in a topic for {shown} of what stands around topics; what they say is not kept."
    return Issue(where="", code="not-kept", message=message, severity=severity)


def _kind(value: Any) -> int:
    if isinstance(value, str):
        return _TEXT if value and not value.isspace() else _EMPTY
    return _EMPTY if value is None else _OTHER


_EMPTY, _TEXT, _OTHER = range(3)
"""The kinds of values that, beside its name, decide how a member is used."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Plan:
    """How the members of a topic are used: the indexes of its number and texts, and the names of further members."""

    number: int | None
    texts: tuple[int | None, ...]
    further: tuple[tuple[int, str], ...]
    has_others: bool


@lru_cache(maxsize=64)
def _plan(members: tuple[tuple[str, int], ...]) -> _Plan:
    """Return how members with these names and kinds are used. The result is cached, since most topics of a file have
    members of the same names.
    """
    places = _places(members)
    used: set[int] = set()
    number = _taken(members, places, NUMBER, used)
    texts = tuple(_taken(members, places, names, used, texts_only=field != "title") for field, names in FIELDS.items())
    has_others = any(kind == _OTHER for _, kind in members)
    return _Plan(number=number, texts=texts, further=tuple(_further(members, used)), has_others=has_others)


Kinds = Sequence[tuple[str, int]]


def _places(members: Kinds) -> dict[str, int]:
    """Return the index of the first member with each known name that has a value. A name spelt as in this module's
    lists is preferred to a variant such as "ID".
    """
    places: dict[str, int] = {}
    for place, (name, kind) in enumerate(members):
        plain = plain_member(name)
        if kind != _EMPTY and (plain not in places or (name == plain and members[places[plain]][0] != plain)):
            places[plain] = place
    return places


def _taken(
    members: Kinds, places: Mapping[str, int], names: Sequence[str], used: set[int], *, texts_only: bool = False
) -> int | None:
    """Return the index of the first member, in the order of ``names``, that is present and not used yet. Mark it as
    used. Return None if there is no such member.
    """
    for name in names:
        place = places.get(name)
        if place is not None and place not in used and (not texts_only or members[place][1] == _TEXT):
            used.add(place)
            return place
    return None


def _translated(members: Members, field: str) -> str | None:
    """Return the title or description of a topic that gives it in several languages: in English if that is one of them,
    otherwise in the first. Return None if the topic does not.

    The versions in all languages stay among the further members.
    """
    for _, value in members:
        if not isinstance(value, list) or not value or not all(isinstance(each, dict) for each in value):
            continue
        translations = [each for each in value if isinstance(each.get(f"topic_{field}"), str)]
        english = [each for each in translations if str(each.get("lang", "")).lower() in ENGLISH]
        if translations:
            text: str = (english or translations)[0][f"topic_{field}"]
            return text
    return None


def _further(members: Kinds, used: Container[int]) -> Iterator[tuple[int, str]]:
    """Yield the unused members, each with a unique name. An empty member with a known name is left out."""
    names, times = set(WRITTEN), Counter[str]()
    for place, (name, kind) in enumerate(members):
        if place in used or (kind == _EMPTY and plain_member(name) in KNOWN):
            continue
        own = name
        while own in names:
            times[name] += 1
            own = f"{name}_{times[name] + 1}"
        names.add(own)
        yield place, own


def _put_together(further: Sequence[tuple[str, Any]]) -> str:
    """Return a title for a topic that has none of the usual texts. It is made from the further members, and "" if none
    of them is a text.
    """
    texts = {plain_member(name): value for name, value in further if isinstance(value, str) and value.strip()}
    for name in INSTEAD:
        if name in texts:
            return one_line(texts[name])
    return excerpt_of(one_line("; ".join(texts.values())), length=TITLE_LENGTH)


def _issue(where: int, code: str, message: str, text: str = "") -> Issue:
    return Issue(where=where, code=code, message=message, excerpt=excerpt_of(text))
