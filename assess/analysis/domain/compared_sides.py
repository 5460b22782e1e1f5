"""The two sides of a comparison of rankings: which judgments count, by which settings, by which measure.

What is compared where nobody chose is said here, too: every page, command and call asks the same `Sides`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from assess.analysis.domain.topic_scores import ranking_measures, telling_measures
from assess.assignments.models import Assignment
from assess.base.errors import Invalid
from assess.base.track_settings import TrackSettings
from assess.campaigns.models import Campaign
from assess.campaigns.points import reached_point
from assess.judging.counting import OFFICIAL_COUNTING, Counting
from assess.judging.queries.judges import INDEPENDENT, OFFICIAL, ROLES, JudgeSet, is_machine_name, judges_of
from assess.protocol import MeasureColumn
from assess.scores.domain.computing import CampaignScores, score_campaign


@dataclass(frozen=True, kw_only=True, slots=True)
class SideAsked:
    """What one side is to be: the key of a judge set, other settings than the campaign's (None: its own), a measure
    ("" on both sides: the first that both have, the official before others).
    """

    judge: str = OFFICIAL
    settings: TrackSettings | None = None
    measure: str = ""


class Sides:
    """A campaign at a ledger point (default: now), its judges read once and its runs scored once for each side asked
    for. Refused: a point not reached yet.
    """

    def __init__(self, campaign: Campaign, as_of: int | None = None) -> None:
        self.campaign = campaign
        self.point = reached_point(campaign, as_of)
        self.judges = {each.key: each for each in judges_of(campaign)}
        self._scores: dict[tuple[str, TrackSettings | None], CampaignScores] = {}

    def judge(self, asked: SideAsked) -> JudgeSet:
        """Whose judgments count; refused where there is nobody of this name."""
        if asked.judge not in self.judges:
            raise Invalid(f"There is no judge “{asked.judge[:60]}”. Judges: {', '.join(self.judges)}.")
        return self.judges[asked.judge]

    def scores(self, asked: SideAsked) -> CampaignScores:
        """The values of all runs as this side counts them, by whatever measure."""
        key = asked.judge, asked.settings
        if key not in self._scores:
            counting = counting_of(self.judge(asked))
            self._scores[key] = score_campaign(self.campaign, self.point, asked.settings, counting)
        return self._scores[key]


def counting_of(judge: JudgeSet) -> Counting:
    """The words of a judge set, as what counts."""
    if judge.kind == "official":
        return OFFICIAL_COUNTING
    if judge.kind == "role":
        return Counting(roles=(ROLES[judge.key][0],))
    roles = (Assignment.Role.MACHINE,) if judge.kind == "machine" else INDEPENDENT
    return Counting(roles=tuple(roles), assessor=judge.user_id)


def usual_sides(sides: Sides) -> tuple[SideAsked, SideAsked] | None:
    """What is compared where nobody chose: the official judgments and other assessors', else a machine's, by a measure
    that tells runs apart on both sides; where nobody else's do, the official ones by two measures. None where there are
    no two.
    """
    for other in [key for key in sides.judges if key == "second" or is_machine_name(key)][:2]:
        telling = _telling(sides, SideAsked(), SideAsked(judge=other))
        if telling:
            return SideAsked(measure=telling[0]), SideAsked(judge=other, measure=telling[0])
    alone = _telling(sides, SideAsked(), SideAsked())
    return (SideAsked(measure=alone[0]), SideAsked(measure=alone[1])) if len(alone) > 1 else None


def told_apart(sides: Sides, first: SideAsked, second: SideAsked) -> tuple[SideAsked, SideAsked]:
    """These two sides; where they are the same one, what is compared where nobody chose, by the measure asked for."""
    usual = usual_sides(sides) if first == second else None
    if usual is None:
        return first, second
    if not first.measure:
        return replace(usual[0], settings=first.settings), replace(usual[1], settings=second.settings)
    return replace(first, judge=usual[0].judge), replace(second, judge=usual[1].judge)


def measures_of(sides: Sides, side: SideAsked) -> list[MeasureColumn]:
    """The measures that have values by topic on one side, the official first."""
    return ranking_measures(sides.scores(side))


def shared_measure(sides: Sides, first: SideAsked, second: SideAsked) -> str:
    """The first measure that has values by topic on both sides, such as tell runs apart and the official before others;
    "" where there is none.
    """
    known = {each.key for each in measures_of(sides, second)}
    shared = [each.key for each in measures_of(sides, first) if each.key in known]
    return next(iter((*_telling(sides, first, second), *shared)), "")


def _telling(sides: Sides, first: SideAsked, second: SideAsked) -> list[str]:
    """The measures that tell runs apart on both sides, in order."""
    both = telling_measures(sides.scores(first)) & telling_measures(sides.scores(second))
    return [each.key for each in measures_of(sides, first) if each.key in both]
