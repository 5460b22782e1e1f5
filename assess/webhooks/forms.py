"""The form for a webhook."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.utils.translation import gettext, gettext_lazy

from assess.webhooks.queries import EVENTS


class WebhookForm(forms.Form):
    """Asks for an address and the events to report to it."""

    url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=500,
        widget=forms.TextInput(attrs={"inputmode": "url", "autocomplete": "off", "spellcheck": "false"}),
        error_messages={"required": gettext_lazy("Give the address that is told.")},
    )
    events = forms.MultipleChoiceField(
        label=gettext_lazy("It is told when"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose at least one event.")},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = cast(forms.MultipleChoiceField, self.fields["events"])
        field.choices = [(event, gettext(words)) for event, words in EVENTS.items()]
