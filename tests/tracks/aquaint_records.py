"""Gold and responses of AQUAINT's definition questions as tests score them."""

from __future__ import annotations

import io
from typing import Any

import pytest

from assess.protocol import CheckContext, RunContent
from scoring.records import Issue, Nugget, NuggetPiece, Score
from tracks.aquaint_definition import TRACK
from tracks.aquaint_definition.files import read_topics
from tracks.aquaint_definition.gold import Gold, build_gold
from tracks.aquaint_definition.settings import AquaintDefinitionSettings

SETTINGS = AquaintDefinitionSettings()


def fail(issue: Issue) -> None:
    pytest.fail(issue.message)


def topics(count: int) -> list[Any]:
    lines = "".join(f"{number}\tWhat is {number}?\n" for number in range(1, count + 1))
    return list(read_topics(io.BytesIO(lines.encode())))


def nuggets(vital: int, okay: int, topic: str = "1") -> list[Nugget]:
    kinds = ["vital"] * vital + ["okay"] * okay
    return [
        Nugget(topic=topic, number=number, importance=kind, text=f"nugget {number}")  # type: ignore[arg-type]
        for number, kind in enumerate(kinds, start=1)
    ]


def found(*names: str, topic: str = "1", run: str = "A") -> list[NuggetPiece]:
    """Pieces of the run's first strings: "5" or "5.1"; each name is one string's."""
    pieces = []
    for item, name in enumerate(names, start=1):
        number, _, part = name.partition(".")
        place = {"topic": topic, "run": run, "item": item, "docno": "D", "text": "x"}
        pieces.append(NuggetPiece(number=int(number), part=int(part or 0), **place))  # type: ignore[arg-type]
    return pieces


def gold(count: int = 1, **records: Any) -> Gold:
    names = {"lists": "author.all", "pieces": "sys.author.all", "other_lists": "other.all", "responses": "Q.all"}
    named = {names.get(key, key): value for key, value in records.items()}
    return build_gold({"questions": topics(count), **named}, SETTINGS, fail)


def content(text: str) -> RunContent:
    return RunContent(
        submission=TRACK.submissions[0],
        open=lambda: io.BytesIO(text.encode()),
        context=CheckContext(topics=(), settings=SETTINGS),
    )


def response(length: int, strings: int = 6) -> str:
    """A response of so many strings with so many characters that are not white space."""
    sizes = [length // strings] * (strings - 1)
    return "".join(f"1 A D {'y' * size} \n" for size in [*sizes, length - sum(sizes)])


def values(scores: list[Score], topic: str = "1") -> dict[str, float | None]:
    return {score.measure: score.value for score in scores if score.topic == topic}


def scored(judged: Gold, run: str, settings: AquaintDefinitionSettings = SETTINGS, tag: str = "A") -> list[Score]:
    return list(TRACK.scoring.score(judged, tag, content(run), settings))
