"""Background jobs: what they do, their progress, and how they ended."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, gettext_lazy

from assess.base.fields import CharField, JSONField, TextField
from assess.base.sentences import in_words
from assess.campaigns.models import Campaign
from assess.jobs.workers import is_held


class LongJob(models.Model):
    """What every long job has: its arguments, its state, its last message, and who asked for it when."""

    class State(models.TextChoices):
        WAITING = "waiting", gettext_lazy("waiting")
        RUNNING = "running", gettext_lazy("running")
        DONE = "done", gettext_lazy("done")
        FAILED = "failed", gettext_lazy("failed")
        STOPPED = "stopped", gettext_lazy("stopped")

    UNDER_WAY = (State.WAITING, State.RUNNING)

    arguments = JSONField(default=dict)
    state = CharField(max_length=10, choices=State, default=State.WAITING)
    message = TextField(blank=True)
    made_of = JSONField(default=dict, blank=True)
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        abstract = True
        ordering = ["-id"]

    def is_lost(self) -> bool:
        """Return whether it is recorded as running although no living process does it: its worker was lost."""
        return self.state == self.State.RUNNING and not is_held(self.name)

    @property
    def name(self) -> str:
        """The name under which the process that does the job locks it (`holding`). Each subclass has its own."""
        raise NotImplementedError

    @property
    def words(self) -> str:
        """The job's last message in the reader's language, or in English if the catalogue has no translation."""
        if self.made_of.get("said") == self.message:
            return in_words(self.made_of)
        return gettext(self.message) if self.message else ""

    @property
    def is_busy(self) -> bool:
        """Whether the job waits or runs, and its worker is not lost."""
        return self.state in self.UNDER_WAY and not self.is_lost()


class Job(LongJob):
    """One long job of a campaign, such as loading documents. It can be stopped and started again, and then continues
    where it left off.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="jobs")
    kind = CharField(max_length=50)
    done = models.BigIntegerField(default=0)
    total = models.BigIntegerField(null=True)
    unit = CharField(max_length=20, default="documents")
    issues = JSONField(default=list, blank=True)
    asked_to_stop = models.BooleanField(default=False)

    class Meta(LongJob.Meta):
        abstract = False
        indexes = [models.Index(fields=["state"], name="job_by_state")]

    def __str__(self) -> str:
        return f"{self.kind} ({self.state})"

    @property
    def name(self) -> str:
        """The name under which the process that does the job locks it (`holding`)."""
        return f"{self.pk}"
