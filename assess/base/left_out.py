"""Optional dependencies of other packages that this site never uses and does not load at its start."""

from __future__ import annotations

import importlib
import sys

UNUSED = ("django.contrib.postgres.fields", "markdown", "pygments", "requests", "yaml")
"""Django's PostgreSQL fields, and optional packages of the API framework for its pages and test clients."""


def load_api_framework() -> None:
    """Load the module in which the API framework imports optional packages, as if those were not installed.

    Loading them takes an eighth of the time of a start. Code that needs one of them can still import it.
    """
    absent = [name for name in UNUSED if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]  # Python's own sign that an import fails
    try:
        importlib.import_module("rest_framework.compat")
    finally:
        for name in absent:
            del sys.modules[name]
