"""The forms of a new campaign, and of a design: its text, or files instead of it."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext, gettext_lazy

from assess.base.errors import Refused
from assess.base.numbers import grouped
from assess.campaigns.designs import designs
from assess.campaigns.domain import DESIGN_LIMIT, text_with_files
from assess.campaigns.queries import registered_tracks
from assess.web.forms import ManyUploadsField
from assess.web.made_from import MadeFromForm
from scoring.file_kinds.refusing import NotText, text_of

AT_FIELD = {"is no grade": "ask_grades", "is no condition": "ask_if"}
"""Words of a refusal of a new question, and the field beside which it is shown."""


class DesignFileField(forms.FileField):
    """A design file, cleaned to its text, or to None if there is none."""

    def clean(self, value: Any, initial: Any = None) -> str | None:
        """Return the text. Raise ValidationError if the file is too large for a design, or no text."""
        file = super().clean(value, initial)
        if file is None:
            return None
        if file.size > DESIGN_LIMIT:
            raise forms.ValidationError(
                gettext("The file has more than %(value)s bytes: it is no design.") % {"value": grouped(DESIGN_LIMIT)}
            )
        try:
            return text_of(file.read())
        except NotText as error:
            raise forms.ValidationError(f"{file.name} {error}") from error


class DesignFilesField(ManyUploadsField):
    """The files that a design names, cleaned to their contents by name."""

    def clean(self, value: Any, initial: Any = None) -> Any:
        """Return the contents. Raise ValidationError if one of the files is too large."""
        files = [each for each in super().clean(value, initial) if each is not None]
        if any(each.size > DESIGN_LIMIT for each in files):
            raise forms.ValidationError(
                gettext("One of the files has more than %(value)s bytes.") % {"value": grouped(DESIGN_LIMIT)}
            )
        return {each.name: each.read() for each in files}


OWN_DESIGN = "own"
"""The choice for a design instead of a track."""


class NewNamesForm(forms.Form):
    """Asks for the title and the short name of a new campaign."""

    title = forms.CharField(
        label=gettext_lazy("Title"),
        max_length=200,
        error_messages={"required": gettext_lazy("Give the campaign a title.")},
    )
    slug = forms.CharField(
        label=gettext_lazy("Short name"),
        max_length=50,
        help_text=gettext_lazy(
            "Small letters, digits and hyphens; it stands in every address, such as misleading-2026."
        ),
        error_messages={"required": gettext_lazy("Give a short name.")},
    )


class CampaignForm(NewNamesForm):
    """Asks for a new campaign."""

    track = forms.ChoiceField(
        label=gettext_lazy("Track"),
        help_text=gettext_lazy("The evaluation whose files, stages and measures are used. It can't be changed later."),
    )
    design = DesignFileField(
        label=gettext_lazy("Design file"),
        required=False,
        help_text=gettext_lazy(
            "For an evaluation of your own: a TOML file that says what is asked, and how it is scored."
        ),
    )
    beside = DesignFilesField(
        label=gettext_lazy("Files that it names"),
        required=False,
        help_text=gettext_lazy(
            "Known answers, practice, suggested answers, help and guidelines that lie beside the design."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = cast(forms.ChoiceField, self.fields["track"])
        installed = [(track.key, track.label) for track in registered_tracks().values()]
        field.choices = [*installed, (OWN_DESIGN, gettext("my own, by a design file"))]

    def clean(self) -> dict[str, Any]:
        """Return the values, with the text of the design file ("" without one).

        Add an error if a design file is needed and missing, or given and not needed.
        """
        values = super().clean() or {}
        is_own = values.get("track") == OWN_DESIGN
        if is_own and "design" in values and values["design"] is None:
            self.add_error("design", gettext("Choose the design file of your evaluation."))
        elif not is_own and values.get("design") is not None:
            self.add_error("track", gettext("Choose “my own” where you send a design file, or send none."))
        if values.get("beside") and not is_own:
            self.add_error("beside", gettext("Files come with a design alone: choose “my own”, or leave them out."))
        files = values.pop("beside", {})
        return {**values, "design": values.get("design") or "", "files": files}


class DesignForm(MadeFromForm):
    """Asks for the text of a design, or a file instead. Also asks which stage's bench is shown, and for which item."""

    design = forms.CharField(
        label=gettext_lazy("Design"),
        strip=False,
        required=False,
        max_length=DESIGN_LIMIT,
        widget=forms.Textarea(
            attrs={"rows": 30, "spellcheck": "false", "wrap": "off", "autocapitalize": "off", "data-design-text": ""}
        ),
    )
    file = DesignFileField(
        label=gettext_lazy("Or a file in its place"),
        required=False,
        widget=forms.FileInput(attrs={"accept": ".toml,text/plain"}),
    )
    beside = DesignFilesField(
        label=gettext_lazy("Files that it names"),
        required=False,
        help_text=gettext_lazy(
            "What they hold is put into the text: known answers, practice, help, a base. Guidelines and suggested "
            "answers are taken when the campaign is made: choose these again then."
        ),
    )
    sample = forms.CharField(
        label=gettext_lazy("A text to try it on"),
        strip=True,
        required=False,
        max_length=20_000,
        widget=forms.Textarea({"rows": 2}),
    )
    stage = forms.CharField(required=False, max_length=50)
    ask = forms.CharField(label=gettext_lazy("What is asked"), required=False, max_length=200)
    ask_help = forms.CharField(label=gettext_lazy("What helps to answer it"), required=False, max_length=2_000)
    ask_key = forms.CharField(
        label=gettext_lazy("Key"),
        required=False,
        max_length=50,
        help_text=gettext_lazy("What it is called for ever; made of the question if empty."),
    )
    ask_grades = forms.CharField(
        label=gettext_lazy("Answers"),
        required=False,
        max_length=5_000,
        widget=forms.Textarea({"rows": 3, "placeholder": "2 y yes\n1 s somewhat\n0 o no"}),
        help_text=gettext_lazy(
            "A line for each: its value, the key that is pressed, its name; or a scale such as 1-5."
        ),
    )

    ask_if = forms.CharField(
        label=gettext_lazy("Asked only if"),
        required=False,
        max_length=2_000,
        widget=forms.Textarea({"rows": 2, "placeholder": "relevant: somewhat, yes"}),
        help_text=gettext_lazy(
            "A line for each earlier question on which it depends: its key, a colon, and its answers. Empty: it is "
            "always asked."
        ),
    )

    edit_error = ""

    def clean(self) -> dict[str, Any]:
        """Use the text of the file if one was uploaded, with Unix line ends. Refuse an empty design."""
        values = cast(dict[str, Any], super().clean())
        text = values.get("design", "")
        if values.get("file") is not None:
            text = values["file"]
            self.put(design=text)
        values["design"] = values["sent"] = text.replace("\r\n", "\n").replace("\0", "")
        self._put_in(values)
        if not values["design"].strip() and not self.errors:
            self.add_error("design", gettext("Write a design, or choose a file."))
        return values

    def _put_in(self, values: dict[str, Any]) -> None:
        """Insert the contents of the files into the text, and show the result. ``values["sent"]`` keeps the text
        without them.
        """
        if not values.get("beside"):
            return
        try:
            values["design"] = text_with_files(values["design"], values["beside"])
        except Refused as refused:
            self.add_error("beside", refused.message)
        else:
            self.put(design=values["design"])

    def put(self, **values: str) -> None:
        """Show these values instead of those that were sent."""
        self.data = MultiValueDict({**self.data, **{self.add_prefix(name): [each] for name, each in values.items()}})

    def add_question(self, text: str) -> str:
        """Return the text with the new question, and show it. If the question can't be added, return the text as it
        was, and show the reason beside the field.
        """
        said = {name: self.cleaned_data[f"ask_{name}"] for name in ("key", "help", "grades", "if")}
        try:
            text = designs().with_question(
                text, {**said, "ask": self.cleaned_data["ask"], "stage": self.cleaned_data["stage"]}
            )
        except ValueError as error:
            field = next((name for words, name in AT_FIELD.items() if words in str(error)), "ask")
            self.add_error(field, str(error))
            return text
        self.put(design=text, ask="", ask_key="", ask_help="", ask_grades="", ask_if="")
        return text

    def edit(self, text: str, do: str) -> str:
        """Return the text after one edit, and show it. The edit writes the values of one of the page's forms into the
        text, or moves or removes an entry.

        If that is not possible, return the text as it was, and give the reason as ``edit_error``.
        """
        verb, _, key = do.partition(" ")
        values: dict[str, str] = {}
        sent = cast(QueryDict, self.data)
        for name in sent:
            kind, _, rest = name.partition(":")
            if kind == "row" or (kind == "part" and rest.startswith(f"{key}:")):
                values[rest if kind == "row" else rest.removeprefix(f"{key}:")] = "\n".join(sent.getlist(name))
        try:
            text = designs().edited(text, verb=verb, key=key, values=values, made_from=sent.get(f"made:{key}", ""))
        except ValueError as error:
            self.edit_error = str(error)
            return text
        self.put(design=text)
        return text
