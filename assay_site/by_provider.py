"""Logging in by a provider of OpenID Connect. Imported on first use, since few sites have a provider."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.reauthentication import resume_request
from allauth.socialaccount.models import SocialApp, SocialToken
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import (  # type: ignore[attr-defined]
    OAuth2CallbackView,
    OAuth2LoginView,
    RequestException,
)
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from assay_site.ways_in import ProviderAway, require_members
from assess.base.errors import NotFound

VIEWS: dict[str, Any] = {"login": OAuth2LoginView, "callback": OAuth2CallbackView}


class Provider(OpenIDConnectOAuth2Adapter):
    """allauth's adapter, which also takes the claims of the ID token if the provider has no address for them. OpenID
    Connect Discovery only recommends `userinfo_endpoint`.
    """

    def complete_login(self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any) -> Any:
        """Return the login of the person whom the provider identifies. Raises OAuth2Error if the ID token identifies
        nobody.
        """
        if "userinfo_endpoint" in self.openid_config:
            return super().complete_login(request, app, token, **kwargs)
        claims = self._decode_id_token(app, kwargs["response"].get("id_token") or "")
        try:
            require_members(claims, ("sub",))
        except ValueError as error:
            raise OAuth2Error(str(error)) from error
        return self.get_provider().sociallogin_from_response(request, {"id_token": claims})  # type: ignore[no-untyped-call]


@login_required
@require_GET
@never_cache
def again_by_provider(request: HttpRequest) -> HttpResponseBase:
    """Ask a person without a password to log in by the provider once more. If they did so a moment ago, go on with what
    they were about to do, or to their profile.

    Answers "not found" to a person who does not confirm in this way who they are.
    """
    adapter = get_adapter(request)
    if not any(each["url"] == request.path for each in adapter.get_reauthentication_methods(request.user)):
        raise NotFound
    if adapter.is_reauthentication_required(app="allauth.account"):
        return render(request, "registration/again_by_provider.html", {"back": request.get_full_path()})
    answered: HttpResponseBase = resume_request(request) or redirect("profile")
    return answered


def answer(request: HttpRequest, provider_id: str, *, view: str) -> HttpResponseBase:
    """Send a person to the provider (`view` is "login"), or log in a person who comes back from it ("callback").

    Answers "not found" if there is no such provider. Raises `ProviderAway` if it does not answer.
    """
    try:
        answered: HttpResponseBase = VIEWS[view].adapter_view(Provider(request, provider_id))(request)
        return answered
    except SocialApp.DoesNotExist:
        raise Http404 from None
    except RequestException as error:
        raise ProviderAway(details=str(error)) from error
