"""Reads and writes the dialogues of TREC iKAT: conversations with the personal statements (PTKB) of their user.

A file is a JSON list of dialogues. Three forms are read:

    released   {"number": "9-1", "title": S, "ptkb": {"1": S, …}, "turns": [{"turn_id": 1, "utterance": S,
                "resolved_utterance": S, "response": S, "ptkb_provenance": [5, 4], "response_provenance": ["D:1"]}, …]}
    guideline  the same, with turn_id (or "number") as text, ptkb_provenance [{"id", "text", "score"}] and
                passage_provenance [{"id", "text", "score"}] instead of the last two
    2025       "ptkb": [S, …] and "responses" of {"turn_id", "user_utterance", "resolved_utterance", "response",
                "relevant_ptkbs": [S, …], "citations": ["D:1"]}; statements are numbered from 1

A dialogue's number is topic-subtree, or in 2024 only the topic. Its turns are numbered consecutively from 1; runs name
a turn 9-1_3. A dialogue that was read is written back unchanged, with the order and spelling of its members and its
white space. Unknown members are stored as further ones. A dialogue that was made or changed here is written in the
released form, indented by four as the file of 2023 was; a changed dialogue of 2025 stays in its own form. If texts or
scores are given with the provenance, they are written with it, as in the guidelines.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

from scoring.file_kinds import JSON, reads
from scoring.formats.json_members import (
    ANYTHING,
    FILLED,
    LIST,
    LIST_LIMIT,
    MISSING,
    NAME,
    NUMBER,
    REST,
    TEXT,
    Kind,
    Member,
    Shape,
    Taken,
)
from scoring.formats.member_reports import PLAIN, Path, Report
from scoring.formats.spec import Format
from scoring.reading.json_lists import entries_of_list, with_last
from scoring.reading.json_reading import Flaw, flaw_issue, json_path, kind_of, load_json, parse_json, whole_text
from scoring.reading.opening import excerpt_of
from scoring.records import Issue

DIALOGUE_NUMBER = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,40}")
NAME_LIMIT = 40
"""The most characters in a statement's id."""

