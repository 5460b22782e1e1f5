"""Shapes of the API that are made from dataclasses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Literal

import pytest
from rest_framework import serializers

from assess.web.shapes import DataSerializer


@dataclass(frozen=True)
class Column:
    key: str
    secret: str = ""


@dataclass(frozen=True)
class Held:
    name: str
    kind: Literal["a", "b"]
    count: int | None
    share: float
    is_new: bool
    at: datetime
    day: date
    words: tuple[str, ...] = ()
    pairs: tuple[tuple[str, float | None], ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    column: Column | None = None
    columns: tuple[Column, ...] = ()
    gaps: tuple[Column | None, ...] = ()
    where: int | str = ""

    @property
    def twice(self) -> int:
        return 2 * (self.count or 0)


class ColumnOut(DataSerializer):
    """A column."""

    class Meta:
        of = Column
        fields = ("key",)


class HeldOut(DataSerializer):
    """What is held."""

    note = serializers.CharField(source="name", help_text="Said by hand.")

    class Meta:
        of = Held
        fields = (
            *("kind", "count", "share", "is_new", "at", "day", "note", "words", "pairs", "sizes", "column", "columns"),
            *("gaps", "twice", "column_key"),
        )
        sources = {"column_key": "column.key"}


class MoreOut(HeldOut):
    """The same and one more."""

    where = serializers.CharField()


HELD = Held(
    name="n", kind="a", count=None, share=0.5, is_new=True, at=datetime(2026, 1, 2, 3, tzinfo=UTC),
    day=date(2026, 1, 2),
    words=("x",), pairs=(("p", None),), sizes={"s": 1},
    column=Column("k", "told"), columns=(Column("c"),), gaps=(Column("g"), None), where=3,
)  # fmt: skip


def test_fields_follow_from_the_types_in_the_order_in_which_they_are_named() -> None:
    fields = HeldOut().fields
    assert list(fields) == list(HeldOut.Meta.fields)
    assert [type(fields[name]).__name__ for name in ("kind", "count", "share", "is_new", "at", "day", "twice")] == [
        "CharField", "IntegerField", "FloatField", "BooleanField", "DateTimeField", "DateField", "IntegerField",
    ]  # fmt: skip
    assert [name for name, each in fields.items() if each.allow_null] == ["count", "column", "column_key"]
    assert all(each.required for each in fields.values())


def test_what_is_shown_is_what_is_named() -> None:
    shown = HeldOut(HELD).data
    assert shown == {
        "kind": "a", "count": None, "share": 0.5, "is_new": True, "at": "2026-01-02T03:00:00Z", "day": "2026-01-02",
        "note": "n", "words": ["x"], "pairs": [["p", None]], "sizes": {"s": 1}, "column": {"key": "k"},
        "columns": [{"key": "c"}], "gaps": [{"key": "g"}, None], "twice": 0, "column_key": "k",
    }  # fmt: skip
    assert "told" not in str(shown)


def test_a_subclass_declares_more_and_is_not_the_shape_of_its_dataclass() -> None:
    assert list(MoreOut().fields) == [*HeldOut.Meta.fields, "where"]
    assert MoreOut(HELD).data["where"] == "3"


def test_two_instances_share_no_field() -> None:
    assert HeldOut().fields["kind"] is not HeldOut().fields["kind"]


def test_what_has_two_types_must_be_declared() -> None:
    class Wrong(DataSerializer):
        class Meta:
            of = Held
            fields = ("where",)

    with pytest.raises(TypeError, match="declare the field"):
        _ = Wrong().fields
