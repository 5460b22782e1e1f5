"""Compute the scores of a campaign's runs from the records that the exports write and from the stored files."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from math import inf
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as noop

from assess.base.errors import NotFound, Refused
from assess.base.process import Memory
from assess.base.track_settings import TrackSettings
from assess.campaigns.models import Campaign
from assess.campaigns.queries import row_at, track_of
from assess.exports.writing import collect_records, find_export
from assess.items.models import Pool
from assess.jobs.progress import JobProgress, ReportProgress, no_report, report_progress
from assess.jobs.workers import holding
from assess.judging.snapshots import Snapshot
from assess.protocol import ByTopic, Explain, RunContent
from assess.runs.domain.checking import run_content
from assess.runs.models import Run
from assess.runs.queries import contributed_to_pool
from assess.scores.by_topic import Value, exact_of, run_groups, scored_again, topics_kept, values_of
from assess.scores.kept import KeptScores, keep_scores
from assess.scores.states import (
    NOT_POOLED,
    CampaignScores,
    ScoringState,
    as_scores,
    by_topic_of,
    changed_topics,
    kept_scores,
    scoring_state,
)
from scoring.records import Issue, Score
from scoring.release.explained import Explanation, Nodes, explanation_of, scores_of
from scoring.release.score_columns import columns_of
from scoring.uncollected import uncollected

logger = logging.getLogger(__name__)

KEPT_GOLD = 2
"""How many campaign states' gold each process caches; one is as large as all grades together."""

_golds: Memory[tuple[Any, tuple[Issue, ...]]] = Memory(KEPT_GOLD)


def forget_gold() -> None:
    """Drop the cached gold, which is as large as all grades together. The scores stay."""
    _golds.clear()


def score_campaign(
    snapshot: Snapshot,
    settings: TrackSettings | None = None,
    progress: ReportProgress = no_report,
) -> CampaignScores:
    """Return the scores of all accepted runs in a snapshot, by the track's own scoring.

    They are computed from the records that the exports write, so the exported files give the same numbers. Runs that
    exist in judgments alone follow the others. ``settings`` may replace the campaign's own, for exploration. A run
    whose scoring fails has no values, and an issue says so.

    The scores are stored in a file until a judgment, a run, a topic or a setting changes. A caller waits for another
    that is computing the same scores. ``progress`` is called for each run, and may stop the computation by raising.
    Pages and calls, which should not wait, use `assess.scores.at_hand`. A point that was not reached yet is refused.
    """
    return scores_of_state(scoring_state(snapshot, settings), progress)


def scores_of_state(state: ScoringState, progress: ReportProgress = no_report) -> CampaignScores:
    """Return the scores of a state: the stored ones, or else those computed and stored now, as by `score_campaign`.

    If another caller is computing them, wait for it, however long that takes.
    """
    found = kept_scores(state)
    if found is None:
        with holding(f"scores-{state.campaign.pk}-{state.key()}", patience=inf):
            found = kept_scores(state) or _computed(state, progress)
    return found


ScoreCampaign = Callable[[Snapshot, TrackSettings | None], CampaignScores]
"""A function that returns the scores of a snapshot under settings (None: the campaign's own), like `score_campaign`."""


def explain_score(
    snapshot: Snapshot,
    run: str,
    topic: str,
    measure: str,
    settings: TrackSettings | None = None,
    score: ScoreCampaign = score_campaign,
) -> Explanation:
    """Return the rows from which one value of a scored run was computed. Raise `NotFound` if there is no such value."""
    return explain_run(snapshot, run, settings, score)(topic, measure)


def explain_run(
    snapshot: Snapshot,
    run: str,
    settings: TrackSettings | None = None,
    score: ScoreCampaign = score_campaign,
    state: ScoringState | None = None,
) -> Callable[[str, str], Explanation]:
    """Return a function that explains any value of a run, by topic and measure. The run is read once for all values.

    The function raises `NotFound` if there is no such value. ``state`` is the campaign in that snapshot and under these
    settings, if the caller has it already.
    """
    state = state or scoring_state(snapshot, settings)
    explain: Explain | None = None
    found = next((each for each in state.runs if each.tag == run), None)
    by_topic = by_topic_of(state)
    if found is not None and by_topic is not None:
        explain = _explained_by_topic(by_topic, state, found, partial(score, snapshot, settings))
    elif found is not None or run in score(snapshot, settings).runs:
        content = _content(state, found) if found is not None else None
        gold, _ = _gold(state)
        explain = track_of(state.campaign).scoring.explain(gold, run, content, state.context.settings)

    def explained(topic: str, measure: str) -> Explanation:
        found = explain(topic, measure) if explain is not None else None
        if found is None:
            raise NotFound(gettext("There is no such value. Go back to the table of scores."))
        return found

    return explained


