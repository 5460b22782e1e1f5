"""Forms about work. They check the shape of the input, and never a rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from django import forms
from django.utils.translation import gettext, gettext_lazy

from assess.assignments.models import Assignment
from assess.web.made_from import MadeFromForm
from assess.web.number_fields import WholeNumberField


class HandOutForm(forms.Form):
    """Asks which cells of the matrix go to whom."""

    assessor = forms.ChoiceField(
        label=gettext_lazy("Assessor"), error_messages={"required": gettext_lazy("Choose an assessor.")}
    )
    role = forms.ChoiceField(
        label=gettext_lazy("Role"),
        choices=[(role.value, role.label) for role in Assignment.Role if role != Assignment.Role.MACHINE],
        initial=Assignment.Role.PRIMARY,
    )

    def __init__(self, *args: Any, assessors: Mapping[int, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = cast(forms.ChoiceField, self.fields["assessor"])
        field.choices = [("", gettext("choose …")), *((str(pk), name) for pk, name in assessors.items())]


class WorkRulesForm(MadeFromForm):
    """Asks how work is handed out and when it goes back."""

    lease_hours = WholeNumberField(
        label=gettext_lazy("Hours until untouched work goes back"),
        required=False,
        help_text=gettext_lazy(
            "Work that nobody opens or judges in for so long goes back by itself and can be taken by "
            "others. Left empty: never."
        ),
    )
    takes_primary = forms.BooleanField(
        label=gettext_lazy("Assessors take primary assessors' work from the stack"),
        required=False,
        help_text=gettext_lazy(
            "Whoever has nothing open may take the next topic that has no primary assessor, from “Your work”."
        ),
    )


class HandOverForm(forms.Form):
    """Asks who continues an assignment."""

    to = forms.ChoiceField(
        label=gettext_lazy("Hand it over to"), error_messages={"required": gettext_lazy("Choose an assessor.")}
    )

    def __init__(self, *args: Any, assessors: Mapping[int, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = cast(forms.ChoiceField, self.fields["to"])
        field.choices = [("", gettext("choose …")), *((str(pk), name) for pk, name in assessors.items())]


class SampleForm(forms.Form):
    """Asks which topics a second assessor judges, too."""

    stages = forms.MultipleChoiceField(
        label=gettext_lazy("Stages"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose at least one stage.")},
    )
    of = forms.ChoiceField(
        label=gettext_lazy("How many topics"),
        choices=[
            ("share", gettext_lazy("a share, in per cent")),
            ("number", gettext_lazy("a number of topics")),
            ("all", gettext_lazy("all of them")),
        ],
        initial="share",
    )
    amount = WholeNumberField(
        label=gettext_lazy("How many"),
        min_value=1,
        max_value=1_000_000,
        error_messages={"required": gettext_lazy("Write how many.")},
        initial=20,
        help_text=gettext_lazy("A percentage or a number of topics, as chosen above."),
    )
    seed = WholeNumberField(
        label=gettext_lazy("Seed"),
        min_value=0,
        max_value=2**31 - 1,
        initial=1,
        help_text=gettext_lazy("The same seed chooses the same topics; asked for more, it adds to them."),
    )

    def __init__(self, *args: Any, stages: Iterable[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field, choices = cast(forms.MultipleChoiceField, self.fields["stages"]), list(stages)
        field.choices = choices
        field.initial = [key for key, _ in choices] if len(choices) == 1 else []

    def clean(self) -> dict[str, Any]:
        """Require no number if all topics were chosen."""
        cleaned = super().clean() or {}
        if cleaned.get("of") == "all":
            self.errors.pop("amount", None)
            cleaned.setdefault("amount", None)
        return cleaned
