"""The pictures of the guide of the first campaign, taken while it is followed: only where they are asked for."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.test.signals import template_rendered
from PIL import Image
from playwright.sync_api import Browser
from pytest_django.live_server_helper import LiveServer

from tests.first_campaign import follow_guide
from tests.page_reader import PageReader
from tests.pictures import PICTURES, ROOT, record

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif("ASSAY_TAKE_PICTURES" not in os.environ, reason="ASSAY_TAKE_PICTURES=yes takes them anew"),
]
SIZE = {"width": 1280, "height": 800}
BY_NIGHT = ("first-bench", "first-overview")
"""Those that the README shows in the reader's colours."""


def test_the_pictures_of_the_first_campaign_are_taken(
    site: LiveServer,
    browser: Browser,
    browser_context_args: dict[str, Any],
    settings: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.DATA_DIR = tmp_path

    def look(name: str, reader: PageReader) -> None:
        cookie = reader.client.cookies[site_settings.SESSION_COOKIE_NAME].value
        for scheme, end in (("light", ""), *([("dark", "-dark")] if name in BY_NIGHT else [])):
            args = {**browser_context_args, "viewport": SIZE, "color_scheme": scheme}
            context = browser.new_context(**args)
            context.add_cookies([{"name": site_settings.SESSION_COOKIE_NAME, "value": cookie, "url": site.url}])
            page = context.new_page()
            files = rendered(lambda page=page: page.goto(f"{site.url}{reader.address}"))
            files |= {f"static/{each}" for each in page.evaluate(STYLES)}
            save(page.screenshot(animations="disabled", caret="hide"), PICTURES / f"{name}{end}.png")
            record(f"{name}{end}.png", (each for each in files if (ROOT / each).is_file()))
            context.close()

    follow_guide(monkeypatch, look)


STYLES = """[...document.querySelectorAll('link[rel=stylesheet]')].map(
    each => new URL(each.href).pathname.replace('/static/', ''))"""


def rendered(do: Any) -> set[str]:
    """The templates that are rendered meanwhile, as files of the source."""
    names: set[str] = set()

    def note(template: Any, **_: Any) -> None:
        names.add(str(Path(template.origin.name)))

    template_rendered.connect(note)
    try:
        do()
    finally:
        template_rendered.disconnect(note)
    return {str(Path(name).relative_to(ROOT)) for name in names if Path(name).is_relative_to(ROOT)}


def save(content: bytes, path: Path) -> None:
    """Few colours are enough for a page, and make a third of the bytes."""
    Image.open(io.BytesIO(content)).convert("P", palette=Image.Palette.ADAPTIVE, colors=128).save(path, optimize=True)
