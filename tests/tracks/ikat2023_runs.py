"""Runs of iKAT 2023 as tests score them, and what trec_eval says of them."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import pytrec_eval

from assess.protocol import CheckContext, RunContent, TopicRecord
from scoring.formats.trec_run import read_trec_run
from scoring.records import Issue, RankedDoc, Score
from tracks.ikat2023 import TRACK
from tracks.ikat2023.settings import Ikat2023Settings
from tracks.ikat2023.topics import read_topics

DATA = Path(__file__).parent.parent / "data" / "tracks" / "ikat2023"
RUN = TRACK.submissions[0]
DEFAULTS = Ikat2023Settings()


def content_of(run: bytes, chosen: Ikat2023Settings = DEFAULTS) -> RunContent:
    return RunContent(submission=RUN, open=lambda: io.BytesIO(run), context=CheckContext(topics=(), settings=chosen))


def converted(run: bytes) -> dict[str, dict[str, float]]:
    """The run as trec_eval gets it: the lines that convert writes, read back."""
    assert RUN.convert is not None
    lines = "".join(line + "\n" for line in RUN.convert(io.BytesIO(run), CheckContext(topics=(), settings=DEFAULTS)))
    found: dict[str, dict[str, float]] = {}
    for line in read_trec_run(io.BytesIO(lines.encode())):
        assert isinstance(line, RankedDoc), line
        found.setdefault(line.topic, {})[line.docno] = line.score
    return found


def trec_eval_means(grades: dict[str, dict[str, int]], run: bytes, *, level: int) -> dict[str, float]:
    """What trec_eval -c -l LEVEL says of the converted run: means over all turns of the qrels."""
    names = {
        "AP": "map",
        **{f"P@{k}": f"P_{k}" for k in (1, 3, 5)},
        **{f"nDCG@{k}": f"ndcg_cut_{k}" for k in (1, 3, 5)},
    }
    evaluator = pytrec_eval.RelevanceEvaluator(grades, {"map", "P.1,3,5", "ndcg_cut.1,3,5"}, relevance_level=level)
    found = evaluator.evaluate(converted(run))
    return {name: fmean(found.get(turn, {}).get(asked, 0.0) for turn in grades) for name, asked in names.items()}


def means(scores: list[Score]) -> dict[str, float | None]:
    return {score.measure: score.value for score in scores if score.topic == "all"}


def topics(value: object = None) -> tuple[TopicRecord, ...]:
    content = (DATA / "topics.json").read_bytes() if value is None else json.dumps(value).encode()
    found = list(read_topics(io.BytesIO(content)))
    assert not [each for each in found if isinstance(each, Issue)]
    return tuple(each for each in found if isinstance(each, TopicRecord))


def run_value(name: str = "reed_by_hand") -> Any:
    return json.loads((DATA / "runs" / "good" / f"{name}.json").read_bytes())


def checked(value: Any, **given: Any) -> list[Issue]:
    context = CheckContext(topics=topics(), settings=given.pop("settings", DEFAULTS), **given)
    return list(RUN.check(io.BytesIO(json.dumps(value).encode()), context))


def codes(issues: Sequence[Issue]) -> list[tuple[int | str, str, str]]:
    return [(issue.where, issue.severity, issue.code) for issue in issues]


def small_run(*responses: dict[str, Any], name: str = "r") -> bytes:
    run = {"run_name": name, "run_type": "manual", "turns": [{"turn_id": "1-1_1", "responses": list(responses)}]}
    return json.dumps(run).encode()


def response(rank: int, text: str, *passages: tuple[str, float], **more: Any) -> dict[str, Any]:
    given = [{"id": name, "score": score, "text": "", "used": name.isupper()} for name, score in passages]
    return {"rank": rank, "text": text, "passage_provenance": given, **more}


def context() -> CheckContext:
    return CheckContext(topics=(), settings=DEFAULTS)


def statement_run(*statements: tuple[str, float], turn: str = "1-1_1") -> bytes:
    given = [{"id": name, "score": score} for name, score in statements]
    responses = [{"rank": 1, "text": "x", "ptkb_provenance": given}]
    return json.dumps(
        {"run_name": "r", "run_type": "manual", "turns": [{"turn_id": turn, "responses": responses}]}
    ).encode()
