"""Every answer of the API that any test gets through Django's client is held to docs/openapi.yaml: its status is
described, its type is, and its JSON has the described shape, without a member that the description doesn't know.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml
from django.http import HttpResponse
from django.test import Client

from assess.web.problems import PROBLEM_TYPE

SCHEMA = Path(__file__).resolve().parents[1] / "docs" / "openapi.yaml"
PLACE = "urn:assay:openapi"
"""What the description is called in references to its shapes."""
LONG = {"number", "docno"}  # these may hold slashes
UNDESCRIBED = {405, 429, 500}  # an address that takes no such method, too many tries, and a bug in Assay


@cache
def description() -> dict[str, Any]:
    """The committed description, read by the quick reader where there is one."""
    found: dict[str, Any] = yaml.load(SCHEMA.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return found


@cache
def paths() -> list[tuple[re.Pattern[str], str]]:
    """The paths as patterns, the plainest first, since what a parameter takes may be a word of another path."""

    def pattern(path: str) -> re.Pattern[str]:
        pieces = re.split(r"{(\w+)}", path)
        kinds = [".+" if name in LONG else "[^/]+" for name in pieces[1::2]]
        plain = map(re.escape, pieces[::2])
        return re.compile("".join(part for pair in zip(plain, [*kinds, ""], strict=True) for part in pair))

    every = sorted(description()["paths"], key=lambda path: (path.count("{"), -len(re.sub(r"{\w+}", "", path))))
    return [(pattern(path), path) for path in every]


def plain(schema: Any) -> Any:
    """A schema of OpenAPI 3.0 as one of JSON Schema: null has a type, and objects have no members but those named."""
    if isinstance(schema, list):
        return [plain(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("nullable") is True:
        return {"anyOf": [plain({key: value for key, value in schema.items() if key != "nullable"}), {"type": "null"}]}
    made = {key: PLACE + value if key == "$ref" else plain(value) for key, value in schema.items()}
    return {"additionalProperties": False, **made} if isinstance(schema.get("properties"), dict) else made


@cache
def components() -> jsonschema_rs.Registry:
    """The described shapes, read once for all checks: with all of them in each, the checks took seconds to make."""
    schemas = {name: plain(each) for name, each in description()["components"]["schemas"].items()}
    return jsonschema_rs.Registry([(PLACE, {"components": {"schemas": schemas}})])


@cache
def described(path: str, method: str, status: int) -> dict[str, Any] | None:
    """The types that an operation answers with under this status, each with its check; None: not described."""
    responses = description()["paths"][path].get(method, {"responses": {}})["responses"]
    found = responses.get(str(status))
    if found is None:
        return None
    if "$ref" in found:
        found = description()["components"]["responses"][found["$ref"].rsplit("/", 1)[1]]
    content = found.get("content", {})
    return {kind: _check(each["schema"]) for kind, each in content.items()}


def _check(schema: dict[str, Any]) -> Any:
    return jsonschema_rs.validator_for(plain(schema), registry=components(), validate_formats=True)


@cache
def _problem() -> Any:
    return _check({"$ref": "#/components/schemas/ProblemOut"})


def faults(method: str, path: str, response: HttpResponse) -> list[str]:
    """What of an answer of the API is not as described; nothing where it is."""
    status, kind = response.status_code, response.get("Content-Type", "").partition(";")[0]
    if status in (301, 302, 304) or method in ("HEAD", "OPTIONS") or path == "/api/v1/schema/":
        return []
    template = next((each for pattern, each in paths() if pattern.fullmatch(path)), None)
    if template is None or status in UNDESCRIBED or method.lower() not in description()["paths"][template]:
        if status < 400 or kind != PROBLEM_TYPE:
            return [f"{status} {kind} is no problem, and nothing describes {method} {path}"]
        checks: dict[str, Any] | None = {PROBLEM_TYPE: _problem()}
    else:
        checks = described(template, method.lower(), status)
    if checks is None:
        return [f"{status} is not described of {method} {template}"]
    if kind not in checks and (checks or kind):
        return [f"{kind} is not described of {method} {template} under {status}"]
    if not kind.endswith(("/json", "+json")):
        return []
    errors = checks[kind].iter_errors(json.loads(response.content))
    return [f"{method} {template} {status}: {each.instance_path}: {each.message}" for each in errors]


@pytest.fixture(scope="session", autouse=True)
def described_answers() -> Iterator[None]:
    """Holds every answer to the description; what is wrong is raised where the call is made."""
    request = Client.request

    def checked(self: Client, **environ: Any) -> Any:
        response = request(self, **environ)
        path, method = environ.get("PATH_INFO", ""), environ.get("REQUEST_METHOD", "GET")
        if path.startswith("/api/v1/"):
            wrong = faults(method, response.wsgi_request.path, response)
            assert wrong == [], wrong
        return response

    Client.request = checked  # type: ignore[method-assign]
    yield
    Client.request = request  # type: ignore[method-assign]
