"""Addresses of the nugget workbenches."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from nuggets.views import classes, votes

BENCH = "c/<slug:slug>/work/<int:assignment_id>/"

urlpatterns: list[URLPattern | URLResolver] = [
    path(f"{BENCH}classes/", classes.edit, name="classes-edit"),
    path(f"{BENCH}classes/answers/<int:item_id>/document/", classes.answer_document, name="classes-document"),
    path(f"{BENCH}votes/", votes.vote, name="votes-cast"),
]
