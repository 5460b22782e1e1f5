"""Imports of releases and backups that the API asks for: the worker does them as the commands do.

The path of `run_site_job` is stored in the rows of waiting jobs.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as noop
from django_tasks import task
from django_tasks_db.models import DBTaskResult

from assess.base.errors import Conflict, Refused
from assess.base.files import drop_file, store_file, stored_path, waits_to_be_dropped
from assess.base.outages import outage_of
from assess.base.sentences import Sentence
from assess.campaigns.activity import record_activity
from assess.campaigns.models import Campaign
from assess.jobs.background import PATIENCE
from assess.jobs.domain import MOST_TAKEN_UP
from assess.jobs.progress import message_columns
from assess.jobs.workers import holding, is_held
from assess.releases.domain.backups import back_up
from assess.releases.domain.importing import import_release
from assess.releases.models import SiteJob
from scoring.reading.json_reading import read_json

logger = logging.getLogger(__name__)


def start_import(*, actor: User, file: BinaryIO, slug: str, title: str) -> SiteJob:
    """Store a release's zip, start a job that loads it as a new campaign (`import_release`), and return the job.

    Refused: a slug that is taken. Everything else is reported by the job.
    """
    if Campaign.objects.filter(slug=slug).exists():
        raise Conflict(gettext("There is a campaign “%(slug)s” already. Choose another short name.") % {"slug": slug})
    arguments = {"sha256": store_file(file, may_be_dropped=True).sha256, "slug": slug, "title": title}
    return _start(actor, SiteJob.Kind.IMPORT, arguments)


def start_backup(*, actor: User) -> SiteJob:
    """Start a job that backs up the whole site (`back_up`), record who started it, and return the job.

    Refused while another backup is under way.
    """
    under_way = SiteJob.objects.filter(kind=SiteJob.Kind.BACKUP, state__in=SiteJob.UNDER_WAY)
    if any(not each.is_lost() for each in under_way):
        raise Conflict(gettext("A backup is under way already. Wait until it is done."))
    with transaction.atomic():
        job = _start(actor, SiteJob.Kind.BACKUP, {})
        record_activity(actor=actor, action="backup.make", about=job)
    return job


def take_backup(*, actor: User, job: SiteJob) -> Path:
    """Return the file of a backup, and record who took it. Refuse a backup that is not finished, or was removed."""
    path = backup_path(job)
    if job.state != SiteJob.State.DONE or not path.is_file():
        raise Conflict(gettext("This backup has no file: it is not done, it failed, or its file was moved away."))
    with transaction.atomic():
        record_activity(actor=actor, action="backup.take", about=job)
    return path


def remove_backup(*, actor: User, job: SiteJob) -> None:
    """Remove a backup and its file. Refused while it is being made."""
    if job.is_busy:
        raise Conflict(gettext("The backup is being made. Wait until it is done."))
    path = backup_path(job)
    with transaction.atomic():
        record_activity(actor=actor, action="backup.remove", about=job)
        job.delete()
    path.unlink(missing_ok=True)


def backup_path(job: SiteJob) -> Path:
    """Return where the file of a backup is, or will be."""
    return Path(settings.DATA_DIR) / "backups" / f"{job.pk}-{job.created_at:%Y%m%dT%H%M%SZ}.tar"


def _start(actor: User, kind: str, arguments: dict[str, str]) -> SiteJob:
    with transaction.atomic():
        job = SiteJob.objects.create(kind=kind, arguments=arguments, started_by=actor)
        transaction.on_commit(lambda: run_site_job.enqueue(job.pk))
    return job


@task()
def run_site_job(job_id: int) -> None:
    """Do the job of the site with this id; one that is no longer waiting is left alone."""
    job = SiteJob.objects.select_related("started_by").filter(pk=job_id).first()
    if job is None:
        return
    with holding(job.name, patience=PATIENCE) as is_ours:
        waiting = SiteJob.objects.filter(pk=job_id, state=SiteJob.State.WAITING)
        if is_ours and waiting.update(state=SiteJob.State.RUNNING, updated_at=timezone.now()):
            _do(job)


def _do(job: SiteJob) -> None:
    state, size, message = SiteJob.State.FAILED, None, ""
    try:
        message, size = _import(job) if job.kind == SiteJob.Kind.IMPORT else _back_up(job)
        state = SiteJob.State.DONE
    except Refused as refusal:
        message = refusal.sentence
    except Exception as error:
        outage = outage_of(error)
        if outage is not None:
            message = Sentence("%(cause)s Ask again later.", cause=Sentence(outage.logged))
        else:
            message = Sentence("The job broke off: %(error)s.", error=str(error))
        logger.exception("job %s of the site (%s) broke off", job.pk, job.kind)
    stored_name = job.arguments.get("sha256", "\0")  # which means nothing to whoever loaded the file
    told = json.dumps(message_columns(message)).replace(stored_name, "the file")
    own = SiteJob.objects.filter(pk=job.pk)
    own.update(state=state, size=size, updated_at=timezone.now(), **read_json(told))
    _drop_upload(job)


def _drop_upload(job: SiteJob) -> None:
    """Drop the file of an import that has ended. If a backup is being made just now, `drop_uploads` does it later."""
    if (sha256 := job.arguments.pop("sha256", None)) is not None:
        drop_file(sha256)
        if not waits_to_be_dropped(sha256):
            SiteJob.objects.filter(pk=job.pk).update(arguments=job.arguments)


def drop_uploads() -> None:
    """Drop the files of imports that have ended, if that was not possible when they ended. One query if there are none.

    A file that an import under way needs as well is left alone.
    """
    imports = SiteJob.objects.filter(kind=SiteJob.Kind.IMPORT, arguments__has_key="sha256")
    needed = {job.arguments["sha256"] for job in imports if job.state in SiteJob.UNDER_WAY}
    for job in imports:
        if job.state not in SiteJob.UNDER_WAY and job.arguments["sha256"] not in needed:
            _drop_upload(job)


def take_up_lost_site_jobs() -> None:
    """Let the next worker do again the imports whose worker was lost. Two queries if nothing is lost.

    An import whose worker was lost too often is recorded as failed. So is every lost backup: its file is gone, and if
    the site was restored from that very backup, nobody waits for it. Afterwards every waiting job is in the queue.
    """
    queued = DBTaskResult.objects.filter(task_path=run_site_job.module_path)
    rows = {int(row.args_kwargs["args"][0]): row for row in queued.exclude(status__in=["SUCCESSFUL", "FAILED"])}
    for job in SiteJob.objects.filter(state__in=SiteJob.UNDER_WAY):
        row = rows.get(job.pk)
        if job.is_lost():
            _take_up(job, workers=0 if row is None else len(row.worker_ids))
        if row is None:
            run_site_job.enqueue(job.pk)
        elif row.status == "RUNNING" and not is_held(job.name):
            DBTaskResult.objects.filter(pk=row.pk, status="RUNNING").update(status="READY")


def _take_up(job: SiteJob, *, workers: int) -> None:
    lost = SiteJob.objects.filter(pk=job.pk, state=SiteJob.State.RUNNING, updated_at=job.updated_at)
    logger.warning("job %s of the site (%s) has lost its worker", job.pk, job.kind)
    if job.kind == SiteJob.Kind.IMPORT and workers < MOST_TAKEN_UP:
        lost.update(state=SiteJob.State.WAITING)
        return
    message = noop(
        "It broke off: its worker ended, or the database did not answer. "
        "Whoever runs the site finds more in its log. Ask again."
    )
    if lost.update(state=SiteJob.State.FAILED, message=message, updated_at=timezone.now()):
        _drop_upload(job)


def _import(job: SiteJob) -> tuple[Sentence, None]:
    told = job.arguments
    path = stored_path(told["sha256"])
    campaign = import_release(actor=job.started_by, path=path, slug=told["slug"], title=told["title"])
    topics = Sentence("%(number)s topic", "%(number)s topics", campaign.topics.count())
    runs = Sentence("%(number)s run", "%(number)s runs", campaign.runs.count())
    made = Sentence(
        "The campaign “%(slug)s” is made: %(topics)s, %(runs)s.", slug=campaign.slug, topics=topics, runs=runs
    )
    return made, None


def _back_up(job: SiteJob) -> tuple[Sentence, int]:
    path = backup_path(job)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    made = back_up(path)
    rows = Sentence("%(number)s row", "%(number)s rows", made.rows)
    files = Sentence("%(number)s stored file", "%(number)s stored files", made.files)
    return Sentence("The backup is made: %(rows)s, %(files)s.", rows=rows, files=files), path.stat().st_size
