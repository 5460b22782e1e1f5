"""A track that only tests know: own nugget lists, lists from documents alone, and grouping of sentences."""

from __future__ import annotations

from dataclasses import replace

from django.contrib.auth.models import User

from assess.models import Assignment, Campaign, Item, Topic
from assess.protocol import Criterion, Export, Grade, Grading, PoolRecipe, Stage, Task, Track
from nuggets.matches.record import MatchInput, record_match
from nuggets.models import Nugget
from nuggets.options import ItemGrouping, Matching, NuggetWriting
from tests import factories
from tests.nuggets.keys import key
from tracks.tac2008_qa import TRACK as MODEL

REQUIRED = Criterion(
    key="required",
    question="Is the sentence needed in a good answer?",
    grades=(Grade(value=1, key="1", name="required"), Grade(value=0, key="2", name="unnecessary")),
)

DEFINITION = Task(
    key="definition",
    label="Definition",
    pooling=(PoolRecipe(kind="instance"),),
    stages=(
        Stage(
            key="write", label="Write nuggets", work=NuggetWriting(), help="Write.", item_kind="instance", second=True
        ),
        Stage(
            key="find",
            label="Find nuggets",
            work=Matching(partial=True),
            help="Mark.",
            item_kind="instance",
            after="write",
            own=True,
            second=True,
        ),
    ),
)

GROUNDING = Task(
    key="grounding",
    label="Grounding",
    pooling=(),
    stages=(
        Stage(
            key="ground",
            label="Ground the claim",
            work=NuggetWriting(groups=(("who", "Who"), ("what", "What"), ("how", "How")), asks_importance=False),
            help="Select snippets.",
            noun="description",
        ),
    ),
)

ASPECTS = Task(
    key="aspects",
    label="Aspects",
    pooling=(PoolRecipe(kind="sentence"),),
    stages=(
        Stage(
            key="judge",
            label="Judge",
            work=Grading(criteria=(REQUIRED,)),
            help="Judge.",
            item_kind="sentence",
        ),
        Stage(
            key="aspects",
            label="Group sentences",
            work=ItemGrouping(grade=("required", 1), may_add=False),
            help="Group.",
            item_kind="sentence",
            after="judge",
            noun="sentence",
        ),
    ),
)

ANSWERS = Task(
    key="answers",
    label="Answers",
    pooling=(PoolRecipe(kind="response"),),
    stages=(
        Stage(key="list", label="Write nuggets", work=NuggetWriting(), help="Write.", item_kind="response"),
        Stage(
            key="support",
            label="Find nuggets",
            work=Matching(partial=True),
            help="Mark.",
            item_kind="response",
            after="list",
        ),
    ),
)

WORKSHOP: Track = replace(
    MODEL,
    key="workshop",
    label="Workshop",
    tasks=(DEFINITION, GROUNDING, ASPECTS, ANSWERS),
    exports=tuple(export for export in MODEL.exports if isinstance(export, Export) and "judgments" in export.name),
)
TRACKS: tuple[Track, ...] = (MODEL, WORKSHOP)


def workshop_campaign(organiser: User, slug: str) -> Campaign:
    """A campaign of the track with one topic of each task: d1, g1, a1."""
    made = factories.campaign(organiser=organiser, slug=slug, track=WORKSHOP.key)
    Topic.objects.filter(campaign=made).delete()
    for place, (number, task) in enumerate([("d1", "definition"), ("g1", "grounding"), ("a1", "aspects")]):
        factories.topic(made, number, f"What is {number}?", task=task, ordinal=place)
    return made


def mark(assignment: Assignment, nugget: Nugget, item: Item, name: str, value: str = "full") -> None:
    match = MatchInput(nugget=nugget, item=item, client_key=key(name), value=value)
    record_match(actor=assignment.assessor, assignment=assignment, match=match)
