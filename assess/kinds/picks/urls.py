"""Addresses of the bench for picking."""

from __future__ import annotations

from django.urls import URLPattern, path

from assess.kinds.base import BENCH
from assess.kinds.picks import pages as picks

URLS: tuple[URLPattern, ...] = (
    path(f"{BENCH}picks/", picks.pick, name="picks"),
    path(f"{BENCH}picks/labels/", picks.add, name="picks-add"),
)
