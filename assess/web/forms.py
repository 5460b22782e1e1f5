"""Forms of the organisers' and participants' pages. They check the shape of the input, and never a rule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any, cast, get_origin, get_type_hints

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext, gettext_lazy

from assess.base.numbers import grouped
from assess.base.track_settings import Change
from assess.campaigns.models import Campaign
from assess.campaigns.track_texts import in_language
from assess.protocol import TopicFile, Track
from assess.web.made_from import MadeFromForm
from assess.web.number_fields import DecimalField, NumberTextField
from scoring.collections.members import FORMS, MEDIA_TYPES, MEMBER_NAMES, known_presets

LIST_LIMIT = 50_000  # characters of a list of topic numbers
LINES_LIMIT = 100_000  # characters of a setting of several lines


FILE_ERRORS = {
    "required": gettext_lazy("Choose a file."),
    "missing": gettext_lazy("Choose a file."),
    "empty": gettext_lazy("The file is empty. Choose another one."),
    "invalid": gettext_lazy("No file came in. Choose it again."),
    "max_length": gettext_lazy("The name of the file is too long. Give it a shorter one."),
}


class UploadField(forms.FileField):
    """A file up to the site's upload limit. An empty one is accepted here; its reader reports it, as in the API."""

    def __init__(self, **kwargs: Any) -> None:
        given = {
            "label": gettext_lazy("File"),
            "max_length": 255,
            "allow_empty_file": True,
            "error_messages": FILE_ERRORS,
        }
        super().__init__(**{**given, **kwargs})

    def clean(self, value: Any, initial: Any = None) -> Any:
        """Return the file. Raise ValidationError, with the limit, if it is too large."""
        file = super().clean(value, initial)
        if isinstance(file, UploadedFile) and (file.size or 0) > settings.ASSAY_UPLOAD_MB * 1024 * 1024:
            size = (file.size or 0) / 1024 / 1024
            raise forms.ValidationError(
                gettext(
                    "The file has %(size)s MB; at most %(assay_upload_mb)s MB may be uploaded. Compress or split it."
                )
                % {"size": grouped(size, 0), "assay_upload_mb": settings.ASSAY_UPLOAD_MB}
            )
        return file


class SourceForm(forms.Form):
    """Asks for the file or folder from which documents were loaded."""

    source = forms.CharField(label=gettext_lazy("Source"), max_length=500)


class LikenessForm(forms.Form):
    """Asks for the least likeness of near-identical documents."""

    likeness = DecimalField(
        label=gettext_lazy("Least likeness"),
        min_value=0.01,
        max_value=1,
        help_text=gettext_lazy("The share of five words in a row that two texts have in common, above 0 to 1."),
    )


class ManyFilesInput(forms.FileInput):
    """A file input that takes several files at once."""

    allow_multiple_selected = True


class ManyUploadsField(UploadField):
    """One or several files, each up to the site's upload limit, cleaned to a list."""

    widget = ManyFilesInput

    def clean(self, value: Any, initial: Any = None) -> list[Any]:
        """Return the files as a list. Raise ValidationError if one of them is refused."""
        files = value if isinstance(value, (list, tuple)) else [value]
        return [super(ManyUploadsField, self).clean(each, initial) for each in files or [None]]


class UploadForm(forms.Form):
    """Asks for a file."""

    file = UploadField()


class DocnosForm(UploadForm):
    """Asks for a list of docnos and its name."""

    name = forms.CharField(
        label=gettext_lazy("Name of the list"),
        required=False,
        max_length=255,
        help_text=gettext_lazy("Its file's name, unless you give one. A list with the same name is replaced."),
    )


class TranslationsForm(UploadForm):
    """Asks for a file of translations, and for values that its records may lack."""

    language = forms.CharField(
        label=gettext_lazy("Language"),
        required=False,
        max_length=35,
        help_text=gettext_lazy("Its code (en, zh, pt-BR), where the records have no “language”."),
    )
    tool = forms.CharField(
        label=gettext_lazy("Translated by"),
        required=False,
        max_length=200,
        help_text=gettext_lazy("The program or the person, where the records have no “tool”. Assessors see it."),
    )


