"""Read the API's own description, so that `manage.py call` knows each operation and can send a request to it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import User
from django.http.response import HttpResponseBase
from django.urls import resolve
from django.utils.http import urlencode
from django.utils.module_loading import import_string

from scoring.reading.json_reading import BadJson, read_json

METHODS = ("get", "post", "put", "patch", "delete")


class NoSuchName(Exception):
    """Raised for an unknown operation or value, a missing value, or a value of the wrong type; its message lists what
    exists.
    """


@dataclass(frozen=True, kw_only=True, slots=True)
class Value:
    """A value that an operation takes: where it is sent, and its type, as in the API's description and in words."""

    name: str
    place: Literal["path", "query", "body"]
    type: str
    required: bool
    words: str

    def read(self, texts: Sequence[str]) -> Any:
        """Return the value to send for the given texts; only a list takes more than one.

        A text is sent as it is. Anything else is read as JSON, and a list may also be given one entry at a time. Raise
        NoSuchName for several texts of one value, and for a text that is no JSON.
        """
        if self.type == "array" and not texts[0].startswith("["):
            return [self._json(text) if self.words.startswith("integer") else text for text in texts]
        if len(texts) > 1:
            raise NoSuchName(f"{self.name} was given {len(texts)} times, and takes one value.")
        return texts[0] if self.type in ("string", "file") else self._json(texts[0])

    def _json(self, text: str) -> Any:
        try:
            return read_json(text.encode())
        except BadJson as error:
            if self.type == "any":
                return text
            raise NoSuchName(f"{self.name} takes {self.type}, written as JSON, and not “{text}”.") from error


@dataclass(frozen=True, kw_only=True, slots=True)
class Operation:
    """An operation of the API: its method, its address with names in braces, and the values that it takes."""

    name: str
    method: str
    path: str
    description: str
    values: Mapping[str, Value]

    @property
    def is_of_campaign(self) -> bool:
        """Whether the operation acts on a campaign."""
        return "{slug}" in self.path

    def _is_campaign(self, name: str) -> bool:
        return name == "slug" and self.is_of_campaign

    @property
    def first_line(self) -> str:
        """The first line of the operation's description."""
        return self.description.partition("\n")[0]

    def help(self) -> str:
        """Return what the operation does and takes, as text for people."""
        words = f"manage.py call {self.name}{' CAMPAIGN' if self.is_of_campaign else ''}"
        lines = [f"{words} [NAME=VALUE …]", "", self.description.strip(), ""]
        for each in self.values.values():
            if not self._is_campaign(each.name):
                needed = ", required" if each.required else ""
                lines.append(f"  {each.name:<16} {each.words}{needed}")
        return "\n".join(lines).rstrip()

    def values_of(self, given: Sequence[str], *, slug: str = "") -> dict[str, Any]:
        """Return the values of NAME=VALUE arguments, each with its type.

        NAME.MEMBER=TEXT sets a member of an object, NAME=@FILE takes the text of a file, and files=@FILE, where files
        is an object, sets the member that has the file's name. A missing `client_key` is
        generated. Raise NoSuchName for a value that the operation lacks or can't read, and for a missing one.
        """
        texts: dict[str, list[str]] = {"slug": [slug]} if self.is_of_campaign else {}
        members: dict[str, dict[str, str]] = {}
        known = {key: value for key, value in self.values.items() if not self._is_campaign(key)}
        for each in given:
            name, equals, text = each.partition("=")
            of, dot, member = name.partition(".")
            if not equals or of not in known or (dot and known[of].type != "object"):
                names = ", ".join(known) or "nothing"
                raise NoSuchName(f"“{each}” is no NAME=VALUE of {self.name}, which takes {names}.")
            if name == "files" and known[of].type == "object" and text.startswith("@"):
                dot, member = ".", Path(text[1:]).name
            text = text if known[of].type == "file" else _from_file(text)
            if dot:
                members.setdefault(of, {})[member] = text
            else:
                texts.setdefault(of, []).append(text)
        found = {name: self.values[name].read(of_name) for name, of_name in texts.items()}
        for name, own in members.items():
            whole = found.get(name)
            found[name] = {**whole, **own} if isinstance(whole, dict) else own
        if "client_key" in self.values:
            found.setdefault("client_key", str(uuid4()))
        if missing := [each.name for each in self.values.values() if each.required and each.name not in found]:
            raise NoSuchName(f"{self.name} needs {', '.join(f'{name}=…' for name in missing)}.")
        return found

    def send(self, user: User, values: Mapping[str, Any]) -> HttpResponseBase:
        """Send the values to the API as this user, and return the response. Files are given by their paths."""
        from rest_framework.test import APIRequestFactory, force_authenticate

        placed: dict[str, dict[str, Any]] = {"path": {}, "query": {}, "body": {}}
        for name, value in values.items():
            placed[self.values[name].place][name] = value
        path = self.path.format(**{name: quote(str(value), safe="/") for name, value in placed["path"].items()})
        query, body = placed["query"], placed["body"]
        address = f"{path}?{urlencode(query)}" if query else path
        with ExitStack() as files:
            if any(each.type == "file" for each in self.values.values()):
                for name in body:
                    if self.values[name].type == "file":
                        body[name] = files.enter_context(Path(body[name]).open("rb"))
                request = APIRequestFactory().post(address, body, format="multipart", SERVER_NAME=_host())
            else:
                content = json.dumps(body) if body else ""
                kind = "application/json" if body else ""
                request = APIRequestFactory().generic(
                    self.method.upper(), address, content, content_type=kind, SERVER_NAME=_host()
                )
            force_authenticate(request, user=user)
            found = resolve(path)
            answer: HttpResponseBase = found.func(request, *found.args, **found.kwargs)
            if hasattr(answer, "render"):
                answer.render()
        return answer


