"""Another file under the tag of a run: it replaces that run if the submitter says so. Values that the new form leaves
out are then kept from the replaced run's form.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace as changed

from django.utils.translation import gettext

from assess.base.errors import Conflict
from assess.campaigns.models import Campaign
from assess.protocol import RunForm, Submission
from assess.runs.models import Run

Replace = Run | bool
"""What may be replaced: nothing (False), any run under the tag (True), or only this run."""


SAME: tuple[str, ...] = ("submission", "tag", "team", "priority", "automatic", "description", "fields", "file")


def is_same(earlier: Run, run: Run) -> bool:
    """Return whether two runs are the same submission: the same file with the same form."""
    return all(getattr(earlier, name) == getattr(run, name) for name in SAME)


class ReplacesRun(Conflict):
    """The team has another file under the tag (``run``), and nobody said that this one replaces it."""

    code = "replaces-run"

    def __init__(self, run: Run) -> None:
        super().__init__(
            gettext(
                "%(team)s has a run %(tag)s already, which is %(state)s, with another file (run %(run)s). It stays as "
                "it is. If the new file is meant to replace it, submit it again and say so: tick “Replace” on the "
                "page, “replace” in the API, --replace on the command line."
            )
            % {"team": run.team, "tag": run.tag, "state": run.get_state_display(), "run": run.pk}
        )
        self.run = run


def require_replaceable(*, campaign: Campaign, tag: str) -> None:
    """Raise Conflict once judging has begun: no run is replaced then."""
    if campaign.state != Campaign.State.SETUP:
        raise Conflict(gettext("Judging has begun, so %(tag)s can't be replaced. Withdraw it first.") % {"tag": tag})


def runs_under_tag(*, campaign: Campaign, tag: str, team: str) -> list[Run]:
    """Return the team's runs under a tag that are accepted or being checked, newest first. One query."""
    states = [Run.State.ACCEPTED, Run.State.CHECKING]
    return list(campaign.runs.filter(state__in=states, tag=tag, team=team).order_by("-id"))


def replaced_run(*, standing: Iterable[Run], file: str, replace: Replace) -> Run | None:
    """Return the run that a new ``file`` (its sha256) would replace, or None if there is no other file under the tag.

    ``standing`` are the team's runs under the tag, newest first; it is the newest with another file. Raises
    `ReplacesRun` unless ``replace`` is true or is this run.
    """
    other = next((run for run in standing if run.file != file), None)
    if other is not None and replace is not True and replace != other:
        raise ReplacesRun(other)
    return other


def with_earlier(*, form: RunForm, submission: Submission, campaign: Campaign) -> RunForm:
    """Return the form, with what it leaves out taken from the team's newest run of this kind under the same tag.

    That is the priority, the description and the answers to the track's questions.
    """
    standing = runs_under_tag(campaign=campaign, tag=form.tag, team=form.team) if form.tag and form.team else []
    earlier = next((run for run in standing if run.submission == submission.key), None)
    if earlier is None:
        return form
    kept = {field.key: earlier.fields[field.key] for field in submission.fields if field.key in earlier.fields}
    return changed(
        form,
        priority=form.priority if form.priority is not None else earlier.priority,
        description=form.description if form.description.strip() else earlier.description,
        fields={**kept, **{key: value for key, value in form.fields.items() if value != ""}},
    )
