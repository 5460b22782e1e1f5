"""Why a run got a value: the nuggets, strings and lengths, the two holistic scores, or the questions behind a mean."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from assess.protocol import About, Explanation, RunContent, Step
from scoring.arithmetic import exact, mean_formula, sum_formula
from scoring.folding import answer_key, count_characters
from scoring.measures.holistic import explain_holistic
from scoring.measures.nuggets import explain_nugget_score, show
from scoring.measures.series import mean_defined
from scoring.own_items import own_key
from tracks.aquaint_definition.files import RESPONSE, STRING, response_key
from tracks.aquaint_definition.gold import PANEL, Gold
from tracks.aquaint_definition.scores import ALL, MEASURES, NUGGET_MEASURES, SECONDARY, RunResult, run_result
from tracks.aquaint_definition.settings import AquaintDefinitionSettings


def explain_score(
    gold: Gold,
    run: str,
    content: RunContent | None,
    settings: AquaintDefinitionSettings,
    topic: str,
    measure: str,
) -> Explanation | None:
    """The rows behind one value that `score_run` gives, with the formula filled in; None where it gives no such value.

    ``topic`` is a question or "all".
    """
    result = run_result(gold, run, content, settings)
    if topic == ALL:
        return _explain_mean(run, result, measure)
    if measure not in result.values.get(topic, {}):
        return None
    kind, _, owner = measure.rpartition("_")
    if kind.removesuffix(SECONDARY) in NUGGET_MEASURES:
        return _explain_nuggets(gold, run, result, settings, topic, measure, owner)
    if owner in PANEL:
        return _explain_holistic(gold, run, result, settings, topic, measure, kind, owner)
    return _explain_length(run, result, settings, topic, measure)


def _explain_nuggets(
    gold: Gold,
    run: str,
    result: RunResult,
    settings: AquaintDefinitionSettings,
    topic: str,
    measure: str,
    owner: str,
) -> Explanation:
    panel, found = gold.panels[owner][topic], result.owners[topic, owner]
    is_secondary = SECONDARY in measure
    strings = [
        (docno, text, marks) for (docno, text), marks in zip(result.strings.get(topic, ()), found.marks, strict=True)
    ]
    return explain_nugget_score(
        found.secondary if is_secondary else found.score,
        run=run,
        topic=topic,
        measure=measure,
        nuggets=panel.nuggets,
        votes=(),
        weights=panel.weights,
        strings=strings,
        beta=settings.beta_secondary if is_secondary else settings.beta,
        allowance=settings.allowance,
        owner="author" if owner == "author" else "other assessor",
        role="primary" if owner == "author" else "second",
        item_kind=STRING,
        item_keys=_item_keys(run, result, settings, topic),
        is_voted=False,
    )


def _explain_holistic(
    gold: Gold,
    run: str,
    result: RunResult,
    settings: AquaintDefinitionSettings,
    topic: str,
    measure: str,
    kind: str,
    owner: str,
) -> Explanation:
    value = result.values[topic][measure]
    content, organization = result.values[topic][f"content_{owner}"], result.values[topic][f"organization_{owner}"]
    if value is None:
        formula = f"undefined: the {owner} did not score this response"
    elif not result.strings.get(topic) and run not in gold.holistic.get(topic, {}):
        formula = f"{measure} = 0, since nothing was returned for this question"
    elif kind == "holistic" and content is not None and organization is not None:
        formula = explain_holistic(int(content), int(organization))
    else:
        formula = f"{kind} = {show(value)}, as the {owner} gave it"
    rows = (("content", _shown(content)), ("organization", _shown(organization)))
    given = [text for _, text in result.strings.get(topic, ())]
    key = response_key(given)
    is_own = settings.judge_each or (not given and run in gold.holistic.get(topic, {}))
    name = own_key(key, run) if is_own else key
    response = About(kind="item", topic=topic, name=RESPONSE, key=name) if given or is_own else None
    about = (response, response)
    step = Step(label=f"What the {owner} gave", value="", header=("criterion", "0 to 10"), rows=rows, about=about)
    arithmetic = "" if value is None else exact(value)
    if kind == "holistic" and content is not None and organization is not None:
        arithmetic = f"5 × {exact(content)} + {exact(content)} × {exact(organization)} / 2"
    return Explanation(
        run=run,
        topic=topic,
        measure=measure,
        value=_number(value),
        formula=formula,
        steps=(step,),
        arithmetic=arithmetic,
    )


def _explain_length(
    run: str, result: RunResult, settings: AquaintDefinitionSettings, topic: str, measure: str
) -> Explanation:
    value = result.values[topic][measure]
    rows = tuple(
        (str(place), docno, str(count_characters(text)), text)
        for place, (docno, text) in enumerate(result.strings.get(topic, ()), start=1)
    )
    header = ("string", "document", "characters", "answer-text")
    keys = _item_keys(run, result, settings, topic)
    about = tuple(About(kind="item", topic=topic, name=STRING, key=key) for key in keys)
    step = Step(label="Strings", value=str(len(rows)), header=header, rows=rows, about=about)
    formula = f"{measure} = {_shown(value)} characters that are not white space, in the rows below"
    return Explanation(
        run=run,
        topic=topic,
        measure=measure,
        value=_number(value),
        formula=formula,
        steps=(step,),
        arithmetic=sum_formula(count_characters(text) for _, text in result.strings.get(topic, ())),
    )


def _item_keys(run: str, result: RunResult, settings: AquaintDefinitionSettings, topic: str) -> list[str]:
    """The keys of the items of a run's strings, in their order."""
    keys = [answer_key(text, docno) for docno, text in result.strings.get(topic, ())]
    if not settings.judge_each:
        return keys
    return [own_key(key, run, keys[:place].count(key)) for place, key in enumerate(keys, start=1)]


def _explain_mean(run: str, result: RunResult, measure: str) -> Explanation | None:
    if measure not in {column.key for column in MEASURES}:
        return None
    parts = result.averaged(measure)
    if not parts:
        return None
    value, count = mean_defined(parts.values())
    total = sum((part for part in parts.values() if part is not None), Fraction(0))
    formula = f"{measure} = {show(total)} / {count} = {_shown(value)}" if count else "undefined: nothing to average"
    rows = tuple((topic, _shown(part)) for topic, part in parts.items())
    step = Step(label="Questions", value=f"{count} of {len(parts)} averaged", header=("question", measure), rows=rows)
    about = tuple(About(kind="score", topic=each, name=measure) for each in parts)
    return Explanation(
        run=run,
        topic=ALL,
        measure=measure,
        value=_number(value),
        formula=formula,
        steps=(replace(step, about=about),),
        arithmetic=mean_formula(parts.values()),
    )


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _shown(value: Fraction | None) -> str:
    return "undefined" if value is None else show(value)
