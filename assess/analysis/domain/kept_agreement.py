"""Computed agreement, cached in files for all processes and restarts until a judgment changes it.

Large campaigns are compared by the worker, once for everybody who asks. Until that is done, a page shows the progress,
or the earlier comparison with a note that a newer one is coming.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from math import inf
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext_lazy

from assess.analysis.domain.agreement import Compared, Comparison, ComparisonRequest, ask_comparison, compare
from assess.campaigns.models import Campaign
from assess.campaigns.queries import has_more_rows, newest_point, row_at, was_newest
from assess.jobs.domain import ask_for_job
from assess.jobs.kinds import AGREEMENT
from assess.jobs.progress import ReportProgress, no_report
from assess.jobs.waiting import StillMaking
from assess.jobs.workers import holding
from assess.judging.snapshots import Snapshot
from assess.scores.changes import changes_between
from assess.scores.kept import as_bytes, from_bytes, keep_arrays, kept_points, read_arrays
from scoring.statistics.agreement_report import AgreementReport
from scoring.statistics.intervals import Estimate, Interval, Sampling

AT_ONCE = 30_000
"""The number of ledger rows up to which a campaign is compared in the request, which takes some tenths of a second."""


class StillComparing(StillMaking):
    """Raised if no comparison can be shown yet: the worker is still comparing the judges, or failed to."""

    code = "still-comparing"
    title = gettext_lazy("Agreement is being computed")
    doing = gettext_lazy("Computing the agreement")
    failed = gettext_lazy("The agreement could not be computed")
    again = gettext_lazy("The agreement is being computed in the background. Ask again in some seconds.")


def compare_judges(
    snapshot: Snapshot,
    *,
    stage: str,
    criterion: str,
    judges: Sequence[str],
    relevant: float | None = None,
    sampling: Sampling | None = None,
    progress: ReportProgress = no_report,
) -> Comparison:
    """Return the agreement of two or more judge sets on one question; arguments and refusals are those of
    `ask_comparison`.

    It is cached until something changes in the campaign; a caller who asks while another computes it waits for that
    result. ``progress`` receives each judge, and may stop the computation by raising. Pages and calls, which should not
    wait, use `compare_at_hand`.
    """
    asked = ask_comparison(
        snapshot, stage=stage, criterion=criterion, judges=judges, relevant=relevant, sampling=sampling
    )
    return _compared(asked, _key(asked), progress)


def compare_at_hand(asked: ComparisonRequest, *, actor: User, within: timedelta) -> Comparison:
    """Return a comparison within a request; raise `StillComparing` if the worker has to compute it.

    If the newest comparison is asked for and not computed yet, an earlier one may be returned instead. It must have
    been the newest until at most ``within`` ago (`LATELY` for calls, `ANY_AGE` for pages).
    """
    key = _key(asked)
    kept = _last_kept(asked, key)
    if kept is not None and _is_current(asked, kept):
        return kept.as_comparison(asked, asked.point)
    campaign = asked.snapshot.campaign
    if not has_more_rows(campaign, than=AT_ONCE):
        return _compared(asked, key)
    is_newest = asked.is_newest or asked.point == newest_point(campaign)
    job = ask_for_job(actor=actor, campaign=campaign, kind=AGREEMENT, arguments=_job_arguments(asked, is_newest))
    if kept is None or not (asked.is_newest and was_newest(campaign, kept.point, within=within)):
        raise StillComparing(job)
    return replace(kept.as_comparison(asked, kept.point), newer=job)


def _job_arguments(asked: ComparisonRequest, is_newest: bool) -> dict[str, Any]:
    return {
        "as_of": None if is_newest else asked.point,
        "stage": asked.question.stage,
        "criterion": asked.question.criterion,
        "judges": [judge.key for judge in asked.judges],
        "relevant": asked.relevant,
    }


def compare_for_job(campaign: Campaign, arguments: dict[str, Any], progress: ReportProgress) -> Comparison:
    """Compute the comparison that a job's arguments describe (`_job_arguments`). Raises what `compare_judges` does."""
    asked = {name: value for name, value in arguments.items() if name != "as_of"}
    return compare_judges(Snapshot(campaign, arguments["as_of"]), progress=progress, **asked)


