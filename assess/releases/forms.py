"""The forms for a release's public page, and for a release that becomes a campaign."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy

from assess.web.forms import UploadField


class PublicForm(forms.Form):
    """Asks whether a release has a public page."""

    public = forms.BooleanField(
        label=gettext_lazy("Anybody can open a page of this release and download it, without an account"),
        required=False,
    )


class ImportForm(forms.Form):
    """Asks for the zip of a release, and for the names of the new campaign."""

    file = UploadField(
        label=gettext_lazy("The release, as a zip"),
        allow_empty_file=False,
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
    )
    slug = forms.SlugField(
        label=gettext_lazy("Short name"),
        max_length=50,
        help_text=gettext_lazy("Small letters, digits and hyphens; it stands in every address."),
        error_messages={"required": gettext_lazy("Give a short name.")},
    )
    title = forms.CharField(
        label=gettext_lazy("Title"),
        required=False,
        max_length=200,
        help_text=gettext_lazy("The title of the release, unless you give one."),
    )
