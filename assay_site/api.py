"""How the API answers a refusal, with the same sentence and status as the page, and how it pages lists."""

from __future__ import annotations

import logging
from typing import Any

from django.http import Http404
from rest_framework.exceptions import APIException, MethodNotAllowed, UnsupportedMediaType
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler

from assay_site.outages import read_to_end
from assess.base.errors import Refused
from assess.base.outages import outage_of
from assess.web.problems import PROBLEM_TYPE, problem, problem_of, problem_of_status
from assess.web.strict_calls import query_number

logger = logging.getLogger(__name__)


class Pages(LimitOffsetPagination):
    """Divides lists into pages by `limit` and `offset`. A page holds at most 500 rows."""

    default_limit = 100
    max_limit = 500

    def get_limit(self, request: Request) -> int:
        """Return how many rows are asked for. Refuses everything except a number from 1 to the maximum."""
        return query_number(request, "limit", self.default_limit, least=1, most=self.max_limit)

    def get_offset(self, request: Request) -> int:
        """Return how many rows are to be skipped. Refuses everything except a number."""
        return query_number(request, "offset", 0)


def refuse(exception: Exception, context: dict[str, Any]) -> Response | None:
    """Return the response to a `Refused`, an outage, or a refusal by the framework, always in the same form. Any other
    exception is a bug and is not handled.
    """
    if (outage := outage_of(exception)) is not None:
        logger.warning("%s: %s %s", context["request"].path, outage.logged, outage.details)
        read_to_end(context["request"]._request)
        told = Response(problem_of(outage), status=outage.status, content_type=PROBLEM_TYPE)
        told["Retry-After"] = str(outage.retry_after)
        return told
    if isinstance(exception, Refused):
        return Response(problem_of(exception), status=exception.status, content_type=PROBLEM_TYPE)
    answer = exception_handler(exception, context)
    if answer is not None:
        answer.data = _problem_for(exception, answer)
        answer.content_type = PROBLEM_TYPE
    return answer


def _problem_for(exception: Exception, answer: Response) -> dict[str, Any]:
    detail = answer.data.get("detail", "") if isinstance(answer.data, dict) else ""
    if isinstance(exception, (Http404, MethodNotAllowed, UnsupportedMediaType)) or not (
        detail and isinstance(exception, APIException)
    ):
        return problem_of_status(answer.status_code)
    code = str(exception.default_code).replace("_", "-")
    return problem(status=answer.status_code, code=code, detail=str(detail))