def _explained_by_topic(
    by_topic: ByTopic, state: ScoringState, run: Run, scores: Callable[[], CampaignScores]
) -> Explain:
    """Return a function that explains a topic's value by its judgments alone, and a value over topics by the topics'
    scores.
    """
    settings, judged = state.context.settings, answered_topics(state)

    golds: list[Any] = []

    def gold_of(*topics: str) -> Any:
        """Return the gold with the grades of the given topics.

        Without topics, any gold will do: one that was read before, or one without grades.
        """
        if topics or not golds:
            golds.append(_build(_only(state, frozenset(topics)), no_report)[0])
        return golds[-1]

    @cache
    def values(topic: str) -> Sequence[Nodes]:
        """Return the values of a topic; for "", those over topics."""
        if topic:
            return [by_topic.topics(gold_of(topic), _content(state, run, frozenset([topic])), settings, [topic])]
        if (found := scores()).exact:
            of_topics = topics_kept(found.columns, found.exact, judged, run.tag).get(run.tag, {})
            return by_topic.over(gold_of(), of_topics, settings)
        gold, _ = _gold(state)
        return run_groups(by_topic, state, gold, _content(state, run))

    def explain(topic: str, measure: str) -> Explanation | None:
        groups = values(topic if topic in judged else "")
        return explanation_of(groups, run=run.tag, topic=topic, measure=measure)

    return explain


def _content(state: ScoringState, run: Run, topics: frozenset[str] | None = None) -> RunContent:
    return run_content(state.campaign, run, state.context, topics)


def _gold(state: ScoringState, progress: ReportProgress = no_report) -> tuple[Any, tuple[Issue, ...]]:
    """Return what runs are compared with, as the track builds it, and the problems found in it; from the cache if
    possible.
    """
    key = (state.basis.key(), state.point)
    return _golds.get(key, lambda: _build(state, progress))


def _build(state: ScoringState, progress: ReportProgress) -> tuple[Any, tuple[Issue, ...]]:
    scoring = track_of(state.campaign).scoring
    records = {}
    for name in scoring.gold_files:
        export = find_export(state.campaign, name)
        if export is not None:
            found = collect_records(state.snapshot, export)
            records[name] = report_progress(found, progress, unit="records", note=noop("reading %(name)s"), name=name)
    issues: list[Issue] = []
    return scoring.build(records, state.context.settings, issues.append), tuple(issues)


def _computed(state: ScoringState, progress: ReportProgress) -> CampaignScores:
    """Compute the scores, and store them unless something that they depend on has changed meanwhile."""
    with uncollected():
        kept = _of_changed_topics(state) or _of_all_topics(state, progress)
    if state.basis.is_unchanged():
        keep_scores(state.campaign.pk, state.key(), kept)
    return as_scores(state, kept, state.point)


def _of_changed_topics(state: ScoringState) -> KeptScores | None:
    """Return the stored scores with changed topics scored again. Return None if that is not possible, or if the scoring
    fails, which is logged.
    """
    by_topic, (kept, topics) = by_topic_of(state), changed_topics(state)
    if by_topic is None or kept is None or not topics or not kept.exact:
        return None
    at, runs = timezone.now(), {run.tag: run for run in state.runs}
    gold, problems = _build(_only(state, topics), no_report)
    if problems:
        return None
    before = topics_kept(kept.columns, kept.exact, {topic.number for topic in state.context.topics})
    try:
        found = scored_again(by_topic, state, gold, topics, before, lambda tag: _content(state, runs[tag], topics))
    except Exception:
        logger.exception("scoring some topics of campaign %s failed", state.campaign.slug)
        return None
    scores, values = found or ([], [])
    places = kept.columns.places(scores, topics={each.topic for each in scores} | topics)
    new = exact_of(values)
    if not places or not new:
        return None
    columns = kept.columns.replaced(scores, places=places)
    exact = {name: column.copy() for name, column in kept.exact.items()}
    for name, column in exact.items():
        column[places] = new[name]
    row = row_at(state.campaign, state.point)
    return replace(kept, point=state.point, row=row, at=at, columns=columns, exact=exact)


