"""Look at accepted runs again after the list of valid docnos was added or replaced."""

from __future__ import annotations

from collections.abc import Iterator

from assess.base.files import open_file, stored_path
from assess.campaigns.models import Campaign
from assess.runs.domain.checking import check_context, submission_of
from assess.runs.domain.run_form import form_of
from assess.runs.models import Run
from scoring.records import Issue

UNKNOWN = "unknown-docno"
"""The checkers' code for a document that is not valid."""


def runs_refused_now(campaign: Campaign) -> Iterator[Issue]:
    """Yield a warning for each accepted run that the current list of valid docnos would refuse, with the documents.

    The runs stay accepted: the organiser can ask the teams for other runs, or correct the list. Each run whose kind is
    compared with the list is checked again, unless its file is gone.
    """
    for run in campaign.runs.filter(state=Run.State.ACCEPTED).order_by("tag"):
        submission = submission_of(campaign, run.submission)
        if "docnos" not in submission.lists or not stored_path(run.file).is_file():
            continue
        context = check_context(campaign, form_of(run), any_tag=True)
        with open_file(run.file) as file:
            unknown = (issue for issue in submission.issues(file, context) if issue.code == UNKNOWN)
            first = next(unknown, None)
            count = 1 + sum(1 for _ in unknown)
        if first is not None:
            documents = "1 of its documents is" if count == 1 else f"{count:,} of its documents are"
            message = f"{run.tag} would be refused now: {documents} not valid. The first: {first.message}"
            yield Issue(where=run.tag, code="refused-now", message=message, severity="warning")
