"""Ways to log in besides name and password, by django-allauth, under Assay's rules, and absent if turned off.

Only an invitation makes an account, and its name is chosen here, whatever a provider says. Closed accounts stay closed,
wrong passwords are counted as elsewhere (django-axes), and a second factor is required on every way in.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from typing import Any, cast

from allauth.account import app_settings
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.account.signals import password_reset
from allauth.core import context as allauth
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.sites.shortcuts import get_current_site
from django.dispatch import receiver
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve, reverse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext, gettext_lazy

from assay_site.client_address import client_address
from assess.base.errors import NotFound, Refused
from assess.base.mail_sender import post
from assess.base.outages import Outage
from assess.people.domain.accounts import finish_reset
from assess.people.domain.invitations import find_invitation
from assess.people.domain.names import require_own_name

logger = logging.getLogger(__name__)
BACKEND = "django.contrib.auth.backends.ModelBackend"
ADDRESS = re.compile(r"https?://(\[[0-9a-fA-F:]+\]|[\w.-]+)(:\d+)?([/?]\S*)?")
CONFIRMED = "confirmed-by-provider"
"""The member of a session that holds when its person logged in by the provider once more, to confirm who they are."""
LONGEST = 191
"""The longest identifier of a person that a row of allauth holds."""


class ProviderAway(Outage):
    """Raised when the provider that identifies people does not answer or redirects to another address."""

    code = "provider-away"
    cause = gettext_lazy("The provider by which you want to log in does not answer.")
    then = gettext_lazy("Log in with your name and password, or try again in a moment.")


class Accounts(DefaultAccountAdapter):
    """The rules that Assay sets for accounts in allauth."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return False: people can't sign up by themselves. An account is made on the page of an invitation."""
        return False

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Return a name for a new account. Raises ValidationError if the name is taken, malformed or looks like another
        person's.
        """
        require_own_name(username)
        return username

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail in the background. Otherwise the time that the page for a new password takes, or an error of the
        mail server, would reveal that an address is known. The account's name is left out: mails may come to others.
        """
        request = allauth.request
        told = {
            "request": request,
            "email": email,
            "current_site": get_current_site(request),
            **context,
            "username": "",
        }
        post(self.render_mail(template_prefix, email, told))

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """Return the ways in which a person can confirm who they are.

        Usually these are the password or a second factor. A person without both logs in by their provider once more, or
        gets a link for a password by mail. The list is empty if they have neither provider nor confirmed address, or if
        the site has turned both ways off.
        """
        ways: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        if ways:
            return ways
        if settings.ASSAY_OIDC and SocialAccount.objects.filter(user=user.pk).exists():
            return [{"id": "provider", "description": gettext("Log in once more"), "url": reverse("again_by_provider")}]
        if settings.ASSAY_PASSWORD_MAIL and EmailAddress.objects.filter(user=user.pk, verified=True).exists():
            url = reverse("account_reset_password")
            return [{"id": "password", "description": gettext("New password"), "url": url}]
        return []

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Return whether a person who changes how they log in has to confirm who they are first.

        A person without a password or a second factor may confirm it by logging in at their provider. That is valid for
        as long as a password that was just entered.
        """
        request = allauth.request
        recent = time.time() - app_settings.REAUTHENTICATION_TIMEOUT < request.session.get(CONFIRMED, 0)
        if recent and not super().get_reauthentication_methods(request.user):
            return False
        return bool(super().is_reauthentication_required(app=app, **kwargs))

    def login(self, request: HttpRequest, user: Any) -> None:
        """Log in with the backend that Assay uses for sessions."""
        user.backend = BACKEND
        super().login(request, user)

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address from which a request came, in the form in which wrong passwords are counted."""
        return client_address(request) or "0.0.0.0"  # noqa: S104  (nothing listens there)


