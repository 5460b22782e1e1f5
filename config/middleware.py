"""A request id for the ledger, and one place where a refusal becomes an answer."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from assess.domain.activity import REQUEST_ID
from assess.domain.errors import Refused


class RequestIdMiddleware:
    """Gives every request an id, kept with what people do and sent back in the answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer with the id in `X-Request-Id`."""
        request_id = secrets.token_hex(8)
        REQUEST_ID.set(request_id)
        response = self.get_response(request)
        response["X-Request-Id"] = request_id
        return response


class RefusedMiddleware:
    """Turns a `Refused` from any view into a page, a fragment or JSON with its sentence and status."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass on; refusals are handled in `process_exception`."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer a refusal in the form in which it was asked; anything else crashes loudly."""
        if not isinstance(exception, Refused):
            return None
        if "application/json" in request.headers.get("Accept", ""):
            return JsonResponse({"code": exception.code, "message": exception.message}, status=exception.status)
        template = "assess/parts/refused.html" if getattr(request, "htmx", False) else "assess/refused.html"
        return render(request, template, {"refused": exception}, status=exception.status)
