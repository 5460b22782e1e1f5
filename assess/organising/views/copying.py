"""Make a campaign from an existing one."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods

from assess.base.errors import Refused
from assess.campaigns.seats import access_as_organiser, access_campaign_making
from assess.organising.copying import copy_campaign
from assess.organising.forms import NewNamesForm
from assess.web.page import render_page
from assess.web.requests import add_refusal


class CopyForm(NewNamesForm):
    """Asks for the name of the copy, and for the parts to copy."""

    people = forms.BooleanField(
        label=gettext_lazy("Organisers, assessors and adjudicators"),
        required=False,
        initial=True,
        help_text=gettext_lazy("Participants submit for one campaign alone, and machine judges are set up anew."),
    )
    documents = forms.BooleanField(
        label=gettext_lazy("Documents"),
        required=False,
        initial=True,
        help_text=gettext_lazy("They are copied in the background."),
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def copy(request: HttpRequest, slug: str) -> HttpResponse:
    """Copy the campaign, for organisers who may make campaigns."""
    seat = access_as_organiser(request.user, slug)
    access_campaign_making(seat.user)
    form = CopyForm(request.POST or None, initial={"title": seat.campaign.title})
    if request.method == "POST" and form.is_valid():
        try:
            made = copy_campaign(actor=seat.user, campaign=seat.campaign, **form.cleaned_data)
        except Refused as refused:
            add_refusal(form, refused)
        else:
            messages.success(
                request,
                gettext("%(title)s is made of %(title_2)s.") % {"title": made.title, "title_2": seat.campaign.title},
            )
            return redirect("overview", made.slug)
    status = 422 if form.errors else 200
    return render_page(request, "assess/organising/campaign_copy.html", seat, form=form, status=status)
