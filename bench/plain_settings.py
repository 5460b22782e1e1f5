"""The site's settings, with the addresses of `bench/plain_site.py`, which include the plain view."""

from assay_site.settings import *  # noqa: F403

ROOT_URLCONF = "bench.plain_site"
