"""Dialogues of TREC iKAT: conversations with the personal statements (PTKB) of the user who holds them.

A JSON list of dialogues, in two shapes that are both read:

    released   {"number": "9-1", "title": S, "ptkb": {"1": S, …}, "turns": [{"turn_id": 1, "utterance": S,
                "resolved_utterance": S, "response": S, "ptkb_provenance": [5, 4], "response_provenance": ["D:1"]}, …]}
    guideline  the same, with turn_id (or "number") as text, ptkb_provenance [{"id", "text", "score"}] and
                passage_provenance [{"id", "text", "score"}] instead of the last two

A dialogue's number is topic-subtree; its turns are numbered from 1, one after the other; a turn of a run is named
9-1_3. A dialogue that was read is written as it came: its members in their order and spelling, other members as well,
white space and all. One that was made or changed since is written in the released shape, indented by four, as the file
of 2023 was; where texts or scores are given with the provenance, it is written with them, as in the guidelines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

from scoring.formats.spec import Format
from scoring.json_reading import json_path, kind_of, load_json_text, texts_of_list
from scoring.reading import excerpt_of
from scoring.records import Issue

DIALOGUE_NUMBER = re.compile(r"([A-Za-z0-9]{1,20})-([A-Za-z0-9]{1,20})")
PLAIN_NUMBER = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,40}")
NAME_LIMIT = 40
"""Characters of a statement's id."""

