"""Addresses of the bench for grading items."""

from __future__ import annotations

from django.urls import URLPattern, path

from assess.kinds.base import BENCH
from assess.kinds.grade import pages as grade

URLS: tuple[URLPattern, ...] = (
    path(f"{BENCH}judge/", grade.judge, name="judge"),
    path(f"{BENCH}items/<int:handle>/", grade.item, name="work-item"),
)
