"""Select the documents of a pool by a strategy, topic by topic, from the gathered rankings."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext_noop as noop

from assess.base.errors import Invalid
from assess.base.files import keep_always
from assess.base.sentences import Sentence
from assess.campaigns.models import Campaign
from assess.campaigns.queries import settings_of, track_of
from assess.documents.domain.adding_items import ItemKey, require_fitting
from assess.jobs.progress import JobProgress, no_report
from assess.judging.snapshots import Snapshot
from assess.pools.domain.rankings_file import StoredRankings, gather_rankings
from assess.pools.domain.strategy import DEEPEST, Selection
from assess.pools.queries import judged_documents, relevant_level
from assess.protocol import ItemRecord, PoolRecipe, Ranking, Task
from assess.runs.models import Run
from assess.runs.queries import accepted_runs
from assess.scores.domain import score_campaign
from assess.topics.models import ListedDocument
from assess.topics.queries import all_topics
from scoring.pooling import PoolEntry, PoolRun, pool_entries

LISTED = "listed"
"""The stratum of documents that a list added, and not the strategy."""

Grades = Mapping[str, Mapping[str, int]]


@dataclass(kw_only=True, slots=True)
class Selected:
    """What a strategy selected. ``entries`` are by item, and so are ``places`` if the strategy gives an order.

    ``brought`` counts, by run tag, the documents of its ranking and those of no other ranking. ``recipe`` is the
    selection as the pool's recipe stores it, and ``left_out`` are judged items that must not be in the pool.
    """

    records: dict[ItemKey, ItemRecord] = field(default_factory=dict)
    entries: dict[ItemKey, PoolEntry] = field(default_factory=dict)
    places: dict[ItemKey, int] = field(default_factory=dict)
    brought: dict[str, tuple[int, int]] = field(default_factory=dict)
    left_out: frozenset[ItemKey] = frozenset()
    recipe: dict[str, Any] = field(default_factory=dict)


def select(
    campaign: Campaign,
    task: Task,
    kind: str,
    selection: Selection,
    runs: Sequence[Run],
    numbers: Sequence[str],
    *,
    progress: Callable[[JobProgress], None] = no_report,
) -> Selected:
    """Return the documents that the strategy selects for these topics. The runs' files are read once and then cached.

    With move-to-front and max-mean, these are the judged documents of a topic and then its first batch. Refused: a
    listed topic that is neither among these nor dropped, and a run without a priority if the strategy needs one.
    """
    depth = max(selection.recipe.deepest or DEEPEST, DEEPEST)
    rankings = gather_rankings(campaign, kind, runs, depth, progress=progress)
    grades = judged_documents(Snapshot(campaign), task, kind) if selection.minus_judged or selection.is_live else {}
    union = _union(campaign, selection, numbers)
    found = Selected(recipe=_described(campaign, selection, union, grades, rankings))
    if selection.minus_judged:
        found.left_out = frozenset((topic, kind, key) for topic, judged in grades.items() for key in judged)
    level = relevant_level(campaign, selection.relevant_from)
    priorities = {run.tag: run.priority for run in runs}
    is_document = ranking_of(campaign, task, kind).is_document
    totals: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    wanted = set(numbers)
    topics = [each for each in dict.fromkeys([*rankings.topics, *union]) if each in wanted]
    for done, (number, by_run) in enumerate(rankings.each(topics=topics)):
        progress(JobProgress(done=done, total=len(topics), unit="topics", note=noop("selecting")))
        entries = list(_of_topic(selection, number, by_run, priorities, union.get(number, ()), grades, level))
        _count(entries, by_run, totals, alone)
        for place, entry in enumerate(entries, 1):
            name = (number, kind, entry.docno)
            found.records[name] = document_record(number, kind, entry.docno, is_document=is_document)
            found.entries[name] = entry
            if selection.is_live:
                found.places[name] = place
    if not selection.is_live:
        found.brought = {tag: (totals[tag], alone[tag]) for tag in sorted(totals)}
    return found


def document_record(number: str, kind: str, docno: str, *, is_document: bool) -> ItemRecord:
    """Return the item of a ranked document or, if ``is_document`` is false, of a ranked key.

    Refuses one that is too long to be stored.
    """
    text, document = ("", docno) if is_document else (docno, "")
    record = ItemRecord(topic=number, kind=kind, key=docno, text=text, docno=document)
    require_fitting(record)
    return record


def ranking_of(campaign: Campaign, task: Task, kind: str) -> Ranking:
    """Return how run files of the task rank this kind, which at least one kind of run file must do."""
    rankings = (each.ranking(kind) for each in track_of(campaign).submissions if task.key in each.tasks)
    return next(ranking for ranking in rankings if ranking is not None)


def _of_topic(
    selection: Selection,
    number: str,
    by_run: Mapping[str, Sequence[str]],
    priorities: Mapping[str, int | None],
    listed: Sequence[str],
    grades: Grades,
    level: int,
) -> Iterator[PoolEntry]:
    """Yield one topic's entries in the pool's order.

    For a pool that grows, these are the judged documents, the first batch, and the listed ones.
    """
    recipe = selection.recipe
    known = {(number, docno): grade >= level for docno, grade in grades.get(number, {}).items()}
    runs = [PoolRun(tag=tag, rankings={number: docs}, priority=priorities.get(tag)) for tag, docs in by_run.items()]
    if not selection.is_live:
        union = [(number, docno) for docno in listed]
        yield from pool_entries(recipe, runs, union=union, judged=known if selection.minus_judged else None)
        return
    seen = {docno for _, docno in known}
    if not selection.minus_judged:
        yield from (PoolEntry(topic=number, docno=docno) for docno in sorted(seen))
    room = (recipe.budget or 0) - (0 if selection.minus_judged else len(seen))
    if room > 0:
        first = replace(recipe, budget=min(selection.batch, room))
        for entry in pool_entries(first, runs, judged=known):
            seen.add(entry.docno)
            yield entry
    yield from (PoolEntry(topic=number, docno=docno, stratum=LISTED) for docno in listed if docno not in seen)


def _union(campaign: Campaign, selection: Selection, numbers: Sequence[str]) -> dict[str, list[str]]:
    """Return the documents that lists add, by topic, each once and sorted by docno.

    Of a topic without a stored list, its parent's counts. What a given list names for a dropped topic is left out;
    `Invalid` is raised for any other topic that is not among ``numbers``.
    """
    found: dict[str, set[str]] = {}
    if selection.lists:
        listed = ListedDocument.objects.filter(topic__campaign=campaign, rank__lte=selection.lists)
        own: dict[str, set[str]] = {}
        for number, docno in listed.order_by().values_list("topic__number", "docno"):
            own.setdefault(number, set()).add(docno)
        parents = dict(campaign.topics.filter(number__in=numbers).values_list("number", "parent__number"))
        for number in numbers:
            if docnos := own.get(number) or own.get(parents.get(number) or "", set()):
                found[number] = set(docnos)
    wanted = set(numbers)
    others = {number for number, _ in selection.listed} - wanted
    dropped = set(all_topics(campaign).filter(dropped=True, number__in=others).values_list("number", flat=True))
    for number, docno in selection.listed:
        if number in dropped:
            continue
        if number not in wanted:
            raise Invalid(
                Sentence(
                    "The list names topic %(topic)s, which is not among those pooled. Correct the list.",
                    topic=number[:40],
                )
            )
        found.setdefault(number, set()).add(docno)
    return {number: sorted(docnos) for number, docnos in sorted(found.items())}


def _described(
    campaign: Campaign,
    selection: Selection,
    union: Mapping[str, Sequence[str]],
    grades: Grades,
    rankings: StoredRankings,
) -> dict[str, Any]:
    found = selection.described()
    if union:
        pairs = [(number, docno) for number, docnos in union.items() for docno in docnos]
        found["union"] = {"documents": len(pairs), "sha256": _sha256(pairs)}
        if selection.list_name:
            found["union"]["file"] = selection.list_name
    if selection.minus_judged:
        judged = sorted((number, docno) for number, each in grades.items() for docno in each)
        found["minus_judged"] = {"documents": len(judged), "sha256": _sha256(judged)}
    if selection.is_live:
        found["relevant_from"] = relevant_level(campaign, selection.relevant_from)
        found["rankings"] = rankings.sha256
        keep_always(rankings.sha256)  # the pool draws on from them
    return found


def _sha256(pairs: Sequence[tuple[str, str]]) -> str:
    return hashlib.sha256("".join(f"{number}\0{docno}\n" for number, docno in pairs).encode()).hexdigest()


def _count(
    entries: Sequence[PoolEntry], by_run: Mapping[str, Sequence[str]], totals: Counter[str], alone: Counter[str]
) -> None:
    """Count, for each run, the entries that it ranks and the entries that no other run ranks."""
    chosen = {entry.docno for entry in entries}
    held = {tag: chosen.intersection(docnos) for tag, docnos in by_run.items()}
    owners = Counter(docno for docnos in held.values() for docno in docnos)
    for tag, docnos in held.items():
        if docnos:
            totals[tag] += len(docnos)
            alone[tag] += sum(owners[docno] == 1 for docno in docnos)


# Pools of the best runs by a measure: the runs, and the scores that selected them, which the pool's recipe stores.


@dataclass(frozen=True, kw_only=True, slots=True)
class BestRuns:
    """The ``count`` best runs by a measure, together with any that tie with the last of them.

    ``scores`` are (tag, value) of every accepted run, by tag. A run without a value has None, and is never among the
    best.
    """

    measure: str
    count: int
    scores: tuple[tuple[str, float | None], ...]

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of the pooled runs, best first; ties are in the order of tags."""
        ranked = sorted((-value, tag) for tag, value in self.scores if value is not None)
        least = ranked[: self.count][-1][0] if ranked else 0.0
        return tuple(tag for value, tag in ranked if value <= least)

    def described(self) -> dict[str, Any]:
        """Return the best runs as the pool's recipe stores them."""
        return {"measure": self.measure, "runs": self.count, "scores": dict(self.scores)}


