"""The command `pool`: the documents to judge, chosen from ranked runs."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import TypeVar, cast

from scoring.commands.command_line import (
    BadInput,
    Problems,
    WrongCall,
    print_rows,
    read_file,
    refuse_empty,
    standard_input_once,
)
from scoring.commands.rank_and_compare import run_name
from scoring.formats.document_list import read_document_list
from scoring.formats.json_ranked import read_any_blocks, read_any_qrels
from scoring.formats.run_blocks import Block
from scoring.formats.run_rules import ScoreOrder
from scoring.formats.value_tables import read_run_values
from scoring.measures.ranked import grades_of
from scoring.none_judged import written_apart
from scoring.pooling import PoolEntry, PoolRun, Recipe, Stratum, pool_digest, pool_entries, recipe_json
from scoring.pooling.analysis import replayed
from scoring.pooling.ranks import TopDocnos
from scoring.records import Issue, RankedDoc

DEPTH = 100
"""The depth of the strategy "depth" if none is given."""

Number = TypeVar("Number", int, float)


def run_pool(options: argparse.Namespace, problems: Problems) -> int:
    """Print the documents of the pool, or its recipe and digest. A document is printed as topic and docno, followed by
    stratum and probability if there are strata. Raises WrongCall or BadInput.
    """
    recipe = _recipe(options)
    standard_input_once([*options.run, *options.union, *options.minus, options.priorities, options.replay])
    if options.replay:
        return _run_replay(options, recipe, problems)
    runs, union, judged = _everything(options, recipe, problems)
    entries = pool_entries(recipe, runs, union=union, judged=judged)
    if options.digest:
        pool = list(entries)
        rows: list[tuple[str, str | int]] = [
            ("recipe", recipe_json(recipe)), ("documents", len(pool)), ("sha256", pool_digest(recipe, pool)),
        ]  # fmt: skip
        print_rows(options.format, ("name", "value"), rows)
    elif recipe.strategy == "stratified":
        header = ("topic", "docno", "stratum", "probability")
        print_rows(options.format, header, ((e.topic, e.docno, e.stratum, e.probability) for e in entries))
    else:
        print_rows(options.format, ("topic", "docno"), _pairs(entries))
    return 0


def _run_replay(options: argparse.Namespace, recipe: Recipe, problems: Problems) -> int:
    """Replay the pool on the judged topics. For each topic and for all together, print the size of the pool at each
    budget, how many of its documents are relevant, its recall, and how many are not judged. Raises WrongCall or
    BadInput.
    """
    if options.union or options.minus or options.digest:
        raise WrongCall("--replay takes no --union, --minus or --digest: it plays the strategy on the runs alone")
    runs, _, _ = _everything(options, recipe, problems)
    grades = grades_of(read_file(options.replay, read_any_qrels, problems))
    if not grades:
        refuse_empty(options.replay, "judgment", problems)
    if grades.keys().isdisjoint(topic for run in runs for topic in run.rankings):
        message = "No topic of it is in any run. Check that the files belong together."
        problems.add(options.replay, Issue(where="", code="no-common-topic", message=message))
        raise BadInput(options.replay)
    judged = (options.replay, {topic: list(of_topic) for topic, of_topic in grades.items()})
    for _, issue in written_apart([judged, *((run.tag, run.rankings) for run in runs)]):
        problems.add(options.replay, issue)
    found = list(replayed(recipe, runs, grades, budgets=options.budget or [], relevant_from=options.binary))
    rows = [(each.topic, each.budget or "none", each.documents, each.relevant, each.recall, each.unjudged)
            for each in found]  # fmt: skip
    for budget in dict.fromkeys(each.budget for each in found):
        own = [each for each in found if each.budget == budget]
        recalls = [each.recall for each in own if each.recall is not None]
        sums = [sum(values) for values in zip(*((e.documents, e.relevant, e.unjudged) for e in own), strict=True)]
        rows.append(("all", budget or "none", sums[0], sums[1], fmean(recalls) if recalls else None, sums[2]))
    print_rows(options.format, ("topic", "budget", "documents", "relevant", "recall", "unjudged"), rows)
    return 0


def _pairs(entries: Iterator[PoolEntry]) -> Iterator[Sequence[str]]:
    return ((entry.topic, entry.docno) for entry in entries)


def _recipe(options: argparse.Namespace) -> Recipe:
    depth = DEPTH if options.depth is None and options.strategy == "depth" else options.depth
    depths = _numbered(options.depths, int, "--depths", "priority:depth, as in 1:100,2:50")
    rates = _numbered(options.strata, float, "--strata", "bound:rate, as in 10:1,50:0.2")
    if options.strategy == "priority" and not options.priorities:
        raise WrongCall("--strategy priority needs --priorities F: lines of run tag and priority")
    if options.budget and len(options.budget) > 1 and not options.replay:
        raise WrongCall("a pool has one --budget; several are for --replay QRELS")
    budget = max(options.budget) if options.budget else None
    try:
        return Recipe(
            strategy=options.strategy, depth=depth, budget=budget, seed=options.seed, k=options.k, p=options.p,
            combine=options.combine, strata_by=options.strata_by,
            depths=depths,
            strata=tuple(Stratum(bound=number, rate=value) for number, value in rates),
        )  # fmt: skip
    except ValueError as error:
        raise WrongCall(str(error)) from error


def _numbered(text: str, read: Callable[[str], Number], option: str, form: str) -> tuple[tuple[int, Number], ...]:
    """Return the (number, value) pairs in a text such as "1:0.5,3:0.1". If a number has no value, its value is 1.
    Raises WrongCall.
    """
    pairs = []
    for piece in text.split(",") if text else ():
        number, colon, value = piece.partition(":")
        try:
            pairs.append((int(number), read(value if colon else "1")))
        except ValueError:
            raise WrongCall(f"{option}: “{piece}” is not {form}") from None
    return tuple(pairs)


def _everything(
    options: argparse.Namespace, recipe: Recipe, problems: Problems
) -> tuple[list[PoolRun], list[tuple[str, str]], dict[tuple[str, str], bool]]:
    """Read the runs, the documents to add, and the judgments. Every file is read before BadInput is raised. Raises
    WrongCall for options that do not go with the files.
    """
    bad: list[str] = []
    found: dict[str, Mapping[str, Sequence[str]]] = {}

    def added(path: str, what: str, read: Iterator[tuple[str, str, bool]]) -> list[tuple[str, str, bool]]:
        try:
            lines = list(read)
        except BadInput:
            bad.append(path)
            return []
        of_topics: dict[str, list[str]] = {}
        found[path] = of_topics
        for topic, docno, _ in lines:
            of_topics.setdefault(topic, []).append(docno)
        if not lines:
            message = f"There is no {what} in the file. Check that the right file was chosen."
            problems.add(path, Issue(where="", code="empty-file", message=message, severity="warning"))
        return lines

    priorities = _priorities(options.priorities, problems) if options.priorities else {}
    runs: dict[str, PoolRun] = {}
    ranked: dict[str, Mapping[str, Sequence[str]]] = {}
    shared: dict[str, str] = {}
    for path in options.run:
        try:
            run = _run(path, recipe, priorities, shared, problems)
        except BadInput:
            bad.append(path)
            continue
        if run.tag in runs:
            raise WrongCall(f"two runs are called {run.tag}: rename the one in {path}")
        runs[run.tag], ranked[path] = run, run.rankings
    judged = [
        each
        for path in options.minus
        for each in added(
            path,
            "judgment",
            (
                (e.topic, e.docno, e.grade >= options.binary)
                for e in read_file(path, read_any_qrels, problems)
                if e.grade >= 0
            ),
        )
    ]
    listed = [
        (topic, docno)
        for path in options.union
        for topic, docno, _ in added(
            path, "document", ((e.topic, e.docno, True) for e in read_file(path, read_document_list, problems))
        )
    ]
    if bad:
        raise BadInput(", ".join(bad))
    for path, issue in written_apart([*found.items(), *ranked.items()]):
        problems.add(path, issue)
    return list(runs.values()), listed, {(topic, docno): relevant for topic, docno, relevant in judged}


def _run(path: str, recipe: Recipe, priorities: dict[str, int], shared: dict[str, str], problems: Problems) -> PoolRun:
    """Return the first documents of a run, down to the depth that the recipe needs. A docno that occurs in several runs
    is stored as one object. Raises BadInput.
    """
    top, order = TopDocnos(recipe.deepest), ScoreOrder()
    tag = None
    lines: Iterator[Block | RankedDoc] = read_file(path, read_any_blocks, problems)
    for number, each in enumerate(lines, 1):
        if isinstance(each, Block):
            tag = each.tag
            top.add(each.topic, each.docnos, cast(Sequence[float], each.scores))
            order.look_at_block(each)
        else:
            tag = each.run
            top.add(each.topic, (each.docno,), (each.score,))
            order.look(number, each)
    rankings = {
        topic: tuple(shared.setdefault(docno, docno) for docno in docnos) for topic, docnos in top.rankings().items()
    }
    if tag is None:
        refuse_empty(path, "ranked document", problems)
    for issue in order.issues():
        problems.add(path, replace(issue, where=""))
    tag = run_name(tag, path)
    return PoolRun(tag=tag, rankings=rankings, priority=priorities.get(tag))


def _priorities(path: str, problems: Problems) -> dict[str, int]:
    found: dict[str, int] = {}
    for tag, value in read_file(path, read_run_values, problems):
        if value != int(value):
            raise WrongCall(f"the priority of {tag} in {path} must be a whole number")
        found[tag] = int(value)
    return found
