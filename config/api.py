"""How the API answers a refusal: the same sentence and status as the page, as JSON."""

from __future__ import annotations

from typing import Any

from rest_framework.response import Response
from rest_framework.views import exception_handler

from assess.domain.errors import BadFile, Refused


def refuse(exception: Exception, context: dict[str, Any]) -> Response | None:
    """The answer to a `Refused`; anything else is left to the framework, and bugs crash loudly."""
    if isinstance(exception, BadFile):
        columns = ("where", "severity", "code", "message")
        issues = [dict(zip(columns, issue.as_row(), strict=True)) for issue in exception.issues]
        body = {"code": exception.code, "message": exception.message, "total": exception.total, "issues": issues}
        return Response(body, status=exception.status)
    if isinstance(exception, Refused):
        return Response({"code": exception.code, "message": exception.message}, status=exception.status)
    return exception_handler(exception, context)
