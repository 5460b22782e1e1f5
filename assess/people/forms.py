"""Forms of accounts, members and invitations. They check the shape of the input; the rules are in the domain."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.models import User
from django.core.validators import MaxLengthValidator
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy

from assess.campaigns.models import Role
from assess.people.domain.accounts import change_password
from assess.people.domain.invitations import FILE_LIMIT
from assess.web.forms import UploadField
from assess.web.made_from import MadeFromForm
from assess.web.scopes import READ, SCOPES


class LogInForm(AuthenticationForm):
    """Asks for a name and a password. The length of the name is limited, since failed logins are stored with it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].validators.append(MaxLengthValidator(150))

    def get_invalid_login_error(self) -> forms.ValidationError:
        """Return why nobody is logged in. Only a person who knows an account's password is told that the account is
        closed.
        """
        closed = User.objects.filter(username=self.cleaned_data.get("username"), is_active=False).first()
        if closed is not None and closed.check_password(self.cleaned_data.get("password") or ""):
            told = gettext(
                "This account is closed. What you did under it is kept. Ask your organisers to open it again."
            )
            return forms.ValidationError(told, code="inactive")
        return super().get_invalid_login_error()


class NewPasswordForm(forms.Form):
    """Asks for a new password, twice."""

    password = forms.CharField(
        label=gettext_lazy("Password"),
        strip=False,
        max_length=1000,
        help_text=gettext_lazy("At least 10 characters, not a common password."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        error_messages={"required": gettext_lazy("Choose a password.")},
    )
    again = forms.CharField(
        label=gettext_lazy("The same password again"),
        strip=False,
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        error_messages={"required": gettext_lazy("Write the password a second time.")},
    )

    def clean(self) -> dict[str, Any]:
        """Require that the two passwords are equal."""
        cleaned = super().clean() or self.cleaned_data
        if "password" in cleaned and "again" in cleaned and cleaned["password"] != cleaned["again"]:
            self.add_error("again", gettext("The two passwords are not the same. Write them again."))
        return cleaned


class SignUpForm(NewPasswordForm):
    """Asks for a name, and for a password twice."""

    username = forms.CharField(
        label=gettext_lazy("Your name here"),
        max_length=150,
        help_text=gettext_lazy("The letters a to z, digits and @ . + - _ only. Organisers see it."),
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
        error_messages={"required": gettext_lazy("Choose a name to log in with.")},
    )
    field_order = ["username", "password", "again"]


class NameForm(MadeFromForm):
    """Asks for the names of an account."""

    name = forms.CharField(
        label=gettext_lazy("Name to log in with"),
        max_length=150,
        help_text=gettext_lazy("The letters a to z, digits and @ . + - _ only."),
        widget=forms.TextInput(attrs={"autocapitalize": "none"}),
        error_messages={"required": gettext_lazy("Write the name to log in with.")},
    )
    display_name = forms.CharField(
        label=gettext_lazy("Display name"),
        max_length=150,
        required=False,
        help_text=gettext_lazy(
            "Their name as people write it. Organisers see it beside the account; no page of others does."
        ),
    )


class EraseForm(forms.Form):
    """Asks for the pseudonym of an erased person."""

    pseudonym = forms.CharField(
        label=gettext_lazy("Pseudonym"),
        max_length=150,
        required=False,
        help_text=gettext_lazy(
            "The letters a to z, digits and @ . + - _ only. Left empty, one is made that says nothing."
        ),
        widget=forms.TextInput(attrs={"autocapitalize": "none"}),
    )


class OwnPasswordForm(PasswordChangeForm):
    """Asks for a new password and the current one. Wrong current passwords count as failed logins."""

    revoke_tokens = forms.BooleanField(
        label=gettext_lazy("Revoke my API tokens, too"),
        required=False,
        help_text=gettext_lazy(
            "Programs that use them are refused from then on. Do so where somebody may have learnt your password."
        ),
    )

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean_old_password(self) -> str:
        """Return the current password; raise ValidationError if it is wrong. It is checked as at the login, so after
        too many wrong ones, the right one is refused as well.
        """
        old: str = self.cleaned_data["old_password"]
        if authenticate(self.request, username=self.user.get_username(), password=old) is None:
            raise forms.ValidationError(self.error_messages["password_incorrect"], code="password_incorrect")
        return old

    def save(self, commit: bool = True) -> User:
        """Change the password, and revoke the tokens if that was chosen."""
        values = self.cleaned_data
        change_password(actor=self.user, password=values["new_password1"], revoke_tokens=values["revoke_tokens"])
        return self.user


class TokenForm(forms.Form):
    """Asks for a new API token."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=100,
        help_text=gettext_lazy("What the token is for: the program, and the machine it runs on."),
        error_messages={"required": gettext_lazy("Write what the token is for.")},
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("What programs may do with it"),
        choices=lambda: [(scope, f"{scope}: {gettext(said)}") for scope, said in SCOPES.items()],
        initial=[READ],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose at least one.")},
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Works for"),
        choices=[
            ("30", gettext_lazy("30 days")),
            ("90", gettext_lazy("90 days")),
            ("365", gettext_lazy("a year")),
            ("0", gettext_lazy("as long as I do not revoke it")),
        ],
        initial="90",
        coerce=lambda days: int(days) or None,
    )


# Forms about members and invited people. They check the shape of the input, never a rule.


class PersonForm(forms.Form):
    """Asks for a person's role in the campaign."""

    role = forms.ChoiceField(label=gettext_lazy("Role"), choices=Role.choices, initial=Role.ASSESSOR)
    team = forms.CharField(
        label=gettext_lazy("Team"), max_length=50, required=False, help_text=gettext_lazy("For participants only.")
    )


class MemberForm(PersonForm):
    """Asks for an account that becomes a member."""

    username = forms.CharField(
        label=gettext_lazy("Name of the account"),
        max_length=150,
        help_text=gettext_lazy("For people who have an account on this site. All others need a link."),
        error_messages={"required": gettext_lazy("Write the name of an account.")},
    )
    field_order = ["username", "role", "team"]


class InvitationForm(PersonForm):
    """Asks for the person whom a link invites."""

    note = forms.CharField(
        label=gettext_lazy("Note"),
        max_length=200,
        required=False,
        help_text=gettext_lazy("For you: whom the link is for."),
    )


class InvitationListForm(forms.Form):
    """Asks for a file of people to invite."""

    file = UploadField(
        label=gettext_lazy("CSV file"),
        allow_empty_file=False,
        help_text=gettext_lazy(
            "One row for each person: role,team,note. The note is for you: a name or an e-mail address."
        ),
    )


class InvitationTextForm(forms.Form):
    """Holds a list of people that was checked and shown, so that it is sent again to invite them."""

    rows = forms.CharField(widget=forms.HiddenInput(), max_length=FILE_LIMIT, strip=False)
    client_key = forms.UUIDField(widget=forms.HiddenInput())


class MemberRoleForm(MadeFromForm):
    """Asks for another role for a member."""

    to = forms.ChoiceField(label=gettext_lazy("Role"), choices=Role.choices)
    team = forms.CharField(
        label=gettext_lazy("Team"), max_length=50, required=False, help_text=gettext_lazy("For participants only.")
    )
