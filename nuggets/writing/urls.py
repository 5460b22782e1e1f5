"""Addresses of the bench for writing lists, and of the texts that all work with nuggets shows."""

from __future__ import annotations

from django.urls import URLPattern, path

from assess.kinds.base import BENCH
from nuggets.writing import pages as nuggets
from nuggets.writing import strings

URLS: tuple[URLPattern, ...] = (
    path(f"{BENCH}nuggets/", nuggets.edit, name="nuggets-edit"),
    path(f"{BENCH}documents/<path:docno>/", strings.topic_document, name="work-document"),
    path(f"{BENCH}strings/<int:handle>/", strings.string_document, name="string-document"),
)
