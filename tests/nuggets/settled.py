"""Disagreements as tests look for and settle them, on the one question of a stage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User

from assess.adjudication.domain import decide
from assess.adjudication.queries.disagreements import criteria_of, disagreements
from assess.campaigns.queries import registered_tracks, stage_of
from assess.exports.writing import collect_records, find_export
from assess.judging.snapshots import Snapshot
from assess.kinds.opinions import Decision, Disagreement
from assess.ledger.models import LedgerRow
from assess.models import Campaign
from assess.protocol import Export, Stage
from nuggets.options import Matching


@pytest.fixture
def votes_settled() -> Iterator[None]:
    """The track's votes are settled one by one, as where their spread is no weight."""
    tracks = registered_tracks()
    track = tracks["tac2008-qa"]
    tasks = tuple(
        replace(task, stages=tuple(replace(stage, spread_is_weight=False) for stage in task.stages))
        for task in track.tasks
    )
    tracks[track.key] = replace(track, tasks=tasks)
    yield
    tracks[track.key] = track


def _in_part(stage: Stage) -> Stage:
    return replace(stage, work=Matching(partial=True)) if isinstance(stage.work, Matching) else stage


@pytest.fixture
def found_in_part() -> Iterator[None]:
    """Nuggets of the track are found in full or in part."""
    tracks = registered_tracks()
    track = tracks["tac2008-qa"]
    tasks = tuple(replace(task, stages=tuple(_in_part(stage) for stage in task.stages)) for task in track.tasks)
    tracks[track.key] = replace(track, tasks=tasks)
    yield
    tracks[track.key] = track


def rows_of(campaign: Campaign, stage: str, person: User | None = None) -> list[Disagreement]:
    """The disagreements of a stage, for a person those that they may settle."""
    found = stage_of(campaign, stage)[1]
    (criterion,) = criteria_of(campaign, found)
    return disagreements(campaign, found, criterion, person=person)


def row_of(campaign: Campaign, stage: str) -> Disagreement | None:
    """The first of them."""
    return next(iter(rows_of(campaign, stage)), None)


def value_of(campaign: Campaign, stage: str, person: User) -> int:
    """What a person's side of the first one says."""
    return next(side.value for side in rows_of(campaign, stage)[0].sides if side.assessor_id == person.pk)


def settle(
    actor: User, campaign: Campaign, stage: str, row: Disagreement, value: int | None, *, key: UUID | None = None
) -> LedgerRow:
    """Decide one."""
    found = stage_of(campaign, stage)[1]
    (criterion,) = criteria_of(campaign, found)
    decision = Decision(thing=row.name, criterion=criterion.key, value=value, client_key=key or uuid4())
    return decide(actor=actor, campaign=campaign, stage=found, decision=decision)


def take(actor: User, campaign: Campaign, stage: str, value: int | None, *, key: UUID | None = None) -> LedgerRow:
    """Decide the first one."""
    return settle(actor, campaign, stage, rows_of(campaign, stage)[0], value, key=key)


def importances(campaign: Campaign) -> dict[int, str]:
    """What each nugget counts as."""
    records = collect_records(Snapshot(campaign), export_of(campaign, "nuggets.tsv"))
    return {each.number: each.importance for each in records}


def export_of(campaign: Campaign, name: str) -> Export:
    """The export with this name, which there is."""
    export = find_export(campaign, name)
    assert export is not None
    return export
