"""Addresses of the bench for voting."""

from __future__ import annotations

from django.urls import URLPattern, path

from assess.kinds.base import BENCH
from nuggets.votes import pages as votes

URLS: tuple[URLPattern, ...] = (path(f"{BENCH}votes/", votes.vote, name="votes-cast"),)
