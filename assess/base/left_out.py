"""What other packages load because it is installed, and this site never uses: left out of every start."""

from __future__ import annotations

import importlib
import sys

UNUSED = ("django.contrib.postgres.fields", "markdown", "pygments", "requests", "yaml")
"""Fields of PostgreSQL, pages and test clients of the API framework, which takes each only where it finds it."""


def load_api_framework() -> None:
    """Load the module in which the API framework looks for other packages as if those were not installed.

    They cost an eighth of a start. Whoever needs one of them imports it as ever.
    """
    absent = [name for name in UNUSED if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]  # Python's own sign that an import fails
    try:
        importlib.import_module("rest_framework.compat")
    finally:
        for name in absent:
            del sys.modules[name]
