"""Rehearsals of a campaign: what is asked, and what came of the newest. For organisers."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_safe

from assess.base.errors import NotFound, Refused
from assess.base.plotting import svg_response
from assess.campaigns.seats import access_as_organiser
from assess.rehearsals.choices import Wish, wish_of
from assess.rehearsals.domain import newest_rehearsal, start_rehearsal
from assess.scores.plots import Point, ranges_svg
from assess.web.page import render_page

PLAIN = Wish()


class RehearsalForm(forms.Form):
    """What is not as the campaign says."""

    runs = forms.IntegerField(required=False, label="Simulated runs", help_text="Empty: the accepted runs as they are.")
    assessors = forms.IntegerField(required=False, help_text="Empty: the members who are assessors.")
    error = forms.FloatField(
        initial=PLAIN.error, label="Error rate", help_text="How often a judgment is wrong, from 0 to 1."
    )
    seconds_per_item = forms.FloatField(
        required=False, label="Seconds an item", help_text="Empty: as measured here, else 30."
    )
    double = forms.FloatField(
        initial=PLAIN.double, label="Topics judged twice", help_text="Share of the topics, from 0 to 1."
    )
    relevant = forms.IntegerField(
        initial=PLAIN.relevant, required=False, label="Relevant items a topic", help_text="About so many."
    )
    plays = forms.IntegerField(initial=PLAIN.plays, help_text="More plays give surer ranges and take longer.")
    seed = forms.IntegerField(initial=PLAIN.seed, required=False, help_text="The same seed plays the same.")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def rehearsal(request: HttpRequest, slug: str) -> HttpResponse:
    """The form, and the newest rehearsal; a POST has one played in the background."""
    seat = access_as_organiser(request.user, slug)
    found = newest_rehearsal(seat.campaign)
    given = found.result["wish"] if found.result is not None else None
    form = RehearsalForm(request.POST if request.method == "POST" else None, initial=given)
    refused = None
    if request.method == "POST" and form.is_valid():
        try:
            start_rehearsal(actor=seat.user, campaign=seat.campaign, wish=wish_of(form.cleaned_data))
        except Refused as error:
            refused = error
        else:
            messages.success(request, "The rehearsal waits for the worker. Its result will stand here.")
            return redirect("rehearsal", slug)
    status = 200 if request.method != "POST" else 422 if refused is None else refused.status
    return render_page(
        request,
        "assess/rehearsals/rehearsal.html",
        seat,
        form=form,
        found=found,
        busy=found.under_way is not None and found.under_way.is_busy,
        refused=refused,
        status=status,
    )


@login_required
@require_safe
def rehearsal_plot(request: HttpRequest, slug: str) -> HttpResponse:
    """Hours and tau of a stage's ways, each with its range, as an SVG image."""
    seat = access_as_organiser(request.user, slug)
    result = newest_rehearsal(seat.campaign).result
    stages = result["stages"] if result is not None else []
    stage = next((each for each in stages if each["stage"] == request.GET.get("stage", "")), None)
    if stage is None:
        raise NotFound
    ways = stage["by_size"] or stage["by_double"]
    name = f"{stage['size_label'].lower()} " if stage["by_size"] else "twice "
    panels = [
        (title, list(_points(ways, key, name, by_size=bool(stage["by_size"]))))
        for title, key in (("Hours of all assessors", "hours"), ("Kendall's tau-b with the true order", "tau"))
    ]
    return svg_response(ranges_svg(panels, dark=request.GET.get("theme") == "dark"))


def _points(ways: list[dict[str, Any]], key: str, name: str, *, by_size: bool) -> list[Point]:
    """The ways where the value is defined, with its range."""
    return [
        (f"{name}{way['size'] if by_size else format(way['double'], '.0%')}", *(way[key][end] for end in ENDS))
        for way in ways
        if way[key]["value"] is not None
    ]


ENDS = ("value", "low", "high")
