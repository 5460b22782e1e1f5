"""Pages on which an organiser sets the track's settings, the dates, the time zone and the guidelines."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess.base.errors import NotFound, Refused
from assess.base.track_settings import SettingsError
from assess.campaigns.changed_since import CHANGED
from assess.campaigns.dates import (
    PAST,
    deadline_values,
    deadline_words,
    release_values,
    release_words,
    set_deadline,
    set_release_dates,
    set_time_zone,
    zone_words,
)
from assess.campaigns.domain import guideline_values, publish_guideline
from assess.campaigns.models import Campaign, Drafts, Part
from assess.campaigns.queries import track_of
from assess.campaigns.seats import Seat, access_as_organiser
from assess.organising.domain import change_settings
from assess.runs.domain.submission_rules import deadline_effect
from assess.runs.forms import DeadlineForm, ReleaseDatesForm, TimeZoneForm
from assess.web.forms import SettingsForm, TextForm
from assess.web.made_from import FIELD
from assess.web.page import render_page


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Show and change the settings that the track allows an organiser to set."""
    seat = access_as_organiser(request.user, slug)
    track = track_of(seat.campaign)
    bound = request.method == "POST"
    form = SettingsForm(request.POST if bound else None, track=track, campaign=seat.campaign)
    if bound and form.is_valid() and _settings_hold(form, seat.campaign):
        try:
            made_from = form.cleaned_data[FIELD]
            change_settings(actor=seat.user, campaign=seat.campaign, values=form.values(), made_from=made_from)
        except Refused as refused:
            form.add_refusal(refused)
        else:
            messages.success(request, gettext("The settings are saved."))
            return redirect("settings", slug)
    return _page(request, seat, form=form)


@login_required
@require_POST
def deadline(request: HttpRequest, slug: str) -> HttpResponse:
    """Store the deadline for runs."""
    seat = access_as_organiser(request.user, slug)
    form = DeadlineForm(request.POST, prefix="deadline", present=deadline_values(seat.campaign))
    asks_past = False
    if form.is_valid():
        try:
            campaign = set_deadline(actor=seat.user, campaign=seat.campaign, **form.cleaned_data)
        except Refused as refused:
            asks_past = refused.code == PAST
            form.add_refusal(refused if refused.code == CHANGED else type(refused)(refused.message, field="due"))
        else:
            words = deadline_words(campaign)
            said = (
                gettext("Runs are due by %(words)s.") % {"words": words} if words else gettext("Runs have no deadline.")
            )
            messages.success(request, f"{said} {deadline_effect(campaign)}".strip())
            return redirect("settings", slug)
    return _page(request, seat, deadline_form=form if asks_past else form.without_past())


@login_required
@require_POST
def time_zone(request: HttpRequest, slug: str) -> HttpResponse:
    """Store the time zone in which the campaign's days begin."""
    seat = access_as_organiser(request.user, slug)
    form = TimeZoneForm(request.POST, prefix="zone")
    if form.is_valid():
        try:
            campaign = set_time_zone(actor=seat.user, campaign=seat.campaign, **form.cleaned_data)
        except Refused as refused:
            form.add_error("time_zone", refused.message)
        else:
            messages.success(
                request,
                gettext("Days begin and end in %(zone_words)s.") % {"zone_words": zone_words(campaign.time_zone)},
            )
            return redirect("settings", slug)
    return _page(request, seat, zone_form=form)


@login_required
@require_POST
def release_dates(request: HttpRequest, slug: str) -> HttpResponse:
    """Store when participants first see topics, document lists and the package."""
    seat = access_as_organiser(request.user, slug)
    form = ReleaseDatesForm(request.POST, prefix="release", present=release_values(seat.campaign))
    if form.is_valid():
        made_from = form.cleaned_data[FIELD]
        try:
            set_release_dates(actor=seat.user, campaign=seat.campaign, dates=form.values(), made_from=made_from)
        except Refused as refused:
            form.add_refusal(refused)
        else:
            messages.success(request, gettext("The release dates are saved."))
            return redirect("settings", slug)
    return _page(request, seat, dates_form=form)


def _page(
    request: HttpRequest,
    seat: Seat,
    *,
    form: SettingsForm | None = None,
    deadline_form: DeadlineForm | None = None,
    zone_form: TimeZoneForm | None = None,
    dates_form: ReleaseDatesForm | None = None,
) -> HttpResponse:
    forms = (form, deadline_form, zone_form, dates_form)
    track = track_of(seat.campaign)
    return render_page(
        request,
        "assess/organising/settings.html",
        seat,
        form=form or SettingsForm(track=track, campaign=seat.campaign),
        deadline_form=deadline_form
        or DeadlineForm(prefix="deadline", present=deadline_values(seat.campaign)).without_past(),
        deadline_effect=deadline_effect(seat.campaign),
        zone_form=zone_form or TimeZoneForm(prefix="zone", initial={"time_zone": seat.campaign.time_zone}),
        dates_form=dates_form or ReleaseDatesForm(prefix="release", present=release_values(seat.campaign)),
        dates=[(part.label, words) for part in Part if (words := release_words(seat.campaign, part))],
        zone=zone_words(seat.campaign.time_zone),
        due=deadline_words(seat.campaign),
        track=track,
        drafts=Drafts.choices,
        status=422 if any(each is not None and each.errors for each in forms) else 200,
    )


def _settings_hold(form: SettingsForm, campaign: Campaign) -> bool:
    """Return whether the track's settings accept the values. Each problem is shown beside its field."""
    try:
        track_of(campaign).settings.from_mapping(form.values())
    except SettingsError as error:
        for name, problem in error.problems.items():
            form.add_error(name if name in form.fields else None, problem)
        return False
    return True


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def guidelines_edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the guidelines in force, a form for the next version, and the history. A POST publishes the next version."""
    seat = access_as_organiser(request.user, slug)
    history = list(seat.campaign.guidelines.select_related("published_by").order_by("-version"))
    newest = history[0] if history else None
    bound = request.method == "POST"
    form = TextForm(request.POST if bound else None, present=guideline_values(newest))
    form.fields["text"].label = "Text"
    if bound and form.is_valid():
        text = form.cleaned_data["text"].replace("\r\n", "\n")
        try:
            made_from = form.cleaned_data[FIELD]
            guideline = publish_guideline(actor=seat.user, campaign=seat.campaign, text=text, made_from=made_from)
        except Refused as refused:
            form.add_refusal(refused)
        else:
            messages.success(
                request, gettext("Version %(version)s of the guidelines is in force.") % {"version": guideline.version}
            )
            return redirect("guidelines-edit", slug)
    return render_page(
        request,
        "assess/organising/guidelines_edit.html",
        seat,
        form=form,
        newest=newest,
        history=history,
        status=422 if form.errors else 200,
    )


@login_required
@require_safe
def guideline_version(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    """Show a version of the guidelines as it was published."""
    seat = access_as_organiser(request.user, slug)
    found = seat.campaign.guidelines.filter(version=version).select_related("published_by").first()
    if found is None:
        raise NotFound
    return render_page(request, "assess/organising/guideline_version.html", seat, guideline=found)
