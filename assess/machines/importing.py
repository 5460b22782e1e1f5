"""Import a machine judge's files: at once if they are short, else in the background."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from django.contrib.auth.models import User

from assess.assignments.domain.held_work import require_judging
from assess.base.files import open_file, store_file
from assess.campaigns.designs import MOVED_SINCE_SENT, require_same_scale
from assess.campaigns.models import Campaign
from assess.jobs.domain import enqueue_job
from assess.jobs.kinds import MACHINE
from assess.jobs.models import Job
from assess.jobs.progress import ReportProgress
from assess.machines.domain import MachineImport, import_machine_judge
from assess.machines.files import named_copies
from scoring.reading.opening import CannotOpen, open_input
from scoring.reading.unpacking import damage_errors

SHORT_BYTES = 200_000
"""The size of files, unpacked, up to which they are imported in the request, which takes less than a second."""


def take_files(
    *,
    actor: User,
    campaign: Campaign,
    name: str,
    files: Iterable[tuple[str, BinaryIO]],
    kind: str = "",
    criterion: str = "",
) -> MachineImport | Job:
    """Import uploaded files, given with their names, as `import_machine_judge` does. Return the result or, for long
    files, the job that does it in the background and reports what that function refuses; a campaign that is not being
    judged is refused at once.
    """
    with named_copies(files) as paths:
        if _are_short(paths):
            return import_machine_judge(
                actor=actor, campaign=campaign, name=name, paths=paths, kind=kind, criterion=criterion
            )
        require_judging(campaign)
        kept = []
        for path in paths:
            with path.open("rb") as file:
                kept.append({"sha256": store_file(file).sha256, "name": path.name})
    arguments = {"name": name, "files": kept, "kind": kind, "criterion": criterion, "design": campaign.design}
    return enqueue_job(actor=actor, campaign=campaign, kind=MACHINE, arguments=arguments)


def import_for_job(job: Job, progress: ReportProgress) -> MachineImport:
    """Import the files of an import job, as `import_machine_judge` does: rows that exist are not added again. Refuses
    files that were sent before values were moved on a scale.
    """
    told = job.arguments
    require_same_scale(job.campaign, told.get("design", job.campaign.design), MOVED_SINCE_SENT)
    with ExitStack() as opened:
        files = [(each["name"], opened.enter_context(open_file(each["sha256"]))) for each in told["files"]]
        paths = opened.enter_context(named_copies(files))
        return import_machine_judge(
            actor=job.started_by,
            campaign=job.campaign,
            name=told["name"],
            paths=paths,
            kind=told["kind"],
            criterion=told["criterion"],
            progress=progress,
        )


def _are_short(paths: Sequence[Path]) -> bool:
    """Return whether the files have few bytes, unpacked. A file that can't be read counts as short, since importing it
    says why.
    """
    left = SHORT_BYTES
    for path in paths:
        try:
            with open_input(path) as file:
                left -= len(file.read(left + 1))
        except CannotOpen:
            continue
        except damage_errors():
            continue
        if left < 0:
            return False
    return True
