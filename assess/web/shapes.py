"""The shapes of the API's answers, made from the frozen dataclasses that they show (decision 12).

    class HitOut(DataSerializer):
        '''A document found.'''

        class Meta:
            of = Hit
            fields = ("rank", "docno", "title", "score", "snippet")

``fields`` names what is shown, in order: a new field of the dataclass stays hidden until it is named here. The kind of
each field follows from its type, or from that of a property. ``sources`` gives another name in the dataclass:
``{"judged": "is_judged"}``, ``{"measure": "column.key"}``. Anything else is declared as in any serializer.

| type | field |
|---|---|
| str, literals, choices | CharField |
| int, float, bool, datetime, date | IntegerField, FloatField, BooleanField, DateTimeField, DateField |
| X or None | that of X, which may be null |
| tuple[X, ...], tuple[X, X], list[X], Sequence[X] | a list of what X is |
| Mapping[str, X], dict[str, X] | DictField of what X is |
| a dataclass | the serializer that was defined last for it |
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from copy import copy, deepcopy
from datetime import date, datetime
from functools import cache, cached_property
from typing import Any, ClassVar, TypeVar

from django.db.models import Model
from rest_framework import serializers

Row = TypeVar("Row", bound=Model)

_PLAIN: dict[type, type[serializers.Field[Any, Any, Any, Any]]] = {
    bool: serializers.BooleanField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    datetime: serializers.DateTimeField,  # before date, since it is one
    date: serializers.DateField,
    str: serializers.CharField,
}
_SHAPES: dict[type, type[DataSerializer]] = {}


class DataSerializer(serializers.Serializer[Any]):
    """A serializer of answers whose fields follow from a dataclass."""

    class Meta:
        of: ClassVar[type]
        fields: ClassVar[tuple[str, ...]]
        sources: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "Meta" in vars(cls):
            _SHAPES[cls.Meta.of] = cls

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Return the fields in the order of ``fields``, declared or made from the dataclass; then those that a subclass
        adds.
        """
        declared = super().get_fields()
        made = _made(self.Meta, frozenset(declared))
        shown = {name: declared[name] if name in declared else deepcopy(made[name]) for name in self.Meta.fields}
        return shown | declared


class RowSerializer(serializers.ModelSerializer[Row]):
    """A serializer of answers whose fields follow from a model.

    The model is examined once, and not for every saved row, which took an eighth of the time for saving a judgment.
    """

    def get_fields(self) -> dict[str, Any]:
        """Return copies of the fields, as every serializer does. A field that contains no others needs no deep copy."""
        fields = _fields_of(type(self))
        return {
            name: deepcopy(field)
            if isinstance(field, serializers.BaseSerializer) or hasattr(field, "child")
            else copy(field)
            for name, field in fields.items()
        }


@cache
def _fields_of(serializer: type[RowSerializer[Any]]) -> dict[str, Any]:
    return serializers.ModelSerializer.get_fields(serializer())


@cache
def _made(
    meta: type[DataSerializer.Meta], declared: frozenset[str]
) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
    """Return the fields that are not declared."""
    sources = getattr(meta, "sources", {})
    return {name: _field(meta.of, sources.get(name, name), name) for name in meta.fields if name not in declared}


def _field(of: type, source: str, name: str) -> serializers.Field[Any, Any, Any, Any]:
    found: Any = of
    may_be_null = False
    for part in source.split("."):
        found, null = _without_none(_type_of(found, part))
        may_be_null = may_be_null or null
    options: dict[str, Any] = {"allow_null": True} if may_be_null else {}
    return _of_type(found, options if source == name else {**options, "source": source})


def _type_of(of: type, name: str) -> Any:
    """Return the type of a field or property."""
    held = getattr(of, name, None)
    if isinstance(held, property | cached_property):
        return typing.get_type_hints(held.fget if isinstance(held, property) else held.func)["return"]
    return typing.get_type_hints(of)[name]


def _without_none(found: Any) -> tuple[Any, bool]:
    """Return (the type without None, whether None was in it). Raises TypeError for a union of several other types."""
    if typing.get_origin(found) not in (types.UnionType, typing.Union):
        return found, False
    kept = [each for each in typing.get_args(found) if each is not type(None)]
    if len(kept) != 1:
        raise TypeError(f"{found} is more than one type: declare the field")
    return kept[0], True


def _of_type(found: Any, options: dict[str, Any]) -> serializers.Field[Any, Any, Any, Any]:
    origin, inner = typing.get_origin(found), typing.get_args(found)
    if origin is typing.Literal:
        return serializers.CharField(**options)
    if origin in (tuple, list) or origin is Sequence:
        child, null = _without_none(inner[0])
        if dataclasses.is_dataclass(child) and not null:  # the framework accepts no null among many
            return _SHAPES[typing.cast(type, child)](many=True, **options)
        return serializers.ListField(child=_of_type(child, {"allow_null": True} if null else {}), **options)
    if origin is dict or origin is Mapping:
        child, null = _without_none(inner[1])
        return serializers.DictField(child=_of_type(child, {"allow_null": True} if null else {}), **options)
    if dataclasses.is_dataclass(found):
        return _SHAPES[typing.cast(type, found)](**options)
    return next(field for plain, field in _PLAIN.items() if issubclass(found, plain))(**options)
