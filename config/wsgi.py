"""The WSGI entry point: `gunicorn config.wsgi`."""

import importlib
import os
from threading import Thread

from django.core.wsgi import get_wsgi_application

AHEAD = (
    "assess.drawing",
    "scipy.stats",
    "statsmodels.stats.inter_rater",
    "statsmodels.stats.multitest",
    "krippendorff",
)
"""What plots and statistics need and takes seconds to load: so that nobody waits for it, least the first who comes."""


def load_ahead() -> None:
    """Load the libraries of `AHEAD`."""
    for name in AHEAD:
        importlib.import_module(name)


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
Thread(target=load_ahead, daemon=True, name="load-ahead").start()
