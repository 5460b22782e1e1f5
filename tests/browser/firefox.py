"""Debian's Firefox, in which a few tests of the benches run besides: what is in sight, keys, selecting, directions.

Playwright drives it by WebDriver BiDi. The shim beside this file lets one refusal go; preferences say what a context
can't.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Playwright

FIREFOX = Path("/usr/bin/firefox-esr")
SHIM = Path(__file__).with_name("firefox_shim.cjs")
PREFERENCES = {
    "layout.css.prefers-color-scheme.content-override": 1,  # light
    "network.proxy.type": 1,  # of everything but the site: nothing listens there
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "network.proxy.no_proxies_on": "localhost, 127.0.0.1",
}


def let_firefox_start() -> None:
    """Have Playwright's driver, which is not started yet, read the shim."""
    os.environ["NODE_OPTIONS"] = f"{os.environ.get('NODE_OPTIONS', '')} --require {SHIM}".strip()


def launch_firefox(playwright: Playwright) -> Browser:
    preferences: dict[str, Any] = PREFERENCES
    return playwright.firefox.launch(
        channel="moz-firefox", executable_path=FIREFOX, firefox_user_prefs=preferences, headless=True
    )
