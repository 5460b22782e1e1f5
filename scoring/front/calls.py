"""The functions of `import scoring`: each takes paths, frames, mappings or rows, and returns one pandas frame.

Unusable input raises `InputError`, whose message names file, line and cause; a wrong measure raises `UnknownMeasure`.
Input that is used, but perhaps not as its author meant, such as ranks that contradict the scores, causes an
`InputWarning`. pandas and the statistics are imported only in calls that need them.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.commands.agree_and_correlate import read_judge
from scoring.commands.command_line import WrongCall
from scoring.commands.nuggets import Campaign, score_campaign
from scoring.commands.rank_and_compare import grades_of_parts, ranked_measures
from scoring.formats.pool_tables import topic_order
from scoring.formats.qrels import write_qrels as qrels_lines
from scoring.formats.trec_run import write_trec_run
from scoring.front.errors import InputError, InputWarning, refusal, sentence, warn_of
from scoring.front.inputs import (
    judges_in,
    numbered,
    qrels_of,
    ranked_of,
    require_same_length,
    runs_of,
    values_of,
)
from scoring.front.judgments import read_judgments, write_judgments
from scoring.front.leaderboards import means_of, require_alike, shared_runs
from scoring.front.release_frames import read_release
from scoring.front.rows import MOST, is_finite, is_number
from scoring.front.score_tables import read_scores, score_frame, write_scores
from scoring.front.sources import PathLike, called
from scoring.front.writing import require_path, require_readable, write_rows
from scoring.measures.ranked import RepeatedDocument, by_rank, grades_of
from scoring.measures.ranked_values import RankedEvaluator
from scoring.measures.spec import UnknownMeasure
from scoring.none_judged import apart, labels_alike, left_out, none_relevant, written_apart
from scoring.pooling import PoolRun, Recipe, pool_entries
from scoring.pooling.ranks import TopDocnos
from scoring.pooling.recipe import STRATEGIES, Strategy
from scoring.records import Score, has_errors
from scoring.run_tags import stem
from scoring.statistics.agreement import LEVELS, Level

if TYPE_CHECKING:
    import pandas

    from scoring.statistics.multiple_comparisons import Correction

__all__ = [
    "InputError", "InputWarning", "UnknownMeasure", "agree", "compare", "correlate", "nuggets", "pool", "rank",
    "read_judgments", "read_qrels", "read_release", "read_run", "read_scores", "verify", "write_judgments",
    "write_qrels", "write_run", "write_scores",
]  # fmt: skip


def rank(
    qrels: Any, runs: Any, measures: Any, *, complete: bool = False, binary: int | None = None
) -> pandas.DataFrame:
    """Score ranked runs. Return a frame with the columns run, topic, measure, value. Each run's topics are followed by
    "all".

    ``measures`` is one measure or several: Assay's names (`nDCG@10`, `AP(rel=2)`), trec_eval's (`map`, `ndcg_cut_10`),
    or objects that print such a name, like those of ir_measures. As in trec_eval, the topics scored are those that are
    in both the run and the judgments; an `InputWarning` says how many judged topics a run leaves out. With
    ``complete=True`` all judged topics are scored, and a topic that the run leaves out counts 0, as in `trec_eval -c`
    and ir_measures. ``binary`` is the lowest relevant grade. Raises InputError, UnknownMeasure, and ValueError for no
    measure or a wrong option.

    >>> rank({"1": {"D1": 1}}, {"1": {"D1": 0.5, "D2": 0.9}}, ["AP", "nDCG@10"])
       run topic  measure    value
    0  run     1       AP  0.50000
    1  run     1  nDCG@10  0.63093
    2  run   all       AP  0.50000
    3  run   all  nDCG@10  0.63093
    """
    require_flag("complete", complete)
    if binary is not None:
        require_whole("binary", binary, least=1, most=MOST)
    is_one = isinstance(measures, str) or not isinstance(measures, Iterable)
    chosen = ranked_measures([str(each) for each in ([measures] if is_one else measures)], binary)
    if not chosen:
        raise ValueError("rank and compare need a measure, such as 'AP' or 'nDCG@10'.")
    by_subtopic = any(each.measure.subtopics for each in chosen)
    what = called(qrels, "qrels")
    judged = qrels_of(qrels, subtopics=by_subtopic)
    try:
        grades = grades_of_parts("the qrels", judged, chosen) if by_subtopic else grades_of(judged)
    except (RepeatedDocument, WrongCall) as error:
        raise refusal(what, sentence(error), code="duplicate") from error
    warn_of(what, none_relevant(grades, chosen))
    evaluator = RankedEvaluator(grades, chosen, subtopics=judged if by_subtopic else ())
    scores: list[Score] = []
    for name, rankings in runs_of(runs):
        found = list(apart(rankings, grades, qrels="the qrels"))
        if has_errors(found):
            raise InputError(name, found)
        warn_of(name, found if complete else [*found, *left_out(rankings, grades)])
        scores += evaluator.score(rankings, run=name, complete=complete).scores()
    return score_frame(scores)


def compare(
    qrels: Any,
    runs: Any,
    measures: Any,
    *,
    correction: Correction = "none",
    seed: int = 0,
    complete: bool = False,
) -> pandas.DataFrame:
    """Test every pair of runs. Return a frame with the columns run_a, run_b, test, statistic, p, effect, measure.

    The tests are those of `python -m scoring compare`. ``correction`` is none, holm, bonferroni or bh; p is corrected
    for the number of pairs of runs, separately for each measure. ``complete`` means the same as in `rank`. Raises what
    `rank` raises, and ValueError for any other correction and for fewer than two runs.
    """
    import pandas

    from scoring.statistics.multiple_comparisons import CORRECTIONS, TESTS, compare_runs

    require_choice("correction", correction, CORRECTIONS)
    require_whole("seed", seed)
    rows = []
    scores = rank(qrels, runs, measures, complete=complete)
    if scores["run"].nunique() < 2:
        raise ValueError("compare needs two runs or more, as in {'a': 'a.txt', 'b': 'b.txt'}.")
    for measure, found in scores[scores["topic"] != "all"].groupby("measure", sort=False):
        values: dict[str, dict[str, float | None]] = {}
        for run, topic, value in zip(found["run"], found["topic"], found["value"], strict=True):
            values.setdefault(run, {})[topic] = value
        of_tests = [compare_runs(values, test=test, correction=correction, seed=seed) for test in TESTS]
        for of_pair in zip(*of_tests, strict=True):
            rows += [(a.run_a, a.run_b, a.test, a.statistic, a.corrected, a.effect, measure) for a in of_pair]
    return pandas.DataFrame(rows, columns=["run_a", "run_b", "test", "statistic", "p", "effect", "measure"])


def nuggets(
    nuggets: Any,
    matches: Any,
    votes: Any = None,
    lengths: Any = None,
    *,
    beta: float = 3.0,
    allowance: int = 100,
    pyramid: bool | None = None,
) -> pandas.DataFrame:
    """Score the nuggets found in responses. Return a frame with the columns run, topic, measure (NR, NP, F), value;
    undefined values are None.

    Each argument is a table of rows, or the path of a file that `python -m scoring nuggets` reads. The rows have these
    columns:

    nuggets   topic, number (or an id such as "n1"), importance (or vital: True or False), text
    matches   topic, run, item, number (which may be 5.1): one row for each nugget that was found; or also nuggetizer's
              assignment (support, partial_support, not_support), of which only support counts
    votes     topic, number, assessor, importance
    lengths   topic, run, characters; without them NR alone is returned, since NP and F need them

    If there are votes, they determine the weights, unless ``pyramid`` says otherwise. Raises InputError, and ValueError
    for a wrong ``beta``, ``allowance`` or ``pyramid``.
    """
    from scoring.front.nugget_inputs import Ids, add_marks, lengths_of, lists_of, require_scorable, votes_of

    require_number("beta", beta)
    require_whole("allowance", allowance)
    if pyramid is not None:
        require_flag("pyramid", pyramid)
    campaign, ids = Campaign(), Ids()
    for nugget in lists_of(nuggets, ids):
        campaign.nuggets.setdefault(nugget.topic, []).append(nugget)
    for vote in votes_of(votes, ids):
        campaign.votes.setdefault(vote.topic, []).append(vote)
    add_marks(campaign, matches, ids)
    for length in lengths_of(lengths):
        campaign.lengths[length.topic, length.run] = length.characters
    unknown = [] if lengths is not None else [key for key in campaign.marks if key not in campaign.lengths]
    campaign.lengths |= dict.fromkeys(unknown, 0)
    require_scorable(campaign)
    weighted = votes is not None if pyramid is None else pyramid
    scores = score_campaign(campaign, beta=beta, allowance=allowance, pyramid=weighted)
    return score_frame([each for each in scores if not unknown or each.measure == "NR"])


def agree(*judges: Any, level: Level = "nominal", binary: float | None = None) -> pandas.DataFrame:
    """Measure how well two or more judges agree. Return a frame with the columns measure, value.

    Each judge is a path (qrels, or lines of topic, item, value), a frame, topic -> item -> value, or rows. All judges
    may also be given as one mapping name -> judge, or as one frame with a column that names the judge, or with a column
    of numbers for each judge. Values alone are paired by position. ``level`` is the level of Krippendorff's alpha:
    nominal, ordinal, interval or ratio; labels in words are nominal. With ``binary``, values of at least that number
    become 1, and all others 0. Raises TypeError for fewer than two judges, and InputError. Raises ValueError for any
    other level, if no item has the values of two judges, and if judges gave different numbers of values alone.

    >>> agree({"1": {"D1": 1, "D2": 0}}, {"1": {"D1": 1, "D2": 1}}).head(2)
      measure  value
    0  judges    2.0
    1   items    2.0
    """
    import pandas

    from scoring.statistics.agreement_report import ReportOptions, report_agreement

    require_choice("level", level, LEVELS)
    if binary is not None:
        require_number("binary", binary)
    judges = judges_in(judges)
    if len(judges) < 2:
        raise TypeError(
            "agree needs two judges or more, as in agree('a.txt', 'b.txt'), or a frame with a column judge, or with a "
            "column of numbers for each judge."
        )
    require_same_length(judges)
    labels = [values_of(judge, read_judge, what=f"judge {place}") for place, judge in enumerate(judges, 1)]
    values = numbered(labels)
    are_words = values is not labels
    warn_of("agree", labels_alike({each for judge in labels for each in judge.values()} if are_words else ()))
    if are_words and (level != "nominal" or binary is not None):
        raise ValueError(
            "Labels in words are nominal and have no lowest one: give numbers for another level or binary."
        )
    if max(Counter(key for judge in values for key in judge).values()) < 2:
        raise ValueError("No item has values of two judges. Check that topics and items are named alike.")
    if binary is not None:
        values = [{key: float(value >= binary) for key, value in judge.items()} for judge in values]
    is_binary = not are_words and all(value in (0, 1) for judge in values for value in judge.values())
    report = report_agreement(values, ReportOptions(level=level, relevant_from=1.0 if is_binary else None))
    counts: list[tuple[str, float | None]] = [("judges", report.judges), ("items", report.items)]
    rows = counts + [(each.measure, each.value) for each in report.estimates]
    return pandas.DataFrame(rows, columns=["measure", "value"])


def correlate(first: Any, second: Any) -> pandas.DataFrame:
    """Correlate two orders of the same runs; the second is the true order. Return a frame with the columns measure
    (tau, tau_b, tau_ap, rbo …), value.

    Each order is a path (lines of run and value, or what the command `rank` prints), run -> value, (run, value) pairs,
    a pandas series, a frame that `rank` returned for one measure, or a frame with a column of names (run, run_id, tag
    or system) and a column of values. Raises InputError, or ValueError if fewer than two runs are in both orders.

    >>> correlate({"a": 0.3, "b": 0.2, "c": 0.1}, {"a": 0.9, "b": 0.5, "c": 0.7}).head(2)
      measure     value
    0    runs  3.000000
    1     tau  0.333333
    """
    import pandas

    from scoring.statistics.correlation import correlate as correlations

    require_alike(first, second)
    a, b = means_of(first, what="first"), means_of(second, what="second")
    rows = [("runs", len(shared_runs(a, b))), *correlations(a, b).items()]
    return pandas.DataFrame(rows, columns=["measure", "value"])


def pool(
    runs: Any, *, strategy: Strategy = "depth", depth: int | None = None, budget: int | None = None, seed: int = 0
) -> pandas.DataFrame:
    """Make a pool of ranked runs. Return a frame with the columns topic, docno, stratum, probability.

    The strategies are those of `python -m scoring pool`, except "priority" and "stratified", which need options that
    this function does not take. For "depth" the default depth is 100. Raises InputError, and ValueError for a wrong
    option.

    >>> pool({"1": {"D1": 0.5, "D2": 0.9}}, depth=1)
      topic docno stratum  probability
    0     1    D2                  1.0
    """
    import pandas

    require_choice("strategy", strategy, STRATEGIES)
    for name, number in (("depth", depth), ("budget", budget)):
        if number is not None:
            require_whole(name, number, least=1)
    require_whole("seed", seed)
    depth = 100 if strategy == "depth" and depth is None else depth
    recipe = Recipe(strategy=strategy, depth=depth, budget=budget, seed=seed)
    made = []
    for name, rankings in runs_of(runs):
        top = TopDocnos(recipe.deepest)
        for topic, of_topic in rankings.items():
            top.add(topic, list(of_topic), list(of_topic.values()))
        made.append(PoolRun(tag=name, rankings={topic: tuple(docnos) for topic, docnos in top.rankings().items()}))
    for name, issue in written_apart((run.tag, run.rankings) for run in made):
        warn_of(name, [issue])
    rows = [(each.topic, each.docno, each.stratum, each.probability) for each in pool_entries(recipe, made)]
    return pandas.DataFrame(rows, columns=["topic", "docno", "stratum", "probability"])


def verify(release: PathLike, *, sha256: str = "") -> pandas.DataFrame:
    """Check a release. Return a frame with the columns file, status, message. All is well if every status is "ok" or
    "recomputed".

    ``sha256`` is the checksum of the manifest, as the campaign published it. Raises InputError if there is no release
    at the path.
    """
    import pandas

    from scoring.commands.verify import SCORER, scorer_named, verdict_of
    from scoring.release.releases import BadRelease

    try:
        verdict = verdict_of(Path(release), scorer_named(SCORER), published=sha256)
    except (BadRelease, OSError, ValueError) as error:
        raise refusal(os.fspath(release), str(error), code="no-release") from error
    rows = [(name, *row) for name, row in verdict.rows.items()]
    return pandas.DataFrame(rows, columns=["file", "status", "message"])


def read_run(path: PathLike) -> pandas.DataFrame:
    """Read a run in TREC's columns, in the form of a neighbouring tool, or in Parquet. Return a frame with the columns
    topic, docno, rank, score, run. Raises InputError, or FileNotFoundError for a missing file.
    """
    import pandas

    rows = [(each.topic, each.docno, each.rank, each.score, each.run) for each in ranked_of(path)]
    return pandas.DataFrame(rows, columns=["topic", "docno", "rank", "score", "run"])


def read_qrels(path: PathLike) -> pandas.DataFrame:
    """Read judgments in TREC's columns, in the form of a neighbouring tool, or in Parquet. Return a frame with the
    columns topic, docno, grade. Raises InputError, or FileNotFoundError for a missing file.
    """
    import pandas

    rows = [(each.topic, each.docno, each.grade) for each in qrels_of(path)]
    return pandas.DataFrame(rows, columns=["topic", "docno", "grade"])


def write_run(run: Any, path: PathLike) -> None:
    """Write one run in the form that the path's extension asks for, or in TREC's columns. Rows are sorted by topic and
    rank.

    .csv has a header, .jsonl (or .ndjson) one object a row, .parquet columns, and .tsv TREC's columns separated by
    tabs. The file is gzipped if the path ends with .gz. A run without a name gets the file's name without such endings,
    with "_" for white space. Raises InputError if another extension, such as .xlsx, asks for a form that is not written
    here, and if the file could not be read back: if there are several runs or no documents, if a topic has a document
    twice, or if a topic, docno or name is not one word. Raises TypeError if the second argument is no path.
    """
    require_path(path)
    name = "_".join(stem(os.fspath(path)).split()) or "run"
    ranked = [each if each.run else replace(each, run=name) for each in by_rank(ranked_of(run))]
    ranked.sort(key=lambda each: (topic_order(each.topic), each.rank))
    require_readable(path, ranked)
    rows = [(each.topic, each.docno, each.rank, each.score, each.run) for each in ranked]
    write_rows(path, ["topic", "docno", "rank", "score", "run"], rows, write_trec_run(ranked))


def write_qrels(qrels: Any, path: PathLike) -> None:
    """Write judgments in the form that the path's extension asks for, as `write_run` does, or in TREC's columns. Rows
    are sorted by topic and docno.

    Judgments of subtopics, in which a topic may have several rows for one document, can be written only in TREC's
    columns. Raises InputError and TypeError as `write_run` does.
    """
    require_path(path)
    judged = sorted(qrels_of(qrels), key=lambda each: (topic_order(each.topic), each.docno, each.iteration))
    require_readable(path, judged)
    rows = [(each.topic, each.docno, each.grade) for each in judged]
    write_rows(path, ["topic", "docno", "grade"], rows, qrels_lines(judged))


def require_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise ValueError if the value is not one of the choices, which the error names. Case matters, as on the command
    line.
    """
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, not {value!r}.")


def require_flag(name: str, value: object) -> None:
    """Raise ValueError if the value is not True or False. A text such as "no" would otherwise count as true."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be True or False, not {value!r}.")


def require_whole(name: str, value: object, *, least: int = 0, most: float = math.inf) -> None:
    """Raise ValueError if the value is not a whole number from ``least`` to ``most``."""
    if isinstance(value, bool) or not isinstance(value, Integral) or not least <= int(value) <= most:
        is_large = isinstance(value, Integral) and int(value) > most
        bounds = f"at most {most}" if is_large else f"{least} or more"
        raise ValueError(f"{name} must be a whole number, {bounds}, not {value!r}.")


def require_number(name: str, value: object) -> None:
    """Raise ValueError if the value is not a finite number."""
    if isinstance(value, bool) or not is_number(value) or not is_finite(value):
        raise ValueError(f"{name} must be a number, not {value!r}.")
