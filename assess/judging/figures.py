"""The one list of everything that a campaign's figures depend on, so that cached figures can be recognised.

Scores, exports and agreement are cached in files. A file is valid as long as nothing in this list has changed. Whoever
makes figures depend on something new adds it here and nowhere else.
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
"""A run's tag, kind of file and sha256, and whether its file is stored."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FigureBasis:
    """What figures at a ledger point depend on, besides the rows of the ledgers up to that point.

    Rows are only added, so the point identifies them. Cached figures are named by that point and by text that
    identifies the row with this number (`assess.campaigns.queries.row_at`). Assignments are only added, too;
    ``given_back`` are the ids of those that nobody has any more, which matters where the grades of several people
    count. ``given`` are settings that replace the campaign's own, or None. ``pooled`` is the number of items in the
    pools at that point.
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
        """The campaign, as it reads its records at the point."""
        return self.snapshot.campaign

    @property
    def settings(self) -> TrackSettings:
        """The settings in force: those given, or else the campaign's own."""
        found: TrackSettings = settings_of(self.campaign) if self.given is None else self.given
        return found

    def run_keys(self) -> tuple[RunKey, ...]:
        """Return the properties of each run on which figures depend."""
        return tuple((run.tag, run.submission, run.file, stored_path(run.file).is_file()) for run in self.runs)

    def key(self, *besides: object, without: Collection[str] = ()) -> str:
        """Return a digest of this basis and of the JSON values ``besides``.

        The parts listed in ``without`` ("runs", "pooled") are left out of it; the caller compares those by itself.
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
            "runs": () if "runs" in without else self.run_keys(),  # `run_keys` looks for every file
        }
        told = [besides, {name: part for name, part in parts.items() if name not in without}]
        return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()[:32]

    def is_unchanged(self) -> bool:
        """Return whether nothing has changed since this basis was read, so that figures computed from it may be cached.

        ``pooled`` is not compared: the growth of a pool changes nothing at an earlier point. Four queries, and one more
        where the grades of several people count.
        """
        snapshot = replace(self.snapshot, campaign=Campaign.objects.get(pk=self.campaign.pk))
        topics, dropped = answerable_topics(snapshot.campaign)
        runs, pools = _runs(snapshot.campaign), tuple(current_pools(snapshot.campaign))
        now = replace(self, snapshot=snapshot, topics=topics, dropped=dropped, runs=runs, pools=pools)
        now = replace(now, given_back=_given_back(snapshot.campaign))
        return now.key() == self.key()


def figure_basis(snapshot: Snapshot, settings: TrackSettings | None = None) -> FigureBasis:
    """Return what figures in a snapshot depend on.

    ``settings`` replace the campaign's own, if given. Raises `Invalid` for a point that is not reached yet. Six
    queries, and one more where the grades of several people count.
    """
    point = snapshot.reached()
    topics, dropped = answerable_topics(snapshot.campaign)
    return FigureBasis(
        snapshot=snapshot if snapshot.as_of == point else replace(snapshot, as_of=point),
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
    """Return the ids of second assessors' assignments that nobody has any more, if a stage uses `Stage.counts`.

    One query.
    """
    stages = [stage.key for task in track_of(campaign).tasks for stage in task.stages if stage.counts]
    if not stages:
        return ()
    works = campaign.assignments.filter(stage__in=stages, role=Assignment.Role.SECOND).order_by("pk")
    return tuple(pk for pk, chain in chains_of(works).items() if not chain.is_live)