def _answering(campaign: Campaign, recipe: PoolRecipe) -> list[str]:
    """Return the kinds of run files that answer the task of a recipe."""
    track = track_of(campaign)
    tasks = {task.key for task in track.tasks if recipe in task.pooling}
    return [each.key for each in track.submissions if tasks.intersection(each.tasks)]


def best_runs(campaign: Campaign, recipe: PoolRecipe) -> BestRuns | None:
    """Return the runs that a recipe selects by their current scores.

    None if the recipe uses priorities, or if no run answers the task. It computes the scores of all runs, which are
    then stored. Refused: a measure that does not rank runs in this track, or for which no run has a value.
    """
    settings = settings_of(campaign)
    count = int(getattr(settings, recipe.best_setting)) if recipe.best_setting else 0
    if count < 1:
        return None
    measure = str(getattr(settings, recipe.measure_setting))
    known = [column.key for column in track_of(campaign).scoring.measures if column.ranks]
    if measure not in known:
        raise Invalid(
            Sentence(
                "The setting %(setting)s is “%(measure)s”, which ranks no runs here. Use one of: %(known)s.",
                setting=recipe.measure_setting,
                measure=measure[:40],
                known=known,
            )
        )
    values = score_campaign(Snapshot(campaign)).tables.of_topic().defined(measure)
    tags = sorted(accepted_runs(campaign).values_list("tag", flat=True))
    scores = tuple((tag, values.get(tag)) for tag in tags)
    if not accepted_runs(campaign).filter(submission__in=_answering(campaign, recipe)).exists():
        return None
    if all(value is None for _, value in scores):
        raise Invalid(
            Sentence(
                "No run has a value of %(measure)s yet, so none is the best by it. Load what runs are scored against, "
                "or set %(setting)s to 0, which pools runs by their priorities.",
                measure=measure,
                setting=recipe.best_setting,
            )
        )
    return BestRuns(measure=measure, count=count, scores=scores)
