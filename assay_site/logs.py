"""Format the lines of the log, as text or as JSON: time, level, the request's id, logger, message.

The request's id is the one in its answer (`X-Request-Id`) and in the activity, or "-" outside requests.
"""

from __future__ import annotations

import json
import logging
import re
from copy import copy
from datetime import UTC, datetime

from django.core.exceptions import SuspiciousOperation

from assess.base.outages import outage_of
from assess.base.process import REQUEST_ID
from scoring.reading.opening import printed

SECRETS = re.compile(r"/(invitation|password)/[^/\s?]+")
"""Addresses that are secrets: anybody who has one may join a campaign, or set somebody's password."""


class PlainFormatter(logging.Formatter):
    """Formats a record as a line like `2026-05-04T12:00:00.000Z WARNING 3f2a9c1d00aa11bb django.request: Not Found:
    /x`. If there is a traceback, it follows below.
    """

    def __init__(self) -> None:
        super().__init__("%(at)s %(levelname)s %(request_id)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line. A traceback follows below it, unless it is of no fault of the site's code."""
        record.at, record.request_id = _at(record), REQUEST_ID.get() or "-"
        return super().format(_in_one_line(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Return the line without a traceback. Secrets are left out, and line ends in the message are written out."""
        record.message = printed(without_secrets(record.message).replace("\r", "\\r").replace("\n", "\\n"))
        return super().formatMessage(record)


class JsonFormatter(logging.Formatter):
    """Formats a line of the log as one JSON object: `time`, `level`, `request_id`, `logger`, `message`, and `error`.

    `error` is the traceback, if there is one. If a message has named values, as in the access log, these are members of
    the object too.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the record on one line, even if its message contains line ends."""
        record = _in_one_line(record)
        named = record.args.items() if isinstance(record.args, dict) else ()
        said = {key: without_secrets(value) if isinstance(value, str) else value for key, value in named}
        said |= {
            "time": _at(record),
            "level": record.levelname,
            "request_id": REQUEST_ID.get() or "-",
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
        }
        if record.exc_info:
            said["error"] = self.formatException(record.exc_info)
        return json.dumps(said, ensure_ascii=False, default=str)


def without_secrets(text: str) -> str:
    """Return the text without secrets, which are the parts of addresses that match `SECRETS`.

    >>> without_secrets("Unprocessable Entity: /invitation/s3cret/")
    'Unprocessable Entity: /invitation/…/'
    """
    return SECRETS.sub(r"/\1/…", text)


def _in_one_line(record: logging.LogRecord) -> logging.LogRecord:
    """Return the record without its traceback if the request itself was at fault, for example because its `Host` is
    wrong, or in an outage, which may also meet what Django runs after a commit and logs by itself.
    """
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, SuspiciousOperation) or outage_of(error) is not None:
        record = copy(record)
        record.exc_info = record.exc_text = None
    return record


def _at(record: logging.LogRecord) -> str:
    at = datetime.fromtimestamp(record.created, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{record.msecs:03.0f}Z"
