"""What the worker does: a function for each kind of job, found through the setting ASSAY_JOBS."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_noop as noop

from assess.analysis.domain.kept_agreement import compare_for_job
from assess.analysis.domain.significance import compare_ahead
from assess.base.errors import Invalid
from assess.base.file_issues import collect
from assess.base.files import open_file, stored_path
from assess.base.sentences import Sentence
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.documents.domain.clusters import cluster_documents
from assess.documents.domain.copying import copy_documents
from assess.documents.domain.lists import load_docnos
from assess.documents.domain.loading import Source, load_documents
from assess.documents.domain.preparing import prepare_documents
from assess.documents.domain.taking_out import TAKEN_OUT, take_out_documents
from assess.documents.domain.translations import load_translations
from assess.documents.queries.documents import loaded_from
from assess.exports.kept import keep_exports
from assess.exports.parts import part_for_job
from assess.jobs.kinds import (
    AGREEMENT,
    CHECK,
    CLUSTERS,
    COPY_DOCUMENTS,
    DRAFT_USES,
    EXPORTS,
    JUDGMENTS,
    MACHINE,
    POOL_COUNTS,
    POOL_QUALITY,
    PREPARE,
    SCORES,
    TAKE_OUT,
    TRANSLATIONS,
    JobKind,
    Outcome,
)
from assess.jobs.models import Job
from assess.jobs.progress import Watch
from assess.machines.domain import reason_of
from assess.machines.importing import import_for_job as import_labels
from assess.machines.kept_drafts import count_for_job as count_drafts
from assess.pools.domain.building import build_pool
from assess.pools.domain.planning import read_rankings
from assess.pools.domain.quality import QualityInput, pool_quality, quality_input
from assess.pools.domain.ranking_checks import ranking_checks
from assess.pools.domain.strategy import read_selection
from assess.pools.domain.summaries import count_for_job
from assess.pools.domain.wanted_documents import docnos_to_store
from assess.releases.domain.releasing import make_release
from assess.replay.importing import import_for_job
from assess.runs.domain.deciding import check_received
from assess.runs.domain.late_docnos import runs_refused_now
from assess.runs.models import Run
from assess.scores.at_hand import score_for_job
from scoring.collections.members import members_from
from scoring.reading.opening import open_input


def _load_documents(job: Job, watch: Watch) -> Outcome:
    """Load documents. Arguments: ``files``, a list of {"sha256", "name"} of uploaded files; ``wanted``, which is
    "named", "ranked" or "all"; and ``members``, the names of the fields of records.

    Only the command can load paths on this machine, since a page must not read files of the server.
    """
    sources = [Source(stored_path(each["sha256"]), each["name"]) for each in job.arguments.get("files", [])]
    loaded = load_documents(
        actor=job.started_by,
        campaign=job.campaign,
        sources=sources,
        wanted=docnos_to_store(job.campaign, job.arguments.get("wanted", "named")),
        members=members_from(members) if (members := job.arguments.get("members")) else None,
        progress=watch.tell,
        should_stop=watch.should_stop,
    )
    Job.objects.filter(pk=job.pk).update(done=loaded.stored + loaded.unchanged)
    return Outcome(message=loaded.sentence(), report=loaded.report, stopped=loaded.stopped)


def _copy_documents(job: Job, watch: Watch) -> Outcome:
    """Copy documents. Argument: ``campaign``, the id of the one whose documents are copied. Refused if it is gone."""
    source = Campaign.objects.filter(pk=job.arguments["campaign"]).first()
    if source is None:
        raise Invalid(
            Sentence("The campaign whose documents were to be copied is gone. Load the documents from their files.")
        )
    copied = copy_documents(
        actor=job.started_by, campaign=job.campaign, source=source, progress=watch.tell, should_stop=watch.should_stop
    )
    Job.objects.filter(pk=job.pk).update(done=copied.stored + copied.before)
    return Outcome(message=copied.sentence(), stopped=copied.stopped)


def _load_docnos(job: Job, watch: Watch) -> Outcome:
    """Load docnos. Arguments: ``sha256`` and ``name`` of an uploaded file; ``list``, the list's name (default: the
    file's).
    """
    with open_input(stored_path(job.arguments["sha256"])) as stream:
        loaded = load_docnos(
            actor=job.started_by,
            campaign=job.campaign,
            stream=stream,
            name=job.arguments["name"],
            list_name=job.arguments.get("list", ""),
            progress=watch.tell,
            should_stop=watch.should_stop,
        )
    if not loaded.stopped:
        Job.objects.filter(pk=job.pk).update(done=loaded.read, unit="docnos")
    report = loaded.report if loaded.stopped else collect([*loaded.report.issues, *runs_refused_now(job.campaign)])
    return Outcome(message=loaded.sentence(), report=report, stopped=loaded.stopped)


def _load_translations(job: Job, watch: Watch) -> Outcome:
    """Load translations.

    Arguments: ``sha256`` and ``name`` of an uploaded file; ``language`` and ``tool`` for records that lack them.
    """
    told = job.arguments
    loaded = load_translations(
        actor=job.started_by,
        campaign=job.campaign,
        path=stored_path(told["sha256"]),
        name=told["name"],
        language=told.get("language", ""),
        tool=told.get("tool", ""),
        progress=watch.tell,
        should_stop=watch.should_stop,
    )
    return Outcome(message=loaded.sentence(), report=loaded.report, stopped=loaded.stopped)


def _check_run(job: Job, watch: Watch) -> Outcome:
    """Check a run. Argument: ``run``, the id of a run that is being checked."""
    run = Run.objects.select_related("campaign").get(pk=job.arguments["run"])
    return Outcome(message=check_received(actor=job.started_by, run=run, progress=watch.step))


def _read_rankings(job: Job, watch: Watch) -> Outcome:
    """Read rankings. Argument: ``task``, the key of a task whose runs rank. Refused if the track lacks it by now."""
    task = track_of(job.campaign).task(job.arguments["task"])
    if task is None:
        raise Invalid(Sentence("The track does not have this task any more."))
    read = read_rankings(job.campaign, task, progress=watch.step)
    Job.objects.filter(pk=job.pk).update(done=read, total=read, unit="runs")
    return Outcome(
        message=Sentence(
            "%(number)s run read; the pool of %(task)s can be planned.",
            "%(number)s runs read; the pool of %(task)s can be planned.",
            read,
            task=task.label,
        )
    )


def _build_pool(job: Job, watch: Watch) -> Outcome:
    """Build a pool.

    Arguments: ``task``, ``priorities`` and ``drop_judged`` as `build_pool` takes them; ``selection``, the sha256 of its
    JSON.
    """
    told = job.arguments
    with open_file(told["selection"]) as file:
        selection = read_selection(file.read().decode())
    pool = build_pool(
        actor=job.started_by,
        campaign=job.campaign,
        task=told["task"],
        priorities=told["priorities"],
        drop_judged=told["drop_judged"],
        selection=selection,
        progress=watch.step,
    )
    items = pool.pool_items.count()
    Job.objects.filter(pk=job.pk).update(done=items, total=items, unit="items")
    return Outcome(message=Sentence("The pool has %(number)s item.", "The pool has %(number)s items.", items))


def _count_pools(job: Job, watch: Watch) -> Outcome:
    """Count pools. Argument: ``pools``, the ids of pools."""
    items = count_for_job(job.campaign, job.arguments, watch.step)
    Job.objects.filter(pk=job.pk).update(done=items, total=items, unit="items")
    return Outcome(message=Sentence("The pools have %(number)s item.", "The pools have %(number)s items.", items))


def _count_drafts(job: Job, watch: Watch) -> Outcome:
    """Count what became of machines' drafts. There are no arguments."""
    works = len(count_drafts(job.campaign, watch.step).lines)
    Job.objects.filter(pk=job.pk).update(done=works, total=works, unit="parts")
    return Outcome(
        message=Sentence(
            "The drafts of %(number)s assignment are counted.",
            "The drafts of %(number)s assignments are counted.",
            works,
        )
    )


