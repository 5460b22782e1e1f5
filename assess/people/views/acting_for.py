"""Pages on which an organiser changes another person's account, and the page of a link for a new password."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from assess.base.errors import Refused
from assess.campaigns.seats import access_as_organiser
from assess.people.access import access_member
from assess.people.domain.acting_for import (
    LINK_HOURS,
    create_password_link,
    find_password_link,
    name_values,
    rename_member,
    require_may_act_for,
    require_may_make_link,
    set_password_by_link,
)
from assess.people.domain.erasing import erase_person
from assess.people.forms import EraseForm, NameForm, NewPasswordForm
from assess.people.views.entering import enter
from assess.web.page import render_page
from assess.web.requests import add_refusal


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def member_name(request: HttpRequest, slug: str, membership_id: int) -> HttpResponse:
    """Give a member's account another name, and a display name."""
    seat = access_as_organiser(request.user, slug)
    member = access_member(seat, membership_id)
    require_may_act_for(actor=seat.user, campaign=seat.campaign, user=member.user)
    bound = request.method == "POST"
    form = NameForm(request.POST if bound else None, present=name_values(member.user))
    if bound and form.is_valid():
        try:
            renamed = rename_member(actor=seat.user, campaign=seat.campaign, user=member.user, **form.cleaned_data)
        except Refused as refused:
            form.add_refusal(refused)
        else:
            messages.success(
                request, gettext("The account is called %(username)s now.") % {"username": renamed.username}
            )
            return redirect("people", slug)
    status = 422 if form.errors else 200
    return render_page(request, "assess/people/name.html", seat, member=member, form=form, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def member_erase(request: HttpRequest, slug: str, membership_id: int) -> HttpResponse:
    """Say what erasing does. When posted, erase the person's identity."""
    seat = access_as_organiser(request.user, slug)
    member = access_member(seat, membership_id)
    require_may_act_for(actor=seat.user, campaign=seat.campaign, user=member.user)
    form = EraseForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            erased = erase_person(actor=seat.user, user=member.user, campaign=seat.campaign, **form.cleaned_data)
        except Refused as refused:
            add_refusal(form, refused)
        else:
            messages.success(
                request,
                gettext("The account is called %(username)s now, and is closed.") % {"username": erased.username},
            )
            return redirect("people", slug)
    status = 422 if form.errors else 200
    return render_page(request, "assess/people/erase.html", seat, member=member, form=form, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def member_password(request: HttpRequest, slug: str, membership_id: int) -> HttpResponse:
    """Say what a link for a new password does. When posted, make the link and show it, once."""
    seat = access_as_organiser(request.user, slug)
    member = access_member(seat, membership_id)
    require_may_make_link(actor=seat.user, campaign=seat.campaign, user=member.user)
    link = ""
    if request.method == "POST":
        _, token = create_password_link(actor=seat.user, campaign=seat.campaign, user=member.user)
        link = request.build_absolute_uri(reverse("new-password", args=[token]))
    return render_page(request, "assess/people/password.html", seat, member=member, link=link, hours=LINK_HOURS)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters("password", "again")
def new_password(request: HttpRequest, token: str) -> HttpResponse:
    """Set a new password through a link, and log the person in."""
    link = find_password_link(token)
    bound = request.method == "POST"
    form = NewPasswordForm(request.POST if bound else None)
    if bound and form.is_valid():
        try:
            person = set_password_by_link(token=token, password=form.cleaned_data["password"])
        except Refused as refused:
            add_refusal(form, refused)
        else:
            messages.success(request, gettext("Your new password is set. Use it from now on."))
            return enter(request, person, to=reverse("home"))
    status = 422 if form.errors else 200
    return render_page(request, "registration/new_password.html", form=form, account=link.user, status=status)
