"""The scores of a run of definition questions: of each question, by each assessor, and their means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from assess.protocol import MeasureColumn, RunContent
from scoring.folding import count_characters
from scoring.formats.definition_judgments import Pair
from scoring.measures.holistic import HIGHEST, holistic_score
from scoring.measures.nuggets import Mark, NuggetScore, nugget_score, nuggets_of_own_parts, returned_nuggets
from scoring.measures.series import mean_defined
from scoring.records import Score
from tracks.aquaint_definition.gold import OWNERS, PANEL, Gold
from tracks.aquaint_definition.settings import AquaintDefinitionSettings

ALL = "all"
SECONDARY = "_secondary"
NAMES = {"author": "author", "other": "other assessor", "contractor": "contractor"}


def _columns() -> Iterator[MeasureColumn]:
    for owner in OWNERS:
        yield MeasureColumn(
            key=f"F_{owner}",
            label=f"F, {NAMES[owner]}",
            help=f"F of nugget recall and precision with the setting beta (the pilot's: 5), by the {NAMES[owner]}.",
            official=owner == "author",
            group="F",
        )
    for owner in OWNERS:
        yield MeasureColumn(
            key=f"F{SECONDARY}_{owner}",
            label=f"F, second beta, {NAMES[owner]}",
            help=f"The same with the setting beta_secondary (the pilot's: 2), by the {NAMES[owner]}.",
            group="F, second beta",
        )
    for who in PANEL:
        yield MeasureColumn(
            key=f"holistic_{who}",
            label=f"Holistic, {NAMES[who]}",
            help=f"5 C + 0.5 C O of the content and organization that the {NAMES[who]} gave, from 0 to 100.",
            group="Holistic",
        )
    for who in PANEL:
        for part in ("content", "organization"):
            yield MeasureColumn(
                key=f"{part}_{who}",
                label=f"{part.capitalize()}, {NAMES[who]}",
                help=f"{part.capitalize()} of the response, from 0 to 10, by the {NAMES[who]}.",
                group="Content and organization",
                ranks=False,
            )
    for owner in OWNERS:
        for key, text in (("NR", "vital nuggets returned over those on the list"), ("NP", "100 characters a nugget")):
            yield MeasureColumn(
                key=f"{key}_{owner}",
                label=f"{key}, {NAMES[owner]}",
                help=f"Nugget {'recall' if key == 'NR' else 'precision'}: {text}, by the {NAMES[owner]}.",
                group="Recall and precision",
                ranks=False,
            )
    yield MeasureColumn(
        key="length",
        label="Length",
        help="Non-white-space characters of the response; the mean over all questions.",
        group="Length",
        ranks=False,
    )


MEASURES = tuple(_columns())
NUGGET_MEASURES: dict[str, Callable[[NuggetScore], Fraction | None]] = {
    "F": lambda score: score.f,
    "NR": lambda score: score.recall,
    "NP": lambda score: score.precision,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnerResult:
    """A run's response to one question by one assessor's nuggets, with both betas. ``marks`` are string by string."""

    marks: tuple[tuple[Mark, ...], ...]
    score: NuggetScore
    secondary: NuggetScore


@dataclass(frozen=True, kw_only=True, slots=True)
class RunResult:
    """One run: its strings (docno, text) and, for each question and measure, the value; None is undefined."""

    strings: dict[str, tuple[tuple[str, str], ...]]
    owners: dict[tuple[str, str], OwnerResult]  # by question and owner
    values: dict[str, dict[str, Fraction | None]]

    def averaged(self, measure: str) -> dict[str, Fraction | None]:
        """What a mean is taken over. NR and NP count where F is defined, so that all are means of the same."""
        needed = f"F_{measure[3:]}" if measure[:3] in ("NR_", "NP_") else measure
        return {
            topic: values[measure] if values[needed] is not None else None
            for topic, values in self.values.items()
            if measure in values
        }


def score_run(gold: Gold, run: str, content: RunContent | None, settings: AquaintDefinitionSettings) -> Iterator[Score]:
    """All values of one run: questions in the order of the file, then "all".

    A question that an assessor did not judge has no value by that assessor, whatever was returned for it. A judged
    question that the run did not answer has 0. ``content`` may be None where the gold holds the responses.
    """
    result = run_result(gold, run, content, settings)
    for topic, values in result.values.items():
        for measure, value in values.items():
            yield Score(run=run, topic=topic, measure=measure, value=_number(value))
    for column in MEASURES:
        if any(column.key in values for values in result.values.values()):
            mean, count = mean_defined(result.averaged(column.key).values())
            yield Score(run=run, topic=ALL, measure=column.key, value=_number(mean), topics=count)


def run_result(gold: Gold, run: str, content: RunContent | None, settings: AquaintDefinitionSettings) -> RunResult:
    """Everything that the scores of one run are made of."""
    strings = _strings(gold, run, content)
    owners: dict[tuple[str, str], OwnerResult] = {}
    values: dict[str, dict[str, Fraction | None]] = {}
    for topic in gold.topics:
        given = strings.get(topic.number, ())
        found: dict[str, Fraction | None] = {}
        for owner in OWNERS:
            if topic.number in gold.panels[owner]:
                owners[topic.number, owner] = _owner_result(gold, owner, topic.number, run, given, settings)
                found |= _nugget_values(owner, owners[topic.number, owner])
        found |= _holistic_values(gold, topic.number, run, is_empty=not given)
        found["length"] = Fraction(sum(count_characters(text) for _, text in given))
        values[topic.number] = _ordered(found)
    return RunResult(strings=strings, owners=owners, values=values)


def _ordered(values: Mapping[str, Fraction | None]) -> dict[str, Fraction | None]:
    return {column.key: values[column.key] for column in MEASURES if column.key in values}


def _strings(gold: Gold, run: str, content: RunContent | None) -> dict[str, tuple[tuple[str, str], ...]]:
    """(docno, text) of each string by question, from the run's file or from the gold."""
    if content is None:
        kept = gold.responses.get(run, {})
        return {topic: tuple((item.docno, item.text) for item in items) for topic, items in kept.items()}
    found: dict[str, list[tuple[str, str]]] = {}
    for segment in content.segments():
        found.setdefault(segment.topic, []).append((segment.docno, segment.text))
    return {topic: tuple(strings) for topic, strings in found.items()}


