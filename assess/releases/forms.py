"""The form for a release's public page."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy


class PublicForm(forms.Form):
    """Asks whether a release has a public page."""

    public = forms.BooleanField(
        label=gettext_lazy("Anybody can open a page of this release and download it, without an account"),
        required=False,
    )
