"""What several server processes must know of one another: which codes were used, and how often somebody tried."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import httpx
import pytest

from tests import factories
from tests.assay_site.soft_key import SoftKey
from tests.assess.served import Site, kill, python, start

pytestmark = pytest.mark.slow
BEGIN = """
import django; django.setup()
from django.contrib.auth.models import AnonymousUser, User
from django.test import RequestFactory
from allauth.core.internal import ratelimit
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value, yield_hotp_counters_from_time
"""
MAKE = """
totp = TOTP.activate(User.objects.get(username="assessor"), "JBSWY3DPEHPK3PXP")
print(format_hotp_value(hotp_value("JBSWY3DPEHPK3PXP", list(yield_hotp_counters_from_time())[-1])))
"""
TRY = """
print(TOTP(Authenticator.objects.get()).validate_code("%s"))
request = RequestFactory().post("/")
tries = [ratelimit.consume(request, app="allauth.account", action="login_failed", key="assessor") for _ in range(3)]
print(sum(each is not None for each in tries))
"""


def test_a_code_is_used_up_and_tries_are_counted_for_all_processes(new_site: Callable[[str], Site]) -> None:
    site = new_site("codes")
    (code,) = python(site, BEGIN + MAKE)
    said = [python(site, BEGIN + TRY % code) for _ in range(3)]
    assert said == [["True", "3"], ["False", "2"], ["False", "0"]], "five tries in five minutes"


AT_ONCE = 6


def logged_in(port: int) -> httpx.Client:
    """A browser in which the password was right. Each of its requests goes to one of the processes by chance."""
    browser = httpx.Client(base_url=f"http://localhost:{port}", timeout=60, headers={"Connection": "close"})
    form = {"username": "assessor", "password": factories.PASSWORD, "csrfmiddlewaretoken": shown(browser, "/login/")}
    assert browser.post("/login/", data=form).status_code == 302
    return browser


def shown(browser: httpx.Client, page: str) -> str:
    """The token of the forms on a page."""
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', browser.get(page).text)
    assert found is not None
    return found[1]


def test_one_code_opens_one_browser_of_those_that_send_it_at_once(new_site: Callable[[str], Site]) -> None:
    site = {**new_site("at-once"), "ASSAY_SECOND_FACTOR": "1"}
    (code,) = python(site, BEGIN + MAKE)
    server, port = start(site)
    try:
        browsers = [logged_in(port) for _ in range(AT_ONCE)]
        forms = [{"code": code, "csrfmiddlewaretoken": shown(each, "/profile/second/asked/")} for each in browsers]
        together = Barrier(AT_ONCE)

        def send(number: int) -> int:
            together.wait()
            return browsers[number].post("/profile/second/asked/", data=forms[number]).status_code

        with ThreadPoolExecutor(AT_ONCE) as threads:
            said = sorted(threads.map(send, range(AT_ONCE)))
        inside = [each.get("/profile/").status_code for each in browsers]
    finally:
        kill(server)
    assert (said, sorted(inside)) == ([200] * (AT_ONCE - 1) + [302], [200] + [302] * (AT_ONCE - 1))


def challenge_of(browser: httpx.Client, page: str) -> str:
    (found,) = re.findall(r'"challenge": "([\w-]+)"', browser.get(page).text)
    return str(found)


def test_a_key_is_added_and_used_whichever_process_answers(new_site: Callable[[str], Site]) -> None:
    site = {**new_site("keys"), "ASSAY_SECOND_FACTOR": "1"}
    server, port = start(site)
    asked, add = "/profile/second/asked/", "/profile/second/keys/add/"
    key = SoftKey(f"http://localhost:{port}", "localhost")

    def enter(browser: httpx.Client, answer: str) -> bool:
        form = {"credential": answer, "csrfmiddlewaretoken": browser.cookies["csrftoken"]}
        browser.post(asked, data=form)
        return browser.get("/profile/").status_code == 200

    try:
        browser = logged_in(port)
        again = browser.get(add).headers["Location"]
        form = {"password": factories.PASSWORD, "csrfmiddlewaretoken": shown(browser, again)}
        assert browser.post(again, data=form).headers["Location"] == add
        made = key.register(challenge_of(browser, add))
        form = {"name": "My laptop", "credential": made, "csrfmiddlewaretoken": browser.cookies["csrftoken"]}
        assert browser.post(add, data=form).status_code == 302
        assert "My laptop" in browser.get("/profile/second/keys/").text
        for _ in range(4):
            browser, other = logged_in(port), logged_in(port)
            assert browser.get("/profile/").status_code == 302, "the key is asked for"
            answer = key.sign(challenge_of(browser, asked))
            challenge_of(other, asked)
            assert (enter(other, answer), enter(browser, answer)) == (False, True), "a challenge is one browser's"
            again_there = logged_in(port)
            challenge_of(again_there, asked)
            assert not enter(again_there, answer), "and is used once"
    finally:
        kill(server)
