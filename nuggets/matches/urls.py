"""Addresses of the bench for marking nuggets."""

from __future__ import annotations

from django.urls import URLPattern, path

from assess.kinds.base import BENCH
from nuggets.matches import pages as matches

URLS: tuple[URLPattern, ...] = (
    path(f"{BENCH}matches/", matches.mark, name="matches-mark"),
    path(f"{BENCH}reviews/", matches.review, name="matches-review"),
)
