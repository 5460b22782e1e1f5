"""Checks a run of answers: what can't be read in it, which rules of its evaluation it breaks, and its length."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from scoring.formats.answer_limits import AnswerLimit, count_characters
from scoring.formats.answer_members import cited_places, look_for_unused
from scoring.formats.answer_rules import RULES, AnswerRules, RuleCheck
from scoring.formats.pool_tables import topic_order
from scoring.formats.rag_answers import FILE_LIMIT, RagAnswer, read_objects
from scoring.formats.unused_members import UnusedMembers
from scoring.reading.line_pieces import remaining
from scoring.reading.opening import ENDS_READING, excerpt_of
from scoring.reading.plain_names import KnownNames
from scoring.reading.unpacking import read_up_to
from scoring.reading.unread_lines import UnreadLines
from scoring.records import Issue, Severity
from scoring.run_tags import TagRule
from scoring.wording import counted, counted_of

DECIDED = {"citation-elsewhere": "elsewhere", "reference-twice": "reference_twice"}
"""The codes of issues in reading whose severity the rules set."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerCheck:
    """What a run of answers is checked for.

    ``topics`` are the topics asked; empty if they are not known. ``words`` and ``references`` are the most that an
    answer may have (0: any number). ``limits`` maps topics to the limits that they state themselves, which replace
    ``words``. With ``strict_length`` an answer that is too long is an error. Without it, one that exceeds its topic's
    own limit is a warning, and one that exceeds ``words`` has the severity that the rules name. ``tags`` is the rule
    for the run's name (None: any word), and ``tag`` is the name that the submission form gives. ``unknown_docnos``
    returns which of the given docnos are not valid; if it is None, all are valid.
    """

    rules: AnswerRules = RULES["any"]
    topics: Sequence[str] = ()
    words: int = 0
    limits: Mapping[str, AnswerLimit] = field(default_factory=dict)
    references: int = 0
    strict_length: bool = False
    tag: str = ""
    tags: TagRule | None = None
    unknown_docnos: Callable[[Iterable[str]], set[str]] | None = None

    def issues(self, file: BinaryIO) -> Iterator[Issue]:
        """Yield an issue for every rule that a run breaks, in the order of the file. Problems of the whole run come
        last.
        """
        if not self.rules.blank_lines:
            raw, damage = read_up_to(file, FILE_LIMIT + 1)
            yield from _blank_lines(raw)
            file = remaining(raw, file, damage)
        form, unused = RuleCheck(self.rules), UnusedMembers()
        answered, of_others = set[str](), set[str]()
        run, empty = "", True
        unread, places = UnreadLines(), list[set[int]]()
        for each in read_objects(file):
            empty = False
            if isinstance(each, Issue):
                yield each
                if each.code in ENDS_READING:
                    return
                unread.add(each)
                continue
            yield from self._decided(each.issues)
            for message in form.broken(each.written):
                yield _issue(each.line, "rules", f"{self.rules.label}: {message}")
            if (answer := each.answer) is None:
                unread.add_text(json.dumps(each.written, ensure_ascii=False))
                continue
            look_for_unused(each.written, unused)
            places.append(cited_places(each.written))
            if not run:
                yield from self._run(answer)
            run = run or answer.run
            if answer.run != run:
                message = f"The run is {_quoted(answer.run)}, but the file began with {_quoted(run)}."
                yield _issue(each.line, "run-id", f"{message} One file is one run.")
                of_others.add(answer.topic)
                continue
            yield from self._topic(answer, answered)
            yield from self._answer(answer) if answer.sentences else ()
        if empty:
            severity: Severity = "warning" if self.rules.nothing and not self.topics else "error"
            yield _issue("", "empty-file", "The file is empty. Check that the right file was chosen.", severity)
        if sum(map(bool, places)) > 1 and not any(0 in each for each in places):
            message = f"None of the {sum(map(bool, places)):,} answers that cite by place cites its first reference, 0."
            yield _issue("", "citation", f"{message} Check that places are counted from 0, not from 1.", "warning")
        yield from unused.issues("Members that are kept in the file, and of which nothing is made")
        if not empty or self.rules.missing == "error":
            yield from self._missing(unread.missing(self.topics, answered | of_others))

    def _decided(self, issues: Iterable[Issue]) -> Iterator[Issue]:
        """Yield the issues found in reading, with the severity that the rules give to each."""
        for each in issues:
            severity: Severity = getattr(self.rules, DECIDED[each.code]) if each.code in DECIDED else each.severity
            yield replace(each, severity=severity)

    def _run(self, answer: RagAnswer) -> Iterator[Issue]:
        if self.tag and answer.run != self.tag:
            message = f"The run is called {_quoted(answer.run)}, but the form says {_quoted(self.tag)}."
            yield _issue(answer.line, "run-tag-mismatch", f"{message} Change one of them.")
        if self.tags is not None and not self.tags.allows(answer.run):
            yield self.tags.issue(answer.run, answer.line)

    def _topic(self, answer: RagAnswer, answered: set[str]) -> Iterator[Issue]:
        topic = _quoted(answer.topic)
        if answer.topic in answered:
            what = "Keep one answer." if self.rules.repeated == "error" else "The first answer counts."
            yield _issue(answer.line, "duplicate", f"Topic {topic} is answered already. {what}", self.rules.repeated)
        answered.add(answer.topic)
        if answer.topic not in self.topics and self.topics:
            message = KnownNames(self.topics).lacks("topic", answer.topic, "Check the topic file.")
            yield _issue(answer.line, "unknown-topic", message)

    def _missing(self, topics: list[str]) -> Iterator[Issue]:
        if missing := sorted(topics, key=topic_order):
            shown = ", ".join(missing[:10]) + (" …" if len(missing) > 10 else "")
            message = f"{counted_of(len(missing), len(self.topics), 'topic', 'has', 'have')} no answer: {shown}."
            yield _issue("", "missing-topic", message, self.rules.missing)

    def _answer(self, answer: RagAnswer) -> Iterator[Issue]:
        topic = _quoted(answer.topic)
        if 0 < self.references < len(answer.references):
            message = f"The answer to {topic} has {len(answer.references)} references; {self.references} are allowed."
            yield _issue(answer.line, "references", message, self.rules.too_many)
        if self.unknown_docnos is not None:
            for docno in sorted(self.unknown_docnos(answer.references)):
                yield _issue(answer.line, "unknown-docno", f"The document {_quoted(docno)} is not in the collection.")
        if pattern := self.rules.reference_form:
            odd = [docno for docno in answer.references if not re.fullmatch(pattern, docno)]
            if odd:
                what = counted(len(odd), "reference is", "references are")
                message = f"In the answer to {topic} {what} not of the form that {self.rules.label} asks for, such as"
                yield _issue(answer.line, "reference-form", f"{message} {_quoted(odd[0])}.", "warning")
        yield from self._length(answer, topic)
        cited = {docno for sentence in answer.sentences for docno in sentence.citations}
        if uncited := [docno for docno in answer.references if docno not in cited]:
            what = counted(len(uncited), "reference")
            message = f"No sentence of the answer to {topic} cites {what} of its list."
            yield _issue(answer.line, "uncited", message, "warning")

    def _length(self, answer: RagAnswer, topic: str) -> Iterator[Issue]:
        own = self.limits.get(answer.topic)
        limit = own or AnswerLimit(words=self.words)
        severity: Severity = "error" if self.strict_length else "warning" if own else self.rules.too_long
        kept = limit.kept(answer.sentences)
        for most, found, unit in (
            (limit.words, answer.words, "words"),
            (limit.characters, count_characters(answer.text), "characters"),
        ):
            if 0 < most < found:
                allowed = f"its topic allows {most:,}" if own else f"{most} are allowed"
                message = f"The answer to {topic} has {found:{',' if own else ''}} {unit}; {allowed}."
                if severity != "error":
                    judged = "none is" if kept == 0 else "the first is" if kept == 1 else f"the first {kept} are"
                    message += f" Of its {counted(len(answer.sentences), 'sentence')} {judged} judged."
                yield _issue(answer.line, "answer-length", message, severity)
        if answer.length not in (-1, answer.words):
            message = f"response_length is {answer.length}, but the answer to {topic} has {answer.words} words."
            yield _issue(answer.line, "length", message, "warning")


def _blank_lines(raw: bytes) -> Iterator[Issue]:
    for number, line in enumerate(raw.split(b"\n")[: -1 if raw.endswith(b"\n") else None], 1):
        if not line.strip() and raw:
            yield _issue(number, "blank-line", "The line is blank. Take it out.")


def _quoted(text: str) -> str:
    return f'"{excerpt_of(text, length=40)}"'


def _issue(where: int | str, code: str, message: str, severity: Severity = "error") -> Issue:
    return Issue(where=where, code=code, message=message, severity=severity)
