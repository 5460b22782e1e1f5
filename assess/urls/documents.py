"""Addresses of documents and search."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from assess.documents.views import reading as documents

urlpatterns: list[URLPattern | URLResolver] = [
    path("d/<str:token>/", documents.document_page, name="document-page"),
    path("c/<slug:slug>/search/", documents.search, name="search"),
    path("c/<slug:slug>/documents/lists/<path:number>/", documents.document_list, name="document-list"),
    path("c/<slug:slug>/documents/<path:docno>/view/", documents.document, name="document"),
    path("c/<slug:slug>/documents/<path:docno>/raw/", documents.document_raw, name="document-raw"),
]
