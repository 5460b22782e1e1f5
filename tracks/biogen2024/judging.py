"""The stages of BioGen for each question: answers, their sentences, their citations, the aspects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from assess.protocol import Criterion, Grade, Grading, PoolRecipe, Stage, Task
from nuggets.options import ItemGrouping
from scoring.formats.pool_tables import escape_column, topic_order, unescape_column
from scoring.measures.citations import Necessity, Relation
from scoring.reading.opening import excerpt_of, records_of
from scoring.reading.sorting import sorted_externally, without_repeats
from scoring.records import InstanceJudgment, Issue
from scoring.wording import counted
from tracks.biogen2024.runs import ANSWER, CITATION, SENTENCE
from tracks.biogen2024.topics import TASK

REQUIRED = 3
NECESSITY_OF: dict[int, Necessity] = {REQUIRED: "required", 2: "borderline", 1: "unnecessary", 0: "inappropriate"}
RELATION_OF: dict[int, Relation] = {
    4: "supporting",
    3: "contradicting",
    2: "neutral",
    1: "not relevant",
    0: "invalid citation",
}
VALUE_OF_NECESSITY = {name: value for value, name in NECESSITY_OF.items()}
VALUE_OF_RELATION = {name: value for value, name in RELATION_OF.items()}
SUPPORTING, CONTRADICTING = VALUE_OF_RELATION["supporting"], VALUE_OF_RELATION["contradicting"]
YES, NO = 1, 0

ACCURACY = Criterion(
    key="accuracy",
    question="Is the answer accurate: does it answer the question, and is nothing in it wrong?",
    grades=(
        Grade(value=YES, key="1", name="yes", help="It answers the question and holds no false or misleading claim."),
        Grade(value=NO, key="2", name="no", help="It does not answer the question, or something in it is wrong."),
    ),
)

NECESSITY = Criterion(
    key="necessity",
    question="Does a complete answer to the question need this sentence?",
    grades=(
        Grade(value=REQUIRED, key="1", name="required", help="The answer is not complete without it."),
        Grade(value=2, key="2", name="borderline", help="Good to know, but not required."),
        Grade(
            value=1,
            key="3",
            name="unnecessary",
            help="It overloads the answer, is trivial, is off the topic, or says nothing but to see a doctor.",
        ),
        Grade(value=0, key="4", name="inappropriate", help="It may harm the person who asks, if they follow it."),
    ),
)

SUPPORT = Criterion(
    key="support",
    question="What does the abstract do to the sentence?",
    help="Select in the abstract what supports or contradicts the sentence; several snippets may be selected.",
    evidence="the snippet that supports or contradicts the sentence",
    evidence_for=(SUPPORTING, CONTRADICTING),
    grades=(
        Grade(
            value=SUPPORTING,
            key="1",
            name="supports",
            help="At least one statement supports or agrees with the sentence, and none contradicts it.",
        ),
        Grade(
            value=CONTRADICTING,
            key="2",
            name="contradicts",
            help="At least one statement disagrees with the sentence or states its opposite.",
        ),
        Grade(
            value=2,
            key="3",
            name="neutral",
            help="The abstract is on the topic of the sentence, but neither supports nor contradicts it.",
        ),
        Grade(value=1, key="4", name="not relevant", help="The abstract is not about what the sentence says."),
        Grade(value=0, key="5", name="invalid", help="There is no such abstract, or it cannot be read."),
    ),
)

QUESTION = Task(
    key=TASK,
    label="Question",
    topics_setting="judged_topics",
    pooling=tuple(PoolRecipe(kind=kind, priorities_setting="") for kind in (ANSWER, SENTENCE, CITATION)),
    stages=(
        Stage(
            key="answers",
            label="Judge answers",
            work=Grading(criteria=(ACCURACY,)),
            help="Judge whether each whole answer is accurate.",
            item_kind=ANSWER,
        ),
        Stage(
            key="sentences",
            label="Judge sentences",
            work=Grading(criteria=(NECESSITY,), in_response=True),
            help="Decide for each sentence whether a complete answer needs it.",
            item_kind=SENTENCE,
        ),
        Stage(
            key="citations",
            label="Judge citations",
            work=Grading(criteria=(SUPPORT,)),
            help="Say what each cited abstract does to its sentence, and select the snippet that does it.",
            item_kind=CITATION,
        ),
        Stage(
            key="aspects",
            label="Group aspects",
            work=ItemGrouping(grade=(NECESSITY.key, REQUIRED), may_add=False),
            help="Group the required sentences of all answers by what they say: one group for each aspect.",
            item_kind=SENTENCE,
            after="sentences",
            noun="required sentence",
        ),
    ),
)


# aspects.tsv: the required sentences of each question with their aspects, one on each line.
#
#     topic answer-class sentence          116    2       Weight loss reduces sleep apnea.
#
# A sentence that is judged for one run alone has its key (`scoring.own_items`) as an additional last column. The file
# is tab-separated and escaped like the project's other tables (`scoring.formats.pool_tables`). An answer class is named
# by its key in answer-classes.tsv.


def read_aspects(file: BinaryIO) -> Iterator[InstanceJudgment | Issue]:
    """Yield the sentences with their aspects, and an issue for each line that can't be read."""
    return records_of(file, _parse)


def write_aspects(records: Iterable[InstanceJudgment]) -> Iterator[str]:
    """Yield lines sorted by topic, class and sentence. Sentences that are in no class are left out, and equal lines are
    written once.
    """
    rows = ((r.topic, r.answer_class, r.text, r.key) for r in records if r.answer_class)
    ordered = sorted_externally(rows, key=lambda row: (topic_order(row[0]), topic_order(row[1]), *row[2:]))
    for *row, key in without_repeats(ordered):
        yield "\t".join(map(escape_column, [*row, key] if key else row))


def _parse(number: int, text: str) -> InstanceJudgment | Issue:
    columns = [unescape_column(column) for column in text.split("\t")]
    if len(columns) not in (3, 4) or not all(columns):
        message = (
            f"The line has {counted(len(columns), 'tab-separated column')}; it needs 3: topic answer-class sentence."
        )
        return Issue(where=number, code="columns", message=message, excerpt=excerpt_of(text))
    topic, label, sentence, *key = columns
    return InstanceJudgment(
        topic=topic, docno="", text=sentence, correctness=REQUIRED, answer_class=label, key="".join(key)
    )
