"""What tests of the browser rely on: no page is used before its scripts ran, and none knows of the test before."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.canary import Canary
from tests.browser.loaded import failed_scripts

pytestmark = pytest.mark.browser

PAGE = '<button>press</button><script type="module" src="/late.js"></script>'
LATE = """const button = document.querySelector("button");
button.onclick = () => { button.textContent = "pressed"; };
document.onkeydown = (event) => { button.textContent = `pressed by ${event.key}`; };
"""


def test_a_click_and_a_key_wait_for_the_scripts_of_a_page(page: Page, canary: Canary) -> None:
    def serve_late(route: Route) -> None:
        page.wait_for_timeout(500)
        route.fulfill(body=LATE, content_type="text/javascript")

    page.route("http://slow.example/", lambda route: route.fulfill(body=PAGE, content_type="text/html"))
    page.route("http://slow.example/late.js", serve_late)
    page.goto("http://slow.example/", wait_until="commit")
    page.get_by_role("button").click()
    expect(page.get_by_role("button")).to_have_text("pressed")
    page.goto("http://slow.example/", wait_until="commit")
    page.keyboard.press("x")
    expect(page.get_by_role("button")).to_have_text("pressed by x")


def test_what_fails_in_a_script_of_any_page_is_noted(page: Page) -> None:
    for name, each in (("first", page), ("second", page.context.new_page())):
        with each.expect_event("pageerror"):
            each.evaluate("(name) => { setTimeout(() => { throw new Error(name); }); }", name)
        (found,) = failed_scripts()
        assert f"Error: {name}" in found


@pytest.mark.parametrize("time", ["first", "second"])
def test_a_context_is_as_if_it_were_new(page: Page, site: LiveServer, time: str) -> None:
    """The second time it finds nothing of what the first time left."""

    def break_off(route: Route) -> None:
        route.abort()

    page.goto(f"{site.url}/login/")
    assert page.evaluate("() => [localStorage.getItem('left'), sessionStorage.getItem('left')]") == [None, None]
    assert "left" not in {cookie["name"] for cookie in page.context.cookies()}
    assert len(page.context.pages) <= 2  # a blank one keeps the process
    page.evaluate("() => { localStorage.setItem('left', '1'); sessionStorage.setItem('left', '1'); }")
    page.context.add_cookies([{"name": "left", "value": "1", "url": site.url}])
    page.context.new_page()
    page.context.route("**/*", break_off)
    page.context.set_offline(True)
