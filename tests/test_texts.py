"""Texts that no column can hold, sent through every form and every call: refused in words, on every database alike."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from typing import Any
from uuid import UUID

import pytest
from django import forms
from django.apps import apps
from django.contrib.auth.models import User
from django.db import models, transaction
from django.test import Client
from django.urls import reverse

from assess.base.bulk import add_rows
from assess.base.errors import Invalid
from assess.base.fields import CharField, JSONField, TextField
from assess.documents.domain.lists import add_new_docnos
from assess.models import Campaign, DocnoList, DocumentBody, PoolItem, Topic
from tests.access_table import PEOPLE, TABLE
from tests.api_shapes import description
from tests.pages import page_of

pytestmark = pytest.mark.django_db

LONG = "x" * 5000
UNSTORABLE = [("number", "x" * 101), ("number", "a\0b"), ("number", "\ud83d"), ("text", "a\0b"), ("text", "\ud83d")]
UNSTORABLE_JSON: list[Any] = ["a\0b", ["\ud83d"], {"a": [{"b": "\0"}]}, {"\0": 1}]


def test_every_column_of_text_checks_what_it_is_given() -> None:
    kinds = {models.CharField: CharField, models.TextField: TextField, models.JSONField: JSONField}
    plain = [
        str(field)
        for name in ("assess", "nuggets")
        for model in apps.get_app_config(name).get_models()
        for field in model._meta.local_concrete_fields
        for django, own in kinds.items()
        if isinstance(field, django) and not isinstance(field, (own, models.SlugField, models.EmailField))
    ]
    assert plain == []


@pytest.mark.parametrize(("column", "value"), UNSTORABLE)
def test_a_text_that_no_column_can_hold_is_refused_however_it_is_written(
    campaign: Campaign, column: str, value: str
) -> None:
    topic = Topic(campaign=campaign, **{"number": "9", "text": "", column: value})
    with pytest.raises(Invalid), transaction.atomic():
        topic.save()
    with pytest.raises(Invalid), transaction.atomic():
        Topic.objects.bulk_create([topic])
    with pytest.raises(Invalid), transaction.atomic():
        campaign.topics.update(**{column: value})
    assert not campaign.topics.filter(number="9").exists()


@pytest.mark.parametrize("value", UNSTORABLE_JSON)
def test_json_that_no_column_can_hold_is_refused(campaign: Campaign, value: Any) -> None:
    with pytest.raises(Invalid, match="can't be stored"):
        campaign.topics.update(fields={"title": value})


def test_texts_fit_up_to_the_last_character(campaign: Campaign) -> None:
    number = "\N{GRINNING FACE}" * 100
    Topic.objects.create(campaign=campaign, number=number, text="", fields={"a": "\N{GRINNING FACE}"})
    assert campaign.topics.filter(number=number).exists()


def test_many_rows_at_once_are_looked_at_too(campaign: Campaign) -> None:
    with pytest.raises(Invalid, match="Stratum: 51 characters are too many; at most 50 are kept"):
        add_rows(PoolItem, ["pool_id", "item_id", "stratum"], [(1, 1, "x" * 51)])
    with pytest.raises(Invalid, match="can't be stored"):
        add_rows(DocumentBody, ["document_id", "raw", "text"], [(1, b"", "a\0b")])
    with pytest.raises(Invalid, match="Docno: 201"):
        add_new_docnos(DocnoList.objects.create(campaign=campaign, name="d").pk, ["x" * 201])


def test_a_name_too_long_for_the_log_in_is_refused_there(client: Client) -> None:
    answer = client.post(reverse("login"), {"username": "x" * 300, "password": "x" * 5000})
    assert answer.status_code == 200
    assert "at most 150 characters" in page_of(answer)


def every(kind: type[Any]) -> Iterator[type[Any]]:
    for each in kind.__subclasses__():
        yield each
        yield from every(each)


def test_every_form_says_how_long_its_texts_may_be() -> None:
    import_module("assay_site.urls")
    unbounded = [
        f"{form.__name__}.{name}"
        for form in every(forms.BaseForm)
        if form.__module__.startswith(("assess.", "nuggets."))
        for name, field in form.base_fields.items()
        if type(field) is forms.CharField
        and field.max_length is None
        and not isinstance(field.widget, forms.PasswordInput)  # hashed, never stored
    ]
    assert unbounded == []


LETTERS = {name: letter for letter, name in PEOPLE.items()}
NAMES = """text note label quote title name team username reason answer description tag settings docno q words back slug
    kind role stage criterion topic importance value group file_key submission person to machine drafts due time_zone"""


@pytest.mark.parametrize("person", ["organiser", "assessor"])
@pytest.mark.parametrize("value", [LONG, "a\0b"], ids=["long", "nul"])
def test_no_page_stores_or_breaks_on_such_texts(
    person: str,
    value: str,
    addresses: dict[str, str],
    client: Client,
) -> None:
    client.force_login(User.objects.get(username=person))
    client.raise_request_exception = False
    broken = []
    for name, address in addresses.items():
        if TABLE[name][1] and not name.startswith("api-"):
            point = transaction.savepoint()
            status = client.post(
                address, dict.fromkeys(NAMES.split(), value) | {"client_key": str(UUID(int=9))}
            ).status_code
            if status >= 500 or stored_too_long():
                broken.append((name, status, stored_too_long()))
            transaction.savepoint_rollback(point)
    assert broken == []


def stored_too_long() -> list[str]:
    """Columns of accounts that hold more than they may (SQLite stores it all; our own columns look for themselves)."""
    names = [field for field in User._meta.concrete_fields if field.max_length]
    return [
        f"{field.name} of {user.pk}"
        for user in User.objects.all()
        for field in names
        if len(getattr(user, field.attname)) > (field.max_length or 0)
    ]


def properties(shape: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    shape = schemas[shape["$ref"].rsplit("/", 1)[1]] if "$ref" in shape else shape
    return shape.get("properties", {})


def test_no_call_breaks_on_a_text_that_is_too_long(
    addresses: dict[str, str],
    client: Client,
) -> None:
    """Every operation that takes JSON, each text of its body in turn, by everybody who gets through."""
    schemas = description()["components"]["schemas"]
    bodies = {}
    for path, operations in description()["paths"].items():
        for method in ("post", "put", "patch"):
            content = operations.get(method, {}).get("requestBody", {}).get("content", {})
            if "application/json" in content:
                shape = properties(content["application/json"]["schema"], schemas)
                if any(texts(each) for each in shape.values()):
                    bodies[path, method] = shape
    client.raise_request_exception = False
    broken, reached = [], set()
    for name, address in addresses.items():
        if not name.startswith("api-"):
            continue
        for (path, method), shape in bodies.items():
            if not leads_to(path, address):
                continue
            for person in ("organiser", "assessor", "second_assessor", "superuser"):
                if method == "post" and LETTERS[person] not in TABLE[name][1]:
                    continue  # it is closed to them, whatever they send: tests/test_access.py
                client.force_login(User.objects.get(username=person))
                for status in sent(client, method, address, shape):
                    reached.add((path, method)) if status not in (403, 404) else None
                    if status >= 500:
                        broken.append((name, method, person, status))
    assert broken == []
    assert bodies.keys() - reached == set()


def leads_to(path: str, address: str) -> bool:
    parts, asked = path.strip("/").split("/"), address.split("?")[0].strip("/").split("/")
    return len(parts) == len(asked) and all(
        part.startswith("{") or part == each for part, each in zip(parts, asked, strict=True)
    )


def texts(shape: dict[str, Any]) -> list[Any]:
    """What a member of this shape can't hold."""
    if shape.get("type") == "string":
        return [LONG, "a\0b", "\ud83d"]
    return [{"a": "\0", "b": "\ud83d"}] if shape.get("type", "object") == "object" else []


PLAIN = {"string": "1", "integer": 1, "boolean": True, "number": 1.0, "array": [1], "object": {"a": "b"}}


def sent(client: Client, method: str, address: str, shape: dict[str, Any]) -> Iterator[int]:
    """The statuses of calls whose texts are good but one."""
    good = {name: PLAIN.get(each.get("type", ""), "1") for name, each in shape.items()}
    for name, each in shape.items():
        for value in texts(each):
            point = transaction.savepoint()
            body = json.dumps({**good, name: value})
            yield getattr(client, method)(address, body, content_type="application/json").status_code
            transaction.savepoint_rollback(point)
