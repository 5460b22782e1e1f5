"""The pictures of the guides, only where they are asked for: those of the first campaign are taken while it is
followed, those of the assessors' guide from demonstrations that are half judged.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.core.management import call_command
from django.test import Client
from django.test.signals import template_rendered
from PIL import Image
from playwright.sync_api import Browser
from pytest_django.live_server_helper import LiveServer

from assess.models import Assignment
from tests.first_campaign import follow_guide
from tests.page_reader import PageReader
from tests.pictures import PICTURES, ROOT, record

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif("ASSAY_TAKE_PICTURES" not in os.environ, reason="ASSAY_TAKE_PICTURES=yes takes them anew"),
]
SIZE = {"width": 1280, "height": 800}
BENCHES = {
    "instances": ("tac2008-qa", "5.1"),
    "classes": ("tac2008-qa", "1.2"),
    "nuggets": ("tac2008-qa", "6.3"),
    "matches": ("tac2008-qa", "1.4"),
    "votes": ("tac2008-qa", "1.3"),
    "picks": ("context25", "kite-7Qa2_x"),
}
"""Pictures of the assessors' guide, each with the demonstration and the topic whose work it shows."""
STAGES = {"picks": "figures"}
"""The stages of pictures that have another name."""
BY_NIGHT = ("first-bench", "first-overview", *BENCHES)
"""Those that the README and *Help* show in the reader's colours."""


def take(site: LiveServer, browser: Browser, options: dict[str, Any], cookie: str, path: str, name: str) -> None:
    """Take the picture of a page by day and, where somebody sees it, by night, and record what it was made from."""
    for scheme, end in (("light", ""), *([("dark", "-dark")] if name in BY_NIGHT else [])):
        context = browser.new_context(**{**options, "viewport": SIZE, "color_scheme": scheme})
        context.add_cookies([{"name": site_settings.SESSION_COOKIE_NAME, "value": cookie, "url": site.url}])
        page = context.new_page()
        files = rendered(lambda page=page: page.goto(f"{site.url}{path}", wait_until="networkidle"))
        files |= {f"static/{each}" for each in page.evaluate(STYLES)}
        save(page.screenshot(animations="disabled", caret="hide"), PICTURES / f"{name}{end}.png")
        record(f"{name}{end}.png", (each for each in files if (ROOT / each).is_file()))
        context.close()


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
        take(site, browser, browser_context_args, cookie, reader.address, name)

    follow_guide(monkeypatch, look)


@pytest.mark.parametrize("track", sorted({track for track, *_ in BENCHES.values()}))
def test_the_pictures_of_the_assessors_guide_are_taken(
    track: str,
    site: LiveServer,
    browser: Browser,
    browser_context_args: dict[str, Any],
    settings: Any,
    tmp_path: Path,
) -> None:
    settings.DATA_DIR = tmp_path
    call_command("demo", track=track, no_serve=True, stdout=io.StringIO())
    for name, (_, topic) in BENCHES.items():
        if BENCHES[name][0] == track:
            works = Assignment.objects.filter(stage=STAGES.get(name, name), topic__number=topic)
            work = works.exclude(state="returned").order_by("pk")[0]
            Assignment.objects.filter(pk=work.pk).update(state="started")
            client = Client()
            client.force_login(work.assessor)
            cookie = client.cookies[site_settings.SESSION_COOKIE_NAME].value
            take(site, browser, browser_context_args, cookie, f"/c/{work.campaign.slug}/work/{work.pk}/", name)


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
