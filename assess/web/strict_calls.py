"""Check that an API call has only the query parameters and body members that its description names.

Otherwise a misspelt name would change nothing, and its sender would take the answer for what they asked for.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

from django.http import QueryDict
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.schemas.inspectors import ViewInspector
from rest_framework.views import APIView

from assess.base.errors import BadShape
from assess.web.scopes import ORGANISE, READ, require_scope
from scoring.reading.json_reading import BadJson, read_json

UNSAID = object()
PAGING = frozenset({"limit", "offset"})
VALUE_LIMIT = 200
"""The most characters of a query parameter."""
LIST_LIMIT = 50_000
"""The most entries of a list in a body: databases take no more values in one query."""
_BESIDE_PARTS = "csrfmiddlewaretoken"
_TYPES: tuple[tuple[type[serializers.Field[Any, Any, Any, Any]], tuple[type, ...], str], ...] = (
    (serializers.BooleanField, (bool,), "true or false"),
    (serializers.IntegerField, (int,), "a whole number"),
    (serializers.FloatField, (int, float), "a number"),
    (serializers.CharField, (str,), "a text"),
    (serializers.UUIDField, (str,), "a text"),
    (serializers.DateTimeField, (str,), "a text"),
    (serializers.DateField, (str,), "a text"),
    (serializers.ListSerializer, (list,), "a list"),
    (serializers.ListField, (list,), "a list"),
    (serializers.Serializer, (dict,), "an object"),
    (serializers.DictField, (dict,), "an object"),
)


class CallDescription(ViewInspector):
    """What `extend_schema` recorded about a call, read without loading the framework that makes the description."""

    def get_override_parameters(self) -> Any:
        """Return the recorded parameters; an empty list by default."""
        return self._inherited("get_override_parameters", [])

    def get_request_serializer(self) -> Any:
        """Return the serializer that reads the body; `UNSAID` if none was recorded."""
        return self._inherited("get_request_serializer", UNSAID)

    def get_response_serializers(self) -> Any:
        """Return the serializers that write answers; `UNSAID` if none were recorded."""
        return self._inherited("get_response_serializers", UNSAID)

    def _inherited(self, name: str, otherwise: Any) -> Any:
        further = getattr(super(), name, None)
        return otherwise if further is None else further()


class StrictCalls(APIView):
    """A view that first checks each call: it refuses names that its description lacks, and tokens without its scope.

    Calls that change something need one of ``scope``; for some actions ``scopes`` gives others instead.
    """

    reads: ClassVar[tuple[str, ...]] = (READ,)
    scope: ClassVar[tuple[str, ...]] = (ORGANISE,)
    scopes: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check the token's scope and the names that were sent, once the caller has been identified."""
        super().initial(request, *args, **kwargs)
        if getattr(self, "action", None) is None:
            return  # there is no such method: that is refused elsewhere
        require_scope(self, request)
        if request.query_params:
            require_described_parameters(self, request)
        if request.method not in ("GET", "HEAD", "OPTIONS") and int(request.META.get("CONTENT_LENGTH") or 0):
            require_no_body_where_none_is_read(self, request)


def require_described_parameters(view: APIView, request: Request) -> None:
    """Refuse query parameters that the description does not name, that are given twice, or that are too long."""
    known = described_parameters(view)
    faults = []
    for name, values in request.query_params.lists():
        if name not in known:
            names = ", ".join(sorted(known)) or "none"
            faults.append((name, f"There is no such parameter here. Parameters of this call: {names}."))
        elif len(values) > 1:
            faults.append((name, "This parameter is given more than once. Give it once."))
        elif len(values[0]) > VALUE_LIMIT or "\0" in values[0]:
            faults.append((name, f"A parameter has at most {VALUE_LIMIT} characters, and no NUL among them."))
    refuse(faults, of="address")


def require_no_body_where_none_is_read(view: APIView, request: Request) -> None:
    """Refuse a body with members if the call takes none. An empty object is accepted."""
    read_by = _call_description(view).get_request_serializer()
    if read_by is None or (read_by is UNSAID and request.method == "DELETE"):
        refuse([(name, "This call takes no body.") for name in _names_sent(request) if name != _BESIDE_PARTS])


def _names_sent(request: Request) -> list[str]:
    """Return the names of the members or parts of a body of any type; "" for a body without names. Raise ParseError for
    JSON that can't be read.
    """
    sent = request._request
    if sent.content_type != "application/json":
        return [*sent.POST, *sent.FILES]
    try:
        value = read_json(sent.body)
    except BadJson as error:
        raise ParseError(f"The body is no JSON that can be used. {error}") from error
    return [*value] if isinstance(value, dict) else [""] * bool(value)


