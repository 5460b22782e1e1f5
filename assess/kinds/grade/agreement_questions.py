"""Grades and picks as questions on which judges are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext

from assess.campaigns.models import Campaign
from assess.campaigns.queries import stage_of, track_of
from assess.campaigns.track_texts import in_language
from assess.items.models import Item
from assess.judging.queries.judges import values_of
from assess.judging.snapshots import Snapshot
from assess.kinds.agreement_questions import LEVELS, Level, Question, Shown, Thing, Values, ValueSource
from assess.protocol import Criterion, Stage
from scoring.own_items import key_in_words


def grade_questions(campaign: Campaign) -> Iterator[Question]:
    """Yield a question for each graded criterion of the campaign's stages, in the track's order."""
    for task in track_of(campaign).tasks:
        for each in task.stages:
            _, stage = stage_of(campaign, each.key)
            for criterion in (each for each in stage.criteria if each.answer == "grade"):
                yield _question(stage, criterion)


def grade_values(snapshot: Snapshot, question: Question, judge: str) -> Values:
    """Return a judge set's values for the question."""
    return values_of(snapshot, judge, question.criterion)


def shown_items(campaign: Campaign, question: Question, things: Sequence[Thing]) -> dict[Thing, Shown]:
    """Return the items by (topic number, "kind:key"), with their text, or their key if they have none. One query."""
    del question
    wanted = set(things)
    keys = {name.partition(":")[2] for _, name in wanted}
    items = Item.objects.filter(
        topic__campaign=campaign, topic__number__in={topic for topic, _ in wanted}, key__in=keys
    )
    found = {}
    for topic, kind, key, text, docno in items.values_list("topic__number", "kind", "key", "text", "docno"):
        if (thing := (topic, f"{kind}:{key}")) in wanted:
            found[thing] = Shown(text=text or key_in_words(key), docno=docno)
    return found


def _question(stage: Stage, criterion: Criterion) -> Question:
    if criterion.ranks:
        return Question(
            stage=stage.key,
            criterion=criterion.key,
            label=f"{in_language(stage.label)}: {in_language(criterion.question)}",
            asked=criterion.question,
            level="ordinal",
            scale=tuple((float(place), f"place {place}") for place in range(1, criterion.ranks + 1)),
            relevant=None,
            note=gettext("Only what both picked is compared: the places they gave it."),
        )
    level: Level = next((known for known in LEVELS if known == criterion.level), "nominal")
    grades = criterion.grades if level == "nominal" else sorted(criterion.grades, key=lambda grade: grade.value)
    return Question(
        stage=stage.key,
        criterion=criterion.key,
        label=f"{in_language(stage.label)}: {in_language(criterion.question)}",
        asked=criterion.question,
        level=level,
        scale=tuple((float(grade.value), grade.name) for grade in grades),
        relevant=_relevant(criterion, level),
        note=gettext("“%(name)s” is no grade and is not compared.") % {"name": in_language(criterion.unsure.name)}
        if criterion.unsure is not None
        else "",
    )


def _relevant(criterion: Criterion, level: Level) -> float | None:
    """Return `Question.relevant`: the last grade of a nominal scale, otherwise the lowest grade above 0, or the last
    one if none is above 0. None if the criterion has no grades.
    """
    if not criterion.grades:
        return None
    if level == "nominal":
        return float(criterion.grades[-1].value)
    return float(
        min((grade.value for grade in criterion.grades if grade.value > 0), default=criterion.grades[-1].value)
    )


GRADES = ValueSource(key="grades", questions=grade_questions, values=grade_values, shown=shown_items)
