"""Addresses of the ways to log in besides name and password; each is absent if its setting is off."""

from __future__ import annotations

from functools import partial

from allauth.account import views as account
from allauth.mfa.base import views as factors
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as keys
from allauth.socialaccount import views as social
from allauth.usersessions import views as sessions
from django.urls import URLPattern, path, register_converter
from django.views.generic import RedirectView

from assay_site.ways_in import again_by_provider, by_provider, not_found_unless


class Base36:
    """Matches the id of an account as it is written in links in mails (base 36)."""

    regex = "[0-9A-Za-z]+"
    to_python = to_url = staticmethod(str)


register_converter(Base36, "base36")
MAIL, FACTOR, OIDC, SESSIONS = "ASSAY_PASSWORD_MAIL", "ASSAY_SECOND_FACTOR", "ASSAY_OIDC", "ASSAY_SESSIONS"
VIEWS = (
    (MAIL, "mail/", account.email, "account_email"),
    (MAIL, "mail/sent/", account.email_verification_sent, "account_email_verification_sent"),
    (MAIL, "mail/confirm/<str:key>/", account.confirm_email, "account_confirm_email"),
    (MAIL, "reset/", account.password_reset, "account_reset_password"),
    (MAIL, "reset/sent/", account.password_reset_done, "account_reset_password_done"),
    (MAIL, "reset/done/", account.password_reset_from_key_done, "account_reset_password_from_key_done"),
    (MAIL, "reset/<base36:uidb36>-<str:key>/", account.password_reset_from_key, "account_reset_password_from_key"),
    (OIDC, "connected/", social.connections, "socialaccount_connections"),
    (OIDC, "connected/new/", social.signup, "socialaccount_signup"),
    (OIDC, "connected/cancelled/", social.login_cancelled, "socialaccount_login_cancelled"),
    (OIDC, "connected/error/", social.login_error, "socialaccount_login_error"),
    (OIDC, "again/by/", again_by_provider, "again_by_provider"),
    (OIDC, "by/<str:provider_id>/", partial(by_provider, view="login"), "openid_connect_login"),
    (OIDC, "by/<str:provider_id>/back/", partial(by_provider, view="callback"), "openid_connect_callback"),
    (FACTOR, "second/", factors.index, "mfa_index"),
    (FACTOR, "second/asked/", factors.authenticate, "mfa_authenticate"),
    (FACTOR, "second/again/", factors.reauthenticate, "mfa_reauthenticate"),
    (FACTOR, "second/app/", totp.activate_totp, "mfa_activate_totp"),
    (FACTOR, "second/app/remove/", totp.deactivate_totp, "mfa_deactivate_totp"),
    (FACTOR, "second/keys/", keys.list_webauthn, "mfa_list_webauthn"),
    (FACTOR, "second/keys/add/", keys.add_webauthn, "mfa_add_webauthn"),
    (FACTOR, "second/keys/again/", keys.reauthenticate_webauthn, "mfa_reauthenticate_webauthn"),
    (FACTOR, "second/keys/<int:pk>/remove/", keys.remove_webauthn, "mfa_remove_webauthn"),
    (FACTOR, "second/keys/<int:pk>/edit/", keys.edit_webauthn, "mfa_edit_webauthn"),
    (FACTOR, "second/codes/", codes.view_recovery_codes, "mfa_view_recovery_codes"),
    (FACTOR, "second/codes/new/", codes.generate_recovery_codes, "mfa_generate_recovery_codes"),
    (FACTOR, "second/codes/file/", codes.download_recovery_codes, "mfa_download_recovery_codes"),
    (SESSIONS, "sessions/", sessions.list_usersessions, "usersessions_list"),
)
urlpatterns: list[URLPattern] = [
    *(path(f"profile/{place}", not_found_unless(setting, view), name=name) for setting, place, view, name in VIEWS),
    # Addresses that allauth reverses by its own names.
    path("profile/again/", account.reauthenticate, name="account_reauthenticate"),
    path("profile/closed/", account.account_inactive, name="account_inactive"),
    path("profile/login/", RedirectView.as_view(pattern_name="login", query_string=True), name="account_login"),
    path("profile/logout/", account.logout, name="account_logout"),
]
