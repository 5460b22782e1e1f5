"""Label Studio, as `label-studio start` serves it, on SQLite; a project with one choice for each text."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

from bench.peers.peer import Peer, Place, Work

TOKEN = "0123456789abcdef0123456789abcdef01234567"
HEADERS = {"Authorization": f"Token {TOKEN}", "Content-Type": "application/json"}
CONFIG = (
    '<View><Text name="text" value="$text"/>'
    '<Choices name="relevance" toName="text"><Choice value="relevant"/><Choice value="not"/></Choices></View>'
)
CHOSEN = {"from_name": "relevance", "to_name": "text", "type": "choices", "value": {"choices": ["relevant"]}}


def served(place: Place) -> tuple[list[str], dict[str, str]]:
    """Return the command that makes its database and serves it, and an environment in which it calls no one else."""
    command = [place.program("label-studio"), "start", "--no-browser", "--internal-host", "127.0.0.1"]
    command += ["--port", str(place.port), "--data-dir", str(place.data), "--enable-legacy-api-token"]
    command += ["--username", "admin@example.org", "--password", "long-enough", "--user-token", TOKEN]
    quiet = {"COLLECT_ANALYTICS": "False", "LATEST_VERSION_CHECK": "False", "SENTRY_DSN": "", "FRONTEND_SENTRY_DSN": ""}
    return command, {**quiet, "LABEL_STUDIO_BASE_DATA_DIR": str(place.data), "DJANGO_SETTINGS_MODULE": ""}


def fill(place: Place, items: int) -> Work:
    """Make a project with so many texts by its API, and return how they are labelled and shown."""
    project = _post(place, "/api/projects/", {"title": "bench", "label_config": CONFIG})["id"]
    texts = [{"text": f"answer {number}"} for number in range(items)]
    _post(place, f"/api/projects/{project}/import", texts)
    found = urllib.request.Request(f"{_site(place)}/api/tasks/?project={project}&page_size=1", headers=HEADERS)
    with urllib.request.urlopen(found, timeout=300) as answer:
        first = json.load(answer)["tasks"][0]["id"]
    body = json.dumps({"result": [CHOSEN]})
    return Work(
        headers=HEADERS,
        save=lambda number: (f"/api/tasks/{first + number}/annotations/", body),
        show=lambda number: f"/api/projects/{project}/next",
    )


def _site(place: Place) -> str:
    return f"http://127.0.0.1:{place.port}"


def _post(place: Place, path: str, body: Any) -> Any:
    call = urllib.request.Request(_site(place) + path, json.dumps(body).encode(), HEADERS)
    with urllib.request.urlopen(call, timeout=600) as answer:
        return json.load(answer)


LABEL_STUDIO = Peer(name="label-studio", make_ready=lambda place: None, served=served, path="/health", fill=fill)
