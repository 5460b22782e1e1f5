"""Logging in and out, passwords, the own profile with its API token, joining by an invitation."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, views
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse, reverse_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_POST
from rest_framework.authtoken.models import Token

from assess.base.errors import Refused
from assess.campaigns.models import Membership
from assess.campaigns.seats import access_campaigns
from assess.people.domain.accounts import create_token, revoke_token, sign_up
from assess.people.domain.invitations import accept_invitation, find_invitation
from assess.people.forms import LogInForm, OwnPasswordForm, SignUpForm
from assess.web.page import render_page
from assess.web.requests import add_refusal, person_of

log_in = views.LoginView.as_view(
    template_name="registration/login.html", authentication_form=LogInForm, redirect_authenticated_user=True
)
log_out = views.LogoutView.as_view()


class PasswordChange(views.PasswordChangeView):
    """The own password, changed by whoever knows the present one."""

    form_class = OwnPasswordForm
    template_name = "registration/password_change.html"
    success_url = reverse_lazy("profile")

    def get_form_kwargs(self) -> dict[str, Any]:
        """The form counts wrong passwords by request."""
        return {**super().get_form_kwargs(), "request": self.request}

    def form_valid(self, form: object) -> HttpResponse:
        """Say that it worked."""
        messages.success(self.request, "Your password is changed.")
        return super().form_valid(form)  # type: ignore[arg-type]


password_change = PasswordChange.as_view()


@login_required
@require_GET
@never_cache
def profile(request: HttpRequest) -> HttpResponse:
    """Who I am here, my seats, my API token."""
    return _profile(request, person_of(request), new_token="")


@login_required
@require_POST
@never_cache
def token_create(request: HttpRequest) -> HttpResponse:
    """Make a token and show it, this once."""
    person = person_of(request)
    return _profile(request, person, new_token=create_token(actor=person))


@login_required
@require_POST
def token_revoke(request: HttpRequest) -> HttpResponse:
    """Make the token void."""
    revoke_token(actor=person_of(request))
    messages.success(request, "Your API token is revoked. Programs that use it are refused from now on.")
    return redirect("profile")


def _profile(request: HttpRequest, person: User, *, new_token: str) -> HttpResponse:
    memberships = (
        Membership.objects.filter(user=person, campaign__in=access_campaigns(person))
        .select_related("campaign")
        .order_by("campaign__title", "role")
    )
    has_token = bool(new_token) or Token.objects.filter(user=person).exists()
    return render_page(
        request, "registration/profile.html", memberships=memberships, has_token=has_token, new_token=new_token
    )


@never_cache
@sensitive_post_parameters("password", "again")
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """What the link is for; join by it as who is logged in, or sign up."""
    found = find_invitation(token)
    form = SignUpForm(request.POST if request.method == "POST" and not request.user.is_authenticated else None)
    if request.method == "POST":
        if request.user.is_authenticated:
            membership = accept_invitation(actor=person_of(request), token=token)
            return _welcome(request, membership)
        if form.is_valid():
            try:
                person, membership = sign_up(
                    token=token, username=form.cleaned_data["username"], password=form.cleaned_data["password"]
                )
            except Refused as refused:
                add_refusal(form, refused)
            else:
                login(request, person, backend=settings.AUTHENTICATION_BACKENDS[-1])
                return _welcome(request, membership)
    return render_page(
        request,
        "registration/invitation.html",
        status=422 if form.is_bound else 200,
        invitation=found,
        form=form,
        login_url=f"{reverse('login')}?next={request.path}",
    )


def _welcome(request: HttpRequest, membership: Membership) -> HttpResponse:
    messages.success(request, f"You are now {membership.get_role_display()} of {membership.campaign}.")
    return redirect("overview", membership.campaign.slug)
