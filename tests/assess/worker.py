"""The background worker, done in the test itself."""

from __future__ import annotations

from django.db import connection
from django.utils.module_loading import import_string
from django_tasks_db.models import DBTaskResult


def run_worker() -> None:
    """End the request, so that what it sent off arrives, and do what the worker would find waiting."""
    waiting, connection.run_on_commit = connection.run_on_commit, []
    for _, send, *_ in waiting:
        send()
    for sent in DBTaskResult.objects.ready():
        import_string(sent.task_path).call(*sent.args_kwargs["args"])
