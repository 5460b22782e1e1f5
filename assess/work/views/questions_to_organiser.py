"""Questions that assessors asked, and the organiser's answers."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from assess.assignments.access import access_help_request
from assess.assignments.domain.questions_to_organiser import answer_question, answer_values
from assess.assignments.models import HelpRequest
from assess.base.errors import Refused
from assess.campaigns.queries import stage_of
from assess.campaigns.seats import access_as_organiser
from assess.web.forms import AnswerForm
from assess.web.page import render_page
from assess.web.table import Column, Filter, Option, csv_response, make_table

COLUMNS = (
    Column(
        key="asked",
        label=gettext_lazy("Asked"),
        value=lambda each: each.asked_at.isoformat(timespec="seconds"),
        order="id",
    ),
    Column(
        key="topic",
        label=gettext_lazy("Topic"),
        value=lambda each: each.assignment.topic.number,
        order="assignment__topic__number",
    ),
    Column(
        key="assessor",
        label=gettext_lazy("Assessor"),
        value=lambda each: each.assignment.assessor.username,
        order="assignment__assessor__username",
    ),
    Column(key="text", label=gettext_lazy("Question")),
    Column(key="item", label=gettext_lazy("About"), value=lambda each: each.item.text if each.item else ""),
    Column(key="answer", label=gettext_lazy("Answer")),
    Column(
        key="excused", label=gettext_lazy("Excused"), value=lambda each: "yes" if each.excused else "", order="excused"
    ),
)

FILTERS = (
    Filter(
        key="answered",
        label=gettext_lazy("Show"),
        options=(
            Option(value="no", label=gettext_lazy("waiting"), where=Q(answered_at=None)),
            Option(value="yes", label=gettext_lazy("answered"), where=Q(answered_at__isnull=False)),
        ),
    ),
)


@login_required
@require_safe
def questions(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show all questions, newest first, as a page or as CSV."""
    seat = access_as_organiser(request.user, slug)
    rows = HelpRequest.objects.filter(assignment__campaign=seat.campaign).select_related(
        "assignment__topic", "assignment__assessor", "item", "answered_by"
    )
    table = make_table(
        request, rows, columns=COLUMNS, filters=FILTERS, search=("text", "answer", "item__text"), order="-asked"
    )
    if table.wants_csv:
        return csv_response(table, name="questions.csv")
    return render_page(request, "assess/work/questions.html", seat, table=table)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def question(request: HttpRequest, slug: str, help_id: int) -> HttpResponse:
    """Show one question, with the form to answer it. When posted, store the answer."""
    seat = access_as_organiser(request.user, slug)
    found = access_help_request(seat, help_id)
    found.assignment.campaign = seat.campaign
    form = AnswerForm(request.POST if request.method == "POST" else None, present=answer_values(found))
    if request.method == "POST" and form.is_valid():
        try:
            answer_question(actor=seat.user, request=found, **form.cleaned_data)
        except Refused as refused:
            form.add_refusal(refused)
        else:
            messages.success(request, gettext("The assessor can read your answer now."))
            return redirect("questions", slug)
    _, stage = stage_of(seat.campaign, found.assignment.stage)
    return render_page(
        request,
        "assess/work/question.html",
        seat,
        question=found,
        stage=stage,
        form=form,
        status=422 if form.errors else 200,
    )