def described_parameters(view: APIView) -> frozenset[str]:
    """Return the names of the query parameters that the call takes, including those of paging if it answers with a
    page.
    """
    said = _call_description(view)
    named = {each.name for each in said.get_override_parameters() if each.location == OpenApiParameter.QUERY}
    answers = said.get_response_serializers()
    every = answers.values() if isinstance(answers, dict) else [answers]
    is_paged = any(isinstance(each, serializers.ListSerializer) for each in every)
    return frozenset(named | PAGING if is_paged and getattr(view, "paginator", None) is not None else named)


def _call_description(view: APIView) -> Any:
    schema = getattr(getattr(view, getattr(view, "action", None) or "", None), "kwargs", {}).get(
        "schema", CallDescription
    )
    made = schema()
    made.view = view
    made.method = view.request.method
    return made


def refuse(faults: Sequence[tuple[str, str]], *, of: str = "call") -> None:
    """Refuse a call with all faults, member by member, if there are any."""
    if faults:
        said = " ".join(f"{name}: {text}" if name else text for name, text in faults)
        raise BadShape(f"The {of} is not of the right shape. {said}", faults=faults)


def query_text(request: Request, name: str) -> str:
    """Return a query parameter as plain text, "" if it is not given."""
    return request.query_params.get(name, "").strip()


def query_choice(request: Request, name: str, choices: Sequence[str]) -> str:
    """Return a query parameter, "" if it is not given. Refuse a value that is none of these words."""
    value = query_text(request, name)
    if value and value not in choices:
        refuse([(name, f"“{value[:40]}” is none of: {', '.join(choices)}.")], of="address")
    return value


def query_number(request: Request, name: str, default: int, *, least: int = 0, most: int | None = None) -> int:
    """Return a query parameter, or the default if it is not given. Refuse a value that is no whole number within
    bounds.
    """
    text = query_text(request, name)
    number = int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else None
    if text and (number is None or number < least or (most is not None and number > most)):
        bounds = f"from {least:,} to {most:,}" if most is not None else f"from {least:,} on"
        refuse([(name, f"“{text[:40]}” is no whole number {bounds}.")], of="address")
    return default if number is None else number


def strange_members(form: serializers.Serializer[Any], sent: Any) -> list[tuple[str, str]]:
    """Return the members of a body that the serializer lacks, that have the wrong type or are none of the choices.
    Each has a message.

    JSON has types, so “1” is not a number there; the parts of a form are texts. A list longer than `LIST_LIMIT` is
    refused at once.
    """
    if isinstance(sent, QueryDict):
        return list(_strange_parts(form, sent))
    return list(_strange(form, sent if sent is not None else [], ""))  # null is no body


def _strange_parts(form: serializers.Serializer[Any], sent: QueryDict) -> Iterator[tuple[str, str]]:
    for name, values in sent.lists():
        known = _taken(form).get(name.partition(".")[0])
        if known is None and name != _BESIDE_PARTS:
            yield name, _unknown(form)
        elif len(values) > 1 and not isinstance(known, (serializers.ListField, serializers.ListSerializer)):
            yield name, "This part is given more than once. Give it once."
        else:
            yield from _not_a_choice(known, values[0], name)


def _strange(field: Any, value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(field, serializers.Serializer) and isinstance(value, Mapping):
        known = _taken(field)
        for name, below in value.items():
            where = f"{path}.{name}" if path else name
            if name in known:
                yield from _strange(known[name], below, where)
            else:
                yield where, _unknown(field)
    elif isinstance(field, (serializers.ListSerializer, serializers.ListField)) and isinstance(value, list):
        if len(value) > LIST_LIMIT:
            refuse([(path, f"This list has {len(value):,} entries; at most {LIST_LIMIT:,} are taken.")])
        for place, each in enumerate(value):
            yield from _strange(field.child, each, f"{path}.{place}")
    elif isinstance(field, serializers.DictField) and isinstance(value, Mapping):
        for name, below in value.items():
            yield from _strange(field.child, below, f"{path}.{name}")
    elif isinstance(field, serializers.ChoiceField):
        yield from _not_a_choice(field, value, path)
    elif value is not None and (wanted := _type_of(field.__class__)) is not None:
        types, words = wanted
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            yield path, f"This is not {words}, as JSON writes it."


def _not_a_choice(field: Any, value: Any, path: str) -> Iterator[tuple[str, str]]:
    if not isinstance(field, serializers.ChoiceField) or value is None or (value == "" and field.allow_blank):
        return
    if not isinstance(value, str) or value not in field.choices:
        yield path, f"“{str(value)[:40]}” is none of: {', '.join(map(str, field.choices))}."


@cache
def _type_of(kind: Hashable) -> tuple[tuple[type, ...], str] | None:
    return next(
        ((types, words) for base, types, words in _TYPES if isinstance(kind, type) and issubclass(kind, base)), None
    )


def _taken(form: serializers.Serializer[Any]) -> dict[str, Any]:
    return {name: field for name, field in form.fields.items() if not field.read_only}


def _unknown(form: serializers.Serializer[Any]) -> str:
    return f"There is no such member here. Members: {', '.join(_taken(form)) or 'none'}."
