"""Reads and writes TAC 2008 QA questions: XML with targets and their series of questions.

    <tacqa year="2008">
      <target id="3" text="Trader Joe's">
        <qa>
          <q id="3.1" type="RigidList">Which products do people buy at Trader Joe's?</q>
          <q id="3.2" type="SquishyList">What do people like about Trader Joe's?</q>
        </qa>
      </target>
    </tacqa>

Spelling is tolerant: the root may have any name and elements may be in further containers; names of elements and
attributes may be in any case and have variants (`q`, `question`; `id`, `number`, `num`; `text`, `name`, `title`); the
target's text may be an element; and types may be in any case, with or without "list", spaces and hyphens. Structure is
strict: each question X.Y is under target X, each id is used once, and each question has a known type and a text.

Codes: too-large, encoding, doctype, entity, xml, xml-bounds, no-targets, target-id, target-duplicate, target-text,
target-nested, no-questions, series-length (warning), question-id, question-duplicate, question-order (warning),
question-outside-target, question-type, question-text, and unknown-element (warning), text-outside (warning) and
unknown-attribute (note), of which the last two are reported once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, cast
from xml.sax.saxutils import escape, quoteattr

from scoring.file_kinds import TAGGED, reads
from scoring.reading.bounded_files import XmlFlaw, parse_xml
from scoring.reading.unpacking import damage_issue, read_up_to
from scoring.records import Issue, Severity
from scoring.wording import counted

if TYPE_CHECKING:
    from lxml import etree

MAX_BYTES = 20_000_000
SERIES_LENGTH = range(2, 5)  # "2-4 questions" (guidelines, II)
TYPES = {"rigid": "rigid", "rigidlist": "rigid", "squishy": "squishy", "squishylist": "squishy"}
TYPE_NAMES = {"rigid": "RigidList", "squishy": "SquishyList"}

_NUMBER_NAMES = ("id", "number", "num")
_TEXT_NAMES = ("text", "name", "title")
_TYPE_NAMES = ("type", "qtype", "questiontype")
_TARGETS = {"target"}
_QUESTIONS = {"q", "question"}
_CONTAINERS = {"qa", "testset", "series", "questions", "targets", "topics", "trecqa", "tacqa", *_TEXT_NAMES}
_TARGET_NUMBER = re.compile(r"[A-Za-z0-9_-]{1,20}")
_QUESTION_NUMBER = re.compile(r"([A-Za-z0-9_-]{1,20})\.([1-9][0-9]{0,3})")
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]*?encoding\s*=\s*["']([^"']*)["']""")
_ENCODINGS = re.compile(rb"utf-?8|(us-)?ascii|iso-8859-\d+|latin-?1|windows-125\d|cp125\d", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """The target of a series of questions."""

    number: str
    text: str
    ordinal: int
    line: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SeriesQuestion:
    """One question of a series: ``kind`` is "rigid" or "squishy", ``target`` the target's number."""

    number: str
    target: str
    kind: str
    text: str
    ordinal: int
    line: int | None = None


LAYOUT = 'XML: <target id="3" text="…"><qa><q id="3.1" type="RigidList">…</q></qa></target>'


@reads("topics", forms=TAGGED, layout=LAYOUT)
def read_questions(file: BinaryIO) -> Iterator[Target | SeriesQuestion | Issue]:
    """Yield the targets, their questions and every broken rule, in file order. Never raises on the content of the file.

    A flawed target or question becomes an issue instead. The parser expands no entities and opens no other file or URL.
    """
    data, damage = read_up_to(file, MAX_BYTES + 1)
    refusal = _refuse(data) if damage is None else damage_issue(damage)
    if refusal is not None:
        yield refusal
        return
    if b"<!DOCTYPE" in data:
        yield Issue(
            where=data[: data.index(b"<!DOCTYPE")].count(b"\n") + 1,
            code="doctype",
            message="The document type declaration is not used; the line can be deleted.",
            severity="warning",
        )
    root = parse_xml(data)
    if isinstance(root, XmlFlaw):
        yield _flawed(root)
        return
    yield from _SeriesReader().read(root)


def write_questions(records: Iterable[Target | SeriesQuestion]) -> Iterator[str]:
    """Yield the lines of a question file (without line ends); `read_questions` reads the same records back.

    Records must be in the order of `read_questions`: each target before its questions.
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield "<tacqa>"
    is_open = False
    for record in records:
        if isinstance(record, Target):
            if is_open:
                yield "  </target>"
            yield f"  <target id={quoteattr(record.number)} text={quoteattr(record.text)}>"
            is_open = True
        else:
            kind = TYPE_NAMES[record.kind]
            yield f'    <q id={quoteattr(record.number)} type="{kind}">{escape(record.text)}</q>'
    if is_open:
        yield "  </target>"
    yield "</tacqa>"


def _refuse(data: bytes) -> Issue | None:
    """Return an issue if the bytes must not reach the parser: none or too many bytes, a hidden encoding, or entities.
    Return None otherwise.
    """
    if len(data) > MAX_BYTES:
        message = f"The file is larger than {MAX_BYTES:,} bytes; a file of questions is not. Check the file chosen."
        return Issue(where="", code="too-large", message=message)
    if not data.strip():
        return Issue(where="", code="xml", message="The file is empty. Check that the right file was chosen.")
    declared = _DECLARED.match(data.removeprefix(b"\xef\xbb\xbf"))
    if b"\0" in data or (declared is not None and not _ENCODINGS.fullmatch(declared.group(1))):
        return Issue(where=1, code="encoding", message="The file is not UTF-8 (nor Latin-1). Save it as UTF-8.")
    if b"<!ENTITY" in data:
        line = data[: data.index(b"<!ENTITY")].count(b"\n") + 1
        message = "The file declares entities; they are not read. Write the text itself in their place."
        return Issue(where=line, code="entity", message=message)
    return None


def _flawed(flaw: XmlFlaw) -> Issue:
    if flaw.code != "xml":
        message = f"The file is not read: {flaw.message}. Questions need neither; write them anew as the guide shows"
        return Issue(where=flaw.line, code=flaw.code, message=message + ". Nothing of the file was read.")
    message = f"This is not well-formed XML: {flaw.message}"
    if not re.search(r", line \d+", message):
        message += f", line {flaw.line}, column {flaw.column}"
    if "EntityRef" in message or "Entity" in message:
        message += ". Write & as &amp; and < as &lt;"
    elif "Extra content" in message:
        message += ". Put all topics into one element, such as <tacqa> … </tacqa>"
    elif "encoding" in message.casefold() or "utf-8" in message.casefold():
        message += ". Save the file as UTF-8"
    return Issue(where=flaw.line, code="xml", message=message + ". Nothing of the file was read.")


class _SeriesReader:
    """Reads the tree in document order, and remembers the ids that it has seen."""

    def __init__(self) -> None:
        self.targets: set[str] = set()
        self.questions: set[str] = set()

    def read(self, root: etree._Element) -> Iterator[Target | SeriesQuestion | Issue]:
        any_target = False
        for element in root.iter("*"):
            name = _local_name(element)
            if name in _TARGETS:
                any_target = True
                yield from self._read_target(element)
            elif name in _QUESTIONS:
                if _target_above(element) is None:
                    yield _issue(
                        element, "question-outside-target", "A question stands outside any <target>; move it in."
                    )
            elif name not in _CONTAINERS and element is not root:
                read = (
                    "its text is read as the question's"
                    if _is_in_question(element)
                    else "of it only questions are read"
                )
                message = f"The element <{_short(name)}> is not known here; {read}."
                yield _issue(element, "unknown-element", message, severity="warning")
        yield from _unread(root)
        if not any_target:
            message = "There is no <target> in the file. Questions stand in <target id=… text=…> elements."
            yield Issue(where="", code="no-targets", message=message)

    def _read_target(self, element: etree._Element) -> Iterator[Target | SeriesQuestion | Issue]:
        number = _attribute(element, _NUMBER_NAMES)
        if _target_above(element) is not None:
            yield _issue(element, "target-nested", "A <target> stands inside another; close the first with </target>.")
            return
        if not _TARGET_NUMBER.fullmatch(number):
            message = f"The target's id is {_quoted(number)}; it must be a number such as 3, in an id attribute."
            yield _issue(element, "target-id", message)
        elif number in self.targets:
            yield _issue(element, "target-duplicate", f"There are two targets with the id {number}; number them apart.")
        else:
            self.targets.add(number)
            text = _attribute(element, _TEXT_NAMES) or _child_text(element)
            if text:
                yield Target(number=number, text=text, ordinal=len(self.targets), line=_line(element))
            else:
                message = f'Target {number} has no text; write <target id="{number}" text="…">.'
                yield _issue(element, "target-text", message)
        yield from self._read_series(element, number)

    def _read_series(self, element: etree._Element, target: str) -> Iterator[SeriesQuestion | Issue]:
        found = [child for child in element.iter("*") if _local_name(child) in _QUESTIONS]
        numbers = []
        for ordinal, child in enumerate(found, start=1):
            numbers.append(_attribute(child, _NUMBER_NAMES))
            yield from self._read_question(child, numbers[-1], target, ordinal)
        if not found:
            yield _issue(element, "no-questions", f"Target {_short(target)} has no questions; add <q> elements.")
        elif len(found) not in SERIES_LENGTH:
            message = f"Target {_short(target)} has {counted(len(found), 'question')}; a series has 2 to 4."
            yield _issue(element, "series-length", message, severity="warning")
        expected = [f"{target}.{ordinal}" for ordinal in range(1, len(found) + 1)]
        in_series = all(number.startswith(f"{target}.") for number in numbers) and len(set(numbers)) == len(numbers)
        if numbers != expected and in_series:
            message = f"The questions of target {_short(target)} are not numbered {', '.join(expected[:4])} … in order."
            yield _issue(element, "question-order", message, severity="warning")

    def _read_question(
        self, element: etree._Element, number: str, target: str, ordinal: int
    ) -> Iterator[SeriesQuestion | Issue]:
        parts = _QUESTION_NUMBER.fullmatch(number)
        kind = TYPES.get(_plain(_attribute(element, _TYPE_NAMES)))
        text = " ".join("".join(map(str, element.itertext())).split()) or _attribute(element, _TEXT_NAMES)
        flaws = []
        if parts is None or parts.group(1) != target:
            message = (
                f"The question's id is {_quoted(number)}; in target {_short(target)} it must be {_short(target)}.Y."
            )
            flaws.append(_issue(element, "question-id", message))
        elif number in self.questions:
            message = f"There are two questions with the id {number}; number them apart."
            flaws.append(_issue(element, "question-duplicate", message))
        self.questions.add(number)
        if kind is None:
            given = _quoted(_attribute(element, _TYPE_NAMES))
            message = f"Question {_short(number)} has the type {given}; it must be RigidList or SquishyList."
            flaws.append(_issue(element, "question-type", message))
        if not text:
            message = f"Question {_short(number)} has no text; write it between <q …> and </q>."
            flaws.append(_issue(element, "question-text", message))
        if flaws or kind is None:
            yield from flaws
        else:
            yield SeriesQuestion(
                number=number, target=target, kind=kind, text=text, ordinal=ordinal, line=_line(element)
            )


def _issue(element: etree._Element, code: str, message: str, *, severity: Severity = "error") -> Issue:
    return Issue(where=_line(element) or "", code=code, message=message, severity=severity)


def _line(element: etree._Element) -> int | None:
    return cast("int | None", element.sourceline)


def _local_name(element: etree._Element) -> str:
    return _without_namespace(element.tag).casefold()


def _without_namespace(name: object) -> str:
    return str(name).rpartition("}")[2]


def _plain(text: str) -> str:
    """Return only the letters, in lower case, so that "SQUISHY-LIST" and "squishy list" are equal."""
    return "".join(character for character in text.casefold() if character.isalpha())


def _attribute(element: etree._Element, names: tuple[str, ...]) -> str:
    """Return the value of the first attribute with one of these names, with each run of white space as one space.
    Return "" if the element has no such attribute.
    """
    key = _key(element, names)
    return " ".join(str(element.attrib[key]).split()) if key is not None else ""


def _key(element: etree._Element, names: tuple[str, ...]) -> str | None:
    """Return the name of the attribute that `_attribute` reads, spelt as in the file. Return None if the element has no
    such attribute.
    """
    keys = [str(key) for key in element.attrib]
    return next((key for name in names for key in keys if _plain(_without_namespace(key)) == name), None)


def _child_text(element: etree._Element) -> str:
    child = _text_child(element)
    return " ".join("".join(map(str, child.itertext())).split()) if child is not None else ""


def _text_child(element: etree._Element) -> etree._Element | None:
    return next((child for child in element.iterchildren("*") if _local_name(child) in _TEXT_NAMES), None)


def _unread(root: etree._Element) -> Iterator[Issue]:
    """Yield a note for each name of an attribute that is not read, and one warning for the first text that is
    not read.
    """
    reported: set[str] = set()
    for element in root.iter("*"):
        name = _local_name(element)
        is_known = element is root or name in _TARGETS | _QUESTIONS | _CONTAINERS
        used = {_key(element, names) for names in _names_read(element, name)}
        for key in map(str, element.attrib) if is_known else ():
            if key not in used and key not in reported:
                reported.add(key)
                name_shown = _short(_without_namespace(key))
                message = f"The attribute {name_shown} is not used, here or wherever else it stands."
                yield _issue(element, "unknown-attribute", message, severity="note")
        if "" not in reported and is_known and (text := _stray(element, name)):
            reported.add("")
            message = f"The text {_quoted(text)} stands outside questions, where nothing is read."
            yield _issue(element, "text-outside", message, severity="warning")


def _names_read(element: etree._Element, name: str) -> tuple[tuple[str, ...], ...]:
    """Return the attributes that are read from a target or question, or () for any other element. Each is given as a
    tuple of the names that it may have.
    """
    if name in _TARGETS:
        return _NUMBER_NAMES, _TEXT_NAMES
    if name not in _QUESTIONS:
        return ()
    has_text = any(str(each).strip() for each in element.itertext())
    return (_NUMBER_NAMES, _TYPE_NAMES) if has_text else (_NUMBER_NAMES, _TYPE_NAMES, _TEXT_NAMES)


def _is_in_question(element: etree._Element) -> bool:
    return any(_local_name(above) in _QUESTIONS for above in element.iterancestors())


def _stray(element: etree._Element, name: str) -> str:
    """Return the first text inside an element that is neither part of a question nor the text of a target, or ""."""
    if name in _QUESTIONS or _is_in_question(element):
        return ""
    above = element.getparent()
    is_text = name in _TEXT_NAMES and above is not None and _local_name(above) in _TARGETS
    if is_text and above is not None and not _attribute(above, _TEXT_NAMES) and _text_child(above) is element:
        return ""
    texts = [element.text, *(child.tail for child in element)]
    return next((" ".join(text.split()) for text in texts if text and text.strip()), "")


def _target_above(element: etree._Element) -> etree._Element | None:
    return next((above for above in element.iterancestors() if _local_name(above) in _TARGETS), None)


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


def _quoted(text: str) -> str:
    return f'"{_short(text)}"' if text else "missing"
