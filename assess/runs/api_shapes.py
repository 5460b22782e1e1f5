"""What the API takes and gives of runs."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from rest_framework import serializers

from assess.runs.models import Run
from assess.runs.queries.check_progress import run_check
from assess.runs.queries.listing import run_replacing
from assess.web.api import IssueOut, ReportOut, UploadIn
from scoring.json_reading import BadJson, read_json


class RunOut(serializers.ModelSerializer[Run]):
    """A run with the counts of what it returned. `file` is the sha256 of the file that is kept."""

    submitted_by = serializers.CharField(source="submitted_by.username", read_only=True)
    answered = serializers.IntegerField(read_only=True)
    strings = serializers.IntegerField(read_only=True)

    class Meta:
        model = Run
        fields = [
            "id",
            "tag",
            "team",
            "priority",
            "automatic",
            "description",
            "fields",
            "submission",
            "file",
            "file_name",
            "size",
            "state",
            "errors",
            "warnings",
            "notes",
            "answered",
            "strings",
            "submitted_by",
            "submitted_at",
        ]


class RepairOut(serializers.Serializer[Any]):
    """What was mended in the repaired file; the last row, `left`, counts the errors that are left in it."""

    code = serializers.CharField()
    count = serializers.IntegerField()
    message = serializers.CharField()


class RunReportOut(RunOut):
    """The same with the first issues that the checker found, what the repaired file mends (`repaired` is its sha256,
    "" where there is none), and, while the run is being checked, how far the check is.
    """

    report = IssueOut(many=True, read_only=True)
    repairs = RepairOut(many=True, read_only=True)
    check = serializers.SerializerMethodField()
    replaces = serializers.IntegerField(
        source="replaces_id",
        read_only=True,
        allow_null=True,
        help_text="The run whose place it took; while it is being checked, the one that it may replace.",
    )
    replaced_by = serializers.SerializerMethodField()

    def get_replaced_by(self, run: Run) -> int | None:
        """The run that took its place."""
        replacement = run_replacing(run)
        return replacement.pk if replacement is not None else None

    def get_check(self, run: Run) -> str:
        """What the worker does, in a sentence; "" when it is done."""
        return run_check(run, now=timezone.now()).sentence if run.state == Run.State.CHECKING else ""

    class Meta(RunOut.Meta):
        fields = [*RunOut.Meta.fields, "report", "repaired", "repairs", "check", "replaces", "replaced_by"]


class AnswersField(serializers.DictField):
    """Answers by the keys of their questions: a part of a form with a JSON object, or a part `fields.KEY` for each."""

    def get_value(self, dictionary: Any) -> Any:
        """What the form holds; both ways may be mixed."""
        parts = super().get_value(dictionary)
        written = dictionary.get(self.field_name)
        if not written or not isinstance(written, str):
            return parts
        try:
            whole = read_json(written)
        except BadJson:
            return written  # which is refused as no dictionary
        return {**whole, **parts} if isinstance(whole, dict) and isinstance(parts, dict) else whole


class RunIn(UploadIn):
    """A run file with its form. `fields` answers the track's own questions by their keys: a part that is a JSON object.

    Where that is hard to write, as with curl, a part `fields.KEY` for each answer does the same.
    """

    submission = serializers.CharField(required=False, default="", allow_blank=True)
    tag = serializers.CharField(required=False, default="", allow_blank=True)
    team = serializers.CharField(required=False, default="", allow_blank=True)
    priority = serializers.IntegerField(required=False, default=None, allow_null=True)
    made = serializers.ChoiceField(["automatic", "manual"], required=False, default="automatic")
    description = serializers.CharField(required=False, default="", allow_blank=True)
    published = serializers.BooleanField(required=False, default=False)
    replace = serializers.BooleanField(
        required=False, default=False, help_text="This file replaces the team's run with the same tag and another file."
    )
    fields = AnswersField(  # type: ignore[assignment]
        child=serializers.CharField(allow_blank=True), required=False, default=dict
    )


class RepairedIn(serializers.Serializer[Any]):
    """Whether the repaired file may replace another run of the team with the same tag."""

    replace = serializers.BooleanField(required=False, default=False)


class PreviewRowOut(serializers.Serializer[Any]):
    """A row of how a file was read."""

    topic = serializers.CharField()
    what = serializers.CharField()
    text = serializers.CharField()


class CheckOut(ReportOut):
    """The checker's report, and the first rows of how the file was read; none where it has errors."""

    preview = PreviewRowOut(many=True)
