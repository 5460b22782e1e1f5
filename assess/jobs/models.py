"""Background jobs: what they do, their progress, and how they ended."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, gettext_lazy

from assess.base.fields import CharField, JSONField, TextField
from assess.campaigns.models import Campaign
from assess.jobs.sentences import in_words
from assess.jobs.workers import is_held


class Job(models.Model):
    """One long job, such as loading documents. It can be stopped and started again, and then continues where it left
    off.
    """

    class State(models.TextChoices):
        WAITING = "waiting", gettext_lazy("waiting")
        RUNNING = "running", gettext_lazy("running")
        DONE = "done", gettext_lazy("done")
        FAILED = "failed", gettext_lazy("failed")
        STOPPED = "stopped", gettext_lazy("stopped")

    UNDER_WAY = (State.WAITING, State.RUNNING)

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="jobs")
    kind = CharField(max_length=50)
    arguments = JSONField(default=dict)
    state = CharField(max_length=10, choices=State, default=State.WAITING)
    done = models.BigIntegerField(default=0)
    total = models.BigIntegerField(null=True)
    unit = CharField(max_length=20, default="documents")
    message = TextField(blank=True)
    made_of = JSONField(default=dict, blank=True)
    issues = JSONField(default=list, blank=True)
    asked_to_stop = models.BooleanField(default=False)
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.kind} ({self.state})"

    @property
    def words(self) -> str:
        """What it said last, in the reader's language: a sentence by what it is made of, any other if the catalogue has
        it.
        """
        if self.made_of.get("said") == self.message:
            return in_words(self.made_of)
        return gettext(self.message) if self.message else ""

    def is_lost(self) -> bool:
        """Return whether it is recorded as running although no living process does it: its worker was lost."""
        return self.state == Job.State.RUNNING and not is_held(self.pk)

    @property
    def is_busy(self) -> bool:
        """Whether it waits or runs, and its worker is not lost."""
        return self.state in Job.UNDER_WAY and not self.is_lost()
