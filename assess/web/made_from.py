"""Forms and calls that say which values they were made from, so that nobody replaces what they have not seen.

A form that replaces several values or a whole text inherits `MadeFromForm`; a body of the API has the member `before`.
Both give the domain function ``made_from``, which `assess/campaigns/changed_since.py` compares with what is stored.
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
    """A value that somebody else changed: how it is called, what is stored, what would replace it."""

    label: str
    stored: str
    own: str


class MadeFromForm(forms.Form):
    """A form with the hidden field `made_from`: a digest of each value that was stored when the page was made.

    ``present`` is what is stored, by the names under which the domain function compares it; fields of these names begin
    with it. A form that comes without the hidden field, such as one that a program posts, is not compared.
    """

    made_from = forms.CharField(required=False, max_length=LIMIT, widget=forms.HiddenInput)
    changes: tuple[ChangedValue, ...] = ()

    def __init__(self, *args: Any, present: Mapping[str, Any], **kwargs: Any) -> None:
        super().__init__(*args, **{"initial": present, **kwargs})
        self.fields[FIELD].initial = made_from_text(present)

    def clean_made_from(self) -> MadeFrom | None:
        """Return the digests by the names of the values."""
        return read_made_from(self.cleaned_data[FIELD])

    def values(self) -> dict[str, Any]:
        """Return what the form says, without what it was made from."""
        return {name: value for name, value in self.cleaned_data.items() if name != FIELD}

    def add_refusal(self, refused: Refused) -> None:
        """Say why it was refused; after a change by somebody else show both versions, and let the next post save."""
        if not isinstance(refused, ChangedSince):
            add_refusal(self, refused)
            return
        self.changes = tuple(self._change(name, refused.present[name]) for name in refused.names)
        data = {**self.data, self.add_prefix(FIELD): [made_from_text(refused.present)]}
        self.data = MultiValueDict(data)
        self.add_error(None, refused.message)

    def _change(self, name: str, stored: object) -> ChangedValue:
        if name not in self.fields:
            return ChangedValue(label=name, stored=_words(stored), own="")
        field = self[name]
        choices = {str(value): str(label) for value, label in getattr(field.field, "choices", ())}
        return ChangedValue(
            label=str(field.label), stored=_words(stored, choices), own=_words(self.cleaned_data.get(name), choices)
        )


def made_from_text(present: Mapping[str, Any]) -> str:
    """Return what the hidden field of a form that was made from these values holds."""
    return json.dumps(digests_of(present))


def read_made_from(text: str) -> MadeFrom | None:
    """Return the digests that the hidden field of a form holds; None where it is empty."""
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
    """Return the digests that came with a form which is no Django form."""
    try:
        return read_made_from(request.POST.get(FIELD, "")[:LIMIT])
    except forms.ValidationError as error:
        raise Invalid(error.messages[0]) from error


def _words(value: object, choices: Mapping[str, str] | None = None) -> str:
    """A value as people read it, by the label of its choice where it has one."""
    known = choices or {}
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(known.get(str(each), str(each)) for each in value)
    return "" if value is None else known.get(str(value), str(value))


# The same for the API.


class BeforeIn(serializers.Serializer[Any]):
    """A body that may say in `before` which values it replaces; where another is stored, it is refused as `changed`."""

    before = serializers.DictField(required=False, write_only=True)

    def to_internal_value(self, data: Any) -> Any:
        """The values, with ``made_from`` in place of `before`."""
        values = super().to_internal_value(data)
        before = values.pop("before", None)
        return values if before is None else {**values, FIELD: digests_of(before)}
