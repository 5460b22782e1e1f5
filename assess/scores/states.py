"""The state of a campaign on which its scores depend, and the scores that are stored for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from assess.base.track_settings import TrackSettings
from assess.campaigns.models import Campaign
from assess.campaigns.queries import row_at, track_of
from assess.documents.queries.documents import document_text
from assess.items.models import Pool
from assess.jobs.models import Job
from assess.judging.figures import FigureBasis, figure_basis
from assess.judging.snapshots import Snapshot
from assess.protocol import ByTopic, CheckContext, MeasureColumn
from assess.runs.models import Run
from assess.runs.queries import order_warnings
from assess.scores.changes import changes_between
from assess.scores.kept import Arrays, KeptScores, kept_points, read_kept
from scoring.records import Issue, Score
from scoring.release.score_columns import ScoreColumns
from scoring.release.tables import ScoreTables

NOT_POOLED = "not-pooled"
"""The code of the issue about runs that were not pooled, which judgments don't change."""
FEW = 10
"""One in this many topics may be scored again by itself."""
AGAIN = 400_000
"""The size in bytes that a topic scored again counts for, if rankings are cached by topic."""
BYTES_AN_ITEM = 100
"""The size that a pooled item counts for, since its judgments or matches are read."""


@dataclass(frozen=True, kw_only=True)
class CampaignScores:
    """All values of all scored runs at a ledger point, with the problems found in judgments and runs.

    ``runs`` are the accepted ones by tag, then those that exist in judgments alone. ``columns`` are the scores by run
    in that order; for each run topics come first, then series, then "all". ``at`` is the time of the computation.
    ``newer`` is the job that computes newer scores, if these are older than what was asked for. ``exact`` is as in
    `KeptScores`. ``state`` is the campaign at that point, for explanations; None if the scores are older than what was
    asked for.
    """

    as_of: int
    measures: tuple[MeasureColumn, ...]
    runs: tuple[str, ...]
    columns: ScoreColumns
    issues: tuple[Issue, ...]
    at: datetime
    newer: Job | None = None
    exact: Arrays = field(default_factory=dict)
    state: ScoringState | None = field(default=None, compare=False)

    @cached_property
    def scores(self) -> tuple[Score, ...]:
        """The scores one by one."""
        return tuple(self.columns)

    @property
    def problems(self) -> tuple[Issue, ...]:
        """The issues about judgments that are wrong and runs that are doubtful."""
        return tuple(issue for issue in self.issues if issue.severity != "note")

    @property
    def notes(self) -> tuple[Issue, ...]:
        """Notes on the scores that are not faults of judgments or runs."""
        return tuple(issue for issue in self.issues if issue.severity == "note")

    @cached_property
    def tables(self) -> ScoreTables:
        """The scores as tables, with the runs and the track's measures in their order."""
        return ScoreTables(self.columns, runs=self.runs, measures=[each.key for each in self.measures])


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoringState:
    """A campaign at a ledger point, with everything on which its gold and its scores depend."""

    basis: FigureBasis
    context: CheckContext

    @property
    def snapshot(self) -> Snapshot:
        """The campaign at the point, with the judgments that count."""
        return self.basis.snapshot

    @property
    def point(self) -> int:
        """The ledger point."""
        return self.basis.point

    @property
    def runs(self) -> tuple[Run, ...]:
        """The accepted runs by tag."""
        return self.basis.runs

    @property
    def pools(self) -> tuple[Pool, ...]:
        """The newest pool of each task."""
        return self.basis.pools

    @property
    def campaign(self) -> Campaign:
        """The campaign that is scored."""
        return self.snapshot.campaign

    def key(self) -> str:
        """Return the key of everything that scores depend on except the ledgers, the runs and the pooled items.

        A page may use scores of other runs or pooled items until newer ones are computed; `is_of` compares these.
        """
        return self.basis.key("scores", without=("runs", "pooled"))

    def is_of(self, kept: KeptScores) -> bool:
        """Return whether the scores were computed from the same runs and pooled items."""
        return (kept.runs, kept.pooled) == (self.basis.run_keys(), self.basis.pooled)

    def _is_kept_by_topic(self, run: Run) -> bool:
        """Return whether the run consists of rankings that are cached (`assess.runs.domain.kept_rankings`)."""
        found = track_of(self.campaign).submission(run.submission)
        return found is not None and bool(found.rankings) and all(each.blocks is not None for each in found.rankings)

    def size(self) -> int:
        """Return how many bytes must be read for scoring: those of runs, and `BYTES_AN_ITEM` for each pooled item.

        If only some topics are scored again, the size is that of the runs alone, or `AGAIN` for each of these topics.
        About five queries.
        """
        _, topics = changed_topics(self)
        if topics and all(self._is_kept_by_topic(run) for run in self.runs):
            return AGAIN * len(topics)
        if topics:
            return sum(run.size for run in self.runs)
        return self.basis.pooled * BYTES_AN_ITEM + sum(run.size for run in self.runs)