class ProviderAccounts(DefaultSocialAccountAdapter):
    """The rules for accounts at the provider that the site's administrator named."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Return whether the person came here from the page of an open invitation. After the login they return to that
        page.
        """
        try:
            match = resolve(str(sociallogin.state.get("next") or ""))
            return match.url_name == "invitation" and bool(find_invitation(match.kwargs["token"]))
        except (Resolver404, Refused):
            return False

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]) -> User:
        """Suggest the provider's user name, which the person may change. The person's real name is not taken over."""
        user = cast(User, sociallogin.user)
        user.username, user.email = str(data.get("username") or "")[:150], str(data.get("email") or "")
        return user

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Remember that a person has confirmed who they are by logging in at the provider again (`again_by_provider`).
        If they logged in there as somebody else, tell them so.
        """
        if sociallogin.state.get("process") != "redirect" or not request.user.is_authenticated:
            return
        if sociallogin.is_existing and sociallogin.user == request.user:
            request.session[CONFIRMED] = time.time()
        else:
            messages.error(request, gettext("You logged in there as somebody else. Log in as who you are here."))

    def on_authentication_error(
        self, request: HttpRequest, provider: Any, error: Any = None, exception: Any = None, extra_context: Any = None
    ) -> None:
        """Log why a login by the provider failed. The page that the person sees doesn't say."""
        logger.warning("A login by %s failed: %s", provider, str(exception or error)[:200])

    def get_requests_session(self) -> Any:
        """Return a session that sends requests only to the provider itself. The session follows no redirects, ignores
        proxies that the environment names, ends each request in time, and takes only answers that are made as OpenID
        Connect says.
        """
        from assay_site.provider_requests import InTime

        session = super().get_requests_session()  # type: ignore[no-untyped-call]
        session.max_redirects, session.trust_env = 0, False
        for scheme in ("http://", "https://"):
            session.mount(scheme, InTime())
        session.hooks["response"].append(_require_sensible)
        return session


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value.isprintable()


def _is_address(value: object) -> bool:
    return isinstance(value, str) and ADDRESS.fullmatch(value) is not None


def _is_person(value: object) -> bool:
    """Return whether a value identifies a person. Some providers send a number. None would identify everybody."""
    if isinstance(value, int):
        return not isinstance(value, bool)
    return isinstance(value, str) and value.isprintable() and 0 < len(value) <= LONGEST


def _is_suggestion(value: object) -> bool:
    return value is None or _is_text(value)


MEMBERS: dict[str, Callable[[object], bool]] = {
    "authorization_endpoint": _is_address,
    "token_endpoint": _is_address,
    "userinfo_endpoint": _is_address,
    "issuer": _is_text,
    "jwks_uri": _is_address,
    "access_token": _is_text,
    "id_token": _is_text,
    "expires_in": lambda value: value is None or re.fullmatch(r"[0-9]{1,9}", str(value)) is not None,
    "sub": _is_person,
    "preferred_username": _is_suggestion,
    "email": _is_suggestion,
}
"""What must hold for the members of a provider's answers that are used."""
DESCRIPTION = ("authorization_endpoint", "token_endpoint", "issuer", "jwks_uri")


def _require_sensible(response: Any, *_: Any, **__: Any) -> None:
    """Raise RequestException if a provider's answer is no JSON object, lacks what it must say, or says it in another
    form. allauth would fail on it; this exception counts as an outage of the provider.

    Answers with a status of failure are left to allauth.
    """
    from allauth.socialaccount.providers.oauth2.views import RequestException  # type: ignore[attr-defined]

    if response.status_code not in (200, 201):
        return
    if "/.well-known/" in response.url:
        needed: tuple[str, ...] = DESCRIPTION
    else:
        needed = ("access_token",) if response.request.method == "POST" else ("sub",)
    told = response.json()
    try:
        require_members(told, needed)
    except ValueError as error:
        raise RequestException(str(error)) from error


def require_members(told: object, needed: tuple[str, ...]) -> None:
    """Raise ValueError if what a provider said is no object, lacks what is needed, or has a member in another form."""
    if not isinstance(told, dict):
        raise ValueError("The provider answered with no object.")
    wrong = [name for name in MEMBERS if (name in told or name in needed) and not MEMBERS[name](told.get(name))]
    if wrong:
        raise ValueError(f"The provider's answer lacks, or has in another form: {', '.join(wrong)}.")


@receiver(password_reset, dispatch_uid="tokens end")
def _end_tokens(request: HttpRequest, user: User, **_: Any) -> None:
    finish_reset(actor=user)


def remembered_as(key: str, prefix: str, version: int) -> str:
    """Return the key under which the database holds a value of Django's cache: a digest, since keys hold the addresses
    from which people come.
    """
    return salted_hmac("assay.remembered", f"{prefix}:{version}:{key}", algorithm="sha256").hexdigest()


def not_found_unless(setting: str, view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Return a view that answers "not found" while the setting is off, and otherwise does what ``view`` does."""

    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not getattr(settings, setting):
            raise NotFound
        return view(request, *args, **kwargs)

    return guarded


def again_by_provider(request: HttpRequest) -> HttpResponseBase:
    """Ask a person without a password to log in by the provider once more. The code for this is loaded on first use."""
    from assay_site.by_provider import again_by_provider

    return again_by_provider(request)


def by_provider(request: HttpRequest, provider_id: str, *, view: str) -> HttpResponseBase:
    """Send a person to the provider, or log in a person who comes back from it. The code for this is loaded on first
    use.
    """
    from assay_site.by_provider import answer

    return answer(request, provider_id, view=view)
