"""What tests/quick_queries.py keeps of queries: they are Django's own, word for word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import CharField, Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Value, Window
from django.db.models.expressions import BaseExpression, Case, Expression, OrderBy, When
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce, Concat, RowNumber
from django.db.models.sql.compiler import SQLCompiler
from django.db.models.sql.query import Query
from django.utils.functional import cached_property

from assess.models import Assignment, Campaign, Item, Judgment, Topic
from tests.quick_queries import built_quickly

OWN = {
    (of, name): vars(of)[name]
    for of, name in (
        (Expression, "identity"),
        (BaseExpression, "copy"),
        (SQLCompiler, "compile"),
        (SQLCompiler, "get_default_columns"),
        (SQLCompiler, "get_converters"),
        (Query, "names_to_path"),
    )
}
"""Django's own, read before any test begins."""

pytestmark = pytest.mark.django_db

NEWEST = Judgment.objects.filter(item=OuterRef("pk")).order_by("-pk").values("value")[:1]
QUERIES: list[Callable[[], QuerySet[Any]]] = [
    lambda: Item.objects.all(),
    lambda: Item.objects.filter(topic__campaign__slug="a", topic__number__in=["1", "2"]).select_related("topic"),
    lambda: (
        Item.objects.select_related("topic__campaign")
        .only("key", "topic__number", "topic__campaign__slug")
        .order_by("topic__number", "-pk")
    ),
    lambda: Item.objects.defer("text").exclude(key="a").annotate(said=Subquery(NEWEST)).order_by("said"),
    lambda: Topic.objects.annotate(many=Count("items", filter=Q(items__key="a"))).filter(many__gt=1),
    lambda: Topic.objects.annotate(title=F("campaign__title")).filter(title="a").values_list("title", "number"),
    lambda: Assignment.objects.filter(Q(assessor__username="a") | Q(topic__campaign__memberships__role="organiser")),
    lambda: Judgment.objects.filter(Exists(Judgment.objects.filter(item=OuterRef("item"), pk__gt=OuterRef("pk")))),
    lambda: Judgment.objects.values("item__topic__number").annotate(many=Count("pk")).order_by("-many"),
    lambda: User.objects.union(User.objects.filter(username="a")).order_by("username"),
    lambda: Campaign.objects.annotate(
        name=Concat("slug", Coalesce("title", Value("?")), output_field=CharField())
    ).order_by("name"),
    lambda: Topic.objects.annotate(place=Window(RowNumber(), partition_by="campaign", order_by=F("number").desc())),
    lambda: Topic.objects.order_by(Case(When(number="1", then=Value(0)), default=Value(1)), "pk"),
    lambda: Campaign.objects.annotate(known=KeyTextTransform("known", "settings")).distinct(),
]


def built(query: QuerySet[Any]) -> tuple[str, Any, list[tuple[int, list[Any]]]]:
    """Its statement, and what each column is read with."""
    compiler = query.query.get_compiler(connection=connection)
    sql, params = compiler.as_sql()
    read = compiler.get_converters([each[0] for each in compiler.select[: compiler.col_count]])
    return sql, params, [(place, [each.__qualname__ for each in found]) for place, (found, _) in read.items()]


@pytest.mark.parametrize("number", range(len(QUERIES)))
def test_a_statement_is_the_one_that_django_builds(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        for (of, name), own in OWN.items():
            patch.setattr(of, name, own)
        expected = built(QUERIES[number]())
    with built_quickly():
        for _again in range(2):
            assert built(QUERIES[number]()) == expected


def test_expressions_are_compared_by_the_same() -> None:
    django = OWN[Expression, "identity"]
    assert isinstance(django, cached_property)
    for each in (
        F("a") + 1,
        Value("a"),
        Count("a", distinct=True, filter=Q(b=1)),
        Concat("a", Value("b"), output_field=None),
        OrderBy(F("a"), nulls_last=True),
        Window(RowNumber(), order_by="a"),
        Case(When(a=1, then=2), default=3),
        KeyTextTransform("a", "b"),
    ):
        assert each.identity == django.func(each)
