"""How refusals are reported to programs: one form for the API and for the scripts of pages, that of RFC 9457.

A problem has `type`, `title`, `status` and `detail`, and `code`, the short name at the end of its type. A body with the
wrong shape has `errors`, one for each field. A file with errors has `issues`, the first of them, and `total`. If
somebody else changed what would be replaced, `present` holds its current value.
"""

from __future__ import annotations

from typing import Any

from django.http import JsonResponse

from assess.base.errors import BadFile, BadShape, Refused
from assess.campaigns.changed_since import ChangedSince

PROBLEM_TYPE = "application/problem+json"
TITLES = {
    400: "The request can't be read",
    401: "Not logged in",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    406: "No answer in the requested format",
    409: "Conflict with the current state",
    413: "Too large",
    415: "Unsupported media type",
    422: "Invalid input",
    429: "Too many requests",
    500: "A bug in Assay",
    503: "The site can't answer now",
    507: "The disk is full",
}
"""A title for each status that a problem may have."""

CODES = {
    400: "bad-request",
    401: "not-authenticated",
    403: "not-allowed",
    404: "not-found",
    405: "method-not-allowed",
    413: "too-large",
    415: "unsupported-media-type",
    500: "server-error",
}
DETAILS = {
    400: "The server can't read the call. Look at its address, its headers and its body.",
    403: "You may not do this here.",
    404: "There is nothing here for you at this address.",
    405: "This address does not take this method. Its Allow header names those that it takes.",
    413: "What was sent is larger than is taken here. Compress or split it.",
    415: "This call does not take a body of this type. Its description says which: most take application/json.",
    500: "This is a bug in Assay. Tell whoever runs the site, with the X-Request-Id. A client_key may be sent again.",
}


def problem(*, status: int, code: str, detail: str, **more: Any) -> dict[str, Any]:
    """Return the members of a problem. ``more`` are `errors`, `total` and `issues`, or `present`.

    >>> problem(status=409, code="conflict", detail="It is frozen.")["type"]
    'urn:assay:problem:conflict'
    """
    told = {"type": f"urn:assay:problem:{code}", "title": TITLES.get(status, TITLES[400]), "status": status}
    return {**told, "code": code, "detail": sendable(detail), **more}


def problem_of(refused: Refused) -> dict[str, Any]:
    """Return the problem for a refusal, with the fields or lines that it concerns."""
    more: dict[str, Any] = {}
    if isinstance(refused, BadShape):
        more["errors"] = [{"field": sendable(field), "detail": sendable(said)} for field, said in refused.faults]
    elif refused.field:
        more["errors"] = [{"field": refused.field, "detail": sendable(refused.message)}]
    if isinstance(refused, BadFile):
        columns = ("where", "severity", "code", "message")
        rows = (map(sendable, issue.as_row()) for issue in refused.issues)
        more = {"total": refused.total, "issues": [dict(zip(columns, row, strict=True)) for row in rows]}
    if isinstance(refused, ChangedSince):
        more["present"] = {name: refused.present[name] for name in refused.names}
    return problem(status=refused.status, code=refused.code, detail=refused.message, **more)


def problem_of_status(status: int) -> dict[str, Any]:
    """Return the problem for a status alone, for what the framework refuses by itself."""
    title = TITLES.get(status, TITLES[400])
    return problem(status=status, code=CODES.get(status, CODES[400]), detail=DETAILS.get(status, f"{title}."))


def answer_problem(told: dict[str, Any]) -> JsonResponse:
    """Return a problem as the answer to a call."""
    return JsonResponse(told, status=told["status"], content_type=PROBLEM_TYPE)


def sendable(value: Any) -> Any:
    r"""Return a text that repeats input, with lone surrogates replaced: JSON can express them, but UTF-8 cannot.

    >>> sendable("no stage “\ud83d”"), sendable(7)
    ('no stage “?”', 7)
    """
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
