"""The ledger point of an answer: the one that a call names, and the one that the answer says it is of."""

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
from assess.web.strict_calls import asked

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
"""What describes a call that takes a ledger point and says which one its answer is of."""


def asked_point(request: Request, campaign: Campaign) -> int | None:
    """Return the ledger point that a call names; None where it names none: the newest. Refused: none such."""
    text = asked(request, ASKED.name)
    return point_named(campaign, text) if text.strip() else None


def said_point(answer: Answer, point: int) -> Answer:
    """Have an answer say its ledger point; the pages before and after it in a list are then of the same."""
    answer[HEADER] = str(point)
    if isinstance(answer, Response):
        for name in ("next", "previous"):
            if isinstance(answer.data, dict) and answer.data.get(name):
                answer.data[name] = replace_query_param(answer.data[name], ASKED.name, point)
    return answer
