"""How the API describes itself: as the framework reads it from the views, with what every operation may refuse."""

from __future__ import annotations

from typing import Any

from drf_spectacular.openapi import AutoSchema

from assess.web.api import ProblemOut
from assess.web.problems import PROBLEM_TYPE, TITLES

REFUSED = (401, 403, 404, 409, 422, 503)
"""What any operation may answer with."""
REFUSED_WRITES = (400, 413, 415, 507)
"""What those that are sent something may answer with, too."""


class ProblemSchema(AutoSchema):
    """Describes each operation with its refusals, all of them problems of one form."""

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        self.resolve_serializer(ProblemOut, "response")
        refused = REFUSED if self.method == "GET" else sorted(REFUSED + REFUSED_WRITES)
        return {**bodies, **{str(each): {"$ref": f"#/components/responses/{_name(each)}"} for each in refused}}


def describe_refusals(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add what the operations refer to: one response for each status of a refusal."""
    content = {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemOut"}}}
    statuses = sorted(REFUSED + REFUSED_WRITES)
    result["components"]["responses"] = {
        _name(each): {"description": f"{TITLES[each]}.", "content": content} for each in statuses
    }
    return result


def _name(status: int) -> str:
    return f"Refused{status}"
