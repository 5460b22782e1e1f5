"""Forms about planted items. They check the shape of the input, never a rule."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from django import forms

from assess.controls.domain import FILE_LIMIT
from assess.web.forms import UploadField


class PlantsForm(forms.Form):
    """What is planted into the work of a stage."""

    stage = forms.ChoiceField()
    repeats = forms.IntegerField(
        label="Repeats in each piece of work", min_value=0, max_value=1000, initial=3, help_text="0: none."
    )
    gold = forms.IntegerField(
        label="Gold items in each piece of work",
        min_value=0,
        max_value=1000,
        initial=0,
        help_text="Of the file below, or else of what adjudicators decided.",
    )
    gap = forms.IntegerField(
        label="Items between the first time and the second",
        min_value=1,
        max_value=10_000,
        initial=10,
        help_text="So that nobody remembers the first.",
    )
    seed = forms.IntegerField(min_value=0, max_value=2**31 - 1, initial=1)
    file = UploadField(
        label="Gold file",
        required=False,
        help_text="Lines of topic, kind, key, criterion and value, with tabs between. Left out: adjudicated items.",
    )
    answers = forms.CharField(widget=forms.HiddenInput(), required=False, max_length=2 * FILE_LIMIT, strip=False)

    def __init__(self, *args: Any, stages: Iterable[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast(forms.ChoiceField, self.fields["stage"]).choices = list(stages)
