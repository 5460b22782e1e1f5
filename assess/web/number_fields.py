"""Fields of forms for numbers that people type.

They are fields for text: browsers' own number fields drop a comma, so that 0,05 would come in as 5, and Django reads
the whole number 1.000 as 1.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.formats import localize_input

from assess.base.numbers import TwoNumbers, typed_number


class _TypedNumber(forms.Field):
    """What these fields have in common: `typed_number` reads what comes in, and the page's language writes it."""

    is_whole = False

    def __init__(self, **kwargs: Any) -> None:
        attributes = {"inputmode": "numeric" if self.is_whole else "decimal", "autocomplete": "off"}
        super().__init__(widget=forms.TextInput(attrs=attributes), **kwargs)

    def prepare_value(self, value: Any) -> Any:
        """Return a stored number in the language of the page; what somebody typed stays as typed."""
        return value if isinstance(value, str) else localize_input(value)

    def to_python(self, value: Any) -> Any:
        """Return the number. Refuse text that is not a number, or that may mean two numbers."""
        if isinstance(value, str):
            try:
                value = typed_number(value, is_whole=self.is_whole)
            except TwoNumbers as error:
                raise forms.ValidationError(str(error)) from error
        return super().to_python(value)


class WholeNumberField(_TypedNumber, forms.IntegerField):
    """A whole number: 1,000 in English and 1.000 in German are a thousand."""

    is_whole = True


class DecimalField(_TypedNumber, forms.FloatField):
    """A number that may have decimals: 0.05 and 0,05 are the same in every language."""


class NumberTextField(_TypedNumber, forms.CharField):
    """A number that stays text, since whoever takes it converts and checks it."""

    def __init__(self, *, is_whole: bool) -> None:
        self.is_whole = is_whole
        super().__init__(max_length=1000)
