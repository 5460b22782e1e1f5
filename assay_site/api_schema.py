"""Make the API's description from the views, with the refusals that each operation may answer.

The framework that makes it loads test clients and template engines, so it is loaded when somebody asks for the
description and not at every start. Until then the views keep what `extend_schema` declares in an empty schema.
"""

from __future__ import annotations

import json
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema

from assay_site.site_folders import files_folder
from assess.organising.api.campaigns import CampaignViewSet
from assess.web.api import ProblemOut
from assess.web.problems import PROBLEM_TYPE, TITLES
from assess.web.strict_calls import CallDescription

REFUSED = (401, 403, 404, 409, 422, 503)
"""Statuses of refusals that any operation may answer."""
REFUSED_WRITES = (400, 413, 415, 507)
"""Further statuses of refusals for operations that take a body."""


class ProblemSchema(AutoSchema):
    """Describes each operation together with its refusals, which are all problems of one form."""

    def get_tags(self) -> list[str]:
        """Return a list with the call's one tag: the resource that the call is about. It is the first fixed name in the
        address after the campaign.

        Calls on a campaign itself have the tag "campaigns". If a view of its own serves addresses below an assignment,
        the tag is the name that follows the assignment's id, such as "matches".
        """
        return self._names()[:1]

    def get_operation_id(self) -> str:
        """Return the operation's id: the resource, followed by the further names in the address, as in `runs_file`.

        The verb is added if there are no further names, as in `runs_create`, or if the address takes several methods,
        as in `assignments_judgments_list`.
        """
        answers_many = getattr(self.get_response_serializers(), "many", False)
        is_list = self.method == "GET" and answers_many and not self.path.endswith("}/")
        verb = "list" if is_list else self.method_mapping[self.method.lower()]
        names = self._names()
        is_alone = len({*getattr(self.view, "action_map", ())} - {"head"}) == 1
        return "_".join([*names, *([] if len(names) > 1 and is_alone else [verb])]).replace("-", "_")

    def _names(self) -> list[str]:
        """Return the fixed names in the address, without placeholders. The first name is that of the resource that the
        call is about.
        """
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
    """Describes all calls of the API. Each is described by its view's declarations and by `ProblemSchema`."""

    def create_view(self, callback: Any, method: str, request: Any = None) -> Any:
        """Return the view of one call. It has the schema that describes the call."""
        view: Any = super().create_view(callback, method, request)  # type: ignore[no-untyped-call]
        said = view.schema.__class__  # `schema` is a weak reference
        bases = (ProblemSchema,) if said is CallDescription else (said, ProblemSchema)
        self._set_schema_to_view(view, type(said.__name__, bases, {})())  # type: ignore[no-untyped-call]
        return view


def describe_refusals(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add to the description the responses for refusals, one for each status, to which operations refer. Return it."""
    content = {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemOut"}}}
    statuses = sorted(REFUSED + REFUSED_WRITES)
    result["components"]["responses"] = {
        _name(each): {"description": f"{TITLES[each]}.", "content": content} for each in statuses
    }
    return result


def add_examples(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add to each operation its examples in docs/api-examples.json: the request that was sent, and the answer. Return
    the description.

    A test makes these requests and writes that file. Examples of operations that no longer exist are left out, since
    the test can write the file anew only with the new description.
    """
    examples = json.loads((files_folder() / "docs" / "api-examples.json").read_text(encoding="utf-8"))
    operations = {each["operationId"]: each for methods in result["paths"].values() for each in methods.values()}
    for name, example in examples.items():
        operation = operations.get(name.split()[0], {})
        sent, told = operation.get("requestBody", {}), operation.get("responses", {}).get(str(example["status"]), {})
        for described, member in ((sent, "body"), (told, "answer")):
            for content in described.get("content", {}).values() if member in example else ():
                shown = {"summary": example["call"], "value": example[member]}
                content.setdefault("examples", {})[name] = shown
    return result


def _name(status: int) -> str:
    return f"Refused{status}"
