"""The kind of work "classes", which is grouping answers that say the same."""

from __future__ import annotations

from django.urls import URLPattern, path

from assess.kinds.base import BENCH, WorkKind, accepts_acts
from assess.topic_drafts.models import DraftFind
from nuggets.classes import pages as classes
from nuggets.classes.adjudicate import GROUPINGS
from nuggets.classes.export import answer_classes, classed_acts, instance_judgments, judged_responses, list_judged
from nuggets.classes.found_answers import begin_classes
from nuggets.classes.models import ClassEdit
from nuggets.classes.pages import page
from nuggets.classes.recent import recent_classes
from nuggets.classes.replay import replay_classes
from nuggets.classes.tally import missing_classes, tally_classes
from nuggets.classes.trace import find_class, find_grouped_item
from nuggets.options import ItemGrouping
from scoring.release.recorded_acts import AnswerFound, Classed

URLS: tuple[URLPattern, ...] = (
    path(f"{BENCH}classes/", classes.edit, name="classes-edit"),
    path(f"{BENCH}classes/answers/<int:handle>/document/", classes.answer_document, name="classes-document"),
)


KIND = WorkKind(
    options=ItemGrouping,
    page=page,
    urls=URLS,
    tally=tally_classes,
    missing=missing_classes,
    ledgers=((ClassEdit, "assignment"),),
    begin=begin_classes,
    finds=DraftFind.Kind.ANSWER.value,
    adjudication=GROUPINGS,
    accepts=accepts_acts(Classed, AnswerFound),
    trace={"class": find_class, "item": find_grouped_item},
    recent=recent_classes,
    replay=replay_classes,
    acts=classed_acts,
    collectors={
        "instance_judgments": instance_judgments,
        "answer_classes": answer_classes,
        "list_judged": list_judged,
        "judged_responses": judged_responses,
    },
)
