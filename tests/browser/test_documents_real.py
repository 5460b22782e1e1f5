"""Real pages and real attacks, in a real browser, in the frame that assessors see documents in."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, Page, Playwright

from assess.rendering.document import render_document
from tests.browser.document_server import CHROMIUM, CHROMIUM_FLAGS, Stage, open_stage

pytestmark = pytest.mark.browser

PAGE_URL = "http://pages.example/2006/01/post.html"
FRAMES_AT_ONCE = 82
NO_SCRIPT = "default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src data:"

# Touches everything that could be touched: clicks, focus, pointer, submission, in each frame.
TOUCH = """() => {
  const names = ["click", "mouseover", "mousedown", "focus", "pointerenter", "toggle", "wheel", "keydown"];
  for (const element of document.querySelectorAll("*")) {
    for (const name of names) element.dispatchEvent(new Event(name, {bubbles: true}));
    if (typeof element.click === "function") element.click();
    if (element.localName === "form") { try { element.requestSubmit(); } catch { /* nothing to submit */ } }
  }
}"""

# Records what a script that ran would most likely call. Only of use where scripts can run at all.
ALARM = """() => {
  for (const name of ["alert", "confirm", "prompt", "print"]) window[name] = () => reportScript(name);
}"""


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with open_stage() as opened:
        yield opened


@pytest.fixture(scope="module")
def document_browser(playwright: Playwright, stage: Stage) -> Iterator[Browser]:
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*CHROMIUM_FLAGS, stage.host_rules])
    yield browser
    browser.close()


@pytest.fixture
def page(document_browser: Browser, stage: Stage) -> Iterator[Page]:
    """A page that records script: dialogs that open and calls of the alarm functions."""
    stage.unexpected.clear()
    context = document_browser.new_context(viewport={"width": 1280, "height": 720})
    opened = context.new_page()
    yield opened
    context.close()


def render(source: str) -> str:
    found = render_document(source.encode(), media_type="text/html", charset="utf-8", url=PAGE_URL)
    assert found.page is not None
    return found.page


def watch_scripts(page: Page) -> list[str]:
    """A list that grows whenever a script in any frame of the page calls for attention."""
    ran: list[str] = []

    def close(dialog: Dialog) -> None:
        ran.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("dialog", close)
    page.expose_function("reportScript", lambda name: ran.append(name))
    page.add_init_script(f"({ALARM})()")
    return ran


def payloads(shared_data: Path) -> list[str]:
    found = json.loads((shared_data / "html" / "xss_payloads.json").read_text("utf-8"))
    assert len(found) == 820
    return [each["payload"] for each in found]


def touch_frames(page: Page) -> list[str]:
    """Touch everything in every frame; the frames whose address is then another."""
    before = {frame.name: frame.url for frame in page.frames}
    touch(page)
    page.wait_for_timeout(200)
    return [
        f"{frame.name}: {before[frame.name]} -> {frame.url}"
        for frame in page.frames
        if frame.name in before and frame.url.partition("#")[0] != before[frame.name].partition("#")[0]
    ]


def touch(page: Page) -> None:
    """Touch all frames from a world of their own, as an extension would: it runs where pages may run nothing."""
    session = page.context.new_cdp_session(page)
    for child in session.send("Page.getFrameTree")["frameTree"].get("childFrames", []):
        world = session.send("Page.createIsolatedWorld", {"frameId": child["frame"]["id"], "worldName": "touch"})
        session.send(
            "Runtime.evaluate",
            {"contextId": world["executionContextId"], "expression": f"({TOUCH})()", "timeout": 2000},
        )
    session.detach()


def batches(addresses: list[str]) -> list[list[str]]:
    return [addresses[start : start + FRAMES_AT_ONCE] for start in range(0, len(addresses), FRAMES_AT_ONCE)]


@pytest.mark.shared
def test_attacks_in_the_frame_run_nothing_ask_nothing_and_stay(stage: Stage, page: Page, shared_data: Path) -> None:
    addresses = [stage.publish(render(payload)) for payload in payloads(shared_data)]
    ran = watch_scripts(page)
    popups: list[str] = []
    page.context.on("page", lambda opened: popups.append(opened.url))
    left: list[str] = []
    for batch in batches(addresses):
        address = stage.frames(batch)
        page.goto(address)
        assert len(page.frames) == len(batch) + 1
        assert {frame.url for frame in page.frames[1:]} == set(batch)
        left += touch_frames(page)
        assert page.url == address
    assert (ran, stage.unexpected, left, popups) == ([], [], [], [])


@pytest.mark.shared
def test_attacks_run_nothing_even_without_sandbox_and_header(stage: Stage, page: Page, shared_data: Path) -> None:
    plain = {"Content-Type": "text/html; charset=utf-8"}
    addresses = [stage.serve(render(payload).encode(), plain) for payload in payloads(shared_data)]
    ran = watch_scripts(page)
    for batch in batches(addresses):
        page.goto(stage.frames(batch, sandbox=False))
        touch(page)
        page.wait_for_timeout(200)
    assert ran == []


def test_harness_notices_a_script_a_request_and_a_departure(stage: Stage, page: Page) -> None:
    plain = {"Content-Type": "text/html"}
    ran = watch_scripts(page)
    scripted = stage.serve(b"<script>alert(1)</script><img src='http://elsewhere.example/x.gif'>", plain)
    leaving = stage.serve(b"<a href='/d/0?left'>x</a>", plain)
    page.goto(stage.frames([scripted, leaving], sandbox=False))
    left = touch_frames(page)
    assert ran == ["alert"]
    assert any("elsewhere.example" in each for each in stage.unexpected)
    assert len(left) == 1


def test_frame_alone_stops_script_request_and_departure(stage: Stage, page: Page) -> None:
    """The other two layers, with a page that no sanitiser has seen."""
    raw = "<script>alert(1)</script><img src='http://elsewhere.example/x.gif'><a href='http://elsewhere.example/'>x</a>"
    ran = watch_scripts(page)
    address = stage.frames([stage.publish(raw)])
    page.goto(address)
    touch(page)
    page.wait_for_timeout(200)
    assert (ran, stage.unexpected, page.url) == ([], [], address)


def test_remote_images_and_stylesheets_load_only_where_the_campaign_says_so(stage: Stage, page: Page) -> None:
    source = "<link rel=stylesheet href=/s.css><style>@import url(t.css);</style><img src=i.gif><p>x"
    stage.remote_resources = False
    page.goto(stage.frames([stage.publish(render(source))]))
    page.wait_for_timeout(150)
    assert stage.unexpected == []
    stage.remote_resources = True
    try:
        page.goto(stage.frames([stage.publish(render(source))]))
        page.wait_for_timeout(1500)
    finally:
        stage.remote_resources = False
    asked = " ".join(stage.unexpected)
    assert all(name in asked for name in ("/s.css", "/2006/01/t.css", "/2006/01/i.gif"))


def tokens(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


def token_f1(ours: str, theirs: str) -> float:
    """F1 of the two texts as bags of lower-case words; two empty texts agree."""
    left, right = tokens(ours), tokens(theirs)
    common = (left & right).total()
    if not left and not right:
        return 1.0
    return 2 * common / (left.total() + right.total())


@pytest.mark.shared
def test_viewable_text_is_what_chromium_shows(stage: Stage, page: Page, shared_data: Path) -> None:
    """The original page, served with scripts forbidden and nothing else to load, against our text of it.

    Words are compared in lower case, since innerText applies text-transform. Scripts are forbidden by header,
    so that <noscript> stays hidden, as it is in our page.
    """
    pages = shared_data / "html" / "pages"
    manifest = json.loads((shared_data / "html" / "pages_manifest.json").read_text("utf-8"))
    assert len(manifest) == 89
    values: dict[str, float] = {}
    for entry in manifest:
        raw = (pages / entry["file"]).read_bytes()
        address = stage.serve(raw, {"Content-Type": "text/html", "Content-Security-Policy": NO_SCRIPT})
        page.goto(address, wait_until="domcontentloaded")
        theirs = page.evaluate("document.body.innerText")
        ours = render_document(raw, media_type="text/html", charset=None, url=PAGE_URL).text
        values[entry["file"]] = token_f1(ours, theirs)
    mean = sum(values.values()) / len(values)
    worst = sorted(values.items(), key=lambda each: each[1])[:5]
    print(f"mean {mean:.4f} over {len(values)} pages; lowest {worst}")
    assert mean >= 0.99
    assert worst[0][1] >= 0.95


@pytest.mark.shared
def test_prepared_page_shows_what_the_original_shows(stage: Stage, page: Page, shared_data: Path) -> None:
    pages = shared_data / "html" / "pages"
    manifest = json.loads((shared_data / "html" / "pages_manifest.json").read_text("utf-8"))
    values: dict[str, float] = {}
    for entry in manifest:
        rendering = render_document((pages / entry["file"]).read_bytes(), media_type="text/html", charset=None, url="")
        assert rendering.page is not None
        page.goto(stage.publish(rendering.page), wait_until="domcontentloaded")
        values[entry["file"]] = token_f1(rendering.text, page.evaluate("document.body.innerText"))
    mean = sum(values.values()) / len(values)
    worst = sorted(values.items(), key=lambda each: each[1])[:5]
    print(f"mean {mean:.4f} over {len(values)} pages; lowest {worst}")
    assert mean >= 0.99
