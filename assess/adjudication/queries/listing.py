"""Disagreements of a campaign as one list, over stages and criteria, as commands and the API give them."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User

from assess.adjudication.queries.disagreements import adjudicated_stages, criteria_of, disagreements
from assess.campaigns.models import Campaign
from assess.kinds.opinions import Disagreement
from assess.protocol import Criterion, Stage


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """Which of them: of a stage, a criterion, a topic, at least this far apart, decided or not; "" and None are all."""

    stage: str = ""
    criterion: str = ""
    topic: str = ""
    size: int = 0
    decided: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """One disagreement, with what it is about."""

    stage: Stage
    criterion: Criterion
    row: Disagreement


def settled_questions(campaign: Campaign, wanted: Wanted | None = None) -> list[tuple[Stage, Criterion]]:
    """What can be settled in a campaign, stage by stage; of the stage and criterion that are wanted."""
    wanted = wanted or Wanted()
    return [
        (stage, criterion)
        for _, stage in adjudicated_stages(campaign)
        for criterion in criteria_of(campaign, stage)
        if wanted.stage in ("", stage.key) and wanted.criterion in ("", criterion.key)
    ]


def known_questions(campaign: Campaign) -> str:
    """What can be settled, for a sentence: stage and criterion of each."""
    found = (f"{stage.key} {criterion.key}" for stage, criterion in settled_questions(campaign))
    return ", ".join(found) or "nothing is settled here"


def listed_disagreements(campaign: Campaign, wanted: Wanted, *, person: User | None = None) -> list[Listed]:
    """Those that fit, for a ``person`` without what they may not settle. The queries of `questions_of`."""
    return [
        Listed(stage=stage, criterion=criterion, row=row)
        for stage, criterion in settled_questions(campaign, wanted)
        for row in disagreements(campaign, stage, criterion, person=person)
        if _fits(row, wanted)
    ]


def _fits(row: Disagreement, wanted: Wanted) -> bool:
    is_decided = wanted.decided is None or wanted.decided == (row.decided is not None)
    return is_decided and wanted.topic in ("", row.topic) and row.size >= wanted.size
