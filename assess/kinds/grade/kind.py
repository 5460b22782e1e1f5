"""The kind of work "grade", in which items are graded one by one."""

from __future__ import annotations

from django.urls import URLPattern, path

from assess.exports.queries import grades, run_grades
from assess.kinds.base import BENCH, WorkKind, accepts_asked
from assess.kinds.grade import pages as grade
from assess.kinds.grade.adjudicate import ADJUDICATION
from assess.kinds.grade.agreement_questions import GRADES
from assess.kinds.grade.export import judged_acts
from assess.kinds.grade.pages import missing, page
from assess.kinds.grade.practice_page import practice
from assess.kinds.grade.recent import recent_grades
from assess.kinds.grade.replay import record_grades, replay_grades
from assess.kinds.grade.tally import counted_grade_tally, grade_tally
from assess.kinds.grade.trace import find_item
from assess.protocol import Grading
from scoring.release.recorded_acts import Judged

URLS: tuple[URLPattern, ...] = (
    path(f"{BENCH}judge/", grade.judge, name="judge"),
    path(f"{BENCH}lines/", grade.lines, name="work-lines"),
    path(f"{BENCH}items/<int:handle>/", grade.item, name="work-item"),
    path("c/<slug:slug>/practice/<str:stage>/", practice, name="practice"),
)


KIND = WorkKind(
    options=Grading,
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
    recent=recent_grades,
    replay=replay_grades,
    acts=judged_acts,
    collectors={"grades": grades, "run_grades": run_grades},
)
