"""Forms about members and those who are invited. They check the shape of the input, never a rule."""

from __future__ import annotations

from django import forms

from assess.campaigns.models import Role
from assess.people.domain.invitations import FILE_LIMIT
from assess.web.forms import UploadField


class PersonForm(forms.Form):
    """Somebody's role in the campaign."""

    role = forms.ChoiceField(choices=Role.choices, initial=Role.ASSESSOR)
    team = forms.CharField(max_length=50, required=False, help_text="For participants only.")


class MemberForm(PersonForm):
    """An account that becomes a member."""

    username = forms.CharField(
        label="Name of the account", max_length=150, error_messages={"required": "Write the name of an account."}
    )
    field_order = ["username", "role", "team"]


class InvitationForm(PersonForm):
    """Whom a link invites."""

    note = forms.CharField(max_length=200, required=False, help_text="For you: whom the link is for.")


class InvitationListForm(forms.Form):
    """A file of people to invite."""

    file = UploadField(
        label="CSV file",
        help_text="One row for each person: role,team,note. The note is for you: a name or an e-mail address.",
    )


class InvitationTextForm(forms.Form):
    """The list again, once it was checked and looked at."""

    rows = forms.CharField(widget=forms.HiddenInput(), max_length=FILE_LIMIT, strip=False)
    client_key = forms.UUIDField(widget=forms.HiddenInput())


class MemberRoleForm(forms.Form):
    """Another role for a member."""

    to = forms.ChoiceField(label="Role", choices=Role.choices)
    team = forms.CharField(max_length=50, required=False, help_text="For participants only.")
