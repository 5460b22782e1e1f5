"""Wrong passwords are counted by name and true address; a browser that is known is counted apart."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assay_site.client_address import read_proxies, true_address
from assay_site.wrong_passwords import COOKIE
from tests import factories
from tests.pages import page_of

pytestmark = pytest.mark.django_db

PROXY, GUESSER, PERSON = "10.0.0.1", "192.0.2.66", "192.0.2.7"


@pytest.fixture
def behind_a_proxy(settings: Any) -> None:
    settings.ASSAY_TRUSTED_PROXIES = read_proxies(PROXY)


def log_in(client: Client, *, through: str = PROXY, forwarded: str = "", password: str = factories.PASSWORD) -> int:
    """The status of an attempt: 302 is in, 200 a wrong password, 429 locked out."""
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    said = {"username": "organiser", "password": password}
    return client.post(reverse("login"), said, REMOTE_ADDR=through, headers=headers).status_code


def guess(limit: int, **place: str) -> list[int]:
    return [log_in(Client(), password="guess", **place) for _ in range(limit)]


def test_behind_a_proxy_nobody_locks_out_somebody_elsewhere(
    organiser: User, behind_a_proxy: None, settings: Any
) -> None:
    assert guess(settings.AXES_FAILURE_LIMIT, forwarded=GUESSER)[-1] == 429
    assert log_in(Client(), forwarded=GUESSER) == 429
    assert log_in(Client(), forwarded=PERSON) == 302


def test_who_writes_addresses_into_the_header_is_counted_all_the_same(
    organiser: User, behind_a_proxy: None, settings: Any
) -> None:
    for number in range(settings.AXES_FAILURE_LIMIT):
        log_in(Client(), forwarded=f"203.0.113.{number}, {GUESSER}", password="guess")
    assert log_in(Client(), forwarded=f"203.0.113.200, {GUESSER}") == 429


def test_the_header_is_nothing_without_a_trusted_proxy(organiser: User, settings: Any) -> None:
    for number in range(settings.AXES_FAILURE_LIMIT):
        log_in(Client(), through=GUESSER, forwarded=f"203.0.113.{number}", password="guess")
    assert log_in(Client(), through=GUESSER, forwarded="203.0.113.200") == 429


def test_a_known_browser_gets_in_where_another_guessed(organiser: User, settings: Any) -> None:
    known = Client()
    assert log_in(known, through=GUESSER) == 302
    known.post(reverse("logout"))
    guess(settings.AXES_FAILURE_LIMIT, through=GUESSER)
    assert log_in(Client(), through=GUESSER) == 429
    assert log_in(known, through=GUESSER) == 302


def test_a_known_browser_is_locked_by_its_own_wrong_passwords(organiser: User, settings: Any) -> None:
    known = Client()
    log_in(known)
    known.post(reverse("logout"))
    for _ in range(settings.AXES_FAILURE_LIMIT):
        log_in(known, through="192.0.2.1", password="guess")
    assert log_in(known, through="192.0.2.2") == 429


def test_a_browser_is_known_for_who_logged_in_there_alone(organiser: User, assessor: User, settings: Any) -> None:
    known = Client()
    known.post(reverse("login"), {"username": "assessor", "password": factories.PASSWORD}, REMOTE_ADDR=PERSON)
    known.post(reverse("logout"))
    guess(settings.AXES_FAILURE_LIMIT, through=PERSON)
    assert log_in(known, through=PERSON) == 429


def test_who_is_logged_in_is_told_that_they_stay_so(organiser: User, client: Client, settings: Any) -> None:
    """Not to log in from a browser that they know: they sit in it."""
    client.force_login(organiser)
    for _ in range(settings.AXES_FAILURE_LIMIT):
        page = client.post(reverse("password_change"), {"old_password": "guess"})
    said = page_of(page)
    assert ("You stay logged in here" in said, "log in from a browser" in said) == (True, False)


def test_the_cookie_is_signed_and_says_no_name(organiser: User, settings: Any) -> None:
    known = Client()
    log_in(known)
    cookie = known.cookies[COOKIE]
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", 365 * 24 * 3600)
    assert "organiser" not in cookie.value
    guess(settings.AXES_FAILURE_LIMIT, through=PERSON)
    forged = Client()
    forged.cookies[COOKIE] = "0" + cookie.value[1:] if cookie.value[0] != "0" else "1" + cookie.value[1:]
    assert log_in(forged, through=PERSON) == 429


def test_naming_oneself_like_a_known_browser_is_no_help(organiser: User, settings: Any) -> None:
    log_in(Client())
    for number in range(settings.AXES_FAILURE_LIMIT):
        said = {"username": "organiser", "password": "guess"}
        Client(headers={"User-Agent": f"known device {number}"}).post(reverse("login"), said, REMOTE_ADDR=GUESSER)
    assert log_in(Client(), through=GUESSER) == 429
    assert not AccessAttempt.objects.filter(user_agent__startswith="known device").exists()


@pytest.mark.parametrize("address", ["/profile/password/", "/admin/password_change/"])
def test_wrong_old_passwords_count_as_wrong_logins(address: str, settings: Any) -> None:
    person = User.objects.create_superuser("organiser", password=factories.PASSWORD)
    client = Client()
    client.force_login(person)
    new = {"new_password1": "another long one", "new_password2": "another long one"}
    guesses = [
        client.post(address, {"old_password": "guess", **new}, follow=True, REMOTE_ADDR=GUESSER)
        for _ in range(settings.AXES_FAILURE_LIMIT)
    ]
    if address.startswith("/admin"):  # one page takes old passwords
        assert {answer.redirect_chain[0][0] for answer in guesses} == {"/profile/password/"}
        return
    assert [answer.status_code for answer in guesses][-2:] == [200, 429]
    right = client.post(address, {"old_password": factories.PASSWORD, **new}, REMOTE_ADDR=GUESSER)
    assert right.status_code == 429
    assert User.objects.get(pk=person.pk).check_password(factories.PASSWORD)
    assert "guess" not in "".join(AccessAttempt.objects.values_list("post_data", flat=True))
    assert "another" not in "".join(AccessAttempt.objects.values_list("post_data", flat=True))


def test_guessing_on_does_not_keep_a_name_closed(organiser: User, settings: Any) -> None:
    guess(settings.AXES_FAILURE_LIMIT, through=GUESSER)
    before = AccessAttempt.objects.get().attempt_time
    assert log_in(Client(), through=GUESSER, password="guess") == 429
    assert AccessAttempt.objects.get().attempt_time == before


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("10.0.0.1", "192.0.2.7", "192.0.2.7"),
        ("10.0.0.1", "192.0.2.7:4711", "192.0.2.7"),
        ("10.0.0.1", "6.6.6.6, 192.0.2.7", "192.0.2.7"),
        ("10.0.0.1", "6.6.6.6,192.0.2.7 , 10.9.9.9", "192.0.2.7"),
        ("10.0.0.1", "6.6.6.6, unknown", "10.0.0.1"),
        ("10.0.0.1", "6.6.6.6, 10.9.9.9, ", "10.0.0.1"),
        ("10.0.0.1", "10.9.9.9", "10.9.9.9"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "2001:db8::7", "2001:db8::7"),
        ("10.0.0.1", "[2001:db8::7]:4711", "2001:db8::7"),
        ("10.0.0.1", '"[2001:db8::7]"', "2001:db8::7"),
        ("10.0.0.1", "fe80::1%eth0", "fe80::1"),
        ("10.0.0.1", "::ffff:192.0.2.7", "192.0.2.7"),
        ("::ffff:10.0.0.1", "192.0.2.7", "192.0.2.7"),
        ("2001:db8:1::1", "192.0.2.7", "192.0.2.7"),
        ("192.0.2.9", "192.0.2.7", "192.0.2.9"),
        ("", "192.0.2.7", "192.0.2.7"),
        ("10.0.0.1", "192.0.2.7:99999999", "10.0.0.1"),
        ("10.0.0.1", "1" * 5000, "10.0.0.1"),
    ],
)
def test_the_true_address_is_read_from_the_right(peer: str, forwarded: str, expected: str) -> None:
    trusted = read_proxies("10.0.0.0/8, 2001:db8:1::/48, unix")
    assert str(true_address(peer, forwarded, trusted)) == expected


def test_a_connection_without_an_address_is_believed_only_where_that_is_said() -> None:
    assert true_address("", "192.0.2.7", read_proxies("10.0.0.1")) is None


def test_connections_of_a_socket_which_have_no_address_are_counted_together(organiser: User, settings: Any) -> None:
    for _ in range(settings.AXES_FAILURE_LIMIT):
        log_in(Client(), through="", password="guess")
    assert AccessAttempt.objects.get().ip_address is None  # one row, on either database
    assert (log_in(Client(), through=""), log_in(Client(), through=PERSON)) == (429, 302)


def test_a_network_of_one_subscriber_is_one_address(organiser: User, settings: Any) -> None:
    for number in range(settings.AXES_FAILURE_LIMIT):
        log_in(Client(), through=f"2001:db8:5:6::{number:x}", password="guess")
    assert log_in(Client(), through="2001:db8:5:6:ffff::1") == 429
    assert log_in(Client(), through="2001:db8:5:7::1") == 302


@pytest.mark.parametrize("wrong", ["proxy.example.org", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.1;10.0.0.2", "*"])
def test_a_setting_that_names_no_network_is_refused_in_a_sentence(wrong: str) -> None:
    with pytest.raises(ValueError, match="neither an address nor a network"):
        read_proxies(f"127.0.0.1,{wrong}")


def test_the_site_does_not_start_with_a_proxy_that_is_none(tmp_path: Path) -> None:
    environment = {**os.environ, "ASSAY_TRUSTED_PROXIES": "proxy.example.org", "ASSAY_DATA_DIR": str(tmp_path)}
    root = Path(__file__).parents[1]
    command = [sys.executable, "manage.py", "check"]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "ASSAY_TRUSTED_PROXIES “proxy.example.org” is not allowed" in done.stderr
    assert "is neither an address nor a network" in done.stderr
    assert "Traceback" not in done.stderr
