"""Assay itself as a peer among peers: `manage.py serve` as it is shipped, judgments by a token."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import uuid4

from bench.peers.peer import Peer, Place, Work

ROOT = Path(__file__).resolve().parents[2]
SLUG = "peers"
WORKS = 8
"""How many pieces of work there are: as many as clients save at once, since two never judge the same piece."""
FILL = """
import sys
import django
django.setup()
from django.contrib.auth.models import User
from assess.assignments.queries.work_items import handle_of
from assess.campaigns.models import Membership
from tests import factories
campaign = factories.campaign(organiser=User.objects.create_user("organiser"), slug=sys.argv[1])
assessor = User.objects.create_user("assessor")
Membership.objects.create(campaign=campaign, user=assessor, role="assessor")
print(factories.api_token(assessor))
for number in range(1, int(sys.argv[3]) + 1):
    topic = factories.topic(campaign, f"9.{number}", "Which do people like?", task="rigid")
    items = factories.pooled(topic, [f"answer {place}" for place in range(int(sys.argv[2]) // int(sys.argv[3]) + 1)])
    work = factories.assignment(topic, "instances", assessor)
    print(work.pk, ",".join(str(handle_of(work, item.pk)) for item in items))
"""


def _environment(place: Place) -> dict[str, str]:
    """Return its environment: the data lies in the peer's folder, the database too unless ASSAY_DATABASE names one."""
    return {"ASSAY_DATA_DIR": str(place.data), "DJANGO_SETTINGS_MODULE": "assay_site.settings", "PYTHONPATH": str(ROOT)}


def make_ready(place: Place) -> None:
    """Make the database."""
    place.run([str(place.python), str(ROOT / "manage.py"), "migrate", "--verbosity", "0"], _environment(place))


def served(place: Place) -> tuple[list[str], dict[str, str]]:
    """Return the command that serves it and its worker, and the environment for it."""
    command = [str(place.python), str(ROOT / "manage.py"), "serve", "--port", str(place.port)]
    return command, _environment(place)


def fill(place: Place, items: int) -> Work:
    """Make eight topics with a few more than ``items`` answers in all, and return how they are judged and shown.

    Of eight clients each saves in a piece of work of its own.
    """
    printed = place.run([str(place.python), "-c", FILL, SLUG, str(items), str(WORKS)], _environment(place)).split()
    token, works, handles = printed[-1 - 2 * WORKS], printed[-2 * WORKS :: 2], printed[1 - 2 * WORKS :: 2]
    bases = [f"/api/v1/campaigns/{SLUG}/assignments/{work}" for work in works]
    numbers = [[int(handle) for handle in each.split(",")] for each in handles]

    def save(number: int) -> tuple[str, str]:
        place, work = divmod(number, WORKS)
        return f"{bases[work]}/judgments/", _judgment(numbers[work][place])

    return Work(
        headers={"Authorization": f"Token {token}", "Content-Type": "application/json"},
        save=save,
        show=lambda number: f"{bases[0]}/items/?limit=1&offset={number % len(numbers[0])}",
    )


def _judgment(handle: int) -> str:
    return json.dumps({"item": handle, "criterion": "correctness", "value": 1, "client_key": str(uuid4())})


ASSAY = Peer(name="assay", make_ready=make_ready, served=served, path="/healthz", fill=fill)
