"""A backup that is taken while judgments are posted holds the site as it stood at one moment."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from pathlib import Path
from uuid import uuid4

import pytest

from tests.assess.served import Clicks, Site, Work, answered, kill, manage, python, start, wait_for_answers

pytestmark = [pytest.mark.slow, pytest.mark.database, pytest.mark.xdist_group("served")]

RESTORE = """
import io
import django; django.setup()
from django.core.management import call_command
call_command("restore", %r, stdout=io.StringIO())
"""
LEDGER = """
import json
import django; django.setup()
from assess.campaigns.queries import ledger_point
from assess.models import Activity, Assignment, Campaign, Judgment
from assess.judging.queries.current import official_judgments
from assess.judging.snapshots import Snapshot
ids = sorted([*Judgment.objects.values_list("id", flat=True), *Activity.objects.values_list("id", flat=True)])
print(json.dumps({
    "keys": [str(key) for key in Judgment.objects.values_list("client_key", flat=True)],
    "ids": ids,
    "point": ledger_point(Campaign.objects.get()),
    "items": Judgment.objects.values("item").distinct().count(),
    "official": official_judgments(Snapshot(Campaign.objects.get())).count(),
    "whole": Judgment.objects.filter(item__topic=Assignment.objects.get().topic, assignment__isnull=False).count(),
}))
"""


def clicks(items: Sequence[int], enough: threading.Event) -> Iterator[tuple[int, str]]:
    """Judging on and on, one item again after the last, twenty times a second: four at full speed would keep every
    processor from the backup.
    """
    for item in cycle(items):
        if enough.wait(0.05):
            return
        yield item, str(uuid4())


def test_a_backup_taken_while_four_judge_holds_all_that_was_answered_before(
    new_site: Callable[[str], Site], work_of_site: Work, tmp_path: Path
) -> None:
    site, backup = new_site("judged"), tmp_path / "site.tar"
    enough = threading.Event()
    server, port = start(site)
    browsers = [Clicks(port, work_of_site, clicks(work_of_site.items[first::4], enough)) for first in range(4)]
    try:
        for browser in browsers:
            browser.start()
        wait_for_answers(browsers, 20)
        before = answered(browsers)
        manage(site, "backup", str(backup))
        wait_for_answers(browsers, len(answered(browsers)) + 5)  # four may be under way: one at least is sent after it
    finally:
        enough.set()
        for browser in browsers:
            browser.join()
        kill(server)
    assert [browser.sent for browser in browsers] == [browser.answered for browser in browsers]  # nobody was refused

    other = new_site("bare")
    found = json.loads(" ".join(python(other, RESTORE % str(backup) + LEDGER)))
    keys = set(found["keys"])
    assert before <= keys < answered(browsers)
    assert len(keys) == len(found["keys"]) == found["whole"]
    assert 0 < found["official"] == found["items"]
    whole = json.loads(" ".join(python(site, LEDGER)))["ids"]  # what came after the backup as well
    assert found["ids"] == [number for number in whole if number <= found["point"]] < whole
    assert found["point"] == found["ids"][-1]
