"""One measure of all runs, topic by topic: what rankings, their stability and significance are computed from."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from statistics import fmean

from assess.base.errors import Invalid
from assess.campaigns.models import Campaign
from assess.protocol import MeasureColumn
from assess.scores.domain.computing import CampaignScores
from scoring.stability import DIGITS

Values = dict[str, dict[str, float | None]]
"""Run -> topic -> value; None where it is undefined."""

ALL = "all"


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicLevel:
    """A measure with its values. ``topics`` are judged topics, or series where the measure is one of series."""

    measure: MeasureColumn
    values: Values
    topics: tuple[str, ...]


def ranking_measures(scores: CampaignScores) -> list[MeasureColumn]:
    """The measures that rank runs and have a value on some topic or series, the official first."""
    known = {score.measure for score in scores.scores if score.topic != ALL and score.value is not None}
    found = [each for each in scores.measures if each.ranks and each.key in known]
    return sorted(found, key=lambda each: not each.official)


def telling_measures(scores: CampaignScores) -> set[str]:
    """The measures that put some run above another: their means over topics and series are not all the same."""
    values: dict[str, dict[str, list[float]]] = {}
    for score in scores.scores:
        if score.topic != ALL and score.value is not None:
            values.setdefault(score.measure, {}).setdefault(score.run, []).append(score.value)
    return {key for key, by_run in values.items() if len({round(fmean(row), DIGITS) for row in by_run.values()}) > 1}


def measure_title(measure: MeasureColumn) -> str:
    """What people call a measure, with its group where the label does not begin with it."""
    is_told = not measure.group or measure.label.startswith(measure.group)
    return measure.label if is_told else f"{measure.group}: {measure.label}"


def topic_level(
    campaign: Campaign, scores: CampaignScores, measure: str = "", *, without: Collection[str] = ()
) -> TopicLevel:
    """The values of a measure (default: the official one) on the judged topics, else on the series that it is of.

    ``without`` are runs left out. Refused: a measure that there is not, or that has no value on any topic.
    """
    measures = ranking_measures(scores)
    chosen = next((each for each in measures if each.key == measure or not measure), None)
    if chosen is None:
        known = ", ".join(f"{measure_title(each)} ({each.key})" for each in measures)
        titles = {each.key: measure_title(each) for each in scores.measures}
        what = f"“{titles[measure]}” has no value" if measure in titles else f"There is no measure “{measure[:60]}”"
        what = f"{what} on any topic" if measure in titles else f"{what} with values by topic"
        raise Invalid(f"{what}. Measures: {known or 'none yet; judge some topics first'}.")
    judged = set(campaign.topics.exclude(task="").values_list("number", flat=True))
    rows = [score for score in scores.scores if score.measure == chosen.key and score.topic != ALL]
    is_of_topics = any(score.topic in judged for score in rows)
    values: Values = {run: {} for run in scores.runs if run not in without}
    for score in rows:
        if score.run in values and (score.topic in judged) == is_of_topics:
            values[score.run][score.topic] = score.value
    topics = {topic for row in values.values() for topic, value in row.items() if value is not None}
    return TopicLevel(measure=chosen, values=values, topics=tuple(sorted(topics)))
