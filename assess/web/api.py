"""What every API call begins with: the caller's seat in the campaign that the address names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from hashlib import sha256
from typing import Any, TypeVar, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers, status, viewsets
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings

from assess.campaigns.seats import Seat, access_seat
from assess.web.shapes import DataSerializer
from assess.web.strict_calls import StrictCalls, refuse, strange_members
from assess.web.strict_calls import query_choice as query_choice
from assess.web.strict_calls import query_number as query_number
from assess.web.strict_calls import query_text as query_text
from assess.web.table import searched
from scoring.records import Issue

Row = TypeVar("Row", bound=Model)
NUMBER = "[0-9]{1,18}"
"""The pattern of ids in addresses. Anything else is not a valid address."""


def checked(serializer: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """Return the body of a call in the shape that the serializer describes. Otherwise refuse it, field by field."""
    return checked_shape(serializer, request.data)


def checked_shape(serializer: type[serializers.Serializer[Any]], sent: Any) -> dict[str, Any]:
    """Return data in the shape that the serializer describes. Otherwise refuse it, field by field.

    Valid data is read by cached fields, since making them took a tenth of the time for saving a judgment.
    """
    if serializer.validate is serializers.Serializer.validate:  # otherwise its own rule needs the body
        shape = _shape_of(serializer)
        with suppress(serializers.ValidationError):
            if not strange_members(shape, sent):
                return dict(shape.run_validation(sent))
    form = serializer(data=sent)
    strange = strange_members(form, sent)
    form.is_valid()
    told = {name for name, _ in strange}
    refuse([*strange, *((name, fault) for name, fault in _faults(form.errors) if name not in told)])
    return dict(form.validated_data)


@cache
def _shape_of(serializer: type[serializers.Serializer[Any]]) -> serializers.Serializer[Any]:
    return serializer()


def _faults(errors: Any, name: str = "") -> list[tuple[str, str]]:
    """Return every fault with the path of its field, however deep."""
    if isinstance(errors, Mapping):
        return [fault for key, below in errors.items() for fault in _faults(below, _joined(name, str(key)))]
    texts = [text for text in errors if not isinstance(text, Mapping)]
    below = [fault for text in errors if isinstance(text, Mapping) for fault in _faults(text, name)]
    return [*([(name, " ".join(map(str, texts)))] if texts else []), *below]


def _joined(name: str, key: str) -> str:
    return name if key == api_settings.NON_FIELD_ERRORS_KEY else f"{name}.{key}".removeprefix(".")


class UploadField(serializers.FileField):
    """A file up to the site's upload limit. An empty one is accepted here, since the checker reports it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"allow_empty_file": True, "max_length": 255, **kwargs})

    def to_internal_value(self, data: Any) -> Any:
        """Return the file. Refuse one that is too large, with the limit."""
        file = super().to_internal_value(data)
        if isinstance(file, UploadedFile) and (file.size or 0) > settings.ASSAY_UPLOAD_MB * 1024 * 1024:
            raise serializers.ValidationError(
                f"The file is too large; at most {settings.ASSAY_UPLOAD_MB} MB may be uploaded. Compress or split it."
            )
        return file


class UploadIn(serializers.Serializer[Any]):
    """One file, as `multipart/form-data`."""

    file = UploadField()


class IssueOut(DataSerializer):
    """A problem in a file: the line, the severity, the rule, and what to do."""

    excerpt = serializers.CharField(required=False)

    where = serializers.CharField()

    class Meta:
        of = Issue
        fields = ("where", "severity", "code", "message", "excerpt")


class FieldErrorOut(serializers.Serializer[Any]):
    """What is wrong with one field, named by its path, such as `invitations.team`."""

    field = serializers.CharField()
    detail = serializers.CharField()


