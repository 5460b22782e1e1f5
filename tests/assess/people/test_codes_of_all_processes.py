"""What several server processes must know of one another: which codes were used, and how often somebody tried."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.assess.served import Site, python

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
