"""The site's figures in Prometheus's format: how long requests took, and the state of jobs, worker and disk.

The server's processes write their figures on requests to files in the data folder, so that any of them can report the
figures of all. The other figures are looked up on request.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.db import Error
from django.db.models import Count, Max, Min
from django.http import HttpRequest

from assess.base.mail_sender import mails_lost
from assess.jobs.models import Job
from assess.jobs.workers import seconds_since_beat
from assess.ledger.models import LedgerPoint

FOLDER = Path(settings.DATA_DIR) / "metrics"
os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(FOLDER))  # the package reads it when it is imported

from prometheus_client import CollectorRegistry, Histogram, generate_latest  # noqa: E402
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric  # noqa: E402
from prometheus_client.exposition import CONTENT_TYPE_LATEST as FORM  # noqa: E402
from prometheus_client.multiprocess import MultiProcessCollector  # noqa: E402
from prometheus_client.registry import Collector  # noqa: E402

__all__ = ["FORM", "figures", "observe"]

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60)
"""Seconds. Saving a judgment falls into the first two, showing a page into the next three."""


def _make_room() -> None:
    """Make the folder for the figures, and remove the files of processes that no longer run."""
    FOLDER.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in FOLDER.glob("*.db"):
        found = re.search(r"_(\d+)\.db$", path.name)
        if found and not Path("/proc", found[1]).exists():
            path.unlink(missing_ok=True)


_make_room()
_SECONDS = Histogram(
    "assay_request_seconds",
    "How long answering took, by the name of the page or call",
    ["method", "view", "status"],
    buckets=BUCKETS,
    registry=None,
)


def observe(request: HttpRequest, status: int, seconds: float) -> None:
    """Count an answered request, with its status and the time that it took."""
    method = request.method if request.method in METHODS else "other"
    view = request.resolver_match.view_name if request.resolver_match else "none"
    _SECONDS.labels(method, view, status).observe(seconds)


def figures() -> bytes:
    """Return all figures in the format of Prometheus."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    registry.register(_SiteState())
    return generate_latest(registry)


class _SiteState(Collector):
    """Collects figures on the current state of the site's database, jobs, worker and disk. Three queries."""

    def collect(self) -> Iterator[Metric]:
        """Yield all figures that are available. If the database can't be reached, these are only those that do not need
        it.
        """
        seen = seconds_since_beat()
        if seen is not None:
            yield GaugeMetricFamily("assay_worker_seen_seconds", "Seconds since a worker was seen", seen)
        yield CounterMetricFamily("assay_mails_lost", "Mails that the mail server did not take in time", mails_lost())
        free = shutil.disk_usage(settings.DATA_DIR).free
        yield GaugeMetricFamily("assay_disk_free_bytes", "Free space of the data folder's disk", free)
        try:
            found = list(self._of_database())
            answers = 1
        except Error:
            found, answers = [], 0
        yield GaugeMetricFamily("assay_database_answers", "1 where the database answers, else 0", answers)
        yield from found

    def _of_database(self) -> Iterator[Metric]:
        counts = dict(Job.objects.order_by().values_list("state").annotate(Count("pk")))
        jobs = GaugeMetricFamily("assay_jobs", "Background jobs by state", labels=["state"])
        for state in Job.State.values:
            jobs.add_metric([state], counts.get(state, 0))
        yield jobs
        oldest = Job.objects.filter(state=Job.State.WAITING).aggregate(oldest=Min("created_at"))["oldest"]
        waiting = max(0.0, (datetime.now(UTC) - oldest).total_seconds()) if oldest else 0.0  # a clock may be set back
        yield GaugeMetricFamily("assay_job_waiting_seconds", "How long the oldest waiting job has waited", waiting)
        newest = LedgerPoint.objects.aggregate(newest=Max("value"))["newest"] or 0
        yield GaugeMetricFamily("assay_ledger_point", "The newest number among all ledgers", newest)
