"""The page *Who judges what*: handing out, balancing, second assessors, handing over, and when work goes back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess.assignments.access import access_assignments
from assess.assignments.domain.assignments import return_assignment
from assess.assignments.domain.leases import change_work_rules, return_lapsed, work_rules_of
from assess.assignments.models import Assignment
from assess.assignments.own_teams import own_teams
from assess.assignments.queries.topics import all_stages, topics_to_judge, unassigned_stages, unassigned_text
from assess.assignments.queries.who_can_be_given_work import assessors_of, names_to_choose, unwilling_assessors
from assess.base.errors import NotFound, Refused
from assess.base.numbers import grouped
from assess.campaigns.models import Campaign
from assess.campaigns.seats import Seat, access_as_organiser
from assess.campaigns.track_texts import in_language
from assess.progress.domain import counts_at_hand
from assess.progress.queries.assignment_progress import progress_of_assignments
from assess.topics.queries import with_place
from assess.web.page import render_page
from assess.web.requests import add_refusal
from assess.web.table import Column, Table, make_table, rows_response
from assess.work.domain import (
    assign_seconds,
    balance_work,
    checked_sample,
    hand_out,
    hand_over,
    plan_double_judging,
    refused_people,
)
from assess.work.forms import HandOutForm, HandOverForm, SampleForm, WorkRulesForm
from assess.work.queries.balance import MatrixRow, balance_plan, matrix_rows
from assess.work.queries.double_judging import DoublePlan, Sample, double_stages
from assess.work.queries.stack import has_author, stack_of
from assess.work.views.bulk import SEARCHED, assignments_bulk

COLUMNS = (
    Column(key="topic", label=gettext_lazy("Topic"), value=lambda topic: topic.number, order="place"),
    Column(key="title", label=gettext_lazy("Title"), value=lambda topic: topic.text, order="text"),
)
TOPICS, WORKS = 15, 300  # on a page, the topics' assignments together: some hundred kilobytes
CSV_HEADER = ("Topic", "Title", "Items", "Stage", "Assessor", "Display name", "Role", "State", "Judged", "Left")


@login_required
@require_safe
def assignments(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show the matrix of assignments. As CSV, return a row for each assignment and for each stage that nobody has."""
    return _page(request, access_as_organiser(request.user, slug))


