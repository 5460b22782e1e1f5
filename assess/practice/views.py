"""The page that shows how far each assessor is with the practice items."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from assess.base.errors import NotFound
from assess.campaigns.models import Role
from assess.campaigns.seats import access_seat
from assess.practice.access import access_practice
from assess.practice.domain import let_practise_again
from assess.practice.queries import practice_of_all
from assess.web.page import render_page
from assess.web.requests import posted_number


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def practice_people(request: HttpRequest, slug: str, stage: str) -> HttpResponse:
    """Show how far everybody is. A POST lets a person practise again."""
    seat = access_seat(request.user, slug, Role.ORGANISER)
    found = access_practice(seat, stage)
    if request.method == "POST":
        user = User.objects.filter(pk=posted_number(request, "user")).first()
        if user is None:
            raise NotFound
        let_practise_again(actor=seat.user, campaign=seat.campaign, stage=found, user=user)
        messages.success(request, gettext("%(user)s can practise again.") % {"user": user})
        return redirect("practice-people", slug, stage)
    states = practice_of_all(seat.campaign, found)
    return render_page(request, "assess/practice/people.html", seat, stage=found, states=states)
