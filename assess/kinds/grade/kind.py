"""Grading items one by one: the kind of work "grade"."""

from __future__ import annotations

from assess.domain.judging.machine_judges import record_grades
from assess.domain.judging.settled_grades import ADJUDICATION
from assess.kinds.base import WorkKind, accepts_asked
from assess.kinds.grade.export import judged_deeds
from assess.kinds.grade.replay import replay_grades
from assess.kinds.grade.urls import URLS
from assess.queries.analysis.judge_grades import GRADES
from assess.queries.exports.grades import grades
from assess.queries.exports.run_grades import run_grades
from assess.queries.judging.behind_items import find_item
from assess.queries.progress.counted_tally import counted_grade_tally
from assess.queries.progress.grade_tally import grade_tally
from assess.views.judging.grade import missing, page
from scoring.deeds import Judged

KIND = WorkKind(
    key="grade",
    page=page,
    urls=URLS,
    tally=grade_tally,
    missing=missing,
    counted=counted_grade_tally,
    asks_pooled=True,
    adjudication=ADJUDICATION,
    accepts=accepts_asked(Judged),
    record_machine=record_grades,
    questions=(GRADES,),
    trace={"item": find_item},
    replay=replay_grades,
    deeds=judged_deeds,
    collectors={"grades": grades, "run_grades": run_grades},
)
