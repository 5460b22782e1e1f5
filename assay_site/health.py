"""Let programs watch whether the site answers and whether all that it needs is there. Open to anybody.

Neither page looks at who asks: no session is read or begun.
"""

from __future__ import annotations

from functools import lru_cache

from django.db import Error, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from assess.base.newer_database import unknown_among
from assess.jobs.workers import RECENTLY, seconds_since_beat

Key = tuple[str, str]  # a migration's app and name

OK = "ok"
AWAY = "the database does not answer"


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer that the process is running. Nothing else is checked, not even the database."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Check that the database answers, that its tables match this code, and that a worker was seen in the last minute
    for each queue.

    The status is 200, or 503 with a body that says what is wrong, without details of the machine. Two queries.
    """
    found = {"database": OK, "migrations": OK, "worker": _worker()}
    try:
        applied = set(MigrationRecorder(connection).applied_migrations())
    except Error:
        found["database"] = found["migrations"] = AWAY
    else:
        waiting = sum(key not in applied and not _is_done(stood, applied) for key, stood in _known_migrations().items())
        if unknown := unknown_among(applied):
            found["migrations"] = f"of a newer program: {unknown}"
        elif waiting:
            found["migrations"] = f"{waiting} to be applied: manage.py migrate"
    is_ready = all(each == OK for each in found.values())
    return JsonResponse({"ready": is_ready, **found}, status=200 if is_ready else 503)


@lru_cache(maxsize=1)
def _known_migrations() -> dict[Key, tuple[Key, ...]]:
    """Return migration -> the migrations that it replaces, for all migrations of this code. The result is cached, since
    the code does not change while it runs.
    """
    return {key: tuple(each.replaces) for key, each in (MigrationLoader(None).disk_migrations or {}).items()}


def _is_done(replaced: tuple[Key, ...], applied: set[Key]) -> bool:
    """Return whether a migration counts as applied because all the migrations that it replaces were applied. Django
    uses the same rule.
    """
    return bool(replaced) and applied.issuperset(replaced)


def _worker() -> str:
    seconds = seconds_since_beat()
    if seconds is None:
        return "never seen: manage.py serve starts one, or manage.py db_worker"
    return OK if seconds < RECENTLY else f"not seen for {seconds:,.0f} seconds"
