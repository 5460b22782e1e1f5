"""Write gunicorn's own messages as lines of the site's log, with the time, the level, and a request's id or "-"."""

from __future__ import annotations

from typing import Any

from gunicorn.glogging import Logger

from assay_site import environment
from assay_site.logs import JsonFormatter, PlainFormatter


class ServerLogger(Logger):
    """Gunicorn's logger with the site's format. It is made before the settings are read, so it reads `ASSAY_LOG_JSON`
    itself.
    """

    def setup(self, cfg: Any) -> None:
        """Set up the logger as gunicorn does, and then give it the formatters of `assay_site.logs`."""
        super().setup(cfg)  # type: ignore[no-untyped-call]
        lines = JsonFormatter() if environment.flag("ASSAY_LOG_JSON", False) else PlainFormatter()
        for handler in self.error_log.handlers:
            handler.setFormatter(lines)
