"""Addresses of the nugget workbenches."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from nuggets.views import classes, matches, nuggets, strings, votes

BENCH = "c/<slug:slug>/work/<int:assignment_id>/"

urlpatterns: list[URLPattern | URLResolver] = [
    path(f"{BENCH}classes/", classes.edit, name="classes-edit"),
    path(f"{BENCH}classes/answers/<int:handle>/document/", classes.answer_document, name="classes-document"),
    path(f"{BENCH}votes/", votes.vote, name="votes-cast"),
    path(f"{BENCH}nuggets/", nuggets.edit, name="nuggets-edit"),
    path(f"{BENCH}matches/", matches.mark, name="matches-mark"),
    path(f"{BENCH}reviews/", matches.review, name="matches-review"),
    path(f"{BENCH}documents/<path:docno>/", strings.topic_document, name="work-document"),
    path(f"{BENCH}strings/<int:handle>/", strings.string_document, name="string-document"),
]