Detail = tuple[str | None, float | None]
Pairs = tuple[tuple[str, Any], ...]
"""Unknown members by name, in the order of the file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DialogueTurn:
    """A turn: the user's utterance, the same utterance with all references resolved, the canonical response, and the
    statements and passages on which the response is based.

    ``statement_details`` and ``passage_details`` hold (text, score) of each statement and passage, with None for a
    missing value. They are empty if only ids are given.
    """

    number: int
    utterance: str
    resolved_utterance: str = ""
    response: str = ""
    statements: tuple[str, ...] = ()  # ids of the user's statements
    passages: tuple[str, ...] = ()
    statement_details: tuple[Detail, ...] = ()
    passage_details: tuple[Detail, ...] = ()
    further: Pairs = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Dialogue:
    """A conversation. ``number`` is topic-subtree; ``ptkb`` is the user's (id, statement) pairs in order.

    ``written`` is the dialogue's entry in its file's list, unchanged; "" means the released form.
    """

    number: str
    title: str
    ptkb: tuple[tuple[str, str], ...]
    turns: tuple[DialogueTurn, ...]
    further: Pairs = ()
    written: str = field(default="", compare=False)

    @property
    def topic(self) -> str:
        """The number of the topic, which its subtrees share."""
        return self.number.partition("-")[0]


def turn_name(dialogue: str, turn: int) -> str:
    """Return the name of a turn in runs and qrels.

    >>> turn_name("9-1", 3)
    '9-1_3'
    """
    return f"{dialogue}_{turn}"


@reads(
    "topics", forms=JSON - {"json lines", "json values"}, layout="one list of dialogues, each with its turns, in JSON"
)
def read_dialogues(file: BinaryIO) -> Iterator[Dialogue | Issue]:
    """Yield the dialogues in file order, each after its issues. A dialogue with an error is left out.

    The codes of issues are those of `scoring.reading.json_reading`, and also type, missing, dialogue-number, duplicate,
    ptkb, turn-number, no-turns, unknown-statement (warning), unknown-field (note, once for each name).
    """
    text = whole_text(file)
    if isinstance(text, Issue):
        yield text
        return
    seen: set[str] = set()
    told = set[str]()
    for place, (entry, is_last) in enumerate(with_last(_entries(text))):
        if isinstance(entry, Issue):
            yield entry
            return
        written, value = entry
        report = Report(root=f"$[{place}]", told=told)
        dialogue: Dialogue | None = _DIALOGUE.take(value, report)
        yield from (_where_written(issue, value) for issue in report.issues)
        if dialogue is None:
            continue
        if dialogue.number in seen:
            yield _issue((place, "number"), "duplicate", f"Dialogue {dialogue.number} stands in the file already.")
        else:
            seen.add(dialogue.number)
            yield dialogue if written == _written(dialogue, is_last=is_last) else replace(dialogue, written=written)


def _entries(text: str) -> Iterator[tuple[str, Any] | Issue]:
    """Yield (text of its entry, value) for each dialogue, and an issue if the file is not a list."""
    if text.lstrip().startswith("["):
        count = 0
        for count, each in enumerate(entries_of_list(text), 1):  # noqa: B007
            yield flaw_issue(each) if isinstance(each, Flaw) else each
        if not count:
            yield _issue((), "no-dialogues", "The list of dialogues is empty. Check that it is the right file.")
        return
    value = parse_json(text)
    message = f"The file must be a list of dialogues, not {kind_of(value)}."
    yield flaw_issue(value) if isinstance(value, Flaw) else _issue((), "type", message)


def write_dialogues(records: Iterable[Dialogue]) -> Iterator[str]:
    """Return the lines of a file with the dialogues in order: each as it was written, or in the released form.

    Code that changes a dialogue must clear its ``written``.
    """
    dialogues = list(records)
    last = len(dialogues) - 1
    texts = (each.written or _written(each, is_last=place == last) for place, each in enumerate(dialogues))
    return iter(f"[{','.join(texts)}]".split("\n"))


def reworded(written: str, dialogue: Dialogue) -> str:
    """Return a dialogue's original text with the wording of ``dialogue`` put in. Return "" if the form of 2025 can't
    express it.
    """
    value = load_json(io.BytesIO(written.encode()))
    turns = value.get("responses") if isinstance(value, dict) else None
    if not isinstance(value, dict) or "turns" in value or not isinstance(turns, list):
        return ""
    if len(turns) != len(dialogue.turns):
        return ""
    statements = value["ptkb"]
    is_list = isinstance(statements, list)
    texts_now = [text for _, text in dialogue.ptkb]
    renamed = dict(zip(statements, texts_now, strict=False)) if is_list else {}
    value |= dict(dialogue.further)
    value |= {"title": dialogue.title, "ptkb": texts_now if is_list else dict(dialogue.ptkb)}
    for each, turn in zip(turns, dialogue.turns, strict=True):
        texts = {
            "utterance": turn.utterance,
            "user_utterance": turn.utterance,
            "resolved_utterance": turn.resolved_utterance,
            "response": turn.response,
        }
        each |= dict(turn.further)
        each |= {name: text for name, text in texts.items() if (each.get(name) or "") != text and name in each}
        for name in ("relevant_ptkbs", "ptkb_provenance"):
            if isinstance(named := each.get(name), list):
                each[name] = [renamed.get(one, one) if isinstance(one, str) else one for one in named]
    text = json.dumps(value, indent=4, ensure_ascii=written.isascii())
    again = [each for each in read_dialogues(io.BytesIO(f"[{text}]".encode())) if isinstance(each, Dialogue)]
    before, after = written[: -len(written.lstrip())], written[len(written.rstrip()) :]
    return before + text.replace("\n", "\n    ") + after if again == [dialogue] else ""


def _where_written(issue: Issue, value: Any) -> Issue:
    """Return the issue with its place written as in files of 2025, in which turns are under "responses"."""
    if not isinstance(value, dict) or "turns" in value or "responses" not in value:
        return issue
    return replace(issue, where=str(issue.where).replace("].turns[", "].responses[", 1))


def _written(dialogue: Dialogue, *, is_last: bool) -> str:
    """Return the released form of a dialogue as an entry of a list that is indented by four."""
    lines = json.dumps(_released(dialogue), indent=4).split("\n")
    return "".join(f"\n    {line}" for line in lines) + ("\n" if is_last else "")


def _released(dialogue: Dialogue) -> dict[str, Any]:
    return {
        "number": dialogue.number,
        "title": dialogue.title,
        "ptkb": dict(dialogue.ptkb),
        **dict(dialogue.further),
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
                **dict(turn.further),
            }
            for turn in dialogue.turns
        ],
    }


def _detailed(names: Sequence[str], details: Sequence[Detail]) -> list[dict[str, Any]]:
    """Return the details as objects, which is how the guidelines write provenance."""
    return [
        {"id": name, **{key: value for key, value in (("text", text), ("score", score)) if value is not None}}
        for name, (text, score) in zip(names, details, strict=True)
    ]


def _is_plain(name: str) -> bool:
    """Return whether the name is a number in its plain form: "1" is, and "01" is not."""
    return re.fullmatch(r"0|[1-9][0-9]{0,8}", name) is not None


def _dialogue(taken: Taken, report: Report, inside: Path) -> Dialogue | None:
    given = taken["ptkb"] or {}
    is_list = isinstance(given, list)
    written = {str(place): text for place, text in enumerate(given, 1)} if is_list else given
    known = {name: text for name, text in written.items() if isinstance(text, str)}
    for name, text in written.items():
        if not name or len(name) > NAME_LIMIT or len(name.split()) != 1:
            message = f"A statement's id is one word of at most {NAME_LIMIT} characters."
            report.say((*inside, "ptkb", name), "ptkb", message)
        if not isinstance(text, str) or not text.strip():
            shown = "empty" if isinstance(text, str) else kind_of(text)
            at = int(name) - 1 if is_list else name
            report.say((*inside, "ptkb", at), "ptkb", f"The statement must be a text, but it is {shown}.")
    if taken["turns"] == []:
        report.say((*inside, "turns"), "no-turns", "The dialogue has no turns.")
    turns = []
    named = {text: name for name, text in known.items()} if is_list else {}
    for number, each in enumerate(taken["turns"] or ()):
        at = (*inside, "turns", number)
        turn: DialogueTurn | None = _TURN.take(each, report, at)
        if turn is not None and named:
            turn = replace(turn, statements=tuple(named.get(name, name) for name in turn.statements))
        turns.append(turn)
        for place, name in enumerate(turn.statements if turn is not None else ()):
            if name not in known and not report.is_full("unknown-statement"):
                message = f"The PTKB has no statement {excerpt_of(name, length=40)}."
                report.say((*at, "ptkb_provenance", place), "unknown-statement", message, severity="warning")
    if report.is_wrong:
        return None
    return Dialogue(
        number=taken["number"],
        title=taken["title"],
        ptkb=tuple(known.items()),
        turns=tuple(turn for turn in turns if turn is not None),
        further=taken[REST],
    )


def _turn(taken: Taken, report: Report, inside: Path) -> DialogueTurn:
    expected = int(inside[-1]) + 1
    number = taken["turn_id"]
    if number is not None and number != str(expected):
        shown = excerpt_of(number, length=40)
        message = f"Turns are numbered from 1, one after the other: here must be {expected}, not {shown}."
        report.say((*inside, "turn_id"), "turn-number", message)
    passages = "passage_provenance" if taken["response_provenance"] is None else "response_provenance"
    statements, statement_details = _names(taken, "ptkb_provenance", report, inside)
    found, passage_details = _names(taken, passages, report, inside)
    return DialogueTurn(
        number=expected,
        utterance=taken["utterance"] or "",
        resolved_utterance=taken["resolved_utterance"],
        response=taken["response"],
        statements=statements,
        passages=found,
        statement_details=statement_details,
        passage_details=passage_details,
        further=taken[REST],
    )


def _names(taken: Taken, key: str, report: Report, inside: Path) -> tuple[tuple[str, ...], tuple[Detail, ...]]:
    """Return the ids in a list of whole numbers, texts, or objects with an "id", and the details of such objects."""
    given = taken[key] or ()
    if _PLAIN_TYPES.issuperset(map(type, given)) and "" not in given:
        return tuple(map(str, given)), ()
    names, details = [], []
    for place, each in enumerate(given):
        if report.is_full(PLAIN.type):  # a file with so many errors is not used
            break
        at = (*inside, key, place)
        name = _ID.read(each.get("id") if isinstance(each, dict) else each, report, at)
        if name is not None:
            names.append(name)
            details.append(_DETAIL.take(each, report, at) if isinstance(each, dict) else (None, None))
    return tuple(names), tuple(details) if any(detail != (None, None) for detail in details) else ()


def _detail(taken: Taken, report: Report, inside: Path) -> Detail:
    del report, inside
    return taken["text"], taken["score"]


def _id(value: str | int) -> str:
    if value == "":
        raise ValueError
    return str(value)


def _number(value: str | int) -> str:
    if not DIALOGUE_NUMBER.fullmatch(str(value)):
        raise ValueError
    return str(value)


_NUMBER = "topic-subtree, such as 9-1, or the topic's number or word alone"
_STATEMENTS = "an object, statement id -> text, or a list of texts"
_PLAIN_TYPES = frozenset({str, int})
_ID = Kind(wanted="a number or a text", types=(str, int), make=_id)
_DETAIL = Shape(
    members=(
        Member("id", ANYTHING, default=None),  # the text was read before
        Member("text", TEXT, default=None, null=None),
        Member("score", NUMBER, default=None, null=None),
    ),
    others="not used",
    make=_detail,
)
_TURN = Shape(
    members=(
        Member("turn_id", replace(NAME, code="turn-number"), also=("number",)),
        Member("utterance", FILLED, also=("user_utterance",)),
        Member("resolved_utterance", TEXT, default="", null=""),
        Member("response", TEXT, default="", null=""),
        Member("ptkb_provenance", LIST, default=(), null=(), also=("relevant_ptkbs",)),
        Member("response_provenance", LIST, default=None, null=(), also=("citations",)),
        Member("passage_provenance", LIST, default=(), null=()),
    ),
    others="further",
    make=_turn,
)
_DIALOGUE = Shape(
    members=(
        Member("number", Kind(wanted=_NUMBER, types=(str, int), make=_number, code="dialogue-number")),
        Member("title", FILLED),
        Member("ptkb", Kind(wanted=_STATEMENTS, types=(dict, list), limit=LIST_LIMIT, code="type")),
        Member("turns", LIST, null=MISSING, also=("responses",)),
    ),
    others="further",
    make=_dialogue,
)


def _issue(path: Path, code: str, message: str) -> Issue:
    return Issue(where=json_path(path), code=code, message=message)


FORMAT = Format(
    name="ikat-topics",
    label="Dialogues of TREC iKAT 2023",
    source="TREC iKAT 2023 guidelines; irlabamsterdam/iKAT",
    layout='[{"number": "9-1", "title", "ptkb": {id: text}, "turns": [{"turn_id", "utterance", …}]}]',
    record=Dialogue,
    read=read_dialogues,
    write=write_dialogues,
)
