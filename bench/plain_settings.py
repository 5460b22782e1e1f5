"""The site's settings with the plain view's address among its own (`bench/plain_site.py`)."""

from assay_site.settings import *  # noqa: F403

ROOT_URLCONF = "bench.plain_site"
