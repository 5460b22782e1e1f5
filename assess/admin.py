"""The admin site, for superusers only: to look things up and to manage accounts.

All records of a campaign are shown, and none can be changed here. Changes go through the pages, the API and the
commands, which check the rules and record who did what. Ledgers could not be changed anyway, since the database
refuses.
"""

from __future__ import annotations

from typing import Any

from axes.models import AccessLog
from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.validators import MaxLengthValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from assess.assignments.models import Assignment, HelpRequest
from assess.base.errors import NotFound
from assess.campaigns.models import Activity, Campaign, Guideline, Membership
from assess.documents.models import Document
from assess.items.models import Item, Pool
from assess.jobs.models import Job
from assess.judging.models import Judgment
from assess.people.domain.names import require_own_name
from assess.people.models import ApiToken, Invitation
from assess.runs.models import Run
from assess.topic_drafts.models import DraftFind, DraftStep, TopicDraft
from assess.topics.models import ListedDocument, Topic


def is_superuser(request: HttpRequest) -> bool:
    """Return whether the admin site is open to this person. Staff accounts may make campaigns, but are not admitted."""
    return bool(request.user.is_active and request.user.is_superuser)


def change_password_there(request: HttpRequest, extra_context: Any = None) -> HttpResponse:
    """Redirect to the profile's page, the only page that takes the old password and counts wrong ones."""
    return redirect("password_change")


class AdminLogInForm(AdminAuthenticationForm):
    """Asks for a name and a password. The length of the name is limited, since failed logins are stored with it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].validators.append(MaxLengthValidator(150))


def log_in_there(request: HttpRequest, extra_context: Any = None) -> HttpResponse:
    """Show the login of the admin site. If second factors are in use, redirect to the site's own login, since only that
    page asks for them.

    In that case, answers "not found" to a person who is logged in and no superuser.
    """
    if not settings.ASSAY_SECOND_FACTOR or is_superuser(request):
        return admin.site.login(request, extra_context)
    if request.user.is_authenticated:
        raise NotFound
    return redirect_to_login(request.GET.get("next") or reverse("admin:index"))


admin.site.login_form = AdminLogInForm
admin.site.has_permission = is_superuser  # type: ignore[method-assign]
admin.site.password_change = change_password_there  # type: ignore[assignment,method-assign]
admin.site.site_header = admin.site.site_title = "Assay: accounts and tables"


class ReadOnlyAdmin(admin.ModelAdmin[Any]):
    """Rows that can be viewed, but not added, changed or deleted."""

    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Allow nobody to add rows here."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Allow nobody to change rows here."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Allow nobody to delete rows here."""
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Allow superusers to view every row."""
        return is_superuser(request)


class InvitationAdmin(ReadOnlyAdmin):
    """Invitations without the digest of their token."""

    exclude = ("token_sha256",)


class TokenAdmin(ReadOnlyAdmin):
    """API tokens without their digest."""

    exclude = ("sha256",)


class LoginAdmin(ReadOnlyAdmin):
    """Logins with addresses and browsers, newest first. They can be searched, but no count of all is asked for."""

    list_display = ("attempt_time", "logout_time", "username", "ip_address", "user_agent")
    search_fields = ("username", "ip_address")
    ordering = ("-id",)


class NamedAdmin(ReadOnlyAdmin):
    """Rows that can be filtered by their campaign."""

    list_filter = ("campaign",)


class AccountForm(AdminUserCreationForm):  # type: ignore[type-arg]
    """Asks for a new account, whose name must not look like another."""

    def clean_username(self) -> str:
        """Return the name, which must not look like another; "" if Django has refused it already."""
        username: str | None = super().clean_username()
        if username is not None:
            require_own_name(username)
        return username or ""


class AccountAdmin(UserAdmin):  # type: ignore[type-arg]
    """Accounts, which can be made, closed and given rights. Names can't be changed: people know each other by them."""

    add_form = AccountForm

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return Django's read-only fields, and the name of an existing account."""
        return [*super().get_readonly_fields(request, obj), *(["username"] if obj is not None else [])]


for app in ("account", "socialaccount", "mfa", "usersessions"):  # they hold secrets and have pages of their own
    for model in apps.get_app_config(app).get_models():
        if admin.site.is_registered(model):
            admin.site.unregister(model)
admin.site.unregister([User, AccessLog])
admin.site.register(User, AccountAdmin)
for model in (Campaign, Item, Judgment, Activity, HelpRequest, ListedDocument, DraftStep, DraftFind):
    admin.site.register(model, ReadOnlyAdmin)
for named in (Assignment, Document, Guideline, Membership, Pool, Run, Topic, TopicDraft, Job):
    admin.site.register(named, NamedAdmin)
admin.site.register(Invitation, InvitationAdmin)
admin.site.register(ApiToken, TokenAdmin)
admin.site.register(AccessLog, LoginAdmin)
