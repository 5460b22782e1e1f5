"""What the figures of a campaign follow from: the one list by which whatever is kept of them is known again.

Scores, exports and agreement are kept in files, and a file stands for what would be computed now as long as nothing
here has changed. A new thing that figures depend on is added here and nowhere else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass, replace

from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import chains_of
from assess.base.files import stored_path
from assess.base.track_settings import TrackSettings
from assess.campaigns.models import Campaign
from assess.campaigns.queries import read_by, settings_of, track_of
from assess.items.models import Pool
from assess.items.queries import current_pools, pooled_at
from assess.judging.snapshots import Snapshot
from assess.protocol import TopicRecord
from assess.runs.models import Run
from assess.runs.queries import accepted_runs
from assess.topics.queries import answerable_topics

RunKey = tuple[str, str, str, bool]
"""A run's tag, kind of file and sha256, and whether that file is there."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FigureBasis:
    """What figures at a ledger point follow from besides the rows of the ledgers up to that point.

    Rows are only added, so the point stands for them: who keeps figures names it, and what tells its row from another
    of the same number (`assess.campaigns.queries.row_at`). Work that is handed out is only added to, as well; which of
    it is nobody's any more (``given_back``, ids) counts where several people's grades do.
    ``given`` are settings in place of the campaign's own (None). ``pooled`` is how many items the pools held then.
    """

    snapshot: Snapshot
    point: int
    given: TrackSettings | None
    topics: tuple[TopicRecord, ...]
    dropped: frozenset[str]
    runs: tuple[Run, ...]
    pools: tuple[Pool, ...]
    pooled: int
    given_back: tuple[int, ...]

    @property
    def campaign(self) -> Campaign:
        """The campaign as it reads its records at the point."""
        return self.snapshot.campaign

    @property
    def settings(self) -> TrackSettings:
        """The settings that count."""
        found: TrackSettings = settings_of(self.campaign) if self.given is None else self.given
        return found

    def run_keys(self) -> tuple[RunKey, ...]:
        """Return what figures depend on of the runs."""
        return tuple((run.tag, run.submission, run.file, stored_path(run.file).is_file()) for run in self.runs)

    def key(self, *besides: object, without: Collection[str] = ()) -> str:
        """Return a name for all of it together with the JSON values ``besides``.

        ``without`` names parts ("runs", "pooled") that whoever keeps the figures compares by itself.
        """
        campaign, counting = self.campaign, self.snapshot.counting
        parts = {
            "read by": read_by(campaign),
            "campaign": (campaign.pk, campaign.slug, campaign.created_at),
            "settings": (campaign.settings, sorted(self.settings.as_mapping().items())),
            "topics": [
                (each.number, each.task, each.text, each.parent, each.ordinal, dict(each.fields))
                for each in self.topics
            ],
            "dropped": sorted(self.dropped),
            "counting": (counting.roles, counting.assessor),
            "pools": [pool.pk for pool in self.pools],
            "pooled": self.pooled,
            "given back": self.given_back,
            "runs": () if "runs" in without else self.run_keys(),  # which looks for every file
        }
        told = [besides, {name: part for name, part in parts.items() if name not in without}]
        return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()[:32]

    def is_unchanged(self) -> bool:
        """Return whether all of it is as it was, so that what was computed meanwhile may be kept. Four queries, one
        more where several people's grades count.

        How a pool grows changes nothing at the point.
        """
        snapshot = replace(self.snapshot, campaign=Campaign.objects.get(pk=self.campaign.pk))
        topics, dropped = answerable_topics(snapshot.campaign)
        runs, pools = _runs(snapshot.campaign), tuple(current_pools(snapshot.campaign))
        now = replace(self, snapshot=snapshot, topics=topics, dropped=dropped, runs=runs, pools=pools)
        now = replace(now, given_back=_given_back(snapshot.campaign))
        return now.key() == self.key()


def figure_basis(snapshot: Snapshot, settings: TrackSettings | None = None) -> FigureBasis:
    """Return what figures in a snapshot follow from, under ``settings`` in place of the campaign's own if given.

    Refused: a point that is not reached yet. Six queries, one more where several people's grades count.
    """
    point = snapshot.reached()
    topics, dropped = answerable_topics(snapshot.campaign)
    return FigureBasis(
        snapshot=replace(snapshot, as_of=point),
        point=point,
        given=settings,
        topics=topics,
        dropped=dropped,
        runs=_runs(snapshot.campaign),
        pools=tuple(current_pools(snapshot.campaign)),
        pooled=pooled_at(snapshot.campaign, snapshot.as_of).count(),
        given_back=_given_back(snapshot.campaign),
    )


def _runs(campaign: Campaign) -> tuple[Run, ...]:
    return tuple(accepted_runs(campaign).defer("report", "repairs"))


def _given_back(campaign: Campaign) -> tuple[int, ...]:
    """Return the second assessors' work that nobody has any more, where grades count by `Stage.counts`. One query."""
    stages = [stage.key for task in track_of(campaign).tasks for stage in task.stages if stage.counts]
    if not stages:
        return ()
    works = campaign.assignments.filter(stage__in=stages, role=Assignment.Role.SECOND).order_by("pk")
    return tuple(pk for pk, chain in chains_of(works).items() if not chain.is_live)
