"""Addresses of the bench for grouping answers."""

from __future__ import annotations

from django.urls import URLPattern, path

from assess.kinds.base import BENCH
from nuggets.classes import pages as classes

URLS: tuple[URLPattern, ...] = (
    path(f"{BENCH}classes/", classes.edit, name="classes-edit"),
    path(f"{BENCH}classes/answers/<int:handle>/document/", classes.answer_document, name="classes-document"),
)
