"""Giving a sample of the topics, or all, to second assessors: which, to whom, and how much, before it is done."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from assess.base.errors import Refused
from assess.base.wording import counted
from assess.campaigns.seats import access_as_organiser
from assess.web.page import render_page
from assess.web.requests import add_refusal
from assess.work.domain.double_judging import assign_seconds, checked_sample, plan_double_judging
from assess.work.forms import SampleForm
from assess.work.queries.double_judging import DoublePlan, Sample, double_stages

SHOWN = 200


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def double_judging(request: HttpRequest, slug: str) -> HttpResponse:
    """The form; with it filled in in the address, the plan; posted, the plan is done."""
    seat = access_as_organiser(request.user, slug)
    campaign = seat.campaign
    stages = [(stage.key, f"{task}: {stage.label}") for task, stage in double_stages(campaign)]
    given = request.POST if request.method == "POST" else request.GET
    asked = bool(given.get("of"))
    form = SampleForm(given if asked else None, stages=stages)
    plan: DoublePlan | None = None
    if asked and form.is_valid():
        try:
            chosen, sample = form.cleaned_data["stages"], _sample(form.cleaned_data)
            if request.method == "POST":
                made = assign_seconds(actor=seat.user, campaign=campaign, stages=chosen, sample=sample)
                messages.success(request, f"{counted(len(made), 'piece')} of work handed out to second assessors.")
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
