"""Addresses of topics that assessors make."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from assess.topic_drafts.views import bench, desk, own

C = "c/<slug:slug>/topic-drafts/"

urlpatterns: list[URLPattern | URLResolver] = [
    path(C, own.topic_drafts, name="topic-drafts"),
    path(f"{C}begin/", own.topic_draft_begin, name="topic-draft-begin"),
    path(f"{C}desk/", desk.topic_drafts_desk, name="topic-drafts-desk"),
    path(f"{C}<int:number>/", bench.topic_draft, name="topic-draft"),
    path(f"{C}<int:number>/write/", bench.topic_draft_write, name="topic-draft-write"),
    path(f"{C}<int:number>/find/", bench.topic_draft_find, name="topic-draft-find"),
    path(f"{C}<int:number>/decide/", desk.topic_draft_decide, name="topic-draft-decide"),
]