def scoring_state(snapshot: Snapshot, settings: TrackSettings | None = None) -> ScoringState:
    """Return the state of a campaign in a snapshot, under ``settings`` if given instead of its own.

    A point that was not reached yet is refused. About seven queries.
    """
    basis = figure_basis(snapshot, settings)
    context = CheckContext(
        topics=basis.topics,
        dropped=basis.dropped,
        settings=basis.settings,
        document_text=document_text(basis.campaign),
    )
    return ScoringState(basis=basis, context=context)


def kept_scores(state: ScoringState) -> CampaignScores | None:
    """Return the stored scores; None if there are none, or if anything that they depend on has changed since."""
    found = last_kept(state)
    if found is None or not state.is_of(found) or changes_between(state.campaign, found.point, state.point):
        return None
    return as_scores(state, found, state.point)


def last_kept(state: ScoringState) -> KeptScores | None:
    """Return the scores that were stored last, at or before the point of the state; None if there are none.

    Scores of a ledger that was replaced by a backup since are not returned.
    """
    key = state.key()
    points = [point for point in kept_points(state.campaign.pk, key) if point <= state.point]
    found = read_kept(state.campaign.pk, key, points[-1]) if points else None
    return found if found is not None and found.row == row_at(state.campaign, found.point) else None


def by_topic_of(state: ScoringState) -> ByTopic | None:
    """Return how the track computes scores topic by topic under these settings; None if it does not."""
    found = track_of(state.campaign).scoring.by_topic
    return found if found is not None and found.is_used(state.context.settings) else None


def changed_topics(state: ScoringState) -> tuple[KeptScores | None, frozenset[str]]:
    """Return the scores that were stored last, and the topics that must be scored again to bring them up to date.

    The topics are empty if nothing changed. They are empty, too, if everything must be scored again, because more
    changed than topics, or more than a tenth of the topics did. The scores are None if they can't be brought up to date
    by topic: the track does not score by topic, other runs or pooled items count now, or something was wrong with the
    judgments.
    """
    kept = last_kept(state) if by_topic_of(state) is not None else None
    if kept is None or not state.is_of(kept) or any(issue.code != NOT_POOLED for issue in kept.issues):
        return None, frozenset()
    changes = changes_between(state.campaign, kept.point, state.point)
    is_few = len(changes.topics) * FEW <= len(kept.columns.topics)
    return kept, changes.topics if is_few and not changes.everything else frozenset()


def as_scores(state: ScoringState, kept: KeptScores, point: int) -> CampaignScores:
    """Return stored values as the scores at a ledger point, with the notes on the order of each run's lines."""
    tags = {tag for tag, *_ in kept.runs}
    scored = [run for run in state.runs if run.tag in tags]
    return CampaignScores(
        as_of=point,
        measures=track_of(state.campaign).scoring.measures,
        runs=(*(tag for tag, *_ in kept.runs), *kept.further),
        columns=kept.columns,
        issues=(*kept.issues, *order_warnings(state.campaign, scored)),
        at=kept.at,
        exact=kept.exact,
        state=state if state.point == point else None,
    )
