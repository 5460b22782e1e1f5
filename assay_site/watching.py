"""Report each answered request, as a line of the access log and in figures for Prometheus.

Both are off unless `ASSAY_ACCESS_LOG` or `ASSAY_METRICS_TOKEN` is set.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

logger = logging.getLogger("assay.access")


class WatchMiddleware:
    """Records how long each answer took, and the id of the account that asked."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not (settings.ASSAY_ACCESS_LOG or settings.ASSAY_METRICS_TOKEN):
            raise MiddlewareNotUsed
        self.get_response = get_response
        self.observe = _observer() if settings.ASSAY_METRICS_TOKEN else None

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on, and record its answer."""
        began = time.perf_counter()
        response = self.get_response(request)
        seconds = time.perf_counter() - began
        if self.observe is not None:
            self.observe(request, response.status_code, seconds)
        if settings.ASSAY_ACCESS_LOG:
            told = {
                "method": request.method,
                "path": request.path,
                "status": response.status_code,
                "person": _person(request),
                "milliseconds": round(seconds * 1000, 1),
            }
            logger.info("%(method)s %(path)s %(status)s person %(person)s %(milliseconds)s ms", told)
        return response


def _person(request: HttpRequest) -> int | str:
    """Return the id of the account that made the request. Return "-" if there is none, or if the answer did not depend
    on it.

    No query is made for this. The account of a session is known only if a view looked it up; the account of a token is
    always known.
    """
    user = getattr(request, "user", None)
    if user is None or (type(user) is SimpleLazyObject and not request.session.accessed):
        return "-"
    return user.pk or "-"


def _observer() -> Callable[[HttpRequest, int, float], None]:
    from assay_site.metrics import observe

    return observe


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the figures to a caller who sends the token in `ASSAY_METRICS_TOKEN`. Answers 401 to others, and "not
    found" to all if no token is set.
    """
    if not settings.ASSAY_METRICS_TOKEN:
        return HttpResponseNotFound("There is nothing at this address.", content_type="text/plain")
    given = request.headers.get("Authorization", "")
    if not constant_time_compare(given, f"Bearer {settings.ASSAY_METRICS_TOKEN}"):
        answer = HttpResponse("The figures of this site are for who has its token.", status=401)
        answer["Content-Type"], answer["WWW-Authenticate"] = "text/plain; charset=utf-8", "Bearer"
        return answer
    from assay_site.metrics import FORM, figures

    return HttpResponse(figures(), content_type=FORM)