def _from_file(text: str) -> str:
    """Return the text itself or, if it begins with @, the content of the file at that path. Raise NoSuchName if that is
    no text, and OSError if it can't be read.
    """
    try:
        return Path(text[1:]).read_text(encoding="utf-8") if text.startswith("@") else text
    except UnicodeDecodeError as error:
        raise NoSuchName(f"{text[1:]} is no text in UTF-8.") from error


def _host() -> str:
    """Return a host name that the site answers to."""
    return next((name for name in settings.ALLOWED_HOSTS if name[:1] not in (".", "*")), "localhost")


@cache
def known_operations() -> dict[str, Operation]:
    """Return every operation of the API by its name.

    The name is its `operationId`, without `campaigns_` for an act on a campaign.
    """
    generator = import_string(str(settings.SPECTACULAR_SETTINGS["DEFAULT_GENERATOR_CLASS"]))
    described = generator().get_schema(request=None, public=True)
    operations = {}
    for path, of_path in described["paths"].items():
        for method, said in ((each, of_path[each]) for each in METHODS if each in of_path):
            name = _plain(said["operationId"])
            values = {each.name: each for each in _values(said, described["components"]["schemas"])}
            description = said.get("description", "")
            operations[name] = Operation(name=name, method=method, path=path, description=description, values=values)
    return dict(sorted(operations.items()))


def operation_named(name: str) -> Operation:
    """Return the operation with this name. The name may be written as in `known_operations` or as in the API's
    description.

    Raise NoSuchName, with similar names, if there is none.
    """
    operations = known_operations()
    plain = _plain(name)
    found = operations.get(plain)
    if found is None:
        near = get_close_matches(plain, operations, n=3) or ["deadline", "topics_amend", "runs_list"]
        raise NoSuchName(
            f"There is no operation “{name}”. Near it: {', '.join(near)}. “manage.py call” alone lists all of them."
        )
    return found


def _plain(name: str) -> str:
    """Return an operation's name, without `campaigns_` for an act on a campaign."""
    rest = name.removeprefix("campaigns_")
    return name if rest in ("list", "create", "retrieve") else rest


def _values(said: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[Value]:
    """Yield the values that an operation takes, in the order path, query, body."""
    for place in ("path", "query"):
        for each in said.get("parameters", []):
            if each["in"] == place:
                words = each.get("description", "")
                kind = _type(each["schema"], schemas)
                yield Value(
                    name=each["name"], place=place, type=kind, required=each.get("required", False), words=words
                )
    for content in list(said.get("requestBody", {}).get("content", {}).values())[:1]:
        body = _followed(content["schema"], schemas)
        for name, schema in body.get("properties", {}).items():
            yield Value(
                name=name,
                place="body",
                type=_type(schema, schemas),
                required=name in body.get("required", []),
                words=_words(schema, schemas),
            )


def _followed(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema that a reference leads to, or the given schema if it is not a reference."""
    for each in (schema, *schema.get("allOf", ()), *schema.get("oneOf", ())):
        if "$ref" in each:
            found: Mapping[str, Any] = schemas[each["$ref"].rpartition("/")[2]]
            return found
    return schema


def _type(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    """Return the type of a value as the description says it.

    It is "file" for an upload, and "any" if the type is missing or the value may be null.
    """
    found = _followed(schema, schemas)
    if found.get("format") == "binary":
        return "file"
    return "any" if schema.get("nullable") and found.get("type") != "string" else str(found.get("type", "any"))


def _words(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    """Return in a few words what a value may be."""
    found = _followed(schema, schemas)
    if "enum" in found:
        return " | ".join(str(each) for each in found["enum"] if each is not None)
    if found.get("type") == "array":
        return f"{_type(found['items'], schemas)}, may be given several times"
    words = "the path of a file" if found.get("format") == "binary" else str(found.get("type", ""))
    return f"{words} or null" if schema.get("nullable") and words not in ("", "string") else words