def _make_release(job: Job, watch: Watch) -> Outcome:
    """Make a release. Argument: ``with_runs``, whether run files that can't be renamed are included as they are."""
    release = make_release(
        actor=job.started_by,
        campaign=job.campaign,
        with_runs=bool(job.arguments.get("with_runs")),
        progress=watch.step,
    )
    files = len(release.manifest["files"])
    Job.objects.filter(pk=job.pk).update(done=files, total=files, unit="files")
    return Outcome(
        message=Sentence(
            "The release of ledger point %(as_of)s is made, and every score checks out.", as_of=str(release.as_of)
        )
    )


def _check_rankings(job: Job, watch: Watch) -> Outcome:
    """Check the rankings of a pool. Argument: ``task``, the key of a task whose runs rank."""
    stand = _pool_of_job(job)
    checks = ranking_checks(stand, now=timezone.now(), progress=watch.step)
    runs = len(stand.teams)
    Job.objects.filter(pk=job.pk).update(done=runs, total=runs, unit="runs")
    return Outcome(message=Sentence("The runs are scored as of ledger point %(as_of)s.", as_of=checks.as_of))


def _look_at_pool(job: Job, watch: Watch) -> Outcome:
    """Compute the quality of a pool. Argument: ``task``, the key of a task whose runs rank."""
    stand = _pool_of_job(job)
    quality = pool_quality(stand, watch.step)
    topics = len(stand.rankings.places)
    Job.objects.filter(pk=job.pk).update(done=topics, total=topics, unit="topics")
    return Outcome(
        message=Sentence("The quality of the pool as of ledger point %(as_of)s is computed.", as_of=quality.as_of)
    )


