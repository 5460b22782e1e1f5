"""Runs of iKAT 2023 as tests score them, and what trec_eval says of them."""

from __future__ import annotations

import io
from statistics import fmean

import pytrec_eval

from assess.protocol import CheckContext, RunContent
from scoring.formats.trec_run import read_trec_run
from scoring.records import RankedDoc, Score
from tracks.ikat2023 import TRACK
from tracks.ikat2023.settings import Ikat2023Settings

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
