"""The scores of a campaign's runs, computed from the records that the exports write and the files that were kept."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

from django.utils import timezone

from assess.base.errors import NotFound, Refused
from assess.base.process import Memory
from assess.base.track_settings import TrackSettings
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.exports.writing import collect_records, find_export
from assess.items.models import Pool
from assess.jobs.progress import JobProgress, ReportProgress, no_report, report_progress
from assess.jobs.workers import holding
from assess.judging.snapshots import Snapshot
from assess.protocol import Explain
from assess.runs.domain.checking import run_content
from assess.runs.models import Run
from assess.runs.queries import had_part
from assess.scores.changes import row_at
from assess.scores.kept import KeptScores, keep_scores
from assess.scores.states import (
    NOT_POOLED,
    CampaignScores,
    ScoringState,
    as_scores,
    changed_topics,
    kept_scores,
    scoring_state,
)
from scoring.explained import Explanation, explanation_of
from scoring.records import Issue, Score
from scoring.score_columns import columns_of
from scoring.tables import ALL

logger = logging.getLogger(__name__)

KEPT_GOLD = 2
"""Campaign states whose gold each process remembers, which is as large as all grades together."""

_golds: Memory[tuple[Any, tuple[Issue, ...]]] = Memory(KEPT_GOLD)


def forget_gold() -> None:
    """Let go of what runs were compared with, which is as large as all grades together, and keep their scores."""
    _golds.clear()


def score_campaign(
    snapshot: Snapshot,
    settings: TrackSettings | None = None,
    progress: ReportProgress = no_report,
) -> CampaignScores:
    """The scores of all accepted runs, by the track's own scoring, in a snapshot.

    They are computed from the records that the exports write, so the exported files give the same numbers. Runs that
    judgments alone can score come after them. ``settings`` are other ones than the campaign's, for exploring. A run
    whose scoring fails has no values, and an issue says so.

    They are kept in a file until a judgment, a run, a topic or a setting changes; whoever asks while another computes
    them waits for that one. ``progress`` hears of each run, and may stop it by raising. Pages and calls, which nobody
    should wait for, ask `assess.scores.at_hand`. Refused: a point not reached yet.
    """
    return scores_of_state(scoring_state(snapshot, settings), progress)


def scores_of_state(state: ScoringState, progress: ReportProgress = no_report) -> CampaignScores:
    """The same of a state that was looked up before."""
    found = kept_scores(state)
    if found is None:
        with holding(f"scores-{state.campaign.pk}-{state.key()}", patience=inf):
            found = kept_scores(state) or _computed(state, progress)
    return found


ScoreCampaign = Callable[[Snapshot, TrackSettings | None], CampaignScores]
"""What gives the scores of a snapshot under settings (None: the campaign's own), as `score_campaign` does."""


def explain_score(
    snapshot: Snapshot,
    run: str,
    topic: str,
    measure: str,
    settings: TrackSettings | None = None,
    score: ScoreCampaign = score_campaign,
) -> Explanation:
    """The rows behind one value of one run that is scored; `NotFound` where there is no such value."""
    return explain_run(snapshot, run, settings, score)(topic, measure)


def explain_run(
    snapshot: Snapshot, run: str, settings: TrackSettings | None = None, score: ScoreCampaign = score_campaign
) -> Callable[[str, str], Explanation]:
    """What explains any value of a run, by topic and measure, as `explain_score` does: the run is read once for all."""
    state = scoring_state(snapshot, settings)
    explain: Explain | None = None
    found = next((each for each in state.runs if each.tag == run), None)
    if found is not None and track_of(state.campaign).scoring.topic_means is not None:
        explain = _explained_by_topic(state, found, partial(score, snapshot, settings))
    elif found is not None or run in score(snapshot, settings).runs:
        content = run_content(state.campaign, found, state.context) if found is not None else None
        gold, _ = _gold(state)
        explain = track_of(state.campaign).scoring.explain(gold, run, content, state.context.settings)

    def explained(topic: str, measure: str) -> Explanation:
        found = explain(topic, measure) if explain is not None else None
        if found is None:
            raise NotFound("There is no such value. Go back to the table of scores.")
        return found

    return explained


def _explained_by_topic(state: ScoringState, run: Run, scores: Callable[[], CampaignScores]) -> Explain:
    """What explains a value on a topic by the grades of that topic alone, and a mean by the scores."""
    scoring = track_of(state.campaign).scoring
    content = run_content(state.campaign, run, state.context)

    def explain(topic: str, measure: str) -> Explanation | None:
        if topic != ALL:
            gold, _ = _build(replace(state, snapshot=replace(state.snapshot, topics=frozenset([topic]))), no_report)
            return scoring.explain(gold, run.tag, content, state.context.settings)(topic, measure)
        found = [each for each in scores().columns.where(run=run.tag, measure=measure) if each.topic != ALL]
        values = {each.topic: each.value for each in found if each.value is not None}
        if not values or scoring.topic_means is None:
            return None
        nodes = {ALL: {measure: scoring.topic_means(measure, values)}}
        return explanation_of([nodes], run=run.tag, topic=ALL, measure=measure)

    return explain


def _gold(state: ScoringState, progress: ReportProgress = no_report) -> tuple[Any, tuple[Issue, ...]]:
    """What runs are compared with, as the track builds it, and the problems found in it; from memory if it is there."""
    key = (state.key(), state.point, state.run_keys())
    return _golds.get(key, lambda: _build(state, progress))


def _build(state: ScoringState, progress: ReportProgress) -> tuple[Any, tuple[Issue, ...]]:
    scoring = track_of(state.campaign).scoring
    records = {}
    for name in scoring.gold_files:
        export = find_export(state.campaign, name)
        if export is not None:
            found = collect_records(state.snapshot, export)
            records[name] = report_progress(found, progress, unit="records", note=f"reading {name}")
    issues: list[Issue] = []
    return scoring.build(records, state.context.settings, issues.append), tuple(issues)


def _computed(state: ScoringState, progress: ReportProgress) -> CampaignScores:
    """The scores, computed and kept."""
    kept = _of_changed_topics(state) or _of_all_topics(state, progress)
    keep_scores(state.campaign.pk, state.key(), kept)
    return as_scores(state, kept, state.point)


def _of_changed_topics(state: ScoringState) -> KeptScores | None:
    """What was kept with the topics scored again of which something was said since; None where that is not enough."""
    kept, topics = changed_topics(state)
    if kept is None or not topics:
        return None
    scoring, at = track_of(state.campaign).scoring, timezone.now()
    gold, problems = _build(replace(state, snapshot=replace(state.snapshot, topics=topics)), no_report)
    scores: list[Score] = []
    for run in state.runs if not problems else ():
        try:
            content = run_content(state.campaign, run, state.context)
            found = scoring.score(gold, run.tag, content, state.context.settings)
            scores += [each for each in found if each.topic in topics]
        except Exception:
            logger.exception("scoring some topics of run %s of campaign %s failed", run.tag, state.campaign.slug)
            return None
    columns = None if problems else kept.columns.replaced(scores, topics=topics)
    columns = None if columns is None else columns.averaged(ALL)
    if columns is None:
        return None
    return replace(kept, point=state.point, row=row_at(state.campaign, state.point), at=at, columns=columns)


def _of_all_topics(state: ScoringState, progress: ReportProgress) -> KeptScores:
    scoring, at = track_of(state.campaign).scoring, timezone.now()
    gold, problems = _gold(state, progress)
    issues = [*_not_pooled(state.campaign, state.runs, state.pools), *problems]
    stored = {run.tag: run for run in state.runs}
    further = sorted(set(scoring.runs(gold)) - set(stored)) if scoring.runs is not None else []
    scores: list[Score] = []
    for done, tag in enumerate((*stored, *further)):
        progress(JobProgress(done=done, total=len(stored) + len(further), unit="runs", note=f"scoring {tag}"))
        try:
            content = run_content(state.campaign, stored[tag], state.context) if tag in stored else None
            scores.extend(list(scoring.score(gold, tag, content, state.context.settings)))
        except Exception as error:
            logger.exception("scoring run %s of campaign %s failed", tag, state.campaign.slug)
            issues.append(_failed(tag, error))
    return KeptScores(
        point=state.point,
        row=row_at(state.campaign, state.point),
        at=at,
        runs=state.run_keys(),
        further=tuple(further),
        issues=tuple(issues),
        columns=columns_of(scores),
    )


def _failed(tag: str, error: Exception) -> Issue:
    """What is said of a run that has no values because scoring it broke off."""
    reason = error.message if isinstance(error, Refused) else f"the track's scoring broke off ({type(error).__name__})"
    message = f"{tag} has no values: {reason.rstrip('.')}. Whoever runs the site finds more in its log."
    return Issue(where="", code="score-failed", message=message)


def _not_pooled(campaign: Campaign, runs: Sequence[Run], pools: Sequence[Pool]) -> Iterator[Issue]:
    """The runs whose low values may only mean that nobody was asked to judge them."""
    for pool in pools:
        pooled = {(tag, file) for tag, file in pool.recipe.get("runs", [(run.tag, run.file) for run in runs])}
        kinds = {each.key for each in track_of(campaign).submissions if pool.task in each.tasks}
        tags = [run.tag for run in runs if run.submission in kinds and not had_part(pooled, run.tag, run.file)]
        task = track_of(campaign).task(pool.task)
        if tags and task is not None:
            message = (
                f"{task.label}: {', '.join(tags)} {'was' if len(tags) == 1 else 'were'} not pooled, so what no pooled "
                "run returned is unjudged there and earns nothing. Don't compare these values with pooled runs'."
            )
            yield Issue(where="", code=NOT_POOLED, message=message, severity="warning")
