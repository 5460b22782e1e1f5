"""Campaigns, their members, their guidelines, and the ledger of activities."""

from __future__ import annotations

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy

from assess.base.fields import CharField, JSONField, TextField
from assess.ledger.models import LedgerRow


class Drafts(models.TextChoices):
    """When assessors may see a machine judge's judgment of an item."""

    SEALED = "sealed", gettext_lazy("never")
    AFTER = "after", gettext_lazy("once they have judged it themselves")
    OPEN = "open", gettext_lazy("at once")


class Part(models.TextChoices):
    """A part of a campaign that participants get before they submit runs."""

    TOPICS = "topics", gettext_lazy("topics")
    LISTS = "lists", gettext_lazy("document lists")
    PACKAGE = "package", gettext_lazy("package of documents")


class Campaign(models.Model):
    """One evaluation being run. The track checks ``settings`` on every write.

    If the track is the organiser's own design, ``design`` is the sha256 of its stored file. Days and moments are
    displayed in ``time_zone``. Participants submit, replace and withdraw runs until ``runs_due`` (displayed in
    ``due_zone``, where "" is the campaign's own zone; None: until judging begins). They see each `Part` from its
    release date on (None: at once), and those in ``agreement_for`` only after their team accepted the user agreement.
    An assignment without activity for ``lease_hours`` returns to the stack (None: never). With ``takes_primary``,
    assessors themselves take the next topic without a primary assessor from the stack.
    """

    class State(models.TextChoices):
        SETUP = "setup", gettext_lazy("setting up")
        JUDGING = "judging", gettext_lazy("judging")
        FROZEN = "frozen", gettext_lazy("frozen")
        RELEASED = "released", gettext_lazy("released")

    CLOSED = (State.FROZEN, State.RELEASED)
    LOADING = "loading"
    """The state of a campaign that is being imported and hidden, so that recorded acts can be written as they were."""

    slug = CharField(max_length=50, unique=True, validators=[RegexValidator(r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?\Z")])
    title = CharField(max_length=200)
    track = CharField(max_length=50)
    design = CharField(max_length=64, default="", blank=True)
    settings = JSONField(default=dict, blank=True)
    state = CharField(max_length=10, choices=State, default=State.SETUP)
    runs_due = models.DateTimeField(null=True, blank=True)
    due_zone = CharField(max_length=64, default="", blank=True)
    time_zone = CharField(max_length=64, default="UTC")
    topics_from = models.DateTimeField(null=True, blank=True)
    lists_from = models.DateTimeField(null=True, blank=True)
    package_from = models.DateTimeField(null=True, blank=True)
    agreement_for = JSONField(default=list, blank=True)
    lease_hours = models.PositiveIntegerField(null=True, blank=True)
    takes_primary = models.BooleanField(default=False)
    drafts = CharField(max_length=6, choices=Drafts, default=Drafts.SEALED)
    draftless_share = models.FloatField(default=0.0)
    draftless_seed = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.title

    @property
    def is_closed(self) -> bool:
        """Whether it is frozen or released, so that nothing in it can be changed."""
        return self.state in Campaign.CLOSED


class Role(models.TextChoices):
    """The role of a member, which decides what they may do."""

    ORGANISER = "organiser", gettext_lazy("organiser")
    ASSESSOR = "assessor", gettext_lazy("assessor")
    ADJUDICATOR = "adjudicator", gettext_lazy("adjudicator")
    PARTICIPANT = "participant", gettext_lazy("participant")


JUDGES = (Role.ASSESSOR, Role.ADJUDICATOR)
"""The roles whose members judge."""


class Membership(models.Model):
    """A person's role in a campaign; a participant has a team. A machine judges like an assessor, but never logs in.

    A member whose ``takes_work`` is false is handed no more assignments; it is the same in all roles in which they
    judge.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = CharField(max_length=12, choices=Role)
    team = CharField(max_length=50, blank=True)
    is_machine = models.BooleanField(default=False)
    takes_work = models.BooleanField(default=True)

    class Meta:
        ordering = ["role", "user__username", "id"]
        constraints = [models.UniqueConstraint(fields=["campaign", "user", "role"], name="one_membership_a_role")]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"


class PublishedText(models.Model):
    """One published version of a text of a campaign; the newest version is in force. A subclass says which text it
    is.
    """

    version = models.PositiveIntegerField()
    text = TextField()
    published_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    published_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
        ordering = ["-version"]


class Guideline(PublishedText):
    """One published version of a campaign's guidelines; every judgment records the version under which it was made."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="guidelines")

    class Meta(PublishedText.Meta):
        constraints = [models.UniqueConstraint(fields=["campaign", "version"], name="one_guideline_a_version")]

    def __str__(self) -> str:
        return f"guidelines {self.version} of {self.campaign}"


class Activity(LedgerRow):
    """A registered action: who did what to which object, with the id of the request.

    ``token`` is the number of the API token that was used, or None.
    """

    campaign_path = "campaign"

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="activities", null=True)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    action = CharField(max_length=50)
    object_type = CharField(max_length=50, blank=True)
    object_id = CharField(max_length=100, blank=True)
    data = JSONField(default=dict, blank=True)
    request_id = CharField(max_length=32, blank=True)
    token = models.BigIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["campaign", "action", "id"], name="activity_of_a_kind"),
            models.Index(fields=["campaign", "id"], name="activity_by_point"),
        ]

    def __str__(self) -> str:
        return self.action
