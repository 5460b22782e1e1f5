"""doccano, served by gunicorn as its own command does, but on 127.0.0.1 alone; a text classification.

On SQLite, or on PostgreSQL in a database beside the one that ASSAY_DATABASE names.
"""

from __future__ import annotations

import json
import os

import psycopg

from bench.peers.peer import Peer, Place, Work

FILL = """
import sys
import django
django.setup()
from django.contrib.auth import get_user_model
from examples.models import Example
from label_types.models import CategoryType
from projects.models import TextClassificationProject
from rest_framework.authtoken.models import Token
admin = get_user_model().objects.get(username="admin")
project = TextClassificationProject.objects.create(
    name="bench", description="bench", project_type="DocumentClassification", created_by=admin
)
project.add_admin()
label = CategoryType.objects.create(text="relevant", project=project)
Example.objects.bulk_create(Example(text=f"answer {number}", project=project) for number in range(int(sys.argv[1])))
first = Example.objects.order_by("id").first().pk
print(Token.objects.get_or_create(user=admin)[0].key, project.pk, label.pk, first)
"""


def _backend(place: Place) -> str:
    return place.run([str(place.python), "-c", "import backend; print(list(backend.__path__)[0])"], {}).strip()


def _database() -> str:
    """Return the address of its database on the server that ASSAY_DATABASE names; "" where that names none."""
    named = os.environ.get("ASSAY_DATABASE", "")
    return f"{named.rpartition('/')[0]}/doccano?sslmode=disable" if named else ""


def _environment(place: Place) -> dict[str, str]:
    return {
        "DOCCANO_HOME": str(place.data),
        "DATABASE_URL": _database() or f"sqlite:///{place.data}/db.sqlite3",
        "MEDIA_ROOT": str(place.data / "media"),
        "DJANGO_SETTINGS_MODULE": "config.settings.production",
        "STANDALONE": "True",
        "DEBUG": "False",
        "PYTHONWARNINGS": "ignore",
    }


def make_ready(place: Place) -> None:
    """Make the database and its administrator."""
    program, environment = place.program("doccano"), _environment(place)
    if _database():
        with psycopg.connect(os.environ["ASSAY_DATABASE"], autocommit=True) as connection:
            connection.execute("CREATE DATABASE doccano")
    place.run([program, "init"], environment)
    place.run([program, "createuser", "--username", "admin", "--password", "long-enough"], environment)


def served(place: Place) -> tuple[list[str], dict[str, str]]:
    """Return the command that serves it as `doccano webserver` does, with two processes a core and one more."""
    workers = str(2 * (os.cpu_count() or 1) + 1)
    command = [place.program("gunicorn"), "config.wsgi", "--chdir", _backend(place), "--workers", workers]
    return [*command, "--bind", f"127.0.0.1:{place.port}", "--log-level", "error", "--timeout", "300"], _environment(
        place
    )


def fill(place: Place, items: int) -> Work:
    """Make a project with so many texts and one label, and return how they are labelled and shown."""
    environment = {**_environment(place), "PYTHONPATH": _backend(place)}
    printed = place.run([str(place.python), "-c", FILL, str(items)], environment)
    token, project, label, first = printed.split()[-4:]
    base = f"/v1/projects/{project}/examples"
    return Work(
        headers={"Authorization": f"Token {token}", "Content-Type": "application/json"},
        save=lambda number: (f"{base}/{int(first) + number}/categories", json.dumps({"label": int(label)})),
        show=lambda number: f"{base}?limit=1&offset={number}&confirmed=false",
    )


DOCCANO = Peer(name="doccano", make_ready=make_ready, served=served, path="/v1/me", fill=fill)