# The cached files.


@dataclass(frozen=True, kw_only=True, slots=True)
class Kept:
    """A result computed at a ledger point; ``row`` identifies the ledger row that has the number of this point
    (`row_at`).
    """

    point: int
    row: str
    at: datetime
    found: Compared

    def as_comparison(self, asked: ComparisonRequest, point: int) -> Comparison:
        """Return the comparison as of a ledger point."""
        return Comparison(asked=asked, found=self.found, as_of=point, at=self.at)


def _compared(asked: ComparisonRequest, key: str, progress: ReportProgress = no_report) -> Comparison:
    campaign = asked.snapshot.campaign
    with holding(f"agreement-{campaign.pk}-{key}", patience=inf):
        kept = _last_kept(asked, key)
        if kept is None or not _is_current(asked, kept):
            at, row = timezone.now(), row_at(campaign, asked.point)
            kept = Kept(point=asked.point, row=row, at=at, found=compare(asked, progress))
            if asked.basis.is_unchanged():  # false if a topic was dropped or restored meanwhile
                _keep(campaign.pk, key, kept)
    return kept.as_comparison(asked, asked.point)


def _key(asked: ComparisonRequest) -> str:
    """Return a key made of everything that a comparison depends on, except the ledgers.

    The growth of a pool is left out, too: the ledgers record it, and it adds no opinions. So is what the question is
    called, which depends on who reads it: the worker computes what a German page asked for.
    """
    judges = [(judge.key, judge.kind, judge.user_id) for judge in asked.judges]
    question = replace(asked.question, label="", note="")
    told = ("agreement", asdict(question), judges, asked.relevant, asdict(asked.sampling))
    return asked.basis.key(*told, without=("pooled",))


def _is_current(asked: ComparisonRequest, kept: Kept) -> bool:
    return not changes_between(asked.snapshot.campaign, kept.point, asked.point)


def _last_kept(asked: ComparisonRequest, key: str) -> Kept | None:
    """Return the cached result for this ledger point, or for the last point before it that has one.

    Return None if there is none, or if that result is damaged or comes from another campaign's ledger.
    """
    campaign = asked.snapshot.campaign
    points = [point for point in kept_points(campaign.pk, key) if point <= asked.point]
    arrays = read_arrays(campaign.pk, f"{key}-{points[-1]}") if points else None
    if arrays is None:
        return None
    about = from_bytes(arrays["about"])
    if about["row"] != row_at(campaign, points[-1]):
        return None
    found = Compared(
        patterns={
            topic: Counter({tuple(pattern): number for pattern, number in counted})
            for topic, counted in about["patterns"].items()
        },
        report=_as_report(about["report"]),
        by_topic=tuple(map(_as_report, about["by_topic"])),
    )
    return Kept(point=points[-1], row=about["row"], at=datetime.fromisoformat(about["at"]), found=found)


def _keep(campaign_id: int, key: str, kept: Kept) -> None:
    found = kept.found
    about = {
        "row": kept.row,
        "at": kept.at.isoformat(),
        "report": _as_values(found.report),
        "by_topic": [_as_values(each) for each in found.by_topic],
        "patterns": {topic: list(counted.items()) for topic, counted in found.patterns.items()},
    }
    keep_arrays(campaign_id, f"{key}-{kept.point}", {"about": as_bytes(about)})


def _as_values(report: AgreementReport) -> dict[str, Any]:
    """Return a report as JSON values."""
    confusion = report.confusion
    cells = None if confusion is None else [(*pair, count) for pair, count in confusion.items()]
    return {**asdict(replace(report, confusion=None)), "confusion": cells}


def _as_report(told: dict[str, Any]) -> AgreementReport:
    """Return the report from the values that `_as_values` made."""
    estimates = tuple(
        Estimate(**{**each, "interval": None if each["interval"] is None else Interval(**each["interval"])})
        for each in told["estimates"]
    )
    cells = told["confusion"]
    confusion = None if cells is None else {(first, second): count for first, second, count in cells}
    return AgreementReport(**{**told, "estimates": estimates, "confusion": confusion})
