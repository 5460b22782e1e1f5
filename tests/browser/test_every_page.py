"""Every page of the table of addresses as axe-core finds it, by day and by night."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from pytest_django.live_server_helper import LiveServer

from tests.access_table import PEOPLE, TABLE
from tests.browser.conftest import SignIn
from tests.browser.look import violations_by_day_and_night
from tests.parts import WHOLE

pytestmark = pytest.mark.browser

NO_PAGE = {
    *("design-schema", "release-names", "release-file", "topics-file", "documents-package", "document-list-file"),
    *("backup-file", "public-release-file"),
    *("run-file", "run-report", "run-repaired-file", "exports-zip", "export-file", "document-raw"),
    *(name for name in TABLE if name.startswith("api-") or name.endswith("-plot")),
    *("adjudicate-item", "notices", "work-item", "work-lines", "nuggets-like", "matches-response"),
    *("classes-document", "string-document", "work-document"),
}
"""Files, pictures, calls of the API and parts of pages, which other tests look at in their page."""
ELSEWHERE = {
    "run-check": "leads on to the run",
    **dict.fromkeys(("agreement", "stability", "significance"), "test_agreement"),
    "machines": "test_machines",
    **dict.fromkeys(("document-clusters", "document-cluster"), "test_clusters"),
    "score-report": "test_score_report",
    "design-new": "test_design_editor",
    "invitations-list": "test_people_work",
    **dict.fromkeys(("workbench", "work", "document"), "test_benches, test_look"),
}
"""Where a page is looked at with more on it."""


def test_no_page_has_a_violation_that_axe_finds_or_is_wider_than_a_telephone(
    addresses: dict[str, str], sign_in: SignIn, site: LiveServer
) -> None:
    """One page in three, all of them in `make test-all`."""
    pages = [name for name, (who, _) in TABLE.items() if who and name not in {*NO_PAGE, *ELSEWHERE}]
    asked = pages if WHOLE else pages[::3]
    found, wide = {}, {}
    for letter in "OUAJP":
        page = sign_in(User.objects.get(username=PEOPLE[letter]))
        for name in asked:
            if letter in TABLE[name][0] and name not in found:
                page.goto(site.url + addresses[name])
                page.set_viewport_size({"width": 390, "height": 720})
                wide[name] = page.evaluate("document.documentElement.scrollWidth")
                page.set_viewport_size({"width": 1280, "height": 720})
                found[name] = violations_by_day_and_night(page)
    assert found == {name: [] for name in asked}
    assert wide == dict.fromkeys(asked, 390), "on a telephone nothing stands outside the page"
