"""Addresses of logging in, passwords, invitations, help."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from assess.people.views import accounts
from assess.web import guides

urlpatterns: list[URLPattern | URLResolver] = [
    path("login/", accounts.log_in, name="login"),
    path("logout/", accounts.log_out, name="logout"),
    path("profile/", accounts.profile, name="profile"),
    path("profile/password/", accounts.password_change, name="password_change"),
    path("profile/token/", accounts.token_create, name="token-create"),
    path("profile/token/revoke/", accounts.token_revoke, name="token-revoke"),
    path("invitation/<str:token>/", accounts.invitation, name="invitation"),
    path("help/", guides.guide, name="help"),
    path("help/<slug:name>/", guides.guide, name="guide"),
]
