"""How far the check of a run is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from assess.campaigns.deadlines import span_words
from assess.jobs.models import Work
from assess.jobs.names import CHECK
from assess.runs.models import Run

PATIENCE = timedelta(seconds=30)
"""A job that nobody takes up for so long, while no other is done, means that no worker runs."""


LOST = (
    "The worker that checked it was lost. The next one goes on by itself. If this stays, tell the organiser: the "
    "background worker of the site does not run (manage.py db_worker)."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunCheck:
    """The check of a run in words: what is going on, how far it is, and whether it can be started again (``is_stuck``).

    ``is_busy``: it goes on by itself, so whoever looks should look again.
    """

    sentence: str
    done: int = 0
    total: int = 0
    is_busy: bool = True
    is_stuck: bool = False

    @property
    def percent(self) -> int:
        """How much of the file was read, in hundredths."""
        return 100 * self.done // self.total if self.total else 0


def newest_check(run: Run) -> Work | None:
    """The newest job that checks this run."""
    return Work.objects.filter(campaign=run.campaign_id, kind=CHECK, arguments__run=run.pk).order_by("-id").first()


def run_check(run: Run, *, now: datetime) -> RunCheck:
    """How far the check of a run is that is being checked. Three queries at most."""
    work = newest_check(run)
    if work is None:
        return RunCheck(sentence="Nobody checks this run.", is_busy=False, is_stuck=True)
    if work.state == Work.State.WAITING:
        return _waiting(work, now)
    if work.state == Work.State.RUNNING:
        if work.is_lost():
            return RunCheck(sentence=LOST, is_stuck=True)
        said = work.message or "the check begins"
        return RunCheck(sentence=f"Being checked: {said}.", done=work.done, total=work.total or run.size)
    if work.state == Work.State.DONE:
        return RunCheck(sentence=work.message)
    sentence = f"The check was stopped. {work.message}" if work.state == Work.State.STOPPED else work.message
    return RunCheck(sentence=sentence, is_busy=False, is_stuck=True)


def _waiting(work: Work, now: datetime) -> RunCheck:
    ahead = Work.objects.filter(state=Work.State.WAITING, pk__lt=work.pk).count()
    is_worked = any(not each.is_lost() for each in Work.objects.filter(state=Work.State.RUNNING))
    if is_worked or now - work.updated_at < PATIENCE:
        before = f", {ahead} job{'s' if ahead != 1 else ''} before it" if ahead else ""
        return RunCheck(sentence=f"The file was received completely and waits for the checker{before}.")
    span = span_words(now - work.updated_at)
    sentence = (
        f"The file was received completely, but nobody has taken up the check for {span}. "
        "If this goes on, tell the organiser: the background worker of the site does not run (manage.py db_worker)."
    )
    return RunCheck(sentence=sentence)
