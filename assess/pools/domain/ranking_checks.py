"""How a pool affects the ranking of its runs: with each team left out, and compared with an hour ago.

Both score all runs again with the track's own scoring and its official measure, so they cost far more than the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.apps import apps
from django.utils.translation import gettext_noop as noop

from assess.campaigns.models import Campaign
from assess.campaigns.queries import newest_point, settings_of, track_of
from assess.exports.writing import collect_records, find_export
from assess.jobs.progress import JobProgress, ReportProgress, no_report, report_progress
from assess.judging.snapshots import Snapshot
from assess.ledger.models import LedgerRow
from assess.pools.domain.planning import keep, kept, key_of
from assess.pools.domain.quality import EVERYTHING, QualityInput, pooled_keys, pooled_rankings
from assess.pools.queries import judged_documents
from assess.runs.domain.checking import reading_context, run_content
from assess.runs.models import Run
from assess.runs.queries import accepted_runs
from assess.scores.domain import score_campaign
from assess.scores.states import CampaignScores
from scoring.pooling.analysis import Grades, LeftOut, left_out
from scoring.records import ItemGrade
from scoring.statistics.intervals import Sampling
from scoring.statistics.rankings import TopicScores, correlate_scores

AT_ONCE = 2_000_000
"""The most bytes of run files, over all scorings, that are scored while somebody waits: some tenths of a second."""
HOUR = timedelta(hours=1)
VERSION = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Settled:
    """Kendall's tau-b between the rankings of runs at two ledger points, with its bootstrap interval over topics.

    ``before`` is the earlier point, 0 if there is none, and ``runs`` the number of runs compared. ``tau`` is None if
    undefined: fewer than two runs with a value, only equal values, or nothing judged at the earlier point.
    """

    before: int
    tau: float | None = None
    low: float | None = None
    high: float | None = None
    runs: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class RankingChecks:
    """How the runs rank at a ledger point by an official measure (``measure`` is its label).

    ``left_out`` has each run with and without its team's unique finds; ``settled`` says how similar the ranking is to
    that of an hour before.
    """

    as_of: int
    measure: str
    left_out: tuple[LeftOut, ...]
    settled: Settled


def bytes_to_score(stand: QualityInput) -> int:
    """Return how many bytes of run files are read to compute the checks; a file counts each time it is read."""
    size = sum(run.size for run in _runs(stand))
    return size * (len(set(stand.teams.values())) + 3)


def newest_checks(stand: QualityInput) -> RankingChecks | None:
    """Return the checks that were computed last, at any ledger point; None if there are none."""
    found = kept(_key(stand))
    return _read(found) if found is not None else None


def checks_at_hand(stand: QualityInput, *, now: datetime) -> RankingChecks | None:
    """Return the checks, computed now if that is quick; otherwise those computed last, or None if there are none."""
    return ranking_checks(stand, now=now) if bytes_to_score(stand) <= AT_ONCE else newest_checks(stand)


def ranking_checks(stand: QualityInput, *, now: datetime, progress: ReportProgress = no_report) -> RankingChecks:
    """Return the checks at the campaign's newest ledger point, compared with an hour before ``now``.

    They are cached until either point moves. ``progress`` is called for each run that is scored, and may stop it by
    raising.
    """
    point = newest_point(stand.campaign)
    before = min(point_at(now - HOUR), point)
    found = newest_checks(stand)
    if found is not None and (found.as_of, found.settled.before) == (point, before):
        return found
    made = _computed(stand, point, before, progress)
    keep(_key(stand), asdict(made))
    return made


def point_at(moment: datetime) -> int:
    """Return the last ledger point of the whole site reached by this moment; 0 if there was none. One query for each
    ledger.
    """
    points = [0]
    for model in apps.get_models():
        if issubclass(model, LedgerRow):
            rows = model._default_manager.filter(created_at__lte=moment).order_by("-id")
            points += list(rows.values_list("id", flat=True)[:1])
    return max(points)


def _computed(stand: QualityInput, point: int, before: int, progress: ReportProgress) -> RankingChecks:
    campaign = stand.campaign
    measures = track_of(campaign).scoring.measures
    official = next((each for each in measures if each.official), measures[0])
    tags = {run.tag for run in _runs(stand)}
    now = score_campaign(Snapshot(campaign, point), progress=progress)
    grades = judged_documents(Snapshot(campaign, point), stand.task, stand.kind)
    runs = pooled_rankings(stand, pooled_keys(stand))
    gone = left_out(
        {tag: runs[tag] for tag in runs if tag in tags},
        EVERYTHING,
        teams=stand.teams,
        grades=grades,
        score=_Scorer(stand, official.key, point, now, progress),
    )
    settled = _settled(campaign, official.key, tags, now, before, progress)
    return RankingChecks(as_of=point, measure=official.label, left_out=tuple(gone), settled=settled)


class _Scorer:
    """Computes the official values of all runs from grades. From all grades, these are the values that the site
    shows.
    """

    def __init__(
        self, stand: QualityInput, measure: str, point: int, now: CampaignScores, progress: ReportProgress
    ) -> None:
        self.stand, self.measure, self.now, self.progress = stand, measure, now, progress
        campaign = stand.campaign
        self.runs, self.context = _runs(stand), reading_context(campaign)
        self.scored, self.most = 0, len(set(stand.teams.values())) * len(self.runs)
        exports = [find_export(campaign, name) for name in track_of(campaign).scoring.gold_files]
        self.records = {
            export.name: list(
                report_progress(
                    collect_records(Snapshot(campaign, point), export),
                    progress,
                    unit="records",
                    note="%(name)s",
                    name=export.name,
                )
            )
            for export in exports
            if export is not None
        }
        self.all_grades: int | None = None

    def __call__(self, grades: Grades) -> Mapping[str, float | None]:
        count = sum(map(len, grades.values()))
        if self.all_grades in (
            None,
            count,
        ):  # the first call, or a team without unique finds
            self.all_grades = count
            official = self.now.tables.of_topic().defined(self.measure)
            return {tag: official.get(tag) for tag in self.stand.teams}
        scoring, settings = track_of(self.stand.campaign).scoring, settings_of(self.stand.campaign)
        records = {name: list(self._without_left_out(found, grades)) for name, found in self.records.items()}
        gold = scoring.build(records, settings, lambda issue: None)
        values: dict[str, float | None] = {}
        for run in self.runs:
            self.progress(
                JobProgress(
                    done=self.scored,
                    total=self.most,
                    unit="runs",
                    note=noop("scoring %(run)s without a team’s finds"),
                    values={"run": run.tag},
                )
            )
            self.scored += 1
            content = run_content(self.stand.campaign, run, self.context)
            scores = scoring.score(gold, run.tag, content, settings)
            values[run.tag] = next(
                (each.value for each in scores if (each.topic, each.measure) == ("all", self.measure)), None
            )
        return values

    def _without_left_out(self, records: Iterable[Any], grades: Grades) -> Iterable[Any]:
        """Yield the records without the grades that are left out, as if their documents had never been pooled."""
        for record in records:
            is_grade = isinstance(record, ItemGrade) and record.kind == self.stand.kind and record.value is not None
            if not is_grade or record.key in grades.get(record.topic, {}):
                yield record


def _settled(
    campaign: Campaign, measure: str, tags: set[str], now: CampaignScores, before: int, progress: ReportProgress
) -> Settled:
    if not before:
        return Settled(before=0)
    then = score_campaign(Snapshot(campaign, before), progress=progress)
    pair = [_by_topic(campaign, measure, tags, scores) for scores in (then, now)]
    found = next(each for each in correlate_scores(*pair, sampling=Sampling()) if each.measure == "tau_b")
    interval = found.interval
    return Settled(
        before=before,
        tau=found.value,
        low=interval.low if interval is not None else None,
        high=interval.high if interval is not None else None,
        runs=len(pair[0].keys() & pair[1].keys()),
    )


def _by_topic(campaign: Campaign, measure: str, tags: set[str], scores: CampaignScores) -> TopicScores:
    topics = set(campaign.topics.exclude(task="").values_list("number", flat=True))
    found: dict[str, dict[str, float | None]] = {}
    for score in scores.columns.where(measure=measure):
        if score.run in tags and score.topic in topics:
            found.setdefault(score.run, {})[score.topic] = score.value
    return found


def _runs(stand: QualityInput) -> list[Run]:
    return [run for run in accepted_runs(stand.campaign) if run.tag in stand.teams]


def _key(stand: QualityInput) -> str:
    created = stand.campaign.created_at.isoformat()
    return key_of("checks", VERSION, created, stand.pool.pk, stand.rankings.sha256, stand.teams)


def _read(found: dict[str, Any]) -> RankingChecks:
    return RankingChecks(
        as_of=found["as_of"],
        measure=found["measure"],
        left_out=tuple(LeftOut(**each) for each in found["left_out"]),
        settled=Settled(**found["settled"]),
    )
