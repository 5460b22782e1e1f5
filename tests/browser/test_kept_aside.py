"""What the site can't place, since numbers of items have changed: refused in sight, kept in the browser, never lost."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from nuggets.models import Nugget
from tests.browser.conftest import SignIn
from tests.browser.every_bench import Makers
from tests.browser.keyboard import picture
from tests.browser.look import violations

pytestmark = pytest.mark.browser

OLD = "00000000-0000-4000-8000-000000000001"
SENT = {  # where each bench has its address, and what it sends
    "grade": ("data-judge", {"criterion": "correctness", "value": "3", "note": "=why"}),
    "matches": ("data-mark", {"part": "", "value": "full", "how": "key"}),
    "adjudication": ("data-judge", {"value": "1"}),
}
LEAVE = """([person, entry]) =>
    localStorage.setItem(`assay.outbox.${person}.${entry.fields.client_key}`, JSON.stringify(entry))"""
HELD = "() => Object.keys(localStorage).filter((name) => /^assay[.](outbox|kept)[.]/.test(name))"


@pytest.mark.parametrize("name", SENT)
def test_a_click_with_a_number_from_before_is_kept_until_it_is_discarded(
    name: str, makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make(name)
    page = bench.open(sign_in(bench.person), site)
    person = bench.person.pk
    before = bench.rows()
    to = page.locator(f"[{SENT[name][0]}]").first.get_attribute(SENT[name][0])
    fields = {"item": "17", **SENT[name][1], "client_key": OLD}
    if name == "matches":
        fields["nugget"] = str(Nugget.objects.order_by("pk")[0].pk)
    page.evaluate(LEAVE, [person, {"url": f"{site.url}{to}", "fields": fields, "at": 1_700_000_000_000}])
    page.reload()
    notice = page.locator("[data-kept-aside]")
    expect(notice).to_contain_text("This was not saved, and is kept in this browser.")
    expect(notice).to_contain_text("item 17, ")
    assert page.evaluate(HELD) == [f"assay.kept.{person}.{OLD}"]
    assert bench.rows() == before
    page.reload()  # it is not sent again, and stays in sight
    expect(notice).to_contain_text(f"value {fields['value']}")
    assert violations(page) == []
    picture(page, f"kept-{name}")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    notice.get_by_role("button", name="Copy").click()
    expect(notice.get_by_role("button", name="Copied ✓")).to_be_visible()
    assert json.loads(page.evaluate("() => navigator.clipboard.readText()"))["fields"] == fields
    notice.get_by_role("button", name="Discard").click()
    expect(notice).to_have_count(0)
    assert page.evaluate(HELD) == []