@login_required
@require_POST
def assignments_hand_out(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Hand out the marked cells to one person.

    If whole rows or columns are marked, first show which cells they contain, and hand out nothing.
    """
    seat = access_as_organiser(request.user, slug)
    people = {user.pk: user for user in assessors_of(seat.campaign)}
    form = HandOutForm(request.POST, assessors=names_to_choose(seat.campaign, people.values()))
    if not form.is_valid():
        return _page(request, seat, form=form)
    if any(name in request.POST for name in ("row", "column", "fitting")):
        return assignments_bulk(request, slug)  # first shows which cells these are
    person = people[int(form.cleaned_data["assessor"])]
    try:
        made = hand_out(
            actor=seat.user,
            campaign=seat.campaign,
            cells=request.POST.getlist("cell"),
            assessor=person,
            role=form.cleaned_data["role"],
        )
    except Refused as refused:
        add_refusal(form, refused)
        return _page(request, seat, form=form)
    messages.success(
        request,
        ngettext(
            "%(person)s has %(number)s assignment of these.",
            "%(person)s has %(number)s assignments of these.",
            len(made),
        )
        % {"person": person, "number": grouped(len(made))},
    )
    return redirect("assignments", slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assignments_balance(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the plan that balances the work. When posted, hand it out."""
    seat = access_as_organiser(request.user, slug)
    if request.method == "POST":
        made = balance_work(actor=seat.user, campaign=seat.campaign)
        messages.success(
            request,
            ngettext("%(number)s assignment handed out.", "%(number)s assignments handed out.", len(made))
            % {"number": grouped(len(made))},
        )
        return redirect("assignments", slug)
    plan = balance_plan(seat.campaign)
    unwilling = unwilling_assessors(seat.campaign)
    return render_page(request, "assess/work/assignments_balance.html", seat, plan=plan, unwilling=unwilling)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assignment_return(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Say what taking the assignment back does. When posted, take it back."""
    seat = access_as_organiser(request.user, slug)
    assignment = access_assignments(seat).filter(pk=assignment_id).exclude(state=Assignment.State.RETURNED).first()
    if assignment is None:
        raise NotFound
    assignment.campaign = seat.campaign
    if request.method == "POST":
        return_assignment(actor=seat.user, assignment=assignment)
        messages.success(
            request, gettext("The work is taken back from %(assessor)s.") % {"assessor": assignment.assessor}
        )
        return redirect("assignments", slug)
    piece = progress_of_assignments(seat.campaign, access_assignments(seat).filter(pk=assignment_id))[0]
    return render_page(request, "assess/work/return.html", seat, piece=piece, assignment=assignment)


def _csv(seat: Seat, table: Table) -> HttpResponseBase:
    rows = matrix_rows(seat.campaign, table.listing.page.paginator.object_list, counts_at_hand(seat.campaign))
    return rows_response(header=CSV_HEADER, rows=_csv_rows(rows), name=f"work-{seat.campaign.slug}.csv")


def _csv_rows(rows: Iterable[MatrixRow]) -> Iterator[tuple[object, ...]]:
    for row in rows:
        topic = row.topic.number, row.topic.text, row.items
        for cell in row.cells:
            stage = cell.stage.key if cell.stage is not None else ""
            for work, tally in cell.works:
                person = work.assessor.username, work.assessor.first_name
                yield (*topic, stage, *person, work.role, work.state, tally.done, tally.left)
            if stage and not cell.works:
                yield (*topic, stage, "", "", "", "unassigned", "", "")


def _topics_on_a_page(campaign: Campaign) -> int:
    """Return `TOPICS`, or fewer if so many people have work on each topic that a page would have more than `WORKS`
    assignments. One query.
    """
    live = campaign.assignments.exclude(state=Assignment.State.RETURNED)
    count = live.aggregate(works=Count("pk"), topics=Count("topic", distinct=True))
    return max(min(WORKS * count["topics"] // count["works"], TOPICS), 1) if count["works"] else TOPICS


def _page(request: HttpRequest, seat: Seat, *, form: HandOutForm | None = None) -> HttpResponseBase:
    went_back = return_lapsed(campaign=seat.campaign)
    judged = with_place(topics_to_judge(seat.campaign))
    per_page = _topics_on_a_page(seat.campaign)
    topics = make_table(request, judged, columns=COLUMNS, search=SEARCHED, order="topic", per_page=per_page)
    if topics.wants_csv:
        return _csv(seat, topics)
    people = assessors_of(seat.campaign)
    stack = stack_of(seat.campaign)
    unassigned = unassigned_stages(seat.campaign)
    lacking = len({topic for topic, _ in unassigned})
    return render_page(
        request,
        "assess/work/assignments.html",
        seat,
        table=topics,
        stages=all_stages(seat.campaign),
        rows=matrix_rows(seat.campaign, topics.rows),
        marked=set(request.POST.getlist("cell")),
        went_back=went_back,
        unassigned=unassigned and unassigned_text(seat.campaign, stages=len(unassigned), topics=lacking),
        stack=None if stack is None else len(stack),
        authored=stack == [] and has_author(seat.campaign),
        people=people,
        form=form or HandOutForm(assessors=names_to_choose(seat.campaign, people)),
        status=422 if form is not None else 200,
    )


# Giving a sample of the topics, or all, to second assessors: which, to whom, and how much, before it is done.

SHOWN = 200


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def double_judging(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form for second assessors; once it is filled in, show the plan; when posted, carry the plan out."""
    seat = access_as_organiser(request.user, slug)
    campaign = seat.campaign
    stages = [
        (stage.key, f"{in_language(task)}: {in_language(stage.label)}") for task, stage in double_stages(campaign)
    ]
    given = request.POST if request.method == "POST" else request.GET
    asked = bool(given.get("of"))
    form = SampleForm(given if asked else None, stages=stages)
    plan: DoublePlan | None = None
    if asked and form.is_valid():
        try:
            chosen, sample = form.cleaned_data["stages"], _sample(form.cleaned_data)
            if request.method == "POST":
                made = assign_seconds(actor=seat.user, campaign=campaign, stages=chosen, sample=sample)
                messages.success(
                    request,
                    ngettext(
                        "%(number)s assignment handed out to second assessors.",
                        "%(number)s assignments handed out to second assessors.",
                        len(made),
                    )
                    % {"number": grouped(len(made))},
                )
                return redirect("assignments", slug)
            plan = plan_double_judging(campaign=campaign, stages=chosen, sample=sample)
        except Refused as refused:
            add_refusal(form, refused)
    return render_page(
        request,
        "assess/work/double_judging.html",
        seat,
        form=form,
        plan=plan,
        shown=list(plan.works[:SHOWN]) if plan is not None else [],
        status=422 if form.errors or (request.method == "POST" and not asked) else 200,
    )


def _sample(cleaned: dict[str, Any]) -> Sample:
    of, amount, seed = cleaned["of"], cleaned["amount"], cleaned["seed"]
    if of == "share":
        return checked_sample(share=amount / 100, seed=seed)
    return checked_sample(number=amount if of == "number" else None, seed=seed)


# Hand one assignment over; the rules for handing work out and for its return.


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assignment_hand_over(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Ask who continues the assignment, and say what handing it over does. When posted, hand it over."""
    seat = access_as_organiser(request.user, slug)
    found = access_assignments(seat).filter(pk=assignment_id).exclude(state=Assignment.State.RETURNED)
    assignment = found.first()
    if assignment is None:
        raise NotFound
    assignment.campaign = seat.campaign
    own, kept_out = own_teams(seat.campaign), refused_people(assignment)
    people = {
        user.pk: user
        for user in assessors_of(seat.campaign)
        if user.pk not in kept_out and (user.pk not in own or assignment.topic_id not in own[user.pk].topics)
    }
    bound = request.method == "POST"
    names = names_to_choose(seat.campaign, people.values())
    form = HandOverForm(request.POST if bound else None, assessors=names)
    if bound and form.is_valid():
        to = people[int(form.cleaned_data["to"])]
        try:
            hand_over(actor=seat.user, assignment=assignment, to=to)
        except Refused as refused:
            add_refusal(form, refused)
        else:
            messages.success(
                request,
                gettext("%(to)s goes on with %(number)s from where %(assessor)s was.")
                % {"to": to, "number": assignment.topic.number, "assessor": assignment.assessor},
            )
            return redirect("assignments", slug)
    return render_page(
        request,
        "assess/work/hand_over.html",
        seat,
        assignment=assignment,
        piece=progress_of_assignments(seat.campaign, found)[0],
        people=people,
        form=form,
        status=422 if form.errors else 200,
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def work_rules(request: HttpRequest, slug: str) -> HttpResponse:
    """Show and change when work goes back by itself, and whether assessors may take primary work."""
    seat = access_as_organiser(request.user, slug)
    campaign = seat.campaign
    bound = request.method == "POST"
    form = WorkRulesForm(request.POST if bound else None, present=work_rules_of(campaign))
    if bound and form.is_valid():
        try:
            change_work_rules(actor=seat.user, campaign=campaign, **form.cleaned_data)
        except Refused as refused:
            form.add_refusal(refused)
        else:
            messages.success(request, gettext("The rules of work are saved."))
            return redirect("work-rules", slug)
    live = campaign.assignments.filter(
        topic__dropped=False, state__in=(Assignment.State.OPEN, Assignment.State.STARTED)
    ).count()
    return render_page(
        request,
        "assess/work/work_rules.html",
        seat,
        form=form,
        live=live,
        status=422 if form.errors else 200,
    )