def _pool_of_job(job: Job) -> QualityInput:
    task = track_of(job.campaign).task(job.arguments["task"])
    stand = quality_input(job.campaign, task) if task is not None else None
    if stand is None:
        raise Invalid(Sentence("There is no pool of ranked runs any more."))
    return stand


def _take_out_documents(job: Job, watch: Watch) -> Outcome:
    """Remove the documents that were loaded from one file or folder. Argument: ``source``, its name.

    If a worker removes them all but ends before it reports this, the job is run again and says that none is left.
    """
    source = job.arguments["source"]
    before = job.campaign.activities.filter(action=TAKEN_OUT, data__source=source, created_at__gte=job.created_at)
    if before.exists() and not loaded_from(job.campaign, source).exists():
        return Outcome(message=noop("No document of it is left: they were taken out before."))
    taken = take_out_documents(
        actor=job.started_by,
        campaign=job.campaign,
        source=source,
        progress=watch.tell,
        should_stop=watch.should_stop,
    )
    return Outcome(message=taken.sentence(), stopped=taken.left > 0)


def _prepare_documents(job: Job, watch: Watch) -> Outcome:
    """Prepare every page of the campaign that another version of the site made. There are no arguments."""
    prepared = prepare_documents(
        actor=job.started_by, campaign=job.campaign, progress=watch.tell, should_stop=watch.should_stop
    )
    done = prepared.documents + prepared.failed
    Job.objects.filter(pk=job.pk).update(done=done, total=prepared.documents + prepared.left)
    return Outcome(message=prepared.sentence(), report=prepared.report, stopped=prepared.stopped)


def _cluster_documents(job: Job, watch: Watch) -> Outcome:
    """Find clusters of documents. Argument: ``likeness`` from 0 to 1; None for the setting ASSAY_NEAR_IDENTICAL."""
    made = cluster_documents(
        actor=job.started_by, campaign=job.campaign, likeness=job.arguments["likeness"], progress=watch.step
    )
    Job.objects.filter(pk=job.pk).update(done=made.compared, total=made.compared, unit="documents")
    return Outcome(message=made.sentence())


def _score(job: Job, watch: Watch) -> Outcome:
    """Compute scores. The arguments are those that `assess.scores.at_hand.job_arguments` returns."""
    scores = score_for_job(job.campaign, job.arguments, watch.step)
    compare_ahead(job.campaign, scores)
    runs = len(scores.runs)
    Job.objects.filter(pk=job.pk).update(done=runs, total=runs, unit="runs")
    return Outcome(
        message=Sentence(
            "%(number)s run scored as of ledger point %(as_of)s.",
            "%(number)s runs scored as of ledger point %(as_of)s.",
            runs,
            as_of=scores.as_of,
        )
    )


def _compare(job: Job, watch: Watch) -> Outcome:
    """Compare judges. Arguments: ``as_of``, and those that `assess.analysis.domain.agreement.ask_comparison` takes."""
    found = compare_for_job(job.campaign, job.arguments, watch.step)
    items = found.report.items
    Job.objects.filter(pk=job.pk).update(done=items, total=items, unit="items")
    return Outcome(message=Sentence("The judges are compared as of ledger point %(as_of)s.", as_of=found.as_of))


def _export(job: Job, watch: Watch) -> Outcome:
    """Make the exports. Arguments: ``as_of``, their ledger point, and for a part also those of `part_arguments`."""
    snapshot = part_for_job(job.campaign, job.arguments)
    keep_exports(snapshot, watch.step)
    files = len(track_of(job.campaign).exports)
    Job.objects.filter(pk=job.pk).update(done=files, total=files, unit="files")
    return Outcome(message=Sentence("The exports of ledger point %(as_of)s are made.", as_of=snapshot.as_of))