def _owner_result(
    gold: Gold,
    owner: str,
    topic: str,
    run: str,
    given: tuple[tuple[str, str], ...],
    settings: AquaintDefinitionSettings,
) -> OwnerResult:
    panel = gold.panels[owner][topic]
    by_item = panel.marks.get(run, {})
    found = [mark for marks in by_item.values() for mark in marks]
    returned = nuggets_of_own_parts(found) if settings.own_parts else returned_nuggets(found, panel.parts)
    length = sum(count_characters(text) for _, text in given)
    score, secondary = (
        nugget_score(panel.weights, returned, length, beta=beta, allowance=settings.allowance)
        for beta in (settings.beta, settings.beta_secondary)
    )
    marks = tuple(by_item.get(place, ()) for place in range(1, len(given) + 1))
    return OwnerResult(marks=marks, score=score, secondary=secondary)


def _nugget_values(owner: str, result: OwnerResult) -> dict[str, Fraction | None]:
    values = {f"{measure}_{owner}": value(result.score) for measure, value in NUGGET_MEASURES.items()}
    return values | {f"F{SECONDARY}_{owner}": result.secondary.f}


def _holistic_values(gold: Gold, topic: str, run: str, *, is_empty: bool) -> dict[str, Fraction | None]:
    """Of each assessor who scored responses to this question: their scores of this one.

    An empty response that nobody could score has 0; one that was not scored is undefined.
    """
    found: dict[str, Fraction | None] = {}
    of_topic = gold.holistic.get(topic, {})
    for who in PANEL:
        if not any(getattr(scores, who) != (None, None) for scores in of_topic.values()):
            continue
        pair: Pair = getattr(of_topic[run], who) if run in of_topic else (None, None)
        content, organization = (0, 0) if pair == (None, None) and is_empty else pair
        known = content is not None and organization is not None
        found[f"holistic_{who}"] = holistic_score(content or 0, organization or 0) if known else None
        found[f"content_{who}"] = None if content is None else Fraction(content)
        found[f"organization_{who}"] = None if organization is None else Fraction(organization)
    return found


def chance(dice: Random) -> float:
    """The holistic score of a response by content and organization drawn from 0 to 10, as the pilot's control was."""
    return float(holistic_score(dice.randint(0, HIGHEST), dice.randint(0, HIGHEST)))


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
