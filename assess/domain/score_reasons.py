"""From a row of an explained score to what people said of the thing that it stands for."""

from __future__ import annotations

from dataclasses import dataclass

from assess.behind import Thing, find_behind
from assess.domain.errors import NotFound
from assess.domain.scores import explain_score
from assess.models import Campaign
from assess.queries.runs import accepted_runs
from scoring.records import About, Explanation, Step


@dataclass(frozen=True, kw_only=True, slots=True)
class Reason:
    """One row of an explanation with what stands behind it; ``thing`` is None where nobody said anything of it."""

    explanation: Explanation
    step: Step
    row: tuple[str, ...]
    about: About
    thing: Thing | None


def row_name(step: int, row: int) -> str:
    """How an address names a row: "2.5" is the fifth row of the second step."""
    return f"{step}.{row}"


def reason_behind(
    campaign: Campaign, *, run: str, topic: str, measure: str, row: str, as_of: int | None = None
) -> Reason:
    """What stands behind one row of the explanation of one value; `NotFound` where there is no such row."""
    explanation = explain_score(campaign, run, topic, measure, as_of)
    step, place = _found(explanation, row)
    about = step.about[place] if place < len(step.about) else None
    if about is None or about.kind == "score":
        raise NotFound("Nothing that was judged stands behind this row. Go back to the explanation of the value.")
    stored = accepted_runs(campaign).filter(tag=run).first()
    thing = find_behind(campaign, about, run=stored, as_of=as_of)
    return Reason(explanation=explanation, step=step, row=step.rows[place], about=about, thing=thing)


def _found(explanation: Explanation, name: str) -> tuple[Step, int]:
    step, _, row = name.partition(".")
    if step.isdecimal() and row.isdecimal() and len(name) < 20:
        place, number = int(step) - 1, int(row) - 1
        if 0 <= place < len(explanation.steps) and 0 <= number < len(explanation.steps[place].rows):
            return explanation.steps[place], number
    raise NotFound("There is no such row. Go back to the explanation of the value.")
