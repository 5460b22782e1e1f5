"""The comparison that is preselected: the first question that two judges answered on the same topic."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations

from assess.assignments.models import Assignment
from assess.assignments.queries.pseudonyms import pseudonyms
from assess.campaigns.models import Campaign
from assess.judging.queries.judges import INDEPENDENT, OFFICIAL
from assess.kinds.agreement_questions import Question, questions_of

PRIMARY, SECOND, MACHINE = Assignment.Role.PRIMARY, Assignment.Role.SECOND, Assignment.Role.MACHINE


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """A question and the keys of the judges to compare on it."""

    question: Question
    judges: tuple[str, ...]


def first_choice(campaign: Campaign) -> Choice | None:
    """Return the preselected comparison, or None if no topic was given to two judges. Two queries.

    It compares primary and second assessors if both work on a topic; otherwise the official judgments with a machine's;
    or else the two people who share the most topics. For votes, the author of the nugget list counts as primary
    assessor.
    """
    names = pseudonyms(campaign)
    given: dict[str, dict[int, set[tuple[int, str]]]] = {}
    counting = campaign.assignments.filter(topic__dropped=False).order_by()
    rows = counting.values_list("stage", "topic_id", "assessor_id", "role").distinct()
    for stage, topic, assessor, role in rows:
        given.setdefault(stage, {}).setdefault(topic, set()).add((assessor, role))
    for question in questions_of(campaign):
        judges = _judges(list(given.get(question.stage, {}).values()), names)
        if judges:
            return Choice(question=question, judges=judges)
    authored = {topic for held in given.values() for topic, who in held.items() if PRIMARY in {role for _, role in who}}
    for question in questions_of(campaign):
        others = {topic for topic, who in given.get(question.stage, {}).items() if SECOND in {role for _, role in who}}
        if others & authored:
            return Choice(question=question, judges=("primary", "second"))
    return None


def _judges(topics: list[set[tuple[int, str]]], names: dict[int, str]) -> tuple[str, ...]:
    roles = [{role for _, role in held} for held in topics]
    if any({PRIMARY, SECOND} <= each for each in roles):
        return "primary", "second"
    machines = sorted({names[assessor] for held in topics for assessor, role in held if role == MACHINE})
    if machines:
        return OFFICIAL, machines[0]
    shared: Counter[tuple[str, str]] = Counter()
    for held in topics:
        people = sorted({names[assessor] for assessor, role in held if role in INDEPENDENT})
        shared.update(combinations(people, 2))
    pairs = sorted(shared, key=lambda pair: (-shared[pair], pair))
    return pairs[0] if pairs else ()
