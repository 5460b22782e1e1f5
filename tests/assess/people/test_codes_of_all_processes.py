"""What several server processes must know of one another: which codes were used, and how often somebody tried."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import httpx
import pytest

from tests import factories
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
from django.core.management import call_command
call_command("migrate", verbosity=0)
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


def at_the_second_factor(port: int) -> httpx.Client:
    """A browser in which the password was right, and the code is asked for."""
    browser = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60)
    form = {"username": "assessor", "password": factories.PASSWORD, "csrfmiddlewaretoken": shown(browser, "/login/")}
    asked = browser.post("/login/", data=form)
    assert asked.headers["Location"] == "/profile/second/asked/"
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
        browsers = [at_the_second_factor(port) for _ in range(AT_ONCE)]
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
