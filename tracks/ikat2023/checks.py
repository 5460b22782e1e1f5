"""The rules for runs: those of the guidelines, and those of the organisers' checker.

The setting ``checks`` decides whose verdicts count. By the guidelines (the default), a type other than automatic and
manual, a response without a passage and a passage without an id are errors; ranks that do not ascend and passages
without text or score are warnings. By the organisers' checker, the first two are warnings and the rest is not reported.

Errors, as there: turn-count, topic-count, topic-missing, topic-turns, turn-id, turn-number, statement-id,
statement-unknown, statement-text, too-many-warnings (if a limit is set). Warnings, as there: run-name-empty,
run-type-empty, run-type, rank-zero, rank-order, text-empty, score-order, passage-prefix, passage-colon, none-used,
no-passages, passages-limit, no-statements, statement-order, passage-unknown. The guidelines don't have a mark "used",
so under them none-used is reported only if ``response_passages`` is "used", since nothing else depends on it. An empty
run_type and a rank of 0 count twice there, since the organisers' checker counts them so. A "topic" is a dialogue, such
as 9-1; the topics file decides how many there are. Only in the guidelines: rank-order for ranks that do not ascend,
no-responses, passage-text, passage-score.

Equal warnings are reported once, with their number; all of them count towards the limit.

Errors of our own: no-turns, response-limit, response-length (guidelines); turn-twice, topic-unknown, passage-id,
run-name, run-name-form, run-type-form (what the site could not store, or what contradicts the form). A run that can't
be parsed is not checked further.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import BinaryIO

from assess.protocol import CheckContext, RunForm, TopicRecord
from scoring.file_kinds import JSON, reads
from scoring.formats.ikat_runs import PASSAGES_RANKED, IkatRun, Provenance, RunResponse, RunTurn, parse_ikat_run
from scoring.reading.json_reading import json_path
from scoring.reading.opening import excerpt_of
from scoring.reading.plain_names import KnownNames
from scoring.reading.sentences import count_tokens
from scoring.records import Issue
from scoring.run_tags import letters
from scoring.wording import counted
from tracks.ikat2023.settings import Ikat2023Settings
from tracks.ikat2023.topics import statements_of

TYPES = ("automatic", "manual")
OF_TOPICS = frozenset(
    {"turn-count", "topic-count", "topic-missing", "topic-turns", "topic-unknown", "turn-number", "statement-unknown"}
)
"""Codes for comparisons with the topics, except for texts of statements, which need a known topic anyway."""
TAGS = letters(100)
"""Run names of iKAT are long, as the TREC runs show."""
PASSAGE_ID = re.compile(r"[!-~]{1,128}")
_TURN_ID = re.compile(r"(.+)_(0|[1-9][0-9]{0,8})", re.DOTALL)

_Path = tuple[str | int, ...]


@reads("answers", forms=JSON)
def check(file: BinaryIO, context: CheckContext) -> Iterator[Issue]:
    """Yield an issue for each broken rule. Those of the run as a whole come first, then those of each turn, then
    unknown passages.
    """
    parsed = parse_ikat_run(file)
    if isinstance(parsed, list):
        yield from parsed
        return
    issues, counts = _told_once(_Checker(parsed, context).issues())
    yield from issues
    limit, warnings = context.settings.warning_limit, counts.total()
    if limit and warnings > limit:
        message = (
            f"The run has {warnings:,} warnings; more than {limit:,} are too many. Correct the most frequent first."
        )
        yield Issue(where="", code="too-many-warnings", message=message)


def _told_once(issues: Iterator[Issue]) -> tuple[list[Issue], Counter[str]]:
    """Return the issues, with equal warnings merged into one that gives their number. Also return how often each code
    occurs.
    """
    kept: list[Issue] = []
    counts: Counter[str] = Counter()
    last: dict[str, int | str] = {}
    for issue in issues:
        if issue.severity == "warning":
            counts[issue.code] += 1
            last[issue.code] = issue.where
        if issue.severity != "warning" or counts[issue.code] == 1:
            kept.append(issue)
    told = []
    for issue in kept:
        if issue.severity == "warning" and (count := counts[issue.code]) > 1:
            issue = replace(issue, message=f"{issue.message} So {count:,} times, last at {last[issue.code]}.")
        told.append(issue)
    return told, counts


class _Checker:
    """Checks one run against the topics and settings of its campaign."""

    def __init__(self, run: IkatRun, context: CheckContext) -> None:
        self.run = run
        self.context = context
        self.settings: Ikat2023Settings = context.settings
        self.dialogues: dict[str, dict[str, TopicRecord]] = {}
        for topic in context.topics:
            if topic.task:
                self.dialogues.setdefault(topic.parent or "", {})[topic.number] = topic
        self.words: dict[str, int] = {}
        self.by_guidelines = self.settings.checks == "guidelines"
        self.tells_used = not self.by_guidelines or self.settings.response_passages == "used"

    def issues(self) -> Iterator[Issue]:
        """Yield all issues. The issue that says that there are too many warnings is not among them."""
        yield from self._names(self.context.form)
        yield from self._counts()
        seen: set[str] = set()
        for place, turn in enumerate(self.run.turns):
            yield from self._turn(turn, ("turns", place), seen)
        yield from self._unknown_passages()

    def _names(self, form: RunForm | None) -> Iterator[Issue]:
        name, kind = self.run.name, self.run.kind
        if not name:
            yield _warning(("run_name",), "run-name-empty", "The run has no name. Give it one.")
        elif not self.context.any_tag and not TAGS.allows(name):
            message = f"The run's name is {_quoted(name)}. Give it another form: {TAGS.words}."
            yield _error(("run_name",), "run-name", message)
        if not kind and not self.by_guidelines:
            yield _warning(("run_type",), "run-type-empty", "The run has no type.")
        if kind not in TYPES:
            told = _error if self.by_guidelines else _warning
            yield told(("run_type",), "run-type", f"The type is {_quoted(kind)}; it must be automatic or manual.")
        if form is not None and form.tag and name and form.tag != name:
            message = f"The file calls the run {_quoted(name)}, the form {_quoted(form.tag)}. Change one of them."
            yield _error(("run_name",), "run-name-form", message)
        if form is not None and kind in TYPES and form.automatic != (kind == "automatic"):
            said = "automatic" if form.automatic else "manual"
            yield _error(("run_type",), "run-type-form", f"The file says {kind}, the form {said}. Change one of them.")

    def _counts(self) -> Iterator[Issue]:
        if not self.run.turns and not self.dialogues:
            yield _error(("turns",), "no-turns", "The run answers no turn. Is it the right file?")
        expected = sum(map(len, self.dialogues.values()))
        if len(self.run.turns) != expected:
            message = f"The run answers {counted(len(self.run.turns), 'turn')}; it must answer all {expected:,}."
            yield _error(("turns",), "turn-count", message)
        named = [split_turn_id(turn.number) for turn in self.run.turns]
        counts = Counter(parts[0] for parts in named if parts is not None)
        if None in named:  # it is unknown which turn this answers, so none is reported missing
            return
        if len(counts) != len(self.dialogues):
            message = f"The run names {counted(len(counts), 'dialogue')}; there should be {len(self.dialogues):,}."
            yield _error(("turns",), "topic-count", message)
        for dialogue, turns in self.dialogues.items():
            if dialogue not in counts:
                yield _error(("turns",), "topic-missing", f"No turn of dialogue {dialogue} is answered.")
            elif counts[dialogue] != len(turns):
                message = f"{counts[dialogue]:,} turns of dialogue {dialogue} are answered; it has {len(turns):,}."
                yield _error(("turns",), "topic-turns", message)

    def _turn(self, turn: RunTurn, path: _Path, seen: set[str]) -> Iterator[Issue]:
        parts = split_turn_id(turn.number)
        topic = None
        if parts is None:
            message = f"The turn is called {_quoted(turn.number)}; write dialogue, underscore, turn: 9-1_3."
            yield _error((*path, "turn_id"), "turn-id", message)
        elif parts[0] not in self.dialogues:
            message = KnownNames(self.dialogues).lacks("dialogue", parts[0], "Check the topic file.")
            yield _error((*path, "turn_id"), "topic-unknown", message)
        else:
            topic = self.dialogues[parts[0]].get(f"{parts[0]}_{parts[1]}")
            if topic is None:
                message = f"Dialogue {parts[0]} has turns 1 to {len(self.dialogues[parts[0]])}; there is no {parts[1]}."
                yield _error((*path, "turn_id"), "turn-number", message)
        if turn.number in seen:
            yield _error((*path, "turn_id"), "turn-twice", f"Turn {_quoted(turn.number)} is answered twice. Keep one.")
        seen.add(turn.number)
        if not turn.responses and self.by_guidelines:
            message = "The turn has no response, so it counts 0. Give it one or more."
            yield _warning((*path, "responses"), "no-responses", message)
        limit = self.settings.response_limit
        if len(turn.responses) > limit:
            message = f"The turn has {len(turn.responses):,} responses; {limit:,} are allowed."
            yield _error((*path, "responses"), "response-limit", message)
        for place, response in enumerate(turn.responses):
            before = turn.responses[place - 1].rank if place and self.by_guidelines else 0
            yield from self._rank(response.rank, before, (*path, "responses", place, "rank"))
            yield from self._response(response, (*path, "responses", place), topic)

    def _rank(self, rank: int, before: int, path: _Path) -> Iterator[Issue]:
        """Check a rank. ``before`` is the rank of the previous response, or 0 if there is none or if ranks are not
        compared.
        """
        if rank == 0:
            yield _warning(path, "rank-zero", "The response has no rank, or rank 0. Ranks begin at 1.")
        if rank <= 0:
            yield _warning(path, "rank-order", f"The rank is {rank}; ranks begin at 1.")
        elif rank <= before:
            message = (
                f"The rank is {rank}, that of the response before {before}. Responses count by rank, not by place."
            )
            yield _warning(path, "rank-order", message)

    def _response(self, response: RunResponse, path: _Path, topic: TopicRecord | None) -> Iterator[Issue]:
        if not (response.text.strip() if self.by_guidelines else response.text):
            yield _warning((*path, "text"), "text-empty", "The response has no text.")
        limit = self.settings.word_limit
        if len(response.text) > limit and self._words(response.text) > limit:
            shown = self._words(response.text)
            message = (
                f"The response has {shown:,} words or more by spaCy's Tokenizer; {limit:,} are allowed. Shorten it."
            )
            yield _error((*path, "text"), "response-length", message)
        yield from self._passages(response.passages, (*path, "passage_provenance"))
        yield from self._statements(response.statements, (*path, "ptkb_provenance"), topic)

    def _passages(self, passages: Sequence[Provenance], path: _Path) -> Iterator[Issue]:
        if not passages:
            told = _error if self.by_guidelines else _warning
            yield told(path, "no-passages", "The response names no passage; it must rest on one or more.")
            return
        prefix = self.settings.passage_prefix
        for place, passage in enumerate(passages):
            here, shown = (*path, place, "id"), _quoted(passage.name)
            if place and passage.score > passages[place - 1].score:
                yield _warning((*path, place, "score"), "score-order", "The score is above that of the passage before.")
            for name in [name for name in passage.lacks if name != "id"] if self.by_guidelines else ():
                message = f"The passage has no {name}. Each should have an id, a text and a score."
                yield _warning((*path, place, name), f"passage-{name}", message)
            if not passage.name and self.by_guidelines:
                yield _error(here, "passage-id", "The passage has no id. Give it: document, colon, passage.")
                continue
            if not PASSAGE_ID.fullmatch(passage.name):
                message = f"{shown} is no passage id: it may have 1 to 128 visible ASCII characters, no white space."
                yield _error(here, "passage-id", message)
            if not passage.name.startswith(prefix):
                yield _warning(here, "passage-prefix", f"{shown} does not begin with {_quoted(prefix)}.")
            if passage.name.count(":") != 1:
                yield _warning(here, "passage-colon", f"{shown} should be document, colon, passage: {prefix}…:3.")
        if self.tells_used and not any(passage.used for passage in passages):
            message = "No passage is marked as used, so the first five are taken for used."
            yield _warning(path, "none-used", message)
        if len(passages) > PASSAGES_RANKED:
            message = f"The response names {len(passages):,} passages; {PASSAGES_RANKED:,} count."
            yield _warning(path, "passages-limit", message)

    def _statements(self, statements: Sequence[Provenance], path: _Path, topic: TopicRecord | None) -> Iterator[Issue]:
        if not statements:
            yield _warning(path, "no-statements", "The response names no statement of the user's PTKB.")
        known: Mapping[str, str] | None = statements_of(topic) if topic is not None else None
        for place, statement in enumerate(statements):
            here, shown = (*path, place), _quoted(statement.name)
            if place and statement.score > statements[place - 1].score:
                yield _warning((*here, "score"), "statement-order", "The score is above that of the statement before.")
            if not statement.name:
                yield _error((*here, "id"), "statement-id", "The statement has no id. Give it the one of the PTKB.")
            elif known is not None and statement.name not in known:
                yield _error((*here, "id"), "statement-unknown", f"The dialogue's PTKB has no statement {shown}.")
            elif known is not None and statement.text != known[statement.name]:
                message = f"This is not the text of statement {shown} in the dialogue's PTKB. Copy it from there."
                yield _error((*here, "text"), "statement-text", message)

    def _unknown_passages(self) -> Iterator[Issue]:
        if self.context.unknown_docnos is None:
            return
        named = [
            (("turns", t, "responses", r, "passage_provenance", p, "id"), passage.name)
            for t, turn in enumerate(self.run.turns)
            for r, response in enumerate(turn.responses)
            for p, passage in enumerate(response.passages)
        ]
        unknown = self.context.unknown_docnos({name for _, name in named})
        for path, name in named:
            if name in unknown:
                yield _warning(path, "passage-unknown", f"The collection has no passage {_quoted(name)}.")

    def _words(self, text: str) -> int:
        if text not in self.words:
            self.words[text] = count_tokens(text, limit=self.settings.word_limit)
        return self.words[text]


def split_turn_id(written: str) -> tuple[str, int] | None:
    """Return the dialogue and the turn's number, or None if the id is written in another form.

    >>> split_turn_id("9-1_3"), split_turn_id("9-1")
    (('9-1', 3), None)
    """
    found = _TURN_ID.fullmatch(written)
    return (found[1], int(found[2])) if found is not None else None


def _quoted(text: str) -> str:
    return f"“{excerpt_of(text, length=40)}”"


def _error(path: _Path, code: str, message: str) -> Issue:
    return Issue(where=json_path(path), code=code, message=message)


def _warning(path: _Path, code: str, message: str) -> Issue:
    return Issue(where=json_path(path), code=code, message=message, severity="warning")