_TEXTS = ("resolved_utterance", "response")
_Path = tuple[str | int, ...]
Detail = tuple[str | None, float | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class DialogueTurn:
    """What the user says, the same with everything it refers to, the canonical response and what it rests on.

    ``statement_details`` and ``passage_details`` hold (text, score) of each statement and passage, None for what is
    not given; they are empty where nothing is given but ids.
    """

    number: int
    utterance: str
    resolved_utterance: str = ""
    response: str = ""
    statements: tuple[str, ...] = ()  # ids of the user's statements
    passages: tuple[str, ...] = ()
    statement_details: tuple[Detail, ...] = ()
    passage_details: tuple[Detail, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Dialogue:
    """A conversation. ``number`` is topic-subtree, ``ptkb`` the user's (id, statement) pairs in their order.

    ``written`` is how it stood in its file, between brackets or commas; "" where that is the released shape.
    """

    number: str
    title: str
    ptkb: tuple[tuple[str, str], ...]
    turns: tuple[DialogueTurn, ...]
    written: str = field(default="", compare=False)

    @property
    def topic(self) -> str:
        """The number of the topic, which its subtrees share."""
        return self.number.partition("-")[0]


def turn_name(dialogue: str, turn: int) -> str:
    """A turn as runs and qrels name it.

    >>> turn_name("9-1", 3)
    '9-1_3'
    """
    return f"{dialogue}_{turn}"


def read_dialogues(file: BinaryIO, *, plain_numbers: bool = False) -> Iterator[Dialogue | Issue]:
    """The dialogues in file order, each after its issues; one with an error is left out.

    With ``plain_numbers`` a dialogue's number may be any word or whole number, as in 2024 (no subtrees).

    Codes beside those of `scoring.json_reading`: type, missing, dialogue-number, duplicate, ptkb, turn-number,
    no-turns, unknown-statement (warning), unknown-field (warning, once a name).
    """
    loaded = load_json_text(file)
    if isinstance(loaded, Issue):
        yield loaded
        return
    value, text = loaded
    if not isinstance(value, list):
        yield _issue((), "type", f"The file must be a list of dialogues, not {kind_of(value)}.")
        return
    if not value:
        yield _issue((), "no-dialogues", "The list of dialogues is empty. Check that it is the right file.")
    seen: set[str] = set()
    reader = _Reader(PLAIN_NUMBER if plain_numbers else DIALOGUE_NUMBER)
    texts = texts_of_list(text)
    for place, written in enumerate(value):
        dialogue = reader.dialogue(written, (place,))
        yield from reader.take_issues()
        if dialogue is None:
            continue
        if dialogue.number in seen:
            yield _issue((place, "number"), "duplicate", f"Dialogue {dialogue.number} stands in the file already.")
        else:
            seen.add(dialogue.number)
            released = _written(dialogue, is_last=place == len(value) - 1)
            yield dialogue if texts[place] == released else replace(dialogue, written=texts[place])


def write_dialogues(records: Iterable[Dialogue]) -> Iterator[str]:
    """The lines of a file, dialogues in the order given: each as it was written, else in the released shape.

    Whoever changes a dialogue takes ``written`` from it.
    """
    dialogues = list(records)
    last = len(dialogues) - 1
    texts = (each.written or _written(each, is_last=place == last) for place, each in enumerate(dialogues))
    return iter(f"[{','.join(texts)}]".split("\n"))


def _written(dialogue: Dialogue, *, is_last: bool) -> str:
    """The released shape of a dialogue in a list that is indented by four."""
    lines = json.dumps(_released(dialogue), indent=4).split("\n")
    return "".join(f"\n    {line}" for line in lines) + ("\n" if is_last else "")


def _released(dialogue: Dialogue) -> dict[str, Any]:
    return {
        "number": dialogue.number,
        "title": dialogue.title,
        "ptkb": dict(dialogue.ptkb),
        "turns": [
            {
                "turn_id": turn.number,
                "utterance": turn.utterance,
                "resolved_utterance": turn.resolved_utterance,
                "response": turn.response,
                "ptkb_provenance": (
                    _detailed(turn.statements, turn.statement_details)
                    if turn.statement_details
                    else [int(name) if _is_plain(name) else name for name in turn.statements]
                ),
                **(
                    {"passage_provenance": _detailed(turn.passages, turn.passage_details)}
                    if turn.passage_details
                    else {"response_provenance": list(turn.passages)}
                ),
            }
            for turn in dialogue.turns
        ],
    }


def _detailed(names: Sequence[str], details: Sequence[Detail]) -> list[dict[str, Any]]:
    """Provenance as the guidelines have it."""
    return [
        {"id": name, **{key: value for key, value in (("text", text), ("score", score)) if value is not None}}
        for name, (text, score) in zip(names, details, strict=True)
    ]


def _is_plain(name: str) -> bool:
    """Whether a number says the same: not "01"."""
    return re.fullmatch(r"0|[1-9][0-9]{0,8}", name) is not None


class _Reader:
    """Takes dialogues apart and keeps what is wrong with them."""

    def __init__(self, numbers: re.Pattern[str]) -> None:
        self.numbers = numbers
        self.issues: list[Issue] = []
        self.unknown: set[str] = set()

    def take_issues(self) -> list[Issue]:
        """The issues since the last call."""
        taken, self.issues = self.issues, []
        return taken

    def dialogue(self, written: Any, path: _Path) -> Dialogue | None:
        """One dialogue; None where anything in it is an error."""
        if not self._object(written, path, "a dialogue", ("number", "title", "ptkb", "turns")):
            return None
        number = written["number"] if isinstance(written.get("number"), str) else ""
        if self.numbers is PLAIN_NUMBER and isinstance(written.get("number"), int):
            number = str(written["number"])
        if not self.numbers.fullmatch(number):
            shown = excerpt_of(str(written.get("number", "nothing")), length=40)
            message = f"A dialogue is numbered topic-subtree, such as 9-1, in quotes; here is {shown}."
            self.say((*path, "number"), "dialogue-number", message)
        title = self._text(written, "title", path)
        ptkb = self._ptkb(written.get("ptkb"), (*path, "ptkb"))
        if (turns := written.get("turns")) is None:
            self.say((*path, "turns"), "missing", "There is no “turns”. Add it.")
            return None
        if not isinstance(turns, list):
            self.say((*path, "turns"), "type", f"The turns must be a list, not {kind_of(turns)}.")
            return None
        if not turns:
            self.say((*path, "turns"), "no-turns", "The dialogue has no turns.")
        known = {name for name, _ in ptkb}
        read = [self._turn(each, (*path, "turns", place), place + 1, known) for place, each in enumerate(turns)]
        if any(issue.severity == "error" for issue in self.issues):
            return None
        return Dialogue(number=number, title=title, ptkb=ptkb, turns=tuple(turn for turn in read if turn is not None))

    def _ptkb(self, written: object, path: _Path) -> tuple[tuple[str, str], ...]:
        if not isinstance(written, dict):
            self.say(path, "type", f"The PTKB must be an object, statement id -> text, not {kind_of(written)}.")
            return ()
        for name, text in written.items():
            if not name or len(name) > NAME_LIMIT or len(name.split()) != 1:
                message = f"A statement's id is one word of at most {NAME_LIMIT} characters."
                self.say((*path, name), "ptkb", message)
            if not isinstance(text, str) or not text.strip():
                shown = "empty" if isinstance(text, str) else kind_of(text)
                self.say((*path, name), "ptkb", f"The statement must be a text, but it is {shown}.")
        return tuple((name, text) for name, text in written.items() if isinstance(text, str))

    def _turn(self, written: Any, path: _Path, expected: int, known: set[str]) -> DialogueTurn | None:
        names = ("turn_id", "number", "utterance", *_TEXTS, "ptkb_provenance")
        if not self._object(written, path, "a turn", (*names, "response_provenance", "passage_provenance")):
            return None
        key = "turn_id" if "turn_id" in written else "number"
        if str(written.get(key)) != str(expected) or isinstance(written.get(key), bool):
            shown = excerpt_of(str(written.get(key)), length=40)
            message = f"Turns are numbered from 1, one after the other: here must be {expected}, not {shown}."
            self.say((*path, key), "turn-number", message)
        utterance = self._text(written, "utterance", path)
        resolved, response = (self._text(written, name, path, required=False) for name in _TEXTS)
        passages = "response_provenance" if "response_provenance" in written else "passage_provenance"
        statements, statement_details = self._names(written.get("ptkb_provenance"), (*path, "ptkb_provenance"))
        found, passage_details = self._names(written.get(passages), (*path, passages))
        for place, name in enumerate(statements):
            if name not in known:
                message = f"The PTKB has no statement {excerpt_of(name, length=40)}."
                self.say((*path, "ptkb_provenance", place), "unknown-statement", message, is_warning=True)
        return DialogueTurn(
            number=expected,
            utterance=utterance,
            resolved_utterance=resolved,
            response=response,
            statements=statements,
            passages=found,
            statement_details=statement_details,
            passage_details=passage_details,
        )

    def _names(self, written: object, path: _Path) -> tuple[tuple[str, ...], tuple[Detail, ...]]:
        """A list of ids: whole numbers, texts, or objects with an "id"; and what these say beside it, if any does."""
        if written is None:
            return (), ()
        if not isinstance(written, list):
            self.say(path, "type", f"This must be a list, not {kind_of(written)}.")
            return (), ()
        names, details = [], []
        for place, each in enumerate(written):
            name = each.get("id") if isinstance(each, dict) else each
            if isinstance(name, bool) or not isinstance(name, str | int) or name == "":
                self.say((*path, place), "type", f"An id must be a number or a text, not {kind_of(name)}.")
            else:
                names.append(str(name))
                details.append(self._detail(each, (*path, place)) if isinstance(each, dict) else (None, None))
        return tuple(names), tuple(details) if any(detail != (None, None) for detail in details) else ()

    def _detail(self, written: Mapping[str, object], path: _Path) -> Detail:
        text, score = written.get("text"), written.get("score")
        if text is not None and not isinstance(text, str):
            self.say((*path, "text"), "type", f"This must be a text, not {kind_of(text)}.")
        if isinstance(score, int | float) and not isinstance(score, bool):
            return (text if isinstance(text, str) else None), score
        if score is not None:
            self.say((*path, "score"), "type", f"This must be a number, not {kind_of(score)}.")
        return (text if isinstance(text, str) else None), None

    def _text(self, written: Mapping[str, object], key: str, path: _Path, *, required: bool = True) -> str:
        value = written.get(key)
        if value is None and not required:
            return ""
        if key not in written:
            self.say((*path, key), "missing", f"There is no “{key}”. Add it.")
        elif not isinstance(value, str):
            self.say((*path, key), "type", f"This must be a text, not {kind_of(value)}.")
        elif required and not value.strip():
            self.say((*path, key), "missing", "The text is empty. Fill it in.")
        return value if isinstance(value, str) else ""

    def _object(self, written: Any, path: _Path, what: str, known: tuple[str, ...]) -> bool:
        """Whether it is an object; keys that mean nothing here are warned of once."""
        if not isinstance(written, dict):
            self.say(path, "type", f"Here must be {what}, an object, not {kind_of(written)}.")
            return False
        for key in [key for key in written if key not in known and key not in self.unknown]:
            self.unknown.add(key)
            message = (
                f"“{excerpt_of(key, length=40)}” is not known here and not read, in {what} or wherever else it stands."
            )
            self.say((*path, key), "unknown-field", message, is_warning=True)
        return True

    def say(self, path: _Path, code: str, message: str, *, is_warning: bool = False) -> None:
        """Keep an issue."""
        self.issues.append(_issue(path, code, message, is_warning=is_warning))


def _issue(path: _Path, code: str, message: str, *, is_warning: bool = False) -> Issue:
    return Issue(where=json_path(path), code=code, message=message, severity="warning" if is_warning else "error")


FORMAT = Format(
    name="ikat-topics",
    label="Dialogues of TREC iKAT 2023",
    source="TREC iKAT 2023 guidelines; irlabamsterdam/iKAT",
    layout='[{"number": "9-1", "title", "ptkb": {id: text}, "turns": [{"turn_id", "utterance", …}]}]',
    record=Dialogue,
    read=read_dialogues,
    write=write_dialogues,
)
