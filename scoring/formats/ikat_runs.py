"""Runs of TREC iKAT 2023: one JSON object with ranked responses to every turn of every dialogue.

    {"run_name": S, "run_type": "automatic" or "manual", "turns": [
      {"turn_id": "9-1_3", "responses": [{"rank": 1, "text": S,
        "passage_provenance": [{"id": "D:1", "text": S, "score": 0.5, "used": true}, …],
        "ptkb_provenance": [{"id": "1", "text": S, "score": 0.9}, …]}, …]}, …]}

Read as the organisers' checker reads it: another key is an error, and so is a value of another type; what is left
out has its default (0, "", false, no list). Numbers may stand in quotes. A score is a number that single precision
holds, a rank a whole number of 32 bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from scoring.formats.columns import real
from scoring.formats.spec import Format
from scoring.json_reading import json_path, kind_of, load_json
from scoring.reading import excerpt_of
from scoring.records import Issue, RankedDoc

CONVERSIONS = ("script", "guidelines")
PASSAGES_RANKED = 1000
"""Unique passages of a turn that count, the first ones."""

FLOAT_LIMIT = 3.4028234663852886e38
RANK_LIMIT = 2**31 - 1

_Path = tuple[str | int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Provenance:
    """A passage or a statement that a response rests on. ``used`` is said of passages alone.

    ``lacks`` are those of id, text and score that are not given, or empty.
    """

    name: str
    text: str
    score: float
    used: bool = False
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class RunResponse:
    """One of the responses to a turn."""

    rank: int
    text: str
    passages: tuple[Provenance, ...]
    statements: tuple[Provenance, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunTurn:
    """The responses to one turn, in the order of the file. ``number`` is like 9-1_3."""

    number: str
    responses: tuple[RunResponse, ...]

    @property
    def ranked(self) -> list[RunResponse]:
        """The responses by rank, wherever they stand in the file; those of equal rank in its order."""
        return sorted(self.responses, key=lambda response: response.rank)


@dataclass(frozen=True, kw_only=True, slots=True)
class IkatRun:
    """A whole run. ``kind`` should be "automatic" or "manual"."""

    name: str
    kind: str
    turns: tuple[RunTurn, ...]


def parse_ikat_run(file: BinaryIO) -> IkatRun | list[Issue]:
    """The run, or everything that keeps the file from being one, in the order of the file.

    Codes beside those of `scoring.json_reading`: type, missing, unknown-field, number-range.
    """
    value = load_json(file)
    if isinstance(value, Issue):
        return [value]
    reader = _Reader()
    run = reader.run(value)
    return reader.issues or run


def read_ikat_run(file: BinaryIO) -> Iterator[IkatRun | Issue]:
    """The one run of a file, or its issues."""
    parsed = parse_ikat_run(file)
    yield from parsed if isinstance(parsed, list) else [parsed]


def ranked_passages(run: IkatRun, conversion: str = "script") -> Iterator[RankedDoc]:
    """The run as TREC ranks it: the passages of each turn, response by response; where one comes first counts.

    First means by the rank of the response, and in it by score, descending. At most 1000 passages of a turn; the rank
    is the place in this list. As the organisers' "script" has it the score is the passage's divided by the response's
    rank + 1: it need not fall with the rank, and trec_eval goes by the scores. As the "guidelines" have it ("in
    response order", "in descending order") the score falls by 1 with each rank, so that trec_eval keeps the order.
    """
    for turn in run.turns:
        given = [(each, response) for response in turn.ranked for each in _descending(response.passages)]
        yield from _ranked(run, turn, given, conversion)


def ranked_statements(run: IkatRun, conversion: str = "script") -> Iterator[RankedDoc]:
    """The user's statements of each turn in the same way. A score of 0 says "not relevant": left out."""
    for turn in run.turns:
        ranked = [(each, response) for response in turn.ranked for each in _descending(response.statements)]
        yield from _ranked(run, turn, [pair for pair in ranked if pair[0].score != 0], conversion)


def _descending(given: Sequence[Provenance]) -> list[Provenance]:
    return sorted(given, key=lambda each: -each.score)


def _ranked(
    run: IkatRun, turn: RunTurn, given: list[tuple[Provenance, RunResponse]], conversion: str
) -> Iterator[RankedDoc]:
    seen: set[str] = set()
    for each, response in given:
        if each.name in seen:
            continue
        if len(seen) == PASSAGES_RANKED:
            return
        score = each.score / (max(response.rank, 0) + 1) if conversion == "script" else PASSAGES_RANKED - len(seen)
        seen.add(each.name)
        yield RankedDoc(topic=turn.number, docno=each.name, rank=len(seen), score=float(score), run=run.name)


class _Reader:
    """Takes a run apart and keeps what is wrong with its form."""

    def __init__(self) -> None:
        self.issues: list[Issue] = []

    def run(self, written: Any) -> IkatRun:
        """The whole file."""
        if not self._is_object(written, (), ("run_name", "run_type", "turns")):
            return IkatRun(name="", kind="", turns=())
        for key in ("run_name", "run_type", "turns"):
            if key not in written:
                self._say((key,), "missing", f"There is no “{key}”. Add it.")
        turns = (self._turn(each, path) for each, path in self._list(written, "turns", ()))
        name, kind = self._text(written, "run_name", ()), self._text(written, "run_type", ())
        return IkatRun(name=name, kind=kind, turns=tuple(turns))

    def _turn(self, written: Any, path: _Path) -> RunTurn:
        if not self._is_object(written, path, ("turn_id", "responses")):
            return RunTurn(number="", responses=())
        number = self._text(written, "turn_id", path)
        responses = (self._response(each, inner) for each, inner in self._list(written, "responses", path))
        return RunTurn(number=number, responses=tuple(responses))

    def _response(self, written: Any, path: _Path) -> RunResponse:
        known = ("rank", "text", "passage_provenance", "ptkb_provenance")
        values = written if self._is_object(written, path, known) else {}
        rank = self._number(values, "rank", path)
        if rank != int(rank) or abs(rank) > RANK_LIMIT:
            self._say((*path, "rank"), "number-range", "A rank is a whole number of at most 32 bits: 1, 2, 3 …")
        passages = self._list(values, "passage_provenance", path)
        statements = self._list(values, "ptkb_provenance", path)
        return RunResponse(
            rank=int(rank),
            text=self._text(values, "text", path),
            passages=tuple(self._provenance(each, inner, ("used",)) for each, inner in passages),
            statements=tuple(self._provenance(each, inner, ()) for each, inner in statements),
        )

    def _provenance(self, written: Any, path: _Path, more: tuple[str, ...]) -> Provenance:
        values = written if self._is_object(written, path, ("id", "text", "score", *more)) else {}
        score = self._number(values, "score", path)
        if abs(score) > FLOAT_LIMIT:
            self._say((*path, "score"), "number-range", "The score is beyond the range of single precision.")
        used = values.get("used")
        if used is not None and not isinstance(used, bool):
            self._say((*path, "used"), "type", f"“used” must be true or false, not {kind_of(used)}.")
        return Provenance(
            name=self._text(values, "id", path),
            text=self._text(values, "text", path),
            score=score,
            used=used is True,
            lacks=tuple(name for name in ("id", "text", "score") if values.get(name) in (None, "")),
        )

    def _list(self, values: Mapping[str, Any], key: str, path: _Path) -> list[tuple[Any, _Path]]:
        written = values.get(key)
        if written is not None and not isinstance(written, list):
            self._say((*path, key), "type", f"“{key}” must be a list, not {kind_of(written)}.")
        return [(each, (*path, key, place)) for place, each in enumerate(written if isinstance(written, list) else ())]

    def _text(self, values: Mapping[str, Any], key: str, path: _Path) -> str:
        written = values.get(key)
        if written is not None and not isinstance(written, str):
            self._say((*path, key), "type", f"“{key}” must be a text, not {kind_of(written)}.")
        return written if isinstance(written, str) else ""

    def _number(self, values: Mapping[str, Any], key: str, path: _Path) -> float:
        written = values.get(key)
        if written is None:
            return 0.0
        value = real(written) if isinstance(written, str) else written
        if isinstance(value, bool) or not isinstance(value, int | float):
            shown = f"“{excerpt_of(written, length=30)}”" if isinstance(written, str) else kind_of(written)
            self._say((*path, key), "type", f"“{key}” must be a number, not {shown}.")
            return 0.0
        return float(value)

    def _is_object(self, written: Any, path: _Path, known: tuple[str, ...]) -> bool:
        """Whether it is an object; every key that has no place there is an issue."""
        if not isinstance(written, dict):
            self._say(path, "type", f"Here must be an object with {', '.join(known)}, not {kind_of(written)}.")
            return False
        for key in written:
            if key not in known:
                message = f"“{excerpt_of(key, length=40)}” has no place here; known are {', '.join(known)}."
                self._say((*path, key), "unknown-field", message)
        return True

    def _say(self, path: _Path, code: str, message: str) -> None:
        self.issues.append(Issue(where=json_path(path), code=code, message=message))


FORMAT = Format(
    name="ikat-run",
    label="Runs of TREC iKAT 2023",
    source="TREC iKAT 2023 guidelines; irlabamsterdam/iKAT, run.proto",
    layout='{"run_name", "run_type", "turns": [{"turn_id", "responses": [{"rank", "text", …}]}]}',
    record=IkatRun,
    read=read_ikat_run,
)
