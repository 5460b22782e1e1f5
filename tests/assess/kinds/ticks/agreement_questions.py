"""What judges are compared on, and what stands behind a score."""

from __future__ import annotations

from collections.abc import Iterator

from assess.campaigns.queries import track_of
from assess.judging.queries.judges import values_of
from assess.judging.queries.stage_items import item_about
from assess.judging.snapshots import Snapshot
from assess.kinds.agreement_questions import Question, Values, ValueSource
from assess.kinds.grade.agreement_questions import shown_items
from assess.kinds.trace import JudgmentTrace, act_of, rows_by, rows_until, traced_opinion
from assess.models import Campaign, Judgment, Run
from scoring.release.explained import About

from .record import TICK, WORK


def questions(campaign: Campaign) -> Iterator[Question]:
    for stage in (stage for task in track_of(campaign).tasks for stage in task.stages if stage.work.key == WORK):
        yield Question(
            stage=stage.key,
            criterion=TICK,
            label=f"{stage.label}: does it matter?",
            asked="Does it matter?",
            level="nominal",
            scale=((0.0, "no"), (1.0, "yes")),
            relevant=1.0,
        )


def values(snapshot: Snapshot, question: Question, judge: str) -> Values:
    return values_of(snapshot, judge, TICK)


def find_ticks(snapshot: Snapshot, about: About, run: Run | None) -> JudgmentTrace | None:
    item = item_about(snapshot.campaign, about, run)
    if item is None:
        return None
    ticks = rows_until(Judgment.objects.filter(item=item, criterion=TICK), snapshot.as_of)
    said = [
        traced_opinion(rows[-1], "Does it matter?", [act_of(row, str(row.value)) for row in rows], counts=False)
        for rows in rows_by(ticks.select_related("assignment", "assessor"), lambda row: row.assessor_id)
    ]
    return JudgmentTrace(title="statement", text=item.text, said=tuple(said))


MATTERS = ValueSource(key=TICK, questions=questions, values=values, shown=shown_items)
