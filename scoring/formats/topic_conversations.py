"""Reads conversations as independent topics: the user's utterance in a turn, together with the conversation before it.

    {"number": 31, "title": "cancer", "turn": [{"number": 1, "raw_utterance": "What is it?"}, …]}    CAsT 2019-2022
    {"number": "9-1", "ptkb": {…}, "turns": [{"turn_id": 1, "utterance": …, "response": …}, …]}      iKAT 2023-2024
    {"number": "1-1", "ptkb": […], "responses": [{"turn_id": 1, "user_utterance": …}, …]}            iKAT 2025

A turn is numbered as runs and qrels name it: `31_1`. A turn with a `parent_turn` follows only the turns on that path.
The conversation before a turn is in the member `conversation`, a list of [speaker, text]. Members of the whole
conversation are stored with each of its turns; `title` and `description` become `conversation_title` and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.formats.topic_texts import Members

TURNS = ("turn", "turns", "responses")
USER = ("utterance", "raw_utterance", "user_utterance")
SYSTEM = ("response", "passage", "system_utterance")
NUMBERS = ("number", "turn_id", "id")
NUMBERS_OF_THE_WHOLE = ("number", "topic_id", "id", "conversation_id")
MOST_TURNS = 100
"""The most turns in a conversation, since each is stored with everything before it."""
BEFORE = "conversation"
OF_THE_WHOLE = frozenset({"title", "description", "narrative", "query", "text", "question", "topic", "number", "id"})
"""Members of a conversation that its turns may have, too, under the same names."""

MEANINGS = ("resolved_utterance", "manual_rewritten_utterance", "automatic_rewritten_utterance")
"""Members of a turn that rephrase the utterance so that it can be understood alone."""

OWN_ANSWERS = frozenset(
    {
        "response", "passage", "passage_id", "canonical_result_id", "manual_canonical_result_id",
        "automatic_canonical_result_id", "canonical_passage_id", "provenance", "response_provenance",
        "passage_provenance", "ptkb_provenance", "relevant_ptkbs", "citations", "result_turn_dependence",
        "query_turn_dependence",
    }
)  # fmt: skip
"""Members of a turn with the answer it was given, which people who judge systems' answers do not see."""


def turns_of(value: Mapping[str, Any]) -> Sequence[Mapping[str, Any]] | None:
    """Return the turns of a conversation, or None if the object is none or the user says nothing in it."""
    for name in TURNS:
        turns = value.get(name)
        if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
            continue
        if any(_first_text(turn, USER) for turn in turns):
            return turns
    return None


def topics_of_turns(value: Mapping[str, Any], turns: Sequence[Mapping[str, Any]]) -> Iterator[Members]:
    """Yield the members of a topic for each turn in which the user says something; system turns are passed over.

    What was said before a turn, and the members of the whole conversation, are among its members.
    """
    numbered = next((name for name in NUMBERS_OF_THE_WHOLE if name in value), None)
    head = [
        (f"{BEFORE}_{name}" if name in OF_THE_WHOLE else name, each)
        for name, each in value.items()
        if each is not turns and name != numbered
    ]
    number = value[numbered] if numbered else ""
    by_number = {str(_number(turn, place)): turn for place, turn in enumerate(turns, 1)}
    for place, turn in enumerate(turns, 1):
        if not (utterance := _first_text(turn, USER)) or _is_system(turn):
            continue
        before = _path(turn, by_number) if "parent_turn" in turn else turns[: place - 1]
        earlier = [line for each in before for line in _lines(each)]
        said_under = next(name for name in USER if turn.get(name) == utterance)
        used = {said_under, _numbered(turn)}
        own = [(name, each) for name, each in turn.items() if name not in used]
        names = {name for name, _ in own}
        yield [
            ("id", f"{number}_{_number(turn, place)}" if number != "" else ""),
            ("title", utterance),
            *(((BEFORE, earlier),) if earlier else ()),
            *((f"turn_{name}" if name in OF_THE_WHOLE else name, each) for name, each in own),
            *((f"{BEFORE}_{name}" if name in names else name, each) for name, each in head),
        ]


def members_not_kept(turns: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the names of members that are found only in the system's turns, which do not become topics."""
    kept = {*NUMBERS, *SYSTEM, "parent_turn", "participant"}
    return {name for turn in turns if _is_system(turn) for name in turn if name not in kept}


def _is_system(turn: Mapping[str, Any]) -> bool:
    return str(turn.get("participant", "user")).strip().lower() == "system" or not _first_text(turn, USER)


def _first_text(turn: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the first text under these names that is not blank, or "" if there is none."""
    return next((turn[name] for name in names if isinstance(turn.get(name), str) and turn[name].strip()), "")


def _lines(turn: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield the texts of a turn, each with its speaker."""
    if not _is_system(turn):
        yield ["User", _first_text(turn, USER)]
    if answer := _first_text(turn, SYSTEM) or (_first_text(turn, USER) if _is_system(turn) else ""):
        yield ["System", answer]


def _path(turn: Mapping[str, Any], by_number: Mapping[str, Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the turns that lead to this one, the earliest first."""
    path: list[Mapping[str, Any]] = []
    above = by_number.get(str(turn.get("parent_turn")))
    while above is not None and len(path) < len(by_number):
        path.append(above)
        above = by_number.get(str(above.get("parent_turn"))) if "parent_turn" in above else None
    return path[::-1]


def _number(turn: Mapping[str, Any], place: int) -> Any:
    name = _numbered(turn)
    return turn[name] if name else place


def _numbered(turn: Mapping[str, Any]) -> str | None:
    """Return the name of the member that holds the turn's number, or None if there is none."""
    return next((name for name in NUMBERS if isinstance(turn.get(name), str | int)), None)
