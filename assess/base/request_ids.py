"""The id of the request that is being answered, for the activity and for lines of the log."""

from __future__ import annotations

from contextvars import ContextVar

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")
