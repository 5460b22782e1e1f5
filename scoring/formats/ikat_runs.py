"""Reads runs of TREC iKAT 2023: one JSON object with ranked responses to every turn of every dialogue.

    {"run_name": S, "run_type": "automatic" or "manual", "turns": [
      {"turn_id": "9-1_3", "responses": [{"rank": 1, "text": S,
        "passage_provenance": [{"id": "D:1", "text": S, "score": 0.5, "used": true}, …],
        "ptkb_provenance": [{"id": "1", "text": S, "score": 0.9}, …]}, …]}, …]}

Runs are read as the organisers' checker reads them: an unknown key or a value of another type is an error, and a
missing member has its default (0, "", false, an empty list). Numbers may be in quotes. A score is a number that single
precision can hold, and a rank a whole number of 32 bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from scoring.file_kinds import JSON, reads
from scoring.formats.json_members import FLAG, TEXT, Kind, Member, Shape, Taken, list_of
from scoring.formats.member_reports import Path, Report, Unfit
from scoring.formats.spec import Format, real
from scoring.reading.json_reading import load_json
from scoring.records import Issue, RankedDoc

CONVERSIONS = ("script", "guidelines")
PASSAGES_RANKED = 1000
"""The number of different passages of a turn that count: the first ones."""

FLOAT_LIMIT = 3.4028234663852886e38
RANK_LIMIT = 2**31 - 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Provenance:
    """A passage or a statement on which a response is based. Only passages have ``used``.

    ``lacks`` contains "id", "text" or "score" if that member is missing or empty.
    """

    name: str
    text: str
    score: float
    used: bool = False
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class RunResponse:
    """One response to a turn."""

    rank: int
    text: str
    passages: tuple[Provenance, ...]
    statements: tuple[Provenance, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunTurn:
    """The responses to one turn, in file order. ``number`` is like 9-1_3."""

    number: str
    responses: tuple[RunResponse, ...]

    @property
    def ranked(self) -> list[RunResponse]:
        """The responses sorted by rank; those of equal rank stay in file order."""
        return sorted(self.responses, key=lambda response: response.rank)


@dataclass(frozen=True, kw_only=True, slots=True)
class IkatRun:
    """A whole run. ``kind`` should be "automatic" or "manual"."""

    name: str
    kind: str
    turns: tuple[RunTurn, ...]


def parse_ikat_run(file: BinaryIO) -> IkatRun | list[Issue]:
    """Return the run in a file. If the file is not a valid run, return the issues that say why, in the order of the
    file.

    The codes of issues are those of `scoring.reading.json_reading`, and also type, missing, unknown-field and
    number-range.
    """
    value = load_json(file)
    if isinstance(value, Issue):
        return [value]
    report = Report()
    run: IkatRun | None = _RUN.take(value, report)
    return report.issues if run is None else run


@reads("answers", forms=JSON)
def read_ikat_run(file: BinaryIO) -> Iterator[IkatRun | Issue]:
    """Yield the one run of a file, or its issues."""
    parsed = parse_ikat_run(file)
    yield from parsed if isinstance(parsed, list) else [parsed]


def ranked_passages(run: IkatRun, conversion: str = "script") -> Iterator[RankedDoc]:
    """Yield the run as a TREC ranking: the passages of each turn, response by response. A passage that is repeated in a
    turn keeps only its first place.

    Responses are ordered by rank, and passages of a response by score, descending. A turn has at most 1000 passages;
    the rank is the place in this list. With the conversion "script", as in the organisers' script, a
    passage's score is divided by (the rank of its response + 1). So it may rise from one place to the next, and
    trec_eval then ranks in another order. With "guidelines" ("in response order", "in descending order") the score
    falls by 1 with each place, so that trec_eval keeps the order.
    """
    for turn in run.turns:
        given = [(each, response) for response in turn.ranked for each in _descending(response.passages)]
        yield from _ranked(run, turn, given, conversion)


def ranked_statements(run: IkatRun, conversion: str = "script") -> Iterator[RankedDoc]:
    """Yield the user's statements of each turn, ranked as `ranked_passages` ranks passages. Statements with a score of
    0 ("not relevant") are left out.
    """
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


def _provenance(taken: Taken, report: Report, inside: Path) -> Provenance:
    name, text, score = taken["id"], taken["text"], taken["score"]
    del report, inside
    return Provenance(
        name=name or "",
        text=text or "",
        score=score or 0.0,
        used=taken.get("used", False),
        lacks=tuple(key for key in ("id", "text", "score") if taken[key] in (None, "")),
    )


def _response(taken: Taken, report: Report, inside: Path) -> RunResponse:
    del report, inside
    passages, statements = tuple(taken["passage_provenance"]), tuple(taken["ptkb_provenance"])
    return RunResponse(rank=taken["rank"], text=taken["text"], passages=passages, statements=statements)


def _turn(taken: Taken, report: Report, inside: Path) -> RunTurn:
    del report, inside
    return RunTurn(number=taken["turn_id"], responses=tuple(taken["responses"]))


def _run(taken: Taken, report: Report, inside: Path) -> IkatRun | None:
    del inside
    return (
        None if report.issues else IkatRun(name=taken["run_name"], kind=taken["run_type"], turns=tuple(taken["turns"]))
    )


def _number(value: str | float) -> float:
    number = real(value) if isinstance(value, str) else value
    if number is None:
        raise ValueError
    return float(number)


def _rank(value: str | float) -> int:
    rank = _number(value)
    if rank != int(rank) or abs(rank) > RANK_LIMIT:
        raise Unfit("number-range", "A rank is a whole number of at most 32 bits: 1, 2, 3 …")
    return int(rank)


def _score(value: str | float) -> float:
    score = _number(value)
    if abs(score) > FLOAT_LIMIT:
        raise Unfit("number-range", "The score is beyond the range of single precision.")
    return score


_RANK = Kind(wanted="a number", types=(int, float, str), make=_rank)
_SCORE = replace(_RANK, make=_score)
_STATEMENT = Shape(
    members=(
        Member("id", TEXT, default=None, null=None),
        Member("text", TEXT, default=None, null=None),
        Member("score", _SCORE, default=None, null=None),
    ),
    others="refused",
    make=_provenance,
)
_PASSAGE = replace(_STATEMENT, members=(*_STATEMENT.members, Member("used", FLAG, default=False, null=False)))
_RESPONSE = Shape(
    members=(
        Member("rank", _RANK, default=0, null=0),
        Member("passage_provenance", list_of(_PASSAGE), default=(), null=()),
        Member("ptkb_provenance", list_of(_STATEMENT), default=(), null=()),
        Member("text", TEXT, default="", null=""),
    ),
    others="refused",
    make=_response,
)
_TURN = Shape(
    members=(
        Member("turn_id", TEXT, default="", null=""),
        Member("responses", list_of(_RESPONSE), default=(), null=()),
    ),
    others="refused",
    make=_turn,
)
_RUN = Shape(
    members=(
        Member("run_name", TEXT, null=""),
        Member("run_type", TEXT, null=""),
        Member("turns", list_of(_TURN), null=()),
    ),
    others="refused",
    make=_run,
)


def turn_answers(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield an answer for each turn of a run, made of the turn's best-ranked response, in the form of `rag_answers`.

    The answer cites the passages marked as used, or all passages of the response if none is marked. Nothing is checked,
    but ``value`` must have a list of turns. Parts of a turn that are not used get special names, so that they can be
    reported.
    """
    others = {name: each for name, each in value.items() if name not in ("run_name", "run_type", "turns")}
    for turn in value["turns"]:
        given = turn.get("responses") if isinstance(turn, dict) else None
        written: dict[str, Any] = others | {
            "metadata": {"run_id": value.get("run_name"), "run_type": value.get("run_type")}
        }
        written["turn_id"] = turn.get("turn_id") if isinstance(turn, dict) else None
        rest = turn if isinstance(turn, dict) else {}
        written |= {f"turns.{name}": each for name, each in rest.items() if name not in ("turn_id", "responses")}
        if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
            yield written | {"responses": given}
            continue
        by_rank = sorted(given, key=lambda each: each["rank"] if type(each.get("rank")) is int else 0)
        passages = _passages(by_rank[0]) if by_rank else []
        used = [each for each in passages if each.get("used")] or passages
        written |= {"responses after the first": by_rank[1:]} if by_rank[1:] else {}
        yield written | {
            "references": list(dict.fromkeys(str(each.get("id")) for each in passages)),
            "responses": [
                {name: one for name, one in each.items() if name not in ("rank", "passage_provenance")}
                | {"text": each.get("text"), "citations": [str(one.get("id")) for one in used]}
                for each in by_rank[:1]
            ],
        }


def _passages(response: dict[str, Any]) -> list[dict[str, Any]]:
    given = response.get("passage_provenance")
    return [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []


FORMAT = Format(
    name="ikat-run",
    label="Runs of TREC iKAT 2023",
    source="TREC iKAT 2023 guidelines; irlabamsterdam/iKAT, run.proto",
    layout='{"run_name", "run_type", "turns": [{"turn_id", "responses": [{"rank", "text", …}]}]}',
    record=IkatRun,
    read=read_ikat_run,
)
