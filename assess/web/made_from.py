"""Forms and calls that say which values they were made from, so that nobody replaces what they have not seen.

A form that replaces several values or a whole text inherits `MadeFromForm`; a body of the API has the member `before`.
Both pass ``made_from`` to the domain function, which `assess/campaigns/changed_since.py` compares with what is stored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext
from rest_framework import serializers

from assess.base.errors import Invalid, Refused
from assess.campaigns.changed_since import ChangedSince, MadeFrom, digests_of
from assess.web.requests import add_refusal
from scoring.reading.json_reading import BadJson, read_json

FIELD = "made_from"
LIMIT = 100_000  # characters


@dataclass(frozen=True, slots=True)
class ChangedValue:
    """A value that somebody else changed: its label, the stored value, and the value that would replace it."""

    label: str
    stored: str
    own: str


class MadeFromForm(forms.Form):
    """A form with the hidden field `made_from`: a digest of each value that was stored when the page was made.

    ``present`` holds the stored values, by the names with which the domain function compares them; fields with these
    names are filled in. A form without the hidden field, such as one that a program posts, is not compared.
    """

    made_from = forms.CharField(required=False, max_length=LIMIT, widget=forms.HiddenInput)
    changes: tuple[ChangedValue, ...] = ()

    def __init__(self, *args: Any, present: Mapping[str, Any], **kwargs: Any) -> None:
        super().__init__(*args, **{"initial": present, **kwargs})
        self.fields[FIELD].initial = made_from_text(present)

    def clean_made_from(self) -> MadeFrom | None:
        """Return the digests by the names of the values; None if the form has none. Raise ValidationError if they can't
        be read.
        """
        return read_made_from(self.cleaned_data[FIELD])

    def values(self) -> dict[str, Any]:
        """Return the form's values without the hidden field."""
        return {name: value for name, value in self.cleaned_data.items() if name != FIELD}

    def add_refusal(self, refused: Refused) -> None:
        """Show why the form was refused. After a change by somebody else, show both versions; the form posted next is
        then saved.
        """
        if not isinstance(refused, ChangedSince):
            add_refusal(self, refused)
            return
        self.changes = tuple(self._change(name, refused.present[name]) for name in refused.names)
        data = {**self.data, self.add_prefix(FIELD): [made_from_text(refused.present)]}
        self.data = MultiValueDict(data)
        self.add_error(None, refused.message)

    def _change(self, name: str, stored: object) -> ChangedValue:
        if name not in self.fields:
            return ChangedValue(label=name, stored=_value_text(stored), own="")
        field = self[name]
        choices = {str(value): str(label) for value, label in getattr(field.field, "choices", ())}
        return ChangedValue(
            label=str(field.label),
            stored=_value_text(stored, choices),
            own=_value_text(self.cleaned_data.get(name), choices),
        )


def made_from_text(present: Mapping[str, Any]) -> str:
    """Return the content of the hidden field of a form made from these values."""
    return json.dumps(digests_of(present))


def read_made_from(text: str) -> MadeFrom | None:
    """Return the digests in the hidden field of a form; None if it is empty. Raise ValidationError if they can't be
    read.
    """
    if not text:
        return None
    try:
        found = read_json(text)
    except BadJson:
        found = None
    if not isinstance(found, dict) or not all(isinstance(digest, str) for digest in found.values()):
        raise forms.ValidationError(gettext("This form was not filled in by this page. Reload the page and try again."))
    return found


def posted_made_from(request: HttpRequest) -> MadeFrom | None:
    """Return the digests of the values from which a posted form was made; None if it has none. Refuse anything else.
    This is for forms that are not Django forms.
    """
    try:
        return read_made_from(request.POST.get(FIELD, "")[:LIMIT])
    except forms.ValidationError as error:
        raise Invalid(error.messages[0]) from error


def _value_text(value: object, choices: Mapping[str, str] | None = None) -> str:
    """Return a value as people read it, with the label of its choice if it has one."""
    known = choices or {}
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, (list, tuple)):
        return ", ".join(known.get(str(each), str(each)) for each in value)
    return "" if value is None else known.get(str(value), str(value))


# What forms do, for bodies of the API.


class BeforeIn(serializers.Serializer[Any]):
    """A body that may give in `before` the values that it replaces. If other values are stored, it is refused as
    `changed`.
    """

    before = serializers.DictField(required=False, write_only=True)

    def to_internal_value(self, data: Any) -> Any:
        """Return the values. If the body has `before`, it is replaced by ``made_from``, with the digests of its
        values.
        """
        values = super().to_internal_value(data)
        before = values.pop("before", None)
        return values if before is None else {**values, FIELD: digests_of(before)}
