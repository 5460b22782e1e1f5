"""The WSGI entry point: `gunicorn config.wsgi`."""

import importlib
from threading import Thread

from django.core.wsgi import get_wsgi_application

from config.databases import hurry
from config.start import CANNOT_LOAD, read_settings

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


read_settings(status=CANNOT_LOAD)
hurry()
application = get_wsgi_application()
Thread(target=load_ahead, daemon=True, name="load-ahead").start()
