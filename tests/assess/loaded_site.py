"""The site for a server: all of its pages are loaded before it parts into processes, not by each of them again."""

from __future__ import annotations

from django.urls import get_resolver

from assay_site.wsgi import application

__all__ = ["application"]

assert get_resolver().url_patterns
