"""The keys of the kinds of jobs that are asked for elsewhere than in the noun that does them."""

from __future__ import annotations

TAKE_OUT = "documents-out"


CHECK = "check-run"
"""The kind of background job that checks a run."""
