"""How the API answers a refusal: the same sentence and status as the page, as JSON; and how it pages lists."""

from __future__ import annotations

from typing import Any

from rest_framework.exceptions import APIException
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.response import Response
from rest_framework.views import exception_handler

from assess.domain.errors import BadFile, Refused


class Pages(LimitOffsetPagination):
    """`limit` and `offset`; a page holds at most 500 rows."""

    default_limit = 100
    max_limit = 500


def refuse(exception: Exception, context: dict[str, Any]) -> Response | None:
    """The answer to a `Refused` or to what the framework refuses, in one shape; bugs crash loudly."""
    if isinstance(exception, BadFile):
        columns = ("where", "severity", "code", "message")
        issues = [dict(zip(columns, issue.as_row(), strict=True)) for issue in exception.issues]
        issues = [{name: sendable(value) for name, value in issue.items()} for issue in issues]
        message = sendable(exception.message)
        body = {"code": exception.code, "message": message, "total": exception.total, "issues": issues}
        return Response(body, status=exception.status)
    if isinstance(exception, Refused):
        return Response({"code": exception.code, "message": sendable(exception.message)}, status=exception.status)
    answer = exception_handler(exception, context)
    if answer is not None:
        code = exception.default_code if isinstance(exception, APIException) else "not-found"
        detail = answer.data.get("detail", "There is nothing here for you at this address.") if answer.data else ""
        answer.data = {"code": str(code).replace("_", "-"), "message": sendable(str(detail))}
    return answer


def sendable(value: Any) -> Any:
    r"""A text that repeats what was called, without the halves of characters that JSON can name and no text has.

    >>> sendable("no stage “\ud83d”"), sendable(7)
    ('no stage “?”', 7)
    """
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