def answered_topics(state: ScoringState) -> frozenset[str]:
    """Return the numbers of the topics that are answered themselves. The others only group topics."""
    return frozenset(topic.number for topic in state.context.topics if topic.task)


def _only(state: ScoringState, topics: frozenset[str]) -> ScoringState:
    """Return the state limited to the judgments of these topics."""
    return replace(state, basis=replace(state.basis, snapshot=replace(state.snapshot, topics=topics)))


def _of_all_topics(state: ScoringState, progress: ReportProgress) -> KeptScores:
    scoring, at = track_of(state.campaign).scoring, timezone.now()
    gold, problems = _gold(state, progress)
    issues = [*_not_pooled(state.campaign, state.runs, state.pools), *problems]
    stored = {run.tag: run for run in state.runs}
    further = sorted(set(scoring.runs(gold)) - set(stored)) if scoring.runs is not None else []
    scores: list[Score] = []
    values: list[Value] = []
    by_topic = by_topic_of(state)
    for done, tag in enumerate((*stored, *further)):
        progress(
            JobProgress(
                done=done,
                total=len(stored) + len(further),
                unit="runs",
                note=noop("scoring %(run)s"),
                values={"run": tag},
            )
        )
        try:
            own, exact = _of_run(state, gold, tag, stored.get(tag), issues)
            scores += own
            values += exact
        except Exception as error:
            logger.exception("scoring run %s of campaign %s failed", tag, state.campaign.slug)
            issues.append(_failed(tag, error))
    return KeptScores(
        point=state.point,
        row=row_at(state.campaign, state.point),
        at=at,
        runs=state.basis.run_keys(),
        pooled=state.basis.pooled,
        further=tuple(further),
        issues=tuple(issues),
        columns=columns_of(scores),
        exact=exact_of(values) if by_topic is not None else {},
    )


def _of_run(
    state: ScoringState, gold: Any, tag: str, run: Run | None, issues: list[Issue]
) -> tuple[list[Score], list[Value]]:
    """Return the scores of one run, and their exact values if scores are computed by topic. Warnings that the run's
    values may be meaningless (`Scoring.doubts`) are added to ``issues``.

    What was read of the run is released when this returns, since two runs take much memory.
    """
    scoring, settings, by_topic = track_of(state.campaign).scoring, state.context.settings, by_topic_of(state)
    content = _content(state, run) if run is not None else None
    if scoring.doubts is not None and content is not None:
        issues.extend(scoring.doubts(gold, content, tag))
    if by_topic is None:
        return list(scoring.score(gold, tag, content, settings)), []
    groups = run_groups(by_topic, state, gold, content)
    return list(scores_of(groups, run=tag)), list(values_of(groups))


def _failed(tag: str, error: Exception) -> Issue:
    """Return the issue for a run without values because its scoring failed."""
    reason = error.message if isinstance(error, Refused) else f"the track's scoring broke off ({type(error).__name__})"
    message = f"{tag} has no values: {reason.rstrip('.')}. Whoever runs the site finds more in its log."
    return Issue(where="", code="score-failed", message=message)


def _not_pooled(campaign: Campaign, runs: Sequence[Run], pools: Sequence[Pool]) -> Iterator[Issue]:
    """Yield an issue for each pool with runs that were not pooled, whose low values may only mean that nobody judged
    them.
    """
    for pool in pools:
        pooled = {(tag, file) for tag, file in pool.recipe.get("runs", [(run.tag, run.file) for run in runs])}
        kinds = {each.key for each in track_of(campaign).submissions if pool.task in each.tasks}
        tags = [
            run.tag for run in runs if run.submission in kinds and not contributed_to_pool(pooled, run.tag, run.file)
        ]
        task = track_of(campaign).task(pool.task)
        if tags and task is not None:
            message = (
                f"{task.label}: {', '.join(tags)} {'was' if len(tags) == 1 else 'were'} not pooled, so what no pooled "
                "run returned is unjudged there and earns nothing. Don't compare these values with pooled runs'."
            )
            yield Issue(where="", code=NOT_POOLED, message=message, severity="warning")
