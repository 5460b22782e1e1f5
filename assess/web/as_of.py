"""The ledger point of an answer: a call may name it, and the answer's header gives it."""

from __future__ import annotations

from typing import TypeVar

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from assess.campaigns.models import Campaign
from assess.campaigns.queries import point_named
from assess.web.strict_calls import query_text

Answer = TypeVar("Answer", bound=HttpResponseBase)

HEADER = "As-Of"
ASKED = OpenApiParameter("as_of", OpenApiTypes.STR, description="A ledger point; by default now.")
SAID = OpenApiParameter(
    HEADER,
    OpenApiTypes.INT,
    OpenApiParameter.HEADER,
    response=[200],
    description="The ledger point that the answer is of. Where none was named, it was the newest in the last minutes.",
)
AS_OF = (ASKED, SAID)
"""The description of a call that takes a ledger point, and whose answer gives the point it is of."""


def query_point(request: Request, campaign: Campaign) -> int | None:
    """Return the ledger point that a call names, or None for the newest. Refuse a point that does not exist."""
    text = query_text(request, ASKED.name)
    return point_named(campaign, text) if text.strip() else None


def with_point(answer: Answer, point: int) -> Answer:
    """Return the answer with its ledger point in a header. Links to the next and previous page name the same point."""
    answer[HEADER] = str(point)
    if isinstance(answer, Response):
        for name in ("next", "previous"):
            if isinstance(answer.data, dict) and answer.data.get(name):
                answer.data[name] = replace_query_param(answer.data[name], ASKED.name, point)
    return answer
