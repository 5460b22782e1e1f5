"""How the API describes itself: as the framework reads it from the views, with what every operation may refuse.

The framework that describes loads test clients and template engines: so it is loaded when somebody asks for the
description, not at every start. Until then the views carry what `extend_schema` said of them on an empty schema.
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema

from assess.organising.api.campaigns import CampaignViewSet
from assess.web.api import ProblemOut
from assess.web.problems import PROBLEM_TYPE, TITLES
from assess.web.strict_calls import Described

REFUSED = (401, 403, 404, 409, 422, 503)
"""What any operation may answer with."""
REFUSED_WRITES = (400, 413, 415, 507)
"""What those that are sent something may answer with, too."""


class ProblemSchema(AutoSchema):
    """Describes each operation with its refusals, all of them problems of one form."""

    def get_tags(self) -> list[str]:
        """The resource that the call is about: what its address names last before the names of single things and acts.

        Calls on a campaign itself are about campaigns, those within an assignment about what is done in it.
        """
        return self._names()[:1]

    def get_operation_id(self) -> str:
        """The resource, and what is done with it: what the address names further, or else the verb.

        Calls of one address that takes several methods have the verb, too: `runs_create`, `runs_check`, `runs_file`,
        `assignments_judgments_list`.
        """
        answers_many = getattr(self.get_response_serializers(), "many", False)
        is_list = self.method == "GET" and answers_many and not self.path.endswith("}/")
        verb = "list" if is_list else self.method_mapping[self.method.lower()]
        names = self._names()
        is_alone = len({*getattr(self.view, "action_map", ())} - {"head"}) == 1
        return "_".join([*names, *([] if len(names) > 1 and is_alone else [verb])]).replace("-", "_")

    def _names(self) -> list[str]:
        """The names in the address, from the resource on, without those of single things."""
        names = self.path.partition("/api/v1/")[2].strip("/").split("/")
        if not isinstance(self.view, CampaignViewSet):
            for above in ("campaigns/{slug}", "assignments/{assignment_pk}"):
                names = names[2:] if "/".join(names[:2]) == above else names
        return [name for name in names if not name.startswith("{")]

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        self.resolve_serializer(ProblemOut, "response")
        refused = REFUSED if self.method == "GET" else sorted(REFUSED + REFUSED_WRITES)
        return {**bodies, **{str(each): {"$ref": f"#/components/responses/{_name(each)}"} for each in refused}}


class ProblemGenerator(SchemaGenerator):
    """Describes all calls, each by what was said of it and by `ProblemSchema`."""

    def create_view(self, callback: Any, method: str, request: Any = None) -> Any:
        """The view of one call, with the schema that describes it."""
        view: Any = super().create_view(callback, method, request)  # type: ignore[no-untyped-call]
        said = view.schema.__class__  # behind a weak reference
        bases = (ProblemSchema,) if said is Described else (said, ProblemSchema)
        self._set_schema_to_view(view, type(said.__name__, bases, {})())  # type: ignore[no-untyped-call]
        return view


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
