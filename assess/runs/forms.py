"""The form with which a run is submitted, made from what the track asks. It checks the shape of the input, no rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from assess.campaigns.dates import zone_choices
from assess.campaigns.models import Part
from assess.campaigns.track_texts import in_language
from assess.protocol import FormField, RunForm, Submission
from assess.web.forms import UploadField
from assess.web.made_from import MadeFromForm

RELEASE_HELP = {
    Part.TOPICS: gettext_lazy("Before that participants see no topic and submit no run. Empty: at once."),
    Part.LISTS: gettext_lazy("Never before the topics."),
    Part.PACKAGE: gettext_lazy("Never before the lists."),
}


class DeadlineForm(MadeFromForm):
    """Asks for the deadline for runs."""

    due = forms.CharField(
        label=gettext_lazy("Runs are due"),
        required=False,
        max_length=40,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
        help_text=gettext_lazy(
            "Until then participants submit, replace and withdraw runs. Empty: until judging begins."
        ),
    )
    time_zone = forms.ChoiceField(
        choices=zone_choices,
        label=gettext_lazy("Time zone of the deadline"),
        help_text=gettext_lazy("The deadline is in this time zone."),
    )
    past = forms.BooleanField(label=gettext_lazy("Keep this deadline, although it has passed"), required=False)

    def without_past(self) -> DeadlineForm:
        """Return the form without the question that is asked only about a deadline in the past."""
        del self.fields["past"]
        return self


class ReleaseDatesForm(MadeFromForm):
    """Asks when participants first see topics, lists and the package."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for part in Part:
            self.fields[part.value] = forms.CharField(
                label=gettext("%(part)s from") % {"part": part.label.capitalize()},
                required=False,
                max_length=40,
                widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
                help_text=RELEASE_HELP[part],
            )


class TimeZoneForm(forms.Form):
    """Asks for the time zone in which the campaign's days begin."""

    time_zone = forms.ChoiceField(
        choices=zone_choices,
        label=gettext_lazy("Time zone of the campaign"),
        help_text=gettext_lazy(
            "Progress by day, forecasts and all times on pages are in this zone; deadlines may have their own."
        ),
    )


SEVERAL = gettext_lazy(
    "To submit, several runs may be chosen together, or a zip of them: each has its tag from the file or the file's "
    "name. “Check only” takes one run at a time."
)


class ManyFiles(forms.FileInput):
    """A field in which several files can be chosen. The form itself reads the last of them."""

    allow_multiple_selected = True

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        return files.get(name)


class SubmissionForm(forms.Form):
    """Asks for a run and for what the track asks its submitter; the fields are made from the track's `Submission`.

    A tag is required only if there is one file and the track takes the tag from nothing else.
    """

    file = UploadField(label=gettext_lazy("Run file"), widget=ManyFiles(attrs={"multiple": True}))

    def __init__(
        self, *args: Any, submission: Submission, teams: Iterable[str] | None, several: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.submission = submission
        self.fields["file"].help_text = " ".join(filter(None, (in_language(submission.help), str(SEVERAL))))
        self.fields["team"] = _team_field(teams)
        if submission.priorities:
            self.fields["priority"] = forms.TypedChoiceField(
                label=gettext("Priority"),
                coerce=int,
                choices=[(number, str(number)) for number in submission.priorities],
            )
        self.fields["tag"] = forms.CharField(
            label=gettext("Run tag"),
            max_length=100,
            required=not several and not submission.priorities and submission.form is None and submission.tag is None,
            help_text=_tag_help(submission),
            error_messages={
                "required": gettext("Give the run tag: %(words)s.") % {"words": in_language(submission.tags.words)}
            },
        )
        self.fields["automatic"] = forms.TypedChoiceField(
            label=gettext("Made"),
            choices=[("yes", gettext("automatically")), ("no", gettext("with human help (a manual run)"))],
            coerce=lambda value: value == "yes",
        )
        self.fields["description"] = forms.CharField(
            label=gettext("Description"),
            widget=forms.Textarea(attrs={"rows": 4}),
            max_length=10_000,
            required=False,
        )
        for field in submission.fields:
            self.fields[f"field-{field.key}"] = _form_field(field)
        if teams is None and not submission.for_organisers:
            self.fields["published"] = forms.BooleanField(
                label=gettext("This run was published: its tag may have another form"), required=False
            )

    def add_problems(self, problems: Mapping[str, str]) -> None:
        """Show each problem that the rules found beside its field."""
        for name, sentence in problems.items():
            place = next((each for each in (name, f"field-{name}") if each in self.fields), None)
            self.add_error(place, sentence)

    def run_form(self) -> RunForm:
        """Return what the submitter entered, as the domain takes it."""
        cleaned = self.cleaned_data
        return RunForm(
            tag=cleaned["tag"],
            team=cleaned["team"],
            priority=cleaned.get("priority"),
            automatic=cleaned["automatic"],
            description=cleaned["description"],
            fields={field.key: cleaned[f"field-{field.key}"] for field in self.submission.fields},
        )


def initial_values(form: RunForm) -> dict[str, Any]:
    """Return the values of a run's form, as the initial values of a new one."""
    answers = {f"field-{key}": value for key, value in form.fields.items()}
    made = "yes" if form.automatic else "no"
    return {
        "team": form.team,
        "priority": form.priority,
        "tag": form.tag,
        "automatic": made,
        "description": form.description,
        **answers,
    }


def _tag_help(submission: Submission) -> str:
    words = in_language(submission.tags.words)
    rule = f"{words[0].upper()}{words[1:]}."
    if submission.priorities:
        return gettext("%(rule)s Left empty: the team's name with the priority after it.") % {"rule": rule}
    in_file = submission.form is not None or submission.tag is not None
    return (
        gettext("%(rule)s If left empty, the tag in the file is taken, unless the file is larger than 8 MB.")
        % {"rule": rule}
        if in_file
        else rule
    )


def _team_field(teams: Iterable[str] | None) -> forms.Field:
    """Return a field with the submitter's own teams to choose from, or for any team if an organiser submits."""
    if teams is None:
        return forms.CharField(max_length=50, error_messages={"required": gettext("Write the team's id.")})
    return forms.ChoiceField(choices=[(team, team) for team in sorted(teams)])


def _form_field(field: FormField) -> forms.Field:
    common: dict[str, Any] = {"label": field.label, "required": field.required, "help_text": field.help}
    if not field.choices:
        return forms.CharField(max_length=10_000, **common)
    choices = list(field.choices) if field.required else [("", gettext("no answer")), *field.choices]
    return forms.ChoiceField(choices=choices, **common)
