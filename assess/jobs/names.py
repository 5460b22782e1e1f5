"""The keys of those kinds of jobs that others ask for than who does them."""

from __future__ import annotations

TAKE_OUT = "documents-out"


CHECK = "check-run"
"""The kind of background job that checks a run."""
