"""The scores of a campaign's runs, computed from the records that the exports write and the files that were kept."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from assess.domain.errors import NotFound, Refused
from assess.domain.files import open_file
from assess.domain.jobs.progress import Progress, Tell, quiet, told
from assess.domain.recall import Memory
from assess.domain.releases.exports import reached_point
from assess.models import Campaign, Pool, Run
from assess.protocol import CheckContext, MeasureColumn, RunContent, TopicRecord
from assess.queries.analysis.counting import OFFICIAL_COUNTING, Counting, counting_as
from assess.queries.documents.texts import document_text
from assess.queries.exports.writing import collect_records, find_export
from assess.queries.pools.membership import current_pools
from assess.queries.pools.unpooled_runs import had_part
from assess.queries.runs.listing import accepted_runs
from assess.queries.topics.listing import topic_records
from assess.queries.tracks import settings_of, track_of
from assess.track_settings import TrackSettings
from scoring.records import Explanation, Issue, Score

logger = logging.getLogger(__name__)

KEPT = 8
"""Campaign states whose gold and scores each process remembers."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CampaignScores:
    """All values of all scored runs at a ledger point, with what was found amiss in the judgments.

    ``runs`` are the accepted ones by tag, then those that judgments alone score. ``scores`` are by run in that order;
    of each run topics first, then series, then "all".
    """

    as_of: int
    measures: tuple[MeasureColumn, ...]
    runs: tuple[str, ...]
    scores: tuple[Score, ...]
    issues: tuple[Issue, ...]

    @property
    def amiss(self) -> tuple[Issue, ...]:
        """What is wrong with the judgments."""
        return tuple(issue for issue in self.issues if issue.severity != "note")

    @property
    def notes(self) -> tuple[Issue, ...]:
        """What is to be known about the scores and is no fault of judgments."""
        return tuple(issue for issue in self.issues if issue.severity == "note")

    def table(self, topic: str = "all") -> dict[str, dict[str, Score]]:
        """Run -> measure -> score, for one topic, series or "all"."""
        found: dict[str, dict[str, Score]] = {run: {} for run in self.runs}
        for score in self.scores:
            if score.topic == topic:
                found[score.run][score.measure] = score
        return found


_remembered: Memory[tuple[Any, CampaignScores]] = Memory(KEPT)


def score_campaign(
    campaign: Campaign,
    as_of: int | None = None,
    settings: TrackSettings | None = None,
    counted: Counting = OFFICIAL_COUNTING,
    progress: Tell = quiet,
) -> CampaignScores:
    """The scores of all accepted runs, by the track's own scoring, at a ledger point (default: now).

    They are computed from the records that the exports write, so the exported files give the same numbers. Runs that
    judgments alone can score come after them. ``settings`` are other ones than the campaign's, for exploring, and
    ``counted`` is another set of judgments than what is official: as if that one counted. A run whose scoring fails
    has no values, and an issue says so. The process remembers scores until a ledger row, a run, a topic or a setting
    changes. ``progress`` hears of each run, and may stop it by raising. Refused: a point not reached yet.
    """
    return _scored(campaign, as_of, _context(campaign, settings), counted, progress)[1]


def explain_score(
    campaign: Campaign,
    run: str,
    topic: str,
    measure: str,
    as_of: int | None = None,
    settings: TrackSettings | None = None,
) -> Explanation:
    """The rows behind one value of one run that is scored; `NotFound` where there is no such value."""
    context = _context(campaign, settings)
    gold, scores = _scored(campaign, as_of, context)
    found = accepted_runs(campaign).filter(tag=run).first()
    explanation = None
    if run in scores.runs:
        content = run_content(campaign, found, context) if found is not None else None
        explanation = track_of(campaign).scoring.explain(gold, run, content, context.settings, topic, measure)
    if explanation is None:
        raise NotFound("There is no such value. Go back to the table of scores.")
    return explanation


def run_content(campaign: Campaign, run: Run, context: CheckContext | None = None) -> RunContent:
    """What a run returned, read from its file as it was submitted."""
    submission = track_of(campaign).submission(run.submission)
    if submission is None:
        raise NotFound(f"The track knows no kind of run “{run.submission}” any more.")
    return RunContent(submission=submission, open=partial(open_file, run.file), context=context or _context(campaign))


def _context(campaign: Campaign, settings: TrackSettings | None = None) -> CheckContext:
    return CheckContext(
        topics=topic_records(campaign),
        settings=settings or settings_of(campaign),
        document_text=document_text(campaign),
    )


def _scored(
    campaign: Campaign,
    as_of: int | None,
    context: CheckContext,
    counted: Counting = OFFICIAL_COUNTING,
    progress: Tell = quiet,
) -> tuple[Any, CampaignScores]:
    """Gold and scores, from memory where nothing changed."""
    point = reached_point(campaign, as_of)
    runs = list(accepted_runs(campaign))
    pools = list(current_pools(campaign))
    key = (
        campaign.pk,
        campaign.created_at,
        point,
        tuple(pool.pk for pool in pools),
        tuple((run.pk, run.tag, run.file) for run in runs),
        tuple(sorted((name, str(value)) for name, value in context.settings.as_mapping().items())),
        _digest(context.topics),
        counted,
    )

    def compute() -> tuple[Any, CampaignScores]:
        with counting_as(counted):
            return _compute(campaign, runs, pools, point, context, progress)

    return _remembered.get(key, compute)


def _digest(topics: Iterable[TopicRecord]) -> bytes:
    digest = hashlib.sha256()
    for topic in topics:
        values = (topic.number, topic.task, topic.text, topic.parent, topic.ordinal, dict(topic.fields))
        digest.update(json.dumps(values, sort_keys=True).encode())
    return digest.digest()


def _compute(
    campaign: Campaign, runs: Sequence[Run], pools: Sequence[Pool], point: int, context: CheckContext, progress: Tell
) -> tuple[Any, CampaignScores]:
    track = track_of(campaign)
    records = {}
    for name in track.scoring.gold_files:
        export = find_export(campaign, name)
        if export is not None:
            found = collect_records(campaign, export, as_of=point)
            records[name] = told(found, progress, unit="records", note=f"reading {name}")
    issues: list[Issue] = list(_not_pooled(campaign, runs, pools))
    gold = track.scoring.build(records, context.settings, issues.append)
    stored = {run.tag: run for run in runs}
    further = sorted(set(track.scoring.runs(gold)) - set(stored)) if track.scoring.runs is not None else []
    scores: list[Score] = []
    for done, tag in enumerate((*stored, *further)):
        progress(Progress(done=done, total=len(stored) + len(further), unit="runs", note=f"scoring {tag}"))
        try:
            content = run_content(campaign, stored[tag], context) if tag in stored else None
            scores.extend(list(track.scoring.score(gold, tag, content, context.settings)))
        except Exception as error:
            logger.exception("scoring run %s of campaign %s failed", tag, campaign.slug)
            issues.append(_failed(tag, error))
    return gold, CampaignScores(
        as_of=point,
        measures=track.scoring.measures,
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
