"""Follow a row of an explained score to people's judgments of what it refers to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.base.errors import NotFound
from assess.judging.snapshots import Snapshot
from assess.kinds.trace import JudgmentTrace, find_trace
from assess.runs.queries import accepted_runs
from assess.scores.domain import ScoreCampaign, explain_run, score_campaign
from scoring.release.explained import About, Explanation, Step
from scoring.release.tables import ALL

ExplainValue = Callable[[str, str], Explanation]
STARTS = 8
"""The most means from which a path is searched."""
LONGEST = 3
"""The most values on a path."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reason:
    """One row of an explanation with its judgments. ``thing`` is None if nobody judged what the row refers to."""

    explanation: Explanation
    step: Step
    row: tuple[str, ...]
    about: About
    thing: JudgmentTrace | None


def row_name(step: int, row: int) -> str:
    """Return the name of a row in an address: "2.5" is the fifth row of the second step."""
    return f"{step}.{row}"


def judgments_behind(
    snapshot: Snapshot,
    *,
    run: str,
    topic: str,
    measure: str,
    row: str,
    explain: ExplainValue | None = None,
    with_machines: bool = False,
    score: ScoreCampaign = score_campaign,
) -> Reason:
    """Return the judgments behind one row of the explanation of a value.

    Raises `NotFound` if there is no such row, or if the row refers to nothing that is judged. Judgments of machine
    judges never count, and are included for organisers only (``with_machines``). ``explain`` explains the run's values
    if the run was read before.
    """
    explanation = (explain or explain_run(snapshot, run, score=score))(topic, measure)
    step, place = _found(explanation, row)
    about = step.about[place] if place < len(step.about) else None
    if about is None or about.kind == "score":
        raise NotFound(
            gettext("Nothing that was judged stands behind this row. Go back to the explanation of the value.")
        )
    stored = accepted_runs(snapshot.campaign).filter(tag=run).first()
    thing = find_trace(snapshot, about, run=stored)
    if thing is not None and not with_machines:
        thing = replace(thing, said=tuple(said for said in thing.said if said.role_key != Assignment.Role.MACHINE))
    return Reason(explanation=explanation, step=step, row=step.rows[place], about=about, thing=thing)


Place = tuple[str, str]
"""A value of a run: a topic (or series, or "all") and a measure."""


def path_to(
    snapshot: Snapshot,
    *,
    run: str,
    topic: str,
    measure: str,
    explain: ExplainValue | None = None,
    score: ScoreCampaign = score_campaign,
) -> list[Place]:
    """Return the values on the path from a run's mean down to this value, the mean first.

    The path begins at the measure's own mean. If there is none, it begins at the first mean (official ones first) that
    is computed from this value through at most three others. It is empty for a mean itself, and if no such mean is
    found. The run is read once, unless ``explain`` has read it before.
    """
    if topic == ALL:
        return []
    scores = score(snapshot, None)
    means = next((row.cells for row in scores.tables.of_topic().rows() if row.name == run), {})
    if measure in means:
        return [(ALL, measure)]
    number: str | None = topic
    parents = dict(snapshot.campaign.topics.values_list("number", "parent__number"))
    near = set()
    while number is not None and number not in near:
        near.add(number)
        number = parents.get(number)
    starts = [each.key for each in sorted(scores.measures, key=lambda each: not each.official) if each.key in means]
    explain = explain or explain_run(snapshot, run, score=score)
    for start in starts[:STARTS]:
        way = _way(explain, (topic, measure), [(ALL, start)], near)
        if way:
            return way
    return []


def _way(explain: ExplainValue, target: Place, way: list[Place], near: set[str]) -> list[Place]:
    """Return the whole path to the target, of which ``way`` is the beginning, through the topic and its groups alone.
    It is empty if there is none.
    """
    explanation = explain(*way[-1])
    below = [about for step in explanation.steps for about in step.about if about is not None and about.kind == "score"]
    places = [(about.topic, about.name) for about in below if about.topic in near]
    if target in places:
        return way
    for place in places:
        if len(way) < LONGEST and place not in way:
            found = _way(explain, target, [*way, place], near)
            if found:
                return found
    return []


def _found(explanation: Explanation, name: str) -> tuple[Step, int]:
    step, _, row = name.partition(".")
    if step.isdecimal() and row.isdecimal() and len(name) < 20:
        place, number = int(step) - 1, int(row) - 1
        if 0 <= place < len(explanation.steps) and 0 <= number < len(explanation.steps[place].rows):
            return explanation.steps[place], number
    raise NotFound(gettext("There is no such row. Go back to the explanation of the value."))
