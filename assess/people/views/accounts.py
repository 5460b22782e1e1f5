"""Pages for logging in and out, passwords, one's own profile and API tokens, and joining with an invitation."""

from __future__ import annotations

from typing import Any

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash, views
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from assess.base.errors import Refused
from assess.campaigns.models import Membership
from assess.campaigns.seats import access_campaigns
from assess.people.access import access_token
from assess.people.domain.accounts import set_first_password, sign_up
from assess.people.domain.invitations import accept_invitation, find_invitation
from assess.people.domain.tokens import create_token, revoke_token
from assess.people.forms import LogInForm, NewPasswordForm, OwnPasswordForm, SignUpForm, TokenForm
from assess.people.queries import tokens_of
from assess.people.views.entering import enter, ways_in
from assess.web.page import render_page
from assess.web.requests import add_refusal, person_of


class LogIn(views.LoginView):
    """The login page: a name and a password, and a second factor for people who have one.

    A person who is already logged in continues. If another person then logs in on the same page, they replace the
    first.
    """

    template_name = "registration/login.html"
    authentication_form = LogInForm

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        """Read a submitted form whoever is logged in, so that another person can log in on an open page."""
        super().setup(request, *args, **kwargs)
        self.redirect_authenticated_user = request.method != "POST"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the other ways to log in."""
        return super().get_context_data(**kwargs) | ways_in()

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Log the person in, after a second factor if they have one."""
        return enter(self.request, form.get_user(), to=self.get_success_url())


log_in = LogIn.as_view()
log_out = views.LogoutView.as_view()


class PasswordChange(views.PasswordChangeView):
    """The page on which people change their own password, with the current one."""

    form_class = OwnPasswordForm
    template_name = "registration/password_change.html"
    success_url = reverse_lazy("profile")

    def get_form_kwargs(self) -> dict[str, Any]:
        """Pass the request to the form, which needs it to count wrong passwords."""
        return {**super().get_form_kwargs(), "request": self.request}

    def form_valid(self, form: object) -> HttpResponse:
        """Show a message that the password was changed."""
        messages.success(self.request, gettext("Your password is changed."))
        return super().form_valid(form)  # type: ignore[arg-type]


@login_required
@never_cache
@sensitive_post_parameters("password", "again")
def password_change(request: HttpRequest) -> HttpResponseBase:
    """Change one's own password. People who have none, and log in by a provider, set their first one."""
    return (PasswordChange.as_view() if person_of(request).has_usable_password() else _first_password)(request)


@reauthentication_required(app="allauth.account")  # type: ignore[untyped-decorator]
def _first_password(request: HttpRequest) -> HttpResponse:
    form = NewPasswordForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            set_first_password(actor=person_of(request), password=form.cleaned_data["password"])
        except Refused as refused:
            add_refusal(form, refused)
        else:
            update_session_auth_hash(request, person_of(request))
            messages.success(request, gettext("Your password is set. You can log in with it, and as before."))
            return redirect("profile")
    return render_page(request, "registration/first_password.html", status=422 if form.is_bound else 200, form=form)


@login_required
@require_GET
@never_cache
def profile(request: HttpRequest) -> HttpResponse:
    """Show the person's own account and roles."""
    person = person_of(request)
    memberships = (
        Membership.objects.filter(user=person, campaign__in=access_campaigns(person))
        .select_related("campaign")
        .order_by("campaign__title", "role")
    )
    return render_page(request, "registration/profile.html", memberships=memberships, **ways_in())


@login_required
@require_http_methods(["GET", "POST"])
@never_cache
def tokens(request: HttpRequest) -> HttpResponse:
    """Show the person's own API tokens, and the text of a new one, once."""
    person, made = person_of(request), ""
    form = TokenForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            _, made = create_token(actor=person, **form.cleaned_data)
            form = TokenForm()
        except Refused as refused:
            add_refusal(form, refused)
    return render_page(
        request,
        "registration/tokens.html",
        status=422 if form.is_bound else 200,
        form=form,
        made=made,
        tokens=tokens_of(person),
        now=timezone.now(),
    )


@login_required
@require_POST
def token_revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """Revoke a token."""
    person = person_of(request)
    token = access_token(person, token_id)
    revoke_token(actor=person, token=token)
    messages.success(
        request,
        gettext("The token “%(name)s” is revoked. Programs that use it are refused from now on.")
        % {"name": token.name},
    )
    return redirect("tokens")


@never_cache
@sensitive_post_parameters("password", "again")
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Show what the invitation is for. A person who is logged in joins with it; anybody else signs up."""
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
                _welcome(request, membership)
                return enter(request, person, to=reverse("overview", args=[membership.campaign.slug]))
    return render_page(
        request,
        "registration/invitation.html",
        status=422 if form.is_bound else 200,
        invitation=found,
        form=form,
        login_url=f"{reverse('login')}?next={request.path}",
        **ways_in(),
    )


def _welcome(request: HttpRequest, membership: Membership) -> HttpResponse:
    messages.success(
        request,
        gettext("Your role in %(membership)s is now: %(get_role_display)s.")
        % {"get_role_display": membership.get_role_display(), "membership": membership.campaign},
    )
    return redirect("overview", membership.campaign.slug)