def _import_judgments(job: Job, watch: Watch) -> Outcome:
    """Import judgments.

    Arguments, as `assess.replay.importing.start_import` stores them: ``sha256`` and ``name`` of the file, and
    ``people``.
    """
    done = import_for_job(job, watch.step)
    Job.objects.filter(pk=job.pk).update(done=done.lines, total=done.lines, unit="lines")
    added = Sentence("%(number)s row added", "%(number)s rows added", done.added)
    return Outcome(
        message=Sentence(
            "%(number)s line replayed, %(added)s.", "%(number)s lines replayed, %(added)s.", done.lines, added=added
        )
    )


def _import_machine(job: Job, watch: Watch) -> Outcome:
    """Import a machine judge's labels. Arguments, as `assess.machines.importing.take_files` stores them: ``name``,
    ``files``, ``kind`` and ``criterion``.
    """
    done = import_labels(job, watch.step)
    Job.objects.filter(pk=job.pk).update(done=done.lines, total=done.lines, unit="lines")
    read = Sentence("%(number)s line read", "%(number)s lines read", done.lines)
    added = Sentence("%(number)s row added", "%(number)s rows added", done.added)
    message = Sentence("%(name)s: %(read)s, %(added)s.", name=done.machine.first_name, read=read, added=added)
    if passed := [
        Sentence("%(count)s × %(reason)s", count=number, reason=Sentence(reason_of(code)))
        for code, number in done.passed_over.items()
    ]:
        message = Sentence("%(done)s Passed over: %(reasons)s.", done=message, reasons=passed)
    return Outcome(message=message, report=collect(done.issues))


def _uploads(arguments: Mapping[str, Any]) -> Iterable[str]:
    """Name one uploaded file by the ``sha256`` of the arguments, or several by the ``sha256`` of each in ``files``."""
    return [each["sha256"] for each in (arguments, *arguments.get("files", ())) if "sha256" in each]


def _selection(arguments: Mapping[str, Any]) -> Iterable[str]:
    return [arguments["selection"]] if "selection" in arguments else []


JOBS: dict[str, JobKind] = {
    "pool-checks": JobKind(do=_check_rankings, stopped=noop("Nothing was kept; start it again to score the runs.")),
    "documents": JobKind(do=_load_documents, files=_uploads),
    TAKE_OUT: JobKind(do=_take_out_documents),
    CLUSTERS: JobKind(do=_cluster_documents, stopped=noop("The clusters of before stay; start it again to look anew.")),
    PREPARE: JobKind(do=_prepare_documents),
    "docnos": JobKind(do=_load_docnos, files=_uploads),
    TRANSLATIONS: JobKind(do=_load_translations, files=_uploads),
    "rankings": JobKind(do=_read_rankings, stopped=noop("Nothing was kept; start it again to read the runs.")),
    "pool": JobKind(do=_build_pool, files=_selection, stopped=noop("No pool was made; start it again to make it.")),
    POOL_COUNTS: JobKind(do=_count_pools, stopped=noop("Nothing was kept; start it again to count."), in_line=True),
    POOL_QUALITY: JobKind(
        do=_look_at_pool, stopped=noop("Nothing was kept; start it again to look at the pool."), in_line=True
    ),
    CHECK: JobKind(do=_check_run, stopped=noop("Nothing was decided; start it again to check the run."), in_line=True),
    "release": JobKind(do=_make_release, stopped=noop("No release was made; start it again to make it.")),
    AGREEMENT: JobKind(do=_compare, stopped=noop("Nothing was kept; start it again to compare them."), in_line=True),
    DRAFT_USES: JobKind(do=_count_drafts, stopped=noop("Nothing was kept; start it again to count."), in_line=True),
    EXPORTS: JobKind(do=_export, stopped=noop("Nothing was kept; start it again to make the files."), in_line=True),
    JUDGMENTS: JobKind(
        do=_import_judgments,
        files=_uploads,
        stopped=noop("What was replayed stays; start it again to replay the rest."),
    ),
    MACHINE: JobKind(
        do=_import_machine, files=_uploads, stopped=noop("What was recorded stays; start it again to record the rest.")
    ),
    COPY_DOCUMENTS: JobKind(do=_copy_documents),
    SCORES: JobKind(do=_score, stopped=noop("Nothing was kept; start it again to score the runs."), in_line=True),
}
