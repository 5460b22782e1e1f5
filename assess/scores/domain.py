"""The scores of a campaign's runs, computed from the records that the exports write and the files that were kept."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from assess.base.errors import NotFound, Refused
from assess.base.process import Memory
from assess.base.track_settings import TrackSettings
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.exports.writing import collect_records, find_export
from assess.items.models import Pool
from assess.items.queries import current_pools
from assess.jobs.progress import JobProgress, ReportProgress, no_report, report_progress
from assess.judging.snapshots import Snapshot
from assess.protocol import CheckContext, Explain, MeasureColumn, TopicRecord
from assess.runs.domain.checking import _context, run_content
from assess.runs.models import Run
from assess.runs.queries import accepted_runs, had_part
from scoring.explained import Explanation
from scoring.records import Issue, Score
from scoring.tables import ScoreTables

logger = logging.getLogger(__name__)


KEPT, KEPT_GOLD = 8, 2
"""Campaign states whose scores each process remembers, and whose gold, which is as large as all grades together."""


@dataclass(frozen=True, kw_only=True)
class CampaignScores:
    """All values of all scored runs at a ledger point, with the problems found in the judgments.

    ``runs`` are the accepted ones by tag, then those that judgments alone score. ``scores`` are by run in that order;
    of each run topics first, then series, then "all".
    """

    as_of: int
    measures: tuple[MeasureColumn, ...]
    runs: tuple[str, ...]
    scores: tuple[Score, ...]
    issues: tuple[Issue, ...]

    @property
    def problems(self) -> tuple[Issue, ...]:
        """What is wrong with the judgments."""
        return tuple(issue for issue in self.issues if issue.severity != "note")

    @property
    def notes(self) -> tuple[Issue, ...]:
        """What is to be known about the scores and is no fault of judgments."""
        return tuple(issue for issue in self.issues if issue.severity == "note")

    @cached_property
    def tables(self) -> ScoreTables:
        """Their tables, made once and kept with them: the runs and the track's measures in their order."""
        return ScoreTables(self.scores, runs=self.runs, measures=[each.key for each in self.measures])


@dataclass(frozen=True, kw_only=True, slots=True)
class _State:
    """A campaign at a ledger point, with all that its gold and its scores depend on."""

    snapshot: Snapshot
    point: int
    runs: tuple[Run, ...]
    pools: tuple[Pool, ...]
    context: CheckContext

    def key(self) -> Hashable:
        """By which this state is told from every other."""
        return (
            self.snapshot.campaign.pk,
            self.snapshot.campaign.created_at,
            self.snapshot.as_of,
            tuple(pool.pk for pool in self.pools),
            tuple((run.pk, run.tag, run.file) for run in self.runs),
            tuple(sorted((name, str(value)) for name, value in self.context.settings.as_mapping().items())),
            _digest(self.context.topics),
            self.context.dropped,
            self.snapshot.counting,
        )


_scores: Memory[CampaignScores] = Memory(KEPT)


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
    whose scoring fails has no values, and an issue says so. The process remembers scores until a ledger row, a run, a
    topic or a setting changes. ``progress`` hears of each run, and may stop it by raising. Refused: a point not reached
    yet.
    """
    return _scored(_state(snapshot, settings), progress)


def explain_score(
    snapshot: Snapshot, run: str, topic: str, measure: str, settings: TrackSettings | None = None
) -> Explanation:
    """The rows behind one value of one run that is scored; `NotFound` where there is no such value."""
    return explain_run(snapshot, run, settings)(topic, measure)


def explain_run(
    snapshot: Snapshot, run: str, settings: TrackSettings | None = None
) -> Callable[[str, str], Explanation]:
    """What explains any value of a run, by topic and measure, as `explain_score` does: the run is read once for all."""
    campaign, state = snapshot.campaign, _state(snapshot, settings)
    explain: Explain | None = None
    if run in _scored(state).runs:
        found = next((each for each in state.runs if each.tag == run), None)
        content = run_content(campaign, found, state.context) if found is not None else None
        gold, _ = _gold(state)
        explain = track_of(campaign).scoring.explain(gold, run, content, state.context.settings)

    def explained(topic: str, measure: str) -> Explanation:
        found = explain(topic, measure) if explain is not None else None
        if found is None:
            raise NotFound("There is no such value. Go back to the table of scores.")
        return found

    return explained


def _state(snapshot: Snapshot, settings: TrackSettings | None) -> _State:
    point = snapshot.reached()
    return _State(
        snapshot=replace(snapshot, as_of=point),
        point=point,
        runs=tuple(accepted_runs(snapshot.campaign)),
        pools=tuple(current_pools(snapshot.campaign)),
        context=_context(snapshot.campaign, settings),
    )


def _scored(state: _State, progress: ReportProgress = no_report) -> CampaignScores:
    """The scores, from memory where nothing changed."""
    return _scores.get(state.key(), lambda: _compute(state, progress))


def _gold(state: _State, progress: ReportProgress = no_report) -> tuple[Any, tuple[Issue, ...]]:
    """What runs are compared with, as the track builds it, and the problems found in it; from memory if it is there."""
    return _golds.get(state.key(), lambda: _build(state, progress))


def _digest(topics: Iterable[TopicRecord]) -> bytes:
    digest = hashlib.sha256()
    for topic in topics:
        values = (topic.number, topic.task, topic.text, topic.parent, topic.ordinal, dict(topic.fields))
        digest.update(json.dumps(values, sort_keys=True).encode())
    return digest.digest()


def _build(state: _State, progress: ReportProgress) -> tuple[Any, tuple[Issue, ...]]:
    scoring = track_of(state.snapshot.campaign).scoring
    records = {}
    for name in scoring.gold_files:
        export = find_export(state.snapshot.campaign, name)
        if export is not None:
            found = collect_records(state.snapshot, export)
            records[name] = report_progress(found, progress, unit="records", note=f"reading {name}")
    issues: list[Issue] = []
    return scoring.build(records, state.context.settings, issues.append), tuple(issues)


def _compute(state: _State, progress: ReportProgress) -> CampaignScores:
    scoring = track_of(state.snapshot.campaign).scoring
    gold, problems = _gold(state, progress)
    issues = [*_not_pooled(state.snapshot.campaign, state.runs, state.pools), *problems]
    stored = {run.tag: run for run in state.runs}
    further = sorted(set(scoring.runs(gold)) - set(stored)) if scoring.runs is not None else []
    scores: list[Score] = []
    for done, tag in enumerate((*stored, *further)):
        progress(JobProgress(done=done, total=len(stored) + len(further), unit="runs", note=f"scoring {tag}"))
        try:
            content = run_content(state.snapshot.campaign, stored[tag], state.context) if tag in stored else None
            scores.extend(list(scoring.score(gold, tag, content, state.context.settings)))
        except Exception as error:
            logger.exception("scoring run %s of campaign %s failed", tag, state.snapshot.campaign.slug)
            issues.append(_failed(tag, error))
    return CampaignScores(
        as_of=state.point,
        measures=scoring.measures,
        runs=(*stored, *further),
        scores=tuple(scores),
        issues=tuple(issues),
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
            yield Issue(where="", code="not-pooled", message=message, severity="warning")