class TopicsForm(forms.Form):
    """Asks for a topic file and its kind. If none is chosen, the kind is recognised by the file's content."""

    file_key = forms.ChoiceField(label=gettext_lazy("Kind of file"), required=False)
    file = UploadField()

    def __init__(self, *args: Any, topic_files: Iterable[TopicFile], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = tuple(topic_files)
        field = cast(forms.ChoiceField, self.fields["file_key"])
        field.choices = [("", gettext("as its content tells")), *((kind.key, kind.label) for kind in kinds)]
        field.help_text = " ".join(in_language(kind.help) for kind in kinds)
        if len(kinds) == 1:
            field.widget = forms.HiddenInput()
            field.initial = kinds[0].key
            self.fields["file"].label = kinds[0].label
            self.fields["file"].help_text = kinds[0].help


class DocumentsForm(forms.Form):
    """Asks for files of documents, and which of the documents to store."""

    file = ManyUploadsField(
        label=gettext_lazy("Files"),
        help_text=gettext_lazy("Collection files as they are, or gzipped; several at once."),
    )
    wanted = forms.ChoiceField(
        label=gettext_lazy("Store"),
        choices=[
            ("named", gettext_lazy("only what runs or lists name")),
            ("ranked", gettext_lazy("also what a later pool may need: all that runs rank")),
            ("all", gettext_lazy("all documents of the files")),
        ],
        help_text=gettext_lazy(
            "Runs name what they return; ranked runs, what they rank to the pool’s depth, or for a later pool "
            "to the 1,000th place."
        ),
    )


class RecordsForm(forms.Form):
    """Asks for a file of records (or the token of a stored one), and for the names of their members."""

    token = forms.CharField(max_length=2000, required=False, widget=forms.HiddenInput())
    file = UploadField(help_text=gettext_lazy("JSON, CSV, tab-separated columns, Parquet or WARC; packed or not."))
    wanted = DocumentsForm.base_fields["wanted"]
    preset = forms.ChoiceField(
        label=gettext_lazy("Preset"),
        required=False,
        help_text=gettext_lazy("The names of a known collection. One that is chosen replaces those below."),
    )
    form = forms.ChoiceField(label=gettext_lazy("Form"), required=False)
    id = forms.CharField(
        label=gettext_lazy("Docno"),
        max_length=200,
        required=False,
        help_text=gettext_lazy("The member or column that holds it."),
    )
    text = forms.CharField(
        label=gettext_lazy("Text"),
        max_length=500,
        required=False,
        help_text=gettext_lazy("Several with commas between are joined."),
    )
    title = forms.CharField(label=gettext_lazy("Title"), max_length=200, required=False)
    url = forms.CharField(label=gettext_lazy("Address"), max_length=200, required=False)
    date = forms.CharField(label=gettext_lazy("Date"), max_length=200, required=False)
    media_type = forms.ChoiceField(label=gettext_lazy("Shown as"), required=False)
    listed = forms.CharField(
        label=gettext_lazy("List of records"),
        max_length=200,
        required=False,
        help_text=gettext_lazy("The member of each object that holds it."),
    )
    header = forms.ChoiceField(
        label=gettext_lazy("Names of columns"),
        required=False,
        help_text=gettext_lazy("Without names, columns are called 1, 2, 3 …"),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        presets = [(name, name) for name in known_presets()]
        self._choose("preset", [("", gettext("as named below, or guessed")), *presets])
        self._choose("form", [("", gettext("as the file tells")), *((form, form) for form in FORMS)])
        self._choose("media_type", [("", gettext("as the file tells")), *((each, each) for each in MEDIA_TYPES)])
        self._choose(
            "header",
            [("", gettext("as the first line tells")), ("yes", gettext("in the first line")), ("no", gettext("none"))],
        )
        if self["token"].value():
            del self.fields["file"]

    def _choose(self, name: str, choices: list[tuple[str, str]]) -> None:
        cast(forms.ChoiceField, self.fields[name]).choices = choices

    def given(self) -> dict[str, Any]:
        """Return the names that were given, or those of the chosen preset."""
        values = self.cleaned_data
        if values["preset"]:
            return {"preset": values["preset"]}
        return {name: values[name] for name in MEMBER_NAMES}


class TextForm(MadeFromForm):
    """Asks for a long text."""

    text = forms.CharField(
        label=gettext_lazy("Text"),
        widget=forms.Textarea(attrs={"rows": 24}),
        strip=False,
        max_length=200_000,
        error_messages={"required": gettext_lazy("Write something.")},
    )


class AnswerForm(MadeFromForm):
    """Asks for the organiser's answer to an assessor."""

    answer = forms.CharField(
        label=gettext_lazy("Answer"),
        widget=forms.Textarea(attrs={"rows": 3}),
        max_length=4000,
        error_messages={"required": gettext_lazy("Write an answer: the assessor waits for it.")},
    )
    excuse = forms.BooleanField(
        label=gettext_lazy("The assessor need not judge it"),
        required=False,
        help_text=gettext_lazy("It then counts as settled in their work and stays unjudged in the exports."),
    )


class LinesField(forms.CharField):
    """A text of several lines, kept as typed. Browsers end lines with CR LF; it is stored with LF."""

    def __init__(self) -> None:
        widget = forms.Textarea(attrs={"rows": 6, "spellcheck": "false"})
        super().__init__(required=False, strip=False, max_length=LINES_LIMIT, widget=widget)

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")


class SettingsForm(MadeFromForm):
    """A form for the settings that an organiser may change: those of the track, without those that have a page of their
    own.
    """

    def __init__(self, *args: Any, track: Track, campaign: Campaign, **kwargs: Any) -> None:
        current = track.settings.from_stored(campaign.settings).as_mapping()
        own = [field for field in fields(track.settings) if not field.metadata.get("own_page")]
        super().__init__(*args, present={field.name: current[field.name] for field in own}, initial={}, **kwargs)
        hints = get_type_hints(track.settings)
        for field in own:
            made = LinesField() if field.metadata.get("lines") else _setting(hints[field.name])
            made.label = gettext(str(field.metadata.get("label") or field.name.replace("_", " ").capitalize()))
            made.help_text = gettext(str(field.metadata.get("help", "")))
            if field.metadata.get("change", Change.FREE) != Change.FREE:
                until = gettext("It may be changed %(until)s.") % {"until": gettext(field.metadata["change"].value)}
                made.help_text = f"{made.help_text} {until}".strip()
            value = current[field.name]
            made.initial = ", ".join(map(str, value)) if isinstance(value, list) else value
            self.fields[field.name] = made


def _setting(hint: Any) -> forms.Field:
    """Return a field for a setting. Numbers are taken as text, since the track's settings convert and check them."""
    if hint is bool:
        return forms.BooleanField(required=False)
    if get_origin(hint) is tuple:
        return forms.CharField(max_length=LIST_LIMIT, required=False, widget=forms.TextInput())
    if hint is str:
        return forms.CharField(max_length=1000, required=False)
    return NumberTextField(is_whole=hint is int)