class ProblemOut(serializers.Serializer[Any]):
    """Why something was refused, in the form of RFC 9457. `type` ends with `code`; `detail` says what to do.

    `errors` names the fields of a body with the wrong shape. `issues` are the first problems of a file, and `total`
    counts its errors. `present` is what is stored now, if somebody changed it since `before`.
    """

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField()
    detail = serializers.CharField()
    errors = FieldErrorOut(many=True, required=False)  # type: ignore[assignment]
    total = serializers.IntegerField(required=False)
    issues = IssueOut(many=True, required=False)
    present = serializers.DictField(required=False)


class ReportOut(serializers.Serializer[Any]):
    """The number of errors, warnings and notes in a file, with the first of each. Notes are not faults."""

    errors = serializers.IntegerField()  # type: ignore[assignment]
    warnings = serializers.IntegerField()
    notes = serializers.IntegerField()
    issues = IssueOut(many=True, source="as_rows")


def filter_parameters(*names: str) -> list[OpenApiParameter]:
    """Return the query parameters that filter a list, for the schema."""
    return [OpenApiParameter(name, OpenApiTypes.STR) for name in names]


def narrowed(
    request: Request, rows: QuerySet[Row], fields: Mapping[str, str], search: Sequence[str] = ()
) -> QuerySet[Row]:
    """Return the rows that the address asks for. Refuse a value that the field can't have.

    ``fields`` maps a parameter to the field that it is compared with, and ``q`` searches the fields in ``search``, as
    the tables of pages do (`searched`). Nothing from the caller is ever used as the name of a field.
    """
    for name, field in fields.items():
        choices = _choices(rows.model, field)
        if value := query_choice(request, name, choices) if choices else query_text(request, name):
            rows = rows.filter(**{field: value})
    return searched(rows, query_text(request, "q"), search)


def _choices(model: type[Model], field: str) -> list[str]:
    """Return the values that a field may have, as texts; none if it may have any."""
    choices = None if "__" in field else getattr(model._meta.get_field(field), "choices", None)
    return [str(value) for value, _ in choices or ()]


class OneNegotiation(DefaultContentNegotiation):
    """Each call has one form of answer (JSON or a file), so the caller's Accept header changes nothing."""

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """Return the first renderer."""
        return renderers[0], renderers[0].media_type


def _unless_known(request: HttpRequest, answer: HttpResponse) -> HttpResponseBase | None:
    """Return 304 if the caller already has this answer, of the same ledger point (`If-None-Match`)."""
    digest = sha256(answer.headers.get("As-Of", "").encode() + b"\n" + answer.content).hexdigest()
    answer.headers["ETag"] = f'"{digest[:32]}"'
    return get_conditional_response(request, etag=answer.headers["ETag"], response=answer)


class SeatViewSet(StrictCalls, viewsets.GenericViewSet[Any]):
    """A set of calls under `campaigns/<slug>/`. Objects are found through `access`, never through a queryset here."""

    queryset = None
    filter_backends: list[Any] = []
    lookup_value_regex = NUMBER
    content_negotiation_class = OneNegotiation

    @property
    def user(self) -> User:
        """The caller. The framework has refused everybody who is not logged in."""
        return cast(User, self.request.user)

    def seat(self, *roles: str) -> Seat:
        """Return the caller's seat in the campaign, in one of these roles if any are named, or raise what `access_seat`
        raises.
        """
        return access_seat(self.user, self.kwargs["slug"], *roles)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Add an ETag of the content to answers of GET, so that a repeated call can be answered with "not modified"."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        if request.method == "GET" and answer.status_code == status.HTTP_200_OK and isinstance(answer, Response):
            answer.add_post_render_callback(partial(_unless_known, request._request))
        return answer

    def paged(self, rows: Any, serializer: type[serializers.BaseSerializer[Any]], **context: Any) -> Response:
        """Return one page of rows, by `limit` and `offset`, which are refused if they are no numbers. ``context`` is
        passed to the serializer.
        """
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(serializer(page, many=True, context=context).data)
